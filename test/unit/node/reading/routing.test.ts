import { expect, test } from 'vitest';
import { murmur3, shardOfRouting } from '../../../../src/node/reading/routing.ts';

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
  for (let id = 0; id < 3000; id++) counts[shardOfRouting(String(id), 3)]++;
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(120);
  expect(shardOfRouting('x', 1)).toBe(0);
});
