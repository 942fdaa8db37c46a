// Limits and normal forms of boolean queries.
import { tooManyClausesError, tooManyNestedClausesError } from '../../errors/search-errors.ts';
import { ALL, type IndexQuery, type LeafIndexQuery } from '../index-query/index-query.ts';
import type { IntervalSource, SpanSource } from '../index-query/positional-query.ts';
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

/**
 * Limits the leaves of a query at all depths, as Lucene does.
 * @throws ApiError too_many_nested_clauses
 */
export function checkNestedClauses(query: IndexQuery, limit: number): void {
  let left = limit;
  const count = (): void => {
    if (--left < 0) throw tooManyNestedClausesError(limit);
  };
  const visitAll = (queries: readonly IndexQuery[]): void => {
    for (const inner of queries) visit(inner);
  };
  const visit = (inner: IndexQuery): void => {
    switch (inner.op) {
      case 'bool':
        visitAll(inner.must);
        visitAll(inner.filter);
        visitAll(inner.should);
        visitAll(inner.mustNot);
        return;
      case 'disMax':
        visitAll(inner.queries);
        return;
      case 'termsSet':
        visitAll(inner.clauses);
        return;
      case 'boosting':
        visit(inner.positive);
        visit(inner.negative);
        return;
      case 'constant':
      case 'boost':
      case 'named':
      case 'nested':
        visit(inner.query);
        return;
      case 'functionScore':
        visit(inner.query);
        for (const { filter } of inner.functions) if (filter) visit(filter);
        return;
      case 'join':
        visit(inner.from);
        return;
      case 'positional':
        visitSource(inner.source);
        return;
      case 'knn':
      case 'percolate':
      case 'perShard':
        count();
        return;
      default:
        inner satisfies LeafIndexQuery;
        count();
    }
  };
  const visitSource = (source: SpanSource | IntervalSource): void => {
    count();
    if ('sources' in source) source.sources.forEach(visitSource);
    if ('source' in source) visitSource(source.source);
    if ('by' in source) visitSource(source.by);
    if ('include' in source) {
      visitSource(source.include);
      visitSource(source.exclude);
    }
    if ('big' in source) {
      visitSource(source.big);
      visitSource(source.little);
    }
  };
  visit(query);
}
