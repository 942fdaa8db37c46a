// What a search over several nodes cannot do, because it needs the shards of all nodes in one place.
import { illegalArgumentError } from '../../../errors/catalog.ts';
import type { SearchRequest } from '../../../search/request/search-request.ts';
import type { SearchParameters } from '../../core/search-parameters.ts';

/** @throws ApiError illegal_argument_exception: names what the indices must be on one node for */
export function requireParts(request: SearchRequest, { isDfs }: SearchParameters): void {
  const refused = [
    [request.suggest.length > 0, 'suggest'],
    [request.knn.length > 0, 'knn'],
    [request.rank !== null, 'rank'],
    [isDfs === true, 'search_type=dfs_query_then_fetch'],
    [(request.collapse?.innerHits.length ?? 0) > 0, 'inner_hits of collapse'],
  ] as const;
  const what = refused.find(([isUsed]) => isUsed)?.[1];
  if (what !== undefined)
    throw illegalArgumentError(
      `[${what}] is not supported over indices of several nodes: request the indices one by one, or raise [index.number_of_replicas]`,
    );
}
