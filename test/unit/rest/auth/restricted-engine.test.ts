// Operations that name indices in bodies, patterns, scripts and pipelines run with the caller's rights. Tested with a whole node, since names are
// resolved far below the routes.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { hashPassword } from '../../../../src/security/password-hash.ts';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

const USERS = {
  root: ['superuser'],
  writer: ['write-logs'],
  reader: ['read-logs', 'read-lookup'],
  editor: ['read-logs', 'write-logs', 'read-lookup'],
  manager: ['manage-logs'],
  other: ['read-lookup'],
  operator: ['cluster'],
};
const index = (names: string[], privileges: string[]) => ({ indices: [{ names, privileges }] });
const ROLES = {
  'write-logs': index(['logs-*'], ['write', 'auto_configure']),
  'read-logs': index(['logs-*'], ['read', 'view_index_metadata']),
  'read-lookup': index(['lookup'], ['read']),
  'manage-logs': index(['logs*'], ['manage', 'read', 'write']),
  cluster: { cluster: ['all'] },
};

let node: RestNode;
beforeAll(async () => {
  const hash = await hashPassword('pw');
  const users = Object.fromEntries(Object.entries(USERS).map(([name, roles]) => [name, { password_hash: hash, roles }]));
  node = await openRestNode({ 'security.users': users, 'security.roles': ROLES });
});
afterAll(() => node.close());

function as(user: keyof typeof USERS, line: string, body?: unknown): ReturnType<RestNode['send']> {
  return node.send(line, body, { authorization: `Basic ${Buffer.from(`${user}:pw`).toString('base64')}` });
}

const ids = async (name: string): Promise<string[]> =>
  (await as('root', `GET /${name}/_search?size=100`)).json.hits.hits.map((hit: { _id: string }) => hit._id).sort();
const names = async (): Promise<string[]> => Object.keys((await as('root', 'GET /_all')).json).sort();

beforeEach(async () => {
  await as('root', 'DELETE /_all');
  for (const name of ['logs-1', 'logs-2', 'secret', 'lookup']) {
    await as('root', `PUT /${name}`, { mappings: { properties: { k: { type: 'keyword' }, place: { type: 'geo_shape' } } } });
    await as('root', `PUT /${name}/_doc/${name}?refresh=true`, { k: ['logs-1', 'top'], text: 'hidden words', place: 'POINT (1 1)' });
  }
  await as('root', 'POST /_aliases', { actions: [{ add: { index: 'secret', alias: 'vault' } }] });
});

test('alias actions change only indices that the user manages, whatever the wildcard', async () => {
  for (const pattern of ['*', '_all', 'l*,s*']) {
    await as('manager', 'POST /_aliases', { actions: [{ add: { index: pattern, alias: 'logs-seen' } }] });
    expect(Object.keys((await as('root', 'GET /_alias/logs-seen')).json).sort(), pattern).toEqual(['logs-1', 'logs-2']);
  }
  await as('manager', 'POST /_aliases', { actions: [{ remove: { index: '*', alias: '*', must_exist: false } }] });
  expect(Object.keys((await as('root', 'GET /_alias/vault')).json)).toEqual(['secret']);
  expect((await as('root', 'GET /_alias/logs-seen')).status).toBe(404);
  expect((await as('manager', 'POST /_aliases', { actions: [{ remove_index: { index: 'secret' } }] })).status).toBe(403);
  expect((await as('manager', 'POST /_aliases', { actions: [{ remove_index: { indices: ['logs-1', 'secret'] } }] })).status).toBe(403);
  expect((await as('manager', 'POST /_aliases', { actions: [{ remove_index: { index: '*' } }] })).status).toBe(200);
  expect(await names()).toEqual(['lookup', 'secret']);
});

test('a write through an alias goes to its write index or is refused, never to another member', async () => {
  for (const alias of ['outlet', 'logs-outlet']) {
    const actions = [{ add: { index: 'logs-1', alias } }, { add: { index: 'secret', alias, is_write_index: true } }];
    await as('root', 'POST /_aliases', { actions });
  }
  // The user may write to logs-1, but not to the alias.
  expect((await as('writer', 'PUT /outlet/_doc/a?refresh=true', { text: 'x' })).json.error.type).toBe('security_exception');
  const { json } = await as('writer', 'POST /_bulk?refresh=true', '{"index":{"_index":"outlet","_id":"b"}}\n{"text":"x"}\n');
  expect(json.items[0].index.status).toBe(403);
  // A privilege on an alias holds for its indices.
  expect((await as('writer', 'PUT /logs-outlet/_doc/c?refresh=true', { text: 'x' })).json._index).toBe('secret');
  expect(await ids('logs-1')).toEqual(['logs-1']);
  expect(await ids('secret')).toEqual(['c', 'secret']);
});

test('an alias can only be given a name that the user manages', async () => {
  for (const [line, body] of [
    ['POST /_aliases', { actions: [{ add: { index: 'logs-1', alias: 'payroll' } }] }],
    ['PUT /logs-1/_alias/payroll', undefined],
    ['PUT /logs-1/_alias/logs-x', { alias: 'payroll' }],
    ['PUT /logs-3', { aliases: { payroll: {} } }],
  ] as const)
    expect((await as('manager', line, body)).json.error.type, line).toBe('security_exception');
  expect((await as('manager', 'PUT /logs-1/_alias/logs-x', { index: 'secret' })).status).toBe(403);
});

test('rollover and resize create only what the user manages', async () => {
  await as('root', 'PUT /logs-1/_alias/logs', undefined);
  expect((await as('manager', 'POST /logs/_rollover/secret-2', {})).json.error.type).toBe('security_exception');
  const aliases = { aliases: { payroll: {} } };
  expect((await as('manager', 'POST /logs/_rollover/logs-9', aliases)).json.error.type).toBe('security_exception');
  await as('root', 'PUT /logs-1/_settings', { 'index.blocks.write': true });
  expect((await as('manager', 'PUT /logs-1/_clone/secret-2', {})).json.error.type).toBe('security_exception');
  expect((await as('manager', 'PUT /logs-1/_clone/logs-9', aliases)).json.error.type).toBe('security_exception');
  expect(await names()).toEqual(['logs-1', 'logs-2', 'lookup', 'secret']);
});

test('reindex reads what the user reads and writes what the user writes', async () => {
  const copy = (source: unknown, dest: unknown = { index: 'logs-copy' }, rest: object = {}) =>
    as('editor', 'POST /_reindex?refresh=true', { source, dest, ...rest });
  expect((await copy({ index: '*' })).json).toMatchObject({ total: 3, created: 3 });
  expect(await ids('logs-copy')).toEqual(['logs-1', 'logs-2', 'lookup']);
  expect((await copy({ index: 'secret' })).status).toBe(403);
  expect((await copy({ index: 'vault' })).status).toBe(403);
  expect((await copy({ index: 'logs-1' }, { index: 'lookup' })).status).toBe(403);
  expect((await copy({ index: 'logs-1' }, { index: 'vault' })).status).toBe(403);
  const moved = await copy({ index: 'logs-1' }, undefined, { script: "ctx._index = 'secret'" });
  expect(moved.json.failures[0].cause.type).toBe('security_exception');
  expect(await ids('secret')).toEqual(['secret']);
});

test('documents named in queries are read with the rights of the caller', async () => {
  const queries = (name: string) => [
    { terms: { k: { index: name, id: name, path: 'k' } } },
    { geo_shape: { place: { indexed_shape: { index: name, id: name, path: 'place' } } } },
    { more_like_this: { fields: ['text'], like: [{ _index: name, _id: name }], min_term_freq: 1, min_doc_freq: 1 } },
    { bool: { filter: { constant_score: { filter: { terms: { k: { index: name, id: name, path: 'k' } } } } } } },
  ];
  const requests = (query: unknown) =>
    [
      ['POST /logs-1/_search', { query }],
      ['POST /logs-1/_count', { query }],
      ['POST /_reindex', { source: { index: 'logs-1', query }, dest: { index: 'logs-copy' } }],
      ['POST /logs-2/_update_by_query?conflicts=proceed', { query }],
      ['POST /logs-2/_delete_by_query?conflicts=proceed', { query }],
      ['POST /logs-1/_rank_eval', { requests: [{ id: 'r', request: { query }, ratings: [] }], metric: { precision: {} } }],
      ['POST /logs-1/_search', { size: 0, aggs: { a: { filter: query } } }],
      ['POST /logs-1/_search', { rescore: { window_size: 1, query: { rescore_query: query } } }],
    ] as const;
  for (const query of queries('secret')) {
    for (const [line, body] of requests(query)) {
      const { status, text } = await as('editor', line, body);
      expect([status, /security_exception.*on indices \[secret\]/.test(text)], `${line} ${JSON.stringify(body)} ${text}`).toEqual([
        line.includes('_rank_eval') ? 200 : 403,
        true,
      ]);
    }
  }
  for (const query of queries('lookup')) {
    for (const [line, body] of requests(query)) {
      const { status, text } = await as('editor', line, body);
      expect([status, text.includes('security_exception')], `${line} ${JSON.stringify(body)} ${text}`).toEqual([200, false]);
    }
  }
});

test('by-query operations need the right to read and to write on what they change', async () => {
  const all = { query: { match_all: {} } };
  expect((await as('reader', 'POST /logs-1/_delete_by_query', all)).status).toBe(403);
  expect((await as('writer', 'POST /logs-1/_delete_by_query', all)).status).toBe(403);
  expect((await as('writer', 'POST /logs-1/_update_by_query', all)).status).toBe(403);
  expect((await as('editor', 'POST /*/_update_by_query?refresh=true', all)).json).toMatchObject({ updated: 2 });
  expect((await as('editor', 'POST /*/_delete_by_query?refresh=true', all)).json).toMatchObject({ deleted: 2 });
  expect([await ids('secret'), await ids('lookup')]).toEqual([['secret'], ['lookup']]);
});

test('a task keeps the rights of its caller', async () => {
  const body = { source: { index: '*' }, dest: { index: 'logs-copy' } };
  const { task } = (await as('editor', 'POST /_reindex?wait_for_completion=false&refresh=true', body)).json;
  await as('root', `GET /_tasks/${task}?wait_for_completion=true`);
  expect(await ids('logs-copy')).toEqual(['logs-1', 'logs-2', 'lookup']);
});

test('pipelines send documents only where the user writes', async () => {
  await as('root', 'PUT /_ingest/pipeline/away', { processors: [{ set: { field: '_index', value: 'secret' } }] });
  const all = { query: { match_all: {} } };
  const updated = await as('editor', 'POST /logs-1/_update_by_query?pipeline=away', all);
  expect(updated.json.failures[0].cause.type).toBe('security_exception');
  const copied = await as('editor', 'POST /_reindex', { source: { index: 'logs-1' }, dest: { index: 'logs-2', pipeline: 'away' } });
  expect(copied.json.failures[0].cause.type).toBe('security_exception');
  expect(await ids('secret')).toEqual(['secret']);
});

test('scrolls and points in time of indices that the user cannot read do not exist', async () => {
  const scroll = (await as('root', 'POST /secret/_search?scroll=1m&size=1')).json._scroll_id;
  const pit = (await as('root', 'POST /secret/_pit?keep_alive=1m')).json.id;
  expect((await as('reader', 'POST /_search/scroll', { scroll: '1m', scroll_id: scroll })).status).toBe(404);
  expect((await as('reader', 'POST /_search', { pit: { id: pit, keep_alive: '1m' } })).status).toBe(404);
  expect((await as('reader', 'DELETE /_search/scroll', { scroll_id: scroll })).json.num_freed).toBe(0);
  expect((await as('reader', 'DELETE /_pit', { id: pit })).status).toBe(404);
  expect((await as('root', 'POST /_search', { pit: { id: pit, keep_alive: '1m' } })).json.hits.total.value).toBe(1);
  expect((await as('root', 'POST /_search/scroll', { scroll: '1m', scroll_id: scroll })).status).toBe(200);
  const own = (await as('reader', 'POST /logs-*/_pit?keep_alive=1m')).json.id;
  expect((await as('reader', 'POST /_search', { pit: { id: own, keep_alive: '2m' } })).json.hits.total.value).toBe(2);
  expect((await as('other', 'POST /_search', { pit: { id: own } })).status).toBe(404);
});

test('rights on the cluster do not include rights on documents', async () => {
  for (const [line, body] of [
    ['POST /_reindex', { source: { index: 'secret' }, dest: { index: 'x' } }],
    ['POST /_aliases', { actions: [{ remove_index: { index: '*' } }] }],
    ['POST /_search', {}],
    ['POST /*/_delete_by_query', { query: { match_all: {} } }],
  ] as const)
    expect((await as('operator', line, body)).status, line).toBe(403);
});
