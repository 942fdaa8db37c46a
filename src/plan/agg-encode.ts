// Writes an aggregation tree into kernel memory: AggNode -> records of assembly/aggs/node.ts in the form chosen by src/plan/agg-forms.ts, with the
// tables that a node counts in. src/plan/agg-read.ts reads the state back.
import {
  AggRoot,
  BLOCK,
  DistinctNode,
  FiltersNode,
  FixedBuckets,
  FixedStoredBuckets,
  FOUR_TABLES,
  GeoBuckets,
  HAS_MISSING,
  HistogramBuckets,
  KIND_FIXED,
  KIND_FIXED_STORED,
  KIND_GEOHASH,
  KIND_GEOTILE,
  KIND_HISTOGRAM,
  KIND_STARTS,
  KIND_STORED,
  KIND_TABLE,
  NestedNode,
  OP_BUCKETS,
  OP_RANGES,
  RangesNode,
  AggNode as Record,
  ReverseNestedNode,
  StartsBuckets,
  TableBuckets,
  UNSIGNED,
} from '../wasm/generated/aggs.ts';
import type { Kernels } from '../wasm/kernels.ts';
import { getI32, setF64, setI64, setU32 } from '../wasm/records.ts';
import { type BucketRule, type Form, formOf, type KeyDecoder } from './agg-forms.ts';
import type { AggNode } from './agg-plan.ts';
import type { ColumnImage } from './agg-tables.ts';
import type { PlanNode } from './query-plan.ts';

/** A node in kernel memory; agg-read.ts reads its state. */
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
  /** Several counter tables over stored values, used in turn; `table` maps a stored value to its bucket (null: they are equal). */
  readonly fold: { readonly tables: number; readonly stored: number; readonly table: Uint32Array | null } | null;
  readonly image: ColumnImage | null;
}

export interface AggSegment {
  readonly maxDoc: number;
  readonly rootDocsPtr: number;
  /** Address of the bitset of the documents that a plan matches, computed by the executor. */
  bitsetOf(plan: PlanNode): number;
}

const ROOT_BYTES = Math.ceil(AggRoot.sizeof / 16) * 16;
/** Buffers of u32 that each node has besides its values. */
const BUFFERS = [Record.slots, Record.exDocs, Record.exBuckets, Record.exPairs, Record.outDocs, Record.outBuckets] as const;

/** Maximum size of direct tables: of buckets with children, of a leaf at the root, of a leaf below. Larger ones are hashed. */
const DIRECT_INNER = 1 << 16;
const DIRECT_ROOT_LEAF = 1 << 22;
const DIRECT_LEAF = 1 << 20;
/** With more counters than this, one table is as fast as four. */
const FOUR_TABLES_UP_TO = 1 << 14;

/** Thrown if the region is too small for the tables whose size is known. */
export class RegionTooSmall extends Error {}

export class AggEncoder {
  readonly #k: Kernels;
  readonly #segment: AggSegment;
  readonly rootPtr: number;
  readonly #bitsets = new Map<PlanNode, number>();

  /** @param regionPtr multiple of 64; `regionBytes` of memory for the tree and all its state */
  constructor(k: Kernels, segment: AggSegment, regionPtr: number, regionBytes: number) {
    this.#k = k;
    this.#segment = segment;
    this.rootPtr = regionPtr;
    k.u32.fill(0, regionPtr >>> 2, (regionPtr + ROOT_BYTES) >>> 2);
    setU32(k, regionPtr, AggRoot.cur, regionPtr + ROOT_BYTES);
    setU32(k, regionPtr, AggRoot.end, regionPtr + regionBytes);
    setU32(k, regionPtr, AggRoot.maxDoc, segment.maxDoc);
  }

  /** 0, or E_NO_SPACE: the region was too small. */
  get status(): number {
    return getI32(this.#k, this.rootPtr, AggRoot.status);
  }

  /** @throws RegionTooSmall */
  encode(nodes: readonly AggNode[]): EncodedNode[] {
    const encoded = nodes.map((node) => this.#node(node, 1, true));
    setU32(this.#k, this.rootPtr, AggRoot.childCount, encoded.length);
    setU32(this.#k, this.rootPtr, AggRoot.children, this.#addresses(encoded));
    return encoded;
  }

  /** A filter that occurs several times is evaluated once. */
  #bitsetOf(plan: PlanNode): number {
    let ptr = this.#bitsets.get(plan);
    if (ptr === undefined) {
      ptr = this.#segment.bitsetOf(plan);
      this.#bitsets.set(plan, ptr);
    }
    return ptr;
  }

  #node(node: AggNode, parents: number, atRoot: boolean): EncodedNode {
    const k = this.#k;
    const form = formOf(k.view, node);
    const leaf = node.children.length === 0;
    const buckets = parents * form.size;
    const most = !leaf ? DIRECT_INNER : atRoot ? DIRECT_ROOT_LEAF : DIRECT_LEAF;
    const limit = Math.min(most, Math.max(4096, 2 * this.#segment.maxDoc));
    const denseParents = form.keys !== null && buckets > 0 && buckets <= limit ? parents : 0;
    const fold = denseParents && atRoot && leaf ? foldOf(form) : null;
    if (fold) {
      form.flags |= FOUR_TABLES;
      if (form.rule.kind === KIND_TABLE) form.rule = { kind: KIND_STORED };
    }
    const ptr = form.op === OP_BUCKETS ? this.#bucketRule(form.rule) : this.#operands(node, form);
    this.#source(ptr, form);
    this.#buffers(ptr);
    setU32(k, ptr, Record.op, form.op);
    setU32(k, ptr, Record.flags, form.flags);
    setU32(k, ptr, Record.kind, form.op === OP_BUCKETS ? form.rule.kind : form.statsKind);
    setU32(k, ptr, Record.size, fold ? fold.stored : form.size);
    setU32(k, ptr, Record.denseParents, denseParents);
    setU32(k, ptr, Record.root, this.rootPtr);
    if (denseParents) {
      const counters = fold ? fold.tables * fold.stored : buckets;
      setU32(k, ptr, Record.counts, this.#allocate(counters * 4));
    }
    const childParents = denseParents ? buckets : 0;
    const children = node.children.map((child) => this.#node(child, childParents, false));
    setU32(k, ptr, Record.childCount, children.length);
    setU32(k, ptr, Record.children, this.#addresses(children));
    return { node, ptr, children, keys: form.keys, size: form.size, denseParents, fold, image: form.image };
  }

  /** Writes the fields about the values; sets their flags. */
  #source(ptr: number, form: Form): void {
    const k = this.#k;
    const { source, image } = form;
    if (source?.missing != null) form.flags |= HAS_MISSING;
    if (source?.unsigned) form.flags |= UNSIGNED;
    setU32(k, ptr, Record.column, source?.column?.ptr ?? 0);
    setU32(k, ptr, Record.missingIndex, form.missingIndex);
    const missing = source?.missing ?? 0;
    // Without a column the value keeps its form; a double that no integer expresses exactly is stored as such.
    const isFraction = typeof missing === 'number' && !Number.isSafeInteger(missing);
    if (source && (image ? image.isDouble : isFraction)) k.view.setFloat64(ptr + Record.missing, Number(missing), true);
    else
      k.view.setBigInt64(
        ptr + Record.missing,
        BigInt.asIntN(64, typeof missing === 'bigint' ? missing : BigInt(Math.trunc(missing))),
        true,
      );
    setF64(k, ptr, Record.scale, !image && isFraction ? 0 : (source?.scale ?? 1));
  }

  #buffers(ptr: number): void {
    const values = this.#allocate(BLOCK * 8 + BUFFERS.length * BLOCK * 4);
    setU32(this.#k, ptr, Record.values, values);
    BUFFERS.forEach((field, i) => {
      setU32(this.#k, ptr, field, values + BLOCK * 8 + i * BLOCK * 4);
    });
  }

  /** A record with the parameters of a rule. */
  #bucketRule(rule: BucketRule): number {
    const k = this.#k;
    switch (rule.kind) {
      case KIND_TABLE: {
        const ptr = this.#allocate(TableBuckets.sizeof);
        setU32(k, ptr, TableBuckets.lookup, this.#copyU32(rule.table));
        return ptr;
      }
      case KIND_FIXED: {
        const ptr = this.#allocate(FixedBuckets.sizeof);
        setF64(k, ptr, FixedBuckets.interval, rule.interval);
        setI64(k, ptr, FixedBuckets.origin, rule.origin);
        setF64(k, ptr, FixedBuckets.inverse, rule.inverse);
        return ptr;
      }
      case KIND_FIXED_STORED: {
        const ptr = this.#allocate(FixedStoredBuckets.sizeof);
        setU32(k, ptr, FixedStoredBuckets.width, rule.width);
        setU32(k, ptr, FixedStoredBuckets.shift, rule.shift);
        return ptr;
      }
      case KIND_HISTOGRAM: {
        const ptr = this.#allocate(HistogramBuckets.sizeof);
        setF64(k, ptr, HistogramBuckets.interval, rule.interval);
        setF64(k, ptr, HistogramBuckets.offset, rule.offset);
        setF64(k, ptr, HistogramBuckets.first, rule.first);
        return ptr;
      }
      case KIND_STARTS: {
        const ptr = this.#allocate(StartsBuckets.sizeof);
        const starts = this.#allocate(rule.starts.length * 8);
        k.i64.set(rule.starts, starts >>> 3);
        setU32(k, ptr, StartsBuckets.starts, starts);
        setU32(k, ptr, StartsBuckets.startCount, rule.starts.length - 1);
        return ptr;
      }
      case KIND_GEOTILE:
      case KIND_GEOHASH: {
        const ptr = this.#allocate(GeoBuckets.sizeof);
        setU32(k, ptr, GeoBuckets.precision, rule.precision);
        return ptr;
      }
      default:
        return this.#allocate(Record.sizeof);
    }
  }

  /** A record with the operands of the other ops: ranges, filters, nested bitsets, a precision. */
  #operands(node: AggNode, form: Form): number {
    const k = this.#k;
    if (form.op === OP_RANGES) {
      const ptr = this.#allocate(RangesNode.sizeof);
      const ranges = this.#allocate(form.ranges.length * 16);
      k.f64.set(
        form.ranges.flatMap((range) => [range.from, range.to]),
        ranges >>> 3,
      );
      setU32(k, ptr, RangesNode.ranges, ranges);
      setU32(k, ptr, RangesNode.rangeCount, form.ranges.length);
      setU32(k, ptr, RangesNode.marks, this.#allocate(form.ranges.length * 4));
      return ptr;
    }
    switch (node.op) {
      case 'filters': {
        const ptr = this.#allocate(FiltersNode.sizeof);
        setU32(k, ptr, FiltersNode.filters, this.#copyU32(Uint32Array.from(node.filters, (plan) => this.#bitsetOf(plan))));
        setU32(k, ptr, FiltersNode.filterCount, node.filters.length);
        return ptr;
      }
      case 'distinct': {
        const ptr = this.#allocate(DistinctNode.sizeof);
        setU32(k, ptr, DistinctNode.precision, node.precision);
        return ptr;
      }
      case 'nested': {
        const ptr = this.#allocate(NestedNode.sizeof);
        setU32(k, ptr, NestedNode.childDocs, node.childDocsPtr);
        setU32(k, ptr, NestedNode.parentDocs, node.parentDocsPtr || this.#segment.rootDocsPtr);
        return ptr;
      }
      case 'reverseNested': {
        const ptr = this.#allocate(ReverseNestedNode.sizeof);
        setU32(k, ptr, ReverseNestedNode.parentDocs, node.parentDocsPtr || this.#segment.rootDocsPtr);
        return ptr;
      }
      default:
        return this.#allocate(Record.sizeof);
    }
  }

  /** Address of the list of child records, 0 if there are none. */
  #addresses(children: readonly EncodedNode[]): number {
    return children.length === 0 ? 0 : this.#copyU32(Uint32Array.from(children, (child) => child.ptr));
  }

  #copyU32(values: Uint32Array): number {
    const ptr = this.#allocate(values.length * 4);
    this.#k.u32.set(values, ptr >>> 2);
    return ptr;
  }

  /** Zeroed memory of the region. @throws RegionTooSmall */
  #allocate(bytes: number): number {
    const ptr = this.#k.exports.aggsAllocate(this.rootPtr, Math.max(bytes, 16)) >>> 0;
    if (ptr === 0) throw new RegionTooSmall();
    return ptr;
  }
}

/** Root leaves over full single-valued narrow columns count stored values; the index table is applied when the counts are read. */
function foldOf(form: Form): EncodedNode['fold'] {
  const { image, rule } = form;
  if (form.op !== OP_BUCKETS || !image?.passesThrough) return null;
  if (rule.kind === KIND_FIXED_STORED && form.size <= FOUR_TABLES_UP_TO) return { tables: 4, stored: form.size, table: null };
  if (rule.kind !== KIND_STORED && rule.kind !== KIND_TABLE) return null;
  if (image.stored > FOUR_TABLES_UP_TO) return null;
  return { tables: 4, stored: image.stored, table: rule.kind === KIND_TABLE ? rule.table : null };
}
