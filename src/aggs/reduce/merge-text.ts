// Merges buckets of terms of several segments by the hashes of their terms. The terms themselves are read only if they are shown or must be
// compared with a term of another segment. Within a segment, ordinals are in the order of the terms.

import type { ValuesSource } from '../source.ts';
import type { Slice } from '../types.ts';
import { KeyTable } from './key-table.ts';
import { type MergedBuckets, numberBuckets, selectTop } from './merge.ts';
import { termBytes } from './term-bytes.ts';

export interface MergedText extends MergedBuckets {
  /** Bytes of a bucket's term as a string of chars 0-255. */
  textOf(id: number): string;
  compareKeys(a: number, b: number): number;
  /** The first `size` of `ids` in order. `compare` may call compareKeys. */
  selectTop(ids: readonly number[], size: number, compare: (a: number, b: number) => number): number[];
}

/** Hash words of an ordinal of a slice; the ordinal after the last term stands for `missing`. */
export function hashOf(slice: Slice, source: ValuesSource, hashes: Uint32Array, ord: number): { low: number; high: number } {
  if (ord * 2 < hashes.length) return { low: hashes[ord * 2], high: hashes[ord * 2 + 1] };
  const [low, high] = slice.segment.termHash(source.missing as Uint8Array);
  return { low, high };
}

/** Hashes of the terms of every slice, or null if a segment cannot provide them. */
export function hashesOf(slices: readonly Slice[], sourceOf: (slice: Slice) => ValuesSource): Uint32Array[] | null {
  const all: Uint32Array[] = [];
  for (const slice of slices) {
    const { type, field } = sourceOf(slice);
    const hashes = type ? slice.segment.termHashes(field) : new Uint32Array(0);
    if (!hashes) return null;
    all.push(hashes);
  }
  return all;
}

export function mergeText(slices: readonly Slice[], sourceOf: (slice: Slice) => ValuesSource, hashes: readonly Uint32Array[]): MergedText {
  const firstSlice: number[] = [];
  const firstOrd: number[] = [];
  const table = new KeyTable();
  const sources = slices.map(sourceOf);
  const numbered = numberBuckets(slices, (s, columns, i, parent, next) => {
    const ord = Number(columns.keys[i]);
    const { low, high } = hashOf(slices[s], sources[s], hashes[s], ord);
    const id = table.numberOfBits(parent, low, high);
    if (id === next) {
      firstSlice.push(s);
      firstOrd.push(ord);
    }
    return id;
  });
  const texts: string[] = [];
  const textOf = (id: number): string => {
    const s = firstSlice[id];
    texts[id] ??= Buffer.from(termBytes(slices[s], sources[s], firstOrd[id])).toString('latin1');
    return texts[id];
  };
  const isMissing = (id: number) => firstOrd[id] * 2 >= hashes[firstSlice[id]].length;
  const compareKeys = (a: number, b: number): number => {
    if (firstSlice[a] === firstSlice[b] && !isMissing(a) && !isMissing(b)) return firstOrd[a] - firstOrd[b];
    const [left, right] = [textOf(a), textOf(b)];
    return left < right ? -1 : left > right ? 1 : 0;
  };
  return {
    ...numbered,
    count: numbered.parents.length,
    keys: numbered.parents,
    textOf,
    compareKeys,
    selectTop(ids, size, compare) {
      // The best of each segment first: within a segment, comparing ordinals is enough.
      const bySlice = slices.map((): number[] => []);
      for (const id of ids) bySlice[firstSlice[id]].push(id);
      return selectTop(
        bySlice.flatMap((list) => selectTop(list, size, compare)),
        size,
        compare,
      );
    },
  };
}
