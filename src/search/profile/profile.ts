// The `profile` section of a response: times and counts of the query phase on each shard, as far as they are measured.

import type { AggTree } from '../../aggs/index.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import type { RawJson } from '../../common/json/raw-json.ts';
import type { Dialect } from '../../compat/dialect.ts';
import type { ExecutionCounters } from '../../plan/query-plan.ts';
import { sectionCountsJson } from '../../plan/section-counts.ts';
import type { SectionCounts } from '../../plan/segment-reader.ts';
import type { IndexQuery } from '../index-query/index-query.ts';
import type { PreparedShard } from '../run/prepared-shard.ts';
import type { RunControl } from '../run/run-control.ts';
import type { ShardAggregations } from '../run/search-aggregations.ts';
import type { SearchShard } from '../shard/search-shard.ts';
import { type AggregationTimes, profileAggregations } from './profile-aggregations.ts';
import { type ClauseProfile, clauseJson, profileClauses } from './profile-query.ts';

/** The query phase of one shard: times in milliseconds, counters before and after. */
export interface ShardProfile {
  readonly index: string;
  readonly shard: number;
  readonly query: IndexQuery;
  /** The clauses of the query, each measured in a separate run. */
  readonly clauses: readonly ClauseProfile[];
  readonly collector: string;
  readonly prepareMs: number;
  readonly runMs: number;
  readonly segments: number;
  readonly before: ExecutionCounters;
  readonly after: ExecutionCounters;
  /** Bytes of paged segments in memory, and what the search has loaded, evicted and waited for; null if all segments are in memory as a whole. */
  readonly segmentMemory: MutableJsonObject | null;
  /** Called when everything has been reduced. */
  readonly aggregations: (reduceMs: number) => MutableJsonObject[];
}

/** The profile of a shard of another node. */
export interface DistantProfile {
  readonly index: string;
  readonly shard: number;
  readonly json: RawJson;
}

/** The node that ran the searches, and the server whose profiles it shows. */
interface ProfiledNode {
  readonly nodeId: string;
  readonly dialect: Dialect;
}

interface ProfiledRun {
  readonly before: ExecutionCounters;
  /** Null if all segments are in memory as a whole. */
  readonly sectionsBefore: SectionCounts | null;
  readonly times: { readonly prepareMs: number; readonly runMs: number };
  /** Number of documents that matched the search. */
  readonly matched: number;
  readonly collected: ShardAggregations | null;
  readonly measure: (tree: AggTree | null) => AggregationTimes | null;
}

/** Times of a shard's aggregations over all segments. */
export function timesOfPartials({ partials, bindMs }: ShardAggregations): AggregationTimes {
  const sum = (part: 'planMs' | 'runMs' | 'readMs') => partials.reduce((total, { times }) => total + times[part], 0);
  return { bindMs, planMs: sum('planMs'), runMs: sum('runMs'), readMs: sum('readMs') };
}

/** Profiles a search on a shard. Runs its clauses and aggregations again separately. */
export function profileShard(
  searched: SearchShard,
  prepared: PreparedShard,
  aggs: AggTree | null,
  options: RunControl,
  { before, sectionsBefore, times, matched, collected, measure }: ProfiledRun,
): ShardProfile {
  const { index, shard, segments } = searched;
  const { query, sort, isEmptyPage, needsScores } = prepared.shardQuery;
  const after = { ...options.counters };
  const segmentMemory = sectionsBefore && segmentMemoryOf(searched, sectionsBefore);
  const collector = isEmptyPage ? 'TotalHitCountCollector' : sort.length > 0 ? 'TopFieldCollector' : 'TopScoreDocCollector';
  const clauses = profileClauses(query, prepared, options.stop, needsScores);
  const aggregations = (reduceMs: number): MutableJsonObject[] => {
    if (!aggs || !collected) return [];
    const { partials, bindings } = collected;
    return profileAggregations(aggs, { partials, bindings, matched, measure, reduceMs });
  };
  return { index, shard, query, clauses, collector, ...times, segments: segments.length, before, after, segmentMemory, aggregations };
}

/** Other requests of the same thread count, too, if the search has yielded to them. */
function segmentMemoryOf({ segments, sectionCounts }: SearchShard, before: SectionCounts): MutableJsonObject {
  return {
    resident_in_bytes: segments.reduce((sum, { residentBytes }) => sum + residentBytes, 0),
    ...sectionCountsJson(sectionCounts?.() ?? before, before),
  };
}

function nanos(milliseconds: number): number {
  return Math.round(milliseconds * 1e6);
}

/** @param reduceMs  time of reducing the aggregations of all shards */
export function shardProfileJson(profile: ShardProfile, { nodeId, dialect }: ProfiledNode, reduceMs: number): MutableJsonObject {
  const { index, shard, query, before, after, prepareMs, runMs, clauses, segments } = profile;
  const id = `[${nodeId}][${index}][${shard}]`;
  const counters: ExecutionCounters = {
    blocksDecoded: after.blocksDecoded - before.blocksDecoded,
    docsCollected: after.docsCollected - before.docsCollected,
    docsScored: after.docsScored - before.docsScored,
    windows: after.windows - before.windows,
  };
  // The search itself matches and scores in one loop.
  const figures = { planMs: prepareMs, matchMs: runMs, scoreMs: 0, segments, counters };
  const entry = clauseJson({ query, figures, children: clauses }, dialect.profilesCounts);
  const aggregations = profile.aggregations(reduceMs);
  const collector: MutableJsonObject = { name: profile.collector, reason: 'search_query_phase', time_in_nanos: nanos(runMs) };
  if (aggregations.length > 0) {
    const names = aggregations.map(({ description }) => String(description)).join(', ');
    // Measured in separate runs, they may have taken longer than the search.
    const collected = aggregations.reduce((sum, { time_in_nanos: own }) => sum + Number(own), 0);
    const collectNanos = Math.min(collected, nanos(runMs));
    collector['children'] = [
      { name: profile.collector, reason: 'search_top_hits', time_in_nanos: nanos(runMs) - collectNanos },
      { name: `BucketCollector: [${names}]`, reason: 'aggregation', time_in_nanos: collectNanos },
    ];
  }
  return {
    id,
    ...(dialect.profilesNodes ? { node_id: nodeId, shard_id: shard, index, cluster: '(local)' } : {}),
    searches: [{ query: [entry], rewrite_time: nanos(prepareMs), collector: [collector] }],
    aggregations,
    ...(profile.segmentMemory ? { segment_memory: profile.segmentMemory } : {}),
  };
}

/** @param reduceMs  time of reducing the aggregations of all shards */
export function profileJson(shards: ReadonlyArray<ShardProfile | DistantProfile>, node: ProfiledNode, reduceMs: number): MutableJsonObject {
  return { shards: shards.map((shard) => ('json' in shard ? shard.json : shardProfileJson(shard, node, reduceMs))) };
}
