// Resolves the indices of a search to shards and acquires their snapshots.

import type { JsonObject } from '../../common/json/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import { HeldElsewhere } from '../../errors/held-elsewhere.ts';
import type { ShardFailure } from '../../errors/search-errors.ts';
import type { ResolvedIndex } from '../../metadata/resolve.ts';
import { parseQuery } from '../../query/parse-query.ts';
import { makeBoolQuery, type Query } from '../../query/query.ts';
import type { SearchTarget } from '../../search/run/search-environment.ts';
import type { EngineContext } from '../core/context.ts';
import type { IndexState, ShardSnapshot } from '../core/index-state.ts';
import { shardOf } from '../core/search-shard.ts';
import { preferredShards } from './preference.ts';

/** Shards of a search. `release` must be called when the search ends. */
export interface AcquiredTargets {
  readonly targets: readonly SearchTarget[];
  /** Parallel to `targets`, as are the alias filters. */
  readonly snapshots: readonly ShardSnapshot[];
  readonly filters: ReadonlyArray<readonly JsonObject[] | null>;
  /** Shards that cannot be searched because they are damaged or not open yet. */
  readonly unavailable: readonly ShardFailure[];
  release(): void;
}

/** A numeric index setting. */
export function indexSetting(ctx: EngineContext, index: string, name: string, fallback: number): number {
  const value = ctx.cluster.indices[index]?.settings[name];
  return value === undefined ? fallback : Number(value);
}

export function maxBucketsOf(ctx: EngineContext): number {
  const { transient, persistent } = ctx.cluster.settings;
  const value = transient['search.max_buckets'] ?? persistent['search.max_buckets'];
  return value === undefined ? ctx.dialect.maxBuckets : Number(value);
}

/** Documents in the shards, deleted ones included. */
export function documentsOf(targets: readonly SearchTarget[]): number {
  let docs = 0;
  for (const { shard } of targets) for (const { maxDoc } of shard.segments) docs += maxDoc;
  return docs;
}

/** Parameters that select shards. */
export interface ShardChoice {
  /** Comma-separated values; absent for all shards. */
  readonly routing?: string;
  readonly preference?: string;
}

/**
 * Takes the current snapshots of the shards that a search visits.
 * @throws ApiError index_closed_exception, illegal_argument_exception
 */
export function acquireTargets(ctx: EngineContext, indices: readonly ResolvedIndex[], choice: ShardChoice): AcquiredTargets {
  const routing = choice.routing ?? null;
  const preferred = preferredShards(ctx, choice.preference);
  const snapshots: ShardSnapshot[] = [];
  const targets: SearchTarget[] = [];
  const filters: Array<readonly JsonObject[] | null> = [];
  const unavailable: ShardFailure[] = [];
  const release = () => {
    for (const snapshot of snapshots) snapshot.release();
  };
  try {
    const visited = visitedShards(ctx, indices, routing);
    ctx.requireTogether(openStatesOf(visited));
    for (const { state, shard, own } of visited) {
      if (preferred && !preferred.has(shard)) continue;
      const snapshot = acquireOrNull(ctx, state, shard);
      if (snapshot === null) {
        unavailable.push(unavailableShard(state.meta.name, shard));
        continue;
      }
      snapshots.push(snapshot);
      filters.push(own);
      targets.push(targetOf(ctx, snapshot, own));
    }
  } catch (error) {
    release();
    throw error;
  }
  return { targets, snapshots, filters, unavailable, release };
}

export interface VisitedShard {
  readonly state: IndexState;
  readonly shard: number;
  /** Alias filters of the index; null for none. */
  readonly own: readonly JsonObject[] | null;
}

/** By the number of the shard, then by the name of the index: the order of hits that are equal otherwise. */
export function visitedShards(ctx: EngineContext, indices: readonly ResolvedIndex[], routing: string | null): VisitedShard[] {
  const visited: VisitedShard[] = [];
  for (const resolved of indices) {
    const state = ctx.index(resolved.meta.name);
    if (!state) continue;
    const own = resolved.filters && resolved.filters.length > 0 ? resolved.filters : null;
    for (const shard of shardsOf(state, resolved, routing)) visited.push({ state, shard, own });
  }
  return visited.sort((a, b) => a.shard - b.shard || compareNames(a.state.meta.name, b.state.meta.name));
}

/** The open indices; closed ones are refused when they are acquired. */
function openStatesOf(visited: readonly VisitedShard[]): IndexState[] {
  return visited.flatMap(({ state }) => (state.meta.state === 'open' ? [state] : []));
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const NO_SHARD = 'no_shard_available_action_exception';

/** null if the shard is not available. @throws ApiError index_closed_exception */
export function acquireOrNull(ctx: EngineContext, state: IndexState, shard: number): ShardSnapshot | null {
  try {
    return ctx.acquire(state, shard);
  } catch (error) {
    if (error instanceof ApiError && error.type === NO_SHARD && !(error instanceof HeldElsewhere)) return null;
    throw error;
  }
}

export function unavailableShard(index: string, shard: number): ShardFailure {
  return { shard, index, node: null, error: new ApiError(NO_SHARD, 503, null) };
}

/** @param filters  alias filters, one of which a document must match; null for no filter */
export function targetOf(ctx: EngineContext, snapshot: ShardSnapshot, filters: readonly JsonObject[] | null): SearchTarget {
  return { shard: shardOf(ctx, snapshot), aliasFilter: filters && aliasFilterOf(filters) };
}

const ONLY_SHARD: readonly number[] = [0];

function shardsOf(state: IndexState, resolved: ResolvedIndex, routing: string | null): readonly number[] {
  if (routing === null && resolved.routings === null && state.numberOfShards === 1) return ONLY_SHARD;
  const requested = routing === null ? null : routing.split(',').filter((part) => part !== '');
  const ofAliases = resolved.routings;
  const routings = requested && ofAliases ? requested.filter((part) => ofAliases.includes(part)) : (requested ?? ofAliases);
  const all = Array.from({ length: state.numberOfShards }, (_, shard) => shard);
  if (!routings || routings.length === 0) return all;
  const visited = new Set(routings.flatMap((part) => state.routing.shardsOf(part)));
  return all.filter((shard) => visited.has(shard));
}

const filterCache = new WeakMap<object, Query>();

/** A query that matches if one of the filters does. */
function aliasFilterOf(filters: readonly JsonObject[]): Query {
  const parsed = filters.map((filter: JsonObject) => {
    let query = filterCache.get(filter);
    if (!query) filterCache.set(filter, (query = parseQuery(filter)));
    return query;
  });
  if (parsed.length === 1) return parsed[0];
  return makeBoolQuery({ should: parsed, minimumShouldMatch: '1' });
}
