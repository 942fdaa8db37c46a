// Parent pipelines, which run over the buckets of the enclosing aggregation: derivative, cumulative_sum, serial_diff, moving_fn, moving_avg,
// bucket_sort, normalize.

import { isObject } from '../../common/json/json-value.ts';
import { present } from '../../common/present.ts';
import type { ApiError } from '../../errors/api-error.ts';
import { calendarRounding, calendarUnit, intervalRounding, timeValue, UTC } from '../dates/rounding.ts';
import { illegalArgumentError, parameterError, parsingError, xContentError } from '../errors.ts';
import { CardinalityOut } from '../metrics/cardinality.ts';
import { DistinctUnion } from '../metrics/distinct-union.ts';
import { type Figure, MetricOut, type OutBucket } from '../reduce/out.ts';
import { compareFigures, figureAt, parsePath } from './bucket-path.ts';
import { movingAvg, movingFn, movingPercentiles } from './moving-average.ts';
import { figureOf, type Parent, putFigure } from './parent-figures.ts';

const derivative: Parent = (p, body) => {
  const unit = p.string('unit');
  let unitMs: number | null = null;
  if (unit !== null) {
    const calendar = calendarUnit(unit);
    const rounding = calendar ? calendarRounding(calendar, UTC, 0) : null;
    const fixed = timeValue(unit);
    if (rounding) unitMs = rounding.fixed?.interval ?? averageOf(present(calendar));
    else if (fixed) unitMs = present(intervalRounding(fixed, UTC, 0).fixed).interval;
    else throw illegalArgumentError(`Invalid unit [${unit}] in [${body.name}]`);
  }
  return {
    run(buckets) {
      let last: { key: number; value: number } | null = null;
      for (const bucket of buckets) {
        const value = figureOf(bucket, body);
        const key = Number(bucket.key);
        if (last) {
          const change = value - last.value;
          const span = unitMs === null ? 0 : (key - last.key) / unitMs;
          putFigure(bucket, body, 'derivative', change, unitMs === null ? {} : { normalized_value: span > 0 ? change / span : change });
        }
        last = { key, value };
      }
      return buckets;
    },
  };
};

/** Mean length of calendar units, as java.time's ChronoUnit estimates them. */
function averageOf(unit: string): number {
  const year = 31_556_952_000;
  return unit === 'year' ? year : unit === 'quarter' ? year / 4 : year / 12;
}

const cumulativeSum: Parent = (_p, body) => ({
  run(buckets) {
    let sum = 0;
    for (const bucket of buckets) {
      sum += figureOf(bucket, { ...body, gap: 'insert_zeros' });
      putFigure(bucket, body, 'simple_value', sum);
    }
    return buckets;
  },
});

const cumulativeCardinality: Parent = (_p, body) => ({
  run(buckets) {
    const union = new DistinctUnion();
    for (const bucket of buckets) {
      const found = bucket.aggs.get(body.path);
      if (!(found instanceof CardinalityOut))
        throw illegalArgumentError(
          `buckets_path must reference a cardinality aggregation, got: [${found?.typedName ?? 'null'}] at aggregation [${body.path}]`,
        );
      union.add(found.values);
      const text = body.text(union.count);
      const json = { value: union.count, ...(text === null ? {} : { value_as_string: text }) };
      bucket.aggs.set(body.name, new MetricOut(body, 'simple_long_value', json, { '': union.count, value: union.count }));
    }
    return buckets;
  },
});

const serialDiff: Parent = (p, body) => {
  const lag = p.integer('lag') ?? 1;
  if (lag <= 0) throw parsingError(`Lag must be a positive, non-zero integer.  Value supplied was${lag} in [${body.name}]: [lag].`);
  return {
    run(buckets) {
      const window: number[] = [];
      for (const bucket of buckets) {
        const value = figureOf(bucket, body);
        const before = window.length >= lag ? window[window.length - lag] : Number.NaN;
        if (!Number.isNaN(value - before)) putFigure(bucket, body, 'simple_value', value - before);
        window.push(value);
      }
      return buckets;
    },
  };
};

type Normalizer = (values: readonly number[]) => (value: number) => number;

/** Methods of `normalize`. @param values  of the buckets that have one */
const NORMALIZERS: Readonly<Record<string, Normalizer>> = {
  rescale_0_1: (values) => rescale(values, 1),
  rescale_0_100: (values) => rescale(values, 100),
  percent_of_sum: (values) => {
    const sum = values.reduce((a, b) => a + b, 0);
    return (value) => value / sum;
  },
  mean: (values) => {
    const { mean, min, max } = spreadOf(values);
    return (value) => (value - mean) / (max - min);
  },
  'z-score': (values) => {
    const { mean, deviation } = spreadOf(values);
    return (value) => (value - mean) / deviation;
  },
  softmax: (values) => {
    const sum = values.reduce((a, b) => a + Math.exp(b), 0);
    return (value) => Math.exp(value) / sum;
  },
};

function rescale(values: readonly number[], top: number): (value: number) => number {
  const { min, max } = spreadOf(values);
  return (value) => (top * (value - min)) / (max - min);
}

function spreadOf(values: readonly number[]): { min: number; max: number; mean: number; deviation: number } {
  let [min, max, sum] = [Infinity, -Infinity, 0];
  for (const value of values) {
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
  }
  const mean = sum / values.length;
  const squares = values.reduce((total, value) => total + (value - mean) ** 2, 0);
  return { min, max, mean, deviation: Math.sqrt(squares / values.length) };
}

const normalize: Parent = (p, body) => {
  const method = p.string('method');
  if (method === null) throw illegalArgumentError('Required [method]');
  if (!Object.hasOwn(NORMALIZERS, method)) throw illegalArgumentError(`invalid method [${method}]`);
  return {
    run(buckets) {
      const values = buckets.map((bucket) => figureOf(bucket, body));
      const normalized = NORMALIZERS[method](values.filter((value) => !Number.isNaN(value)));
      buckets.forEach((bucket, i) => {
        putFigure(bucket, body, 'simple_value', Number.isNaN(values[i]) ? Number.NaN : normalized(values[i]));
      });
      return buckets;
    },
  };
};

const bucketSort: Parent = (p, body) => {
  const from = p.integer('from') ?? 0;
  const size = p.integer('size');
  const sort = p.list('sort') ?? [];
  if (from < 0) throw parameterError('bucket_sort', 'from', `[from] must be a non-negative integer: [${from}]`);
  if (size !== null && size <= 0) throw parameterError('bucket_sort', 'size', `[size] must be a positive integer: [${size}]`);
  p.string('gap_policy');
  p.done();
  const isIdle = from === 0 && size === null && sort.length === 0;
  const keys = sort.map((entry) => sortKey(entry));
  return {
    problem: isIdle ? `[${body.name}] is configured to perform nothing. Please set either of [sort, size, from] to use bucket_sort` : null,
    paths: keys.map((key) => key.path),
    run(buckets) {
      let rows = buckets;
      if (keys.length > 0) {
        const figures = new Map(buckets.map((bucket) => [bucket, keys.map((key) => orderFigure(bucket, key.path))]));
        // Buckets without any of the figures are dropped unless gaps count as zeros.
        if (body.gap === 'skip')
          rows = buckets.filter((bucket) =>
            present(figures.get(bucket)).some((figure) => typeof figure === 'string' || (figure !== null && !Number.isNaN(figure))),
          );
        rows = rows.slice().sort((a, b) => {
          for (let k = 0; k < keys.length; k++) {
            const by = compareSortValues(present(figures.get(a))[k], present(figures.get(b))[k], keys[k].descending);
            if (by !== 0) return by;
          }
          return 0;
        });
      }
      return rows.slice(from, size === null ? undefined : from + size);
    },
  };
};

function orderFigure(bucket: OutBucket, path: string): Figure | string {
  if (path === '_key') return bucket.key;
  const figure = figureAt(bucket, parsePath(path));
  if (figure === undefined) throw illegalArgumentError(`No aggregation found for path [${path}]`);
  return figure;
}

function compareSortValues(a: Figure | string, b: Figure | string, descending: boolean): number {
  if (typeof a === 'string' || typeof b === 'string') {
    const by = String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
    return descending ? -by : by;
  }
  return compareFigures(a, b, descending);
}

function sortKey(entry: unknown): { path: string; descending: boolean } {
  if (typeof entry === 'string') return { path: entry, descending: false };
  if (!isObject(entry) || Object.keys(entry).length !== 1) throw xContentError('[bucket_sort] failed to parse field [sort]');
  const [path, value] = Object.entries(entry)[0];
  const order = isObject(value) ? (value.order ?? 'asc') : value;
  if (order !== 'asc' && order !== 'desc')
    throw xContentError(
      '[bucket_sort] failed to parse field [sort]',
      illegalArgumentError(`Unknown SortOrder [${String(order)}]`) as ApiError,
    );
  return { path, descending: order === 'desc' };
}

export const PARENT_PIPELINES: Readonly<Record<string, Parent>> = {
  derivative,
  cumulative_cardinality: cumulativeCardinality,
  cumulative_sum: cumulativeSum,
  serial_diff: serialDiff,
  moving_fn: movingFn,
  moving_avg: movingAvg,
  moving_percentiles: movingPercentiles,
  bucket_sort: bucketSort,
  normalize,
};
