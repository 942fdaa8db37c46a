// The operations that each index privilege allows, over HTTP: every operation is sent by a user with that privilege alone. The matrix is the one of the
// documentation of Elasticsearch's privileges.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { INDEX_PRIVILEGES } from '../../../../src/security/index-privileges.ts';
import { hashPassword } from '../../../../src/security/password-hash.ts';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

const NAMES = Object.keys(INDEX_PRIVILEGES);
const bulk = (action: object, ...lines: object[]): string => `${[action, ...lines].map((line) => JSON.stringify(line)).join('\n')}\n`;

/** Operations on the index `x` (on `new` if they create one), and the privileges that allow them. `all` allows every one. */
const OPERATIONS: ReadonlyArray<readonly [string, unknown, string]> = [
  ['GET /x/_search', undefined, 'read'],
  ['GET /x/_doc/1', undefined, 'read'],
  ['POST /x/_mget', { ids: ['1'] }, 'read'],
  ['POST /x/_msearch', '{}\n{}\n', 'read'],
  ['GET /x/_count', undefined, 'read'],
  ['POST /x/_pit?keep_alive=1s', undefined, 'read'],
  ['POST /x/_doc', { a: 1 }, 'create_doc create index write'],
  ['PUT /x/_create/NEW', { a: 1 }, 'create_doc create index write'],
  ['PUT /x/_doc/1', { a: 1 }, 'create index write'],
  ['POST /x/_bulk', bulk({ create: {} }, { a: 1 }), 'create_doc create index write'],
  ['POST /x/_bulk', bulk({ index: {} }, { a: 1 }), 'create_doc create index write'],
  ['POST /x/_bulk', bulk({ index: { _id: '1' } }, { a: 1 }), 'create index write'],
  ['POST /x/_bulk', bulk({ update: { _id: '1' } }, { doc: { a: 1 } }), 'index write'],
  ['POST /x/_bulk', bulk({ delete: { _id: '9' } }), 'delete write'],
  ['POST /x/_update/1', { doc: { a: 2 } }, 'index write'],
  ['DELETE /x/_doc/9', undefined, 'delete write'],
  ['POST /x/_delete_by_query', { query: { match_none: {} } }, ''],
  ['GET /x/_mapping', undefined, 'view_index_metadata manage'],
  ['GET /x', undefined, 'view_index_metadata manage'],
  ['GET /x/_alias', undefined, 'view_index_metadata manage'],
  ['GET /x/_settings', undefined, 'view_index_metadata monitor manage'],
  ['GET /x/_field_caps?fields=*', undefined, 'read view_index_metadata manage'],
  ['GET /x/_search_shards', undefined, 'view_index_metadata read_cross_cluster manage'],
  ['GET /x/_stats', undefined, 'monitor manage'],
  ['GET /_cat/indices/x', undefined, 'monitor manage'],
  ['GET /x/_segments', undefined, 'monitor manage'],
  ['POST /x/_refresh', undefined, 'maintenance manage'],
  ['POST /x/_flush', undefined, 'maintenance manage'],
  ['POST /x/_forcemerge', undefined, 'maintenance manage'],
  ['POST /x/_cache/clear', undefined, 'manage'],
  ['PUT /x/_mapping', { properties: { b: { type: 'keyword' } } }, 'manage'],
  ['PUT /x/_settings', { 'index.refresh_interval': '5s' }, 'manage'],
  ['PUT /x/_alias/y', undefined, 'manage'],
  ['POST /x/_open', undefined, 'manage'],
  ['PUT /new', undefined, 'create_index manage'],
  ['DELETE /new', undefined, 'delete_index manage'],
  ['PUT /new/_doc/1', { a: 1 }, ''],
];

let node: RestNode;
const as = (user: string, line: string, body?: unknown): ReturnType<RestNode['send']> =>
  node.send(line, body, { authorization: `Basic ${Buffer.from(`${user}:pw`).toString('base64')}` });

beforeAll(async () => {
  const hash = await hashPassword('pw');
  const roles = Object.fromEntries(NAMES.map((name) => [name, { indices: [{ names: ['x', 'y', 'new'], privileges: [name] }] }]));
  const users = Object.fromEntries(NAMES.map((name) => [name, { password_hash: hash, roles: [name] }]));
  const two = { password_hash: hash, roles: ['index', 'auto_configure'] };
  node = await openRestNode({
    'security.users': { ...users, two, root: { password_hash: hash, roles: ['superuser'] } },
    'security.roles': roles,
  });
});
afterAll(() => node.close());

test.each(NAMES)('[%s] allows what its documentation lists', async (privilege) => {
  await as('root', 'DELETE /x,new?ignore_unavailable=true');
  await as('root', 'PUT /x/_doc/1?refresh=true', { a: 1 });
  for (const [line, body, privileges] of OPERATIONS) {
    await as('root', line.startsWith('DELETE /new') ? 'PUT /new' : 'DELETE /new');
    const { status, text } = await as(privilege, line.replace('NEW', `${privilege}-new`), body);
    const isRefused = status === 403 || text.includes('"security_exception"');
    const isAllowed = privilege === 'all' || privileges.split(' ').includes(privilege);
    expect([line, body, !isRefused, text.slice(0, 300)]).toEqual([line, body, isAllowed, text.slice(0, 300)]);
    if (isRefused) expect(text, line).toMatch(/is granted by the (index|cluster) privileges \[[a-z_,]+\]/);
  }
});

test('writing to a missing index needs a privilege to create it besides', async () => {
  await as('root', 'DELETE /new');
  expect((await as('index', 'PUT /new/_doc/1', { a: 1 })).json.error.reason).toBe(
    'action [indices:admin/auto_create] is unauthorized for user [index] with effective roles [index] on indices [new], ' +
      'this action is granted by the index privileges [auto_configure,create_index,manage,all]',
  );
  expect((await as('two', 'PUT /new/_doc/1', { a: 1 })).status).toBe(201);
});
