// The parts of an aggregation request: parsed specs, what they become for an index and a segment, and how results come back.
//   parse    JSON ─► AggSpec tree                                    once a request
//   bind     AggSpec + mapping ─► a type's own binding               once an index
//   plan     binding + segment ─► AggNode                            once a segment; kernels give an AggResult
//   merge    slices (AggResult of each segment) ─► MergedAgg         columns of all segments by merged parent bucket
//   at       MergedAgg + bucket ─► OutAgg                            only for buckets that are shown
import type { JsonObject } from '../common/json-value.ts';
import type { FieldType } from '../mapping/field-type.ts';
import type { MappingSnapshot } from '../mapping/mapping-snapshot.ts';
import type { AggNode, AggResult } from '../plan/agg-plan.ts';
import type { PlanNode } from '../plan/query-plan.ts';
import type { SegmentReader } from '../plan/segment.ts';
import type { ScriptInput, ScriptVariable } from '../scripting/doc-script.ts';
import type { ScriptSpec, StoredScript } from '../scripting/script-spec.ts';
import type { Value } from '../scripting/syntax-tree.ts';
import type { OutAgg, OutBucket } from './reduce/out.ts';

/** A parsed query of src/query, opaque here. */
export type ParsedQuery = object;

export interface ParseContext {
  /** Parses a query clause. @throws ApiError */
  parseQuery(json: unknown): ParsedQuery;
}

export interface AggSpec {
  readonly name: string;
  readonly type: AggType;
  readonly typeName: string;
  /** What the type's `parse` made of the body. */
  readonly params: never;
  readonly meta: JsonObject | null;
  readonly children: readonly AggSpec[];
  /** Pipelines beside the children, in an order in which each comes after what it reads. */
  readonly pipelines: readonly PipelineSpec[];
}

/** A pipeline aggregation: computed from the results beside it or from the buckets around it. */
export interface PipelineSpec {
  readonly name: string;
  readonly typeName: string;
  readonly meta: JsonObject | null;
  /** Paths by name; a single path has the name `_value`. */
  readonly paths: ReadonlyMap<string, string>;
  /** Adds a result beside the aggregations that it reads. */
  readonly sibling: ((aggs: ReadonlyMap<string, OutAgg>) => OutAgg) | null;
  /** Changes or reorders the buckets of the aggregation that it is in. */
  readonly parent: ((buckets: OutBucket[], spec: AggSpec) => OutBucket[]) | null;
}

/** Words of a document's texts, one list for each text. */
export type TextTokens = (segment: SegmentReader, docId: number) => string[][];

/** What one index answers for an aggregation tree: fields, formats, limits. */
export interface IndexScope {
  readonly indexName: string;
  readonly mapping: MappingSnapshot;
  readonly nowMs: number;
  readonly maxBuckets: number;
  setting(name: string, fallback: number): number;
  /** Has a script's values computed for every segment. @returns the name of the column that holds them @throws ApiError script_exception */
  addScript(values: ScriptedValues): string;
  readonly storedScript: (id: string) => StoredScript | null;
  /** Texts of a field read from the source, analysed. @param sourceFields  paths in place of the field's own; empty: its own */
  textTokens(type: FieldType, sourceFields: readonly string[]): TextTokens;
  /** A script over single documents. @throws ApiError script_exception */
  docScript(spec: ScriptSpec, variables: readonly ScriptVariable[]): (segment: SegmentReader, docId: number, input: ScriptInput) => Value;
}

/** Values of a script as a column. */
export interface ScriptedValues {
  /** null: the values of the runtime field `type`. */
  readonly script: ScriptSpec | null;
  /** The script runs over each value of this field; null: over the document. */
  readonly of: FieldType | null;
  /** Type of the values. */
  readonly type: FieldType;
  /** Documents that count: those of a nested path (null: roots), all of them under a global aggregation. */
  readonly nestedPath: string | null;
  readonly isGlobal: boolean;
}

/** One segment of a shard under collection. */
export interface SegmentScope {
  readonly segment: SegmentReader;
  /** Tells shards apart: samplers and top hits count per shard. */
  readonly shard: number;
  /** The caller's own handle, given back to hooks. */
  readonly handle: unknown;
  planQuery(query: ParsedQuery): PlanNode;
  /** Hashes of the field's terms by ordinal, low and high word each; null where the segment has no dictionary of them. */
  termHashes(field: string): Uint32Array | null;
  /** Hash of a term, low and high word. */
  termHash(term: Uint8Array): Uint32Array;
  /** Live documents of the segment, children of nested fields among them, ascending. */
  liveDocs(): Uint32Array;
  /**
   * Runs the nodes that `plan` gives over documents of the segment, ascending, with their scores: for samples that are only known when a shard
   * has been searched.
   */
  collectDocs(plan: () => readonly AggNode[], docs: Uint32Array, scores: Float32Array | null): AggResult[];
}

/** Where an aggregation is in the tree, while it is bound. */
export interface BindContext {
  readonly index: IndexScope;
  /** Innermost nested path at this place; null: root documents. */
  readonly nestedPath: string | null;
  readonly parents: readonly AggSpec[];
}

/** The result of one node in one segment with its way into the merged tree. */
export interface Slice {
  readonly result: AggResult;
  readonly segment: SegmentScope;
  /** The spec's binding in the segment's index. */
  readonly bound: unknown;
  readonly bindings: Bindings;
  /** Local parent bucket -> merged parent bucket, -1 = not shown; null: identity. */
  readonly map: Int32Array | null;
}

export type Bindings = ReadonlyMap<AggSpec, unknown>;

/** Results of all segments; `at` gives the result of a merged parent bucket, of a bucket without documents for -1. */
export interface MergedAgg {
  at(parent: number): OutAgg;
}

export interface ReduceContext {
  readonly nowMs: number;
  readonly maxBuckets: number;
  /** Counts buckets made. @throws ApiError too_many_buckets_exception */
  addBuckets(count: number): void;
  readonly topHits: TopHitsHook;
  /** What the spec became in each index, segments or not. */
  readonly bindings: readonly Bindings[];
}

/** Documents of one bucket in one segment, ascending. */
export interface DocGroup {
  readonly segment: SegmentScope;
  readonly docs: Uint32Array;
  readonly scores: Float32Array;
}

/** Selects, fetches and renders the best hits of a bucket: `{ hits: { total, max_score, hits } }`. `body` is top_hits' own JSON. */
export type TopHitsHook = (body: JsonObject, groups: readonly DocGroup[], nestedPath: string | null) => JsonObject;

export interface AggType {
  /** Metrics take no sub-aggregations. */
  readonly isBucket: boolean;
  /** @throws ApiError on bad parameters */
  parse(name: string, typeName: string, body: unknown, ctx: ParseContext): unknown;
  /** @throws ApiError what Elasticsearch reports as a failure of all shards */
  bind(spec: AggSpec, ctx: BindContext): unknown;
  /** Nested path of the children, if it is another one than the parent's. */
  childPath?(spec: AggSpec, ctx: BindContext): string | null;
  plan(spec: AggSpec, bound: never, segment: SegmentScope, children: readonly AggNode[]): AggNode;
  merge(spec: AggSpec, slices: readonly Slice[], parents: number, ctx: ReduceContext): MergedAgg;
}
