// The scope in which a query is planned.
import type { PlanNode } from '../../plan/query-plan.ts';
import type { IndexQuery } from '../index-query/index-query.ts';

export interface PlanScope {
  /** Position of the segment in the shard. */
  readonly index: number;
  /** false plans the matches only. */
  readonly scored: boolean;
  /** Multiplies the scores of the query. */
  readonly boost: number;
  /**
   * Plans of the surrounding clauses, which all documents of the query must match. Scripts and score functions see no other documents, so a
   * plan is correct only among these.
   */
  readonly among: readonly PlanNode[];
}

/** Plans a part of a query; implemented by Planner. */
export type PlanQuery = (query: IndexQuery, scope: PlanScope) => PlanNode;

const NOWHERE: readonly PlanNode[] = [];

/** Plans the matches in a segment. */
export function matchScope(index: number): PlanScope {
  return { index, scored: false, boost: 1, among: NOWHERE };
}

/** Plans scores in a segment. */
export function scoreScope(index: number, boost = 1): PlanScope {
  return { index, scored: true, boost, among: NOWHERE };
}

/** Plans the matches only. @param boost  still counts for clauses that select documents by score */
export function unscored(scope: PlanScope, boost = 1): PlanScope {
  return scope.scored || scope.boost !== boost ? { index: scope.index, scored: false, boost, among: scope.among } : scope;
}

export function withPlanBoost(scope: PlanScope, boost: number): PlanScope {
  return { index: scope.index, scored: scope.scored, boost, among: scope.among };
}

export function withAmong(scope: PlanScope, among: readonly PlanNode[]): PlanScope {
  return { index: scope.index, scored: scope.scored, boost: scope.boost, among };
}

/** The scope without the conditions of the surrounding clauses, for a part that matches other documents than they do. */
export function outsideClauses(scope: PlanScope): PlanScope {
  return scope.among.length === 0 ? scope : withAmong(scope, NOWHERE);
}
