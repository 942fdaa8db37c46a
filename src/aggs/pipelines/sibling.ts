// Sibling pipelines: figures over the buckets of an aggregation on the same level. avg_bucket, sum_bucket, min_bucket, max_bucket, stats_bucket,
// extended_stats_bucket, percentiles_bucket, bucket_correlation, bucket_count_ks_test, change_point.

import { jsonDouble } from '../../common/json/json-float.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { javaDouble } from '../../common/text/java-text.ts';
import type { Dialect } from '../../compat/dialect.ts';
import type { ApiError } from '../../errors/api-error.ts';
import { executionError, illegalArgumentError, validationError } from '../errors.ts';
import type { Params } from '../params.ts';
import { ChangePointOut, type Figure, jsonFigures, MetricOut, type OutAgg, type OutBucket } from '../reduce/out.ts';
import type { PipelineSpec } from '../types.ts';
import { parseCountTest } from './bucket-count-test.ts';
import { figureAt, noFigureError, parsePath } from './bucket-path.ts';
import { findChange, MAX_VALUES, MIN_VALUES } from './change-points.ts';
import { parseCorrelation } from './correlation.ts';
import { type PipelineBody, withGap } from './pipeline-body.ts';

/** The figure of a bucket, with the name of the bucket. */
interface Point {
  readonly bucket: OutBucket;
  readonly name: string;
  readonly value: number;
}

/** A path that ends at an aggregation with buckets. */
function noNumberError(name: string, { blamesAggregationRequests }: Dialect): ApiError {
  const wanted = 'a number value or a single value numeric metric aggregation';
  const reason = `buckets_path must reference either ${wanted}, got: [Bucket] at aggregation [${name}]`;
  return blamesAggregationRequests ? illegalArgumentError(reason) : executionError(reason);
}

/** Figures of all buckets on the path; buckets without one are skipped or count as 0. */
function pointsAt(aggs: ReadonlyMap<string, OutAgg>, path: string, body: PipelineBody): Point[] {
  const [first, ...tail] = parsePath(path);
  // `list.metric` means `list>metric` if `list` has buckets.
  const rest = tail.length === 0 && first.key !== null ? [{ name: first.key, key: null }] : tail;
  if (rest.length === 0) throw noNumberError(first.name, body.dialect);
  const agg = aggs.get(first.name);
  if (!agg) throw illegalArgumentError(`No aggregation found for path [${path}]`);
  const below = path.slice(path.indexOf('>') + 1);
  if (agg.inside) return pointsAt(agg.inside, below, body);
  // A path with a key enters one bucket.
  if (agg.buckets && first.key !== null && tail.length > 1) {
    const entered = agg.buckets.find(({ name, key }) => name === first.key || String(key) === first.key);
    return entered ? pointsAt(entered.aggs, below, body) : [];
  }
  const points: Point[] = [];
  for (const bucket of agg.buckets ?? []) {
    const inner = rest.length > 0 ? bucket.aggs.get(rest[0].name) : undefined;
    // All buckets of a multi-bucket aggregation on the path count.
    if (inner?.buckets && rest.length > 1 && rest[0].key === null) {
      if (inner.typedName.endsWith('terms')) throw noFigureError(bucket.aggs, rest, path, body.dialect);
      points.push(...pointsAt(bucket.aggs, below, body));
      continue;
    }
    const figure = figureAt(bucket, rest);
    // A path into the buckets that names no aggregation has no value in any of them.
    if (figure === undefined && !bucket.aggs.has(rest[0].name)) continue;
    if (figure === undefined) throw noFigureError(bucket.aggs, rest, path, body.dialect);
    const value = withGap(figure, bucket.docCount, body.gap, rest[rest.length - 1]?.name === '_count');
    if (!Number.isNaN(value)) points.push({ bucket, name: bucket.name, value });
  }
  return points;
}

type Shape = (
  points: readonly Point[],
  text: (value: Figure) => string | null,
) => { json: MutableJsonObject; figures: Record<string, Figure> };

function sibling(shapeOf: (p: Params) => Shape, typedName: string) {
  return (p: Params, body: PipelineBody): PipelineSpec['sibling'] => {
    const shape = shapeOf(p);
    const { path, text } = body;
    return (aggs) => {
      const { json, figures } = shape(pointsAt(aggs, path, body), text);
      return new MetricOut(body, typedName, json, figures);
    };
  };
}

function value(figure: Figure, text: (value: Figure) => string | null): { json: MutableJsonObject; figures: Record<string, Figure> } {
  const asText = text(figure);
  return {
    json: { value: jsonDouble(figure), ...(asText === null ? {} : { value_as_string: asText }) },
    figures: { '': figure, value: figure },
  };
}

function sumOf(points: readonly Point[]): number {
  return points.reduce((sum, point) => sum + point.value, 0);
}

function best(points: readonly Point[], sign: number, text: (value: Figure) => string | null) {
  let top: number | null = null;
  for (const point of points) if (top === null || point.value * sign > top * sign) top = point.value;
  const keys = points.filter((point) => point.value === top).map((point) => point.name);
  const shown = value(top, text);
  return { json: { ...shown.json, keys }, figures: shown.figures };
}

function statsOf(points: readonly Point[]): Record<string, Figure> {
  const count = points.length;
  const sum = sumOf(points);
  const values = points.map((point) => point.value);
  return { count, min: count ? Math.min(...values) : null, max: count ? Math.max(...values) : null, avg: count ? sum / count : null, sum };
}

/** The sampling figures of one value are not numbers. */
function textOf(figure: Figure, text: (value: Figure) => string | null): string | null {
  return Number.isNaN(figure) && text(0) !== null ? 'NaN' : text(figure);
}

/** The members `…_as_string` in the format of the aggregation; none without a format or points. */
function textsOf({ count, ...figures }: Record<string, Figure>, text: (value: Figure) => string | null): MutableJsonObject {
  const texts = Object.entries(figures).map(([name, figure]) => [`${name}_as_string`, count === 0 ? null : textOf(figure, text)] as const);
  return Object.fromEntries(texts.filter(([, value]) => value !== null));
}

function extendedOf(
  points: readonly Point[],
  sigma: number,
  text: (value: Figure) => string | null,
): { json: MutableJsonObject; figures: Record<string, Figure> } {
  const basic = statsOf(points);
  const count = points.length;
  const sum = sumOf(points);
  const squares = points.reduce((total, point) => total + point.value * point.value, 0);
  const spread = squares - (sum * sum) / count;
  const population = count ? Math.max(spread / count, 0) : null;
  const sampling = count > 1 ? Math.max(spread / (count - 1), 0) : count ? Number.NaN : null;
  const root = (v: number | null) => (v === null ? null : Math.sqrt(v));
  const bound = (v: number | null, sign: number) => (v === null ? null : sum / count + sign * sigma * v);
  const figures = {
    ...basic,
    sum_of_squares: count ? squares : null,
    variance: population,
    variance_population: population,
    variance_sampling: sampling,
    std_deviation: root(population),
    std_deviation_population: root(population),
    std_deviation_sampling: root(sampling),
  }; // prettier-ignore
  const bounds = {
    upper: bound(figures.std_deviation, 1),
    lower: bound(figures.std_deviation, -1),
    upper_population: bound(figures.std_deviation_population, 1),
    lower_population: bound(figures.std_deviation_population, -1),
    upper_sampling: bound(figures.std_deviation_sampling, 1),
    lower_sampling: bound(figures.std_deviation_sampling, -1),
  }; // prettier-ignore
  const limits = Object.entries(bounds).flatMap(([name, figure]) => (count === 0 ? [] : [[name, textOf(figure, text)] as const]));
  const shown = limits.some(([, value]) => value !== null) ? { std_deviation_bounds_as_string: Object.fromEntries(limits) } : {};
  return {
    json: { ...jsonFigures(figures), std_deviation_bounds: jsonFigures(bounds), ...textsOf(figures, text), ...shown },
    figures,
  };
}

/** Nearest rank, as Elasticsearch's percentiles_bucket. */
function percentileOf(sorted: readonly number[], percent: number): number | null {
  if (sorted.length === 0) return null;
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.round((percent / 100) * (sorted.length - 1))))];
}

function correlation(p: Params, body: PipelineBody): PipelineSpec['sibling'] {
  const correlate = parseCorrelation(p);
  const last = parsePath(body.path).at(-1)?.name;
  if (last !== '_count') throw validationError([`buckets_path must end in [_count] for aggregation [${body.name}], got [${body.path}]`]);
  return (aggs) => {
    // Empty buckets count.
    const points = pointsAt(aggs, body.path, { ...body, gap: 'insert_zeros' });
    const { json, figures } = value(correlate(points.map((point) => point.value)), body.text);
    return new MetricOut(body, 'simple_value', json, figures);
  };
}

function changePoint(_p: Params, body: PipelineBody): PipelineSpec['sibling'] {
  return (aggs) => {
    const points = pointsAt(aggs, body.path, body);
    if (points.length < MIN_VALUES) {
      const reason = `not enough buckets to calculate change_point. Requires at least [${MIN_VALUES}]; found [${points.length}]`;
      return new ChangePointOut(body, { indeterminable: { reason } }, null);
    }
    if (points.length > MAX_VALUES)
      throw illegalArgumentError(`[change_point] reads at most [${MAX_VALUES}] buckets; found [${points.length}]`);
    const { type, figures, at } = findChange(points.map((point) => point.value));
    if (at === null) return new ChangePointOut(body, { [type]: figures }, null);
    return new ChangePointOut(body, { [type]: { ...figures, change_point: at } }, points[at].bucket);
  };
}

function countTest(p: Params, body: PipelineBody): PipelineSpec['sibling'] {
  const test = parseCountTest(p);
  if (parsePath(body.path).at(-1)?.name !== '_count')
    throw validationError([`buckets_path must end in [_count] for aggregation [${body.name}], got [${body.path}]`]);
  return (aggs) => {
    const points = pointsAt(aggs, body.path, { ...body, gap: 'insert_zeros' });
    const figures = test(points.map((point) => point.value));
    return new MetricOut(body, 'bucket_count_ks_test', jsonFigures(figures), figures);
  };
}

export const SIBLING_PIPELINES: Readonly<Record<string, (p: Params, body: PipelineBody) => PipelineSpec['sibling']>> = {
  bucket_correlation: correlation,
  bucket_count_ks_test: countTest,
  change_point: changePoint,
  sum_bucket: sibling(() => (points, text) => value(sumOf(points), text), 'simple_value'),
  avg_bucket: sibling(() => (points, text) => value(points.length ? sumOf(points) / points.length : null, text), 'simple_value'),
  min_bucket: sibling(() => (points, text) => best(points, -1, text), 'bucket_metric_value'),
  max_bucket: sibling(() => (points, text) => best(points, 1, text), 'bucket_metric_value'),
  stats_bucket: sibling(
    () => (points, text) => {
      const figures = statsOf(points);
      return { json: { ...jsonFigures(figures), ...textsOf(figures, text) }, figures };
    },
    'stats_bucket',
  ),
  extended_stats_bucket: sibling((p) => {
    const sigma = p.number('sigma') ?? 2;
    if (sigma < 0) throw illegalArgumentError('sigma must be a non-negative double');
    return (points, text) => extendedOf(points, sigma, text);
  }, 'extended_stats_bucket'),
  percentiles_bucket: sibling((p) => {
    const percents = p.numbers('percents') ?? [1, 5, 25, 50, 75, 95, 99];
    const keyed = p.bool('keyed') ?? true;
    if (percents.some((percent) => percent < 0 || percent > 100))
      throw illegalArgumentError('percents must only contain non-null doubles from 0.0-100.0 inclusive');
    return (points) => {
      const sorted = points.map((point) => point.value).sort((a, b) => a - b);
      const rows = percents.map((percent) => ({ key: percent, value: percentileOf(sorted, percent) }));
      const figures = Object.fromEntries(rows.map((row) => [javaDouble(row.key), row.value]));
      return { json: { values: keyed ? jsonFigures(figures) : rows.map(jsonFigures) }, figures };
    };
  }, 'percentiles_bucket'),
};
