// Aggregations on fields that an index lacks, and `missing` values that no document has. The answers are those of Elasticsearch 8.15.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  const properties = { n: { type: 'integer' }, d: { type: 'double' }, ip: { type: 'ip' }, k: { type: 'keyword' }, t: { type: 'text' } };
  await node.ok('PUT /few', { settings: { number_of_shards: 1 }, mappings: { properties } });
  const docs = [
    { n: 1, d: 0.5, ip: '10.0.1.1', k: 'beta', t: 'sea salt' },
    { n: 2, d: 2.5, ip: '10.0.1.9', k: 'alpha', t: 'sea' },
    { n: [2, 3], ip: '10.0.2.1', k: 'beta' },
    { t: 'salt' },
  ];
  await node.ok(
    'POST /few/_bulk?refresh=true',
    docs.flatMap((doc) => [{ index: {} }, doc]),
  );
});
afterAll(() => node.close());

const agg = async (definition: object, query?: object) =>
  (await node.ok('POST /few/_search?size=0', { aggs: { a: definition }, ...(query ? { query } : {}) })).aggregations.a;

test('formats the missing value of a field that does not exist', async () => {
  expect(await agg({ sum: { field: 'x', missing: 2, format: '0.0' } })).toEqual({ value: 8, value_as_string: '8.0' });
  const { buckets } = await agg({ histogram: { field: 'x', interval: 5, missing: 7, format: '0.0' } });
  expect(buckets).toEqual([{ key: 5, key_as_string: '5.0', doc_count: 4 }]);
  const dates = await agg({ date_histogram: { field: 'x', calendar_interval: 'month', missing: '2023-01', format: 'yyyy-MM' } });
  expect(dates.buckets).toEqual([{ key_as_string: '2023-01', key: 1672531200000, doc_count: 4 }]);
});

test('does not check what the values of a field that does not exist would have to be', async () => {
  expect((await agg({ terms: { field: 'x', include: 'a.*', format: 'y' } })).buckets).toEqual([]);
  expect((await agg({ significant_terms: { field: 'x', include: 'a.*' } })).buckets).toEqual([]);
  expect(await agg({ significant_text: { field: 'x' } })).toEqual({ buckets: [] });
  expect(await agg({ diversified_sampler: { field: 'x' } })).toEqual({ doc_count: 0 });
  expect(await agg({ weighted_avg: { value: { field: 'x' }, weight: { field: 'n' } } })).toEqual({ value: null });
});

test('ip_range counts the missing address in the ranges that contain it', async () => {
  const ranges = [{ mask: '10.0.1.0/24' }, { from: '10.0.2.0' }, { to: '10.0.1.0' }];
  const counts = async (field: string) =>
    (await agg({ ip_range: { field, missing: '10.0.0.1', ranges } })).buckets.map(({ key, doc_count }: any) => [key, doc_count]);
  expect(await counts('ip')).toEqual([
    ['*-10.0.1.0', 1],
    ['10.0.1.0/24', 2],
    ['10.0.2.0-*', 1],
  ]);
  expect(await counts('x')).toEqual([
    ['*-10.0.1.0', 4],
    ['10.0.1.0/24', 0],
    ['10.0.2.0-*', 0],
  ]);
});

test('terms orders the missing term among the others', async () => {
  const { buckets } = await agg({ terms: { field: 'k', missing: 'aaa' } });
  expect(buckets.map(({ key }: any) => key)).toEqual(['beta', 'aaa', 'alpha']);
});

test('lists of numbers are truncated for integers, and an empty one includes all', async () => {
  const keys = async (terms: object) => (await agg({ terms: { field: 'n', ...terms } })).buckets.map(({ key }: any) => key);
  expect(await keys({ exclude: [1.5] })).toEqual([2, 3]);
  expect(await keys({ include: [] })).toEqual([2, 1, 3]);
  expect((await agg({ terms: { field: 'k', include: [] } })).buckets).toEqual([]);
});

test('partitions doubles by their bits', async () => {
  const keys = async (partition: number) =>
    (await agg({ terms: { field: 'd', include: { partition, num_partitions: 2 } } })).buckets.map(({ key }: any) => key);
  const [first, second] = [await keys(0), await keys(1)];
  expect([...first, ...second].sort()).toEqual([0.5, 2.5]);
});

test('ip_prefix joins the addresses of a subnet that are in one segment', async () => {
  const { buckets } = await agg({ ip_prefix: { field: 'ip', prefix_length: 24 } });
  expect(buckets.map(({ key, doc_count }: any) => [key, doc_count])).toEqual([
    ['10.0.1.0', 2],
    ['10.0.2.0', 1],
  ]);
});

test('significant_text reads keywords', async () => {
  const answer = await agg({ significant_text: { field: 'k', min_doc_count: 1 } }, { term: { t: 'sea' } });
  expect(answer.buckets.map(({ key, doc_count, bg_count }: any) => [key, doc_count, bg_count])).toEqual([['alpha', 1, 1]]);
});

test('top_hits shows the best score of a bucket although its page is empty', async () => {
  const answer = await agg({ top_hits: { from: 20, size: 1 } });
  expect(answer.hits).toMatchObject({ max_score: 1, hits: [] });
});

test('formats of metrics: median_absolute_deviation has one, weighted_avg with value_type none, large doubles in their shortest digits', async () => {
  expect(await agg({ median_absolute_deviation: { field: 'n', format: '0.00' } })).toEqual({ value: 0.5, value_as_string: '0.50' });
  const weighted = { value: { field: 'd' }, weight: { field: 'd' }, format: '0.0' };
  expect(await agg({ weighted_avg: { ...weighted, value_type: 'double' } })).not.toHaveProperty('value_as_string');
  expect(await agg({ weighted_avg: weighted })).toHaveProperty('value_as_string');
  expect(await agg({ max: { field: 'd', missing: 7.0000000398600006e22, format: '0.0' } })).toMatchObject({
    value_as_string: '70000000398600006000000.0',
  });
});

test('date_histogram rounds extended bounds before it adds the offset', async () => {
  await node.ok('PUT /dated/_doc/1?refresh=true', { at: '2023-03-15' });
  const { aggregations } = await node.ok('POST /dated/_search?size=0', {
    aggs: {
      a: {
        date_histogram: {
          field: 'at',
          calendar_interval: 'month',
          offset: '+1d',
          format: 'yyyy-MM-dd',
          extended_bounds: { min: '2023-01-01', max: '2023-03-01' },
        },
      },
    },
  });
  expect(aggregations.a.buckets.map((bucket: any) => bucket.key_as_string)).toEqual(['2023-01-02', '2023-02-02', '2023-03-02']);
});

test('geo_distance reads a geohash as origin and shows a start of 0 as open in the key', async () => {
  await node.ok('PUT /places', { mappings: { properties: { g: { type: 'geo_point' } } } });
  await node.ok('PUT /places/_doc/1?refresh=true', { g: 'u33' });
  const { aggregations } = await node.ok('POST /places/_search?size=0', {
    aggs: { a: { geo_distance: { field: 'g', origin: 'u33', unit: 'km', ranges: [{ from: 0, to: 10 }] } } },
  });
  expect(aggregations.a.buckets).toEqual([{ key: '*-10.0', from: 0, to: 10, doc_count: 1 }]);
});
