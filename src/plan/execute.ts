// Runs plans on one segment: encodes the tree, drives the executor window by window, reads hits and counters.
import type { Kernels } from '../wasm/kernels.ts';
import type { AggProgram, CollectPlan, ExecutionCounters, PlanNode, SegmentHits, SegmentScope, StopCheck } from './query-plan.ts';

export interface ExecuteOptions {
  readonly aggs?: AggProgram | null;
  /** Asked between windows; true stops: hits so far are returned with terminatedEarly. */
  readonly stop?: StopCheck;
  /** Added to, for profile and budgets. */
  readonly counters?: ExecutionCounters;
  /** Sorted by score: only hits that score more are wanted (size hits of earlier segments score at least this). */
  readonly minCompetitiveScore?: number;
}

/**
 * Hits, total and aggregations of a query on one segment.
 * @throws ApiError circuit_breaking_exception (429): the scratch region cannot hold the plan's state
 */
export declare function executePlan(
  k: Kernels,
  segment: SegmentScope,
  query: PlanNode,
  collect: CollectPlan,
  options?: ExecuteOptions,
): SegmentHits;

/** Live root documents that match; never scores. */
export declare function countPlan(k: Kernels, segment: SegmentScope, query: PlanNode, stop?: StopCheck): number;

/** Writes the bitset of matching documents over [0, maxDoc) to `outPtr` (bitsetBytes(maxDoc) bytes): deleted and nested documents too. */
export declare function planToBitset(k: Kernels, segment: SegmentScope, query: PlanNode, outPtr: number): void;
