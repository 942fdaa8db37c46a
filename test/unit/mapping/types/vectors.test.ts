// dense_vector and sparse_vector: their parameters, the documents that they accept, and the functions of scripts that read them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
});
afterAll(() => node.close());

const mapping = (field: object) => ({ mappings: { properties: { v: field } } });
let created = 0;

/** The mapping that the service shows for a field, or the reason why it refuses the field. */
async function shown(field: object): Promise<unknown> {
  const name = `m${created++}`;
  const { status, json } = await node.send(`PUT /${name}`, mapping(field));
  if (status !== 200) return json.error.caused_by?.reason ?? json.error.reason;
  return (await node.ok(`GET /${name}/_mapping`))[name].mappings.properties.v;
}

describe('parameters of dense_vector', () => {
  const HNSW = { type: 'int8_hnsw', m: 16, ef_construction: 100 };

  test.each<[object, unknown]>([
    [{ dims: 3 }, { dims: 3, index: true, similarity: 'cosine', index_options: HNSW }],
    [{}, { index: true, similarity: 'cosine', index_options: HNSW }],
    [
      { dims: 3, index: false },
      { dims: 3, index: false },
    ],
    [
      { dims: 3, element_type: 'byte' },
      { element_type: 'byte', dims: 3, index: true, similarity: 'cosine' },
    ],
    [
      { dims: 16, element_type: 'bit' },
      { element_type: 'bit', dims: 16, index: true, similarity: 'l2_norm' },
    ],
    [
      { dims: 3, index_options: { type: 'hnsw', m: 32 } },
      { dims: 3, index: true, similarity: 'cosine', index_options: { type: 'hnsw', m: 32, ef_construction: 100 } },
    ],
    [
      { dims: 3, index_options: { type: 'flat' } },
      { dims: 3, index: true, similarity: 'cosine', index_options: { type: 'flat' } },
    ],
  ])('%j is shown with what it implies', async (given, expected) => {
    expect(await shown({ type: 'dense_vector', ...given })).toEqual({ type: 'dense_vector', ...(expected as object) });
  });

  test.each<[object, string]>([
    [{ dims: 4097 }, 'The number of dimensions for field [v] should be in the range [1, 4096] but was [4097]'],
    [{ dims: 3.5 }, 'Property [dims] on field [v] must be an integer but got [3.5]'],
    [{ dims: 3, element_type: 'foo' }, 'invalid element_type [foo]; available types are [bit, float, byte]'],
    [
      { dims: 3, similarity: 'foo' },
      'Unknown value [foo] for field [similarity] - accepted values are [l2_norm, cosine, dot_product, max_inner_product]',
    ],
    [
      { dims: 3, index: false, similarity: 'cosine' },
      'Field [similarity] can only be specified for a field of type [dense_vector] when it is indexed',
    ],
    [{ dims: 3, index_options: {} }, '[index_options] requires field [type] to be configured'],
    [{ dims: 3, index_options: { type: 'foo' } }, 'Unknown vector index options type [foo] for field [v]'],
    [{ dims: 4, index_options: { type: 'int4_hnsw' } }, '[index_options] of type [int4_hnsw] are not supported on field [v]'],
    [{ dims: 4, index_options: { type: 'flat', m: 3 } }, 'Mapping definition for [v] has unsupported parameters:  [m : 3]'],
    [{ dims: 16, element_type: 'bit', similarity: 'cosine' }, 'The [l2_norm] similarity is the only supported similarity for bit vectors'],
    [
      { dims: 3, element_type: 'byte', index_options: { type: 'int8_hnsw' } },
      '[element_type] cannot be [byte] when using index type [int8_hnsw]',
    ],
    [{ dims: 3, doc_values: false }, 'unknown parameter [doc_values] on mapper [v] of type [dense_vector]'],
  ])('%j is refused', async (given, reason) => {
    expect(await shown({ type: 'dense_vector', ...given })).toBe(reason);
  });

  test('is refused as a multi-field', async () => {
    expect(await shown({ type: 'keyword', fields: { a: { type: 'dense_vector', dims: 3 } } })).toBe(
      "Field [a] of type [dense_vector] can't be used in multifields",
    );
  });

  test('the first document sets the dimensions, an update may add a graph but not remove it', async () => {
    await node.ok('PUT /first', mapping({ type: 'dense_vector', index_options: { type: 'flat' } }));
    await node.ok('PUT /first/_doc/1', { v: [1, 2, 3, 4] });
    const properties = (type: string) => ({ properties: { v: { type: 'dense_vector', dims: 4, index_options: { type } } } });
    await node.ok('PUT /first/_mapping', properties('hnsw'));
    expect((await node.ok('GET /first/_mapping')).first.mappings.properties.v).toMatchObject({ dims: 4, index_options: { m: 16 } });
    expect((await node.send('PUT /first/_mapping', properties('flat'))).status).toBe(400);
    expect((await node.send('PUT /first/_doc/2', { v: [1, 2, 3] })).status).toBe(400);
  });

  test('a long list of floats is mapped as a vector', async () => {
    const list = (count: number) => Array.from({ length: count }, (_, i) => i + 0.25);
    await node.ok('PUT /lists/_doc/1', { long: list(128), short: list(127), integers: list(128).map(Math.floor), o: { long: list(200) } });
    expect((await node.ok('GET /lists/_mapping')).lists.mappings.properties).toMatchObject({
      long: { type: 'dense_vector', dims: 128 },
      short: { type: 'float' },
      integers: { type: 'long' },
      o: { properties: { long: { type: 'dense_vector', dims: 200 } } },
    });
  });
});

describe('documents', () => {
  beforeAll(async () => {
    const properties = {
      v: { type: 'dense_vector', dims: 3 },
      d: { type: 'dense_vector', dims: 3, similarity: 'dot_product' },
      b: { type: 'dense_vector', dims: 3, element_type: 'byte' },
      t: { type: 'dense_vector', dims: 16, element_type: 'bit' },
      s: { type: 'sparse_vector' },
    };
    await node.ok('PUT /docs', { mappings: { properties } });
  });

  const ID = "in doc [document with id '1']";
  test.each<[object, string]>([
    [{ v: [1, 2] }, `The [dense_vector] field [v] ${ID} has a different number of dimensions [2] than defined in the mapping [3]`],
    [{ v: [1, 2, 3, 4] }, `The [dense_vector] field [v] ${ID} has more dimensions than defined in the mapping [3]`],
    [{ v: [0, 0, 0] }, 'The [cosine] similarity does not support vectors with zero magnitude. Preview of invalid vector: [0.0, 0.0, 0.0]'],
    [{ v: 'abc' }, 'Failed to parse object: expecting token of type [VALUE_NUMBER] but found [VALUE_STRING]'],
    [{ v: [1, 'x', 3] }, 'Failed to parse object: expecting token of type [VALUE_NUMBER] but found [VALUE_STRING]'],
    [
      { v: [1e39, 2, 3] },
      'element_type [float] vectors do not support infinite values but found [Infinity] at dim [0]; Preview of invalid vector: [Infinity, 2.0, 3.0]',
    ],
    [
      { d: [1, 2, 3] },
      'The [dot_product] similarity can only be used with unit-length vectors. Preview of invalid vector: [1.0, 2.0, 3.0]',
    ],
    [{ b: [128, 2, 3] }, 'element_type [byte] vectors only support integers between [-128, 127] but found [128] at dim [0];'],
    [{ b: [1.5, 2, 3] }, 'element_type [byte] vectors only support non-decimal values but found decimal value [1.5] at dim [0];'],
    [{ b: 'xyz' }, 'string length not even: 3'],
    [{ t: [1, 2, 3] }, 'The number of dimensions for field [t] should be [16] but found [24]'],
    [{ t: '01' }, `The [dense_vector] field [t] ${ID} has a different number of dimensions [8] than defined in the mapping [16]`],
    [{ s: [1] }, '[sparse_vector] fields must be json objects, expected a START_OBJECT but got: VALUE_NUMBER'],
    [{ s: null }, '[sparse_vector] fields must be json objects, expected a START_OBJECT but got: VALUE_NULL'],
    [{ s: { 'a.b': 1 } }, '[sparse_vector] fields do not support dots in feature names but found [a.b]'],
  ])('%j is refused', async (source, reason) => {
    const { status, json } = await node.send('PUT /docs/_doc/1', source);
    expect(status).toBe(400);
    expect(json.error.caused_by?.reason ?? json.error.reason).toContain(reason);
  });

  test('exist, are in the source and in fields', async () => {
    const sources = [{ v: [1, 2, 3] }, { b: '0102ff', t: [1, 2] }, { s: [{ a: 1 }, { a: 3, b: 2 }] }, { v: null, b: [1, 2, 3] }];
    for (const [i, source] of sources.entries()) await node.ok(`PUT /docs/_doc/${i}?refresh=true`, source);
    const ids = async (query: object): Promise<string[]> =>
      (await node.ok('POST /docs/_search', { query, sort: '_doc' })).hits.hits.map(({ _id }: { _id: string }) => _id).sort();
    expect(await ids({ exists: { field: 'v' } })).toEqual(['0']);
    expect(await ids({ exists: { field: 'b' } })).toEqual(['1', '3']);
    expect(await ids({ exists: { field: 's' } })).toEqual(['2']);
    expect(await ids({ term: { s: 'b' } })).toEqual(['2']);
    const { hits } = await node.ok('POST /docs/_search', { query: { exists: { field: 'v' } }, fields: ['v'] });
    expect(hits.hits[0]).toMatchObject({ _source: { v: [1, 2, 3] }, fields: { v: [1, 2, 3] } });
  });
});

describe('functions of score scripts', () => {
  const QUERY = [1, -2, 0.5];
  const STORED = [0.5, 1, -2];
  beforeAll(async () => {
    const properties = {
      v: { type: 'dense_vector', dims: 3, index: false },
      b: { type: 'dense_vector', dims: 3, element_type: 'byte', index: false },
      t: { type: 'dense_vector', dims: 16, element_type: 'bit' },
    };
    await node.ok('PUT /scripts', { mappings: { properties } });
    await node.ok('PUT /scripts/_doc/1?refresh=true', { v: STORED, b: [1, 2, -3], t: 'ff01' });
    await node.ok('PUT /scripts/_doc/2?refresh=true', { other: 1 });
  });

  const score = async (source: string, params: object = {}, id = '1') =>
    await node.send('POST /scripts/_search', { query: { script_score: { query: { ids: { values: [id] } }, script: { source, params } } } });

  const dot = QUERY.reduce((sum, item, i) => sum + item * STORED[i], 0);
  const length = (vector: number[]) => Math.hypot(...vector);
  test.each<[string, unknown, number]>([
    ["cosineSimilarity(params.q, 'v') + 1", QUERY, dot / length(QUERY) / length(STORED) + 1],
    ["dotProduct(params.q, 'v') + 10", QUERY, dot + 10],
    ["l1norm(params.q, 'v')", QUERY, 6],
    ["l2norm(params.q, 'v')", QUERY, length(QUERY.map((item, i) => item - STORED[i]))],
    ["doc['v'].magnitude", QUERY, length(STORED)],
    ["doc['v'].vectorValue[0] + doc['v'].size()", QUERY, 1.5],
    ["dotProduct(params.q, 'b') + 20", [1, 2, 3], 16],
    ["hamming(params.q, 'b')", '010203', 7],
    ["hamming(params.q, 't')", '0000', 9],
    ["l2norm(params.q, 't')", [0, 0], 3],
  ])('%s with %j', async (source, q, expected) => {
    const { json } = await score(source, { q });
    expect(json.hits.hits[0]._score).toBeCloseTo(expected, 5);
  });

  test.each<[string, unknown, string, string]>([
    ["dotProduct(params.q, 'v')", [1, 2], '1', 'The query vector has a different number of dimensions [2] than the document vectors [3].'],
    ["dotProduct(params.q, 'v')", QUERY, '2', "A document doesn't have a value for a vector field!"],
    ["hamming(params.q, 'v')", QUERY, '1', 'hamming distance is only supported for byte or bit vectors'],
    ["doc['v'].value", QUERY, '1', "accessing a vector field's value through 'get' or 'value' is not supported"],
  ])('%s with %j of document %s fails', async (source, q, id, reason) => {
    const { status, text } = await score(source, { q }, id);
    expect(status).toBe(400);
    expect(text).toContain(reason);
  });
});
