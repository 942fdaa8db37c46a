// Limits and normal forms of boolean queries.
import { tooManyClausesError } from '../../errors/search-errors.ts';
import { ALL, type IndexQuery } from '../index-query/index-query.ts';
import type { RewriteContext } from '../shard/rewrite-context.ts';

/** @param count  clauses of one bool @throws ApiError too_many_clauses */
export function checkClauseCount(context: RewriteContext, count: number): void {
  if (count > context.limits.maxClauseCount) throw tooManyClausesError(context.limits.maxClauseCount);
}

/** A bool that only excludes documents matches all others. */
export function fixNegative(query: IndexQuery): IndexQuery {
  if (query.op !== 'bool' || query.mustNot.length === 0) return query;
  if (query.must.length + query.filter.length + query.should.length > 0) return query;
  return { ...query, filter: [ALL] };
}
