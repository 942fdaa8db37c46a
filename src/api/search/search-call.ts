// A search as specified by the caller: indices, parameters and body.

import type { Mobility } from '../../common/turns/turn.ts';
import { IndicesApart } from '../../errors/indices-apart.ts';
import { type IndicesOptions, type ResolvedIndex, resolveIndices, SEARCH_OPTIONS } from '../../metadata/resolve.ts';
import type { EngineContext } from '../core/context.ts';
import { checkReadable } from '../core/index-blocks.ts';
import type { SearchParameters } from '../core/search-parameters.ts';
import type { AskHelpers } from './share-search.ts';

/** Indices to search. */
export interface SearchIndices {
  /** Names and patterns; empty for all indices. */
  readonly expressions: readonly string[];
  readonly options?: Partial<IndicesOptions>;
}

export interface SearchCall {
  readonly indices: SearchIndices;
  readonly parameters: SearchParameters;
  /** UTF-8 JSON; null without a body. */
  readonly body: Uint8Array | string | null;
  /** Other than STAYS if the caller repeats the request in a lane when it fails with TooHeavy. */
  readonly mobility?: Mobility;
  /** Whether the shards may be searched where they are although one other node has all of them. */
  readonly anywhere?: boolean;
  /** Reads the X-Opaque-Id of the request, for the slow log. */
  readonly opaqueId?: () => string | undefined;
  /** Threads that may search some of its segments; absent or null if none may. */
  readonly askHelpers?: AskHelpers | null;
}

const decoder = new TextDecoder();

/** The body as JSON text; empty without a body. */
export function bodyText(body: SearchCall['body']): string {
  return body === null ? '' : typeof body === 'string' ? body : decoder.decode(body);
}

/**
 * Checks that this node can carry out searches of these indices, before they begin in the background.
 * @param isSpread  whether they may be searched on several nodes @throws ApiError as `requireTogether` and `resolveSearch`
 */
export function requireSearchable(ctx: EngineContext, indices: SearchIndices, isSpread: boolean): void {
  try {
    ctx.requireTogether(resolveSearch(ctx, indices).flatMap(({ meta }) => ctx.index(meta.name) ?? []));
  } catch (error) {
    if (!(isSpread && error instanceof IndicesApart)) throw error;
  }
}

/** @throws ApiError index_not_found_exception, index_closed_exception, cluster_block_exception */
export function resolveSearch(ctx: EngineContext, { expressions, options }: SearchIndices): ResolvedIndex[] {
  const resolved = resolveIndices(ctx.cluster, expressions, options ? { ...SEARCH_OPTIONS, ...options } : SEARCH_OPTIONS);
  for (const { meta } of resolved) checkReadable(meta);
  return resolved;
}
