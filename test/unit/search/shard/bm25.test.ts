// Similarities of an index: BM25 with custom parameters, the legacy factor, boolean. Scores are compared with the formula.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

const TEXTS = ['fox', 'fox fox dog', 'a dog and a fox met another dog and another fox', 'nothing here'];

beforeAll(async () => {
  // OpenSearch has both forms of BM25, with and without the factor.
  node = await openRestNode({ 'compat.flavor': 'opensearch' });
});

afterAll(() => node.close());

async function scores(index: string, similarity: object, field: object = { similarity: 'mine' }): Promise<Map<string, number>> {
  const settings = { 'index.similarity': similarity };
  await node.ok(`PUT /${index}`, { settings, mappings: { properties: { body: { type: 'text', ...field } } } });
  for (const [i, body] of TEXTS.entries()) await node.ok(`PUT /${index}/_doc/${i}?refresh=true`, { body });
  await node.ok(`POST /${index}/_forcemerge?max_num_segments=1`);
  const { hits } = await node.ok(`POST /${index}/_search`, { query: { match: { body: 'fox' } } });
  return new Map(hits.hits.map((hit: { _id: string; _score: number }) => [hit._id, hit._score]));
}

/** BM25 in doubles. */
function expected(text: string, k1: number, b: number): number {
  const lengths = TEXTS.map((one) => one.split(' ').length);
  const average = lengths.reduce((sum, length) => sum + length) / TEXTS.length;
  const words = text.split(' ');
  const freq = words.filter((word) => word === 'fox').length;
  const idf = Math.log(1 + (TEXTS.length - 3 + 0.5) / (3 + 0.5));
  return (idf * freq) / (freq + k1 * (1 - b + (b * words.length) / average));
}

test.each([
  [0.4, 0.75],
  [1.2, 0],
  [2.5, 1],
  [0, 0.5],
])('k1 %d, b %d', async (k1, b) => {
  const found = await scores(`bm25-${k1}-${b}`, { mine: { type: 'BM25', k1, b } });
  expect([...found.keys()].sort()).toEqual(['0', '1', '2']);
  for (const [id, score] of found) expect(score).toBeCloseTo(expected(TEXTS[Number(id)], k1, b), 5);
});

test('LegacyBM25 has a factor of k1 + 1, and fields without a similarity use the default', async () => {
  const legacy = await scores('legacy', { mine: { type: 'LegacyBM25', k1: 0.5 } });
  for (const [id, score] of legacy) expect(score).toBeCloseTo(1.5 * expected(TEXTS[Number(id)], 0.5, 0.75), 5);
  const byDefault = await scores('default', { default: { type: 'BM25', b: 0 } }, {});
  for (const [id, score] of byDefault) expect(score).toBeCloseTo(expected(TEXTS[Number(id)], 1.2, 0), 5);
});

test('the boolean similarity scores by the boost only, and explanations contain the parameters', async () => {
  expect([...(await scores('bool', { mine: { type: 'boolean' } })).values()]).toEqual([1, 1, 1]);
  const explained = await node.ok('POST /bm25-2.5-1/_explain/1', { query: { match: { body: 'fox' } } });
  const text = JSON.stringify(explained.explanation);
  expect(text).toContain('{"value":2.5,"description":"k1, term saturation parameter","details":[]}');
  expect(text).toContain('{"value":1,"description":"b, length normalization parameter","details":[]}');
});

test('rejects a field with an unknown similarity', async () => {
  const { status, json } = await node.send('PUT /none', { mappings: { properties: { a: { type: 'text', similarity: 'nothing' } } } });
  expect([status, json.error.reason]).toEqual([400, 'Failed to parse mapping [_doc]: Unknown Similarity type [nothing] for field [a]']);
});
