// What users with limited rights can reach, over real metadata.
import { beforeEach, expect, test } from 'vitest';
import { Logger } from '../../../../src/common/log/logger.ts';
import { loadSettings } from '../../../../src/config/load-settings.ts';
import { Dispatcher } from '../../../../src/rest/dispatch.ts';
import { hashPassword } from '../../../../src/security/password-hash.ts';
import { fakeEngine } from '../../../support/fake-engine.ts';
import { type FakeAnswer, fakeRequest } from '../../../support/fake-http.ts';

const hash = await hashPassword('pw');
let dispatcher: Dispatcher;

function as(user: string, line: string, body?: unknown): Promise<FakeAnswer> {
  const headers = { authorization: `Basic ${Buffer.from(`${user}:pw`).toString('base64')}`, 'content-type': 'application/json' };
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  return fakeRequest(dispatcher.handle, line, { headers, body: text });
}

beforeEach(async () => {
  const settings = loadSettings({
    flags: {
      'path.data': '.',
      'security.users': {
        root: { password_hash: hash, roles: ['superuser'] },
        ann: { password_hash: hash, roles: ['logs'] },
      },
      'security.roles': {
        logs: {
          cluster: ['monitor'],
          indices: [
            { names: ['logs-*'], privileges: ['read', 'write', 'view_index_metadata', 'monitor'] },
            { names: ['public'], privileges: ['read', 'view_index_metadata', 'monitor'] },
          ],
        },
      },
    },
  });
  dispatcher = new Dispatcher(settings, fakeEngine(), new Logger('error'));
  for (const index of ['logs-1', 'public', 'secret'])
    await as('root', `PUT /${index}`, { aliases: index === 'secret' ? { payroll: {} } : {} });
});

test('patterns and "all" expand to allowed indices, other names are rejected', async () => {
  expect(Object.keys((await as('ann', 'GET /_mapping')).json)).toEqual(['logs-1', 'public']);
  expect(Object.keys((await as('ann', 'GET /*/_settings')).json)).toEqual(['logs-1', 'public']);
  expect((await as('ann', 'GET /_cat/indices?h=index')).text).toBe('logs-1\npublic\n');
  expect((await as('ann', 'GET /secret/_mapping')).status).toBe(403);
  expect((await as('ann', 'GET /logs-1,secret/_mapping')).status).toBe(403);
  expect((await as('root', 'GET /_mapping')).json).toHaveProperty('secret');
});

test('names of aliases are checked like names of indices, whether they exist or not', async () => {
  for (const name of ['payroll', 'secret', 'missing'])
    expect((await as('ann', `GET /${name}/_mapping`)).json.error.reason, name).toBe(
      `action [indices:admin/mappings/get] is unauthorized for user [ann] with effective roles [logs] on indices [${name}], ` +
        'this action is granted by the index privileges [view_index_metadata,manage,all]',
    );
  expect((await as('ann', 'GET /_alias/payroll')).status).toBe(403);
  expect((await as('ann', 'GET /logs-9/_mapping')).status).toBe(404);
  expect((await as('ann', 'GET /secret,logs-1/_mapping?ignore_unavailable=true')).json).toHaveProperty('logs-1');
});

test('an alias that is allowed permits access through its name alone', async () => {
  await as('root', 'PUT /secret/_alias/logs-alias');
  expect(Object.keys((await as('ann', 'GET /logs-alias/_mapping')).json)).toEqual(['secret']);
  expect((await as('ann', 'GET /secret/_mapping')).status).toBe(403);
  expect((await as('ann', 'GET /_alias')).json.secret).toEqual({ aliases: { 'logs-alias': {} } });
});

test('operations without a granted privilege are rejected', async () => {
  for (const line of [
    'PUT /logs-2',
    'DELETE /logs-1',
    'DELETE /logs-*',
    'POST /logs-1/_close',
    'PUT /_index_template/t',
    'PUT /_cluster/settings',
  ])
    expect((await as('ann', line, line.startsWith('DELETE') ? undefined : {})).status, line).toBe(403);
  expect((await as('ann', 'PUT /public/_doc/1', { a: 1 })).status).toBe(403);
  expect((await as('ann', 'PUT /logs-1/_doc/1', { a: 1 })).status).toBe(201);
  expect((await as('ann', 'PUT /logs-9/_doc/1', { a: 1 })).json.error.reason).toMatch(
    /^action \[indices:admin\/auto_create\] .*\[logs-9\]/,
  );
  expect((await as('ann', 'POST /_aliases', { actions: [{ add: { index: 'secret', alias: 'x' } }] })).status).toBe(403);
  expect((await as('ann', 'POST /_reindex', { source: { index: 'secret' }, dest: { index: 'logs-1' } })).status).toBe(403);
});

test('names inside bodies are checked like names in paths', async () => {
  const bulk = await as(
    'ann',
    'POST /logs-1/_bulk',
    '{"index":{"_id":"1"}}\n{"a":1}\n{"index":{"_index":"public","_id":"1"}}\n{"a":1}\n{"index":{"_index":"secret","_id":"1"}}\n{"a":1}\n',
  );
  expect(bulk.json.items.map((item: { index: { status: number } }) => item.index.status)).toEqual([201, 403, 403]);
  const searches = await as('ann', 'POST /logs-1/_msearch', '{}\n{"size":0}\n{"index":"secret"}\n{"size":0}\n');
  expect(searches.json.responses.map(({ status }: { status: number }) => status)).toEqual([200, 403]);
  const lookup = { query: { terms: { a: { index: 'secret', id: '1', path: 'a' } } } };
  expect((await as('ann', 'POST /logs-1/_search', lookup)).json.error.type).toBe('security_exception');
  const read = await as('ann', 'POST /logs-1/_mget', { docs: [{ _index: 'secret', _id: '1' }, { _id: '1' }] });
  expect(read.json.docs[0].error).toMatchObject({
    type: 'security_exception',
    reason: expect.stringMatching(/^action \[indices:data\/read\/mget\[shard\]\] .* on indices \[secret\], .* \[read,all\]$/),
  });
  expect(read.json.docs[1]).toMatchObject({ found: true });
});
