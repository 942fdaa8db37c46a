import { expect, test } from 'vitest';
import { columnBounds, rawValues } from '../../src/wasm/docvalues.ts';
import type { Kernels } from '../../src/wasm/kernels.ts';
import { readColumn } from '../reference/column-reader.ts';
import { eachKernelBuild } from '../support/kernels.ts';
import { forSeeds, type Rng } from '../support/rng.ts';

const F64 = 8;
const ORDINALS = 16;

type Value = bigint | number;

/** Values of each document; kinds with different widths, densities and numbers of values. */
function randomDocs(rng: Rng, flags: number): Value[][] {
  const maxDoc = rng.pick([1, 7, 512, 513, 1500, 9000]);
  const density = rng.pick([1, 1, 0.9, 0.3, 0.02]);
  const most = rng.pick([1, 1, 2, 40]);
  const value = randomValue(rng, flags);
  const docs = Array.from({ length: maxDoc }, () => (rng.bool(density) ? Array.from({ length: rng.int(1, most) }, value) : []));
  if (docs.every((values) => values.length === 0)) docs[rng.int(0, maxDoc - 1)].push(value());
  return docs;
}

function randomValue(rng: Rng, flags: number): () => Value {
  if (flags === F64) return rng.bool() ? () => Math.fround(rng.float() * 1e6) : () => (rng.float() - 0.5) * 10 ** rng.int(-300, 300);
  if (flags === ORDINALS) return () => BigInt(rng.skewed(70_000));
  const scale = rng.pick([1n, 1000n, 86_400_000n]);
  const base = rng.pick([0n, -(2n ** 63n), 1_600_000_000_000n]);
  const range = rng.pick([1, 2, 256, 65_536, 65_537, 2 ** 32, 2 ** 40]);
  if (rng.bool(0.1)) return () => BigInt.asIntN(64, (BigInt(rng.u32()) << 32n) | BigInt(rng.u32()));
  return () => base + scale * BigInt(Math.floor(rng.float() * range));
}

function write(k: Kernels, flags: number, docs: Value[][]): { ptr: number; bytes: Uint8Array } {
  const pairs = docs.flatMap((values, doc) => values.map((value) => ({ doc, value })));
  const docsPtr = k.copyInU32(Uint32Array.from(pairs, ({ doc }) => doc));
  const valuesPtr = k.reserve(pairs.length * 8);
  pairs.forEach(({ value }, i) => {
    if (typeof value === 'bigint') k.i64[(valuesPtr >>> 3) + i] = value;
    else k.f64[(valuesPtr >>> 3) + i] = value;
  });
  const count = k.exports.docvaluesColumnSort(flags, docsPtr, valuesPtr, pairs.length);
  const room = docs.length * 16 + pairs.length * 8 + 4096;
  const ptr = k.reserve(room, 64);
  const size = k.exports.docvaluesColumnWrite(flags, docs.length, docsPtr, valuesPtr, count, ptr, ptr + room);
  expect(size).toBeGreaterThan(0);
  return { ptr, bytes: k.copyOut(ptr, size) };
}

const ascending = (a: Value, b: Value): number => (a < b ? -1 : a > b ? 1 : Number(Object.is(b, -0)) - Number(Object.is(a, -0)));

eachKernelBuild((k, build) => {
  test(`${build}: a written column reads back by the format's description, and by the kernels`, () =>
    forSeeds(40, (rng) =>
      k.scoped(() => {
        const flags = rng.pick([0, 0, F64, ORDINALS]);
        const docs = randomDocs(rng, flags);
        const { ptr, bytes } = write(k, flags, docs);
        const expected = docs.map((values) => (flags === ORDINALS ? [...new Set(values)] : [...values]).sort(ascending));
        const decoded = readColumn(bytes);
        expect(decoded.docs).toEqual(expected);
        expect(decoded.docCount).toBe(expected.filter((values) => values.length > 0).length);
        expect(decoded.valueCount).toBe(expected.flat().length);
        const all = expected.flat().sort(ascending);
        const { min, max } = columnBounds(k, ptr, flags === F64);
        expect([min, max]).toEqual([all[0], all.at(-1)]);
        for (let i = 0; i < 50; i++) {
          const doc = rng.int(0, docs.length - 1);
          k.scoped(() => {
            const { ptr: at, count } = rawValues(k, ptr, doc);
            const values = Array.from({ length: count }, (_, n): Value => (flags === F64 ? k.f64 : k.i64)[(at >>> 3) + n]);
            expect(values).toEqual(expected[doc]);
          });
        }
      }),
    ));

  test(`${build}: the narrowest width is chosen`, () => {
    const widthOf = (flags: number, values: Value[]) =>
      k.scoped(
        () =>
          readColumn(
            write(
              k,
              flags,
              values.map((value) => [value]),
            ).bytes,
          ).width,
      );
    expect(widthOf(0, [7n, 7n])).toBe(0);
    expect(widthOf(0, [-5n, 250n])).toBe(1);
    expect(widthOf(0, [0n, 1000n, 255_000n])).toBe(1);
    expect(widthOf(0, [0n, 1n, 256n])).toBe(2);
    expect(widthOf(0, [0n, 1n, 65_536n])).toBe(4);
    expect(widthOf(0, [-(2n ** 63n), 2n ** 63n - 1n, 0n])).toBe(8);
    expect(widthOf(F64, [0.5, 1e30])).toBe(8);
    expect(widthOf(F64, [0.5, -3])).toBe(4);
  });

  test(`${build}: a column that does not fit is refused`, () =>
    k.scoped(() => {
      const docs = k.copyInU32(Uint32Array.of(0, 1));
      const values = k.reserve(16);
      const out = k.reserve(64, 64);
      expect(k.exports.docvaluesColumnWrite(0, 2, docs, values, 2, out, out + 64)).toBe(0);
    }));
});
