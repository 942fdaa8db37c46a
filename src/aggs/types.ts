// Stages of an aggregation: parsed specs, their bindings to an index and a segment, and results.
//   parse    JSON ─► AggSpec tree                                    once per request
//   bind     AggSpec + mapping ─► a type's own binding               once per index
//   plan     binding + segment ─► AggNode                            once per segment; kernels return an AggResult
//   merge    slices (AggResult of each segment) ─► MergedAgg         columns of all segments by merged parent bucket
//   at       MergedAgg + bucket ─► OutAgg                            only for buckets that are shown
import type { JsonObject } from '../common/json/json-value.ts';
import type { Dialect } from '../compat/dialect.ts';
import type { FieldType } from '../mapping/core/field-type.ts';
import type { MappingSnapshot } from '../mapping/core/mapping-snapshot.ts';
import type { AggNode, AggResult } from '../plan/agg-plan.ts';
import type { PlanNode } from '../plan/query-plan.ts';
import type { SegmentReader } from '../plan/segment-reader.ts';
import type { DocContextName } from '../scripting/contexts.ts';
import type { ScriptInput } from '../scripting/doc-script.ts';
import type { Value } from '../scripting/java/values.ts';
import type { ScriptSpec, StoredScript } from '../scripting/script-spec.ts';
import type { OutAgg, OutBucket } from './reduce/out.ts';

/** A parsed query of src/query, opaque here. */
export type ParsedQuery = object;

export interface ParseContext {
  readonly dialect: Dialect;
  /** Parses a query clause. @throws ApiError */
  parseQuery(json: unknown): ParsedQuery;
  /** Checks the body of top_hits. @throws ApiError */
  checkHits(body: JsonObject): void;
}

export interface AggSpec {
  readonly name: string;
  readonly type: AggType;
  readonly typeName: string;
  /** The type's own parameters, as its `parse` returned them. */
  readonly params: unknown;
  readonly meta: JsonObject | null;
  readonly children: readonly AggSpec[];
  /** Sibling pipelines, ordered so that each follows those it reads. */
  readonly pipelines: readonly PipelineSpec[];
}

/** A pipeline aggregation: computed from results on its level or from the buckets of the enclosing aggregation. */
export interface PipelineSpec {
  readonly name: string;
  readonly typeName: string;
  readonly meta: JsonObject | null;
  /** Paths by name; a single path is named `_value`. */
  readonly paths: ReadonlyMap<string, string>;
  /** Sibling pipelines: adds a result next to the aggregations that it reads. */
  readonly sibling: ((aggs: ReadonlyMap<string, OutAgg>) => OutAgg) | null;
  /** Parent pipelines: changes or reorders the buckets of the enclosing aggregation. */
  readonly parent: ((buckets: OutBucket[], spec: AggSpec) => OutBucket[]) | null;
  /** Problem that validation reports; null if the pipeline's own parameters are valid. */
  readonly problem: string | null;
}

/** Words of a document, one list per value. */
export type TextTokens = (segment: SegmentReader, docId: number) => string[][];

/** Values of a text or keyword field as they are in the source of a document. */
export type FieldTexts = (segment: SegmentReader, docId: number) => string[];

/** What an index provides for an aggregation tree: fields, formats, limits. */
export interface IndexScope {
  readonly indexName: string;
  readonly mapping: MappingSnapshot;
  readonly nowMs: number;
  readonly maxBuckets: number;
  setting(name: string, fallback: number): number;
  /** @throws ApiError illegal_argument_exception: the cluster does not allow aggregations of `_id` */
  requireIdFielddata(): void;
  /** Computes a script's values for every segment. @returns the name of the column with the values @throws ApiError script_exception */
  addScript(values: ScriptedValues): string;
  readonly storedScript: (id: string) => StoredScript | null;
  /** Analyzed values of a field from the source. @param sourceFields  paths to read instead of the field's own; empty for its own */
  textTokens(type: FieldType, sourceFields: readonly string[]): TextTokens;
  /** Values of a field from the source. */
  fieldTexts(type: FieldType): FieldTexts;
  /** A script over single documents. @throws ApiError script_exception */
  docScript(spec: ScriptSpec, context: DocContextName): (segment: SegmentReader, docId: number, input: ScriptInput) => Value;
}

/** A column of script values. */
export interface ScriptedValues {
  /** null for the values of the runtime field `type`. */
  readonly script: ScriptSpec | null;
  /** The script runs over each value of this field; null if it runs over the document. Without a script: the key of a flattened field whose values these are. */
  readonly of: FieldType | null;
  /** Type of the values. */
  readonly type: FieldType;
  /** Documents with values: those of a nested path (null for root documents); all of them under a global aggregation. */
  readonly nestedPath: string | null;
  readonly isGlobal: boolean;
  /** Selects from all root documents those with values, whether they match the query or not; null for those that do. */
  readonly among: ((segment: SegmentReader, docs: Uint32Array) => Iterable<number>) | null;
}

/** A segment while it is collected. */
export interface SegmentScope {
  readonly segment: SegmentReader;
  /** Identifies the shard: samplers and top hits count per shard. */
  readonly shard: number;
  /** Handle of the caller, passed back to hooks. */
  readonly handle: unknown;
  planQuery(query: ParsedQuery): PlanNode;
  /** Matches all documents that the search may see, by the filters of an alias and a slice; null for all of the segment. */
  planFilters(): PlanNode | null;
  /** Hashes of the field's terms by ordinal, low and high word each; null if the segment has no dictionary of them. */
  termHashes(field: string): Uint32Array | null;
  /** Hash of a term, low and high word. */
  termHash(term: Uint8Array): Uint32Array;
  /** Live documents of the segment, nested ones included, ascending. */
  liveDocs(): Uint32Array;
  /** Live documents without nested ones. */
  rootDocs(): Uint32Array;
  /**
   * Runs the nodes that `plan` returns over ascending documents of the segment with their scores, for samples that are known only after a shard
   * was searched.
   */
  collectDocs(plan: () => readonly AggNode[], docs: Uint32Array, scores: Float32Array | null): AggResult[];
  /** The best hits among documents of a segment of another node; absent for a segment of this node. @param body  of top_hits */
  distantHits?(body: JsonObject, docs: Uint32Array, scores: Float32Array | null, nestedPath: string | null): DistantHits;
  /** As `collectDocs` with the children of a spec. */
  collectChildren(spec: AggSpec, bindings: Bindings, docs: Uint32Array, scores: Float32Array | null): AggResult[];
}

/** The best documents of a segment as hits, up to the end of the page, in order. Plain data. */
export interface DistantHits {
  readonly total: number;
  readonly hits: ReadonlyArray<{
    readonly docId: number;
    readonly score: number;
    readonly sort: ReadonlyArray<number | bigint | string | null>;
    /** Members of the hit with their JSON. */
    readonly members: ReadonlyArray<readonly [name: string, json: string]>;
  }>;
}

/** Position of an aggregation in the tree while it is bound. */
export interface BindContext {
  readonly index: IndexScope;
  /** Innermost nested path at this position; null for root documents. */
  readonly nestedPath: string | null;
  readonly parents: readonly AggSpec[];
}

/** The result of one node in one segment with its map into the merged tree. */
export interface Slice {
  readonly result: AggResult;
  readonly segment: SegmentScope;
  /** The spec's binding in the segment's index. */
  readonly bound: unknown;
  readonly bindings: Bindings;
  /** Local parent bucket -> merged parent bucket, -1 if not shown; null for identity. */
  readonly map: Int32Array | null;
}

export type Bindings = ReadonlyMap<AggSpec, unknown>;

/** Merged results of all segments; `at` returns the result for a merged parent bucket, -1 for a bucket without documents. */
export interface MergedAgg {
  at(parent: number): OutAgg;
}

export interface ReduceContext {
  readonly nowMs: number;
  readonly maxBuckets: number;
  readonly dialect: Dialect;
  /** Counts created buckets. @throws ApiError too_many_buckets_exception */
  addBuckets(count: number): void;
  readonly topHits: TopHitsHook;
  /** The binding of the spec in each index, with segments or without. */
  readonly bindings: readonly Bindings[];
}

/** Documents of one bucket in one segment, ascending. */
export interface DocGroup {
  readonly segment: SegmentScope;
  readonly docs: Uint32Array;
  readonly scores: Float32Array;
}

/** Selects, fetches and renders the best hits of a bucket: `{ hits: { total, max_score, hits } }`. `body` is the JSON of top_hits. */
export type TopHitsHook = (body: JsonObject, groups: readonly DocGroup[], nestedPath: string | null) => JsonObject;

export interface AggType {
  /** False for metrics, which accept no sub-aggregations. */
  readonly isBucket: boolean;
  /** @throws ApiError: invalid parameters */
  parse(name: string, typeName: string, body: unknown, ctx: ParseContext): unknown;
  /** @throws ApiError: reported as a failure of all shards */
  bind(spec: AggSpec, ctx: BindContext): unknown;
  /** Nested path of the children, if it differs from the parent's. */
  childPath?(spec: AggSpec, ctx: BindContext): string | null;
  /** Notes that a segment was searched, also one of another node, which is not planned here. */
  note?(bound: never, segment: SegmentScope): void;
  plan(spec: AggSpec, bound: never, segment: SegmentScope, children: readonly AggNode[]): AggNode;
  /** Checks the result of a segment. @throws ApiError: reported as a failure of the shard */
  verify?(spec: AggSpec, slice: Slice): void;
  merge(spec: AggSpec, slices: readonly Slice[], parents: number, ctx: ReduceContext): MergedAgg;
}
