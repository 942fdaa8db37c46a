// significant_text: words counted from sources, without repeated passages.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DuplicateSpotter } from '../../../../../src/aggs/buckets/significant/duplicate-spotter.ts';
import { openRestNode, type RestNode } from '../../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  const properties = { text: { type: 'text' }, title: { type: 'text' }, kind: { type: 'keyword' }, n: { type: 'long' } };
  await node.ok('PUT /news', { mappings: { properties } });
  const rest = 'and so it goes on and on for ever';
  const kinds = { sea: 'storm', land: 'harvest' };
  for (let i = 0; i < 10; i++) {
    const kind = i % 2 ? 'sea' : 'land';
    const text = i < 8 ? `report${i} of the ${kinds[kind]} ${i} ${rest}` : `report${i} of nothing`;
    await node.ok(`PUT /news/_doc/${i}${i === 4 ? '?refresh=true' : ''}`, { text, title: `title ${kinds[kind]}`, kind });
  }
  await node.ok('POST /news/_refresh');
});

afterAll(() => node.close());

type Bucket = { key: string; doc_count: number; bg_count: number; score: number };
const words = (agg: { buckets: Bucket[] }) => agg.buckets.map(({ key, doc_count, bg_count }) => [key, doc_count, bg_count]);

test('compares words of the foreground with the index, also within buckets', async () => {
  const significant = { significant_text: { field: 'text' } };
  const { aggregations } = await node.ok('POST /news/_search', { query: { term: { kind: 'sea' } }, size: 0, aggs: { words: significant } });
  expect(aggregations.words).toMatchObject({ doc_count: 5, bg_count: 10 });
  expect(words(aggregations.words)).toEqual([['storm', 4, 4]]);
  expect(aggregations.words.buckets[0].score).toBeCloseTo((4 / 5 - 4 / 10) * (4 / 5 / (4 / 10)), 6);
  const both = await node.ok('POST /news/_search', {
    size: 0,
    aggs: { kinds: { terms: { field: 'kind' }, aggs: { words: significant } } },
  });
  expect(
    both.aggregations.kinds.buckets.map((bucket: { key: string; words: { buckets: Bucket[] } }) => [bucket.key, words(bucket.words)]),
  ).toEqual([
    ['land', [['harvest', 4, 4]]],
    ['sea', [['storm', 4, 4]]],
  ]);
});

test('supports source_fields, include, exclude and min_doc_count', async () => {
  const of = async (body: object) => {
    const aggs = { words: { significant_text: { field: 'text', ...body } } };
    const { aggregations } = await node.ok('POST /news/_search', { query: { term: { kind: 'sea' } }, size: 0, aggs });
    return words(aggregations.words).map(([key]) => key);
  };
  // A word that occurs nowhere in the field counts as if one document had it.
  expect(await of({ source_fields: ['title'] })).toEqual(['title', 'storm']);
  expect(await of({ exclude: ['storm'] })).toEqual([]);
  expect(await of({ min_doc_count: 1, include: 'report[13]' })).toEqual(['report1', 'report3']);
});

test('passages of six words that occurred before do not count', async () => {
  const spotter = new DuplicateSpotter();
  const first = 'a b c d e f g'.split(' ');
  expect(spotter.filter(first)).toEqual(first);
  expect(spotter.filter('x a b c d e f y'.split(' '))).toEqual(['x', 'y']);
  expect(spotter.filter('a b c d e z'.split(' '))).toEqual('a b c d e z'.split(' '));
  const aggs = { words: { significant_text: { field: 'text', filter_duplicate_text: true, min_doc_count: 1 } } };
  const { aggregations } = await node.ok('POST /news/_search', { query: { term: { kind: 'sea' } }, size: 0, aggs });
  const found = new Map(words(aggregations.words).map(([key, count]) => [key, count]));
  expect(found.get('storm')).toBe(4);
  expect(found.has('goes')).toBe(false);
});

test('fields without an analyzer and sub-aggregations are refused', async () => {
  const number = await node.send('POST /news/_search', { aggs: { words: { significant_text: { field: 'n' } } } });
  expect([number.status, number.text.includes('Field [n] has no analyzer, but SignificantText requires an analyzed field')]).toEqual([
    400,
    true,
  ]);
  const below = await node.send('POST /news/_search', {
    aggs: { words: { significant_text: { field: 'text' }, aggs: { a: { max: { field: 'n' } } } } },
  });
  expect([below.status, below.text.includes('cannot accept sub-aggregations')]).toEqual([400, true]);
});
