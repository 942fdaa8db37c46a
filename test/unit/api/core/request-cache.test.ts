import { expect, test } from 'vitest';
import { RequestCache } from '../../../../src/api/core/request-cache.ts';
import { writeJson } from '../../../../src/common/json/json-write.ts';

test('a cached response has a new took and otherwise the same text', () => {
  const cache = new RequestCache();
  const answer = {
    took: 12,
    timed_out: false,
    hits: { total: { value: 1, relation: 'eq' }, hits: [{ _id: 'ä"' }] },
    aggregations: { a: { value: 1.5 } },
  };
  expect(cache.get('k', 0)).toBeNull();
  cache.put('k', answer);
  expect(writeJson(cache.get('k', 3))).toBe(writeJson({ ...answer, took: 3 }));
  expect(cache.get('other', 0)).toBeNull();
});

test('unused entries are evicted first, and responses that are too long are not cached', () => {
  const cache = new RequestCache();
  const answer = (length: number) => ({ took: 0, hits: { hits: ['x'.repeat(length)] } });
  cache.put('huge', answer(100_000));
  expect(cache.get('huge', 0)).toBeNull();
  for (let i = 0; i < 200; i++) {
    cache.put(`k${i}`, answer(60_000));
    cache.get('k0', 0);
  }
  expect(cache.get('k0', 0)).not.toBeNull();
  expect(cache.get('k1', 0)).toBeNull();
  expect(cache.get('k199', 0)).not.toBeNull();
});
