// percolate: stored queries match documents exactly as a search for them in an index would, and candidates never lose a match.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../../support/rest-node.ts';
import { Rng } from '../../../../support/rng.ts';

const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'storm'];
const PROPERTIES = {
  body: { type: 'text' },
  tag: { type: 'keyword' },
  n: { type: 'integer' },
  price: { type: 'double' },
  flag: { type: 'boolean' },
  parts: { type: 'nested', properties: { x: { type: 'text' }, y: { type: 'integer' } } },
};

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
});

afterAll(() => node.close());

const idsOf = ({ hits }: any): string[] => hits.hits.map((hit: any) => hit._id);

describe('random queries and documents', () => {
  const rng = new Rng(11);
  const text = (most: number): string => Array.from({ length: rng.int(1, most) }, () => rng.pick(WORDS)).join(' ');
  const leaf = (): object =>
    rng.pick<() => object>([
      () => ({ match: { body: { query: text(3), operator: rng.pick(['and', 'or']) } } }),
      () => ({ match_phrase: { body: { query: text(3), slop: rng.int(0, 2) } } }),
      () => ({ match_phrase_prefix: { body: `${text(2)} al` } }),
      () => ({ term: { tag: rng.pick(WORDS) } }),
      () => ({ terms: { n: [1, 2] } }),
      () => ({ term: { price: 1.5 } }),
      () => ({ range: { n: { gte: rng.int(0, 4) } } }),
      () => ({ prefix: { tag: 'a' } }),
      () => ({ exists: { field: rng.pick(['tag', 'n', 'body']) } }),
      () => ({ combined_fields: { query: text(2), fields: ['body'] } }),
      () => ({ term: { flag: rng.pick([true, false]) } }),
      () => ({
        nested: { path: 'parts', query: { bool: { must: [{ match: { 'parts.x': text(1) } }, { term: { 'parts.y': rng.int(0, 2) } }] } } },
      }),
    ])();
  const tree = (depth: number): object => {
    if (depth === 0 || rng.float() < 0.4) return leaf();
    return rng.pick<() => object>([
      () => ({ bool: { must: [tree(depth - 1), tree(depth - 1)], must_not: [tree(depth - 1)] } }),
      () => ({ bool: { should: [tree(depth - 1), tree(depth - 1), tree(depth - 1)], minimum_should_match: rng.int(1, 3) } }),
      () => ({ bool: { filter: [tree(depth - 1)], should: [tree(depth - 1)] } }),
      () => ({ dis_max: { queries: [tree(depth - 1), tree(depth - 1)] } }),
      () => ({ bool: { must_not: [tree(depth - 1)] } }),
    ])();
  };
  const document = (): object => ({
    ...(rng.float() < 0.8 ? { body: text(8) } : {}),
    ...(rng.float() < 0.7 ? { tag: [rng.pick(WORDS), rng.pick(WORDS)] } : {}),
    ...(rng.float() < 0.7 ? { n: rng.int(0, 6) } : {}),
    ...(rng.float() < 0.5 ? { price: rng.pick([1.5, 2.5]), flag: rng.float() < 0.5 } : {}),
    ...(rng.float() < 0.5
      ? {
          parts: [
            { x: text(2), y: rng.int(0, 2) },
            { x: text(2), y: rng.int(0, 2) },
          ],
        }
      : {}),
  });
  const queries = Array.from({ length: 120 }, () => tree(2));
  const documents = Array.from({ length: 20 }, document);
  /** Positions of the queries that match each document, by searching. */
  const expected: string[][] = documents.map(() => []);

  beforeAll(async () => {
    await node.ok('PUT /stored', { mappings: { properties: { ...PROPERTIES, query: { type: 'percolator' } } } });
    await node.ok(
      'POST /stored/_bulk?refresh=true',
      queries.flatMap((query, i) => [{ index: { _id: String(i) } }, { query }]),
    );
    await node.ok('PUT /plain', { mappings: { properties: PROPERTIES } });
    await node.ok(
      'POST /plain/_bulk?refresh=true',
      documents.flatMap((doc, i) => [{ index: { _id: String(i) } }, doc]),
    );
    for (const [i, query] of queries.entries())
      for (const id of idsOf(await node.ok('POST /plain/_search', { query, size: 100 }))) expected[Number(id)].push(String(i));
  });

  const matching = async (percolate: object): Promise<any> =>
    node.ok('POST /stored/_search', { size: 200, query: { percolate: { field: 'query', ...percolate } }, sort: ['_doc'] });

  test('match as a search does', async () => {
    for (const [i, doc] of documents.entries())
      expect(idsOf(await matching({ document: doc })).sort(), JSON.stringify(doc)).toEqual([...expected[i]].sort());
  });

  test('slots name the documents that match', async () => {
    const { hits } = await matching({ documents });
    const slots = queries.map((_, i) => documents.flatMap((_doc, slot) => (expected[slot].includes(String(i)) ? [slot] : [])));
    expect(new Map(hits.hits.map((hit: any) => [hit._id, hit.fields._percolator_document_slot]))).toEqual(
      new Map(slots.flatMap((list, i) => (list.length > 0 ? [[String(i), list]] : []))),
    );
  });

  test('match after a restart', async () => {
    await node.restart();
    expect(idsOf(await matching({ document: documents[0] })).sort()).toEqual([...expected[0]].sort());
  });
});

describe('what hits show', () => {
  beforeAll(async () => {
    const mappings = {
      _source: { excludes: ['query'] },
      properties: { ...PROPERTIES, query: { type: 'percolator' }, other: { type: 'percolator' } },
    };
    await node.ok('PUT /alerts', { mappings });
    await node.ok('PUT /alerts/_doc/fox', { query: { match: { body: { query: 'fox dog', _name: 'animals' } } }, tag: 'red' });
    await node.ok('PUT /alerts/_doc/phrase', { query: { match_phrase: { body: 'brown fox' } } });
    await node.ok('PUT /alerts/_doc/lazy', { other: { match: { body: 'lazy' } } });
    await node.ok('PUT /alerts/_doc/saved?refresh=true', { body: 'a brown fox' });
  });

  const search = (query: object, more: object = {}) => node.ok('POST /alerts/_search', { query, ...more });

  test('queries are found although the source does not contain them, with the best score of a document', async () => {
    const { hits } = await search({ percolate: { field: 'query', document: { body: 'brown fox dog' } } });
    expect(idsOf({ hits })).toEqual(['fox', 'phrase']);
    expect(hits.hits[0]._score).toBeCloseTo(0.26152915, 6);
    expect(hits.hits[0]._source).toEqual({ tag: 'red' });
    expect(hits.hits[0].fields).toEqual({ _percolator_document_slot: [0], _percolator_document_slot_0_matched_queries: ['animals'] });
  });

  test('highlights are those of the documents', async () => {
    const highlight = { fields: { body: {} } };
    const one = await search({ percolate: { field: 'query', document: { body: 'brown fox dog' } } }, { highlight });
    expect(one.hits.hits.map((hit: any) => hit.highlight)).toEqual([
      { body: ['brown <em>fox</em> <em>dog</em>'] },
      { body: ['<em>brown</em> <em>fox</em> dog'] },
    ]);
    const several = await search({ percolate: { field: 'query', documents: [{ body: 'x' }, { body: 'a dog' }] } }, { highlight });
    expect(several.hits.hits[0].highlight).toEqual({ '1_body': ['a <em>dog</em>'] });
  });

  test('several percolate queries have names', async () => {
    const should = [
      { percolate: { field: 'query', document: { body: 'dog' }, name: 'one' } },
      { percolate: { field: 'other', documents: [{}, { body: 'lazy' }] } },
    ];
    const { hits } = await search({ bool: { should } }, { highlight: { fields: { body: {} } } });
    expect(Object.fromEntries(hits.hits.map((hit: any) => [hit._id, hit.fields]))).toEqual({
      fox: { _percolator_document_slot_one: [0], _percolator_document_slot_one_0_matched_queries: ['animals'] },
      lazy: { _percolator_document_slot_other: [1] },
    });
    expect(hits.hits.find((hit: any) => hit._id === 'lazy').highlight).toEqual({ other_1_body: ['<em>lazy</em>'] });
  });

  test('a document of an index is percolated', async () => {
    expect(idsOf(await search({ percolate: { field: 'query', index: 'alerts', id: 'saved' } })).sort()).toEqual(['fox', 'phrase']);
    const missing = await node.send('POST /alerts/_search', { query: { percolate: { field: 'query', index: 'alerts', id: 'none' } } });
    expect(missing).toMatchObject({ status: 404, json: { error: { reason: "indexed document [alerts/none] couldn't be found" } } });
  });

  test('fields that only the document has do not change the mapping', async () => {
    const before = await node.ok('GET /alerts/_mapping');
    const query = { bool: { filter: { percolate: { field: 'query', document: { body: 'fox', new: { a: 1 } } } } } };
    expect(idsOf(await search(query))).toEqual(['fox']);
    expect(await node.ok('GET /alerts/_mapping')).toEqual(before);
  });

  test.each([
    [{ document: {} }, 'Required [field]'],
    [{ field: 'query' }, 'Required one of fields [document, documents, id]'],
    [{ field: 'query', document: {}, documents: [] }, 'not allowed together: [document, documents]'],
    [{ field: 'query', document: 1 }, "document doesn't support values of type: VALUE_NUMBER"],
    [{ field: 'tag', document: {} }, 'expected field [tag] to be of type [percolator], but is of type [keyword]'],
    [{ field: 'none', document: {} }, 'field [none] does not exist'],
    [{ field: 'query', document: { n: 'x' } }, 'failed to parse field [n]'],
    [{ field: 'query', documents: [] }, 'index is missing;2: id is missing'],
  ])('refuses %j', async (percolate, reason) => {
    const { status, text } = await node.send('POST /alerts/_search', { query: { percolate } });
    expect(status).toBe(400);
    expect(text).toContain(reason);
  });

  test.each([
    [{ nope: {} }, 'unknown query [nope]'],
    [{ term: { nofield: 1 } }, 'No field mapping can be found for the field with name [nofield]'],
    [{ has_child: { type: 'x', query: { match_all: {} } } }, 'the [has_child] query is unsupported inside a percolator query'],
    [{ terms: { tag: { index: 'alerts', id: '1', path: 'tag' } } }, 'must not read other documents'],
    [[{ match_all: {} }, { match_all: {} }], 'a document can only contain one percolator query'],
    ['text', 'query malformed, must start with start_object'],
    [null, 'query malformed, must start with start_object'],
  ])('refuses to store %j', async (query, reason) => {
    const { status, text } = await node.send('PUT /alerts/_doc/bad', { query });
    expect(status).toBe(400);
    expect(text).toContain(reason);
  });
});

test('unmapped fields count as text if the setting allows it', async () => {
  const settings = { 'index.percolator.map_unmapped_fields_as_text': true };
  await node.ok('PUT /lenient', { settings, mappings: { properties: { query: { type: 'percolator' } } } });
  await node.ok('PUT /lenient/_doc/1?refresh=true', { query: { match: { later: 'fox' } } });
  const query = { percolate: { field: 'query', document: { later: 'a fox' } } };
  expect(idsOf(await node.ok('POST /lenient/_search', { query }))).toEqual(['1']);
});

test('a regular expression that is too complex is refused when it is stored', async () => {
  await node.ok('PUT /patterns', { mappings: { properties: { q: { type: 'percolator' }, tag: { type: 'keyword' } } } });
  const pattern = '(k|[a-z0-9]{0,60}){0,300}';
  const regexp = { regexp: { tag: pattern } };
  for (const q of [regexp, { query_string: { query: `tag:/${pattern}/` } }, { bool: { must_not: [regexp] } }]) {
    const { status, json } = await node.send('PUT /patterns/_doc/1', { q });
    expect(status).toBe(400);
    expect(JSON.stringify(json.error)).toContain('too_complex_to_determinize_exception');
  }
  await node.ok('PUT /patterns/_doc/1?refresh=true', { q: { regexp: { tag: 'a[b-d]{2,5}.*' } } });
  expect(idsOf(await node.ok('POST /patterns/_search', { query: { percolate: { field: 'q', document: { tag: 'abcz' } } } }))).toEqual([
    '1',
  ]);
});
