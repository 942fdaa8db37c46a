// What a node does of a search whose other shards are on other nodes: the query phase on its shards, and the hits of these shards that may be on
// the page. The node that asked reduces the parts of all nodes as it reduces its own shards.
import type { AggTree } from '../aggs/index.ts';
import type { MutableJsonObject } from '../common/json/json-value.ts';
import type { ApiError } from '../errors/api-error.ts';
import { allShardsFailedError } from '../errors/search-errors.ts';
import { resultsOfSegments } from './distant-aggregations.ts';
import { groupOf } from './fetch/collapse.ts';
import { fetchPage, pageOf } from './fetch-page.ts';
import { shardProfileJson } from './profile/profile.ts';
import { type QueriedShards, queryShards } from './query-shards.ts';
import type { SearchRequest } from './request/search-request.ts';
import type { DistantSegmentResults } from './run/distant-shards.ts';
import type { SearchEnvironment, SearchTarget } from './run/search-environment.ts';
import type { ShardHit, ShardHits } from './run/shard-hits.ts';
import type { Steps } from './run/steps.ts';

/** A hit with what its node alone can read. */
export interface PartHit extends Omit<ShardHit, 'distant' | 'rescored'> {
  /** The reason if it could not be fetched. */
  readonly fetched: MutableJsonObject | ApiError;
  readonly group: string | number | bigint | null;
}

/** What was found in one shard of a part; its hits are among those of the part. */
export type PartShard =
  | {
      readonly kind: 'found';
      readonly found: Omit<ShardHits, 'hits'>;
      readonly segments: readonly DistantSegmentResults[] | null;
      readonly profile: MutableJsonObject | null;
    }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'failed'; readonly error: ApiError };

export interface PartOfSearch {
  /** In the order of the targets. */
  readonly shards: readonly PartShard[];
  /** The best hits of these shards, in order, up to the end of the page. Their `shard` is the position among these targets. */
  readonly hits: readonly PartHit[];
}

/** @param targets  the shards of the part, in the order of the search */
export function* partSteps(
  targets: readonly SearchTarget[],
  request: SearchRequest,
  aggs: AggTree | null,
  env: SearchEnvironment,
): Steps<PartOfSearch> {
  const queried = yield* queryShards(targets, request, aggs, { ...env, isPart: true });
  const segments = aggs === null ? null : resultsOfSegments(aggs, queried.search, queried.targets);
  const shards = targets.map((_, position) => shardOf(queried, position, segments?.get(position) ?? (aggs && [])));
  return { shards, hits: hitsOf(queried) };
}

function shardOf(
  { search, targets, runs, failures, skippedHere }: QueriedShards,
  position: number,
  segments: readonly DistantSegmentResults[] | null,
): PartShard {
  const { index, shard } = targets[position].shard;
  const failure = failures.find((one) => one.index === index && one.shard === shard);
  if (failure) return { kind: 'failed', error: failure.error };
  if (skippedHere.has(position)) return { kind: 'skipped' };
  const run = runs[position];
  // The time was up before it was searched.
  if (run === null) return { kind: 'found', found: NOT_SEARCHED, segments, profile: null };
  const { hits: _, ...found } = run.found;
  const profile = search.profiles.find((one) => one.index === index && one.shard === shard);
  return { kind: 'found', found, segments, profile: profile && !('json' in profile) ? shardProfileJson(profile, search.env, 0) : null };
}

const NOT_SEARCHED = { total: 0, totalIsLowerBound: false, maxScore: Number.NaN, terminatedEarly: false, timedOut: true };

/** The hits up to the end of the page, fetched. */
function hitsOf({ search, targets, runs }: QueriedShards): PartHit[] {
  const { request, env } = search;
  const { from, size, collapse } = request;
  const upToPage = { ...search, request: { ...request, from: 0, size: size === 0 ? 0 : from + size } };
  const noGroups = (): never => {
    throw new Error('inner hits of collapsed groups are not searched in parts');
  };
  const { wanted, fetch } = pageOf(upToPage, targets, runs, noGroups);
  const { page, hits, failures } = fetchPage(wanted, targets, env, fetch);
  const fetched = new Map(page.map((hit, i) => [hit, hits[i]]));
  const shards = runs.map((run) => run?.at ?? null);
  return wanted.map((hit): PartHit => {
    const { shard, segment, docId, score, sort } = hit;
    const failed = failures.find(
      ({ index, shard: number }) => index === targets[shard].shard.index && number === targets[shard].shard.shard,
    );
    const json = fetched.get(hit) ?? failed?.error ?? allShardsFailedError('fetch', []);
    return { shard, segment, docId, score, sort, fetched: json, group: collapse ? groupOf(hit, shards, collapse) : null };
  });
}
