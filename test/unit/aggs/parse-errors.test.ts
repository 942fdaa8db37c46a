// How the parsers of aggregations and pipelines refuse values: each kind of parser has its words. The answers are those of Elasticsearch 8.15.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /few', { mappings: { properties: { n: { type: 'integer' }, k: { type: 'keyword' }, g: { type: 'geo_point' } } } });
});
afterAll(() => node.close());

const failure = async (aggs: object) => {
  const { json } = await node.send('POST /few/_search', { size: 0, aggs });
  return [json.error.type, json.error.reason.replace(/^\[\d+:\d+\] /, '')];
};
const buckets = (pipeline: object) => ({
  a: { histogram: { field: 'n', interval: 1 }, aggs: { m: { max: { field: 'n' } }, p: pipeline } },
});
const beside = (pipeline: object) => ({ a: { histogram: { field: 'n', interval: 1 }, aggs: { m: { max: { field: 'n' } } } }, p: pipeline });

test.each([
  [beside({ avg_bucket: { buckets_path: -1 } }), 'parsing_exception', 'Unexpected token VALUE_NUMBER [buckets_path] in [p]'],
  [
    beside({ percentiles_bucket: { buckets_path: 'a>m', format: null } }),
    'parsing_exception',
    'Unexpected token VALUE_NULL [format] in [p]',
  ],
  [beside({ stats_bucket: { buckets_path: 'a>m', unknown: {} } }), 'parsing_exception', 'Unexpected token START_OBJECT [unknown] in [p]'],
  [buckets({ serial_diff: { buckets_path: 'm', format: 1 } }), 'parsing_exception', 'Unknown key for a VALUE_NUMBER in [p]: [format].'],
  [buckets({ serial_diff: { buckets_path: 'm', format: true } }), 'parsing_exception', 'Unexpected token VALUE_BOOLEAN in [p].'],
  [
    buckets({ cumulative_sum: { buckets_path: true } }),
    'x_content_parse_exception',
    "[cumulative_sum] buckets_path doesn't support values of type: VALUE_BOOLEAN",
  ],
  [
    { a: { terms: { field: 'k', include: 1 } } },
    'x_content_parse_exception',
    "[terms] include doesn't support values of type: VALUE_NUMBER",
  ],
  [{ a: { terms: { field: 'k', exclude: [{}] } } }, 'x_content_parse_exception', '[terms] failed to parse field [exclude]'],
  [
    { a: { significant_terms: { field: 'k', background_filter: { a: 1 } } } },
    'x_content_parse_exception',
    '[significant_terms] failed to parse field [background_filter]',
  ],
  [
    { a: { geohash_grid: { field: 'g', bounds: { top_left: null, bottom_right: '1,1' } } } },
    'x_content_parse_exception',
    '[geohash_grid] failed to parse field [bounds]',
  ],
  [{ a: { top_hits: { highlight: [] } } }, 'parsing_exception', 'Unknown key for a START_ARRAY in [highlight].'],
  [{ a: { top_hits: { _source: { a: 1 } } } }, 'parsing_exception', 'Unknown key for a VALUE_NUMBER in [a].'],
  [
    { a: { top_hits: { sort: [1] } } },
    'illegal_argument_exception',
    'malformed sort format, within the sort array, an object, or an actual string are allowed',
  ],
])('%j', async (aggs, type, reason) => {
  expect(await failure(aggs)).toEqual([type, reason]);
});

test.each([
  [{ to: [] }, 'Failed to parse object: unexpected token [START_ARRAY] found'],
  [{ from: true, to: 1 }, 'Failed to parse object: unexpected token [VALUE_BOOLEAN] found'],
  [{ key: 1, to: 3 }, 'Failed to parse object: unknown field [key] found'],
  [{ from_as_string: '1', to: 3 }, 'Failed to parse object: unknown field [from_as_string] found'],
])('the range %j of geo_distance ends its parser', async (range, reason) => {
  const { json } = await node.send('POST /few/_search', { aggs: { a: { geo_distance: { field: 'g', origin: '0,0', ranges: [range] } } } });
  expect([json.error.type, json.error.root_cause[0].type]).toEqual(['x_content_parse_exception', 'parsing_exception']);
  expect(json.error.root_cause[0].reason.replace(/^\[\d+:\d+\] /, '')).toBe(reason);
});

test('ends of ranges of geo_distance may be null', async () => {
  const { aggregations } = await node.ok('POST /few/_search', {
    aggs: { a: { geo_distance: { field: 'g', origin: '0,0', ranges: [{ key: null, from: null, to: 2 }] } } },
  });
  expect(aggregations.a.buckets.map(({ key }: { key: string }) => key)).toEqual(['*-2.0']);
});
