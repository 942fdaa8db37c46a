// All aggregation types by name.

import { didYouMean } from '../common/text/nearest-name.ts';
import { ApiError } from '../errors/api-error.ts';
import { categorizeTextType } from './buckets/categorize-text.ts';
import { compositeType } from './buckets/composite/composite.ts';
import { adjacencyMatrixType, filtersType, filterType, globalType, missingType, nestedType, reverseNestedType } from './buckets/filters.ts';
import { geohashGridType, geotileGridType } from './buckets/geo-grids.ts';
import { geohexGridType } from './buckets/geohex-grid.ts';
import { autoDateHistogramType } from './buckets/histograms/auto-date.ts';
import { dateHistogramType } from './buckets/histograms/date-histogram.ts';
import { histogramType } from './buckets/histograms/histogram.ts';
import { variableWidthHistogramType } from './buckets/histograms/variable-width.ts';
import { ipPrefixType } from './buckets/ip-prefix.ts';
import { randomSamplerType } from './buckets/random-sampler.ts';
import { dateRangeType, geoDistanceType, ipRangeType, rangeType } from './buckets/ranges.ts';
import { childrenType, parentType } from './buckets/related.ts';
import { diversifiedSamplerType, samplerAggType } from './buckets/sampler.ts';
import { significantTermsType } from './buckets/significant/significant-terms.ts';
import { significantTextType } from './buckets/significant/significant-text.ts';
import { frequentItemSetsType } from './buckets/terms/frequent-item-sets.ts';
import { multiTermsType } from './buckets/terms/multi-terms.ts';
import { rareTermsType, termsType } from './buckets/terms/terms.ts';
import { timeSeriesType } from './buckets/terms/time-series.ts';
import { boxplotType } from './metrics/boxplot.ts';
import { cardinalityType } from './metrics/cardinality.ts';
import { geoBoundsType, geoCentroidType, matrixStatsType, topHitsType, weightedAvgType } from './metrics/documents.ts';
import { geoLineType } from './metrics/geo-line.ts';
import { avgType, extendedStatsType, maxType, minType, statsType, sumType, valueCountType } from './metrics/numeric.ts';
import { medianAbsoluteDeviationType, percentileRanksType, percentilesType } from './metrics/percentiles.ts';
import { rateType } from './metrics/rate.ts';
import { scriptedMetricType } from './metrics/scripted.ts';
import { stringStatsType } from './metrics/string-stats.ts';
import { tTestType } from './metrics/t-test.ts';
import { topMetricsType } from './metrics/top-metrics.ts';
import { PIPELINE_NAMES } from './pipelines/pipelines.ts';
import type { AggType } from './types.ts';

const TYPES: Readonly<Record<string, AggType>> = {
  adjacency_matrix: adjacencyMatrixType,
  auto_date_histogram: autoDateHistogramType,
  avg: avgType,
  boxplot: boxplotType,
  cardinality: cardinalityType,
  categorize_text: categorizeTextType,
  children: childrenType,
  composite: compositeType,
  date_histogram: dateHistogramType,
  date_range: dateRangeType,
  diversified_sampler: diversifiedSamplerType,
  extended_stats: extendedStatsType,
  filter: filterType,
  filters: filtersType,
  frequent_item_sets: frequentItemSetsType,
  geo_bounds: geoBoundsType,
  geo_centroid: geoCentroidType,
  geo_distance: geoDistanceType,
  geo_line: geoLineType,
  geohash_grid: geohashGridType,
  geohex_grid: geohexGridType,
  geotile_grid: geotileGridType,
  global: globalType,
  histogram: histogramType,
  ip_prefix: ipPrefixType,
  ip_range: ipRangeType,
  matrix_stats: matrixStatsType,
  max: maxType,
  median_absolute_deviation: medianAbsoluteDeviationType,
  min: minType,
  missing: missingType,
  multi_terms: multiTermsType,
  nested: nestedType,
  parent: parentType,
  percentile_ranks: percentileRanksType,
  percentiles: percentilesType,
  random_sampler: randomSamplerType,
  range: rangeType,
  rate: rateType,
  rare_terms: rareTermsType,
  reverse_nested: reverseNestedType,
  sampler: samplerAggType,
  scripted_metric: scriptedMetricType,
  significant_terms: significantTermsType,
  significant_text: significantTextType,
  stats: statsType,
  string_stats: stringStatsType,
  sum: sumType,
  t_test: tTestType,
  terms: termsType,
  time_series: timeSeriesType,
  top_hits: topHitsType,
  top_metrics: topMetricsType,
  value_count: valueCountType,
  variable_width_histogram: variableWidthHistogramType,
  weighted_avg: weightedAvgType,
};

/** Names of all aggregations except pipelines. */
export const AGG_NAMES: readonly string[] = Object.keys(TYPES);

/** Types of Elasticsearch that are refused as unsupported instead of unknown. */
export const KNOWN_ELSEWHERE: ReadonlySet<string> = new Set(['cartesian_bounds', 'cartesian_centroid', 'inference']); // prettier-ignore

export function aggType(name: string): AggType | null {
  return Object.hasOwn(TYPES, name) ? TYPES[name] : null;
}

/** The error for an unknown type, with the nearest known name. */
export function unknownTypeError(name: string): ApiError {
  const hint = didYouMean(name, [...Object.keys(TYPES), ...PIPELINE_NAMES]);
  const causedBy = new ApiError('named_object_not_found_exception', 400, `unknown field [${name}]`);
  return new ApiError('parsing_exception', 400, `Unknown aggregation type [${name}]${hint}`, { causedBy });
}
