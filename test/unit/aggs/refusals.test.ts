// Elasticsearch 8.15's errors for parameters that an aggregation does not have, and `missing` and `bounds` of geo aggregations.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { boxesOverlap, geohashBox, geotileBox } from '../../../src/aggs/geo.ts';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  const properties = {
    tag: { type: 'keyword' },
    count: { type: 'integer' },
    place: { type: 'geo_point' },
    parts: { type: 'nested', properties: { n: { type: 'integer' } } },
  };
  await node.ok('PUT /shops', { mappings: { properties } });
  await node.ok('PUT /shops/_doc/1?refresh=true', { tag: 'x', count: 1, place: '1,2', parts: [{ n: 1 }] });
  await node.ok('PUT /shops/_doc/2?refresh=true', { tag: 'y', count: 2 });
});
afterAll(() => node.close());

async function refusal(type: string, body: object): Promise<{ type: string; root: string }> {
  const { status, json } = await node.send('POST /shops/_search?size=0', { aggs: { a: { [type]: body } } });
  expect(status).toBe(400);
  return { type: json.error.type, root: `${json.error.root_cause[0].type}: ${json.error.root_cause[0].reason}` };
}

async function answer(type: string, body: object): Promise<any> {
  return (await node.ok('POST /shops/_search?size=0', { aggs: { a: { [type]: body } } })).aggregations.a;
}

test.each([
  ['filters', { filters: { x: { match_all: {} } }, other: 1 }, 'Unknown key for a VALUE_NUMBER in [a]: [other].'],
  ['nested', { path: 'parts', other: 'x' }, 'Unknown key for a VALUE_STRING in [a]: [other].'],
  ['nested', { path: 'parts', other: 1 }, 'Unexpected token VALUE_NUMBER in [a].'],
  ['global', { other: {} }, 'Expected [FIELD_NAME] under a [START_OBJECT], but got a [START_OBJECT] in [a]'],
  ['sampler', { other: 1 }, 'Unsupported property "other" for aggregation "a'],
])('refuses %s with the parameters %j', async (type, body, reason) => {
  expect(await refusal(type, body)).toEqual({ type: 'parsing_exception', root: `parsing_exception: ${reason}` });
});

test('the root cause of an unknown parameter is the parser of the part', async () => {
  const significant = await refusal('significant_terms', { field: 'tag', other: 1 });
  expect(significant).toEqual({
    type: 'x_content_parse_exception',
    root: 'named_object_not_found_exception: [1:58] unknown field [other]',
  });
  const ranges = await refusal('geo_distance', { field: 'place', origin: '0,0', ranges: [{ to: 1, other: 1 }] });
  expect(ranges).toEqual({
    type: 'x_content_parse_exception',
    root: 'parsing_exception: Failed to parse object: unknown field [other] found',
  });
});

test.each(['cardinality', 'geo_bounds', 'geo_centroid', 'geohash_grid', 'geotile_grid'])('%s has no format', async (type) => {
  const { root } = await refusal(type, { field: 'place', format: '0.0' });
  expect(root).toMatch(new RegExp(`^x_content_parse_exception: \\[1:\\d+\\] \\[${type}\\] unknown field \\[format\\]$`));
});

test('value_type must fit the field', async () => {
  const { root } = await refusal('value_count', { field: 'tag', value_type: 'long' });
  expect(root).toContain('Field type [keyword] is incompatible with specified value_type [byte|short|integer|long]');
  expect(await answer('value_count', { field: 'count', value_type: 'double' })).toEqual({ value: 2 });
});

test('a sibling pipeline does not read the page of a composite aggregation', async () => {
  const aggs = { c: { composite: { sources: [{ t: { terms: { field: 'tag' } } }] } }, s: { max_bucket: { buckets_path: 'c>_count' } } };
  const { status, json } = await node.send('POST /shops/_search', { aggs });
  expect([status, json.error.type]).toEqual([400, 'action_request_validation_exception']);
});

test('documents without a point get the point of `missing`, also if the field is not mapped', async () => {
  const { bounds } = await answer('geo_bounds', { field: 'place', missing: '5,6' });
  expect(bounds.top_left.lat).toBeCloseTo(5, 5);
  expect(bounds.bottom_right.lon).toBeCloseTo(6, 5);
  expect((await answer('geo_centroid', { field: 'place', missing: '5,6' })).count).toBe(2);
  expect((await answer('geohash_grid', { field: 'elsewhere', missing: '1,2' })).buckets).toEqual([{ key: 's01mt', doc_count: 2 }]);
  expect((await answer('geotile_grid', { field: 'elsewhere', missing: '1,2' })).buckets).toEqual([{ key: '7/64/63', doc_count: 2 }]);
});

test('grids with bounds have only cells that overlap them', async () => {
  const near = { top_left: '4,1', bottom_right: '0,3' };
  const far = { top_left: '44,1', bottom_right: '40,3' };
  for (const type of ['geohash_grid', 'geotile_grid']) {
    expect((await answer(type, { field: 'place', bounds: near })).buckets).toHaveLength(1);
    expect((await answer(type, { field: 'place', bounds: far })).buckets).toEqual([]);
  }
});

test('cells have edges, and bounds may cross the date line', () => {
  // 1/0/0 is the north-west quarter of the map.
  const tile = geotileBox(1n << 58n);
  expect([tile.left, tile.right, tile.bottom]).toEqual([-180, 0, 0]);
  expect(tile.top).toBeCloseTo(85.0511, 4);
  // The geohash `s`, whose value is 24, of length 1.
  const cell = geohashBox((24n << 4n) | 1n);
  expect([cell.left, cell.bottom]).toEqual([0, 0]);
  const pacific = { left: 170, right: -170, top: 10, bottom: -10 };
  expect(boxesOverlap({ left: 175, right: 176, top: 1, bottom: 0 }, pacific)).toBe(true);
  expect(boxesOverlap({ left: -176, right: -175, top: 1, bottom: 0 }, pacific)).toBe(true);
  expect(boxesOverlap({ left: 0, right: 1, top: 1, bottom: 0 }, pacific)).toBe(false);
});

test('the problems of all pipelines are reported together, those of outer levels first', async () => {
  const inner = { sum: { sum: { field: 'count' } }, p: { cumulative_sum: { buckets_path: 'nothing' } } };
  const aggs = {
    a: { terms: { field: 'tag' }, aggs: inner },
    b: { filter: { match_all: {} } },
    s: { sum_bucket: { buckets_path: 'b>_count' } },
  };
  const { json } = await node.send('POST /shops/_search', { aggs });
  expect(json.error.reason).toBe(
    'Validation Failed: 1: Unable to find unqualified multi-bucket aggregation in buckets_path. Path must include a multi-bucket aggregation for aggregation [s] found :org.elasticsearch.search.aggregations.bucket.filter.FilterAggregationBuilder for buckets path: b>_count;2: No aggregation found for path [nothing];',
  );
});

test('include and exclude refuse values that the type of the field does not have', async () => {
  const reasonOf = async (field: string, include: unknown) => {
    const { json } = await node.send('POST /shops/_search', { aggs: { a: { terms: { field, include } } } });
    return json.error.root_cause[0].reason;
  };
  expect(await reasonOf('count', ['x'])).toBe('For input string: "x"');
  expect(await reasonOf('tag', { partition: 3, num_partitions: 2 })).toContain('Partition must be < num_partitions');
});

test('top hits of size 0 are refused where there are documents', async () => {
  const { json } = await node.send('POST /shops/_search', { aggs: { a: { top_hits: { size: 0 } } } });
  expect(json.error.root_cause[0].reason).toBe(
    'numHits must be > 0; please use TotalHitCountCollectorManager if you just need the total hit count',
  );
});

test('pipelines over successive buckets need the buckets without documents', async () => {
  const inner = { p: { cumulative_sum: { buckets_path: '_count' } } };
  const aggs = { h: { histogram: { field: 'count', interval: 1, min_doc_count: 1 }, aggs: inner } };
  const { json } = await node.send('POST /shops/_search', { aggs });
  expect(json.error.reason).toBe('Validation Failed: 1: parent histogram of cumulative_sum aggregation [p] must have min_doc_count of 0;');
});
