// MatchRunner over the executor.
import { boolPlan, COUNT_ALL, type CollectPlan, makeCounters, type PlanNode } from '../../plan/query-plan.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { MatchRunner, ScoredDocs } from '../compute/match-runner.ts';

export class SegmentMatchRunner implements MatchRunner {
  readonly #segments: readonly SegmentReader[];

  constructor(segments: readonly SegmentReader[]) {
    this.#segments = segments;
  }

  over(segments: readonly SegmentReader[]): MatchRunner {
    return new SegmentMatchRunner(segments);
  }

  matchesOf(index: number, plan: PlanNode, scopePtr: number | null): ScoredDocs {
    const segment = this.#segments[index];
    const scoped = scopePtr === null ? plan : boolPlan({ must: [plan], filter: [{ op: 'bitset', ptr: scopePtr }] });
    const collect: CollectPlan = { ...COUNT_ALL, size: segment.maxDoc, sort: [{ by: 'doc', descending: false }], trackScores: true };
    return segment.execute(scoped, collect, { stop: () => false, counters: makeCounters(), withNested: scopePtr !== null });
  }
}
