// The query phase of a search on all of its shards: those of this node one after the other, those of other nodes at the same time.
import type { AggTree } from '../aggs/index.ts';
import type { JsonObject } from '../common/json/json-value.ts';
import { TimeUp } from '../common/turns/turn.ts';
import { ApiError } from '../errors/api-error.ts';
import type { ShardFailure } from '../errors/search-errors.ts';
import { makeCounters, type StopCheck } from '../plan/query-plan.ts';
import type { SearchRequest } from './request/search-request.ts';
import { DEFAULT_PRE_FILTER_SHARDS, skippedShards } from './run/can-match.ts';
import type { DistantOutcome, DistantSegmentResults } from './run/distant-shards.ts';
import { FetchBudget } from './run/fetch-budget.ts';
import type { RunControl } from './run/run-control.ts';
import type { SearchEnvironment, SearchTarget } from './run/search-environment.ts';
import type { Steps } from './run/steps.ts';
import { type VectorPhase, withVectorHits } from './run/vector-phase.ts';
import { contextOf } from './shard/rewrite-context.ts';
import { GlobalStatistics, type ShardStatistics } from './shard/statistics.ts';
import { beginSearch, prepareShard, type ShardedSearch, type ShardRun, searchShard } from './shard-search.ts';

/** A search after its query phase. */
export interface QueriedShards {
  readonly search: ShardedSearch;
  /** With the mappings of the request. */
  readonly targets: readonly SearchTarget[];
  /** Parallel to the targets, as are the runs. */
  readonly statistics: readonly ShardStatistics[];
  /** null for shards without a result. */
  readonly runs: ReadonlyArray<ShardRun | null>;
  readonly failures: ShardFailure[];
  /** Number of shards that cannot have a match. */
  readonly skipped: number;
  /** Results of the aggregations in shards of other nodes, by position. */
  readonly distantAggs: ReadonlyMap<number, readonly DistantSegmentResults[]>;
  /** Positions of those of this node. */
  readonly skippedHere: ReadonlySet<number>;
}

/** Of a part of a search: all of its shards are here, but not all of the search. */
const NONE_DISTANT = { has: () => false };

const NO_RESULTS: QueriedShards['distantAggs'] = new Map();

/** Searches within the search are neither shared nor spread over nodes. A copy takes a microsecond, so that none is made without need. */
function environmentWithin(environment: SearchEnvironment, { size }: SearchRequest): SearchEnvironment {
  const { sharing, distant, requestSize } = environment;
  if (sharing === undefined && distant === undefined && requestSize === size) return environment;
  return { ...environment, requestSize: size, sharing: undefined, distant: undefined };
}

/** @param searched  the shards, by their position in the search */
export function* queryShards(
  searched: readonly SearchTarget[],
  given: SearchRequest,
  aggs: AggTree | null,
  environment: SearchEnvironment,
): Steps<QueriedShards> {
  const env = environmentWithin(environment, given);
  const targets = given.runtimeMappings ? withRuntimeMappings(searched, given.runtimeMappings) : searched;
  const statistics = targets.map(({ shard }) => env.caches.of(shard));
  const failures: ShardFailure[] = [];
  const request = yield* resolveRequest(given, aggs, { targets, statistics, env, failures });
  const global = env.dfs ? new GlobalStatistics(statistics) : null;
  const control: RunControl = {
    stop: stopCheckOf(request, env),
    counters: makeCounters(),
    fetched: env.fetched ?? new FetchBudget(),
    fetchMs: env.onPhase ? new Float64Array(targets.length) : undefined,
    lookups: env.lookups,
  };
  const { sharing = null, distant = null, isPart = false } = environment;
  const search = beginSearch(request, aggs, env, control, sharing);
  const contexts = targets.map(({ shard }) => contextOf(shard, env));
  const segments = targets.map(({ shard }) => shard.segments);
  const skipped = skippedShards(
    request,
    aggs,
    contexts,
    segments,
    env.preFilterShards ?? DEFAULT_PRE_FILTER_SHARDS,
    isPart ? NONE_DISTANT : distant,
  );
  const runs: (ShardRun | null)[] = targets.map(() => null);
  const searching = distant?.search();
  for (let position = 0; position < targets.length; position++) {
    if (skipped.has(position) || distant?.has(position) || failures.some((failure) => isOf(targets[position], failure))) continue;
    const target = targets[position];
    try {
      const begun = env.onPhase ? performance.now() : 0;
      const run = yield* searchShard(search, target, position, statistics[position], global);
      runs[position] = run;
      env.onPhase?.('query', target.shard, performance.now() - begun, run.found);
    } catch (error) {
      if (error instanceof TimeUp) {
        search.isTimeUp = true;
        break;
      }
      if (!(error instanceof ApiError)) throw error;
      failures.push({ shard: target.shard.shard, index: target.shard.index, node: env.nodeId, error });
    }
  }
  if (searching === undefined)
    return { search, targets, statistics, runs, failures, distantAggs: NO_RESULTS, skippedHere: skipped, skipped: skipped.size };
  const distantAggs = new Map<number, readonly DistantSegmentResults[]>();
  const queried = { search, targets, statistics, runs, failures, distantAggs, skippedHere: skipped };
  let outcomes: readonly DistantOutcome[] = [];
  yield searching.then((found) => {
    outcomes = found;
  });
  return { ...queried, skipped: skipped.size + addDistant({ ...queried, skipped: skipped.size }, outcomes) };
}

interface Adding extends QueriedShards {
  readonly runs: (ShardRun | null)[];
  readonly distantAggs: Map<number, readonly DistantSegmentResults[]>;
}

/** Adds what other nodes have found. @returns the number of their skipped shards */
function addDistant(into: Adding, outcomes: readonly DistantOutcome[]): number {
  const { search, targets, statistics, runs, failures, distantAggs } = into;
  let skipped = 0;
  for (const outcome of outcomes) {
    const { position } = outcome;
    const { index, shard } = targets[position].shard;
    if (outcome.kind === 'skipped') skipped++;
    else if (outcome.kind === 'failed') failures.push({ shard, index, node: outcome.node, error: outcome.error });
    else {
      runs[position] = { at: prepareShard(search, targets[position], statistics[position], statistics[position]), found: outcome.found };
      if (outcome.segments) distantAggs.set(position, outcome.segments);
      if (outcome.profile) search.profiles.push({ index, shard, json: outcome.profile });
    }
  }
  const order = new Map(targets.map(({ shard }, position) => [`${shard.index}/${shard.shard}`, position]));
  const positionOf = ({ index, shard }: { readonly index: string | null; readonly shard: number }) => order.get(`${index}/${shard}`) ?? 0;
  failures.sort((a, b) => positionOf(a) - positionOf(b));
  search.profiles.sort((a, b) => positionOf(a) - positionOf(b));
  // At least one shard is always searched.
  return into.skipped + skipped === targets.length && skipped > 0 ? skipped - 1 : skipped;
}

/** The request with a query that has the hits of its vector searches. @param at.failures  receives the shards that fail */
function* resolveRequest(given: SearchRequest, aggs: AggTree | null, at: VectorPhase): Steps<SearchRequest> {
  if (given.suggest.length > 0 && given.query === null && given.knn.length === 0 && aggs === null) return withoutHits(given);
  return given.knn.length === 0 ? given : yield* withVectorHits(given, at);
}

function isOf({ shard }: SearchTarget, failure: ShardFailure): boolean {
  return shard.index === failure.index && shard.shard === failure.shard;
}

function stopCheckOf({ timeoutMs }: SearchRequest, env: SearchEnvironment): StopCheck {
  const deadline = timeoutMs === null ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs;
  return () => performance.now() >= deadline || env.stop();
}

/** The targets with the runtime fields of the request added to their mappings. @throws ApiError mapper_parsing_exception */
export function withRuntimeMappings(targets: readonly SearchTarget[], runtime: JsonObject): SearchTarget[] {
  return targets.map(({ shard, aliasFilter }) => ({ aliasFilter, shard: { ...shard, mapping: shard.mapping.withRuntime(runtime) } }));
}

/** Makes a request that asks only for suggestions match no documents. */
function withoutHits(request: SearchRequest): SearchRequest {
  return { ...request, query: { kind: 'match_none', boost: 1, name: null }, size: 0, sort: [] };
}
