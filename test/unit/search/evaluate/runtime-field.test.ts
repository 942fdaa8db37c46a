// Runtime fields of mappings and of searches: queries, sorts, aggregations, fetched values, scripts that read them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

type Body = Record<string, unknown>;

let node: RestNode;

const DOCUMENTS = [
  { name: 'Ada Lovelace', price: 10, qty: 3, at: '2024-01-05T10:00:00Z', where: { lat: 52.5, lon: 13.4 }, host: '10.0.0.1' },
  { name: 'Alan Turing', price: 2.5, qty: 4, at: '2024-02-01T00:00:00Z', where: { lat: 48.1, lon: 11.5 }, host: '10.0.0.9' },
  { name: 'Grace Hopper', price: 7, qty: 1, at: '2024-02-20T12:00:00Z', host: 'not an address' },
  { name: 'Nobody' },
];

const RUNTIME = {
  first: {
    type: 'keyword',
    script: "String n = doc['name.keyword'].value; emit(n.substring(0, n.indexOf(' ') < 0 ? n.length() : n.indexOf(' ')))",
  },
  total: { type: 'double', script: { source: "if (doc['price'].size() > 0) emit(doc['price'].value * doc['qty'].value)" } },
  twice: { type: 'double', script: "if (doc['total'].size() > 0) emit(doc['total'].value * params.by)" },
  month: { type: 'long', script: "if (doc['at'].size() > 0) { emit(doc['at'].value.monthValue) }" },
  cheap: { type: 'boolean', script: "if (doc['price'].size() > 0) emit(doc['price'].value < 8)" },
  later: { type: 'date', script: "if (doc['at'].size() > 0) emit(doc['at'].value.toInstant().toEpochMilli() + 86400000L)" },
  host: { type: 'ip' },
  'raw.qty': { type: 'long', script: 'if (params._source.qty != null) emit(params._source.qty)' },
};

beforeAll(async () => {
  node = await openRestNode();
  const properties = {
    name: { type: 'text', fields: { keyword: { type: 'keyword' } } },
    price: { type: 'double' },
    qty: { type: 'integer' },
    at: { type: 'date' },
    host: { type: 'keyword' },
  };
  const runtime = { ...RUNTIME, twice: { ...RUNTIME.twice, script: { source: RUNTIME.twice.script, params: { by: 2 } } } };
  await node.ok('PUT /people', { mappings: { runtime, properties } });
  // Two segments.
  for (const [i, document] of DOCUMENTS.entries()) await node.ok(`PUT /people/_doc/${i + 1}${i % 2 ? '?refresh=true' : ''}`, document);
});

afterAll(() => node.close());

const search = (body: Body) => node.ok('POST /people/_search', body);
const idsOf = async (query: Body) => (await search({ query })).hits.hits.map((hit: { _id: string }) => hit._id).sort();

describe('queries', () => {
  test.each([
    [{ term: { first: 'Ada' } }, ['1']],
    [{ terms: { first: ['Alan', 'Nobody'] } }, ['2', '4']],
    [{ match: { first: 'Grace' } }, ['3']],
    [{ prefix: { first: 'A' } }, ['1', '2']],
    [{ wildcard: { first: '*a*' } }, ['1', '2', '3']],
    [{ regexp: { first: '[AG].*' } }, ['1', '2', '3']],
    [{ fuzzy: { first: 'Adq' } }, ['1']],
    [{ range: { total: { gte: 10, lt: 30 } } }, ['2']],
    [{ range: { twice: { gte: 60 } } }, ['1']],
    [{ range: { later: { gte: '2024-02-02', lte: 'now' } } }, ['2', '3']],
    [{ term: { month: 2 } }, ['2', '3']],
    [{ term: { cheap: true } }, ['2', '3']],
    [{ exists: { field: 'month' } }, ['1', '2', '3']],
    [{ bool: { must_not: [{ exists: { field: 'total' } }] } }, ['4']],
    [{ term: { host: '10.0.0.0/29' } }, ['1']],
    [{ exists: { field: 'host' } }, ['1', '2']],
    [{ query_string: { query: 'first:Al* AND month:[2 TO 3]' } }, ['2']],
    [{ bool: { filter: [{ term: { cheap: true } }, { match: { name: 'hopper' } }] } }, ['3']],
    [{ term: { 'raw.qty': 4 } }, ['2']],
  ])('%j', async (query, ids) => {
    expect(await idsOf(query)).toEqual(ids);
  });
});

test('sorts with missing values and continues pages after a value', async () => {
  const sorted = async (body: Body) =>
    (await search(body)).hits.hits.map((hit: { _id: string; sort: unknown[] }) => [hit._id, hit.sort[0]]);
  expect(await sorted({ sort: [{ total: 'desc' }] })).toEqual([
    ['1', 30],
    ['2', 10],
    ['3', 7],
    ['4', '-Infinity'],
  ]);
  expect(await sorted({ sort: [{ first: 'asc' }] })).toEqual([
    ['1', 'Ada'],
    ['2', 'Alan'],
    ['3', 'Grace'],
    ['4', 'Nobody'],
  ]);
  expect(await sorted({ sort: [{ first: 'asc' }], search_after: ['Alan'], size: 1 })).toEqual([['3', 'Grace']]);
});

test('aggregates computed values', async () => {
  const { aggregations } = await search({
    size: 0,
    query: { range: { month: { gte: 1 } } },
    aggs: {
      names: { terms: { field: 'first' } },
      total: { sum: { field: 'total' } },
      months: { date_histogram: { field: 'later', calendar_interval: 'month' }, aggs: { most: { max: { field: 'total' } } } },
      cheap: { terms: { field: 'cheap' } },
    },
  });
  expect(aggregations.names.buckets.map((bucket: { key: string }) => bucket.key)).toEqual(['Ada', 'Alan', 'Grace']);
  expect(aggregations.total.value).toBe(47);
  expect(
    aggregations.months.buckets.map((bucket: Body) => [bucket['key_as_string'], bucket['doc_count'], (bucket['most'] as Body)['value']]),
  ).toEqual([
    ['2024-01-01T00:00:00.000Z', 1, 30],
    ['2024-02-01T00:00:00.000Z', 2, 10],
  ]);
  expect(aggregations.cheap.buckets).toEqual([
    { key: 1, key_as_string: 'true', doc_count: 2 },
    { key: 0, key_as_string: 'false', doc_count: 1 },
  ]);
});

test('returns computed values in fields and docvalue_fields', async () => {
  const { hits } = await search({
    query: { ids: { values: ['1'] } },
    fields: ['first', { field: 'later', format: 'yyyy-MM-dd' }, 'tw*'],
    docvalue_fields: ['total', 'host'],
  });
  expect(hits.hits[0].fields).toEqual({ total: [30], host: ['10.0.0.1'], first: ['Ada'], later: ['2024-01-06'], twice: [60] });
});

test('runtime_mappings of a search override mapped fields', async () => {
  const runtime_mappings = {
    initial: { type: 'keyword', script: "emit(doc['first'].value.substring(0, 1))" },
    qty: { type: 'long', script: 'emit(100)' },
    where: { type: 'geo_point', script: 'def w = params._source.where; if (w != null) emit(w.lat, w.lon)' },
  };
  const { hits, aggregations } = await search({
    runtime_mappings,
    query: { term: { initial: 'A' } },
    sort: ['first'],
    aggs: { by: { terms: { field: 'initial' } }, sum: { sum: { field: 'qty' } } },
  });
  expect(hits.hits.map((hit: { _id: string }) => hit._id)).toEqual(['1', '2']);
  expect(aggregations.by.buckets).toEqual([{ key: 'A', doc_count: 2 }]);
  expect(aggregations.sum.value).toBe(200);
  const near = await search({ runtime_mappings, query: { geo_distance: { distance: '50km', where: { lat: 52.4, lon: 13.3 } } } });
  expect(near.hits.hits.map((hit: { _id: string }) => hit._id)).toEqual(['1']);
  // The mapping of the index does not contain them.
  expect((await search({ query: { term: { initial: 'A' } } })).hits.total.value).toBe(0);
});

test('runtime fields appear in mappings and field capabilities, and null removes them', async () => {
  await node.ok('PUT /shown', {
    mappings: { runtime: { day: { type: 'keyword', script: "emit('x')" } }, properties: { a: { type: 'long' } } },
  });
  expect((await node.ok('GET /shown/_mapping')).shown.mappings).toEqual({
    runtime: { day: { type: 'keyword', script: { source: "emit('x')", lang: 'painless' } } },
    properties: { a: { type: 'long' } },
  });
  expect((await node.ok('GET /shown/_field_caps?fields=day')).fields.day.keyword).toEqual({
    type: 'keyword',
    metadata_field: false,
    searchable: true,
    aggregatable: true,
  });
  await node.ok('PUT /shown/_mapping', { runtime: { day: null } });
  expect((await node.ok('GET /shown/_mapping')).shown.mappings).toEqual({ properties: { a: { type: 'long' } } });
});

test('dynamic: runtime maps new fields of documents as runtime fields', async () => {
  await node.ok('PUT /dynamic', { mappings: { dynamic: 'runtime' } });
  await node.ok('PUT /dynamic/_doc/1?refresh=true', { word: 'a b', n: 3, x: 1.5, ok: true, day: '2024-01-01', in: { ner: 'y' } });
  expect((await node.ok('GET /dynamic/_mapping')).dynamic.mappings).toEqual({
    dynamic: 'runtime',
    runtime: {
      day: { type: 'date' },
      'in.ner': { type: 'keyword' },
      n: { type: 'long' },
      ok: { type: 'boolean' },
      word: { type: 'keyword' },
      x: { type: 'double' },
    },
  });
  await node.ok('PUT /dynamic/_doc/2?refresh=true', { n: 5, x: 1 });
  const found = await node.ok('POST /dynamic/_search', { query: { range: { n: { gte: 4 } } }, fields: ['*'] });
  expect(found.hits.hits.map((hit: Body) => [hit['_id'], hit['fields']])).toEqual([['2', { n: [5], x: [1] }]]);
  const inner = await node.ok('POST /dynamic/_search', { query: { term: { 'in.ner': 'y' } } });
  expect(inner.hits.total.value).toBe(1);
});

test.each([
  [{ a: { type: 'text' } }, 'No handler for type [text] declared on runtime field [a]'],
  [{ a: {} }, 'No type specified for runtime field [a]'],
  [{ a: { type: 'long', index: false } }, 'unknown parameter [index] on runtime field [a] of type [long]'],
])('%j is refused', async (runtime, reason) => {
  const { status, json } = await node.send('PUT /refused', { mappings: { runtime } });
  expect([status, json.error.reason]).toEqual([400, expect.stringContaining(reason)]);
});

test('rejects scripts that do not compile, reports the shard of those that fail, and detects cycles', async () => {
  const bad = await node.send('PUT /refused', { mappings: { runtime: { a: { type: 'long', script: 'emit(' } } } });
  expect([bad.status, bad.json.error.type, bad.json.error.caused_by.type]).toEqual([400, 'mapper_parsing_exception', 'script_exception']);
  const of = (runtime_mappings: Body, field = 'a') => node.send('POST /people/_search', { runtime_mappings, query: { exists: { field } } });
  const wrong = await of({ a: { type: 'long', script: 'emit(params.nothing)' } });
  expect([wrong.status, wrong.json.error.failed_shards[0].reason.type]).toEqual([400, 'script_exception']);
  const circle = await of({
    a: { type: 'long', script: "emit(doc['b'].value)" },
    b: { type: 'long', script: "emit(doc['a'].value)" },
  });
  expect([circle.status, JSON.stringify(circle.json).includes('Cyclic dependency')]).toEqual([400, true]);
});
