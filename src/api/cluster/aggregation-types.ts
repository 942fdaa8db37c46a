// The value types that each aggregation supports, for `_nodes/aggregations`.
import { AGG_NAMES } from '../../aggs/registry.ts';
import type { Dialect } from '../../compat/dialect.ts';

const NUMBERS = ['boolean', 'date', 'numeric'] as const;
const NUMBERS_AND_COUNTERS = ['boolean', 'counter', 'date', 'numeric'] as const;
const POINTS = ['geopoint', 'position'] as const;
const TERMS = ['boolean', 'date', 'ip', 'keyword', 'numeric'] as const;
const ALL_VALUES = ['boolean', 'date', 'geopoint', 'ip', 'keyword', 'numeric', 'range'] as const;
const WITH_COUNTERS = ['boolean', 'counter', 'date', 'geopoint', 'ip', 'keyword', 'numeric', 'range'] as const;

/** Value types by aggregation, as Elasticsearch 8 lists them; aggregations that are absent work on documents, not on values of a field. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  auto_date_histogram: NUMBERS,
  avg: NUMBERS_AND_COUNTERS,
  boxplot: NUMBERS_AND_COUNTERS,
  cardinality: WITH_COUNTERS,
  date_histogram: ['boolean', 'date', 'numeric', 'range'],
  date_range: NUMBERS,
  diversified_sampler: ['boolean', 'date', 'keyword', 'numeric'],
  extended_stats: NUMBERS_AND_COUNTERS,
  geo_bounds: POINTS,
  geo_centroid: POINTS,
  geo_distance: ['geopoint'],
  geo_line: ['geopoint'],
  geohash_grid: ['geopoint'],
  geotile_grid: ['geopoint'],
  histogram: ['boolean', 'counter', 'date', 'numeric', 'range'],
  ip_prefix: ['ip'],
  ip_range: ['ip'],
  max: NUMBERS_AND_COUNTERS,
  median_absolute_deviation: ['counter', 'numeric'],
  min: NUMBERS_AND_COUNTERS,
  missing: ALL_VALUES,
  multi_terms: TERMS,
  percentile_ranks: NUMBERS_AND_COUNTERS,
  percentiles: NUMBERS_AND_COUNTERS,
  range: NUMBERS_AND_COUNTERS,
  rare_terms: TERMS,
  significant_terms: TERMS,
  stats: NUMBERS_AND_COUNTERS,
  string_stats: ['keyword'],
  sum: NUMBERS_AND_COUNTERS,
  t_test: ['numeric'],
  terms: TERMS,
  top_metrics: ['boolean', 'date', 'numeric'],
  value_count: WITH_COUNTERS,
  variable_width_histogram: ['counter', 'numeric'],
  weighted_avg: ['numeric'],
};

/** OpenSearch has no time series, and calls values of keywords bytes. */
function inOpenSearch(kinds: readonly string[]): string[] {
  return kinds
    .filter((kind) => kind !== 'counter' && kind !== 'position')
    .map((kind) => (kind === 'keyword' ? 'bytes' : kind))
    .sort();
}

export function aggregationTypes({ namesClusterManager: isOpenSearch }: Dialect): Record<string, { types: readonly string[] }> {
  return Object.fromEntries(
    AGG_NAMES.map((name) => {
      const kinds = KINDS[name] ?? ['other'];
      return [name, { types: isOpenSearch ? inOpenSearch(kinds) : kinds }];
    }),
  );
}
