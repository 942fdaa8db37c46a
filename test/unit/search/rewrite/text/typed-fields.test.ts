// search_as_you_type and other special fields in query strings; terms at the same position, norms without frequencies, boolean similarity.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /t', {
    settings: { analysis: { analyzer: { shingles: { type: 'custom', tokenizer: 'standard', filter: ['lowercase', 'shingle'] } } } },
    mappings: {
      properties: {
        typed: { type: 'search_as_you_type' },
        shingled: { type: 'text', analyzer: 'shingles' },
        docs: { type: 'text', index_options: 'docs' },
        same: { type: 'text', similarity: 'boolean' },
        said: { type: 'completion' },
        rank: { type: 'rank_feature' },
        word: { type: 'keyword' },
      },
    },
  });
  const docs = [
    {
      typed: 'quick brown fox jumps',
      shingled: 'quick brown',
      docs: 'one one two',
      same: 'quick',
      said: 'north sea',
      word: 'Alpha',
      rank: 2,
    },
    { typed: 'brown quick fox', shingled: 'brown quick brown', docs: 'one two', same: 'quack' },
  ];
  for (const [i, doc] of docs.entries()) await node.ok(`PUT /t/_doc/${i + 1}`, doc);
  await node.ok('POST /t/_refresh');
  await node.ok('POST /t/_forcemerge?max_num_segments=1');
});

afterAll(() => node.close());

async function hits(query: object): Promise<Array<[string, number]>> {
  const answer = await node.ok('POST /t/_search', { query });
  return answer.hits.hits.map(({ _id, _score }: { _id: string; _score: number }) => [_id, _score]);
}

const ids = async (query: object) => (await hits(query)).map(([id]) => id).sort();
const explained = async (query: object) => (await node.ok('POST /t/_validate/query?explain', { query })).explanations[0].explanation;

test('searches phrases of a search_as_you_type field as shingles, with the last word as a prefix', async () => {
  expect(await explained({ match_phrase: { typed: 'quick brown' } })).toBe('typed._2gram:quick brown');
  expect(await explained({ match_phrase: { typed: 'quick brown fox jumps' } })).toBe('typed._3gram:"quick brown fox brown fox jumps"');
  expect(await ids({ match_phrase: { typed: 'quick brown fox jumps' } })).toEqual(['1']);
  expect(await ids({ match_phrase: { typed: { query: 'quick brown', slop: 2 } } })).toEqual(['1', '2']);
  expect(await explained({ match_phrase_prefix: { 'typed._2gram': 'quick bro' } })).toBe('typed._index_prefix:quick bro');
});

test('prefixes indexed as terms score in query strings and are constant in prefix queries', async () => {
  expect(await explained({ query_string: { query: 'qui*', default_field: 'typed' } })).toBe('typed._index_prefix:qui');
  expect(await explained({ prefix: { typed: 'qui' } })).toBe('ConstantScore(typed._index_prefix:qui)');
  expect(await explained({ prefix: { typed: 'quickquickquickquickquick' } })).toBe('typed:quickquickquickquickquick*');
});

test('treats the words of a completion field as one term and rejects patterns on other fields', async () => {
  expect(await ids({ match: { said: 'north sea' } })).toEqual(['1']);
  expect(await ids({ match: { said: 'sea' } })).toEqual([]);
  for (const field of ['said', 'rank'])
    for (const query of [{ prefix: { [field]: 'n' } }, { fuzzy: { [field]: 'n' } }, { wildcard: { [field]: 'n*' } }])
      expect((await node.send('POST /t/_search', { query })).status).toBe(400);
  expect((await node.send('POST /t/_search', { query: { match_phrase_prefix: { word: 'Al' } } })).status).toBe(400);
});

test('a phrase may start with either of two terms at its first position', async () => {
  const [[id, score]] = await hits({ match_phrase: { shingled: 'quick brown' } });
  const answer = await node.ok('POST /t/_explain/1', { query: { match_phrase: { shingled: 'quick brown' } } });
  expect(JSON.stringify(answer.explanation)).toContain('phraseFreq=2.0');
  expect(answer.explanation.value).toBe(id === '1' ? score : answer.explanation.value);
});

test('the length of a field without frequencies is its number of distinct terms', async () => {
  const scores = new Set((await hits({ match: { docs: 'one' } })).map(([, score]) => score));
  expect(scores.size).toBe(1);
});

test('terms of a pattern score by their boosts under the boolean similarity', async () => {
  expect(await hits({ fuzzy: { same: { value: 'quick', fuzziness: 1 } } })).toEqual([
    ['1', 1],
    ['2', expect.closeTo(0.8, 5)],
  ]);
});

test('uses the last boost of a repeated field and multiplies boosts of patterns', async () => {
  expect(await explained({ multi_match: { query: 'quick', fields: ['same^2', 'same^3'] } })).toContain('^3.0');
  expect(await explained({ multi_match: { query: 'quick', fields: ['sam*^2', 'same^3'] } })).toContain('^6.0');
});

test('reads a comparison without a field as a range on default fields and as a word on listed fields', async () => {
  expect(await ids({ query_string: { query: '>quack', default_field: 'same' } })).toEqual(['1']);
  expect(await ids({ query_string: { query: '>quack', fields: ['same'] } })).toEqual(['2']);
});

test('rejects fractions in queries on integer fields but accepts them as `missing` of aggregations', async () => {
  await node.ok('PUT /i/_doc/1?refresh=true', { n: 5 });
  await node.ok('PUT /i/_mapping', { properties: { small: { type: 'byte' }, whole: { type: 'integer' } } });
  for (const query of [{ term: { whole: 3e9 } }, { terms: { whole: [3e9] } }, { range: { small: { gt: '3000000000' } } }]) {
    const { status, text } = await node.send('POST /i/_search', { query });
    expect([status, text.includes('Value [3000000000] is out of range for an integer')]).toEqual([400, true]);
  }
  expect((await node.ok('POST /i/_search', { query: { term: { small: 300 } } })).hits.total.value).toBe(0);
  expect((await node.ok('POST /i/_search', { query: { term: { whole: 1.5 } } })).hits.total.value).toBe(0);
  const answer = await node.ok('POST /i/_search', { size: 0, aggs: { m: { max: { field: 'whole', missing: 3e9 } } } });
  expect(answer.aggregations.m.value).toBe(3e9);
});
