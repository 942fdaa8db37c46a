// Queries that the host computes document by document: scripts and score functions. They are computed only for documents that match the other clauses
// around them, because a document that does not match may lack the fields that they read.
import type { BoolIndexQuery, IndexQuery, LeafIndexQuery } from '../index-query/index-query.ts';

/** Whether planning has to compute the query. @param scored  false ignores functions that only affect scores */
export function isComputed(query: IndexQuery, scored: boolean): boolean {
  switch (query.op) {
    case 'scriptFilter':
    case 'percolate':
      return true;
    case 'combined':
      return scored;
    case 'functionScore':
      return scored || query.minScore !== null || isComputed(query.query, false);
    case 'termsSet':
      return query.minimum.by === 'script' || query.clauses.some((clause) => isComputed(clause, scored));
    case 'constant':
      return isComputed(query.query, false);
    case 'boost':
    case 'named':
      return isComputed(query.query, scored);
    case 'bool':
      return (
        [...query.must, ...query.should].some((clause) => isComputed(clause, scored)) ||
        [...query.filter, ...query.mustNot].some((clause) => isComputed(clause, false))
      );
    case 'disMax':
      return query.queries.some((clause) => isComputed(clause, scored));
    case 'boosting':
      return isComputed(query.positive, scored) || isComputed(query.negative, false);
    case 'nested':
    case 'join':
    case 'knn':
    case 'perShard':
      // What is computed inside these is computed for all their documents.
      return false;
    default:
      query satisfies LeafIndexQuery;
      return false;
  }
}

/** The clauses of a bool that restrict its documents and need no computation, null if there are none. The result does not score. */
export function plainPart({ must, filter, should, mustNot, minimumShouldMatch }: BoolIndexQuery): BoolIndexQuery | null {
  const isPlain = (clause: IndexQuery): boolean => !isComputed(clause, false);
  const isShouldNeeded = should.length > 0 && (minimumShouldMatch > 0 || must.length + filter.length === 0) && should.every(isPlain);
  const required = [...must, ...filter].filter(isPlain);
  const excluded = mustNot.filter(isPlain);
  if (required.length + excluded.length === 0 && !isShouldNeeded) return null;
  return {
    op: 'bool',
    must: [],
    filter: required.length > 0 || isShouldNeeded ? required : [{ op: 'all' }],
    should: isShouldNeeded ? should : [],
    mustNot: excluded,
    minimumShouldMatch: isShouldNeeded ? minimumShouldMatch : 0,
  };
}
