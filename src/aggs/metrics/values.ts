// Metrics over the distinct values of a field: cardinality, percentiles, percentile_ranks, median_absolute_deviation. Results are exact: kernels
// return the distinct values of each bucket with their counts, which merge without loss. `tdigest` is validated but has no effect, `hdr` rounds as
// its histogram does. If a segment has more than EXACT_VALUES values, cardinality of numbers switches to HyperLogLog (`precision_threshold` sets the
// number of registers), and distributions to values rounded to 17 significant bits, a relative error of less than 8e-6.

import { jsonDouble } from '../../common/json-float.ts';
import { isObject, type MutableJsonObject } from '../../common/json-value.ts';
import { present } from '../../common/present.ts';
import type { AggNode } from '../../plan/agg-plan.ts';
import { bodyError, illegalArgumentError } from '../errors.ts';
import { Params, pointName } from '../params.ts';
import { KeyTable } from '../reduce/key-table.ts';
import { columnsOf } from '../reduce/merge.ts';
import { hashesOf, hashOf } from '../reduce/merge-text.ts';
import { type Figure, MetricOut } from '../reduce/out.ts';
import { termKey } from '../reduce/term-bytes.ts';
import { bindSource, columnOf, doubleOf, parseSource, type SourceParams, type ValuesSource } from '../source.ts';
import type { AggType, SegmentScope, Slice } from '../types.ts';
import { type Distribution, quantile } from './distribution.ts';
import { fitsHdr, hdrPercentile, hdrRank } from './hdr.ts';
import { addValue, estimate, mergeRegisters } from './hyper-log-log.ts';
import { formatOf } from './numeric.ts';

type Scope = Pick<SegmentScope, 'segment'>;

function termsNode(bound: ValuesSource, scope: Scope, perValue: boolean): AggNode {
  const source = columnOf(bound, scope.segment);
  if (perValue && hasManyValues(bound, scope)) return { op: 'roundedValues', source, children: [] };
  const isOrdinals = bound.kind === 'ordinals';
  return isOrdinals ? { op: 'termsOrd', source, accept: null, children: [] } : { op: 'termsNumeric', source, perValue, children: [] };
}

export const cardinalityType: AggType = {
  isBucket: false,
  parse(_name, typeName, body): { source: SourceParams; precision: number } {
    const p = new Params(typeName, body);
    const source = parseSource(p);
    const threshold = p.integer('precision_threshold');
    if (threshold !== null && threshold < 0) {
      throw p.refuse('precision_threshold', `[precisionThreshold] must be greater than or equal to 0. Found [${threshold}] in [${_name}]`);
    }
    p.string('execution_hint');
    p.take('rehash');
    p.done();
    return { source, precision: precisionOf(threshold ?? 3000) };
  },
  bind: (spec, ctx) => bindSource('cardinality', (spec.params as { source: SourceParams }).source, ctx, null),
  plan(spec, bound: ValuesSource, scope): AggNode {
    if (bound.kind === 'binary') return { op: 'docs', children: [] };
    if (!hasManyValues(bound, scope)) return termsNode(bound, scope, false);
    return {
      op: 'distinct',
      source: columnOf(bound, scope.segment),
      precision: (spec.params as { precision: number }).precision,
      children: [],
    };
  },
  merge(spec, slices, parents) {
    const counts = distinctCounts(slices, parents);
    return {
      at(parent) {
        const value = parent < 0 ? 0 : counts[parent];
        return new MetricOut(spec, 'cardinality', { value }, { '': value, value });
      },
    };
  },
};

/** Up to this many distinct numbers per segment are counted exactly; small ranges of values beyond that, too, by tables. */
const EXACT_VALUES = 4_000_000;

/** Above this number of values they are not all collected. */
function hasManyValues(bound: ValuesSource, { segment }: Scope): boolean {
  const column = bound.type && bound.kind !== 'ordinals' ? segment.column(bound.field) : null;
  if (!column || column.valueCount <= EXACT_VALUES) return false;
  return column.kind === 'f64' || Number(column.max) - Number(column.min) > EXACT_VALUES;
}

/** Number of registers that Elasticsearch chooses for a threshold: 2^4 to 2^18. */
function precisionOf(threshold: number): number {
  return Math.max(4, Math.min(18, Math.ceil(Math.log2(Math.max(threshold, 1) * 4))));
}

/** Distinct keys per merged parent. A single segment's buckets are distinct already; over several segments, terms are compared by 64-bit hashes. */
function distinctCounts(slices: readonly Slice[], parents: number): Float64Array {
  if (slices.some((slice) => slice.result.op === 'distinct')) return estimatedCounts(slices, parents);
  if (slices.some((slice) => sourceOf(slice).kind === 'binary')) return distinctBytes(slices, parents);
  const counts = new Float64Array(parents);
  const filled = slices.filter((slice) => columnsOf(slice).parents.length > 0);
  const numbers = new KeyTable();
  const others: Array<Set<string | bigint>> = [];
  const hashes = filled.length > 1 && filled.every(isText) ? hashesOf(filled, sourceOf) : null;
  filled.forEach((slice, s) => {
    const columns = columnsOf(slice);
    const bound = slice.bound as ValuesSource;
    for (let i = 0; i < columns.parents.length; i++) {
      const parent = slice.map ? slice.map[columns.parents[i]] : columns.parents[i];
      if (parent < 0) continue;
      // Local buckets of a parent can only be equal if there is more than one segment.
      if (filled.length === 1) {
        counts[parent]++;
        continue;
      }
      if (hashes) {
        const { low, high } = hashOf(slice, bound, hashes[s], Number(columns.keys[i]));
        const before = numbers.size;
        if (numbers.numberOfBits(parent, low, high) === before) counts[parent]++;
        continue;
      }
      const key = bound.kind === 'ordinals' ? termKey(slice, bound, Number(columns.keys[i])) : columns.keys[i];
      if (typeof key === 'number') {
        const before = numbers.size;
        if (numbers.numberOf(parent, key) === before) counts[parent]++;
      } else {
        others[parent] ??= new Set();
        if (others[parent].size < others[parent].add(key).size) counts[parent]++;
      }
    }
  });
  return counts;
}

/** Distinct values of columns that kernels do not read; of range fields, the ranges of a document count as one value. */
function distinctBytes(slices: readonly Slice[], parents: number): Float64Array {
  const seen = Array.from({ length: parents }, () => new Set<string>());
  for (const slice of slices) {
    if (slice.result.op !== 'docs') continue;
    const { starts, docs } = slice.result;
    for (let i = 0; i + 1 < starts.length; i++) {
      const to = slice.map ? slice.map[i] : i;
      if (to < 0) continue;
      for (let d = starts[i]; d < starts[i + 1]; d++) {
        const bytes = slice.segment.segment.binary(sourceOf(slice).field, docs[d]);
        if (bytes) seen[to].add(Buffer.from(bytes).toString('latin1'));
      }
    }
  }
  return Float64Array.from(seen, (values) => values.size);
}

const sourceOf = (slice: Slice) => slice.bound as ValuesSource;
const isText = (slice: Slice) => sourceOf(slice).kind === 'ordinals';

/** Estimates, if at least one segment was sketched; the exact values of the others are added to the sketches. */
function estimatedCounts(slices: readonly Slice[], parents: number): Float64Array {
  const precision = Math.max(...slices.map((slice) => (slice.result.op === 'distinct' ? slice.result.precision : 0)));
  const sketches = Array.from({ length: parents }, () => new Uint8Array(1 << precision));
  const bits = new DataView(new ArrayBuffer(8));
  for (const slice of slices) {
    if (slice.result.op === 'distinct') {
      const { registers } = slice.result;
      for (let i = 0; i < registers.length >> precision; i++) {
        const parent = slice.map ? slice.map[i] : i;
        if (parent >= 0) mergeRegisters(sketches[parent], registers.subarray(i << precision, (i + 1) << precision));
      }
      continue;
    }
    const columns = columnsOf(slice);
    const isDouble = (slice.bound as ValuesSource).kind === 'f64';
    columns.parents.forEach((local, i) => {
      const parent = slice.map ? slice.map[local] : local;
      if (parent < 0) return;
      if (isDouble) bits.setFloat64(0, Number(columns.keys[i]));
      else bits.setBigInt64(0, BigInt(columns.keys[i]));
      addValue(sketches[parent], precision, bits.getBigUint64(0));
    });
  }
  return Float64Array.from(sketches, estimate);
}

const EMPTY: Distribution = { values: new Float64Array(0), ranks: new Float64Array(0), total: 0 };

/** Distributions per merged parent, computed on demand. */
function distributions(slices: readonly Slice[], parents: number): (parent: number) => Distribution {
  const isRounded = new Map(slices.map((slice) => [slice, hasManyValues(slice.bound as ValuesSource, slice.segment)]));
  const parts: Array<Array<{ slice: Slice; i: number }>> = Array.from({ length: parents }, () => []);
  for (const slice of slices) {
    const columns = columnsOf(slice);
    for (let i = 0; i < columns.parents.length; i++) {
      const parent = slice.map ? slice.map[columns.parents[i]] : columns.parents[i];
      if (parent >= 0) parts[parent].push({ slice, i });
    }
  }
  return (parent) => {
    if (parent < 0 || parts[parent].length === 0) return EMPTY;
    const seen = new KeyTable();
    const values: number[] = [];
    const counts: number[] = [];
    for (const { slice, i } of parts[parent]) {
      const columns = columnsOf(slice);
      const value = isRounded.get(slice) ? Number(columns.keys[i]) : exactDouble(slice.bound as ValuesSource, columns.keys[i]);
      const place = seen.numberOf(0, value);
      if (place === values.length) {
        values.push(value);
        counts.push(columns.docCounts[i]);
      } else counts[place] += columns.docCounts[i];
    }
    return ranked(values, counts);
  };
}

/** Builds a distribution from values and counts in any order. */
function ranked(values: readonly number[], counts: readonly number[]): Distribution {
  const sorted = Float64Array.from(values).sort();
  const ranks = new Float64Array(sorted.length);
  let total = 0;
  if (counts.every((count) => count === 1)) {
    sorted.forEach((_, i) => {
      ranks[i] = ++total;
    });
  } else {
    const countOf = new Map(values.map((value, i) => [value, counts[i]]));
    sorted.forEach((value, i) => {
      total += present(countOf.get(value));
      ranks[i] = total;
    });
  }
  return { values: sorted, ranks, total };
}

function exactDouble(bound: ValuesSource, raw: number | bigint): number {
  return bound.perMillisecond === 1 ? doubleOf(bound, raw) : Number(raw) / bound.perMillisecond;
}

/** Percentage of the values at or below `value`. */
function rank(d: Distribution, value: number): number | null {
  if (d.total === 0) return null;
  const at = d.values.findLastIndex((v) => v <= value);
  return at < 0 ? 0 : (d.ranks[at] / d.total) * 100;
}

interface PercentParams {
  readonly source: SourceParams;
  readonly points: readonly number[];
  readonly keyed: boolean;
  /** Significant digits of `hdr`; null for exact percentiles. */
  readonly digits: number | null;
}

const DEFAULT_PERCENTS = [1, 5, 25, 50, 75, 95, 99];

/** Significant digits of `hdr`; null for `tdigest`, whose valid options have no effect on exact results. */
function hdrDigits(p: Params): number | null {
  const tdigest = p.object('tdigest');
  const hdr = p.object('hdr');
  if (tdigest && hdr) throw illegalArgumentError('Only one percentiles method should be declared.');
  if (tdigest) {
    const inner = new Params('tdigest', tdigest);
    refuseNull(inner, tdigest, 'compression');
    const compression = inner.number('compression');
    if (compression !== null && compression < 0) {
      throw p.refuse('tdigest', `[compression] must be greater than or equal to 0. Found [${pointName(compression)}]`);
    }
    inner.string('execution_hint');
    inner.done();
  }
  if (hdr) {
    const inner = new Params('hdr', hdr);
    refuseNull(inner, hdr, 'number_of_significant_value_digits');
    const digits = inner.integer('number_of_significant_value_digits');
    if (digits !== null && (digits < 0 || digits > 5)) throw p.refuse('hdr', '[numberOfSignificantValueDigits] must be between 0 and 5');
    inner.done();
    return digits ?? 3;
  }
  return null;
}

/** @throws ApiError x_content_parse_exception: null instead of a number */
function refuseNull(p: Params, body: unknown, key: string): void {
  if (isObject(body) && body[key] === null) throw p.wrongType(key, null);
}

type PointFigure = (d: Distribution, point: number) => number | null;
type HdrFigure = (d: Distribution, point: number, digits: number) => number;

function percentType(typeName: string, pointsKey: string, exact: PointFigure, hdr: HdrFigure): AggType {
  return {
    isBucket: false,
    parse(name, _type, body): PercentParams {
      const p = new Params(typeName, body);
      const source = parseSource(p);
      refuseNull(p, body, pointsKey);
      const points = p.numbers(pointsKey);
      const keyed = p.bool('keyed') ?? true;
      const digits = hdrDigits(p);
      p.done();
      if (points?.length === 0) throw bodyError(typeName, `[${pointsKey}] must not be an empty array: [${name}]`);
      if (pointsKey === 'values' && !points) throw illegalArgumentError(`Required [values]`);
      if (pointsKey === 'percents') {
        for (const percent of points ?? []) {
          if (percent < 0 || percent > 100) throw bodyError(typeName, `percent must be in [0,100], got [${pointName(percent)}]: [${name}]`);
        }
      }
      const sorted = (points ?? DEFAULT_PERCENTS).slice().sort((a, b) => a - b);
      return { source, points: sorted, keyed, digits };
    },
    bind: (spec, ctx) => bindSource(typeName, (spec.params as PercentParams).source, ctx, ['numeric', 'date', 'boolean']),
    plan: (_spec, bound: ValuesSource, scope) => termsNode(bound, scope, true),
    merge(spec, slices, parents) {
      const { points, keyed, digits } = spec.params as PercentParams;
      const of = distributions(slices, parents);
      const format = formatOf(slices);
      return {
        at(parent) {
          const d = of(parent);
          const figures: Record<string, Figure> = {};
          const keyedJson: MutableJsonObject = {};
          const list: MutableJsonObject[] = [];
          for (const point of points) {
            const value = digits !== null && fitsHdr(d) ? hdr(d, point, digits) : exact(d, point);
            const name = pointName(point);
            figures[name] = value;
            figures[String(point)] = value;
            const text = value === null || typeName === 'percentile_ranks' ? null : (format?.keyAsString(value) ?? null);
            keyedJson[name] = jsonDouble(value);
            if (text !== null) keyedJson[`${name}_as_string`] = text;
            list.push({ key: jsonDouble(point), value: jsonDouble(value), ...(text === null ? {} : { value_as_string: text }) });
          }
          return new MetricOut(spec, `${digits === null ? 'tdigest' : 'hdr'}_${typeName}`, { values: keyed ? keyedJson : list }, figures);
        },
      };
    },
  };
}

export const percentilesType = percentType('percentiles', 'percents', (d, percent) => quantile(d, percent / 100), hdrPercentile);
export const percentileRanksType = percentType('percentile_ranks', 'values', rank, hdrRank);

export const medianAbsoluteDeviationType: AggType = {
  isBucket: false,
  parse(name, typeName, body): { source: SourceParams } {
    const p = new Params(typeName, body);
    const source = parseSource(p);
    const compression = p.number('compression');
    if (compression !== null && compression <= 0)
      throw p.refuse('compression', `[compression] must be greater than 0. Found [${pointName(compression)}] in [${name}]`);
    p.string('execution_hint');
    p.done();
    return { source };
  },
  bind: (spec, ctx) => bindSource('median_absolute_deviation', (spec.params as { source: SourceParams }).source, ctx, ['numeric']),
  plan: (_spec, bound: ValuesSource, scope) => termsNode(bound, scope, true),
  merge(spec, slices, parents) {
    const of = distributions(slices, parents);
    return {
      at(parent) {
        const d = of(parent);
        const median = quantile(d, 0.5);
        const value = median === null ? null : quantile(deviations(d, median), 0.5);
        return new MetricOut(spec, 'median_absolute_deviation', { value: jsonDouble(value) }, { '': value, value });
      },
    };
  },
};

/** Distribution of the distances from a value. */
function deviations(d: Distribution, from: number): Distribution {
  const counts = new Map<number, number>();
  d.values.forEach((value, i) => {
    const distance = Math.abs(value - from);
    counts.set(distance, (counts.get(distance) ?? 0) + d.ranks[i] - (i > 0 ? d.ranks[i - 1] : 0));
  });
  return ranked([...counts.keys()], [...counts.values()]);
}
