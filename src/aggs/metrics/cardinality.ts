// cardinality: exact while a segment has at most EXACT_VALUES values; beyond, numbers are counted by HyperLogLog (`precision_threshold` sets the
// number of registers).

import type { Dialect } from '../../compat/dialect.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { AggNode } from '../../plan/agg-plan.ts';
import { Params } from '../params.ts';
import { KeyTable } from '../reduce/key-table.ts';
import { columnsOf } from '../reduce/merge.ts';
import { hashesOf, hashOf } from '../reduce/merge-text.ts';
import { MetricOut } from '../reduce/out.ts';
import { termKey } from '../reduce/term-bytes.ts';
import { bindSource, columnOf, parseSource, type SourceParams, type ValuesSource } from '../source.ts';
import type { AggSpec, AggType, Slice } from '../types.ts';
import type { DistinctValues } from './distinct-union.ts';
import { addValue, estimate, mergeRegisters } from './hyper-log-log.ts';
import { hasManyValues, valuesNode } from './value-counts.ts';

export const cardinalityType: AggType = {
  isBucket: false,
  parse(_name, typeName, body): { source: SourceParams; precision: number; hint: string | null } {
    const p = new Params(typeName, body);
    const source = parseSource(p, { format: false });
    const threshold = p.integer('precision_threshold');
    if (threshold !== null && threshold < 0) {
      throw p.refusalError(
        'precision_threshold',
        `[precisionThreshold] must be greater than or equal to 0. Found [${threshold}] in [${_name}]`,
      );
    }
    const hint = p.string('execution_hint');
    p.number('rehash');
    p.done();
    return { source, precision: precisionOf(threshold ?? 3000), hint };
  },
  bind(spec, ctx) {
    const { source, hint } = spec.params as { source: SourceParams; hint: string | null };
    if (hint !== null) checkHint(hint, ctx.index.mapping.dialect);
    return bindSource('cardinality', source, ctx, null);
  },
  plan(spec, bound: ValuesSource, scope): AggNode {
    if (bound.kind === 'binary') return { op: 'docs', children: [] };
    if (!hasManyValues(bound, scope)) return valuesNode(bound, scope, false);
    return {
      op: 'distinct',
      source: columnOf(bound, scope.segment),
      precision: (spec.params as { precision: number }).precision,
      children: [],
    };
  },
  merge(spec, slices, parents) {
    const counts = distinctCounts(slices, parents);
    let values: ((parent: number) => DistinctValues) | null = null;
    return {
      at(parent) {
        const value = parent < 0 ? 0 : counts[parent];
        return new CardinalityOut(spec, value, () => {
          values ??= distinctValues(slices, parents);
          return parent < 0 ? { keys: [], registers: null } : values(parent);
        });
      },
    };
  },
};

/** A count of distinct values that can also list them, for unions of buckets. */
export class CardinalityOut extends MetricOut {
  readonly #values: () => DistinctValues;

  constructor(spec: AggSpec, value: number, values: () => DistinctValues) {
    super(spec, 'cardinality', { value }, { '': value, value });
    this.#values = values;
  }

  get values(): DistinctValues {
    return this.#values();
  }
}

/** @returns the distinct values of a merged parent */
function distinctValues(slices: readonly Slice[], parents: number): (parent: number) => DistinctValues {
  if (slices.some((slice) => slice.result.op === 'distinct')) {
    const sketches = sketchesOf(slices, parents);
    return (parent) => ({ keys: null, registers: sketches[parent] });
  }
  if (slices.some((slice) => sourceOf(slice).kind === 'binary')) {
    const seen = seenBytes(slices, parents);
    return (parent) => ({ keys: seen[parent], registers: null });
  }
  const keys = Array.from({ length: parents }, () => new Set<string | number | bigint>());
  for (const slice of slices) {
    const columns = columnsOf(slice);
    const bound = sourceOf(slice);
    for (let i = 0; i < columns.parents.length; i++) {
      const parent = slice.map ? slice.map[columns.parents[i]] : columns.parents[i];
      if (parent >= 0) keys[parent].add(bound.kind === 'ordinals' ? termKey(slice, bound, Number(columns.keys[i])) : columns.keys[i]);
    }
  }
  return (parent) => ({ keys: keys[parent], registers: null });
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
  return Float64Array.from(seenBytes(slices, parents), (values) => values.size);
}

function seenBytes(slices: readonly Slice[], parents: number): Set<string>[] {
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
  return seen;
}

const sourceOf = (slice: Slice) => slice.bound as ValuesSource;
const isText = (slice: Slice) => sourceOf(slice).kind === 'ordinals';

/** Estimates, if at least one segment was sketched; the exact values of the others are added to the sketches. */
function estimatedCounts(slices: readonly Slice[], parents: number): Float64Array {
  return Float64Array.from(sketchesOf(slices, parents), estimate);
}

/** One sketch per parent. */
function sketchesOf(slices: readonly Slice[], parents: number): Uint8Array[] {
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
  return sketches;
}

/** Names that Elasticsearch accepts besides those that its error lists. */
const MORE_HINTS = ['global_ordinals', 'segment_ordinals', 'save_memory_heuristic', 'save_time_heuristic'];

/** Validates the hint, which has no effect here. @throws ApiError illegal_argument_exception */
function checkHint(hint: string, { cardinalityHints: listed }: Dialect): void {
  const hints = listed.split(', ');
  const isOwn = hints.includes('ordinals');
  if (listed === '' || hints.includes(hint) || (!isOwn && MORE_HINTS.includes(hint.toLowerCase()))) return;
  throw illegalArgumentError(
    isOwn
      ? `Unknown execution_hint: [${hint}], expected any of [${listed}]`
      : `Invalid execution mode for cardinality aggregation.  Got [${hint}]expected one of [${listed}]`,
  );
}
