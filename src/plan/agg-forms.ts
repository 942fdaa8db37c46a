// The cheapest form of an aggregation node for the column at hand: direct tables over stored values, tables that map narrow columns to buckets,
// computed buckets, hashes of 64-bit keys. src/plan/agg-encode.ts writes the form into kernel memory.
import type { AggColumn, AggNode, AggRange } from './agg-plan.ts';
import { type ColumnImage, indexTable, MAX_TABLE, NIL, readImage, storedOf } from './agg-tables.ts';

/** Kernel operations of assembly/aggs/node.ts. */
export const OP = { buckets: 1, ranges: 2, filters: 3, missing: 4, nested: 5, reverseNested: 6, stats: 7, docs: 8, distinct: 9 } as const;
/** How a node finds the bucket of a value, in assembly/aggs/node.ts. */
export const KIND = {
  stored: 0,
  table: 1,
  fixed: 2,
  histogram: 3,
  starts: 4,
  raw: 5,
  geotile: 6,
  geohash: 7,
  fixedStored: 8,
  rounded: 9,
} as const;
export const STATS = { integer: 0, double: 1, count: 2 } as const;
/** Flags of a node. */
export const FLAG = {
  hasMissing: 1,
  perValue: 2,
  mayDrop: 4,
  fourTables: 8,
  unsigned: 16,
  disjoint: 32,
  otherBucket: 64,
  squares: 128,
} as const;
const SAFE = 2 ** 53;

export interface KeyDecoder {
  /** Keys may lie beyond 2^53: the result has bigints. */
  readonly big: boolean;
  /** Key of a bucket index. */
  ofIndex(index: number): number | bigint;
  /** Key of a 64-bit key. */
  ofBits?(view: DataView, at: number): number | bigint;
}

/** One node's choice of kernel form. */
export interface Form {
  op: number;
  kind: number;
  size: number;
  flags: number;
  source: AggColumn | null;
  image: ColumnImage | null;
  keys: KeyDecoder | null;
  table: Uint32Array | null;
  missingIndex: number;
  p: readonly [number, number, number];
  starts: BigInt64Array | null;
  ranges: readonly AggRange[];
}

/** The cheapest form of a node for its column in this segment. */
export function formOf(view: DataView, node: AggNode): Form {
  const source = 'source' in node ? node.source : null;
  const image = source?.column ? readImage(view, source.column) : null;
  const form: Form = {
    op: OP.buckets,
    kind: KIND.stored,
    size: 1,
    flags: 0,
    source,
    image,
    keys: { big: false, ofIndex: (index) => index },
    table: null,
    missingIndex: NIL,
    p: [0, 0, 0],
    starts: null,
    ranges: [],
  }; // prettier-ignore
  switch (node.op) {
    case 'termsOrd':
      return termsForm(form, node.accept);
    case 'termsNumeric':
      if (node.perValue) form.flags |= FLAG.perValue;
      return termsForm(form, null);
    case 'roundedValues':
      return Object.assign(form, { kind: KIND.rounded, size: 0, flags: form.flags | FLAG.perValue, keys: rawKeys(false, true) });
    case 'histogram':
      return histogramForm(form, node.interval, node.offset, node.minKey, node.maxKey);
    case 'dateFixed':
      return fixedForm(form, node.interval, node.offset);
    case 'dateStarts':
      return startsForm(form, node.starts);
    case 'geoCells':
      return Object.assign(form, {
        kind: node.grid === 'geotile' ? KIND.geotile : KIND.geohash,
        size: 0,
        p: [node.precision, 0, 0],
        keys: rawKeys(true, false),
      });
    case 'ranges':
      return rangesForm(form, node.ranges);
    case 'filters':
      return Object.assign(form, {
        op: OP.filters,
        size: node.filters.length + (node.other ? 1 : 0),
        flags: node.other ? FLAG.otherBucket : 0,
      });
    case 'missing':
      return Object.assign(form, { op: OP.missing });
    case 'nested':
      return Object.assign(form, { op: OP.nested });
    case 'reverseNested':
      return Object.assign(form, { op: OP.reverseNested });
    case 'docs':
      return Object.assign(form, { op: OP.docs, keys: null });
    case 'distinct':
      return Object.assign(form, { op: OP.distinct, keys: null });
    case 'valueCount':
      return Object.assign(form, { op: OP.stats, kind: STATS.count, keys: null });
    case 'stats':
      return statsForm(form, node.sumOfSquares);
  }
}

function rawKeys(big: boolean, isDouble: boolean): KeyDecoder {
  const ofBits = isDouble
    ? (view: DataView, at: number) => view.getFloat64(at, true)
    : big
      ? (view: DataView, at: number) => view.getBigInt64(at, true)
      : (view: DataView, at: number) => Number(view.getBigInt64(at, true));
  return { big: big && !isDouble, ofIndex: (index) => index, ofBits };
}

/** Raw keys beyond 2^53 need bigints. */
function isBig(image: ColumnImage | null, missing: bigint | number | null): boolean {
  const beyond = (value: bigint | number | null) => typeof value === 'bigint' && (value > BigInt(SAFE) || value < -BigInt(SAFE));
  if (image === null) return beyond(missing);
  return !image.isDouble && (beyond(image.min) || beyond(image.max) || beyond(missing));
}

function termsForm(form: Form, accept: Uint8Array | null): Form {
  const { image, source } = form;
  const missing = source?.missing ?? null;
  const big = isBig(image, missing);
  if (!image || image.stored === 0 || big) {
    const isDouble = image ? image.isDouble : typeof missing === 'number' && !Number.isInteger(missing);
    return Object.assign(form, { kind: KIND.raw, size: 0, keys: rawKeys(big, isDouble) });
  }
  const { base, multiplier } = image;
  if (accept) {
    const { table, keys } = acceptTable(image, accept);
    const missingKey = missing === null ? -1 : Number(missing);
    let size = Math.max(keys.length, 1);
    if (missing !== null && accepts(accept, missingKey)) {
      form.missingIndex = missingKey <= Number(image.max) ? table[storedOf(image, missingKey)] : size++;
    }
    return Object.assign(form, {
      kind: KIND.table,
      table,
      size,
      flags: form.flags | FLAG.mayDrop,
      keys: { big: false, ofIndex: (index: number) => (index < keys.length ? keys[index] : missingKey) },
    }); // prettier-ignore
  }
  let size = image.stored;
  if (missing !== null) {
    const stored = storedOf(image, Number(missing));
    form.missingIndex = stored >= 0 && stored < size ? stored : size++;
  }
  const missingIndex = form.missingIndex;
  const ofIndex = (index: number) => (index === missingIndex ? Number(missing) : base + multiplier * index);
  return Object.assign(form, { size, keys: { big: false, ofIndex } });
}

function accepts(accept: Uint8Array, ord: number): boolean {
  return ((accept[ord >> 3] >> (ord & 7)) & 1) === 1;
}

/** Stored value -> compact index of the accepted ordinals. */
function acceptTable(image: ColumnImage, accept: Uint8Array): { table: Uint32Array; keys: number[] } {
  const keys: number[] = [];
  const table = indexTable(image, (ord) => (accepts(accept, ord) ? keys.push(ord) - 1 : NIL));
  return { table, keys };
}

function histogramForm(form: Form, interval: number, offset: number, minKey: number, maxKey: number): Form {
  const { image, source } = form;
  const indexOf = (value: number) => Math.floor((value - offset) / interval);
  const bounds: number[] = image ? [image.toDouble(image.min, source!), image.toDouble(image.max, source!)] : [];
  if (source?.missing != null) bounds.push(image ? image.toDouble(source.missing, source) : Number(source.missing) * (source.scale || 1));
  if (bounds.length === 0) return Object.assign(form, { kind: KIND.histogram, p: [interval, offset, 0] });
  const lowest = indexOf(Math.min(...bounds));
  const highest = indexOf(Math.max(...bounds));
  const first = Math.max(lowest, minKey);
  const size = Math.min(highest, maxKey) - first + 1;
  // all keys lie outside the bounds: as if the segment had no values
  if (size <= 0) return Object.assign(form, { source: null, image: null });
  form.keys = { big: false, ofIndex: (index) => first + index };
  if (!(size < MAX_TABLE) || !Number.isFinite(first)) {
    return Object.assign(form, {
      kind: KIND.histogram,
      size: 0,
      p: [interval, offset, 0],
      keys: { big: false, ofIndex: (i: number) => i, ofBits: (view: DataView, at: number) => Number(view.getBigInt64(at, true)) },
    }); // prettier-ignore
  }
  const flags = form.flags | (lowest < minKey || highest > maxKey ? FLAG.mayDrop : 0);
  const index = (value: number) => (indexOf(value) < first || indexOf(value) > maxKey ? NIL : indexOf(value) - first);
  if (image?.isNarrow && source!.missing === null) {
    const table = indexTable(image, (raw) => index(image.toDouble(raw, source!)));
    return Object.assign(form, { kind: KIND.table, table, size, flags });
  }
  return Object.assign(form, { kind: KIND.histogram, size, flags, p: [interval, offset, first] });
}

function fixedForm(form: Form, interval: number, offset: number): Form {
  const { image, source } = form;
  const bounds: number[] = image ? [Number(image.min), Number(image.max)] : [];
  if (source?.missing != null) bounds.push(Number(source.missing));
  if (bounds.length === 0) return form;
  const start = offset + Math.floor((Math.min(...bounds) - offset) / interval) * interval;
  const size = Math.floor((Math.max(...bounds) - start) / interval) + 1;
  form.keys = {
    big: false,
    ofIndex: (index) => start + index * interval,
    ofBits: (view, at) => start + Number(view.getBigInt64(at, true)) * interval,
  };
  if (size >= MAX_TABLE) return Object.assign(form, { kind: KIND.fixed, size: 0, p: [interval, start, 0] });
  if (image?.isNarrow && source!.missing === null) {
    return Object.assign(form, { kind: KIND.table, size, table: indexTable(image, (raw) => Math.floor((raw - start) / interval)) });
  }
  if (image && image.stored > 0 && source!.missing === null && interval % image.multiplier === 0) {
    const shift = Math.floor((image.base - start) / image.multiplier);
    const width = interval / image.multiplier;
    if (image.stored + shift < MAX_TABLE && width < MAX_TABLE)
      return Object.assign(form, { kind: KIND.fixedStored, size, p: [width, shift, 0] });
  }
  return Object.assign(form, { kind: KIND.fixed, size, p: [interval, start, 1 / interval] });
}

function startsForm(form: Form, starts: BigInt64Array): Form {
  const size = starts.length - 1;
  form.keys = { big: false, ofIndex: (index) => Number(starts[index]) };
  if (size < 1) return form;
  return Object.assign(form, { kind: KIND.starts, size, starts, flags: form.flags | FLAG.mayDrop });
}

function rangesForm(form: Form, ranges: readonly AggRange[]): Form {
  const { image, source } = form;
  const disjoint = ranges.every((range, i) => i === 0 || range.from >= ranges[i - 1].to);
  form.size = ranges.length;
  if (disjoint && image?.isNarrow && source!.missing === null) {
    let drops = false;
    const table = indexTable(image, (raw) => {
      const value = image.toDouble(raw, source!);
      const at = ranges.findIndex((range) => value >= range.from && value < range.to);
      drops ||= at < 0;
      return at < 0 ? NIL : at;
    });
    return Object.assign(form, { kind: KIND.table, table, flags: form.flags | (drops ? FLAG.mayDrop : 0) });
  }
  return Object.assign(form, { op: OP.ranges, ranges, flags: form.flags | (disjoint ? FLAG.disjoint : 0) });
}

function statsForm(form: Form, squares: boolean): Form {
  const { image, source } = form;
  form.op = OP.stats;
  form.keys = null;
  form.kind = STATS.double;
  if (squares) form.flags |= FLAG.squares;
  if (!image || squares || image.isDouble || image.stored === 0 || source!.scale !== 1 || source!.unsigned) return form;
  let largest = Math.max(Math.abs(Number(image.min)), Math.abs(Number(image.max)));
  let values = image.valueCount;
  if (source!.missing !== null) {
    const stored = storedOf(image, Number(source!.missing));
    if (stored < 0) return form;
    form.missingIndex = stored;
    largest = Math.max(largest, Math.abs(Number(source!.missing)));
    values += image.maxDoc;
  }
  // a sum is exact, and so equal to the compensated one, while no partial sum can pass 2^53
  if (largest * values < SAFE) form.kind = STATS.integer;
  return form;
}
