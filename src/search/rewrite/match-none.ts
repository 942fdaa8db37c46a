// Queries that match nothing whatever an index contains, or because it lacks their field. The real servers replace a bool query that requires
// one of them before they build its other clauses, whose errors therefore do not show.
import type { LeafQuery, Query } from '../../query/query.ts';
import { fieldOf, type RewriteContext } from '../shard/rewrite-context.ts';

export function matchesNone(query: Query, context: RewriteContext): boolean {
  switch (query.kind) {
    case 'match_none':
      return true;
    case 'ids':
      return query.values.length === 0;
    case 'terms':
      return query.values.length === 0 || fieldOf(context, query.field) === null;
    case 'term':
    case 'range':
    case 'prefix':
    case 'wildcard':
    case 'fuzzy':
      return fieldOf(context, query.field) === null;
    case 'exists':
      return (
        !query.field.includes('*') && fieldOf(context, query.field) === null && context.mapping.matchFields(`${query.field}.*`).length === 0
      );
    case 'constant_score':
      return matchesNone(query.filter, context);
    case 'boosting':
      return matchesNone(query.positive, context);
    case 'function_score':
      return query.query !== null && matchesNone(query.query, context);
    case 'nested':
      return matchesNone(query.query, context);
    case 'bool': {
      const { must, filter, should, mustNot } = query;
      if ([...must, ...filter].some((one) => matchesNone(one, context))) return true;
      if (context.dialect.excludesAllEarly && mustNot.some(({ kind }) => kind === 'match_all')) return true;
      return must.length + filter.length === 0 && should.length > 0 && should.every((one) => matchesNone(one, context));
    }
    case 'dis_max':
    case 'pinned':
    case 'script_score':
    case 'has_child':
    case 'has_parent':
    case 'knn':
    case 'vector_hits':
      return false;
    default:
      query satisfies LeafQuery;
      return false;
  }
}
