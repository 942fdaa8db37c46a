// Reads the state that aggregation kernels left in a tree's region as AggResult columns. Empty buckets of direct tables are dropped here.
import { DocEntry, DoubleStats, IntegerStats, NIL, AggNode as Record, STATS_INTEGER } from '../wasm/generated/aggs.ts';
import type { Kernels } from '../wasm/kernels.ts';
import { getF32, getF64, getU32 } from '../wasm/records.ts';
import type { EncodedNode } from './agg-encode.ts';
import type { KeyDecoder } from './agg-forms.ts';
import type { AggResult, BucketColumns } from './agg-plan.ts';

/** Results of the tree's top nodes. */
export function readResults(k: Kernels, nodes: readonly EncodedNode[]): AggResult[] {
  const root = Uint32Array.of(0);
  return nodes.map((node) => read(k, node, root, 1));
}

/**
 * @param parents      the kernels' numbers of the parent buckets, in the order of the result
 * @param parentLimit  those numbers are below this
 */
function read(k: Kernels, encoded: EncodedNode, parents: Uint32Array, parentLimit: number): AggResult {
  switch (encoded.node.op) {
    case 'stats':
      return readStats(k, encoded, parents);
    case 'valueCount': {
      const { records, capacity } = recordsOf(k, encoded);
      return { op: 'valueCount', counts: Float64Array.from(parents, (p) => (p < capacity ? u64(k, records + p * 8) : 0)) };
    }
    case 'distinct':
      return readRegisters(k, encoded, encoded.node.precision, parents);
    case 'docs':
      return readDocs(k, encoded, parents, parentLimit);
    default: {
      const { buckets, numbers, limit } = encoded.denseParents
        ? readDirect(k, encoded, parents)
        : readHashed(k, encoded, parents, parentLimit);
      return { op: 'buckets', buckets, children: encoded.children.map((child) => read(k, child, numbers, limit)) };
    }
  }
}

function readRegisters(k: Kernels, encoded: EncodedNode, precision: number, parents: Uint32Array): AggResult {
  const { records, capacity } = recordsOf(k, encoded);
  const bytes = 1 << precision;
  const registers = new Uint8Array(parents.length * bytes);
  parents.forEach((parent, i) => {
    if (parent < capacity) registers.set(k.u8.subarray(records + parent * bytes, records + (parent + 1) * bytes), i * bytes);
  });
  return { op: 'distinct', precision, registers };
}

interface Buckets {
  readonly buckets: BucketColumns;
  /** Number of each bucket for the kernels. */
  readonly numbers: Uint32Array;
  readonly limit: number;
}

function u64(k: Kernels, ptr: number): number {
  return k.u32[ptr >>> 2] + k.u32[(ptr >>> 2) + 1] * 2 ** 32;
}

function recordsOf(k: Kernels, encoded: EncodedNode): { records: number; capacity: number } {
  return { records: getU32(k, encoded.ptr, Record.counts), capacity: getU32(k, encoded.ptr, Record.capacity) };
}

function readDirect(k: Kernels, encoded: EncodedNode, parents: Uint32Array): Buckets {
  const size = encoded.size;
  const counts = encoded.fold ? foldedCounts(k, encoded, encoded.fold) : countsOf(k, encoded);
  let found = 0;
  for (const parent of parents) {
    for (let at = parent * size, end = at + size; at < end; at++) if (counts[at] > 0) found++;
  }
  const decoder = keysOf(encoded);
  const columns = columnsFor(found);
  const keys = keyColumn(found, decoder);
  const numbers = new Uint32Array(found);
  let n = 0;
  parents.forEach((parent, i) => {
    for (let index = 0; index < size; index++) {
      const count = counts[parent * size + index];
      if (count === 0) continue;
      columns.parents[n] = i;
      columns.docCounts[n] = count;
      keys.set(n, decoder.ofIndex(index));
      numbers[n++] = parent * size + index;
    }
  });
  return { buckets: { ...columns, keys: keys.values }, numbers, limit: encoded.denseParents * size };
}

function countsOf(k: Kernels, encoded: EncodedNode): Uint32Array {
  const start = getU32(k, encoded.ptr, Record.counts) >>> 2;
  return k.u32.subarray(start, start + encoded.denseParents * encoded.size);
}

/** Sums the counter tables of stored values by bucket index. */
function foldedCounts(k: Kernels, encoded: EncodedNode, { tables, stored, table }: NonNullable<EncodedNode['fold']>): Uint32Array {
  const start = getU32(k, encoded.ptr, Record.counts) >>> 2;
  const counts = new Uint32Array(encoded.size);
  const words = k.u32;
  for (let value = 0; value < stored; value++) {
    const index = table ? table[value] : value;
    if (index === NIL) continue;
    for (let t = 0; t < tables; t++) counts[index] += words[start + t * stored + value];
  }
  return counts;
}

function readHashed(k: Kernels, encoded: EncodedNode, parents: Uint32Array, parentLimit: number): Buckets {
  const found = getU32(k, encoded.ptr, Record.bucketCount);
  const keysPtr = getU32(k, encoded.ptr, Record.keys);
  const parentsAt = getU32(k, encoded.ptr, Record.bucketParents) >>> 2;
  const countsAt = getU32(k, encoded.ptr, Record.counts) >>> 2;
  const decoder = keysOf(encoded);
  const columns = columnsFor(found);
  const keys = keyColumn(found, decoder);
  const places = inverse(parents, parentLimit);
  for (let n = 0; n < found; n++) {
    columns.parents[n] = places ? places[k.u32[parentsAt + n]] : k.u32[parentsAt + n];
    columns.docCounts[n] = k.u32[countsAt + n];
    const at = keysPtr + n * 8;
    keys.set(n, encoded.size === 0 && decoder.ofBits ? decoder.ofBits(k.view, at) : decoder.ofIndex(k.view.getUint32(at, true)));
  }
  return { buckets: { ...columns, keys: keys.values }, numbers: Uint32Array.from({ length: found }, (_, i) => i), limit: found };
}

/** Index in `parents` by kernel number, null if they are the same. */
function inverse(parents: Uint32Array, limit: number): Uint32Array | null {
  if (parents.every((parent, i) => parent === i)) return null;
  const places = new Uint32Array(limit);
  parents.forEach((parent, i) => {
    places[parent] = i;
  });
  return places;
}

function columnsFor(count: number): { parents: Uint32Array; docCounts: Uint32Array } {
  return { parents: new Uint32Array(count), docCounts: new Uint32Array(count) };
}

/** Decoder of a bucket aggregation's keys. */
function keysOf(encoded: EncodedNode): KeyDecoder {
  if (encoded.keys === null) throw new Error(`[${encoded.node.op}] has no buckets`);
  return encoded.keys;
}

interface KeyColumn {
  readonly values: Float64Array | BigInt64Array;
  set(n: number, key: number | bigint): void;
}

function keyColumn(count: number, decoder: KeyDecoder): KeyColumn {
  if (!decoder.big) {
    const values = new Float64Array(count);
    return { values, set: (n, key) => void (values[n] = Number(key)) };
  }
  const values = new BigInt64Array(count);
  return { values, set: (n, key) => void (values[n] = BigInt(key)) };
}

function readStats(k: Kernels, encoded: EncodedNode, parents: Uint32Array): AggResult {
  const { records, capacity } = recordsOf(k, encoded);
  const kind = getU32(k, encoded.ptr, Record.kind);
  const n = parents.length;
  const stats = {
    count: new Float64Array(n),
    sum: new Float64Array(n),
    min: new Float64Array(n).fill(Infinity),
    max: new Float64Array(n).fill(-Infinity),
    sumOfSquares: new Float64Array(n),
  };
  for (let i = 0; i < n; i++) {
    if (parents[i] >= capacity) continue;
    if (kind === STATS_INTEGER && encoded.image) {
      const at = records + parents[i] * IntegerStats.sizeof;
      const count = u64(k, at + IntegerStats.count);
      if (count === 0) continue;
      const { base, multiplier } = encoded.image;
      stats.count[i] = count;
      stats.sum[i] = base * count + multiplier * u64(k, at + IntegerStats.sum);
      stats.min[i] = base + multiplier * u64(k, at + IntegerStats.min);
      stats.max[i] = base + multiplier * u64(k, at + IntegerStats.max);
    } else {
      const at = records + parents[i] * DoubleStats.sizeof;
      stats.count[i] = getF64(k, at, DoubleStats.count);
      stats.sum[i] = getF64(k, at, DoubleStats.sum);
      stats.min[i] = getF64(k, at, DoubleStats.min);
      stats.max[i] = getF64(k, at, DoubleStats.max);
      stats.sumOfSquares[i] = getF64(k, at, DoubleStats.sumOfSquares);
    }
  }
  return { op: 'stats', stats };
}

function readDocs(k: Kernels, encoded: EncodedNode, parents: Uint32Array, parentLimit: number): AggResult {
  const found = getU32(k, encoded.ptr, Record.bucketCount);
  const entries = getU32(k, encoded.ptr, Record.counts);
  const places = inverse(parents, parentLimit);
  const placeOf = (n: number): number => {
    const bucket = getU32(k, entries + n * DocEntry.sizeof, DocEntry.bucket);
    return places ? places[bucket] : bucket;
  };
  const starts = new Uint32Array(parents.length + 1);
  for (let n = 0; n < found; n++) starts[placeOf(n) + 1]++;
  for (let i = 0; i < parents.length; i++) starts[i + 1] += starts[i];
  const next = starts.slice();
  const docs = new Uint32Array(found);
  const scores = new Float32Array(found);
  for (let n = 0; n < found; n++) {
    const to = next[placeOf(n)]++;
    docs[to] = getU32(k, entries + n * DocEntry.sizeof, DocEntry.doc);
    scores[to] = getF32(k, entries + n * DocEntry.sizeof, DocEntry.score);
  }
  return { op: 'docs', starts, docs, scores };
}
