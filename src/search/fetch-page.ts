// The page of a search: its best hits over all shards, fetched.
import type { JsonObject } from '../common/json/json-value.ts';
import { present } from '../common/present.ts';
import { ApiError } from '../errors/api-error.ts';
import { allShardsFailedError, type ShardFailure } from '../errors/search-errors.ts';
import { collapseHits, collapsePart, type GroupSearch } from './fetch/collapse.ts';
import { fetchParts } from './fetch/fetch-parts.ts';
import { fetchHits } from './fetch/fetch-phase.ts';
import type { FetchPart } from './fetch/fetch-target.ts';
import { innerHitsOf, innerHitsPart } from './fetch/inner-hits.ts';
import type { ResolvedSort } from './run/resolved-sort.ts';
import type { SearchEnvironment, SearchTarget } from './run/search-environment.ts';
import { hitComparator, mergeHits, type ShardHit } from './run/shard-hits.ts';
import { contextOf } from './shard/rewrite-context.ts';
import { type ShardedSearch, type ShardRun, windowOf } from './shard-search.ts';

/** Hits as JSON. */
export type FetchPage = (hits: readonly ShardHit[]) => readonly JsonObject[];

/** The hits of the page, and what fetches them. @param searchGroup  searches the hits of a collapsed group */
export function pageOf(
  { request, env, control }: ShardedSearch,
  targets: readonly SearchTarget[],
  runs: ReadonlyArray<ShardRun | null>,
  searchGroup: GroupSearch,
): { readonly wanted: ShardHit[]; readonly fetch: FetchPage } {
  const sorts = runs.map((run) => run?.at.prepared.shardQuery.sort ?? []);
  const shards = runs.map((run) => run?.at ?? null);
  const compare = hitComparator(sorts.find((sort) => sort.length > 0) ?? []);
  let hits: ShardHit[] = [];
  for (const run of runs) if (run) hits = mergeHits(hits, run.found.hits, compare, windowOf(request));
  const extra: FetchPart[] = [];
  const { collapse } = request;
  if (collapse) {
    const found = hits;
    hits = asShard('query', targets, env, () => collapseHits(found, shards, collapse));
    extra.push(collapsePart(request, collapse, searchGroup));
  }
  const inner = innerHitsOf(request);
  if (inner.length > 0) extra.push(innerHitsPart(inner, targets, { ...env, ...control }));
  const parts = [...fetchParts(request, { ...control, nodeId: env.nodeId, contextOf: (shard) => contextOf(shard, env) }), ...extra];
  const sortOf = (hit: ShardHit): readonly ResolvedSort[] => sorts[hit.shard];
  return {
    wanted: hits.slice(request.from, request.from + request.size),
    fetch: (some) => fetchHits(some, shards, request, sortOf, parts, control),
  };
}

export interface FetchedPage {
  readonly page: ShardHit[];
  /** Parallel to the page. */
  readonly hits: readonly JsonObject[];
  readonly failures: readonly ShardFailure[];
}

/** Fetches a page without the hits of the shards for which that fails because of the request. */
export function fetchPage(wanted: ShardHit[], targets: readonly SearchTarget[], env: SearchEnvironment, fetch: FetchPage): FetchedPage {
  if (!wanted.some(({ distant }) => distant !== undefined)) return fetchOwn(wanted, targets, env, fetch);
  const own = wanted.filter(({ distant }) => distant === undefined);
  const { page, hits, failures } = fetchOwn(own, targets, env, fetch);
  const fetched = new Map<ShardHit, JsonObject>(page.map((hit, i) => [hit, hits[i]]));
  const failed = new Map<number, ApiError>();
  for (const hit of wanted) {
    if (hit.distant?.fetched instanceof ApiError) failed.set(hit.shard, hit.distant.fetched);
    else if (hit.distant) fetched.set(hit, hit.distant.fetched);
  }
  const distant = [...failed].map(([position, error]) => {
    const { shard, index } = targets[position].shard;
    return { shard, index, node: null, error };
  });
  return { ...keptOf(wanted, fetched), failures: [...failures, ...distant] };
}

function keptOf(wanted: readonly ShardHit[], fetched: ReadonlyMap<ShardHit, JsonObject>): Omit<FetchedPage, 'failures'> {
  const page = wanted.filter((hit) => fetched.has(hit));
  return { page, hits: page.map((hit) => present(fetched.get(hit))) };
}

/** As `fetchPage`, for hits of this node. */
function fetchOwn(page: ShardHit[], targets: readonly SearchTarget[], { nodeId }: SearchEnvironment, fetch: FetchPage): FetchedPage {
  try {
    return { page, hits: fetch(page), failures: [] };
  } catch (error) {
    if (!isOfRequest(error)) throw error;
  }
  const failures: ShardFailure[] = [];
  const fetched = new Map<ShardHit, JsonObject>();
  for (const position of new Set(page.map(({ shard }) => shard))) {
    const own = page.filter(({ shard }) => shard === position);
    try {
      fetch(own).forEach((json, i) => {
        fetched.set(own[i], json);
      });
    } catch (error) {
      if (!isOfRequest(error)) throw error;
      const { shard, index } = targets[position].shard;
      failures.push({ shard, index, node: nodeId, error });
    }
  }
  return { ...keptOf(page, fetched), failures };
}

function isOfRequest(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status < 500;
}

/** Reports errors that a request causes after its shards were searched as failures of the shards. */
export function asShard<T>(phase: 'query' | 'fetch', targets: readonly SearchTarget[], { nodeId }: SearchEnvironment, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isOfRequest(error)) throw error;
    throw allShardsFailedError(phase, [{ shard: 0, index: targets[0].shard.index, node: nodeId, error }]);
  }
}
