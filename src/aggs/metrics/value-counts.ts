// The distinct values of a field in each bucket with their counts, which merge without loss.
import { present } from '../../common/present.ts';
import type { AggNode } from '../../plan/agg-plan.ts';
import { KeyTable } from '../reduce/key-table.ts';
import { columnsOf } from '../reduce/merge.ts';
import { columnIn, columnOf, doubleOf, type ValuesSource } from '../source.ts';
import type { SegmentScope, Slice } from '../types.ts';
import type { Distribution } from './distribution.ts';
import { docGroups } from './documents.ts';
import { eachValue } from './pre-aggregated.ts';

type Scope = Pick<SegmentScope, 'segment'>;

export function valuesNode(bound: ValuesSource, scope: Scope, perValue: boolean): AggNode {
  const source = columnOf(bound, scope.segment);
  if (perValue && hasManyValues(bound, scope)) return { op: 'roundedValues', source, children: [] };
  const isOrdinals = bound.kind === 'ordinals';
  return isOrdinals ? { op: 'termsOrd', source, accept: null, children: [] } : { op: 'termsNumeric', source, perValue, children: [] };
}

/** Up to this many distinct numbers per segment are counted exactly; small ranges of values beyond that, too, by tables. */
const EXACT_VALUES = 4_000_000;

/** Above this number, values are not all collected. */
export function hasManyValues(bound: ValuesSource, { segment }: Scope): boolean {
  const column = bound.kind !== 'ordinals' ? columnIn(bound, segment) : null;
  if (!column || column.valueCount <= EXACT_VALUES) return false;
  return column.kind === 'f64' || Number(column.max) - Number(column.min) > EXACT_VALUES;
}

const EMPTY: Distribution = { values: new Float64Array(0), ranks: new Float64Array(0), total: 0 };

/** Distributions per merged parent, computed on demand. */
export function distributions(slices: readonly Slice[], parents: number): (parent: number) => Distribution {
  const isRounded = new Map(slices.map((slice) => [slice, hasManyValues(slice.bound as ValuesSource, slice.segment)]));
  const parts: Array<Array<{ slice: Slice; i: number }>> = Array.from({ length: parents }, () => []);
  for (const slice of slices) {
    const columns = columnsOf(slice);
    for (let i = 0; i < columns.parents.length; i++) {
      const parent = slice.map ? slice.map[columns.parents[i]] : columns.parents[i];
      if (parent >= 0) parts[parent].push({ slice, i });
    }
  }
  const groups = docGroups(slices, parents);
  return (parent) => {
    if (parent < 0 || (parts[parent].length === 0 && groups[parent].length === 0)) return EMPTY;
    const seen = new KeyTable();
    const values: number[] = [];
    const counts: number[] = [];
    const add = (value: number, count: number): void => {
      const place = seen.numberOf(0, value);
      if (place === values.length) {
        values.push(value);
        counts.push(count);
      } else counts[place] += count;
    };
    for (const { slice, i } of parts[parent]) {
      const columns = columnsOf(slice);
      const value = isRounded.get(slice) ? Number(columns.keys[i]) : doubleOf(slice.bound as ValuesSource, columns.keys[i]);
      add(value, columns.docCounts[i]);
    }
    for (const { slice, segment, docs } of groups[parent])
      for (const doc of docs) eachValue(slice.bound as ValuesSource, segment.segment, doc, add);
    return ranked(values, counts);
  };
}

/** The least value in the result of a segment; Infinity if there are none. */
export function lowestValue(slice: Slice): number {
  const isRounded = hasManyValues(slice.bound as ValuesSource, slice.segment);
  let lowest = Number.POSITIVE_INFINITY;
  const { result, bound, segment } = slice;
  const below = (value: number): void => {
    lowest = Math.min(lowest, value);
  };
  if (result.op === 'docs') for (const doc of result.docs) eachValue(bound as ValuesSource, segment.segment, doc, below);
  for (const key of columnsOf(slice).keys) lowest = Math.min(lowest, isRounded ? Number(key) : doubleOf(slice.bound as ValuesSource, key));
  return lowest;
}

/** Builds a distribution from values and counts in any order. */
export function ranked(values: readonly number[], counts: readonly number[]): Distribution {
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
