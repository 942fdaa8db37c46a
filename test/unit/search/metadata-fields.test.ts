// Metadata fields in queries, sorts, aggregations, scripts and `fields`.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

let node: RestNode;
let opensearch: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  opensearch = await openRestNode({ 'compat.flavor': 'opensearch' });
  for (const one of [node, opensearch]) {
    await one.ok('PUT /docs/_doc/a?routing=r', { n: 1 });
    await one.ok('PUT /docs/_doc/b', { n: 2 });
    await one.ok('PUT /docs/_doc/b?refresh=true', { n: 3 });
  }
});

afterAll(async () => {
  for (const one of [node, opensearch]) await one?.close();
});

const search = async (body: unknown, on = node) => (await on.ok('POST /docs/_search', body)) as any;
const reasonOf = async (body: unknown, on = node) => {
  const { status, json } = await on.send('POST /docs/_search', body);
  return `${status} ${json.error?.root_cause[0].reason}`;
};
const idsOf = async (query: unknown) => ((await search({ query })).hits.hits as { _id: string }[]).map(({ _id }) => _id);

test.each([
  ['term', { term: { _seq_no: 2 } }, ['b']],
  ['range of _routing', { range: { _routing: { gt: 'a', lte: 'r' } } }, ['a']],
  ['term of an overwritten document', { term: { _seq_no: 1 } }, []],
  ['terms', { terms: { _seq_no: [0, 2] } }, ['a', 'b']],
  ['range', { range: { _seq_no: { gt: 0 } } }, ['b']],
  ['match', { match: { _seq_no: '0' } }, ['a']],
  ['query_string', { query_string: { query: '_seq_no:2' } }, ['b']],
  ['a clause of bool', { bool: { must_not: { range: { _seq_no: { gte: 1 } } } } }, ['a']],
])('_seq_no is searched by %s', async (_name, query, ids) => {
  expect(await idsOf(query)).toEqual(ids);
});

test('queries on _seq_no are allowed where expensive queries are not', async () => {
  await node.ok('PUT /_cluster/settings', { transient: { 'search.allow_expensive_queries': false } });
  expect(await idsOf({ term: { _seq_no: 2 } })).toEqual(['b']);
  await node.ok('PUT /_cluster/settings', { transient: { 'search.allow_expensive_queries': null } });
});

test.each([
  [{ term: { _version: 1 } }, 'The _version field is not searchable'],
  [{ terms: { _source: ['x'] } }, 'The _source field is not searchable'],
  [{ range: { _id: { gte: 'a' } } }, 'failed to create query: Field [_id] of type [_id] does not support range queries'],
  [{ prefix: { _id: 'a' } }, 'Can only use prefix queries on keyword, text and wildcard fields - not on [_id] which is of type [_id]'],
  [{ regexp: { _index: 'd.*' } }, 'Can only use regexp queries on keyword and text fields - not on [_index] which is of type [_index]'],
])('%j is refused', async (query, reason) => {
  expect(await reasonOf({ query })).toBe(`400 ${reason}`);
});

test('documents are sorted by _seq_no and _version', async () => {
  expect((await search({ sort: [{ _seq_no: 'desc' }] })).hits.hits.map(({ sort }: any) => sort)).toEqual([[2], [0]]);
  expect((await search({ sort: ['_version'] })).hits.hits.map(({ sort }: any) => sort)).toEqual([[1], [2]]);
  expect(await reasonOf({ sort: ['_routing'] })).toBe('400 Fielddata is not supported on field [_routing] of type [_routing]');
  expect(await reasonOf({ sort: ['_version'] }, opensearch)).toBe('400 Fielddata is not supported on field [_version] of type [_version]');
});

test('aggregations read _seq_no and _version', async () => {
  const { aggregations } = await search({ aggs: { s: { terms: { field: '_seq_no' } }, v: { max: { field: '_version' } } } });
  expect(aggregations.s.buckets.map(({ key }: any) => key)).toEqual([0, 2]);
  expect(aggregations.v.value).toBe(2);
});

describe('_id', () => {
  const AGGS = { ids: { terms: { field: '_id' } }, count: { cardinality: { field: '_id' } } };
  const DISALLOWED =
    '400 Fielddata access on the _id field is disallowed, you can re-enable it by updating the dynamic cluster setting: indices.id_field_data.enabled';

  test('is neither sorted by nor aggregated by default in Elasticsearch 8', async () => {
    expect(await reasonOf({ sort: ['_id'] })).toBe(DISALLOWED);
    expect(await reasonOf({ aggs: AGGS })).toBe(DISALLOWED);
    expect(await reasonOf({ docvalue_fields: ['_id'] })).toBe(DISALLOWED);
  });

  test('is sorted by and aggregated where the cluster allows it', async () => {
    await node.ok('PUT /_cluster/settings', { persistent: { 'indices.id_field_data.enabled': true } });
    for (const one of [node, opensearch]) {
      const { hits, aggregations } = await search({ sort: [{ _id: 'desc' }], aggs: AGGS, docvalue_fields: ['_id'] }, one);
      expect(hits.hits.map(({ sort, fields }: any) => [sort[0], fields._id[0]])).toEqual([
        ['b', 'b'],
        ['a', 'a'],
      ]);
      expect(aggregations.ids.buckets.map(({ key }: any) => key)).toEqual(['a', 'b']);
      expect(aggregations.count.value).toBe(2);
    }
    await node.ok('PUT /_cluster/settings', { persistent: { 'indices.id_field_data.enabled': null } });
    expect(await reasonOf({ sort: ['_id'] })).toBe(DISALLOWED);
  });
});

test('_ignored has terms with ranges and, in Elasticsearch 8, doc values', async () => {
  const dropped = { n: { type: 'long', ignore_malformed: true }, k: { type: 'keyword', ignore_above: 3 } };
  for (const one of [node, opensearch]) {
    await one.ok('PUT /dropped', { mappings: { properties: dropped } });
    await one.ok('PUT /dropped/_doc/1', { n: 'x', k: 'abcdef' });
    await one.ok('PUT /dropped/_doc/2?refresh=true', { n: 1, k: 'abcdef' });
    await one.ok('PUT /dropped/_doc/3?refresh=true', { n: 1 });
  }
  const ask = async (body: unknown) => (await node.ok('POST /dropped/_search', body)) as any;
  expect((await ask({ query: { range: { _ignored: { gte: 'l' } } } })).hits.hits.map(({ _id }: { _id: string }) => _id)).toEqual(['1']);
  const buckets = [
    { key: 'k', doc_count: 2 },
    { key: 'n', doc_count: 1 },
  ];
  expect((await ask({ aggs: { a: { terms: { field: '_ignored' } } } })).aggregations.a.buckets).toEqual(buckets);
  const sorted = await ask({ sort: [{ _ignored: 'desc' }], docvalue_fields: ['_ignored'] });
  expect(sorted.hits.hits.map(({ fields }: any) => fields?._ignored)).toEqual([['k', 'n'], ['k'], undefined]);
  await node.ok('POST /dropped/_forcemerge?max_num_segments=1');
  expect((await ask({ aggs: { a: { terms: { field: '_ignored' } } } })).aggregations.a.buckets).toEqual(buckets);
  const collapsed = await node.send('POST /dropped/_search', { collapse: { field: '_ignored' } });
  expect(collapsed.json.error.root_cause[0].reason).toBe('collapse is not supported for the field [_ignored] of the type [_ignored]');
  const refused = await opensearch.send('POST /dropped/_search', { sort: ['_ignored'] });
  expect(refused.status).toBe(400);
});

test('fields shows metadata fields that are named', async () => {
  const body = { fields: ['_id', '_index', '_routing', '_version', '_seq_no', '_ignored'], sort: ['_seq_no'] };
  expect((await search(body)).hits.hits.map(({ fields }: any) => fields)).toEqual([
    { _id: ['a'], _index: ['docs'], _routing: ['r'], _version: [1] },
    { _id: ['b'], _index: ['docs'], _version: [2] },
  ]);
  expect((await search({ fields: ['*', '_i*'] })).hits.hits.map(({ fields }: any) => Object.keys(fields))).toEqual([['n'], ['n']]);
  expect((await search(body, opensearch)).hits.hits.map(({ fields }: any) => fields)).toEqual([undefined, undefined]);
});

test('scripts read _seq_no and _id', async () => {
  const { hits } = await search({
    sort: ['_seq_no'],
    script_fields: { x: { script: "doc['_id'].value + doc['_seq_no'].value" } },
  });
  expect(hits.hits.map(({ fields }: any) => fields.x[0])).toEqual(['a0', 'b2']);
});
