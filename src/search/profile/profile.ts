// The `profile` part of an answer: what the query phase of each shard took and did, as far as it is measured.

import type { AggTree } from '../../aggs/index.ts';
import type { MutableJsonObject } from '../../common/json-value.ts';
import type { ExecutionCounters } from '../../plan/query-plan.ts';
import type { IndexQuery } from '../index-query/index-query.ts';
import type { PreparedShard } from '../run/prepared-shard.ts';
import type { RunControl } from '../run/run-control.ts';
import type { ShardAggregations } from '../run/search-aggregations.ts';
import type { SearchShard } from '../shard/search-shard.ts';
import { type AggregationTimes, profileAggregations } from './profile-aggregations.ts';
import { type ClauseProfile, clauseJson, profileClauses } from './profile-query.ts';

/** One shard's query phase: times in milliseconds, counters as they stood before and after. */
export interface ShardProfile {
  readonly index: string;
  readonly shard: number;
  readonly query: IndexQuery;
  /** The query's clauses, each run by itself. */
  readonly clauses: readonly ClauseProfile[];
  readonly collector: string;
  readonly prepareMs: number;
  readonly runMs: number;
  readonly segments: number;
  readonly before: ExecutionCounters;
  readonly after: ExecutionCounters;
  /** Made when everything has been reduced. */
  readonly aggregations: (reduceMs: number) => MutableJsonObject[];
}

interface ProfiledRun {
  readonly before: ExecutionCounters;
  readonly times: { readonly prepareMs: number; readonly runMs: number };
  /** Documents that the search found. */
  readonly matched: number;
  readonly collected: ShardAggregations | null;
  readonly measure: (tree: AggTree | null) => AggregationTimes | null;
}

/** Times that a shard's aggregations took over all segments. */
export function timesOfPartials({ partials, bindMs }: ShardAggregations): AggregationTimes {
  const sum = (part: 'planMs' | 'runMs' | 'readMs') => partials.reduce((total, { times }) => total + times[part], 0);
  return { bindMs, planMs: sum('planMs'), runMs: sum('runMs'), readMs: sum('readMs') };
}

/** What a search on a shard did; clauses and aggregations are run once more, each by itself. */
export function profileShard(
  { index, shard, segments }: SearchShard,
  prepared: PreparedShard,
  aggs: AggTree | null,
  options: RunControl,
  { before, times, matched, collected, measure }: ProfiledRun,
): ShardProfile {
  const { query, sort, isEmptyPage, needsScores } = prepared.shardQuery;
  const after = { ...options.counters };
  const collector = isEmptyPage ? 'TotalHitCountCollector' : sort.length > 0 ? 'TopFieldCollector' : 'TopScoreDocCollector';
  const clauses = profileClauses(query, prepared, options.stop, needsScores);
  const aggregations = (reduceMs: number): MutableJsonObject[] => {
    if (!aggs || !collected) return [];
    const { partials, bindings } = collected;
    return profileAggregations(aggs, { partials, bindings, matched, measure, reduceMs });
  };
  return { index, shard, query, clauses, collector, ...times, segments: segments.length, before, after, aggregations };
}

function nanos(milliseconds: number): number {
  return Math.round(milliseconds * 1e6);
}

function shardJson(profile: ShardProfile, nodeId: string, reduceMs: number): MutableJsonObject {
  const { index, shard, query, before, after, prepareMs, runMs, clauses, segments } = profile;
  const id = `[${nodeId}][${index}][${shard}]`;
  const counters: ExecutionCounters = {
    blocksDecoded: after.blocksDecoded - before.blocksDecoded,
    docsCollected: after.docsCollected - before.docsCollected,
    docsScored: after.docsScored - before.docsScored,
    windows: after.windows - before.windows,
  };
  // The search's own run: matching and scoring are one loop.
  const figures = { planMs: prepareMs, matchMs: runMs, scoreMs: 0, segments, counters };
  const entry = clauseJson({ query, figures, children: clauses });
  const aggregations = profile.aggregations(reduceMs);
  const collector: MutableJsonObject = { name: profile.collector, reason: 'search_query_phase', time_in_nanos: nanos(runMs) };
  if (aggregations.length > 0) {
    const names = aggregations.map(({ description }) => String(description)).join(', ');
    // Measured apart from the search, they may have taken longer than it did.
    const collected = aggregations.reduce((sum, { time_in_nanos: own }) => sum + Number(own), 0);
    const collectNanos = Math.min(collected, nanos(runMs));
    collector['children'] = [
      { name: profile.collector, reason: 'search_top_hits', time_in_nanos: nanos(runMs) - collectNanos },
      { name: `BucketCollector: [${names}]`, reason: 'aggregation', time_in_nanos: collectNanos },
    ];
  }
  return {
    id,
    node_id: nodeId,
    shard_id: shard,
    index,
    cluster: '(local)',
    searches: [{ query: [entry], rewrite_time: nanos(prepareMs), collector: [collector] }],
    aggregations,
  };
}

/** @param reduceMs  time that the aggregations of all shards took to be put together */
export function profileJson(shards: readonly ShardProfile[], nodeId: string, reduceMs: number): MutableJsonObject {
  return { shards: shards.map((shard) => shardJson(shard, nodeId, reduceMs)) };
}
