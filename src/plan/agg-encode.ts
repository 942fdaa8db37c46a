// Lays an aggregation tree out in kernel memory: AggNode -> records of assembly/aggs/node.ts, with the cheapest form of each node for the
// columns at hand (direct tables, tables over narrow columns, hashes). src/plan/agg-read.ts reads the state back.
import type { Kernels } from '../wasm/kernels.ts';
import type { AggColumn, AggNode, AggRange } from './agg-plan.ts';
import { type ColumnImage, indexTable, MAX_TABLE, NIL, readImage, storedOf } from './agg-tables.ts';
import type { PlanNode } from './query-plan.ts';

/** What the kernels were told of a node, kept for reading its state. */
export interface EncodedNode {
  readonly node: AggNode;
  readonly ptr: number;
  readonly children: readonly EncodedNode[];
  /** Bucket index or 64-bit key -> key of the API; null for metrics. */
  readonly keys: KeyDecoder | null;
  /** Buckets of a direct node per parent; 0 for 64-bit keys. */
  readonly size: number;
  /** Parent buckets of a direct node; 0 = hashed. */
  readonly denseParents: number;
  /** Counter tables in turn over stored values, to be folded through `fold` (null: index = stored value). */
  readonly fold: { readonly tables: number; readonly stored: number; readonly table: Uint32Array | null } | null;
  readonly image: ColumnImage | null;
}

export interface KeyDecoder {
  /** Keys may lie beyond 2^53: the result has bigints. */
  readonly big: boolean;
  /** Key of a bucket index. */
  ofIndex(index: number): number | bigint;
  /** Key of a 64-bit key. */
  ofBits?(view: DataView, at: number): number | bigint;
}

export interface AggSegment {
  readonly maxDoc: number;
  readonly rootDocsPtr: number;
  /** Address of the bitset of the documents that a plan matches, made on demand by the executor. */
  bitsetOf(plan: PlanNode): number;
}

// Offsets in assembly/aggs/node.ts
const ROOT_BYTES = 64;
const NODE_BYTES = 192;
export const NODE = {
  op: 0,
  childCount: 4,
  children: 8,
  flags: 12,
  column: 16,
  kind: 20,
  size: 24,
  lut: 28,
  missing: 32,
  scale: 40,
  p0: 48,
  p1: 56,
  p2: 64,
  aux: 80,
  auxCount: 84,
  aux2: 88,
  missingIndex: 92,
  denseParents: 96,
  counts: 100,
  bucketCount: 104,
  capacity: 108,
  keys: 112,
  bucketParents: 116,
  root: 128,
  slots: 148,
} as const; // prettier-ignore
const OP = { buckets: 1, ranges: 2, filters: 3, missing: 4, nested: 5, reverseNested: 6, stats: 7, docs: 8, distinct: 9 } as const;
const KIND = {
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
const HAS_MISSING = 1,
  PER_VALUE = 2,
  MAY_DROP = 4,
  FOUR_TABLES = 8,
  UNSIGNED = 16,
  DISJOINT = 32,
  OTHER_BUCKET = 64,
  SQUARES = 128;
const BLOCK = 1024;

/** Direct tables: buckets with children, of a leaf at the root, of a leaf below. Above, buckets are hashed. */
const DIRECT_INNER = 1 << 16;
const DIRECT_ROOT_LEAF = 1 << 22;
const DIRECT_LEAF = 1 << 20;
/** Above this many counters one table is as fast as four. */
const FOUR_TABLES_UP_TO = 1 << 14;
const SAFE = 2 ** 53;

/** Thrown when the region cannot hold even the tables whose size is known. */
export class RegionTooSmall extends Error {}

/** One node's choice of kernel form. */
interface Form {
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

export class AggEncoder {
  private readonly k: Kernels;
  private readonly segment: AggSegment;
  readonly rootPtr: number;

  /** @param regionPtr multiple of 64; `regionBytes` of memory for the tree and all its state */
  constructor(k: Kernels, segment: AggSegment, regionPtr: number, regionBytes: number) {
    this.k = k;
    this.segment = segment;
    this.rootPtr = regionPtr;
    const view = k.view;
    for (let at = 0; at < ROOT_BYTES; at += 4) view.setUint32(regionPtr + at, 0, true);
    view.setUint32(regionPtr, regionPtr + ROOT_BYTES, true);
    view.setUint32(regionPtr + 4, regionPtr + regionBytes, true);
    view.setUint32(regionPtr + 16, segment.maxDoc, true);
  }

  /** 0, or the kernels' failure: the region was too small. */
  get status(): number {
    return this.k.view.getInt32(this.rootPtr + 36, true);
  }

  /** @throws RegionTooSmall */
  encode(nodes: readonly AggNode[]): EncodedNode[] {
    const encoded = nodes.map((node) => this.node(node, 1, true));
    this.link(this.rootPtr + 8, this.rootPtr + 12, encoded);
    return encoded;
  }

  private readonly bitsets = new Map<PlanNode, number>();

  /** A filter that stands in several places is run once. */
  private bitsetOf(plan: PlanNode): number {
    let ptr = this.bitsets.get(plan);
    if (ptr === undefined) {
      ptr = this.segment.bitsetOf(plan);
      this.bitsets.set(plan, ptr);
    }
    return ptr;
  }

  private node(node: AggNode, parents: number, atRoot: boolean): EncodedNode {
    const form = formOf(this.k.view, node);
    const leaf = node.children.length === 0;
    const ptr = this.allocate(NODE_BYTES);
    const buckets = parents * form.size;
    const most = !leaf ? DIRECT_INNER : atRoot ? DIRECT_ROOT_LEAF : DIRECT_LEAF;
    const limit = Math.min(most, Math.max(4096, 2 * this.segment.maxDoc));
    const denseParents = form.keys !== null && buckets > 0 && buckets <= limit ? parents : 0;
    const fold = denseParents && atRoot && leaf ? foldOf(form) : null;
    if (fold) {
      form.flags |= FOUR_TABLES;
      if (form.kind === KIND.table) form.kind = KIND.stored;
    }
    const size = fold ? fold.stored : form.size;
    this.write(ptr, form, size, denseParents);
    if (denseParents) {
      const counters = fold ? fold.tables * fold.stored : buckets;
      this.set(ptr, NODE.counts, this.allocate(counters * 4));
    }
    this.operands(ptr, node, form);
    const childParents = denseParents ? buckets : 0;
    const children = node.children.map((child) => this.node(child, childParents, false));
    this.link(ptr + NODE.childCount, ptr + NODE.children, children);
    return { node, ptr, children, keys: form.keys, size: form.size, denseParents, fold, image: form.image };
  }

  private write(ptr: number, form: Form, size: number, denseParents: number): void {
    const view = this.k.view;
    const { source, image } = form;
    if (source?.missing != null) form.flags |= HAS_MISSING;
    if (source?.unsigned) form.flags |= UNSIGNED;
    this.set(ptr, NODE.op, form.op);
    this.set(ptr, NODE.flags, form.flags);
    this.set(ptr, NODE.column, source?.column?.ptr ?? 0);
    this.set(ptr, NODE.kind, form.kind);
    this.set(ptr, NODE.size, size);
    this.set(ptr, NODE.missingIndex, form.missingIndex);
    this.set(ptr, NODE.denseParents, denseParents);
    this.set(ptr, NODE.root, this.rootPtr);
    const missing = source?.missing ?? 0;
    if (source && (image ? image.isDouble : typeof missing === 'number' && !Number.isInteger(missing))) {
      view.setFloat64(ptr + NODE.missing, Number(missing), true);
    } else view.setBigInt64(ptr + NODE.missing, typeof missing === 'bigint' ? missing : BigInt(Math.trunc(missing)), true);
    const isBareDouble = !image && typeof missing === 'number' && !Number.isInteger(missing);
    view.setFloat64(ptr + NODE.scale, isBareDouble ? 0 : (source?.scale ?? 1), true);
    view.setFloat64(ptr + NODE.p0, form.p[0], true);
    view.setFloat64(ptr + NODE.p1, form.p[1], true);
    view.setFloat64(ptr + NODE.p2, form.p[2], true);
    // slots, exDocs, exBuckets, exPairs, outDocs, outBuckets of u32 and values of u64
    const scratch = this.allocate(BLOCK * 4 * 6 + BLOCK * 8);
    let at = scratch + BLOCK * 8;
    this.set(ptr, NODE.slots + 4, scratch);
    for (const field of [0, 8, 12, 16, 20, 24]) {
      this.set(ptr, NODE.slots + field, at);
      at += BLOCK * 4;
    }
    if (form.table && form.kind === KIND.table) this.set(ptr, NODE.lut, this.copyU32(form.table));
    if (form.starts) {
      const starts = this.allocate(form.starts.length * 8);
      this.k.i64.set(form.starts, starts >>> 3);
      this.set(ptr, NODE.aux, starts);
      this.set(ptr, NODE.auxCount, form.starts.length - 1);
    }
  }

  /** Ranges, filters, nested bitsets. */
  private operands(ptr: number, node: AggNode, form: Form): void {
    if (form.op === OP.ranges) {
      const ranges = this.allocate(form.ranges.length * 16);
      form.ranges.forEach((range, i) => {
        this.k.view.setFloat64(ranges + i * 16, range.from, true);
        this.k.view.setFloat64(ranges + i * 16 + 8, range.to, true);
      });
      this.set(ptr, NODE.aux, ranges);
      this.set(ptr, NODE.auxCount, form.ranges.length);
      this.set(ptr, NODE.aux2, this.allocate(form.ranges.length * 4));
    } else if (node.op === 'filters') {
      this.set(ptr, NODE.aux, this.copyU32(Uint32Array.from(node.filters, (plan) => this.bitsetOf(plan))));
      this.set(ptr, NODE.auxCount, node.filters.length);
    } else if (node.op === 'distinct') this.set(ptr, NODE.auxCount, node.precision);
    else if (node.op === 'nested') {
      this.set(ptr, NODE.aux, node.childDocsPtr);
      this.set(ptr, NODE.aux2, node.parentDocsPtr || this.segment.rootDocsPtr);
    } else if (node.op === 'reverseNested') this.set(ptr, NODE.aux2, node.parentDocsPtr || this.segment.rootDocsPtr);
  }

  private link(countAt: number, childrenAt: number, children: readonly EncodedNode[]): void {
    this.k.view.setUint32(countAt, children.length, true);
    if (children.length > 0) this.k.view.setUint32(childrenAt, this.copyU32(Uint32Array.from(children, (child) => child.ptr)), true);
  }

  private set(ptr: number, field: number, value: number): void {
    this.k.view.setUint32(ptr + field, value, true);
  }

  private copyU32(values: Uint32Array): number {
    const ptr = this.allocate(values.length * 4);
    this.k.u32.set(values, ptr >>> 2);
    return ptr;
  }

  private allocate(bytes: number): number {
    const ptr = this.k.exports.aggsAllocate(this.rootPtr, Math.max(bytes, 16)) >>> 0;
    if (ptr === 0) throw new RegionTooSmall();
    return ptr;
  }
}

/** Root leaves over full single-valued narrow columns count stored values; the index table is applied when they are read. */
function foldOf(form: Form): EncodedNode['fold'] {
  const image = form.image;
  if (form.op !== OP.buckets || !image?.passesThrough) return null;
  if (form.kind === KIND.fixedStored && form.size <= FOUR_TABLES_UP_TO) return { tables: 4, stored: form.size, table: null };
  if (form.kind !== KIND.stored && form.kind !== KIND.table) return null;
  if (image.stored > FOUR_TABLES_UP_TO) return null;
  return { tables: 4, stored: image.stored, table: form.kind === KIND.table ? form.table : null };
}

function formOf(view: DataView, node: AggNode): Form {
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
      if (node.perValue) form.flags |= PER_VALUE;
      return termsForm(form, null);
    case 'roundedValues':
      return Object.assign(form, { kind: KIND.rounded, size: 0, flags: form.flags | PER_VALUE, keys: rawKeys(false, true) });
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
        flags: node.other ? OTHER_BUCKET : 0,
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
  return image !== null && !image.isDouble && (beyond(image.min) || beyond(image.max) || beyond(missing));
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
      flags: form.flags | MAY_DROP,
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
  const flags = form.flags | (lowest < minKey || highest > maxKey ? MAY_DROP : 0);
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
  return Object.assign(form, { kind: KIND.starts, size, starts, flags: form.flags | MAY_DROP });
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
    return Object.assign(form, { kind: KIND.table, table, flags: form.flags | (drops ? MAY_DROP : 0) });
  }
  return Object.assign(form, { op: OP.ranges, ranges, flags: form.flags | (disjoint ? DISJOINT : 0) });
}

function statsForm(form: Form, squares: boolean): Form {
  const { image, source } = form;
  form.op = OP.stats;
  form.keys = null;
  form.kind = STATS.double;
  if (squares) form.flags |= SQUARES;
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
