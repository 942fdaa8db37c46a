// `_search`: parses the body, responds from the cache or runs the search. scroll.ts handles scrolls and points in time.
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { activeSpan } from '../../common/tracing/span.ts';
import { ApiError } from '../../errors/api-error.ts';
import { validationFailedError } from '../../errors/catalog.ts';
import { mentionsNow } from '../../query/uncacheable.ts';
import { checkOptions } from '../../search/request/check-options.ts';
import type { SearchRequest } from '../../search/request/search-request.ts';
import type { PendingLookup } from '../../search/run/pending-lookup.ts';
import type { SearchTarget } from '../../search/run/search-environment.ts';
import type { EngineContext } from '../core/context.ts';
import { withParameters } from './apply-parameters.ts';
import { searchPointInTime, startScroll } from './contexts/scroll.ts';
import { fetchLookups } from './lookup-fields.ts';
import { runSearch } from './run-search.ts';
import { acquireSpread } from './scatter/acquire-spread.ts';
import { distantSearch } from './scatter/distant-search.ts';
import { requireParts } from './scatter/refuse-parts.ts';
import { isCacheable, parseSearchBody } from './search-body.ts';
import { bodyText, resolveSearch, type SearchCall } from './search-call.ts';
import { searchJson } from './search-response.ts';
import { hasLookups, resolveLookups } from './terms-lookup.ts';
import { withBoosts } from './with-boosts.ts';

/** 200 body of `_search`. @throws ApiError as Elasticsearch refuses the request, or with the failures of all shards */
export async function search(ctx: EngineContext, call: SearchCall): Promise<MutableJsonObject> {
  const started = performance.now();
  const nowMs = Date.now();
  const { parameters, mobility } = call;
  const { answers, recentBodies } = ctx.searchCaches;
  const text = bodyText(call.body);
  // Hits alone are cached from the second request on: most bodies are sent once, and an entry that is never read costs garbage collection.
  const useCache = recentBodies.seen(text) || text.includes('agg') || parameters.requestCache === true;
  const parsed = parseSearchBody(ctx, text, useCache);
  const request = withParameters(parsed.request, parameters);
  checkOptions(request, ctx.dialect);
  activeSpan()?.phase('parse', started, performance.now());
  if (parameters.scrollMs !== undefined) return startScroll(ctx, call, parameters.scrollMs);
  if (request.pit) {
    if (call.indices.expressions.length > 0) throw validationFailedError(['[indices] cannot be used with point in time']);
    return searchPointInTime(ctx, call, { ...parsed, request }, request.pit);
  }
  if (request.slice) {
    if (ctx.dialect.validatesSearchesWhole)
      throw validationFailedError(['[slice] can only be used with [scroll] or [point-in-time] requests']);
    throw new ApiError('search_exception', 400, '`slice` cannot be used outside of a scroll context or PIT context');
  }
  const resolved = hasLookups(parsed) ? await resolveLookups(ctx, { ...parsed, request }) : { request, aggs: parsed.aggs };
  const boosted = withBoosts(ctx, resolved.request, call.indices);
  const acquiring = acquireSpread(ctx, resolveSearch(ctx, call.indices), parameters, call.anywhere);
  const acquired = acquiring instanceof Promise ? await acquiring : acquiring;
  try {
    const { targets, unavailable } = acquired;
    const distant = distantSearch(ctx, call, acquired, text, nowMs);
    if (distant) requireParts(boosted, parameters);
    const isWhole = useCache && unavailable.length === 0 && !distant;
    const key = isWhole && isCacheable(text, parsed) && !request.profile ? answerKey(ctx, call, text, targets) : null;
    const cached = key === null ? null : answers.get(key, Math.floor(performance.now() - started));
    if (key !== null && isCachedByServers(boosted, parameters)) {
      const amounts = cached ? { queries: 1, cacheHits: 1 } : { cacheMisses: 1 };
      for (const { shard } of targets) ctx.reads(shard.uuid, shard.shard)?.add(amounts);
    }
    if (cached) return cached;
    const { aggs } = resolved;
    const lookups: PendingLookup[] = [];
    const run = {
      targets,
      unavailable,
      request: boosted,
      aggs,
      parameters,
      nowMs,
      mobility,
      source: text,
      opaqueId: call.opaqueId,
      lookups,
      distant,
      askHelpers: hasLookups(parsed) || distant ? null : call.askHelpers,
    };
    const outcome = await runSearch(ctx, run);
    await fetchLookups(ctx, lookups);
    const json = searchJson(outcome, parameters, ctx.dialect, started);
    // Answers with lookups depend on other indices, too.
    if (key !== null && lookups.length === 0 && !outcome.timedOut && outcome.failures.length === 0) answers.put(key, json);
    return json;
  } finally {
    acquired.release();
  }
}

/** Whether the request cache of Elasticsearch keeps such responses; those with hits, which are cached here as well, are not in its statistics. */
function isCachedByServers({ size }: SearchRequest, { requestCache }: SearchCall['parameters']): boolean {
  return requestCache ?? size === 0;
}

/** Key of the cached response: everything that it depends on. null if it depends on more or must not be cached. */
function answerKey(ctx: EngineContext, { parameters }: SearchCall, text: string, targets: readonly SearchTarget[]): string | null {
  if (parameters.requestCache === false || (parameters.query && mentionsNow(parameters.query.q))) return null;
  let key = `${ctx.cluster.version}`;
  for (const { shard, aliasFilter } of targets) {
    // Filters of aliases may contain dates relative to now.
    if (aliasFilter !== null) return null;
    const enabled = ctx.cluster.indices[shard.index]?.settings['index.requests.cache.enable'];
    if (enabled === 'false' && parameters.requestCache !== true) return null;
    key += ` ${shard.uuid}/${shard.shard}@${shard.generation}`;
    if (shard.hidden) key += ` without ${shard.hidden.key}`;
  }
  return `${key} ${JSON.stringify(parameters)} ${text}`;
}
