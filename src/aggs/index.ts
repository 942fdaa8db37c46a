// Aggregations of a search, from the request to the response:
//   parseAggregations(body.aggs, ctx)                 once: AggTree
//   bindAggregations(tree, index)                     per index: fields, formats; throws what is reported as a failure of its shards
//   collectSegment(tree, bindings, runner)            per segment: lays out the tree, runs the query over it, reads the columns
//   reduceAggregations(tree, partials, options)       once: over all segments, shards and indices
//   renderAggregations(reduced, typedKeys)            JSON of `aggregations`

import type { JsonObject } from '../common/json/json-value.ts';
import { present } from '../common/present.ts';
import { canMove, checkTurn, TooHeavy } from '../common/turns/turn.ts';
import { ApiError } from '../errors/api-error.ts';
import { AggEncoder, RegionTooSmall } from '../plan/agg-encode.ts';
import type { AggNode, AggResult } from '../plan/agg-plan.ts';
import { readResults } from '../plan/agg-read.ts';
import { planToBitset } from '../plan/execute.ts';
import type { AggProgram } from '../plan/query-plan.ts';
import type { SegmentColumn } from '../plan/segment.ts';
import type { SegmentReader } from '../plan/segment-reader.ts';
import { bitsetBytes } from '../wasm/codec.ts';
import type { Kernels } from '../wasm/kernels.ts';
import { termHash, termHashes } from '../wasm/terms.ts';
import { reductionError, tooManyBucketsError } from './errors.ts';
import type { AggTree } from './parse.ts';
import { planTree } from './plan-tree.ts';
import { outAggs } from './reduce/merge.ts';
import { type OutAgg, renderAggs } from './reduce/out.ts';
import { specsOf } from './reduce/segment-reads.ts';
import type { AggSpec, BindContext, Bindings, IndexScope, ParsedQuery, ReduceContext, SegmentScope, Slice } from './types.ts';

export { type AggTree, parseAggregations } from './parse.ts';
export type { AggSpec, Bindings, DocGroup, IndexScope, ParsedQuery } from './types.ts';

/** @throws ApiError to be reported as a failure of the index's shards */
export function bindAggregations(tree: AggTree, index: IndexScope): Bindings {
  const bindings = new Map<AggSpec, unknown>();
  const bind = (spec: AggSpec, ctx: BindContext) => {
    bindings.set(spec, spec.type.bind(spec, ctx));
    const nestedPath = spec.type.childPath ? spec.type.childPath(spec, ctx) : ctx.nestedPath;
    for (const child of spec.children) bind(child, { ...ctx, nestedPath, parents: [...ctx.parents, spec] });
  };
  for (const spec of tree.children) bind(spec, { index, nestedPath: null, parents: [] });
  return bindings;
}

export interface SegmentRunner {
  readonly k: Kernels;
  readonly segment: SegmentReader;
  readonly shard: number;
  /** Passed back to hooks. */
  readonly handle: unknown;
  /** Runs an action with the columns of scripts laid out. */
  scoped<T>(action: () => T): T;
  planQuery(query: ParsedQuery): PlanNodeOf;
  planFilters(): PlanNodeOf | null;
  /** Runs the search's query over the segment with these aggregations; called again with another program if the first one was too small. */
  execute(aggs: AggProgram): void;
  /** Runs over all live root documents that the search may see, for `global`. */
  executeAll(aggs: AggProgram): void;
}
type PlanNodeOf = ReturnType<SegmentScope['planQuery']>;

/** The columns of one segment. */
export interface SegmentPartial {
  readonly bindings: Bindings;
  readonly segment: SegmentScope;
  readonly results: ReadonlyMap<AggSpec, AggResult>;
  /** Milliseconds for layout, run and reading of the columns. */
  readonly times: { readonly planMs: number; readonly runMs: number; readonly readMs: number };
}

function liveDocs(segment: SegmentReader): Uint32Array {
  const docs = Uint32Array.from({ length: segment.maxDoc }, (_, doc) => doc);
  return segment.numDocs === segment.maxDoc ? docs : docs.filter((doc) => segment.isLive(doc));
}

function rootDocs(segment: SegmentReader): Uint32Array {
  const docs = liveDocs(segment);
  return segment.rootDocsPtr === 0 ? docs : docs.filter((doc) => segment.rootOf(doc) === doc);
}

/** Memory for the state of a tree; grows fourfold as long as the scratch region has room. */
const FIRST_REGION_BYTES = 4 << 20;

/** @throws ApiError circuit_breaking_exception (429): the aggregations need more memory than a worker may use */
export function collectSegment(tree: AggTree, bindings: Bindings, runner: SegmentRunner): SegmentPartial {
  const scope = scopeOf(runner);
  const results = new Map<AggSpec, AggResult>();
  const times = { planMs: 0, runMs: 0, readMs: 0 };
  const run = (specs: readonly AggSpec[], execute: (rootPtr: AggProgram) => void) => {
    if (specs.length === 0) return;
    const started = performance.now();
    const nodes = specs.map((spec) => planTree(spec, bindings, scope));
    const planned = performance.now();
    let run = planned;
    const timed = (program: AggProgram) => {
      execute(program);
      run = performance.now();
    };
    withRegion(runner, nodes, timed, tree.needsScores).forEach((result, i) => {
      addResults(specs[i], result, results);
    });
    times.planMs += planned - started;
    times.runMs += run - planned;
    times.readMs += performance.now() - run;
  };
  run(
    tree.children.filter((spec) => spec.typeName !== 'global'),
    (program) => runner.execute(program),
  );
  run(
    tree.children.filter((spec) => spec.typeName === 'global'),
    (program) => runner.executeAll(program),
  );
  return verified({ bindings, segment: scope, results, times });
}

/** The results of a segment by the children of the tree, for `adoptSegment` in another thread. */
export function resultsOf(tree: AggTree, { results }: SegmentPartial): readonly AggResult[] {
  return tree.children.map((spec) => present(results.get(spec)));
}

/** As `collectSegment`, with the results of another thread. @param given  from `resultsOf` */
export function adoptSegment(tree: AggTree, bindings: Bindings, runner: SegmentRunner, given: readonly AggResult[]): SegmentPartial {
  const scope = scopeOf(runner);
  const results = new Map<AggSpec, AggResult>();
  tree.children.forEach((spec, i) => {
    // Some types note in their bindings which segments they have planned.
    planTree(spec, bindings, scope);
    addResults(spec, given[i], results);
  });
  return verified({ bindings, segment: scope, results, times: { planMs: 0, runMs: 0, readMs: 0 } });
}

function verified(partial: SegmentPartial): SegmentPartial {
  const { bindings, segment, results } = partial;
  for (const [spec, result] of results) spec.type.verify?.(spec, { result, segment, bindings, bound: bindings.get(spec), map: null });
  return partial;
}

/** The results of a segment of another node. @param given  from `resultsOf` */
export function distantPartial(tree: AggTree, bindings: Bindings, segment: SegmentScope, given: readonly AggResult[]): SegmentPartial {
  const results = new Map<AggSpec, AggResult>();
  tree.children.forEach((spec, i) => {
    addResults(spec, given[i], results);
  });
  // biome-ignore lint/plugin: each type reads only bindings of its own making, which the map from specs to bindings cannot express
  for (const spec of specsOf(tree)) spec.type.note?.(bindings.get(spec) as never, segment);
  return { bindings, segment, results, times: { planMs: 0, runMs: 0, readMs: 0 } };
}

/** The segment as its results are reduced with it. */
export function scopeOf(runner: SegmentRunner): SegmentScope {
  const { k, segment } = runner;
  const scope: SegmentScope = {
    segment,
    shard: runner.shard,
    handle: runner.handle,
    planQuery: (query) => runner.planQuery(query),
    planFilters: () => runner.planFilters(),
    termHashes: (field) => hashesOfTerms(k, segment, field),
    termHash: (term) => termHash(k, term),
    liveDocs: () => liveDocs(segment),
    rootDocs: () => rootDocs(segment),
    collectDocs: (plan, docs, scores) =>
      runner.scoped(() =>
        withRegion(runner, plan(), ({ rootPtr }) => {
          k.scoped(() => {
            const scoresPtr = scores ? k.copyIn(new Uint8Array(scores.buffer, scores.byteOffset, scores.byteLength)) : 0;
            checkStatus(k.exports.aggsCollect(rootPtr, k.copyInU32(docs), scoresPtr, docs.length));
          });
        }),
      ),
    collectChildren: (spec, bindings, docs, scores) =>
      scope.collectDocs(() => spec.children.map((child) => planTree(child, bindings, scope)), docs, scores),
  };
  return scope;
}

/** Visits a result and those below it, with their specs. */
function addResults(spec: AggSpec, result: AggResult, into: Map<AggSpec, AggResult>): void {
  into.set(spec, result);
  if (result.op !== 'buckets') return;
  spec.children.forEach((child, i) => {
    if (result.children[i]) addResults(child, result.children[i], into);
  });
}

/** Hashes of terms, computed once per column of a segment and kept as long as the column. */
const hashesByColumn = new WeakMap<SegmentColumn, Uint32Array>();

function hashesOfTerms(k: Kernels, segment: SegmentReader, field: string): Uint32Array | null {
  const column = segment.column(field);
  const postings = segment.postings(field);
  if (!column) return new Uint32Array(0);
  if (!postings) return null;
  let hashes = hashesByColumn.get(column);
  if (!hashes) {
    hashes = termHashes(k, postings.ptr);
    hashesByColumn.set(column, hashes);
  }
  return hashes;
}

/** The kernels ran out of memory: the run is repeated with a larger region. */
class RegionFull extends Error {}

function checkStatus(status: number): void {
  if (status !== 0) throw new RegionFull();
}

/** Lays out the nodes, runs them and reads the results; repeats it with four times the memory if there was too little. */
function withRegion(
  runner: SegmentRunner,
  nodes: readonly AggNode[],
  execute: (program: AggProgram) => void,
  needsScores = false,
): AggResult[] {
  const { k, segment } = runner;
  for (let bytes = FIRST_REGION_BYTES; ; bytes *= 4) {
    const result = k.scoped((): AggResult[] | null => {
      const size = Math.min(bytes, Math.floor((k.free - 128) / 2));
      const isLargest = size < bytes;
      const regionPtr = k.reserve(size);
      const encoder = new AggEncoder(
        k,
        { ...segment, maxDoc: segment.maxDoc, rootDocsPtr: segment.rootDocsPtr, bitsetOf },
        regionPtr,
        size,
      );
      try {
        const encoded = encoder.encode(nodes);
        execute({ rootPtr: encoder.rootPtr, needsScores });
        if (encoder.status === 0) return readResults(k, encoded);
      } catch (error) {
        if (!(error instanceof RegionTooSmall) && !(error instanceof RegionFull) && encoder.status === 0) throw error;
      }
      // Lanes have larger scratch regions.
      if (isLargest) throw canMove() ? new TooHeavy() : tooMuchMemoryError(size);
      return null;
    });
    if (result) return result;
  }

  function bitsetOf(plan: PlanNodeOf): number {
    const ptr = k.reserve(bitsetBytes(segment.maxDoc));
    planToBitset(k, { maxDoc: segment.maxDoc, liveDocsPtr: 0, rootDocsPtr: segment.rootDocsPtr }, plan, ptr);
    return ptr;
  }
}

function tooMuchMemoryError(bytes: number): ApiError {
  return new ApiError(
    'circuit_breaking_exception',
    429,
    `[request] Data too large, data for [<agg>] would be larger than the limit of [${bytes}/${bytes}b]`,
    {
      details: { bytes_wanted: bytes * 2, bytes_limit: bytes, durability: 'TRANSIENT' },
    },
  );
}

/** Final results by name, in the order of the request. */
export type ReducedAggregations = ReadonlyMap<string, OutAgg>;

/** @throws ApiError search_phase_execution_exception around too_many_buckets_exception, script_exception; failures of top hits */
export function reduceAggregations(
  tree: AggTree,
  partials: readonly SegmentPartial[],
  options: Pick<ReduceContext, 'maxBuckets' | 'nowMs' | 'topHits' | 'bindings' | 'dialect'>,
): ReducedAggregations {
  let made = 0;
  const ctx: ReduceContext = {
    ...options,
    addBuckets(count) {
      checkTurn();
      made += count;
      if (made > options.maxBuckets) throw tooManyBucketsError(options.maxBuckets, made);
    },
  };
  try {
    return reduceAll(tree, partials, ctx);
  } catch (error) {
    if (!(error instanceof ApiError) || error.type === 'search_phase_execution_exception') throw error;
    const cause = reductionError(error, options.dialect);
    throw new ApiError('search_phase_execution_exception', cause.status, '', {
      details: { phase: options.dialect.lastSearchPhase, grouped: true, failed_shards: [] },
      causedBy: cause,
      rootCauses: [],
    });
  }
}

function reduceAll(tree: AggTree, partials: readonly SegmentPartial[], ctx: ReduceContext): ReducedAggregations {
  const merged = tree.children.map((spec) => {
    const slices: Slice[] = [];
    for (const { bindings, segment, results } of partials) {
      const result = results.get(spec);
      if (result) slices.push({ result, segment, bindings, bound: bindings.get(spec), map: null });
    }
    return spec.type.merge(spec, slices, 1, ctx);
  });
  // Without segments there are no slices, and every result is that of no documents.
  return outAggs(tree, merged, 0);
}

export function renderAggregations(reduced: ReducedAggregations, typedKeys: boolean): JsonObject {
  return renderAggs(reduced, typedKeys);
}
