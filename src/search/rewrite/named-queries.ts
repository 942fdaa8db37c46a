// Subqueries with a `_name`.
import type { IndexQuery } from '../index-query/index-query.ts';

/** Named subqueries at any depth, except inside nested queries, which Elasticsearch does not report either. */
export function namedQueries(roots: ReadonlyArray<IndexQuery | null>): Array<{ name: string; query: IndexQuery }> {
  const found: Array<{ name: string; query: IndexQuery }> = [];
  const visit = (query: IndexQuery): void => {
    switch (query.op) {
      case 'named':
        found.push({ name: query.name, query: query.query });
        visit(query.query);
        return;
      case 'bool':
        for (const clause of [...query.must, ...query.filter, ...query.should, ...query.mustNot]) visit(clause);
        return;
      case 'disMax':
        query.queries.forEach(visit);
        return;
      case 'boosting':
        visit(query.positive);
        visit(query.negative);
        return;
      case 'constant':
      case 'boost':
      case 'functionScore':
        visit(query.query);
        return;
      default:
    }
  };
  for (const root of roots) if (root) visit(root);
  return found;
}
