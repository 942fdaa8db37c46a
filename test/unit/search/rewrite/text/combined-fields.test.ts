// combined_fields: matches and scores over several fields at once, against BM25F written out plainly.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../../support/rest-node.ts';
import { Rng } from '../../../../support/rng.ts';

const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'storm'];
const DOCUMENTS = 60;

interface Doc {
  readonly a: string;
  readonly b?: string;
}

let node: RestNode;
const docs: Doc[] = [];

beforeAll(async () => {
  node = await openRestNode();
  const text = { type: 'text' };
  await node.ok('PUT /c', {
    mappings: {
      properties: {
        a: text,
        b: text,
        plain: { type: 'text', norms: false },
        other: { type: 'text', analyzer: 'simple' },
        tag: { type: 'keyword' },
        parts: { type: 'nested', properties: { x: text, y: text } },
      },
    },
  });
  const rng = new Rng(7);
  const words = (most: number): string => Array.from({ length: rng.int(1, most) }, () => rng.pick(WORDS)).join(' ');
  for (let i = 0; i < DOCUMENTS; i++) docs.push(rng.float() < 0.3 ? { a: words(8) } : { a: words(8), b: words(20) });
  const more = { plain: 'alpha', other: 'alpha', parts: [{ x: 'alpha', y: 'beta' }] };
  await node.ok(
    'POST /c/_bulk?refresh=true',
    docs.flatMap((doc, i) => [{ index: { _id: String(i) } }, { ...doc, ...more }]),
  );
});

afterAll(() => node.close());

const search = (combined: object, more: object = {}) =>
  node.ok('POST /c/_search', { size: 100, query: { combined_fields: combined }, ...more });

const tokens = (text: string | undefined): string[] => (text === undefined ? [] : text.split(' '));

/** Score of one word: BM25 over weighted frequencies and lengths. Lengths below 24 are stored exactly. */
function scoreOf(doc: Doc, word: string, weights: Readonly<Record<'a' | 'b', number>>): number {
  const fields = ['a', 'b'] as const;
  const count = (one: Doc, field: 'a' | 'b'): number => tokens(one[field]).filter((token) => token === word).length;
  const freq = fields.reduce((sum, field) => sum + weights[field] * count(doc, field), 0);
  if (freq === 0) return 0;
  const length = fields.reduce((sum, field) => sum + weights[field] * tokens(doc[field]).length, 0);
  const total = docs.reduce((sum, one) => sum + fields.reduce((all, field) => all + weights[field] * tokens(one[field]).length, 0), 0);
  const docFreq = Math.max(...fields.map((field) => docs.filter((one) => count(one, field) > 0).length));
  const docCount = docs.length;
  const idf = Math.log(1 + (docCount - docFreq + 0.5) / (docFreq + 0.5));
  return (2.2 * idf * freq) / (freq + 1.2 * (0.25 + (0.75 * length) / (total / docCount)));
}

test('scores are those of one field with the words of all', async () => {
  const weights = { a: 1, b: 1 };
  const short = docs.map((doc, i) => ({ doc, id: String(i) })).filter(({ doc }) => tokens(doc.a).length + tokens(doc.b).length < 24);
  const { hits } = await search({ query: 'alpha storm', fields: ['a', 'b'] });
  const found = new Map<string, number>(hits.hits.map((hit: any) => [hit._id, hit._score]));
  expect(short.length).toBeGreaterThan(20);
  for (const { doc, id } of short) {
    const expected = scoreOf(doc, 'alpha', weights) + scoreOf(doc, 'storm', weights);
    expect(found.get(id) ?? 0).toBeCloseTo(expected, 4);
  }
});

test('weights multiply frequencies and lengths', async () => {
  const { hits } = await search({ query: 'gamma', fields: ['a^2', 'b'] });
  for (const { _id, _score } of hits.hits) {
    const doc = docs[Number(_id)];
    if (2 * tokens(doc.a).length + tokens(doc.b).length < 24) expect(_score).toBeCloseTo(scoreOf(doc, 'gamma', { a: 2, b: 1 }), 4);
  }
});

test('operator and needs every word in any of the fields', async () => {
  const { hits } = await search({ query: 'alpha beta gamma', fields: ['a', 'b'], operator: 'and' });
  const expected = docs.flatMap((doc, i) =>
    ['alpha', 'beta', 'gamma'].every((word) => [...tokens(doc.a), ...tokens(doc.b)].includes(word)) ? [String(i)] : [],
  );
  expect(hits.hits.map((hit: any) => hit._id).sort()).toEqual(expected.sort());
});

test('filters restrict it, and highlights mark its words', async () => {
  const query = {
    bool: { must: { combined_fields: { query: 'alpha', fields: ['a', 'b'] } }, filter: { ids: { values: ['1', '2', '3'] } } },
  };
  const { hits } = await node.ok('POST /c/_search', { query, highlight: { fields: { '*': {} } } });
  for (const hit of hits.hits) {
    expect(['1', '2', '3']).toContain(hit._id);
    expect(JSON.stringify(hit.highlight)).toContain('<em>alpha</em>');
  }
});

test('works on nested documents', async () => {
  const nested = { path: 'parts', query: { combined_fields: { query: 'alpha beta', fields: ['parts.x', 'parts.y'], operator: 'and' } } };
  const { hits } = await node.ok('POST /c/_search', { query: { nested } });
  expect(hits.total.value).toBe(DOCUMENTS);
});

test('an optional clause is required where operator and leaves none', async () => {
  for (const query of [
    { combined_fields: { query: 'alpha beta', fields: ['a'], operator: 'and', minimum_should_match: 1 } },
    { match: { a: { query: 'alpha beta', operator: 'and', minimum_should_match: 1 } } },
  ])
    expect((await node.ok('POST /c/_search', { query })).hits.total.value).toBe(0);
});

test('text without words, unmapped fields', async () => {
  expect((await search({ query: '', fields: ['a'] })).hits.total.value).toBe(0);
  expect((await search({ query: '', fields: ['a'], zero_terms_query: 'all' })).hits.total.value).toBe(DOCUMENTS);
  expect((await search({ query: 'alpha', fields: ['nowhere'] })).hits.total.value).toBe(0);
});

test.each([
  [{ query: 'x' }, 'at least one field must be provided'],
  [{ fields: ['a'] }, 'Required [query]'],
  [{ query: 'x', fields: ['a^0.5'] }, 'requires field boosts to be >= 1.0'],
  [{ query: 'x', fields: ['tag'] }, 'Field [tag] of type [keyword] does not support [combined_fields] queries'],
  [{ query: 'x', fields: ['a', 'other'] }, 'must have the same search analyzer'],
  [{ query: 'alpha', fields: ['a', 'plain'] }, 'requires norms to be consistent across fields'],
  [{ query: 'x', fields: ['a'], operator: 'xor' }, 'No enum constant'],
  [{ query: 'x', fields: ['a'], slop: 1 }, 'unknown field [slop]'],
])('refuses %j', async (combined, reason) => {
  const { status, text } = await node.send('POST /c/_search', { query: { combined_fields: combined } });
  expect(status).toBe(400);
  expect(text).toContain(reason);
});
