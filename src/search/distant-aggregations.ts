// Aggregations of a search over several nodes: the results of segments go to the node that reduces them, with what a reduction of these results alone
// reads of the segments. If the reduction of all results reads more, that is asked for, and the reduction is repeated.
import { type AggTree, type Bindings, distantPartial, reduceAggregations, resultsOf, type SegmentPartial } from '../aggs/index.ts';
import { distantScope, type SegmentFacts } from '../aggs/reduce/distant-segment.ts';
import {
  KnownReads,
  type ReadHits,
  type ReadKind,
  type ReadResults,
  RecordedReads,
  readSegment,
  specsOf,
} from '../aggs/reduce/segment-reads.ts';
import type { AggSpec, SegmentScope, TopHitsHook } from '../aggs/types.ts';
import type { MutableJsonObject } from '../common/json/json-value.ts';
import { present } from '../common/present.ts';
import { TimeUp, TooHeavy } from '../common/turns/turn.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import { circuitBreakingError } from '../errors/search-errors.ts';
import { makeCounters } from '../plan/query-plan.ts';
import { bestHits, type TopHitsEnvironment } from './fetch/top-hits.ts';
import { withRuntimeMappings } from './query-shards.ts';
import type { SearchRequest } from './request/search-request.ts';
import type { DistantReads, DistantSegmentResults, DistantShards } from './run/distant-shards.ts';
import { FetchBudget } from './run/fetch-budget.ts';
import type { SearchEnvironment, SearchTarget } from './run/search-environment.ts';
import type { Steps } from './run/steps.ts';
import { beginSearch, makeCollector, prepareShard, type ShardedSearch } from './shard-search.ts';

/** Most values that a node sends along with its results. */
const MAX_READS = 2_000_000;
/** Each round reads what depends on what the one before has read. */
const MAX_ROUNDS = 50;

/** Reduces results. @param bindings  of the shards, in their order @throws ApiError */
export type ReduceTree = (partials: readonly SegmentPartial[], bindings: readonly Bindings[]) => MutableJsonObject;

/** The results of the segments of this node, by position of the shard. @throws ApiError circuit_breaking_exception: they are too large */
export function resultsOfSegments(
  tree: AggTree,
  { partials, bindings, env, control }: ShardedSearch,
  targets: readonly SearchTarget[],
): Map<number, DistantSegmentResults[]> {
  const specs = specsOf(tree);
  const readHits = hitsReader(targets, { ...env, ...control, lookups: undefined });
  let left = MAX_READS;
  const count = () => {
    if (--left < 0) throw circuitBreakingError('aggregations', 0, MAX_READS);
  };
  const found = new Map<number, DistantSegmentResults[]>();
  const recorded = partials.map((partial): SegmentPartial => {
    const { shard } = partial.segment;
    const facts = factsOf(partial.segment, found.get(shard)?.length ?? 0);
    const reads = new RecordedReads(partial.segment, partial.bindings, specs, readHits, count);
    found.set(shard, [...(found.get(shard) ?? []), { facts, results: resultsOf(tree, partial), reads: reads.table }]);
    return { ...partial, segment: distantScope(facts, reads, shard, specs) };
  });
  const recordHits: TopHitsHook = (body, groups, nestedPath) => {
    for (const { segment, docs, scores } of groups) segment.distantHits?.(body, docs, scores, nestedPath);
    return { hits: { total: 0, max_score: null, hits: [] } };
  };
  const { dialect, nowMs } = env;
  try {
    reduceAggregations(tree, recorded, {
      maxBuckets: Number.POSITIVE_INFINITY,
      dialect,
      nowMs,
      bindings: [...bindings.values()],
      topHits: recordHits,
    });
  } catch (error) {
    // What fails here fails with all results, too, unless these are more.
    if (!(error instanceof ApiError) || left < 0) throw error;
  }
  return found;
}

/** Reads hits of segments of these shards. */
function hitsReader(targets: readonly SearchTarget[], env: TopHitsEnvironment): ReadHits {
  return (scope, { docs, scores, top }) =>
    bestHits(present(top), { segment: scope, docs: present(docs), scores: scores ?? new Float32Array(0) }, targets, env);
}

function factsOf({ segment, planFilters }: SegmentScope, number: number): SegmentFacts {
  const { maxDoc, numDocs, numRootDocs } = segment;
  return { maxDoc, numDocs, numRootDocs, isFiltered: planFilters() !== null, number };
}

interface KnownSegment extends DistantSegmentResults {
  readonly position: number;
  readonly number: number;
  readonly known: KnownReads;
}

/** Reduces the results of this node with those of others. @param results  of others, by position of the shard */
export function* reduceDistant(
  tree: AggTree,
  search: ShardedSearch,
  targets: readonly SearchTarget[],
  results: ReadonlyMap<number, readonly DistantSegmentResults[]>,
  distant: DistantShards,
  reduce: ReduceTree,
): Steps<MutableJsonObject> {
  const specs = specsOf(tree);
  const segments = [...results].flatMap(([position, own]) =>
    own.map((one, number): KnownSegment => ({ ...one, position, number, known: new KnownReads(one.reads) })),
  );
  for (let round = 0; round < MAX_ROUNDS; round++) {
    // Made anew in each round: types keep what they have read with segments and bindings.
    const outcome = attempt(() => reduceOnce(tree, specs, search, targets, [...results.keys()], segments, reduce));
    const wanted = segments.flatMap(({ position, number, known }): DistantReads[] => {
      const reads = known.takeMissed();
      return reads.length === 0 ? [] : [{ position, segment: number, reads }];
    });
    if (wanted.length === 0) {
      if ('error' in outcome) throw outcome.error;
      return outcome.json;
    }
    let answers: Awaited<ReturnType<DistantShards['read']>> = [];
    yield distant.read(wanted).then((found) => {
      answers = found;
    });
    for (const [i, { position, segment, reads }] of wanted.entries()) {
      const known = segments.find((one) => one.position === position && one.number === segment)?.known;
      for (const [r, read] of reads.entries()) known?.add(read, answers[i][r]);
    }
  }
  throw illegalArgumentError('the aggregations of the request depend on each other in too many steps for indices of several nodes');
}

/** What fails after a value was missed may have failed for that reason. */
function attempt(run: () => MutableJsonObject): { readonly json: MutableJsonObject } | { readonly error: unknown } {
  try {
    return { json: run() };
  } catch (error) {
    if (error instanceof TimeUp || error instanceof TooHeavy) throw error;
    return { error };
  }
}

function reduceOnce(
  tree: AggTree,
  specs: readonly AggSpec[],
  { partials, bindings, env }: ShardedSearch,
  targets: readonly SearchTarget[],
  positions: readonly number[],
  segments: readonly KnownSegment[],
  reduce: ReduceTree,
): MutableJsonObject {
  const allPartials = [...partials];
  const allBindings = new Map(bindings);
  for (const position of positions) {
    const collector = makeCollector(tree, { ...targets[position].shard, record: noRecord }, position, env);
    if (!collector.isShareable) throw unsupportedError('script');
    allBindings.set(position, collector.bindings);
    for (const { facts, results, known, position: own } of segments)
      if (own === position)
        allPartials.push(distantPartial(tree, collector.bindings, distantScope(facts, known, position, specs), results));
  }
  allPartials.sort((a, b) => a.segment.shard - b.segment.shard);
  return reduce(
    allPartials,
    [...allBindings].sort(([a], [b]) => a - b).map(([, one]) => one),
  );
}

function unsupportedError(what: string): ApiError {
  return illegalArgumentError(
    `aggregations with [${what}] are not supported over indices of several nodes: request the indices one by one, or raise [index.number_of_replicas]`,
  );
}

function noRecord(): never {
  throw unsupportedError('_source');
}

/** Reads of a reduction on another node. @param targets  the shards of the part @param wanted  `position` is that in the part */
export function readSegments(
  given: readonly SearchTarget[],
  request: SearchRequest,
  tree: AggTree,
  env: SearchEnvironment,
  wanted: readonly DistantReads[],
): ReadonlyArray<ReadonlyArray<ReadResults[ReadKind]>> {
  const targets = request.runtimeMappings ? withRuntimeMappings(given, request.runtimeMappings) : given;
  const specs = specsOf(tree);
  const control = { stop: env.stop, counters: makeCounters() };
  const search = beginSearch(request, tree, env, control);
  const readHits = hitsReader(targets, { ...env, ...control, fetched: new FetchBudget() });
  return wanted.map(({ position, segment, reads }) => {
    const target = targets[position];
    const statistics = env.caches.of(target.shard);
    const { prepared } = prepareShard(search, target, statistics, statistics);
    const collector = makeCollector(tree, target.shard, position, env);
    const scope = collector.scope(prepared, segment);
    const results = reads.map((read) => readSegment(read, scope, collector.bindings, specs, readHits));
    target.shard.segments[segment].release();
    return results;
  });
}
