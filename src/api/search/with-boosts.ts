// `indices_boost` by concrete names.
import { resolveIndices, SEARCH_OPTIONS } from '../../metadata/resolve.ts';
import type { SearchRequest } from '../../search/request/search-request.ts';
import type { EngineContext } from '../core/context.ts';
import type { SearchIndices } from './search-call.ts';

/**
 * The request with `indices_boost` by concrete names. The first entry that matches an index applies. @throws ApiError
 * index_not_found_exception
 */
export function withBoosts(ctx: EngineContext, request: SearchRequest, { options }: SearchIndices): SearchRequest {
  if (request.indicesBoost.length === 0) return request;
  const boosts = new Map<string, number>();
  for (const { index, boost } of request.indicesBoost) {
    for (const { meta } of resolveIndices(ctx.cluster, [index], { ...SEARCH_OPTIONS, ...options }))
      if (!boosts.has(meta.name)) boosts.set(meta.name, boost);
  }
  return { ...request, indicesBoost: [...boosts].map(([index, boost]) => ({ index, boost })) };
}
