import { expect, test } from 'vitest';
import { BoolNode, ConstantNode } from '../../../src/wasm/generated/search.ts';
import { compileEngine, createMemory, Kernels, PAGE_BYTES, staticBytes } from '../../../src/wasm/kernels.ts';
import { setU32 } from '../../../src/wasm/records.ts';

const module = compileEngine('debug');
const start = staticBytes(module);
const PAGES = 32;
const create = (scratchBytes: number) => new Kernels(module, createMemory(PAGES), start, scratchBytes);

test('a module is compiled once, and its static data end at a page', () => {
  expect(compileEngine('debug')).toBe(module);
  expect(compileEngine('release')).not.toBe(module);
  expect(start % PAGE_BYTES).toBe(0);
  expect(start).toBeGreaterThan(0);
});

test('scratch is handed out aligned, in order, and runs full', () => {
  const k = create(256);
  const first = k.reserve(10);
  const second = k.reserve(1, 64);
  expect([first % 16, second % 64]).toEqual([0, 0]);
  expect(second).toBeGreaterThanOrEqual(first + 10);
  expect(() => k.reserve(256)).toThrow(RangeError);
  expect(k.reserve(16) + 16).toBeLessThanOrEqual(start + 256);
});

test('scoped gives scratch back, also when the call throws', () => {
  const k = create(1024);
  const before = k.free;
  expect(k.scoped(() => k.reserve(500))).toBe(start);
  expect(k.free).toBe(before);
  expect(() =>
    k.scoped(() => {
      k.reserve(500);
      throw new Error('stop');
    }),
  ).toThrow('stop');
  expect(k.free).toBe(before);
  const mark = k.mark();
  k.reserve(8);
  k.release(mark);
  expect(k.free).toBe(before);
});

test('bytes and words are copied in and out', () => {
  const k = create(1024);
  const bytes = k.copyIn(Uint8Array.of(1, 2, 3));
  const words = k.copyInU32(Uint32Array.of(7, 2 ** 32 - 1));
  const out = k.copyOut(bytes, 3);
  k.u8[bytes] = 9;
  expect([...out]).toEqual([1, 2, 3]);
  expect([...k.copyOutU32(words, 2)]).toEqual([7, 2 ** 32 - 1]);
  k.f64[k.reserve(16, 8) >>> 3] = 0.5;
  expect([...k.copyOutF64(k.mark() - 16, 1)]).toEqual([0.5]);
});

test('an assertion of the debug build reports its place', () => {
  const k = create(65_536);
  const column = k.reserve(64, 64);
  k.u8.fill(0, column, column + 64); // a column of no documents
  expect(() => k.exports.docvaluesColumnFirst(column, 5)).toThrow(/kernel assertion: .*assembly\/docvalues\/column\.ts:\d+/);
});

test('a trap in a small memory is an exception, and the instance remains usable', () => {
  const k = create(65_536);
  expect(() => k.exports.codecCrc32c(PAGES * PAGE_BYTES - 4, 64, 0)).toThrow(/out of bounds/);
  expect(k.exports.codecCrc32c(start, 0, 0)).toBe(0);
});

test('exports have the types of the sources', () => {
  const check = (kernels: Kernels): void => {
    // @ts-expect-error a misspelt export
    kernels.exports.codecCrc32(0, 0, 0);
    // @ts-expect-error too few arguments
    kernels.exports.codecCrc32c(0, 0);
    // @ts-expect-error too many arguments
    kernels.exports.codecCrc32c(0, 0, 0, 0);
    // @ts-expect-error an argument of another type
    kernels.exports.codecCrc32c(0, 0, 0n);
    // @ts-expect-error a field of another type
    setU32(kernels, 0, ConstantNode.score, 1);
    // @ts-expect-error an unknown field
    setU32(kernels, 0, BoolNode.must, 1);
  };
  expect(check).toBeTypeOf('function');
});
