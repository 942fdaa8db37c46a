// By-query operations, reindex, rollover and resize through the REST API of an engine in this process.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
});
afterAll(() => node.close());

const send = (line: string, body?: unknown) => node.send(line, body);

beforeEach(async () => {
  await send('DELETE /*');
  await send('PUT /src', {
    settings: { number_of_shards: 2, number_of_replicas: 0, refresh_interval: -1 },
    mappings: { properties: { n: { type: 'integer' }, k: { type: 'keyword' } } },
  });
  const lines = Array.from({ length: 20 }, (_, n) => `{"index":{"_id":"${n}"}}\n{"n":${n},"k":"${n % 2 ? 'odd' : 'even'}"}\n`);
  await send('POST /src/_bulk?refresh=true', lines.join(''));
});

const count = async (index: string, body?: unknown): Promise<number> => (await send(`POST /${index}/_count`, body)).json.count;

test('requests_per_second delays batches, and the response contains the delay', async () => {
  const { json } = await send('POST /src/_update_by_query?scroll_size=10&requests_per_second=20');
  expect(json).toMatchObject({ updated: 20, batches: 2, requests_per_second: 20 });
  // Ten documents at 20 per second take half a second, in waiting or in work. `took` alone would not distinguish waiting from a slow machine.
  expect(json.took).toBeGreaterThanOrEqual(490);
  const free = await send('POST /src/_delete_by_query?requests_per_second=-1', { query: { term: { k: 'odd' } }, max_docs: 1 });
  expect(free.json).toMatchObject({ requests_per_second: -1, throttled_millis: 0 });
});

test('the time spent waiting for requests_per_second is reported as throttled', async () => {
  // The second batch is due in 1000 seconds, however slow the machine is.
  const started = await send('POST /src/_update_by_query?scroll_size=10&requests_per_second=0.01&wait_for_completion=false');
  const task = `/_tasks/${started.json.task}`;
  const seen = async () => expect((await send(`GET ${task}`)).json.task.status).toMatchObject({ batches: 1, updated: 10 });
  await vi.waitFor(seen, { timeout: 30_000 });
  await send(`POST ${task}/_cancel`);
  const { json } = await send(`GET ${task}?wait_for_completion=true&timeout=30s`);
  expect(json).toMatchObject({ completed: true, response: { updated: 10, batches: 1, canceled: expect.any(String) } });
  expect(json.response.throttled_millis).toBeGreaterThan(0);
});

test('delete by query works in batches and stops at max_docs', async () => {
  const some = await send('POST /src/_delete_by_query?refresh=true&scroll_size=3', { query: { term: { k: 'odd' } } });
  expect(some.json).toMatchObject({ total: 10, deleted: 10, batches: 4, version_conflicts: 0, failures: [] });
  expect(await count('src')).toBe(10);
  expect((await send('POST /src/_delete_by_query?refresh=true', { query: { match_all: {} }, max_docs: 4 })).json).toMatchObject({
    total: 4,
    deleted: 4,
  });
  expect((await send('POST /src/_delete_by_query', {})).json.error.reason).toContain('query is missing');
});

test('delete by query reports conflicts', async () => {
  // A write without a refresh: the query finds the old version, which is no longer the newest. (Nothing is deleted, since a merge refreshes, too.)
  const left = (await send('GET /src/_search?size=1')).json.hits.hits[0]._id;
  await send(`PUT /src/_doc/${left}`, { n: 99 });
  const aborted = await send('POST /src/_delete_by_query', { query: { ids: { values: [left] } } });
  expect([aborted.status, aborted.json.version_conflicts, aborted.json.failures.length]).toEqual([409, 1, 1]);
  const proceeded = await send('POST /src/_delete_by_query?conflicts=proceed', { query: { ids: { values: [left] } } });
  expect([proceeded.status, proceeded.json.version_conflicts, proceeded.json.deleted]).toEqual([200, 1, 0]);
});

test('update by query runs with and without a script', async () => {
  expect((await send('POST /src/_update_by_query?refresh=true')).json).toMatchObject({ total: 20, updated: 20 });
  const script =
    "if (ctx._source.n < 5) { ctx.op = 'delete' } else if (ctx._source.n < 10) { ctx.op = 'noop' } else { ctx._source.n += params.by }";
  const changed = await send('POST /src/_update_by_query?refresh=true', { script: { source: script, params: { by: 1000 } } });
  expect(changed.json).toMatchObject({ total: 20, updated: 10, deleted: 5, noops: 5 });
  expect(await count('src', { query: { range: { n: { gte: 1010 } } } })).toBe(10);
  expect((await send('POST /src/_update_by_query', { script: 'ctx.(' })).json.error.type).toBe('script_exception');
});

test('reindex supports queries, source filters, create and external versions', async () => {
  const copied = await send('POST /_reindex?refresh=true', {
    source: { index: 'src', query: { term: { k: 'even' } }, _source: ['n'] },
    dest: { index: 'dst' },
  });
  expect(copied.json).toMatchObject({ total: 10, created: 10, updated: 0 });
  expect((await send('GET /dst/_doc/4')).json._source).toEqual({ n: 4 });
  const again = await send('POST /_reindex', { source: { index: 'src' }, dest: { index: 'dst', op_type: 'create' }, conflicts: 'proceed' });
  expect(again.json).toMatchObject({ created: 10, version_conflicts: 10 });
  for (const [body, reason] of [
    [{ source: { index: 'src' }, dest: { index: 'src' } }, 'reindex cannot write into an index its reading from'],
    [{ source: { index: 'src' }, dest: {} }, 'index must be specified'],
    [{ source: { index: 'src', remote: { host: 'http://h:1' } }, dest: { index: 'd' } }, '[h:1] not allowlisted'],
  ] as const)
    expect((await send('POST /_reindex', body)).json.error.reason).toContain(reason);
});

test('clone, shrink and split keep documents, versions and settings', async () => {
  await send('PUT /src/_doc/3', { n: 3, k: 'again' });
  expect((await send('POST /src/_clone/c')).json.error.type).toBe('illegal_state_exception');
  await send('PUT /src/_settings', { 'index.blocks.write': true });
  for (const [line, body, shards] of [
    ['POST /src/_clone/c', {}, '2'],
    ['POST /src/_shrink/s', {}, '1'],
    ['PUT /src/_split/p', { settings: { 'index.number_of_shards': 6 } }, '6'],
  ] as const) {
    const target = line.slice(-1);
    expect((await send(line, body)).json).toMatchObject({ acknowledged: true, index: target });
    expect(await count(target)).toBe(20);
    expect((await send(`GET /${target}/_doc/3`)).json).toMatchObject({ _version: 2, _source: { k: 'again' } });
    const { settings, mappings } = (await send(`GET /${target}`)).json[target];
    expect(settings.index).toMatchObject({ number_of_shards: shards, blocks: { write: 'true' } });
    expect(mappings.properties.k).toEqual({ type: 'keyword' });
  }
  expect((await send('PUT /src/_split/q', { settings: { 'index.number_of_shards': 5 } })).json.error.reason).toContain(
    'must be a factor of [5]',
  );
});

test('rollover increments the number in the name and moves the alias', async () => {
  await send('PUT /logs-000009', { aliases: { logs: { is_write_index: true } } });
  expect((await send('POST /logs/_rollover', { conditions: { max_docs: 1, max_age: '7d' } })).json).toMatchObject({
    rolled_over: false,
    conditions: { '[max_docs: 1]': false, '[max_age: 7d]': false },
  });
  await send('PUT /logs/_doc/1?refresh=true', { a: 1 });
  expect((await send('POST /logs/_rollover', { conditions: { max_docs: 1 } })).json).toMatchObject({
    rolled_over: true,
    new_index: 'logs-000010',
  });
  expect((await send('PUT /logs/_doc/2', { a: 1 })).json._index).toBe('logs-000010');
  expect((await send('POST /src/_rollover')).status).toBe(400);
});

test('reindex: a script may change the destination of documents', async () => {
  const script = {
    source: `
      if (ctx._source.n == 0) { ctx.op = 'delete' }
      else if (ctx._source.n == 1) { ctx.op = 'noop' }
      else if (ctx._source.n < 5) { ctx._index = 'other'; ctx._routing = 'r' }
      else if (ctx._source.n < 7) { ctx._id = null }
      else { ctx._id = 'p' + ctx._id }`,
  };
  const { json } = await send('POST /_reindex?refresh=true', { source: { index: 'src' }, dest: { index: 'dst' }, script });
  expect(json).toMatchObject({ total: 20, created: 18, noops: 2, failures: [] });
  const moved = (await send('POST /other/_search', { sort: ['n'] })).json.hits.hits;
  expect(moved.map(({ _id, _routing }: any) => [_id, _routing])).toEqual([
    ['2', 'r'],
    ['3', 'r'],
    ['4', 'r'],
  ]);
  const ids = (await send('POST /dst/_search', { size: 20, sort: ['n'] })).json.hits.hits.map(({ _id }: any) => _id);
  expect(ids.slice(2)).toEqual(Array.from({ length: 13 }, (_, i) => `p${i + 7}`));
  expect(new Set(ids.slice(0, 2)).size).toBe(2);
  expect(ids[0].length).toBeGreaterThan(10);
});

test('reindex: versions that a script sets', async () => {
  const run = (version_type: string | undefined, source: string) =>
    send('POST /_reindex?refresh=true', { source: { index: 'src' }, dest: { index: 'dst', version_type }, script: { source } });
  expect((await run('external', 'ctx._version = 7')).json.created).toBe(20);
  expect((await send('GET /dst/_doc/3')).json._version).toBe(7);
  expect((await run('external', 'ctx._version = 6')).status).toBe(409);
  expect((await run('external', 'ctx._version = null')).json.updated).toBe(20);
  expect((await send('GET /dst/_doc/3')).json._version).toBe(8);
  expect((await run(undefined, 'ctx._version = 6')).status).toBe(400);
  expect((await run(undefined, 'ctx._index = null')).status).toBe(400);
  expect((await send('POST /src/_update_by_query', { script: { source: "ctx._id = 'x'" } })).status).toBe(400);
});
