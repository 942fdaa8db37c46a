// Values of requests that parsers refuse or read in their own way: status, type and root cause of the errors.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  const properties = {
    n: { type: 'integer' },
    w: { type: 'double' },
    at: { type: 'date' },
    ip: { type: 'ip' },
    tag: { type: 'keyword' },
    flag: { type: 'boolean' },
    place: { type: 'geo_point' },
  };
  await node.ok('PUT /docs', { mappings: { properties } });
  await node.ok('POST /docs/_bulk?refresh=true', [
    { index: { _id: '1' } },
    { n: 1, w: 2, at: '2024-01-04', ip: '10.0.0.1', tag: 'red', flag: true, place: [4, 5] },
    { index: { _id: '2' } },
    { w: [1, 2], at: '2024-01-06', tag: 'blue', flag: false },
  ]);
});

afterAll(() => node.close());

async function errorOf(body: object): Promise<string> {
  const { status, json } = await node.send('POST /docs/_search', body);
  return status === 200 ? '200' : `${json.error.type} < ${json.error.root_cause[0]?.type}`;
}

const box = (corners: unknown) => ({ query: { geo_bounding_box: { place: corners } } });
const near = (place: unknown) => ({ query: { geo_distance: { distance: '500km', place } } });
const must = (clause: object) => ({ query: { bool: { must: [clause] } } });
const ranges = (type: string, field: string, list: unknown, more: object = {}) => ({
  aggs: { a: { [type]: { field, ranges: list, ...more } } },
});
const PARSE = 'parse_exception < parse_exception';
const PARSING = 'parsing_exception < parsing_exception';
const X_CONTENT = 'x_content_parse_exception < x_content_parse_exception';
const SHARDS = 'search_phase_execution_exception < ';

test.each<[string, object, string]>([
  ['an empty box', box([]), PARSE],
  ['a box that is a number', box(1), PARSING],
  ['a corner with a word', box({ top_left: { lat: 18, lon: 'text' }, bottom_right: { lat: 1, lon: 1 } }), PARSE],
  ['a corner with a list', box({ top_left: { lat: 18, lon: [1] }, bottom_right: { lat: 1, lon: 1 } }), PARSE],
  ['an edge that is a word', box({ top: 1, left: 'x', bottom: 0, right: 2 }), PARSE],
  ['WKT of a point', box({ wkt: 'POINT (1 2)' }), PARSE],
  ['a centre without a latitude', near({ lat: null, lon: 1 }), `${SHARDS}query_shard_exception`],
  ['a list as distance', { query: { geo_distance: { distance: [1, 2], place: '1,2' } } }, PARSING],
  [
    'a nested origin',
    must({ distance_feature: { field: 'place', origin: [[1, 2]], pivot: '1km' } }),
    'x_content_parse_exception < parse_exception',
  ],
  ['a list as a pattern', must({ wildcard: { tag: { value: ['a'] } } }), X_CONTENT],
  ['a list as slop', { query: { span_near: { clauses: [{ span_term: { tag: 'a' } }], slop: [] } } }, PARSING],
  ['an unknown parameter of a decay', { query: { function_score: { linear: { n: { scale: 1, nope: 1 } } } } }, `${SHARDS}parse_exception`],
  ['a list to rescore', { rescore: { query: { rescore_query: [] } } }, X_CONTENT],
  ['an object of boosts', { indices_boost: { docs: 2 } }, PARSING],
  ['an empty boost', { indices_boost: [{}] }, PARSING],
  ['two boosts in one', { indices_boost: [{ docs: 2, other: 1 }] }, PARSING],
  ['a number as boost', { indices_boost: [1] }, PARSING],
  ['a list as end of a range', ranges('range', 'n', [{ to: [1] }]), X_CONTENT],
  ['a boolean as end of a range', ranges('date_range', 'at', [{ from: true }]), X_CONTENT],
  ['a list as range', ranges('range', 'n', [[{ to: 1 }]]), X_CONTENT],
  ['an unknown member of a range of addresses', ranges('ip_range', 'ip', [{ nope: 1 }]), 'x_content_parse_exception < parsing_exception'],
  ['a number as address', ranges('ip_range', 'ip', [{ from: 1 }]), X_CONTENT],
  ['a number as origin', ranges('geo_distance', 'place', [{ to: 1 }], { origin: 1 }), X_CONTENT],
  ['a list as number of top hits', { aggs: { a: { top_hits: { size: [2] } } } }, PARSING],
  ['a filter with a wrong value', { aggs: { a: { filter: { match: { n: 'x' } } } } }, `${SHARDS}number_format_exception`],
  ['filters with a wrong value', { aggs: { a: { filters: { filters: [{ term: { ip: 'x' } }] } } } }, `${SHARDS}illegal_argument_exception`],
  ['a query with a wrong value', { query: { match: { n: 'x' } } }, `${SHARDS}query_shard_exception`],
  [
    'a sort of numbers as dates with a format',
    { sort: [{ n: { numeric_type: 'date', format: 'yyyy' } }] },
    `${SHARDS}illegal_argument_exception`,
  ],
  ['a sort of dates with a format', { sort: [{ at: { format: 'yyyy' } }] }, '200'],
])('%s', async (_name, body, expected) => {
  expect(await errorOf(body)).toBe(expected);
});

const idsOf = async (body: object) => (await node.ok('POST /docs/_search', body)).hits.hits.map(({ _id }: { _id: string }) => _id);

test('the last item of a list is the coordinate of a centre', async () => {
  expect(await idsOf(near({ lat: [80, 5], lon: [4] }))).toEqual(['1']);
});

test('the last of two bounds on one side counts', async () => {
  expect(await idsOf({ query: { range: { w: { gt: 5, gte: 2 } } } })).toEqual(['1', '2']);
  expect(await idsOf({ query: { range: { w: { gte: 2, gt: 5 } } } })).toEqual([]);
});

test('terms of booleans may ignore case', async () => {
  expect(await idsOf({ query: { term: { flag: { value: true, case_insensitive: true } } } })).toEqual(['1']);
});

test('sorts format dates', async () => {
  const { hits } = await node.ok('POST /docs/_search', { sort: [{ at: { order: 'desc', format: 'yyyy/MM/dd' } }] });
  expect(hits.hits.map(({ sort }: { sort: unknown[] }) => sort)).toEqual([['2024/01/06'], ['2024/01/04']]);
});

test('several weights count only in documents with a value', async () => {
  const average = (field: string) => ({ weighted_avg: { value: { field }, weight: { field: 'w', missing: null } } });
  const { aggregations } = await node.ok('POST /docs/_search', { aggs: { a: average('n') } });
  expect(aggregations.a.value).toBe(1);
  expect(await errorOf({ aggs: { a: average('w') } })).toBe(`${SHARDS}illegal_argument_exception`);
});

test.each<[string, object, number]>([
  ['term', { value: '' }, 1],
  ['term', { value: '', case_insensitive: true }, 0],
  ['wildcard', { value: '' }, 0],
  ['wildcard', { value: '', case_insensitive: true }, 0],
  ['wildcard', { value: '*' }, 1],
  ['prefix', { value: '', case_insensitive: true }, 1],
  ['regexp', { value: '' }, 1],
])('%s %j finds an empty value', async (kind, options, expected) => {
  await node.ok('PUT /empty/_doc/1?refresh=true', { tag: '' });
  const { json } = await node.send('POST /empty/_search', { query: { [kind]: { 'tag.keyword': options } } });
  expect(json.hits.total.value).toBe(expected);
});
