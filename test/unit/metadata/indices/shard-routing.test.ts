import { expect, test } from 'vitest';
import { checkShardRouting, murmur3, ShardRouting } from '../../../../src/metadata/indices/shard-routing.ts';

const routing = (shards: number, others: Record<string, string> = {}) =>
  new ShardRouting({ 'index.number_of_shards': String(shards), ...others });

// Values of Elasticsearch's Murmur3HashFunction.
test('murmur3 over UTF-16 units, little-endian, seed 0', () => {
  expect(murmur3('hell')).toBe(0x5a0cb7c3 | 0);
  expect(murmur3('hello')).toBe(0xd7c31989 | 0);
  expect(murmur3('hello w')).toBe(0x22ab2984 | 0);
  expect(murmur3('hello wo')).toBe(0xdf0ca123 | 0);
  expect(murmur3('hello wor')).toBe(0xe7744d61 | 0);
  expect(murmur3('The quick brown fox jumps over the lazy dog')).toBe(0xe07db09c | 0);
});

test('documents are distributed evenly, and a single shard receives all', () => {
  const counts = [0, 0, 0];
  for (let id = 0; id < 3000; id++) counts[routing(3).shardOf(String(id), null)]++;
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(120);
  expect(routing(1).shardOf('x', null)).toBe(0);
});

// Shards as an OpenSearch 3.8 gives them in `_search_shards`.
test('the number of routing shards decides where documents are', () => {
  const values = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
  const five = routing(5, { 'index.number_of_routing_shards': '5' });
  expect(values.map((value) => five.shardOf(value, null))).toEqual([3, 2, 4, 2, 1, 2, 3, 1, 1]);
  const parts = routing(4, { 'index.routing_partition_size': '2' });
  expect(values.slice(0, 6).map((value) => parts.shardsOf(value))).toEqual([[0], [0], [0], [3], [1], [0]]);
});

test('a partitioned index spreads a routing value over neighbouring slots', () => {
  const parts = routing(4, { 'index.number_of_routing_shards': '4', 'index.routing_partition_size': '3' });
  const shards = parts.shardsOf('tenant');
  expect(shards).toHaveLength(3);
  const used = new Set<number>();
  for (let id = 0; id < 200; id++) used.add(parts.shardOf(String(id), 'tenant'));
  expect([...used].sort()).toEqual([...shards].sort());
});

test('settings that do not fit together are refused', () => {
  const check = (settings: Record<string, string>) => () => checkShardRouting('x', settings);
  expect(check({ 'index.number_of_shards': '5', 'index.number_of_routing_shards': '7' })).toThrow('must be a factor of [7]');
  expect(check({ 'index.number_of_shards': '5', 'index.number_of_routing_shards': '2' })).toThrow('must be >= index.number_of_shards [5]');
  expect(check({ 'index.number_of_shards': '2', 'index.routing_partition_size': '3000' })).toThrow(
    'less than the number of shards [1024] for [x]',
  );
});
