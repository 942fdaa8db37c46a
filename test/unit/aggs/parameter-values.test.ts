// Values of parameters: numbers as texts, execution hints, gap policies, time zones, and the figures of pipelines in a format.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  const properties = { l: { type: 'long' }, d: { type: 'double' }, k: { type: 'keyword' }, al: { type: 'alias', path: 'k' } };
  await node.ok('PUT /docs', { mappings: { properties } });
  await node.ok('PUT /docs/_doc/1?refresh=true', { l: 3, d: 12345.5, k: 'a' });
});
afterAll(() => node.close());

/** Type and reason of the root cause, and those of the error's cause. */
async function refused(aggregation: object): Promise<string> {
  const { status, json } = await node.send('POST /docs/_search', { size: 0, aggs: { a: aggregation } });
  expect(status, JSON.stringify(aggregation)).toBe(400);
  const [root] = json.error.root_cause;
  const cause = json.error.caused_by;
  return `${root.type}: ${root.reason.replace(/^\[\d+:\d+\] /, '')}${cause ? ` <- ${cause.type}: ${cause.reason}` : ''}`;
}

const histogram = { histogram: { field: 'l', interval: 5 }, aggs: { s: { sum: { field: 'd' } } } };
const sibling = async (aggs: object) => (await node.ok('POST /docs/_search', { size: 0, aggs: { o: histogram, ...aggs } })).aggregations;

test('numbers may be given as texts, and other texts are no numbers', async () => {
  const { aggregations } = await node.ok('POST /docs/_search', { size: 0, aggs: { a: { histogram: { field: 'l', interval: '5' } } } });
  expect(aggregations.a.buckets).toEqual([{ key: 0, doc_count: 1 }]);
  const wrong = (type: string, key: string) =>
    `x_content_parse_exception: [${type}] failed to parse field [${key}] <- number_format_exception: For input string: "x"`;
  expect(await refused({ histogram: { field: 'l', interval: 'x' } })).toBe(wrong('histogram', 'interval'));
  expect(await refused({ terms: { field: 'l', size: 'x' } })).toBe(wrong('terms', 'size'));
  expect(await refused({ percentile_ranks: { field: 'l', values: [1, 'x'] } })).toBe(wrong('percentile_ranks', 'values'));
  expect(await refused({ histogram: { field: 'l', interval: true } })).toBe(
    "x_content_parse_exception: [histogram] interval doesn't support values of type: VALUE_BOOLEAN",
  );
});

test('unknown execution hints are refused by the fields that have hints', async () => {
  const hint = { execution_hint: 'x' };
  expect(await refused({ terms: { field: 'k', ...hint } })).toContain(
    'Unknown `execution_hint`: [x], expected any of [map, global_ordinals]',
  );
  expect(await refused({ diversified_sampler: { field: 'k', ...hint }, aggs: { t: { terms: { field: 'k' } } } })).toContain(
    'expected any of [map, bytes_hash, global_ordinals]',
  );
  expect(await refused({ cardinality: { field: 'l', ...hint } })).toContain('expected one of [global_ordinal, segment_ordinal, direct]');
  const aggs = { t: { terms: { field: 'l', ...hint } }, c: { cardinality: { field: 'l', execution_hint: 'save_time_heuristic' } } };
  await node.ok('POST /docs/_search', { aggs });
});

test('an alias is refused under the name of its field', async () => {
  expect(await refused({ sum: { field: 'al' } })).toContain('Field [k] of type [keyword] is not supported for aggregation [sum]');
});

test('an unknown time zone is refused before the search', async () => {
  const ranges = { field: 'l', ranges: [{ to: 1 }] };
  expect(await refused({ date_range: { ...ranges, time_zone: 'x' } })).toBe(
    'x_content_parse_exception: [date_range] failed to parse field [time_zone] <- date_time_exception: Invalid ID for ZoneOffset, invalid format: x',
  );
  expect(await refused({ date_range: { ...ranges, time_zone: 'Mars/Base' } })).toContain(
    'zone_rules_exception: Unknown time-zone ID: Mars/Base',
  );
});

test('pipelines name their gap policies and the aggregation that is no number', async () => {
  const pipeline = (options: object) => node.send('POST /docs/_search', { size: 0, aggs: { o: histogram, p: { avg_bucket: options } } });
  expect((await pipeline({ buckets_path: 'o>s', gap_policy: 'x' })).json.error.reason).toContain(
    'Invalid gap policy: [x], accepted values: [insert_zeros, skip, keep_values]',
  );
  expect((await pipeline({ buckets_path: 'o' })).json.error.caused_by.reason).toBe(
    'buckets_path must reference either a number value or a single value numeric metric aggregation, got: [Bucket] at aggregation [o]',
  );
});

test('extended_stats_bucket shows its figures in its format', async () => {
  const { p, q } = await sibling({
    p: { extended_stats_bucket: { buckets_path: 'o>s', format: '0.0' } },
    q: { extended_stats_bucket: { buckets_path: 'o>s' } },
  });
  expect(p).toMatchObject({
    sum_as_string: '12345.5',
    variance_as_string: '0.0',
    variance_sampling_as_string: 'NaN',
    std_deviation_bounds_as_string: { upper: '12345.5', lower_sampling: 'NaN' },
  });
  expect(Object.keys(q).filter((name) => name.endsWith('_as_string'))).toEqual([]);
});

test('an empty format groups digits and keeps all of the fraction', async () => {
  const { a } = (await node.ok('POST /docs/_search', { size: 0, aggs: { a: { sum: { field: 'd', format: '' } } } })).aggregations;
  expect(a).toEqual({ value: 12345.5, value_as_string: '12,345.5' });
});
