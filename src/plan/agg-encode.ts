// Lays an aggregation tree out in kernel memory: AggNode -> records of assembly/aggs/node.ts in the form of src/plan/agg-forms.ts, with the
// tables that a node counts in. src/plan/agg-read.ts reads the state back.
import type { Kernels } from '../wasm/kernels.ts';
import { FLAG, type Form, formOf, type KeyDecoder, KIND, OP } from './agg-forms.ts';
import type { AggNode } from './agg-plan.ts';
import type { ColumnImage } from './agg-tables.ts';
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
const BLOCK = 1024;

/** Direct tables: buckets with children, of a leaf at the root, of a leaf below. Above, buckets are hashed. */
const DIRECT_INNER = 1 << 16;
const DIRECT_ROOT_LEAF = 1 << 22;
const DIRECT_LEAF = 1 << 20;
/** Above this many counters one table is as fast as four. */
const FOUR_TABLES_UP_TO = 1 << 14;

/** Thrown when the region cannot hold even the tables whose size is known. */
export class RegionTooSmall extends Error {}

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
      form.flags |= FLAG.fourTables;
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
    if (source?.missing != null) form.flags |= FLAG.hasMissing;
    if (source?.unsigned) form.flags |= FLAG.unsigned;
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
