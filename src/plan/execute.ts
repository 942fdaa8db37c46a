// Runs plans on one segment: encodes the tree into scratch, drives the executor window by window, reads hits and counters.
import { canMove, checkTurn, TooHeavy } from '../common/turns/turn.ts';
import { ApiError } from '../errors/api-error.ts';
import { bitsetBytes } from '../wasm/codec.ts';
import { RUN_BY_SCORE, RUN_SCORES, RUN_TOTAL_KNOWN, Run, SPAN_DOCS } from '../wasm/generated/executor.ts';
import { E_NO_SPACE } from '../wasm/generated/mem.ts';
import { NO_MORE_DOCS } from '../wasm/generated/postings.ts';
import { COUNTER_BLOCKS_DECODED, COUNTER_DOCS_SCORED, COUNTER_WINDOWS, WINDOW_DOCS } from '../wasm/generated/search.ts';
import type { Kernels } from '../wasm/kernels.ts';
import { getF32, getU32, setF32, setI32, setU32 } from '../wasm/records.ts';
import { RegionTooSmall } from './agg-encode.ts';
import { QueryEncoder } from './encode-query.ts';
import {
  type AggProgram,
  COUNT_ALL,
  type CollectPlan,
  type ExecutionCounters,
  type PlanNode,
  type SegmentHits,
  type SegmentScope,
  type SortKey,
  type StopCheck,
} from './query-plan.ts';
import { type EncodedSort, encodeSort, keyOfValue, valueOfKey } from './sort-keys.ts';

/** Ranges begin at multiples of this. */
export const RANGE_DOCS = SPAN_DOCS;

/** Documents [from, to) of a segment. */
export interface DocumentRange {
  readonly from: number;
  readonly to: number;
}

export interface ExecuteOptions {
  readonly aggs?: AggProgram | null;
  /** Called between windows; true stops the run: the hits so far are returned with terminatedEarly. */
  readonly stop?: StopCheck;
  /** The run adds its work to these, for profile and budgets. */
  readonly counters?: ExecutionCounters;
  /** Sorted by score: hits that score no more are dropped, since `size` hits of earlier segments score at least this. */
  readonly minCompetitiveScore?: number;
  /** Only documents in [from, to) are examined, multiples of RANGE_DOCS unless `to` is maxDoc. Absent: all. */
  readonly range?: DocumentRange;
  /** Bitset over [0, maxDoc), a multiple of 64 bytes: other documents count as deleted. Absent: all are visible. */
  readonly visible?: Uint8Array;
}

/** Windows between two calls of `stop`. */
const WINDOWS_PER_CALL = 8;

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
    const accept = acceptedDocs(k, segment, options.visible);
    if (aggs && query.op === 'matchAll' && accept === 0 && isUnlimited(collect) && !aggs.needsScores) {
      // Aggregate all documents by number alone, then collect the hits as if there were no aggregations.
      const stopped = collectAll(k, aggs, options.range ?? { from: 0, to: segment.maxDoc }, stop);
      return stopped ? { ...noHits(0), terminatedEarly: true } : executePlan(k, segment, query, collect, { ...options, aggs: null });
    }
    const plain = accept === 0 && !collect.postFilter && collect.minScore === null && !collect.terminateAfter && !aggs;
    const known = plain && !options.range ? knownTotal(query, segment.maxDoc) : null;
    if (known !== null && collect.size === 0) return noHits(known);
    const encoder = new QueryEncoder(k, segment.maxDoc, segment.rootDocsPtr);
    const run = k.reserve(Run.sizeof, 16);
    k.u32.fill(0, run >>> 2, (run + Run.sizeof) >>> 2);
    setU32(k, run, Run.query, encoder.encode(query, scores).ptr);
    if (collect.postFilter) setU32(k, run, Run.postFilter, encoder.encode(collect.postFilter, false).ptr);
    setU32(k, run, Run.flags, (scores ? RUN_SCORES : 0) | (byScore ? RUN_BY_SCORE : 0) | (known === null ? 0 : RUN_TOTAL_KNOWN));
    setU32(k, run, Run.maxDoc, segment.maxDoc);
    setU32(k, run, Run.position, options.range?.from ?? 0);
    setU32(k, run, Run.end, options.range?.to ?? segment.maxDoc);
    setU32(k, run, Run.accept, accept);
    setU32(k, run, Run.aggs, aggs?.rootPtr ?? 0);
    setU32(k, run, Run.aggsScores, aggs?.needsScores ? 1 : 0);
    setU32(k, run, Run.size, Math.min(collect.size, segment.maxDoc));
    setU32(k, run, Run.countUpTo, Math.min(collect.trackTotalHitsUpTo, 0xffffffff));
    setU32(k, run, Run.terminateAfter, collect.terminateAfter);
    setF32(k, run, Run.minScore, collect.minScore ?? Number.NaN);
    setF32(k, run, Run.floor, options.minCompetitiveScore ?? -Infinity);
    const encodedSort = byScore || collect.size === 0 ? null : prepareSort(k, segment, sort, collect, run);
    const scratch = k.reserve(0, 64);
    k.exports.executorInit(run, scratch, k.scratchEnd);
    const stopped = runWindows(k, run, stop);
    k.exports.executorFinish(run);
    if (counters) addCounters(k, run, counters);
    return readHits(k, run, encodedSort, { known, stopped, scored: scores });
  });
}

/** Whether the aggregations see every match. */
function isUnlimited(collect: CollectPlan): boolean {
  return collect.minScore === null && !collect.terminateAfter;
}

/** Aggregates all documents of a range. @returns true if `stop` stopped it early. @throws RegionTooSmall */
function collectAll(k: Kernels, aggs: AggProgram, range: DocumentRange, stop: StopCheck | undefined): boolean {
  for (let { from } = range; from < range.to; from += WINDOW_DOCS * WINDOWS_PER_CALL) {
    checkTurn();
    if (stop?.()) return true;
    const status = k.exports.aggsCollectRange(aggs.rootPtr, from, Math.min(WINDOW_DOCS * WINDOWS_PER_CALL, range.to - from));
    if (status !== 0) throw new RegionTooSmall();
  }
  return false;
}

/** Number of live root documents that match; computes no scores. A lower bound if `stop` stopped it early. */
export function countPlan(k: Kernels, segment: SegmentScope, query: PlanNode, stop?: StopCheck): number {
  return executePlan(k, segment, query, COUNT_ALL, { stop }).total;
}

/** Writes the bitset of matching documents over [0, maxDoc) to `outPtr` (bitsetBytes(maxDoc) bytes): deleted and nested documents too. */
export function planToBitset(k: Kernels, segment: SegmentScope, query: PlanNode, outPtr: number): void {
  guarded(k, () => {
    const { ptr } = new QueryEncoder(k, segment.maxDoc, segment.rootDocsPtr).encode(query, false);
    k.exports.executorBitset(ptr, outPtr, segment.maxDoc, k.reserve(0, 64), k.scratchEnd);
  });
}

/** Releases the scratch that `call` reserves; if that does not suffice, the request fails. */
export function guarded<T>(k: Kernels, call: () => T): T {
  try {
    return k.scoped(call);
  } catch (error) {
    const full = error instanceof RangeError || (error instanceof WebAssembly.RuntimeError && k.exports.searchStatus() === E_NO_SPACE);
    if (!full) throw error;
    // Lanes have larger scratch regions.
    if (canMove()) throw new TooHeavy();
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
function acceptedDocs(k: Kernels, { maxDoc, liveDocsPtr, rootDocsPtr }: SegmentScope, visible: Uint8Array | undefined): number {
  if (visible) {
    const ptr = k.reserve(visible.length + 16, 64);
    k.u8.set(visible, ptr);
    for (const other of [liveDocsPtr, rootDocsPtr]) if (other) k.exports.executorAccept(ptr, ptr, other, maxDoc);
    return ptr;
  }
  if (!liveDocsPtr || !rootDocsPtr) return liveDocsPtr || rootDocsPtr;
  const ptr = k.reserve(bitsetBytes(maxDoc) + 16);
  k.exports.executorAccept(ptr, liveDocsPtr, rootDocsPtr, maxDoc);
  return ptr;
}

/** Number of matches if statistics give it without a run, else null. */
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
      // Optional clauses do not restrict the only required one.
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
  setU32(k, run, Run.sortKeys, encoded.ptr);
  setU32(k, run, Run.sortKeyCount, sort.length);
  if (collect.after) {
    const after = k.reserve(sort.length * 8, 16);
    for (const [i, column] of encoded.columns.entries()) {
      k.view.setBigUint64(after + i * 8, keyOfValue(column, collect.after.values[i] ?? null), true);
    }
    setU32(k, run, Run.after, after);
    // Without a document to break the tie, equal tuples come before the hits.
    setI32(k, run, Run.afterDoc, collect.after.docId ?? NO_MORE_DOCS);
  }
  return encoded;
}

/** True if `stop` stopped the run early. */
function runWindows(k: Kernels, run: number, stop: StopCheck | undefined): boolean {
  for (;;) {
    const status = k.exports.executorRun(run, stop ? WINDOWS_PER_CALL : 0x7fffffff);
    if (status === 0) return false;
    if (status < 0) throw new RegionTooSmall(`aggregation tree: status ${status}`);
    checkTurn();
    if (stop?.()) return true;
  }
}

function addCounters(k: Kernels, run: number, counters: ExecutionCounters): void {
  counters.blocksDecoded += k.exports.searchCounter(COUNTER_BLOCKS_DECODED) >>> 0;
  counters.docsScored += k.exports.searchCounter(COUNTER_DOCS_SCORED) >>> 0;
  counters.windows += k.exports.searchCounter(COUNTER_WINDOWS) >>> 0;
  counters.docsCollected += getU32(k, run, Run.total);
}

function readHits(
  k: Kernels,
  run: number,
  sort: EncodedSort | null,
  { known, stopped, scored }: { known: number | null; stopped: boolean; scored: boolean },
): SegmentHits {
  const count = getU32(k, run, Run.hitCount);
  const scores = new Float32Array(count);
  const scoresAt = getU32(k, run, Run.scores) >>> 2;
  scores.set(k.f32.subarray(scoresAt, scoresAt + count));
  const sortValues: Array<Array<bigint | number | null>> = [];
  if (sort) {
    const keys = getU32(k, run, Run.keys);
    const width = sort.columns.length;
    for (let hit = 0; hit < count; hit++) {
      sortValues.push(sort.columns.map((column, i) => valueOfKey(column, k.view.getBigUint64(keys + (hit * width + i) * 8, true))));
    }
  }
  const maxScore = getF32(k, run, Run.maxScore);
  return {
    docs: k.copyOutU32(getU32(k, run, Run.docs), count),
    scores,
    sortValues,
    total: known ?? getU32(k, run, Run.total),
    totalIsLowerBound: getU32(k, run, Run.totalIsLowerBound) === 1 || stopped,
    maxScore: scored && maxScore > -3.4e38 ? maxScore : Number.NaN,
    terminatedEarly: getU32(k, run, Run.terminated) === 1 || stopped,
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
