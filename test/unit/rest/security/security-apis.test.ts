// Users, roles and API keys over a whole node.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashPassword } from '../../../../src/security/password-hash.ts';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
const basic = (user: string, password: string) => ({ authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` });
const root = basic('root', 'rootpassword');
const as = (headers: Record<string, string>, line: string, body?: unknown) => node.send(line, body, headers);
const status = async (headers: Record<string, string>, line = 'GET /_security/_authenticate') => (await as(headers, line)).status;

beforeAll(async () => {
  node = await openRestNode({
    'security.users': { root: { password_hash: await hashPassword('rootpassword'), roles: ['superuser'] } },
    'security.roles': { file_reader: { indices: [{ names: ['file-*'], privileges: ['read'] }] } },
  });
  await as(root, 'PUT /logs-1/_doc/1?refresh=true', { message: 'one' });
  await as(root, 'PUT /secret/_doc/1?refresh=true', { message: 'two' });
  await as(root, 'PUT /_security/role/logs', { cluster: ['monitor'], indices: [{ names: ['logs-*'], privileges: ['read'] }] });
});
afterAll(() => node.close());

test('a user is created, updated, shown and deleted', async () => {
  const created = await as(root, 'PUT /_security/user/ann', {
    password: 'annpassword',
    roles: ['logs'],
    full_name: 'Ann',
    metadata: { team: 1 },
  });
  expect([created.status, created.json]).toEqual([200, { created: true }]);
  expect((await as(root, 'GET /_security/user/ann')).json).toEqual({
    ann: { username: 'ann', roles: ['logs'], full_name: 'Ann', email: null, metadata: { team: 1 }, enabled: true },
  });
  const ann = basic('ann', 'annpassword');
  expect((await as(ann, 'GET /_security/_authenticate')).json).toMatchObject({
    username: 'ann',
    roles: ['logs'],
    authentication_realm: { name: 'default_native', type: 'native' },
    authentication_type: 'realm',
  });
  expect(await status(ann, 'GET /logs-1/_search')).toBe(200);
  expect(await status(ann, 'GET /secret/_search')).toBe(403);
  expect((await as(root, 'POST /_security/user/ann', { roles: 'logs,viewer' })).json).toEqual({ created: false });
  expect(await status(ann)).toBe(200);
  expect((await as(root, 'DELETE /_security/user/ann')).json).toEqual({ found: true });
  expect(await status(ann)).toBe(401);
  const again = await as(root, 'DELETE /_security/user/ann');
  expect([again.status, again.json]).toEqual([404, { found: false }]);
  const none = await as(root, 'GET /_security/user/ann');
  expect([none.status, none.json]).toEqual([404, {}]);
});

test('a new password, a new role and disabling act at once, on remembered credentials too', async () => {
  await as(root, 'PUT /_security/user/bob', { password: 'first-one', roles: ['logs'] });
  const first = basic('bob', 'first-one');
  const second = basic('bob', 'second-one');
  expect(await status(first)).toBe(200);
  const changed = await as(first, 'POST /_security/user/_password', { password: 'second-one' });
  expect([changed.status, changed.json]).toEqual([200, {}]);
  expect([await status(first), await status(second)]).toEqual([401, 200]);
  expect(await status(second, 'GET /secret/_search')).toBe(403);
  await as(root, 'PUT /_security/role/logs', { cluster: ['monitor'], indices: [{ names: ['logs-*', 'secret'], privileges: ['read'] }] });
  expect(await status(second, 'GET /secret/_search')).toBe(200);
  await as(root, 'PUT /_security/role/logs', { cluster: ['monitor'], indices: [{ names: ['logs-*'], privileges: ['read'] }] });
  expect(await status(second, 'GET /secret/_search')).toBe(403);
  expect((await as(root, 'PUT /_security/user/bob/_disable')).json).toEqual({});
  expect(await status(second)).toBe(401);
  expect(await status(root, 'PUT /_security/user/bob/_enable')).toBe(200);
  expect(await status(second)).toBe(200);
});

test.each([
  ['PUT /_security/user/x', { roles: ['a'] }, 'validation_exception', /password must be specified unless/],
  ['PUT /_security/user/x', { password: 'short', roles: [] }, 'validation_exception', /at least \[6\] characters/],
  ['PUT /_security/user/x', { password: 'long enough' }, 'action_request_validation_exception', /roles are missing/],
  [
    'PUT /_security/user/x',
    { password: 'long enough', roles: [], metadata: { _a: 1 } },
    'action_request_validation_exception',
    /may not start with/,
  ],
  ['PUT /_security/user/x', { password: 1, roles: [] }, 'parse_exception', /\[password\] to be of type string, but found \[VALUE_NUMBER\]/],
  ['PUT /_security/user/x', { passwort: 'long enough', roles: [] }, 'parse_exception', /unexpected field \[passwort\]/],
  ['PUT /_security/user/x', { username: 'y', password: 'long enough', roles: [] }, 'illegal_argument_exception', /does not match/],
  ['PUT /_security/user/x', { password_hash: '$2a$10$x', roles: [] }, 'illegal_argument_exception', /gannet password/],
  ['PUT /_security/user/a%3Ab', { password: 'long enough', roles: [] }, 'action_request_validation_exception', /colon/],
  ['PUT /_security/user/%20x', { password: 'long enough', roles: [] }, 'action_request_validation_exception', /whitespace is not allowed/],
  ['PUT /_security/user/root', { password: 'long enough', roles: [] }, 'action_request_validation_exception', /reserved/],
  ['DELETE /_security/user/root', undefined, 'illegal_argument_exception', /reserved and cannot be deleted/],
  ['PUT /_security/user/root/_password', { password: 'long enough' }, 'validation_exception', /does not belong to the native realm/],
  ['PUT /_security/user/root/_disable', undefined, 'illegal_argument_exception', /their own account/],
  ['PUT /_security/user/nobody/_enable', undefined, 'validation_exception', /only existing users can be enabled/],
  ['PUT /_security/user/nobody/_password', { password: 'long enough' }, 'validation_exception', /user must exist/],
  ['PUT /_security/role/superuser', { cluster: [] }, 'action_request_validation_exception', /reserved and may not be used/],
  ['PUT /_security/role/file_reader', { cluster: [] }, 'action_request_validation_exception', /reserved and may not be used/],
  ['DELETE /_security/role/viewer', undefined, 'illegal_argument_exception', /reserved and cannot be deleted/],
  ['PUT /_security/role/x', { cluster: ['everything'] }, 'action_request_validation_exception', /unknown cluster privilege \[everything\]/],
  [
    'PUT /_security/role/x',
    { indices: [{ names: ['a'], privileges: ['reed'] }] },
    'action_request_validation_exception',
    /unknown index privilege \[reed\]/,
  ],
  ['PUT /_security/api_key', {}, 'action_request_validation_exception', /name is required/],
  ['PUT /_security/api_key', { name: '_a' }, 'action_request_validation_exception', /begin with an underscore/],
  ['PUT /_security/api_key', { name: 'a', expiration: 'soon' }, 'parse_exception', /expiration/],
  ['DELETE /_security/api_key', {}, 'action_request_validation_exception', /One of \[api key id/],
  ['DELETE /_security/api_key', { ids: ['a'], name: 'b' }, 'action_request_validation_exception', /only one of/],
  ['GET /_security/api_key?owner=true&username=x', undefined, 'action_request_validation_exception', /neither username nor realm-name/],
  ['PUT /_security/role_mapping/x', { roles: ['a'] }, 'unsupported_operation_exception', /not supported/],
  ['POST /_security/oauth2/token', { grant_type: 'password' }, 'unsupported_operation_exception', /not supported/],
  ['POST /_security/_query/api_key', {}, 'unsupported_operation_exception', /not supported/],
])('refuses %s %j', async (line, body, type, reason) => {
  const refused = await as(root, line, body);
  expect([refused.status, refused.json.error.type]).toEqual([400, type]);
  expect(refused.json.error.reason).toMatch(reason);
});

test('roles are created, shown and deleted; built-in ones are listed', async () => {
  const body = {
    cluster: ['monitor'],
    indices: [{ names: 'a-*', privileges: ['read'], field_security: { grant: ['*'] } }],
    metadata: { v: 1 },
  };
  expect((await as(root, 'POST /_security/role/readers', body)).json).toEqual({ role: { created: true } });
  expect((await as(root, 'POST /_security/role/readers', body)).json).toEqual({ role: { created: false } });
  expect((await as(root, 'GET /_security/role/readers')).json).toEqual({
    readers: {
      cluster: ['monitor'],
      indices: [{ names: ['a-*'], privileges: ['read'], field_security: { grant: ['*'] }, allow_restricted_indices: false }],
      applications: [],
      run_as: [],
      metadata: { v: 1 },
      transient_metadata: { enabled: true },
    },
  });
  expect(Object.keys((await as(root, 'GET /_security/role')).json)).toEqual(
    expect.arrayContaining(['superuser', 'viewer', 'editor', 'monitoring_user', 'readers', 'file_reader']),
  );
  expect((await as(root, 'DELETE /_security/role/readers')).json).toEqual({ found: true });
  expect(await status(root, 'GET /_security/role/readers')).toBe(404);
  expect(await status(root, 'DELETE /_security/role/readers')).toBe(404);
});

test('without the privilege to manage security a user changes only the own password', async () => {
  await as(root, 'PUT /_security/user/eve', { password: 'evepassword', roles: ['logs'] });
  const eve = basic('eve', 'evepassword');
  const denied = await as(eve, 'PUT /_security/user/eve', { roles: ['superuser'] });
  expect(denied.status).toBe(403);
  expect(denied.json.error.reason).toMatch(
    /action \[cluster:admin\/xpack\/security\/user\/put\] is unauthorized for user \[eve\] with effective roles \[logs\], this action is granted by the cluster privileges \[manage_security,all\]/,
  );
  for (const line of [
    'GET /_security/user',
    'DELETE /_security/user/bob',
    'PUT /_security/user/bob/_disable',
    'GET /_security/role',
    'DELETE /_security/role/logs',
    'GET /_security/api_key',
    'GET /_security/api_key?owner=true',
    'GET /_security/privilege/_builtin',
  ])
    expect([line, await status(eve, line)]).toEqual([line, 403]);
  expect((await as(eve, 'PUT /_security/user/root2/_password', { password: 'long enough' })).status).toBe(403);
  expect((await as(eve, 'POST /_security/api_key', { name: 'mine' })).status).toBe(403);
  expect(await status(eve, 'GET /_security/user/eve')).toBe(200);
  expect((await as(eve, 'POST /_security/user/eve/_password', { password: 'evepassword2' })).status).toBe(200);
  expect(await status(basic('eve', 'evepassword2'))).toBe(200);
});

test('an API key has its own privileges within those of its owner, until it is invalidated', async () => {
  await as(root, 'PUT /_security/role/keys', { cluster: ['manage_own_api_key'], indices: [{ names: ['logs-*'], privileges: ['read'] }] });
  await as(root, 'PUT /_security/user/kim', { password: 'kimpassword', roles: ['keys'] });
  const kim = basic('kim', 'kimpassword');
  const all = (await as(kim, 'POST /_security/api_key', { name: 'all', metadata: { app: 'x' } })).json;
  expect(all).toEqual({
    id: expect.stringMatching(/^[\w-]{20}$/),
    name: 'all',
    api_key: expect.stringMatching(/^[\w-]{22}$/),
    encoded: Buffer.from(`${all.id}:${all.api_key}`).toString('base64'),
  });
  const key = (made: { encoded: string }) => ({ authorization: `ApiKey ${made.encoded}` });
  expect((await as(key(all), 'GET /_security/_authenticate')).json).toMatchObject({
    username: 'kim',
    authentication_realm: { name: '_es_api_key', type: '_es_api_key' },
    authentication_type: 'api_key',
    api_key: { id: all.id, name: 'all' },
  });
  expect(await status(key(all), 'GET /logs-1/_search')).toBe(200);
  expect(await status(key(all), 'GET /secret/_search')).toBe(403);
  const wide = (
    await as(kim, 'POST /_security/api_key', {
      name: 'wide',
      role_descriptors: { w: { indices: [{ names: ['secret', 'logs-2'], privileges: ['all'] }] } },
    })
  ).json;
  expect(await status(key(wide), 'GET /secret/_search')).toBe(403);
  expect(await status(key(wide), 'GET /logs-1/_search')).toBe(403);
  expect(await status(key(wide), 'GET /logs-2/_search?ignore_unavailable=true')).toBe(200);
  const derived = await as(key(all), 'POST /_security/api_key', { name: 'derived' });
  expect([derived.status, derived.json.error.reason]).toEqual([400, expect.stringMatching(/derived api keys requires/)]);
  const listed = (await as(kim, 'GET /_security/api_key?owner=true')).json.api_keys;
  expect(listed.map(({ name }: any) => name).sort()).toEqual(['all', 'wide']);
  expect(listed[0]).toMatchObject({ type: 'rest', invalidated: false, username: 'kim', realm: 'default_native', metadata: { app: 'x' } });
  expect(JSON.stringify(listed)).not.toContain('hash');
  expect(await status(kim, 'GET /_security/api_key')).toBe(403);
  expect((await as(root, `GET /_security/api_key?id=${all.id}&with_limited_by=true`)).json.api_keys[0].limited_by[0]).toHaveProperty(
    'keys',
  );
  expect(await status(root, 'GET /_security/api_key?id=none')).toBe(404);
  expect((await as(kim, 'DELETE /_security/api_key', { ids: [all.id], owner: true })).json).toEqual({
    invalidated_api_keys: [all.id],
    previously_invalidated_api_keys: [],
    error_count: 0,
  });
  expect(await status(key(all))).toBe(401);
  expect((await as(root, 'DELETE /_security/api_key', { username: 'kim' })).json).toMatchObject({
    invalidated_api_keys: [wide.id],
    previously_invalidated_api_keys: [all.id],
  });
  expect((await as(root, 'GET /_security/api_key?active_only=true')).json.api_keys).toEqual([]);
});

test('an API key ends when it expires, and its owner can change what it may do', async () => {
  const short = (await as(root, 'POST /_security/api_key', { name: 'short', expiration: '1ms' })).json;
  expect(short.expiration).toBeGreaterThan(0);
  while (Date.now() <= short.expiration) await new Promise((resolve) => setTimeout(resolve, 1));
  const refused = await as({ authorization: `ApiKey ${short.encoded}` }, 'GET /');
  expect([refused.status, refused.json.error.additional_unsuccessful_credentials]).toEqual([401, 'API key: api key is expired']);
  const made = (await as(root, 'POST /_security/api_key', { name: 'changing', role_descriptors: { r: { cluster: ['monitor'] } } })).json;
  const key = { authorization: `ApiKey ${made.encoded}` };
  expect(await status(key, 'GET /_security/user')).toBe(403);
  expect((await as(root, `PUT /_security/api_key/${made.id}`, { role_descriptors: { r: { cluster: ['all'] } } })).json).toEqual({
    updated: true,
  });
  expect(await status(key, 'GET /_security/user')).toBe(200);
  expect((await as(root, `PUT /_security/api_key/${made.id}`, {})).json).toEqual({ updated: false });
  expect(await status(basic('bob', 'second-one'), `PUT /_security/api_key/${made.id}`)).toBe(403);
});

test('refusals name the challenges as Elasticsearch does', async () => {
  const missing = await node.exchange('GET /_search', {});
  expect(missing.headers['www-authenticate']).toEqual(['Basic realm="security", charset="UTF-8"', 'ApiKey']);
  expect(missing.json).toEqual({
    error: {
      root_cause: [
        {
          type: 'security_exception',
          reason: 'missing authentication credentials for REST request [/_search]',
          header: { 'WWW-Authenticate': ['Basic realm="security", charset="UTF-8"', 'ApiKey'] },
        },
      ],
      type: 'security_exception',
      reason: 'missing authentication credentials for REST request [/_search]',
      header: { 'WWW-Authenticate': ['Basic realm="security", charset="UTF-8"', 'ApiKey'] },
    },
    status: 401,
  });
  expect((await as(basic('root', 'wrong'), 'GET /')).json.error.reason).toBe('unable to authenticate user [root] for REST request [/]');
  for (const authorization of ['ApiKey x', 'ApiKey eDp5', 'Bearer abc', 'Basic', 'Basic !!', 'Basic cm9vdA==', 'Digest x'])
    expect([authorization, (await as({ authorization }, 'GET /')).status]).toEqual([authorization, 401]);
});

test('_has_privileges and _privileges tell what the caller may do', async () => {
  const bob = basic('bob', 'second-one');
  const asked = {
    cluster: ['monitor', 'manage'],
    index: [{ names: ['logs-1', 'logs-a*', 'secret', '*'], privileges: ['read', 'write', 'indices:data/read/search'] }],
  };
  expect((await as(bob, 'POST /_security/user/_has_privileges', asked)).json).toEqual({
    username: 'bob',
    has_all_requested: false,
    cluster: { monitor: true, manage: false },
    index: {
      'logs-1': { read: true, write: false, 'indices:data/read/search': true },
      'logs-a*': { read: true, write: false, 'indices:data/read/search': true },
      secret: { read: false, write: false, 'indices:data/read/search': false },
      '*': { read: false, write: false, 'indices:data/read/search': false },
    },
    application: {},
  });
  expect((await as(root, 'GET /_security/user/root/_has_privileges', asked)).json.has_all_requested).toBe(true);
  expect((await as(bob, 'GET /_security/user/root/_has_privileges', asked)).status).toBe(400);
  expect((await as(bob, 'GET /_security/user/_has_privileges', { cluster: ['no_such'] })).status).toBe(400);
  expect((await as(bob, 'GET /_security/user/_privileges')).json).toEqual({
    cluster: ['monitor'],
    global: [],
    indices: [{ names: ['logs-*'], privileges: ['read'], allow_restricted_indices: false }],
    applications: [],
    run_as: [],
  });
  const builtin = (await as(root, 'GET /_security/privilege/_builtin')).json;
  expect(builtin.cluster).toEqual(expect.arrayContaining(['all', 'manage_security', 'monitor', 'none']));
  expect(builtin.index).toEqual(expect.arrayContaining(['all', 'create_doc', 'read', 'view_index_metadata']));
});

test('who may run as a user has the privileges of that user, others are refused', async () => {
  const headers = (caller: Record<string, string>, user: string) => ({ ...caller, 'es-security-runas-user': user });
  expect((await as(headers(root, 'bob'), 'GET /_security/_authenticate')).json.username).toBe('bob');
  expect(await status(headers(root, 'bob'), 'GET /secret/_search')).toBe(403);
  expect(await status(headers(basic('bob', 'second-one'), 'root'))).toBe(403);
  expect(await status(headers(root, 'nobody'))).toBe(403);
});

test('bodies and records are bounded', async () => {
  const large = await as(root, 'PUT /_security/role/large', { metadata: { text: 'x'.repeat(2 << 20) } });
  expect([large.status, large.json.error.type]).toEqual([413, 'content_too_large_exception']);
  const record = await as(root, 'PUT /_security/user/large', {
    password: 'largepassword',
    roles: [],
    metadata: { text: 'x'.repeat(70_000) },
  });
  expect([record.status, record.json.error.reason]).toEqual([400, expect.stringMatching(/at most 65536/)]);
  const names = Array.from({ length: 20_000 }, (_, i) => `i${i}`);
  const many = await as(root, 'POST /_security/user/_has_privileges', { index: [{ names, privileges: ['read'] }] });
  expect([many.status, many.json.error.reason]).toEqual([400, expect.stringMatching(/at most 10000/)]);
});

test('users, roles and API keys survive a restart', async () => {
  const made = (await as(root, 'POST /_security/api_key', { name: 'lasting' })).json;
  await as(root, 'PUT /_security/user/zoe', { password: 'zoepassword', roles: ['logs'] });
  await node.restart();
  expect(await status(basic('zoe', 'zoepassword'), 'GET /logs-1/_search')).toBe(200);
  expect(await status({ authorization: `ApiKey ${made.encoded}` })).toBe(200);
});
