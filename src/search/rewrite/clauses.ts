// Limits and normal forms of boolean queries.
import { tooManyClausesError } from '../../errors/search-errors.ts';
import { ALL, type IndexQuery } from '../index-query/index-query.ts';
import type { RewriteContext } from '../shard/rewrite-context.ts';

/** Adds to the number of clauses in the whole query. @throws ApiError too_many_clauses */
export function countClauses(context: RewriteContext, count: number): void {
  context.clauses.count += count;
  if (count > context.limits.maxClauseCount) throw tooManyClausesError(context.limits.maxClauseCount);
}

/** A bool that only excludes documents matches all others. */
export function fixNegative(query: IndexQuery): IndexQuery {
  if (query.op !== 'bool' || query.mustNot.length === 0) return query;
  if (query.must.length + query.filter.length + query.should.length > 0) return query;
  return { ...query, filter: [ALL] };
}
