// Scores of single documents, for parts of a search that process hits already found.
import { boolPlan, COUNT_ALL, type PlanNode } from '../../plan/query-plan.ts';
import { matchScope, scoreScope } from '../compute/plan-scope.ts';
import type { IndexQuery } from '../index-query/index-query.ts';
import type { PreparedShard } from './prepared-shard.ts';
import type { RunControl } from './run-control.ts';

/**
 * Scores of a query for documents of one segment, by document; documents that do not match are missing.
 * @param scored  false: scores are 0
 */
export function scoreDocs(
  prepared: PreparedShard,
  query: IndexQuery,
  index: number,
  docs: readonly number[],
  scored: boolean,
  control: RunControl,
): Map<number, number> {
  const result = new Map<number, number>();
  if (docs.length === 0) return result;
  const wanted: PlanNode = { op: 'docs', docs: Uint32Array.from(docs).sort(), scores: null };
  const plan = prepared.planner.planAmong(query, wanted, scored ? scoreScope(index) : matchScope(index));
  if (plan.op === 'matchNone') return result;
  const restricted = scored ? boolPlan({ must: [plan], filter: [wanted] }) : boolPlan({ filter: [wanted, plan] });
  const collect = { ...COUNT_ALL, size: docs.length, trackScores: scored };
  const found = prepared.planner.segments[index].execute(restricted, collect, { stop: control.stop, counters: control.counters });
  for (let i = 0; i < found.docs.length; i++) result.set(found.docs[i], scored ? found.scores[i] : 0);
  return result;
}
