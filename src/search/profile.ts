// The `profile` part of an answer: what the query phase of each shard took and did, as far as it is measured.
import type { Json } from '../mapping/mapping-snapshot.ts';
import type { ExecutionCounters } from '../plan/query-plan.ts';
import type { IndexQuery } from './index-query.ts';
import { queryText } from './query-text.ts';

/** One shard's query phase: times in milliseconds, counters as they stood before and after. */
export interface ShardProfile {
  readonly index: string;
  readonly shard: number;
  readonly query: IndexQuery;
  readonly collector: string;
  readonly prepareMs: number;
  readonly runMs: number;
  readonly segments: number;
  readonly before: ExecutionCounters;
  readonly after: ExecutionCounters;
  /** Made when everything has been reduced. */
  readonly aggregations: (reduceMs: number) => Json[];
}

const LUCENE_NAMES: Partial<Record<IndexQuery['op'], string>> = {
  all: 'MatchAllDocsQuery',
  none: 'MatchNoDocsQuery',
  term: 'TermQuery',
  bool: 'BooleanQuery',
  phrase: 'PhraseQuery',
  disMax: 'DisjunctionMaxQuery',
};

function nameOf({ op }: IndexQuery): string {
  return LUCENE_NAMES[op] ?? `${op[0].toUpperCase()}${op.slice(1)}Query`;
}

function nanos(milliseconds: number): number {
  return Math.round(milliseconds * 1e6);
}

/**
 * A query runs as one loop over all of its clauses, so there is one entry a shard: times of single clauses do not exist.
 * Blocks and windows, which Lucene's profile has no name for, are under `debug`.
 */
function shardJson(profile: ShardProfile, nodeId: string, reduceMs: number): Json {
  const { index, shard, query, before, after, prepareMs, runMs } = profile;
  const id = `[${nodeId}][${index}][${shard}]`;
  const breakdown: Json = {
    create_weight: nanos(prepareMs),
    create_weight_count: 1,
    build_scorer_count: profile.segments,
    next_doc: nanos(runMs),
    next_doc_count: after.docsCollected - before.docsCollected,
    score_count: after.docsScored - before.docsScored,
  };
  const debug: Json = {
    blocks_decoded: after.blocksDecoded - before.blocksDecoded,
    windows: after.windows - before.windows,
  };
  const entry: Json = {
    type: nameOf(query),
    description: queryText(query),
    time_in_nanos: nanos(prepareMs + runMs),
    breakdown,
    debug,
  };
  const collector: Json = { name: profile.collector, reason: 'search_query_phase', time_in_nanos: nanos(runMs) };
  return {
    id,
    node_id: nodeId,
    shard_id: shard,
    index,
    cluster: '(local)',
    searches: [{ query: [entry], rewrite_time: nanos(prepareMs), collector: [collector] }],
    aggregations: profile.aggregations(reduceMs),
  };
}

/** @param reduceMs  time that the aggregations of all shards took to be put together */
export function profileJson(shards: readonly ShardProfile[], nodeId: string, reduceMs: number): Json {
  return { shards: shards.map((shard) => shardJson(shard, nodeId, reduceMs)) };
}
