// Paths into results: `agg>agg.metric`, `agg['key']>metric`, `_count`, `_key`; used by orders and pipelines.
import type { Dialect } from '../../compat/dialect.ts';
import type { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, misusedError, orderPathError, parsingError } from '../errors.ts';
import type { Figure, OutAgg, OutBucket } from '../reduce/out.ts';
import type { AggSpec } from '../types.ts';

export interface PathStep {
  readonly name: string;
  /** The part in `[...]` or after a dot. */
  readonly key: string | null;
}

/** @throws ApiError illegal_argument_exception: not a path */
export function parsePath(path: string): PathStep[] {
  return path.split('>').map((part) => {
    const text = part.trim();
    const bracket = /^(.*?)\[\s*(?:'([^']*)'|"([^"]*)"|([^\]]*))\s*\]$/.exec(text);
    if (bracket) return { name: bracket[1], key: bracket[2] ?? bracket[3] ?? bracket[4] };
    const dot = text.lastIndexOf('.');
    if (text === '' || dot === 0) throw illegalArgumentError(`Invalid path [${path}]`);
    return dot > 0 ? { name: text.slice(0, dot), key: text.slice(dot + 1) } : { name: text, key: null };
  });
}

/** Name of the first aggregation on a path. */
export function firstName(path: string): string {
  return parsePath(path)[0].name;
}

/** The figure at a path below a bucket; undefined if there is no such aggregation or figure. */
export function figureAt(bucket: Pick<OutBucket, 'aggs' | 'docCount' | 'key'>, steps: readonly PathStep[]): Figure | undefined {
  const [step, ...rest] = steps;
  if (step.name === '_count' && rest.length === 0) return bucket.docCount;
  if (step.name === '_key' && rest.length === 0) return typeof bucket.key === 'number' ? bucket.key : undefined;
  return figureIn(bucket.aggs, steps);
}

/** The figure at the path of an order; NaN if there is no value. */
function orderedFigure(bucket: Parameters<typeof figureAt>[0], steps: readonly PathStep[]): number {
  const figure = figureAt(bucket, steps);
  if (figure !== null && figure !== undefined) return figure;
  let aggs: ReadonlyMap<string, OutAgg> | null = bucket.aggs;
  for (const step of steps.slice(0, -1)) aggs = aggs?.get(step.name)?.inside ?? null;
  const { name, key } = steps[steps.length - 1];
  return aggs?.get(name)?.emptyFigure?.(key ?? '') ?? Number.NaN;
}

function figureIn(aggs: ReadonlyMap<string, OutAgg>, steps: readonly PathStep[]): Figure | undefined {
  const [step, ...rest] = steps;
  const agg = aggs.get(step.name) ?? (step.key !== null ? aggs.get(`${step.name}.${step.key}`) : undefined);
  if (!agg) return undefined;
  const key = aggs.has(step.name) ? step.key : null;
  if (rest.length === 0) {
    if (key !== null) return agg.buckets ? keyedFigure(agg, key, []) : agg.figure(key);
    return agg.figure('');
  }
  if (agg.inside) {
    if (rest.length === 1 && rest[0].name === '_count') return agg.docCount ?? undefined;
    return figureIn(agg.inside, rest);
  }
  return key !== null ? keyedFigure(agg, key, rest) : undefined;
}

function keyedFigure(agg: OutAgg, key: string, rest: readonly PathStep[]): Figure | undefined {
  if (key === '_bucket_count') return agg.figure('_bucket_count');
  const bucket = agg.buckets?.find((b) => b.name === key || String(b.key) === key);
  if (!bucket) return undefined;
  return rest.length === 0 ? bucket.docCount : figureAt(bucket, rest);
}

/** The error for a path that exists but is not a figure, depending on the kind of aggregation at its end. */
export function noFigureError(
  aggs: ReadonlyMap<string, OutAgg>,
  [{ name }, ...rest]: readonly PathStep[],
  path: string,
  dialect: Dialect,
): ApiError {
  const agg = aggs.get(name);
  const rule = 'buckets_path must reference either a number value or a single value numeric metric aggregation';
  if (!agg) return illegalArgumentError(`path [${path}] does not lead to a number`);
  if (agg.buckets)
    return misusedError(`${rule}, got: [${rest.length === 0 ? typeText(agg.typedName) : 'Object[]'}] at aggregation [${name}]`, dialect);
  return misusedError(`${rule}, but [${name}] contains multiple values. Please specify which to use.`, dialect);
}

const TYPE_TEXTS: Readonly<Record<string, string>> = { lterms: 'LongTerms', sterms: 'StringTerms', dterms: 'DoubleTerms' };

function typeText(typedName: string): string {
  return Object.hasOwn(TYPE_TEXTS, typedName) ? TYPE_TEXTS[typedName] : typedName;
}

/** Validates an order path against the sub-aggregations. @throws ApiError aggregation_execution_exception */
export function checkOrderPath(spec: AggSpec, path: string, dialect: Dialect): void {
  const fail = (why: string) => orderPathError(path, why, dialect);
  let children: readonly AggSpec[] = spec.children;
  const steps = parsePath(path);
  steps.forEach((step, i) => {
    const isLast = i === steps.length - 1;
    let child = children.find((c) => c.name === step.name);
    let key = step.key;
    if (!child && step.key !== null) {
      child = children.find((c) => c.name === `${step.name}.${step.key}`);
      key = null;
    }
    if (!child) {
      throw fail(
        `The provided aggregation [${step.key === null ? step.name : `${step.name}.${step.key}`}] either does not exist, or is a pipeline aggregation and cannot be used to sort the buckets.`,
      );
    }
    if (isLast && !child.type.isBucket) {
      if (MULTI_VALUED.has(child.typeName) && key === null) {
        throw fail('When ordering on a multi-value metrics aggregation a metric name must be specified.');
      }
      if (POINTED.has(child.typeName) && key !== null && Number.isNaN(Number(key))) throw fail(`For input string: "${key}"`);
      if (!MULTI_VALUED.has(child.typeName) && key !== null && key !== 'value') {
        throw fail(
          `Ordering on a single-value metrics aggregation can only be done on its value. Either drop the key (a la "${child.name}") or change it to "value" (a la "${child.name}.value")`,
        );
      }
      if (UNORDERED.has(child.typeName))
        throw fail(
          `Buckets can only be sorted on a sub-aggregator path that is built out of zero or more single-bucket aggregations within the path and a final single-bucket or a metrics aggregation at the path end.`,
        );
      return;
    }
    if (!SINGLE_BUCKET.has(child.typeName)) {
      const notSingle = dialect.blamesAggregationRequests
        ? `[${step.name}] is not single-bucket.`
        : `Sub-path [${step.name}] points to non single-bucket aggregation`;
      throw fail(
        `Buckets can only be sorted on a sub-aggregator path that is built out of zero or more single-bucket aggregations within the path and a final single-bucket or a metrics aggregation at the path end. ${notSingle}`,
      );
    }
    children = child.children;
  });
}

const MULTI_VALUED = new Set(['boxplot', 'extended_stats', 'percentile_ranks', 'percentiles', 'stats', 'string_stats', 'top_metrics']);
/** Metrics whose values are named by numbers. */
const POINTED = new Set(['percentiles', 'percentile_ranks']);
const UNORDERED = new Set(['top_hits', 'geo_bounds', 'geo_centroid', 'matrix_stats']);
const SINGLE_BUCKET = new Set([
  'children',
  'filter',
  'missing',
  'parent',
  'global',
  'nested',
  'reverse_nested',
  'sampler',
  'diversified_sampler',
]);

/** One element of an `order`. */
export interface OrderPart {
  readonly path: string;
  readonly steps: readonly PathStep[];
  readonly descending: boolean;
}

/** `order` of terms and histograms: an object or a list of them. @throws ApiError parsing_exception */
export function parseOrder(value: unknown, fallback: readonly OrderPart[]): readonly OrderPart[] {
  if (value === undefined) return fallback;
  const parts = (Array.isArray(value) ? value : [value]).flatMap((entry: unknown): OrderPart[] => {
    if (typeof entry !== 'object' || entry === null) throw parsingError(`Unexpected token [${typeof entry}] for [order]`);
    const fields = Object.entries(entry);
    if (fields.length !== 1 && Array.isArray(value)) throw parsingError('Must specify at least one field for [order]');
    return fields.map(([path, direction]) => {
      const way = String(direction).toLowerCase();
      if (way !== 'asc' && way !== 'desc') throw parsingError(`Unknown order direction [${String(direction)}]`);
      return orderPart(path === '_term' || path === '_time' ? '_key' : path, way === 'desc');
    });
  });
  if (parts.length === 0) throw parsingError('Must specify at least one field for [order]');
  return parts;
}

export function orderPart(path: string, descending: boolean): OrderPart {
  return { path, steps: path === '_count' || path === '_key' ? [] : parsePath(path), descending };
}

export function needsChildren(order: readonly OrderPart[]): boolean {
  return order.some((part) => part.steps.length > 0);
}

/** Compares figures; absent ones and NaN come last in either direction. */
export function compareFigures(a: Figure | undefined, b: Figure | undefined, descending: boolean): number {
  const noA = a === null || a === undefined || Number.isNaN(a);
  const noB = b === null || b === undefined || Number.isNaN(b);
  if (noA || noB) return noA && noB ? 0 : noA ? 1 : -1;
  const order = a < b ? -1 : a > b ? 1 : 0;
  return descending ? -order : order;
}

/** Compares buckets by a path below them. Values that are not numbers come last in either direction, in Elasticsearch 8 last only if ascending. */
export function compareOrdered(
  { steps, descending }: OrderPart,
  a: Parameters<typeof figureAt>[0],
  b: Parameters<typeof figureAt>[0],
  { ordersNaNAsGreatest }: Dialect,
): number {
  const [left, right] = [orderedFigure(a, steps), orderedFigure(b, steps)];
  const by = compareFigures(left, right, descending);
  return ordersNaNAsGreatest && descending && (Number.isNaN(left) || Number.isNaN(right)) ? -by : by;
}
