// The cheapest form of an aggregation node for its column: direct tables over stored values, tables that map narrow columns to buckets,
// computed buckets, hashes of 64-bit keys. src/plan/agg-encode.ts writes the form into kernel memory.
import {
  DISJOINT,
  HAS_MISSING,
  KIND_FIXED,
  KIND_FIXED_STORED,
  KIND_GEOHASH,
  KIND_GEOTILE,
  KIND_HISTOGRAM,
  KIND_RAW,
  KIND_ROUNDED,
  KIND_STARTS,
  KIND_STORED,
  KIND_TABLE,
  MAY_DROP,
  MISSING_APART,
  NIL,
  OP_BUCKETS,
  OP_DISTINCT,
  OP_DOCS,
  OP_FILTERS,
  OP_MISSING,
  OP_NESTED,
  OP_RANGES,
  OP_REVERSE_NESTED,
  OP_STATS,
  OTHER_BUCKET,
  PER_VALUE,
  SQUARES,
  STATS_COUNT,
  STATS_DOUBLE,
  STATS_INTEGER,
} from '../wasm/generated/aggs.ts';
import type { AggColumn, AggNode, AggRange } from './agg-plan.ts';
import { type ColumnImage, doubleTable, indexTable, MAX_TABLE, readImage, storedOf } from './agg-tables.ts';

const SAFE = 2 ** 53;
const MAX_I64 = (1n << 63n) - 1n;
const MISSING_FLAGS = HAS_MISSING | MISSING_APART;

export interface KeyDecoder {
  /** Keys may exceed 2^53: the result has bigints. */
  readonly big: boolean;
  /** Key of a bucket index. */
  ofIndex(index: number): number | bigint;
  /** Key of a 64-bit key. */
  ofBits?(view: DataView, at: number): number | bigint;
}

/** How a value becomes a bucket index or a 64-bit key: the kinds of assembly/aggs/node.ts and their parameters. */
export type BucketRule =
  | { readonly kind: typeof KIND_STORED | typeof KIND_RAW | typeof KIND_ROUNDED }
  | { readonly kind: typeof KIND_TABLE; readonly table: Uint32Array }
  | { readonly kind: typeof KIND_FIXED; readonly interval: number; readonly origin: bigint; readonly inverse: number }
  | { readonly kind: typeof KIND_FIXED_STORED; readonly width: number; readonly shift: number }
  | { readonly kind: typeof KIND_HISTOGRAM; readonly interval: number; readonly offset: number; readonly first: number }
  | { readonly kind: typeof KIND_STARTS; readonly starts: BigInt64Array }
  | { readonly kind: typeof KIND_GEOTILE | typeof KIND_GEOHASH; readonly precision: number };

/** One node's choice of kernel form. */
export interface Form {
  /** OP_* */
  op: number;
  /** OP_BUCKETS */
  rule: BucketRule;
  /** STATS_*, with OP_STATS */
  statsKind: number;
  size: number;
  flags: number;
  source: AggColumn | null;
  image: ColumnImage | null;
  keys: KeyDecoder | null;
  missingIndex: number;
  ranges: readonly AggRange[];
}

const STORED: BucketRule = { kind: KIND_STORED };

function changed(form: Form, changes: Partial<Form>): Form {
  return Object.assign(form, changes);
}

/** The cheapest form of a node for its column in this segment. */
export function formOf(view: DataView, node: AggNode): Form {
  const source = 'source' in node ? node.source : null;
  const image = source?.column ? readImage(view, source, source.column) : null;
  const form: Form = {
    op: OP_BUCKETS,
    rule: STORED,
    statsKind: STATS_COUNT,
    size: 1,
    flags: 0,
    source,
    image,
    keys: { big: false, ofIndex: (index) => index },
    missingIndex: NIL,
    ranges: [],
  };
  switch (node.op) {
    case 'termsOrd':
      return termsForm(form, node.accept);
    case 'termsNumeric':
      if (node.perValue) form.flags |= PER_VALUE;
      return termsForm(form, null);
    case 'roundedValues':
      return changed(form, { rule: { kind: KIND_ROUNDED }, size: 0, flags: form.flags | PER_VALUE, keys: rawKeys(false, true) });
    case 'histogram':
      return node.missingApart
        ? hashedHistogram(changed(form, { flags: form.flags | MISSING_FLAGS }), node.interval, node.offset)
        : histogramForm(form, node.interval, node.offset, node.minKey, node.maxKey);
    case 'dateFixed':
      return fixedForm(form, node.interval, node.offset);
    case 'dateStarts':
      return startsForm(form, node.starts);
    case 'geoCells':
      return changed(form, {
        rule: { kind: node.grid === 'geotile' ? KIND_GEOTILE : KIND_GEOHASH, precision: node.precision },
        size: 0,
        flags: node.missingApart ? form.flags | MISSING_FLAGS : form.flags,
        keys: rawKeys(true, false),
      });
    case 'ranges':
      return rangesForm(form, node.ranges);
    case 'filters':
      return changed(form, {
        op: OP_FILTERS,
        size: node.filters.length + (node.other ? 1 : 0),
        flags: node.other ? OTHER_BUCKET : 0,
      });
    case 'missing':
      return changed(form, { op: OP_MISSING });
    case 'nested':
      return changed(form, { op: OP_NESTED });
    case 'reverseNested':
      return changed(form, { op: OP_REVERSE_NESTED });
    case 'docs':
      return changed(form, { op: OP_DOCS, keys: null });
    case 'distinct':
      return changed(form, { op: OP_DISTINCT, keys: null });
    case 'valueCount':
      return changed(form, { op: OP_STATS, statsKind: STATS_COUNT, keys: null });
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
    const isDouble = image ? image.isDouble : typeof missing === 'number' && !Number.isSafeInteger(missing);
    return changed(form, { rule: { kind: KIND_RAW }, size: 0, keys: rawKeys(big, isDouble) });
  }
  const { base, multiplier } = image;
  if (accept) {
    const { table, keys } = acceptTable(image, accept);
    const missingKey = missing === null ? -1 : Number(missing);
    let size = Math.max(keys.length, 1);
    if (missing !== null && accepts(accept, missingKey)) {
      form.missingIndex = missingKey <= Number(image.max) ? table[storedOf(image, missingKey)] : size++;
    }
    return changed(form, {
      rule: { kind: KIND_TABLE, table },
      size,
      flags: form.flags | MAY_DROP,
      keys: { big: false, ofIndex: (index: number) => (index < keys.length ? keys[index] : missingKey) },
    });
  }
  let size = image.stored;
  if (missing !== null) {
    const stored = storedOf(image, Number(missing));
    form.missingIndex = stored >= 0 && stored < size ? stored : size++;
  }
  const missingIndex = form.missingIndex;
  const ofIndex = (index: number) => (index === missingIndex ? Number(missing) : base + multiplier * index);
  return changed(form, { size, keys: { big: false, ofIndex } });
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
  const bounds: number[] = image ? [image.toDouble(image.min), image.toDouble(image.max)] : [];
  if (source?.missing != null) bounds.push(image ? image.toDouble(source.missing) : Number(source.missing) * (source.scale || 1));
  if (bounds.length === 0) return changed(form, { rule: { kind: KIND_HISTOGRAM, interval, offset, first: 0 } });
  const lowest = indexOf(Math.min(...bounds));
  const highest = indexOf(Math.max(...bounds));
  const first = Math.max(lowest, minKey);
  const size = Math.min(highest, maxKey) - first + 1;
  // All keys are outside the bounds: the segment counts as one without values.
  if (size <= 0) return changed(form, { source: null, image: null });
  form.keys = { big: false, ofIndex: (index) => first + index };
  if (!(size < MAX_TABLE) || !Number.isFinite(first)) return hashedHistogram(form, interval, offset);
  const flags = form.flags | (lowest < minKey || highest > maxKey ? MAY_DROP : 0);
  const index = (value: number) => (indexOf(value) < first || indexOf(value) > maxKey ? NIL : indexOf(value) - first);
  if (image?.isNarrow && image.source.missing === null) {
    const table = doubleTable(image, index);
    return changed(form, { rule: { kind: KIND_TABLE, table }, size, flags });
  }
  return changed(form, { rule: { kind: KIND_HISTOGRAM, interval, offset, first }, size, flags });
}

function hashedHistogram(form: Form, interval: number, offset: number): Form {
  return changed(form, { rule: { kind: KIND_HISTOGRAM, interval, offset, first: 0 }, size: 0, keys: rawKeys(false, true) });
}

function fixedForm(form: Form, interval: number, offset: number): Form {
  const { image, source } = form;
  const bounds: number[] = image ? [Number(image.min), Number(image.max)] : [];
  if (source?.missing != null) bounds.push(Number(source.missing));
  if (bounds.length === 0) return form;
  if (bounds.some((bound) => Math.abs(bound) >= SAFE)) return fixedBigForm(form, interval, offset);
  const start = offset + Math.floor((Math.min(...bounds) - offset) / interval) * interval;
  const size = Math.floor((Math.max(...bounds) - start) / interval) + 1;
  form.keys = {
    big: false,
    ofIndex: (index) => start + index * interval,
    ofBits: (view, at) => start + Number(view.getBigInt64(at, true)) * interval,
  };
  if (size >= MAX_TABLE) return changed(form, { rule: { kind: KIND_FIXED, interval, origin: BigInt(start), inverse: 0 }, size: 0 });
  if (image?.isNarrow && image.source.missing === null) {
    const table = indexTable(image, (raw) => Math.floor((raw - start) / interval));
    return changed(form, { rule: { kind: KIND_TABLE, table }, size });
  }
  if (image && image.stored > 0 && image.source.missing === null && interval % image.multiplier === 0) {
    const shift = Math.floor((image.base - start) / image.multiplier);
    const width = interval / image.multiplier;
    if (image.stored + shift < MAX_TABLE && width < MAX_TABLE)
      return changed(form, { rule: { kind: KIND_FIXED_STORED, width, shift }, size });
  }
  return changed(form, { rule: { kind: KIND_FIXED, interval, origin: BigInt(start), inverse: 1 / interval }, size });
}

/** The least and the greatest of some integers; Math.min takes no bigints. */
function endsOf(values: readonly bigint[]): [bigint, bigint] {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return [sorted[0], sorted[sorted.length - 1]];
}

/** Values beyond 2^53, which are nanoseconds: doubles would put those next to a bucket's start into its neighbour. */
function fixedBigForm(form: Form, interval: number, offset: number): Form {
  const bounds = [form.image?.min, form.image?.max, form.source?.missing].flatMap((bound) => (bound == null ? [] : [BigInt(bound)]));
  const [lowest, highest] = endsOf(bounds);
  const width = BigInt(interval);
  const rest = (lowest - BigInt(offset)) % width;
  const origin = lowest - (rest < 0n ? rest + width : rest);
  const buckets = (highest - origin) / width + 1n;
  form.keys = {
    big: true,
    ofIndex: (index) => origin + BigInt(index) * width,
    ofBits: (view, at) => BigInt(offset) + view.getBigInt64(at, true) * width,
  };
  // Distances must fit into 64 bits: those from the offset do in dates from 1677 to 2262, whose offset is less than a day.
  if (buckets >= BigInt(MAX_TABLE) || highest - origin > MAX_I64)
    return changed(form, { rule: { kind: KIND_FIXED, interval, origin: BigInt(offset), inverse: 0 }, size: 0 });
  return changed(form, { rule: { kind: KIND_FIXED, interval, origin, inverse: 1 / interval }, size: Number(buckets) });
}

function startsForm(form: Form, starts: BigInt64Array): Form {
  const size = starts.length - 1;
  form.keys = { big: false, ofIndex: (index) => Number(starts[index]) };
  if (size < 1) return form;
  return changed(form, { rule: { kind: KIND_STARTS, starts }, size, flags: form.flags | MAY_DROP });
}

function rangesForm(form: Form, ranges: readonly AggRange[]): Form {
  const { image } = form;
  const disjoint = ranges.every((range, i) => i === 0 || range.from >= ranges[i - 1].to);
  form.size = ranges.length;
  if (disjoint && image?.isNarrow && image.source.missing === null) {
    let drops = false;
    const table = doubleTable(image, (value) => {
      const at = ranges.findIndex((range) => value >= range.from && value < range.to);
      drops ||= at < 0;
      return at < 0 ? NIL : at;
    });
    return changed(form, { rule: { kind: KIND_TABLE, table }, flags: form.flags | (drops ? MAY_DROP : 0) });
  }
  return changed(form, { op: OP_RANGES, ranges, flags: form.flags | (disjoint ? DISJOINT : 0) });
}

function statsForm(form: Form, squares: boolean): Form {
  const { image } = form;
  form.op = OP_STATS;
  form.keys = null;
  form.statsKind = STATS_DOUBLE;
  if (squares) form.flags |= SQUARES;
  if (!image || squares || image.isDouble || image.stored === 0 || image.source.scale !== 1 || image.source.unsigned) return form;
  let largest = Math.max(Math.abs(Number(image.min)), Math.abs(Number(image.max)));
  let values = image.valueCount;
  const { missing } = image.source;
  if (missing !== null) {
    const stored = storedOf(image, missing);
    if (stored < 0) return form;
    form.missingIndex = stored;
    largest = Math.max(largest, Math.abs(Number(missing)));
    values += image.maxDoc;
  }
  // A sum is exact, and so equal to the compensated one, if no partial sum can exceed 2^53.
  if (largest * values < SAFE) form.statsKind = STATS_INTEGER;
  return form;
}
