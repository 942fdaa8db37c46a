// How often the plan of a query contains the plans of its parts: a boosting query contains that of `positive` twice, so nested ones would double the plan
// at each level.
import type { IndexQuery } from '../index-query/index-query.ts';

/** A `positive` that occurs more often in its own plan is computed before it is planned. */
export const MAX_COPIES = 4;

/** The most copies of a part in the scored plan of `query`. */
export function copiesOf(query: IndexQuery): number {
  switch (query.op) {
    case 'boosting': {
      const copies = copiesOf(query.positive);
      return copies > MAX_COPIES ? 2 : 2 * copies;
    }
    case 'bool':
      return Math.max(mostCopies(query.must), mostCopies(query.should));
    case 'disMax':
      return mostCopies(query.queries);
    case 'boost':
    case 'named':
    case 'nested':
      return copiesOf(query.query);
    default:
      return 1;
  }
}

function mostCopies(queries: readonly IndexQuery[]): number {
  return queries.reduce((most, query) => Math.max(most, copiesOf(query)), 1);
}
