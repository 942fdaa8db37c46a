// histogram: buckets of equal width, and the parts shared with date_histogram: empty buckets, bounds, keyed responses and any order.

import { jsonDouble } from '../../../common/json/json-float.ts';
import type { JsonObject } from '../../../common/json/json-value.ts';
import { javaDouble } from '../../../common/text/java-text.ts';
import { checkTurn } from '../../../common/turns/turn.ts';
import type { Dialect } from '../../../compat/dialect.ts';
import { asCause } from '../../../errors/api-error.ts';
import { standAloneField } from '../../../mapping/stand-alone-field.ts';
import type { AggNode } from '../../../plan/agg-plan.ts';
import type { Rounding } from '../../dates/rounding.ts';
import { illegalArgumentError, tooManyBucketsError, xContentError } from '../../errors.ts';
import { formatOf } from '../../metrics/numeric.ts';
import { isHistogram } from '../../metrics/pre-aggregated.ts';
import { applyRates, hasRates } from '../../metrics/rate.ts';
import { Params } from '../../params.ts';
import { checkOrderPath, compareFigures, compareOrdered, type OrderPart, orderPart, parseOrder } from '../../pipelines/bucket-path.ts';
import { runParentPipelines } from '../../pipelines/run.ts';
import { mergeBuckets, mergeChildren } from '../../reduce/merge.ts';
import { BucketsOut, type OutBucket } from '../../reduce/out.ts';
import { bindSource, columnOf, parseSource, type SourceParams, type ValuesSource } from '../../source.ts';
import type { AggSpec, AggType, BindContext, MergedAgg, ReduceContext, Slice } from '../../types.ts';
import { countedSlices, refuseCountedChildren } from '../counted-buckets.ts';
import { rangeSlices } from '../range-buckets.ts';

interface Bounds {
  readonly min: unknown;
  readonly max: unknown;
}

export interface HistogramParams {
  readonly source: SourceParams;
  readonly order: readonly OrderPart[];
  readonly keyed: boolean;
  readonly minDocCount: number;
  readonly extended: Bounds | null;
  readonly hard: Bounds | null;
  /** histogram only: the width of a bucket. */
  readonly interval: number;
  readonly offset: number;
  /** date_histogram only. */
  readonly rounding: Rounding | null;
  /** The error that shards report if the request has no interval. */
  readonly refusal: Error | null;
}

/** Numeric bounds: extended ones add buckets, hard ones exclude values. */
interface Limits {
  readonly min: number;
  readonly max: number;
}

export interface BoundHistogram extends ValuesSource {
  readonly extendedLimits: Limits | null;
  readonly hardLimits: Limits | null;
}

/** Up to this many calendar buckets, kernels use a table of their starts; beyond, distinct times are rounded during the merge. */
export const MOST_STARTS = 200_000;
export const LAST_DATE = (1n << 63n) - 1n;
const BY_KEY = [orderPart('_key', false)];

export function parseCommon(p: Params, name: string): Omit<HistogramParams, 'interval' | 'offset' | 'rounding' | 'refusal'> {
  const source = parseSource(p, { timeZone: p.typeName === 'date_histogram' });
  const keyed = p.bool('keyed') ?? false;
  const minDocCount = p.integer('min_doc_count') ?? 0;
  if (minDocCount < 0)
    throw p.refusalError('min_doc_count', `[minDocCount] must be greater than or equal to 0. Found [${minDocCount}] in [${name}]`);
  let order: readonly OrderPart[];
  try {
    order = parseOrder(p.take('order'), BY_KEY);
  } catch (error) {
    throw xContentError(`[${p.typeName}] failed to parse field [order]`, asCause(error));
  }
  return { source, order, keyed, minDocCount, extended: bounds(p, 'extended_bounds'), hard: bounds(p, 'hard_bounds') };
}

function bounds(p: Params, key: string): Bounds | null {
  const body = p.object(key);
  if (!body) return null;
  const inner = new Params(key, body);
  const min = inner.take('min') ?? null;
  const max = inner.take('max') ?? null;
  inner.done();
  return { min, max };
}

export function bindHistogram(spec: AggSpec, ctx: BindContext): BoundHistogram {
  const params = spec.params as HistogramParams;
  if (params.refusal) throw params.refusal;
  const isDate = params.rounding !== null;
  const source = bindSource(
    spec.typeName,
    params.source,
    ctx,
    isDate ? ['date', 'numeric', 'boolean', 'range'] : ['numeric', 'date', 'boolean', 'range'],
  );
  if (source.type?.family === 'range' && !suitsRange(source.type.typeName, isDate))
    throw illegalArgumentError(
      isDate
        ? `Expected date range type but found range type [${source.type.typeName}]`
        : `Expected numeric range type but found non-numeric range [${source.type.typeName}]`,
    );
  refuseCountedChildren(spec, source);
  for (const part of params.order) if (part.steps.length > 0) checkOrderPath(spec, part.path, ctx.index.mapping.dialect);
  const limits = (b: Bounds | null, what: string) => (b ? limitsOf(b, what, spec.name, source, ctx) : null);
  const extendedLimits = limits(params.extended, 'extended_bounds');
  const hardLimits = limits(params.hard, 'hard_bounds');
  if (extendedLimits && hardLimits && (extendedLimits.min < hardLimits.min || extendedLimits.max > hardLimits.max)) {
    const text = ({ min, max }: Limits) => (isDate ? `[${min}--${max}]` : `[${javaDouble(min)}--${javaDouble(max)}]`);
    throw illegalArgumentError(
      `Extended bounds have to be inside hard bounds, hard bounds: ${text(hardLimits)}, extended bounds: ${text(extendedLimits)}`,
    );
  }
  return { ...source, extendedLimits, hardLimits };
}

/** Whether a range field suits the histogram: dates for date_histogram, numbers for histogram. */
function suitsRange(typeName: string, isDate: boolean): boolean {
  return isDate ? typeName === 'date_range' : typeName !== 'date_range' && typeName !== 'ip_range';
}

function limitsOf(b: Bounds, what: string, name: string, source: ValuesSource, ctx: BindContext): Limits {
  const number = (value: unknown, open: number): number => {
    if (value === null) return open;
    if (typeof value === 'number') return value;
    const isDateRange = source.type?.typeName === 'date_range';
    const format = isDateRange ? standAloneField('date').format(null, null) : source.isDate ? source.format : null;
    if (format) return Number(format.parse(String(value), false, ctx.index.nowMs));
    const parsed = Number(value);
    if (Number.isNaN(parsed)) throw illegalArgumentError(`failed to parse [${what}] with value [${String(value)}]`);
    return parsed;
  };
  const min = number(b.min, -Infinity);
  const max = number(b.max, Infinity);
  if (min > max)
    throw illegalArgumentError(
      `[${what}.min][${b.min}] cannot be greater than [${what}.max][${b.max}] for histogram aggregation [${name}]`,
    );
  return { min, max };
}

function checkDoubleBounds(p: Params, key: string, bounds: Bounds | null): void {
  const [min, max] = [Number(bounds?.min ?? -Infinity), Number(bounds?.max ?? Infinity)];
  if (!(min > max)) return;
  const cause = illegalArgumentError(`max bound [${javaDouble(max)}] must be greater than min bound [${javaDouble(min)}]`);
  const built = xContentError('Failed to build [double_bounds] after last required field arrived', cause);
  throw xContentError(
    `[${p.typeName}] failed to parse field [${key}]`,
    xContentError('[double_bounds] failed to parse field [max]', built),
  );
}

export const histogramType: AggType = {
  isBucket: true,
  parse(name, typeName, body, ctx): HistogramParams {
    const p = new Params(typeName, body);
    const interval = p.number('interval');
    if (interval !== null && interval <= 0) throw p.refusalError('interval', `[interval] must be >0 for histogram aggregation [${name}]`);
    const offset = p.number('offset') ?? 0;
    const common = parseCommon(p, name);
    if (ctx.dialect.checksAggregationsEarly) {
      checkDoubleBounds(p, 'extended_bounds', common.extended);
      checkDoubleBounds(p, 'hard_bounds', common.hard);
    }
    p.done();
    const refusal = interval === null ? illegalArgumentError('interval must be positive, got: 0.0') : null;
    return {
      ...common,
      interval: interval ?? 1,
      offset: interval ? ((offset % interval) + interval) % interval : 0,
      rounding: null,
      refusal,
    };
  },
  bind: bindHistogram,
  plan(spec, bound: BoundHistogram, { segment }, children): AggNode {
    const { interval, offset } = spec.params as HistogramParams;
    const hard = bound.hardLimits;
    const minKey = hard ? Math.ceil(hard.min / interval) : -Infinity;
    const maxKey = hard ? Math.floor(hard.max / interval) : Infinity;
    if (bound.kind === 'binary') return { op: 'docs', children: [] };
    return { op: 'histogram', source: columnOf(bound, segment), interval, offset, minKey, maxKey, missingApart: false, children };
  },
  merge(spec, given, parents, ctx) {
    const { interval, offset, minDocCount, extended } = spec.params as HistogramParams;
    const limits = limitsOfSlices(given);
    const hard = limits?.hardLimits ?? { min: -Infinity, max: Infinity };
    const keyFor = (value: number): number => Math.floor((value - offset) / interval);
    const steps = { at: keyFor, next: (key: number) => key + 1 };
    const counted = given.filter(({ bound }) => isHistogram(bound as ValuesSource));
    const others = given.filter((slice) => !counted.includes(slice));
    const ranges = rangeSlices(spec, others, parents, { steps, bounds: hard }, ctx);
    const counts = countedSlices(counted, parents, (value) => [keyFor(value)], ctx);
    const slices = [...others.filter((slice) => slice.result.op !== 'docs'), ...ranges, ...counts];
    const grid: Grid = {
      repeatsKeys: () => false,
      keyOf: (_slice, raw) => Number(raw),
      value: (key) => key * interval + offset,
      next: (key) => key + 1,
      spread: (first, last) => last - first + 1,
      extend: extended && limits?.extendedLimits ? { min: limits.extendedLimits.min, max: limits.extendedLimits.max } : null,
      keyFor,
      isInside: (key) => ranges.length > 0 || (key * interval >= hard.min && key * interval <= hard.max),
    };
    return mergeGrid(spec, slices, parents, ctx, grid, minDocCount);
  },
};

/** The binding with the bounds: of a slice whose index has the field, if there is one. */
export function limitsOfSlices(slices: readonly Slice[]): BoundHistogram | null {
  const slice = slices.find(({ bound }) => (bound as BoundHistogram).type) ?? slices[0];
  return slice === undefined ? null : (slice.bound as BoundHistogram);
}

/** Key functions that differ between the histograms: keys, their doubles and their successors. */
export interface Grid {
  keyOf(slice: Slice, raw: number | bigint): number;
  /** True if a segment may return several buckets for a key, because the host rounds its raw times. */
  repeatsKeys(slice: Slice): boolean;
  value(key: number): number;
  next(key: number): number;
  /** Number of buckets from the first to the last key. */
  spread(first: number, last: number): number;
  readonly extend: Limits | null;
  keyFor(value: number): number;
  isInside(key: number): boolean;
}

export function mergeGrid(
  spec: AggSpec,
  slices: readonly Slice[],
  parents: number,
  ctx: ReduceContext,
  grid: Grid,
  minDocCount: number,
): MergedAgg {
  const params = spec.params as HistogramParams;
  // The buckets of a single segment are merged only if there are two slices.
  const doubled =
    slices.length === 1 && slices[0].result.op === 'buckets' && grid.repeatsKeys(slices[0]) ? [slices[0], emptySlice(slices[0])] : slices;
  const merged = mergeBuckets(doubled, (slice, columns, i) => grid.keyOf(slice, columns.keys[i]));
  const lists = merged.lists(parents);
  const children = mergeChildren(spec, doubled, merged.maps, merged.count, ctx);
  const format = formatOf(slices);
  const isDate = params.rounding !== null;
  const withRates = isDate && hasRates(spec);
  const isOfDates = slices.some(({ bound }) => (bound as ValuesSource).isDate);
  const showText = isDate || isOfDates || params.source.format !== null || format?.name === 'bool';
  const make = (key: number, docCount: number, id: number): OutBucket => {
    const value = grid.value(key);
    const text = showText ? (format?.keyAsString(value) ?? null) : null;
    const fields: JsonObject = {
      ...(text === null ? {} : { key_as_string: text }),
      key: isDate ? value : jsonDouble(value),
      doc_count: docCount,
    };
    const aggs = children.at(id);
    if (withRates && params.rounding) applyRates(spec, aggs, docCount, value, params.rounding);
    return { key: value, name: text ?? javaDouble(value), fields, docCount, aggs };
  };
  return {
    at(parent) {
      const ids = (parent < 0 ? [] : lists[parent]).filter((id) => grid.isInside(merged.keys[id] as number));
      ids.sort((a, b) => (merged.keys[a] as number) - (merged.keys[b] as number));
      let buckets: OutBucket[];
      if (minDocCount === 0)
        buckets = withEmpty(
          ids.map((id) => ({ key: merged.keys[id] as number, id })),
          grid,
          ctx,
          (key, id) => make(key, id < 0 ? 0 : merged.docCounts[id], id),
        );
      else {
        const shown = ids.filter((id) => merged.docCounts[id] >= minDocCount);
        ctx.addBuckets(shown.length);
        buckets = shown.map((id) => make(merged.keys[id] as number, merged.docCounts[id], id));
      }
      const ordered = sortBuckets(buckets, params.order, ctx.dialect);
      return new BucketsOut(spec, spec.typeName, runParentPipelines(spec, ordered), { keyed: params.keyed });
    },
  };
}

function emptySlice(slice: Slice): Slice {
  return {
    ...slice,
    result: {
      op: 'buckets',
      buckets: { parents: new Uint32Array(0), keys: new Float64Array(0), docCounts: new Uint32Array(0) },
      children: [],
    },
  };
}

const BUCKETS_PER_CHECK_MASK = 255;

/** Buckets of the keys found, of all keys between them and of those inside the extended bounds. */
function withEmpty(
  found: ReadonlyArray<{ key: number; id: number }>,
  grid: Grid,
  ctx: ReduceContext,
  make: (key: number, id: number) => OutBucket,
): OutBucket[] {
  let first = found.length > 0 ? found[0].key : Infinity;
  let last = found.length > 0 ? found[found.length - 1].key : -Infinity;
  const { extend } = grid;
  if (extend && Number.isFinite(extend.min)) first = Math.min(first, grid.keyFor(extend.min));
  if (extend && Number.isFinite(extend.max)) last = Math.max(last, grid.keyFor(extend.max));
  if (first > last || !Number.isFinite(first) || !Number.isFinite(last)) return [];
  const expected = grid.spread(first, last);
  if (expected > ctx.maxBuckets) throw tooManyBucketsError(ctx.maxBuckets, Math.round(expected));
  const buckets: OutBucket[] = [];
  let at = 0;
  for (let key = first; key <= last; key = grid.next(key)) {
    if ((buckets.length & BUCKETS_PER_CHECK_MASK) === 0) checkTurn();
    if (buckets.length > ctx.maxBuckets) throw tooManyBucketsError(ctx.maxBuckets, buckets.length);
    if (at < found.length && found[at].key === key) buckets.push(make(key, found[at++].id));
    else buckets.push(make(key, -1));
    // A key that `next` skips (shortened intervals) keeps its bucket.
    while (at < found.length && found[at].key > key && found[at].key < grid.next(key)) buckets.push(make(found[at].key, found[at++].id));
  }
  ctx.addBuckets(buckets.length);
  return buckets;
}

function sortBuckets(buckets: OutBucket[], order: readonly OrderPart[], dialect: Dialect): OutBucket[] {
  if (order[0].path === '_key' && !order[0].descending) return buckets;
  return buckets.slice().sort((a, b) => {
    for (const part of order) {
      let by: number;
      if (part.path === '_key') by = compareFigures(a.key as number, b.key as number, part.descending);
      else if (part.path === '_count') by = compareFigures(a.docCount, b.docCount, part.descending);
      else by = compareOrdered(part, a, b, dialect);
      if (by !== 0) return by;
    }
    return (a.key as number) - (b.key as number);
  });
}
