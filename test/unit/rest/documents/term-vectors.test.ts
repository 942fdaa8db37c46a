// Term vectors of stored and artificial documents; more_like_this.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

type Body = Record<string, unknown>;

let node: RestNode;

const TEXTS = [
  'the quick brown fox is brown',
  'a brown bear met a brown fox',
  'the sea is deep and the sea is salt',
  'deep sea creatures of the salt sea',
  'a quick note about nothing',
];

beforeAll(async () => {
  node = await openRestNode();
  const properties = {
    body: { type: 'text', term_vector: 'with_positions_offsets' },
    other: { type: 'text' },
    tag: { type: 'keyword' },
    n: { type: 'integer' },
  };
  await node.ok('PUT /t', { mappings: { properties } });
  for (const [i, body] of TEXTS.entries()) await node.ok(`PUT /t/_doc/${i + 1}`, { body, other: `other ${body}`, tag: ['x', 'y'], n: i });
  await node.ok('POST /t/_refresh');
});

afterAll(() => node.close());

test('terms with tokens and statistics', async () => {
  const answer = await node.ok('GET /t/_termvectors/1?term_statistics=true');
  expect(answer).toMatchObject({ _index: 't', _id: '1', _version: 1, found: true });
  expect(Object.keys(answer.term_vectors)).toEqual(['body']);
  const { field_statistics, terms } = answer.term_vectors.body;
  expect(field_statistics).toEqual({ sum_doc_freq: 27, doc_count: 5, sum_ttf: 34 });
  expect(Object.keys(terms)).toEqual(['brown', 'fox', 'is', 'quick', 'the']);
  expect(terms.brown).toEqual({
    doc_freq: 2,
    ttf: 4,
    term_freq: 2,
    tokens: [
      { position: 2, start_offset: 10, end_offset: 15 },
      { position: 5, start_offset: 23, end_offset: 28 },
    ],
  });
});

test('vectors contain what the mapping stores', async () => {
  const weighed = { type: 'custom', tokenizer: 'whitespace', filter: ['weights'] };
  const analysis = { analyzer: { weighed }, filter: { weights: { type: 'delimited_payload', encoding: 'int' } } };
  const kept = (term_vector: string) => ({ type: 'text', analyzer: 'weighed', term_vector });
  const properties = {
    all: kept('with_positions_offsets_payloads'),
    some: kept('with_positions_payloads'),
    offsets: kept('with_offsets'),
    none: kept('yes'),
    made: { type: 'text', analyzer: 'weighed' },
  };
  await node.ok('PUT /weights', { settings: { analysis }, mappings: { properties } });
  const doc = Object.fromEntries(Object.keys(properties).map((name) => [name, 'one|7 two']));
  await node.ok('PUT /weights/_doc/1?refresh=true', doc);
  const tokensOf = async (body: Body) => {
    const { term_vectors } = await node.ok('POST /weights/_termvectors/1', { fields: Object.keys(properties), ...body });
    return Object.fromEntries(Object.keys(term_vectors).map((name) => [name, term_vectors[name].terms.one.tokens?.[0]]));
  };
  const offsets = { start_offset: 0, end_offset: 5 };
  expect(await tokensOf({})).toEqual({
    all: { position: 0, ...offsets, payload: 'AAAABw==' },
    some: { position: 0, payload: 'AAAABw==' },
    offsets,
    none: undefined,
    made: { position: 0, ...offsets },
  });
  expect((await tokensOf({ payloads: false })).all).toEqual({ position: 0, ...offsets });
  expect((await tokensOf({ positions: false, offsets: false })).some).toEqual({ payload: 'AAAABw==' });
  const all = (await node.ok('GET /weights/_termvectors/1?fields=all')).term_vectors.all.terms;
  expect(all.two.tokens).toEqual([{ position: 1, start_offset: 6, end_offset: 9 }]);
});

test('selected fields and parts, filters, another analyzer', async () => {
  const plain = await node.ok('POST /t/_termvectors/1', {
    fields: ['other', 'ta*'],
    positions: false,
    offsets: false,
    field_statistics: false,
  });
  expect(plain.term_vectors.tag).toEqual({ terms: { x: { term_freq: 1 }, y: { term_freq: 1 } } });
  expect(plain.term_vectors.other.terms.brown).toEqual({ term_freq: 2 });
  const best = await node.ok('POST /t/_termvectors/1', {
    fields: ['body'],
    filter: { max_num_terms: 2 },
    positions: false,
    offsets: false,
  });
  expect(Object.keys(best.term_vectors.body.terms)).toEqual(['brown', 'fox']);
  expect(best.term_vectors.body.terms.brown.score).toBeCloseTo(2 * (Math.log(6 / 3) + 1), 5);
  const whole = await node.ok('POST /t/_termvectors/1', { fields: ['body'], per_field_analyzer: { body: 'keyword' } });
  expect(Object.keys(whole.term_vectors.body.terms)).toEqual([TEXTS[0]]);
});

test('an artificial document, a missing document, several documents', async () => {
  const given = await node.ok('POST /t/_termvectors', { doc: { body: 'sea sea', n: 3 }, term_statistics: true });
  expect(given.term_vectors.body.terms.sea).toMatchObject({ doc_freq: 2, ttf: 4, term_freq: 2 });
  expect(await node.ok('GET /t/_termvectors/none')).toMatchObject({ found: false });
  const { docs } = await node.ok('POST /_mtermvectors', {
    docs: [
      { _index: 't', _id: '3' },
      { _index: 'absent', _id: '1' },
    ],
  });
  expect(docs[0].term_vectors.body.terms.sea.term_freq).toBe(2);
  expect(docs[1].error.type).toBe('index_not_found_exception');
  expect((await node.ok('POST /t/_mtermvectors?ids=1,2')).docs.map((doc: Body) => doc['_id'])).toEqual(['1', '2']);
});

const like = async (query: Body) => {
  const { hits } = await node.ok('POST /t/_search', { query: { more_like_this: { min_term_freq: 1, min_doc_freq: 1, ...query } } });
  return hits.hits.map((hit: { _id: string }) => hit._id);
};

test('more_like_this by stored document, by text, by artificial document', async () => {
  expect((await like({ fields: ['body'], like: [{ _id: '3' }], minimum_should_match: '50%' })).sort()).toEqual(['4']);
  expect((await like({ fields: ['body'], like: [{ _id: '3' }], include: true, minimum_should_match: '50%' })).sort()).toEqual(['3', '4']);
  expect(await like({ fields: ['body'], like: 'brown bears', stop_words: ['bears'] })).toHaveLength(2);
  expect(await like({ fields: ['body'], like: [{ doc: { body: 'salt creatures' } }] })).toEqual(['4', '3']);
});

test('more_like_this selects the best terms and leaves out rare, frequent and unlike ones', async () => {
  expect(await like({ fields: ['body'], like: 'bear sea', max_query_terms: 1 })).toEqual(['2']);
  expect(await like({ fields: ['body'], like: 'bear sea', min_doc_freq: 2 })).toHaveLength(2);
  expect(await like({ fields: ['body'], like: 'bear sea', max_doc_freq: 1 })).toEqual(['2']);
  expect(await like({ fields: ['body'], like: 'bear sea', unlike: [{ _id: '2' }] })).toEqual(expect.arrayContaining(['3', '4']));
  expect(await like({ fields: ['body'], like: [{ _index: 't', _id: '1' }], unlike: [{ _id: '1' }] })).toEqual([]);
  expect(await like({ fields: ['body'], like: 'fox', min_term_freq: 2 })).toEqual([]);
});

test.each([
  [{ fields: ['n'], like: 'x' }, "more_like_this doesn't support binary/numeric fields: [n]"],
  [{ fields: [], like: 'x' }, "[more_like_this] requires 'fields' to be non-empty"],
  [{ fields: ['body'] }, "more_like_this requires 'like' to be specified"],
])('%j is refused', async (query, reason) => {
  const { status, text } = await node.send('POST /t/_search', { query: { more_like_this: query } });
  expect([status, text.includes(JSON.stringify(reason).slice(1, -1))]).toEqual([400, true]);
});

test('more_like_this as a filter of an aggregation, explained', async () => {
  const query = { more_like_this: { fields: ['body'], like: [{ _id: '1' }], min_term_freq: 1, min_doc_freq: 1 } };
  const { aggregations } = await node.ok('POST /t/_search', { size: 0, aggs: { similar: { filter: query } } });
  expect(aggregations.similar.doc_count).toBeGreaterThan(0);
  const validated = await node.ok('POST /t/_validate/query?explain=true', { query: { more_like_this: { fields: ['body'], like: 'fox' } } });
  expect(validated.valid).toBe(true);
});
