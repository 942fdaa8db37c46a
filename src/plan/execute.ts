// Runs plans on one segment: encodes the tree into scratch, drives the executor window by window, reads hits and counters.
import { ApiError } from '../errors/api-error.ts';
import { bitsetBytes } from '../wasm/codec.ts';
import { E_NO_SPACE } from '../wasm/generated/mem.ts';
import type { Kernels } from '../wasm/kernels.ts';
import { RegionTooSmall } from './agg-encode.ts';
import { QueryEncoder } from './encode-query.ts';
import type { AggProgram, CollectPlan, ExecutionCounters, PlanNode, SegmentHits, SegmentScope, SortKey, StopCheck } from './query-plan.ts';
import { type EncodedSort, encodeSort, keyOfValue, valueOfKey } from './sort-keys.ts';

export interface ExecuteOptions {
  readonly aggs?: AggProgram | null;
  /** Asked between windows; true stops: hits so far are returned with terminatedEarly. */
  readonly stop?: StopCheck;
  /** Added to, for profile and budgets. */
  readonly counters?: ExecutionCounters;
  /** Sorted by score: only hits that score more are wanted (size hits of earlier segments score at least this). */
  readonly minCompetitiveScore?: number;
}

const RUN_BYTES = 192;
/** Offsets of the Run record (assembly/executor/run.ts). */
const RUN = {
  query: 0,
  postFilter: 4,
  flags: 8,
  maxDoc: 12,
  accept: 16,
  aggs: 20,
  aggsScores: 24,
  size: 28,
  countUpTo: 32,
  terminateAfter: 36,
  minScore: 40,
  floor: 44,
  sortKeys: 48,
  sortKeyCount: 52,
  after: 56,
  afterDoc: 60,
  total: 64,
  totalIsLowerBound: 68,
  terminated: 72,
  collected: 76,
  maxScore: 80,
  hitCount: 84,
  docs: 88,
  scores: 92,
  keys: 96,
} as const;
const FLAG = { scores: 1, byScore: 2, totalKnown: 4 } as const;
/** Windows of 16,384 documents between two questions to `stop`. */
const WINDOWS_PER_CALL = 8;
const WINDOW = 16_384;

/**
 * Hits, total and aggregations of a query on one segment.
 * @throws ApiError circuit_breaking_exception (429): the scratch region cannot hold the plan's state
 * @throws RegionTooSmall the aggregations' region is used up: run again with a larger one
 */
export function executePlan(
  k: Kernels,
  segment: SegmentScope,
  query: PlanNode,
  collect: CollectPlan,
  options: ExecuteOptions = {},
): SegmentHits {
  const { aggs, stop, counters } = options;
  return guarded(k, () => {
    const byScore = collect.after === null && isScoreOrder(collect.sort);
    const sort: readonly SortKey[] = collect.sort.length ? collect.sort : [{ by: 'score', descending: true }];
    const scores =
      (collect.size > 0 && (byScore || collect.trackScores || sort.some((key) => key.by === 'score'))) ||
      collect.minScore !== null ||
      (aggs?.needsScores ?? false);
    const accept = acceptedDocs(k, segment);
    if (aggs && query.op === 'matchAll' && accept === 0 && isUnlimited(collect) && !aggs.needsScores) {
      // every document: aggregations take the numbers alone, and hits are collected as if there were no aggregations
      const stopped = collectAll(k, aggs, segment.maxDoc, stop);
      return stopped ? { ...noHits(0), terminatedEarly: true } : executePlan(k, segment, query, collect, { ...options, aggs: null });
    }
    const plain = accept === 0 && !collect.postFilter && collect.minScore === null && !collect.terminateAfter && !aggs;
    const known = plain ? knownTotal(query, segment.maxDoc) : null;
    if (known !== null && collect.size === 0) return noHits(known);
    const encoder = new QueryEncoder(k, segment.maxDoc, segment.rootDocsPtr);
    const run = k.reserve(RUN_BYTES, 16);
    const words = k.u32;
    words.fill(0, run >>> 2, (run + RUN_BYTES) >>> 2);
    const set = (off: number, value: number): void => {
      words[(run + off) >>> 2] = value;
    };
    set(RUN.query, encoder.encode(query, scores).ptr);
    if (collect.postFilter) set(RUN.postFilter, encoder.encode(collect.postFilter, false).ptr);
    set(RUN.flags, (scores ? FLAG.scores : 0) | (byScore ? FLAG.byScore : 0) | (known === null ? 0 : FLAG.totalKnown));
    set(RUN.maxDoc, segment.maxDoc);
    set(RUN.accept, accept);
    set(RUN.aggs, aggs?.rootPtr ?? 0);
    set(RUN.aggsScores, aggs?.needsScores ? 1 : 0);
    set(RUN.size, Math.min(collect.size, segment.maxDoc));
    set(RUN.countUpTo, Math.min(collect.trackTotalHitsUpTo, 0xffffffff));
    set(RUN.terminateAfter, collect.terminateAfter);
    k.f32[(run + RUN.minScore) >>> 2] = collect.minScore ?? Number.NaN;
    k.f32[(run + RUN.floor) >>> 2] = options.minCompetitiveScore ?? -Infinity;
    const encodedSort = byScore || collect.size === 0 ? null : prepareSort(k, segment, sort, collect, run);
    const scratch = k.reserve(0, 64);
    k.exports.executorInit(run, scratch, k.scratchEnd);
    const stopped = runWindows(k, run, stop);
    k.exports.executorFinish(run);
    if (counters) addCounters(k, run, counters);
    return readHits(k, run, encodedSort, { known, stopped, scored: scores });
  });
}

/** Nothing in the request keeps a match from the aggregations. */
function isUnlimited(collect: CollectPlan): boolean {
  return collect.minScore === null && !collect.terminateAfter;
}

/** Hands all documents of a segment to the aggregations. @returns true if `stop` ended it. @throws RegionTooSmall */
function collectAll(k: Kernels, aggs: AggProgram, maxDoc: number, stop: StopCheck | undefined): boolean {
  for (let from = 0; from < maxDoc; from += WINDOW * WINDOWS_PER_CALL) {
    if (stop?.()) return true;
    const status = k.exports.aggsCollectRange(aggs.rootPtr, from, Math.min(WINDOW * WINDOWS_PER_CALL, maxDoc - from));
    if (status !== 0) throw new RegionTooSmall();
  }
  return false;
}

/** Live root documents that match; never scores. A lower bound if `stop` ended it. */
export function countPlan(k: Kernels, segment: SegmentScope, query: PlanNode, stop?: StopCheck): number {
  return executePlan(k, segment, query, COUNT_ONLY, { stop }).total;
}

const COUNT_ONLY: CollectPlan = {
  size: 0,
  sort: [],
  trackScores: false,
  after: null,
  trackTotalHitsUpTo: Infinity,
  minScore: null,
  terminateAfter: 0,
  postFilter: null,
};

/** Writes the bitset of matching documents over [0, maxDoc) to `outPtr` (bitsetBytes(maxDoc) bytes): deleted and nested documents too. */
export function planToBitset(k: Kernels, segment: SegmentScope, query: PlanNode, outPtr: number): void {
  guarded(k, () => {
    const { ptr } = new QueryEncoder(k, segment.maxDoc, segment.rootDocsPtr).encode(query, false);
    k.exports.executorBitset(ptr, outPtr, segment.maxDoc, k.reserve(0, 64), k.scratchEnd);
  });
}

/** Releases the scratch of `call` and turns a lack of it into an error of the request. */
function guarded<T>(k: Kernels, call: () => T): T {
  try {
    return k.scoped(call);
  } catch (error) {
    const full = error instanceof RangeError || (error instanceof WebAssembly.RuntimeError && k.exports.searchStatus() === E_NO_SPACE);
    if (!full) throw error;
    const limit = k.scratchEnd - k.scratchPtr;
    throw new ApiError(
      'circuit_breaking_exception',
      429,
      `[request] Data too large, data for [<search plan>] would be larger than limit of [${limit}/${(limit / 2 ** 20).toFixed(1)}mb]`,
      { details: { bytes_wanted: limit, bytes_limit: limit, durability: 'TRANSIENT' } },
    );
  }
}

function isScoreOrder(sort: readonly SortKey[]): boolean {
  return sort.length === 0 || (sort.length === 1 && sort[0].by === 'score' && sort[0].descending);
}

/** Bitset of the documents that may be hits; 0: all. */
function acceptedDocs(k: Kernels, { maxDoc, liveDocsPtr, rootDocsPtr }: SegmentScope): number {
  if (!liveDocsPtr || !rootDocsPtr) return liveDocsPtr || rootDocsPtr;
  const ptr = k.reserve(bitsetBytes(maxDoc) + 16);
  k.exports.executorAccept(ptr, liveDocsPtr, rootDocsPtr, maxDoc);
  return ptr;
}

/** Number of matches where statistics tell it, else null. */
function knownTotal(query: PlanNode, maxDoc: number): number | null {
  switch (query.op) {
    case 'matchAll':
      return maxDoc;
    case 'matchNone':
      return 0;
    case 'term':
      return query.term.docFreq;
    case 'existsColumn':
      return query.column.docCount;
    case 'docs':
      return query.docs.length;
    case 'constantScore':
    case 'boost':
      return knownTotal(query.child, maxDoc);
    case 'bool': {
      // Optional clauses take nothing away from the only required one.
      const required = [...query.must, ...query.filter];
      const only = required.length === 1 && query.mustNot.length === 0 && query.minimumShouldMatch === 0;
      return only ? knownTotal(required[0], maxDoc) : null;
    }
    default:
      return null;
  }
}

function prepareSort(k: Kernels, segment: SegmentScope, sort: readonly SortKey[], collect: CollectPlan, run: number): EncodedSort {
  const encoded = encodeSort(k, sort, segment.maxDoc, segment.rootDocsPtr, (plan) => {
    const out = k.reserve(bitsetBytes(segment.maxDoc) + 16);
    planToBitset(k, segment, plan, out);
    return out;
  });
  k.u32[(run + RUN.sortKeys) >>> 2] = encoded.ptr;
  k.u32[(run + RUN.sortKeyCount) >>> 2] = sort.length;
  if (collect.after) {
    const after = k.reserve(sort.length * 8, 16);
    for (const [i, column] of encoded.columns.entries()) {
      k.view.setBigUint64(after + i * 8, keyOfValue(column, collect.after.values[i] ?? null), true);
    }
    k.u32[(run + RUN.after) >>> 2] = after;
    // Without a document to break the tie, equal tuples are not behind.
    k.view.setInt32(run + RUN.afterDoc, collect.after.docId ?? 0x7fffffff, true);
  }
  return encoded;
}

/** True if `stop` ended the run before its end. */
function runWindows(k: Kernels, run: number, stop: StopCheck | undefined): boolean {
  for (;;) {
    const status = k.exports.executorRun(run, stop ? WINDOWS_PER_CALL : 0x7fffffff);
    if (status === 0) return false;
    if (status < 0) throw new RegionTooSmall(`aggregation tree: status ${status}`);
    if (stop?.()) return true;
  }
}

function addCounters(k: Kernels, run: number, counters: ExecutionCounters): void {
  counters.blocksDecoded += k.exports.searchCounter(0) >>> 0;
  counters.docsScored += k.exports.searchCounter(1) >>> 0;
  counters.windows += k.exports.searchCounter(2) >>> 0;
  counters.docsCollected += k.u32[(run + RUN.total) >>> 2];
}

function readHits(
  k: Kernels,
  run: number,
  sort: EncodedSort | null,
  { known, stopped, scored }: { known: number | null; stopped: boolean; scored: boolean },
): SegmentHits {
  const word = (off: number): number => k.u32[(run + off) >>> 2];
  const count = word(RUN.hitCount);
  const scores = new Float32Array(count);
  scores.set(k.f32.subarray(word(RUN.scores) >>> 2, (word(RUN.scores) >>> 2) + count));
  const sortValues: Array<Array<bigint | number | null>> = [];
  if (sort) {
    const keys = word(RUN.keys);
    const width = sort.columns.length;
    for (let hit = 0; hit < count; hit++) {
      sortValues.push(sort.columns.map((column, i) => valueOfKey(column, k.view.getBigUint64(keys + (hit * width + i) * 8, true))));
    }
  }
  const maxScore = k.f32[(run + RUN.maxScore) >>> 2];
  return {
    docs: k.copyOutU32(word(RUN.docs), count),
    scores,
    sortValues,
    total: known ?? word(RUN.total),
    totalIsLowerBound: word(RUN.totalIsLowerBound) === 1 || stopped,
    maxScore: scored && maxScore > -3.4e38 ? maxScore : Number.NaN,
    terminatedEarly: word(RUN.terminated) === 1 || stopped,
  };
}

function noHits(total: number): SegmentHits {
  return {
    docs: new Uint32Array(0),
    scores: new Float32Array(0),
    sortValues: [],
    total,
    totalIsLowerBound: false,
    maxScore: Number.NaN,
    terminatedEarly: false,
  };
}
