// ip_prefix, random_sampler, cumulative_cardinality: over several segments and shards.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  const properties = { ip: { type: 'ip' }, one: { type: 'ip' }, n: { type: 'long' }, user: { type: 'keyword' }, day: { type: 'date' } };
  await node.ok('PUT /ips', { settings: { number_of_shards: 2 }, mappings: { properties } });
  const docs = [
    { ip: '192.168.1.10', one: '192.168.1.10', n: 1, user: 'a', day: '2024-01-01' },
    { ip: ['192.168.1.12', '192.168.1.13', '10.0.0.1'], one: '192.168.1.12', n: 2, user: ['a', 'b'], day: '2024-01-02' },
    { ip: '192.168.128.10', one: '192.168.128.10', n: 3, user: 'b', day: '2024-01-02' },
    { ip: '2001:db8:a4f8:112a:6001:0:12:7f10', n: 4, user: 'c', day: '2024-01-04' },
    { ip: '2001:db8:a4f8:112c:6001:0:12:7f40', n: 5, user: 'a', day: '2024-01-04' },
    { n: 6, day: '2024-01-05' },
  ];
  // Two segments in each shard.
  for (const half of [docs.slice(0, 3), docs.slice(3)]) {
    await node.ok(
      'POST /ips/_bulk',
      half.flatMap((doc) => [{ index: {} }, doc]),
    );
    await node.ok('POST /ips/_refresh');
  }
});
afterAll(() => node.close());

const agg = async (aggs: object) => (await node.ok('POST /ips/_search?size=0', { aggs })).aggregations.a;
const refusal = async (aggs: object) => (await node.send('POST /ips/_search?filter_path=took', { aggs })).json.error.root_cause[0].reason;

test('ip_prefix counts a document once in each subnet', async () => {
  const { buckets } = await agg({ a: { ip_prefix: { field: 'ip', prefix_length: 24 }, aggs: { s: { sum: { field: 'n' } } } } });
  const bucket = (key: string, docCount: number, value: number) => ({
    key,
    netmask: '255.255.255.0',
    doc_count: docCount,
    is_ipv6: false,
    prefix_length: 24,
    s: { value },
  });
  expect(buckets).toEqual([
    bucket('0.18.127.0', 2, 9),
    bucket('10.0.0.0', 1, 2),
    bucket('192.168.1.0', 2, 3),
    bucket('192.168.128.0', 1, 3),
  ]);
});

test('ip_prefix supports single values, IPv6, keyed responses and a missing address', async () => {
  const { buckets } = await agg({ a: { ip_prefix: { field: 'one', prefix_length: 16, keyed: true, append_prefix_length: true } } });
  expect(buckets).toEqual({ '192.168.0.0/16': { netmask: '255.255.0.0', doc_count: 3, is_ipv6: false, prefix_length: 16 } });
  const six = await agg({ a: { ip_prefix: { field: 'ip', prefix_length: 64, is_ipv6: true } } });
  expect(six.buckets.map(({ key, doc_count }: any) => [key, doc_count])).toEqual([
    ['::', 3],
    ['2001:db8:a4f8:112a::', 1],
    ['2001:db8:a4f8:112c::', 1],
  ]);
  const missing = await agg({ a: { ip_prefix: { field: 'ip', prefix_length: 24, missing: '1.2.3.4', min_doc_count: 1 } } });
  expect(missing.buckets.map(({ key }: any) => key)).toEqual(['0.18.127.0', '1.2.3.0', '10.0.0.0', '192.168.1.0', '192.168.128.0']);
});

test('ip_prefix refuses lengths that addresses do not have', async () => {
  const length = (prefix_length: number | undefined, is_ipv6 = false) =>
    refusal({ a: { ip_prefix: { field: 'ip', prefix_length, is_ipv6 } } });
  expect(await length(33)).toBe('[prefix_length] must be in range [0, 32] while value is [33]');
  expect(await length(129, true)).toBe('[prefix_length] must be in range [0, 128] while value is [129]');
  expect(await length(undefined)).toBe('[prefix_length] must be in range [0, 32] while value is [-1]');
  expect(await refusal({ a: { ip_prefix: { field: 'n', prefix_length: 8 } } })).toMatch(/Field \[n\] of type \[long\] is not supported/);
});

test('random_sampler reads all documents', async () => {
  const aggs = { s: { sum: { field: 'n' } } };
  expect(await agg({ a: { random_sampler: { probability: 0.1, seed: 42, shard_seed: 3 }, aggs } })).toEqual({
    seed: 42,
    shard_seed: 3,
    probability: 0.1,
    doc_count: 6,
    s: { value: 21 },
  });
  expect(await refusal({ a: { random_sampler: { probability: 1 } } })).toBe('[random_sampler] aggregation [a] must have sub-aggregations');
  expect(await refusal({ a: { random_sampler: {}, aggs } })).toBe('[random_sampler] aggregation [a] must have [probability] set');
  expect(await refusal({ a: { random_sampler: { probability: 0.7 }, aggs } })).toMatch(/failed to parse field \[probability\]/);
});

test('cumulative_cardinality counts new values', async () => {
  const { buckets } = await agg({
    a: {
      date_histogram: { field: 'day', calendar_interval: 'day' },
      aggs: { u: { cardinality: { field: 'user' } }, c: { cumulative_cardinality: { buckets_path: 'u' } } },
    },
  });
  expect(buckets.map(({ c }: any) => c.value)).toEqual([1, 2, 2, 3, 3]);
  const wrong = await node.send('POST /ips/_search', {
    aggs: {
      a: {
        date_histogram: { field: 'day', calendar_interval: 'day' },
        aggs: { u: { sum: { field: 'n' } }, c: { cumulative_cardinality: { buckets_path: 'u' } } },
      },
    },
  });
  expect(wrong.text).toContain('buckets_path must reference a cardinality aggregation, got: [sum] at aggregation [u]');
});
