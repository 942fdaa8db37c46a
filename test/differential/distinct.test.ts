import { expect, test } from 'vitest';
import { addValue, estimate, mergeRegisters } from '../../src/aggs/metrics/hyper-log-log.ts';
import { KeyTable } from '../../src/aggs/reduce/key-table.ts';
import { AggEncoder } from '../../src/plan/agg-encode.ts';
import type { AggNode, AggResult } from '../../src/plan/agg-plan.ts';
import { readResults } from '../../src/plan/agg-read.ts';
import type { Kernels } from '../../src/wasm/kernels.ts';
import { columnImage } from '../reference/column-image.ts';
import { eachKernelBuild } from '../support/kernels.ts';
import { forSeeds, Rng } from '../support/rng.ts';

function run(k: Kernels, docs: number[][], kind: 'i64' | 'f64', node: (source: unknown) => AggNode): AggResult {
  return k.scoped(() => {
    const all = docs.flat();
    const raw = (n: number) => (kind === 'i64' ? BigInt(n) : n);
    const column = {
      kind,
      ptr: k.copyIn(columnImage({ kind, docs, multiplier: 1, direct: true })),
      multiValued: docs.some((list) => list.length > 1),
      docCount: docs.length,
      valueCount: all.length,
      min: raw(Math.min(...all)),
      max: raw(Math.max(...all)),
    }; // prettier-ignore
    const bytes = 4 << 20;
    const encoder = new AggEncoder(k, { maxDoc: docs.length, rootDocsPtr: 0, bitsetOf: () => 0 }, k.reserve(bytes), bytes);
    const encoded = encoder.encode([node({ column, missing: null, scale: 1, unsigned: false })]);
    expect(k.exports.aggsCollectRange(encoder.rootPtr, 0, docs.length)).toBe(0);
    return readResults(k, encoded)[0];
  });
}

eachKernelBuild((k, build) => {
  test(`${build}: registers equal those of the host's twin`, () =>
    forSeeds(20, (rng) => {
      const kind = rng.pick(['i64', 'f64'] as const);
      const precision = rng.pick([4, 9, 14]);
      const docs = Array.from({ length: rng.int(1, 3000) }, () => [kind === 'i64' ? rng.int(-1000, 2 ** 31) : rng.float() * 1e6]);
      const result = run(k, docs, kind, (source) => ({ op: 'distinct', source, precision, children: [] }) as AggNode);
      const expected = new Uint8Array(1 << precision);
      const bits = new DataView(new ArrayBuffer(8));
      for (const [value] of docs) {
        if (kind === 'i64') bits.setBigInt64(0, BigInt(value));
        else bits.setFloat64(0, value);
        addValue(expected, precision, bits.getBigUint64(0));
      }
      expect(result).toEqual({ op: 'distinct', precision, registers: expected });
    }));

  test(`${build}: rounded values are near the values and keep their number`, () =>
    forSeeds(20, (rng) => {
      const docs = Array.from({ length: 500 }, () => [(rng.float() - 0.5) * 10 ** rng.int(-5, 12)]);
      const result = run(k, docs, 'f64', (source) => ({ op: 'roundedValues', source, children: [] }) as AggNode);
      if (result.op !== 'buckets') throw new Error('buckets expected');
      expect(Array.from(result.buckets.docCounts).reduce((a, b) => a + b, 0)).toBe(500);
      const keys = Array.from(result.buckets.keys as Float64Array);
      for (const [value] of docs) expect(keys.some((key) => Math.abs(key - value) <= Math.abs(value) * 2 ** -16)).toBe(true);
    }));
});

test('estimates are within five standard errors, from one value to a million, also merged ones', () => {
  const rng = new Rng(7);
  for (const [precision, count] of [
    [14, 1],
    [14, 1000],
    [14, 40_000],
    [10, 200_000],
  ] as const) {
    const [a, b] = [new Uint8Array(1 << precision), new Uint8Array(1 << precision)];
    for (let i = 0; i < count; i++) addValue(rng.bool() ? a : b, precision, BigInt(i));
    mergeRegisters(a, b);
    expect(Math.abs(estimate(a) - count) / count).toBeLessThan((5 * 1.04) / Math.sqrt(1 << precision));
  }
}); // prettier-ignore

test('KeyTable numbers pairs in the order of their first occurrence', () =>
  forSeeds(30, (rng) => {
    const table = new KeyTable();
    const map = new Map<string, number>();
    for (let i = 0; i < 600; i++) {
      const [parent, key] = [rng.int(0, 3), rng.pick([rng.int(0, 200), rng.int(0, 200) / 8, rng.float()])];
      const name = `${parent}/${key}`;
      if (!map.has(name)) map.set(name, map.size);
      expect(table.numberOf(parent, key)).toBe(map.get(name));
    }
    expect(table.size).toBe(map.size);
  }));
