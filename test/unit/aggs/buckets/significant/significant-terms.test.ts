/** significant_terms on numbers, dates and booleans, and backgrounds other than the whole index, over several segments. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  const properties = {
    port: { type: 'integer' },
    price: { type: 'double' },
    flag: { type: 'boolean' },
    day: { type: 'date' },
    tag: { type: 'keyword' },
    text: { type: 'text' },
  };
  await node.ok('PUT /crimes', { mappings: { properties } });
  // Documents of the tag `a` have port 1, and half of all documents have the flag.
  const lines = Array.from({ length: 24 }, (_, i) => {
    const isA = i % 4 === 0;
    const source = {
      port: isA ? [1, 10 + i] : [2, 10 + i],
      price: 1.5,
      flag: i % 2 === 0,
      day: isA ? '2024-01-01' : '2024-02-01',
      tag: isA ? 'a' : 'b',
      text: isA ? 'bicycle theft' : 'theft',
    };
    return [{ index: {} }, source];
  }).flat();
  await node.ok('POST /crimes/_bulk?refresh=true', lines.slice(0, 20));
  await node.ok('POST /crimes/_bulk?refresh=true', lines.slice(20));
});
afterAll(() => node.close());

async function significant(params: object, type = 'significant_terms') {
  const body = { query: { term: { tag: 'a' } }, aggs: { s: { [type]: { min_doc_count: 2, ...params } } } };
  return (await node.ok('POST /crimes/_search?size=0', body)).aggregations.s;
}

const FLAGGED = { background_filter: { term: { flag: true } } };

test('numbers, dates and booleans have keys of their type', async () => {
  expect(await significant({ field: 'port' })).toEqual({
    doc_count: 6,
    bg_count: 24,
    buckets: [{ key: 1, doc_count: 6, score: 3, bg_count: 6 }],
  });
  expect((await significant({ field: 'day' })).buckets).toMatchObject([{ key: 1704067200000, key_as_string: '2024-01-01T00:00:00.000Z' }]);
  expect((await significant({ field: 'flag' })).buckets).toMatchObject([{ key: 1, key_as_string: true, bg_count: 12 }]);
});

test('a filter chooses the background, for values, terms and words', async () => {
  const counts = ({ bg_count, buckets }: any) => [bg_count, ...buckets.map((bucket: any) => [bucket.key, bucket.bg_count])];
  expect(counts(await significant({ field: 'port', ...FLAGGED }))).toEqual([12, [1, 6]]);
  expect(counts(await significant({ field: 'tag', ...FLAGGED }))).toEqual([12, ['a', 6]]);
  expect(counts(await significant({ field: 'text', ...FLAGGED }, 'significant_text'))).toEqual([12, ['bicycle', 6]]);
});

test('heuristics that need a superset refuse a background without the documents', async () => {
  const body = { s: { significant_terms: { field: 'tag', background_filter: { term: { tag: 'b' } }, chi_square: {} } } };
  const { status, json } = await node.send('POST /crimes/_search', { query: { term: { tag: 'a' } }, aggs: body });
  expect([status, json.error.caused_by.reason]).toEqual([400, expect.stringContaining('subsetFreq > supersetFreq, does your background')]);
});

test('fractions are refused, and values can be included', async () => {
  const { status, json } = await node.send('POST /crimes/_search', { aggs: { s: { significant_terms: { field: 'price' } } } });
  expect([status, json.error.root_cause[0].reason]).toEqual([500, 'No support for examining floating point numerics']);
  expect((await significant({ field: 'port', include: [2] })).buckets).toEqual([]);
});
