// Runs a query in order to plan another one: joins, functions of scores and scripts need the matching documents before the rest of the plan
// can be built. src/search/run implements this interface over the executor.
import type { PlanNode } from '../../plan/query-plan.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';

/** Documents of a plan, ascending, and their scores, parallel. */
export interface ScoredDocs {
  readonly docs: Uint32Array;
  readonly scores: Float32Array;
}

export interface MatchRunner {
  /** A runner on other segments. */
  over(segments: readonly SegmentReader[]): MatchRunner;
  /**
   * Every match of a plan in a segment of the shard.
   * @param scopePtr  address of a bitset of nested documents to match among; null matches among root documents
   */
  matchesOf(segment: number, plan: PlanNode, scopePtr: number | null): ScoredDocs;
}
