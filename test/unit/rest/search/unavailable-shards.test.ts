// Searches with a damaged shard: the others answer, and `_shards` names what is missing.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

const MISSING = { shard: 1, index: 'two', node: null, reason: { type: 'no_shard_available_action_exception', reason: null } };
const PARTIAL = { total: 2, successful: 1, skipped: 0, failed: 1, failures: [MISSING] };
const REJECTED = {
  status: 503,
  json: {
    error: {
      type: 'search_phase_execution_exception',
      reason: '',
      root_cause: [],
      caused_by: {
        reason:
          'Search rejected due to missing shards [[two][1]]. Consider using `allow_partial_search_results` setting to bypass this error.',
      },
    },
  },
};

let node: RestNode;
/** Documents of the first shard of index `two`. */
let inFirst = 0;

beforeAll(async () => {
  node = await openRestNode();
  for (const [index, shards] of [
    ['two', 2],
    ['whole', 1],
  ] as const) {
    await node.ok(`PUT /${index}`, { settings: { number_of_shards: shards } });
    await node.ok(
      `POST /${index}/_bulk?refresh=true`,
      Array.from({ length: 20 }, (_, n) => [{ index: { _id: String(n) } }, { n, tag: 'x' }]).flat(),
    );
  }
  await node.ok('PUT /lost', { settings: { number_of_shards: 1 } });
  await node.ok('PUT /lost/_doc/1?refresh=true', { n: 1 });
  inFirst = (await node.ok('GET /two/_search?preference=_shards:0&size=0')).hits.total.value;
  await node.ok('POST /_flush');
  for (const [index, shard] of [
    ['two', 1],
    ['lost', 0],
  ] as const) {
    const { uuid } = (await node.ok(`GET /${index}/_settings`))[index].settings.index;
    const folder = path.join(node.folder, 'indices', uuid, String(shard));
    for (const file of readdirSync(folder).map((name) => path.join(folder, name))) {
      const bytes = readFileSync(file);
      bytes[bytes.length >> 1] ^= 255;
      writeFileSync(file, bytes);
    }
  }
  await node.restart();
});
afterAll(() => node.close());

test('the other shards respond, with the failure of the missing one', async () => {
  const { status, json } = await node.send('GET /two/_search', {
    query: { match: { tag: 'x' } },
    aggs: { n: { value_count: { field: 'n' } } },
  });
  expect(status).toBe(200);
  expect(json._shards).toEqual(PARTIAL);
  expect([json.hits.total.value, json.aggregations.n.value]).toEqual([inFirst, inFirst]);
  const both = await node.ok('GET /two,whole/_search?size=0');
  expect([both.hits.total.value, both._shards.total, both._shards.failed]).toEqual([20 + inFirst, 3, 1]);
  expect(await node.ok('GET /two/_count')).toEqual({ count: inFirst, _shards: PARTIAL });
});

test('a partial response is neither read from nor written to the cache of another search', async () => {
  const body = { size: 0, aggs: { n: { value_count: { field: 'n' } } } };
  for (let i = 0; i < 3; i++) {
    expect((await node.ok('GET /whole/_search', body)).hits.total.value).toBe(20);
    expect((await node.ok('GET /whole,lost/_search', body))._shards.failed).toBe(1);
  }
});

test('an index without any available shard fails, unless another one responds', async () => {
  const { status, json } = await node.send('GET /lost/_search');
  expect(status).toBe(503);
  expect(json.error).toMatchObject({ type: 'search_phase_execution_exception', reason: 'all shards failed', phase: 'query' });
  expect(json.error.failed_shards).toEqual([{ ...MISSING, shard: 0, index: 'lost' }]);
  expect((await node.send('GET /lost/_count')).status).toBe(503);
  expect((await node.ok('GET /lost,whole/_search')).hits.total.value).toBe(20);
});

test('a request that does not accept partial results is rejected', async () => {
  expect(await node.send('GET /two/_search?allow_partial_search_results=false')).toMatchObject(REJECTED);
  await node.ok('PUT /_cluster/settings', { transient: { 'search.default_allow_partial_results': false } });
  expect(await node.send('GET /two/_search')).toMatchObject(REJECTED);
  expect((await node.send('GET /two/_search?allow_partial_search_results=true')).status).toBe(200);
  await node.ok('PUT /_cluster/settings', { transient: { 'search.default_allow_partial_results': null } });
  const lines = [{ index: 'two', allow_partial_search_results: false }, {}, { index: 'two' }, {}];
  const { responses } = await node.ok('POST /_msearch', lines);
  expect(responses.map(({ status }: { status: number }) => status)).toEqual([503, 200]);
});

test('a failure of a shard rejects such a request, too', async () => {
  const body = { query: { script: { script: 'doc["missing"].value == 1' } } };
  const { status, json } = await node.send('GET /whole,two/_search?allow_partial_search_results=false', body);
  expect(status).toBe(503);
  expect(json.error.type).toBe('search_phase_execution_exception');
});

test('scrolls go on over what is available; points in time must be allowed to', async () => {
  const first = await node.ok('GET /two/_search?scroll=1m&size=2');
  expect(first._shards).toEqual(PARTIAL);
  expect((await node.ok('POST /_search/scroll', { scroll_id: first._scroll_id })).hits.hits).toHaveLength(2);
  expect((await node.send('POST /two/_pit?keep_alive=1m')).status).toBe(503);
  const { id, _shards } = await node.ok('POST /two/_pit?keep_alive=1m&allow_partial_pit_creation=true');
  expect(_shards).toEqual(PARTIAL);
  expect((await node.ok('GET /_search', { pit: { id } })).hits.total.value).toBe(inFirst);
});

test('requests that change what a query finds do not leave documents out', async () => {
  for (const line of ['POST /two/_delete_by_query', 'POST /two/_update_by_query'])
    expect(await node.send(line, { query: { match_all: {} } })).toMatchObject({ status: 503 });
  expect(await node.send('POST /_reindex', { source: { index: 'two' }, dest: { index: 'copy' } })).toMatchObject({ status: 503 });
  expect((await node.ok('GET /two/_count')).count).toBe(inFirst);
});
