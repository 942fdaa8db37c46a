// Selection of shards: the pre-filter, which skips shards without matches, and `preference`; also reports of limits.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

type Body = Record<string, unknown>;

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  for (const year of [2016, 2017, 2018]) {
    await node.ok(`PUT /y${year}`, { mappings: { properties: { at: { type: 'date' } } } });
    await node.ok(`PUT /y${year}/_doc/1?refresh=true`, { at: `${year}-01-01` });
  }
  await node.ok('PUT /wide', { settings: { number_of_shards: 4 } });
  await node.ok('POST /wide/_bulk?refresh=true', Array.from({ length: 40 }, (_, n) => [{ index: { _id: String(n) } }, { n }]).flat());
});

afterAll(() => node.close());

const ask = (index: string, body: Body, parameters = '') => node.ok(`POST /${index}/_search?${parameters}`, body);
const between = (gte: string, lt: string): Body => ({ query: { range: { at: { gte, lt } } }, size: 0 });

test('skips shards by their dates if there are more than the limit, but always searches one', async () => {
  const skipped = async (body: Body, size?: number) =>
    (await ask('y*', body, size === undefined ? '' : `pre_filter_shard_size=${size}`))._shards.skipped;
  expect(await skipped(between('2016-06-01', '2018-06-01'), 1)).toBe(1);
  expect(await skipped(between('2019-06-01', '2020-06-01'), 1)).toBe(2);
  expect(await skipped(between('2016-06-01', '2018-06-01'))).toBe(0);
  expect(await skipped(between('2016-06-01', '2018-06-01'), 3)).toBe(0);
  expect(await skipped({ size: 0 }, 1)).toBe(0);
  expect(await skipped({ query: { bool: { filter: [between('2017-06-01', '2019-01-01')['query']] } } }, 1)).toBe(2);
  // A global aggregation needs every document, and so does a terms aggregation with empty buckets.
  expect(await skipped({ ...between('2019-06-01', '2020-06-01'), aggs: { all: { global: {} } } }, 1)).toBe(0);
});

test('aggregates _index, including indices without a match', async () => {
  const buckets = async (terms: Body) => {
    const answer = await ask('y*', { ...between('2016-06-01', '2018-06-01'), aggs: { by: { terms } } });
    return (answer['aggregations'] as { by: { buckets: Array<{ key: string; doc_count: number }> } }).by.buckets.map((b) => [
      b.key,
      b.doc_count,
    ]);
  };
  expect(await buckets({ field: '_index' })).toEqual([
    ['y2017', 1],
    ['y2018', 1],
  ]);
  expect(await buckets({ field: '_index', min_doc_count: 0 })).toEqual([
    ['y2017', 1],
    ['y2018', 1],
    ['y2016', 0],
  ]);
});

test('preference selects shards, and invalid values are rejected', async () => {
  const total = async (preference: string) =>
    (await ask('wide', { track_total_hits: true }, `preference=${encodeURIComponent(preference)}`)).hits.total.value;
  const each = await Promise.all([0, 1, 2, 3].map((shard) => total(`_shards:${shard}`)));
  expect(each.reduce((sum, count) => sum + count)).toBe(40);
  expect(each.every((count) => count < 40)).toBe(true);
  expect(await total('_shards:1,3|_local')).toBe(each[1] + each[3]);
  expect(await total('my session')).toBe(40);
  const refused = await node.send('GET /wide/_search?preference=_nowhere');
  expect([refused.status, refused.json.error.reason]).toEqual([400, 'no Preference for [_nowhere]']);
});

test('terminate_after reports whether it ended the search', async () => {
  expect(await ask('wide', { terminate_after: 1000 })).toMatchObject({ terminated_early: false });
  expect(await ask('wide', { terminate_after: 1 })).toMatchObject({ terminated_early: true });
  expect(await ask('wide', {})).not.toHaveProperty('terminated_early');
});

test('computes sums, averages and medians of unsigned integers modulo 2^64', async () => {
  await node.ok('PUT /big', { mappings: { properties: { n: { type: 'unsigned_long' } } } });
  const high = 2n ** 63n + 2n ** 62n;
  const documents = { a: [high, 1n], b: [high + 1n, high + 2n], c: [high + 10n, 5n, 6n, 7n] };
  for (const [id, values] of Object.entries(documents)) await node.ok(`PUT /big/_doc/${id}?refresh=true`, `{"n":[${values.join(',')}]}`);
  const sorted = async (mode: string) => {
    const { text } = await node.send('POST /big/_search?filter_path=hits.hits._id,hits.hits.sort', {
      sort: [{ n: { mode, order: 'asc' } }],
    });
    return [...text.matchAll(/"_id":"(\w)","sort":\[(\d+)\]/g)].map(([, id, value]) => [id, BigInt(value)]);
  };
  const modulo = (value: bigint) => BigInt.asUintN(64, value);
  expect(await sorted('sum')).toEqual([
    ['b', modulo(2n * high + 3n)],
    ['a', high + 1n],
    ['c', high + 28n],
  ]);
  expect(await sorted('median')).toEqual([
    ['c', 7n],
    ['b', (modulo(2n * high + 3n) + 1n) / 2n],
    ['a', (high + 2n) / 2n],
  ]);
  expect((await sorted('avg'))[2]).toEqual(['a', (high + 2n) / 2n]);
});
