// A shard as a search sees it, what runs plans on its segments, and what is kept between searches of one snapshot.
import type { IndexSortKey } from '../mapping/index-sort.ts';
import type { MappingSnapshot } from '../mapping/mapping-snapshot.ts';
import type { CollectPlan, ExecutionCounters, PlanNode, SegmentHits, StopCheck } from '../plan/query-plan.ts';
import type { SegmentReader } from '../plan/segment.ts';
import type { QueryAnalysis } from './query-analysis.ts';
import type { QueryLimits } from './rewrite-context.ts';
import { ShardStatistics } from './statistics.ts';

/** The stored document behind a hit. */
export interface ShardDocument {
  readonly id: string;
  readonly seqNo: number;
  readonly primaryTerm: number;
  readonly version: number;
  readonly routing: string | null;
  readonly source: Uint8Array | null;
}

export interface SearchShard {
  readonly index: string;
  readonly uuid: string;
  readonly shard: number;
  readonly generation: number;
  readonly segments: readonly SegmentReader[];
  readonly mapping: MappingSnapshot;
  readonly analysis: QueryAnalysis;
  readonly limits: ShardLimits;
  record(seqNo: number): ShardDocument | null;
}

/** Limits of an index that whole searches meet. */
export interface ShardLimits extends QueryLimits {
  readonly maxResultWindow: number;
  readonly maxInnerResultWindow: number;
  readonly maxRescoreWindow: number;
  readonly maxDocvalueFields: number;
  readonly maxSlices: number;
  readonly maxScriptFields: number;
  readonly maxAnalyzedOffset: number;
  /** Order of the documents in each segment; empty: as they came. */
  readonly indexSort: readonly IndexSortKey[];
}

export interface RunOptions {
  readonly stop: StopCheck;
  readonly counters: ExecutionCounters;
  /** Hits of earlier segments fill the page with at least this score. */
  readonly minCompetitiveScore: number;
  /** Match nested documents too, not roots alone. */
  readonly withNested: boolean;
  /** Address of the aggregations laid out for this segment, null without. */
  readonly aggs: { readonly rootPtr: number; readonly needsScores: boolean } | null;
}

/** Runs one plan on one segment: the executor, or its reference in tests. */
export type RunSegment = (segment: SegmentReader, plan: PlanNode, collect: CollectPlan, options: RunOptions) => SegmentHits;

/** Kept per shard for as long as its snapshot and mapping stay. */
export class ShardCache {
  readonly generation: number;
  readonly mapping: MappingSnapshot;
  readonly statistics: ShardStatistics;
  /** Prepared queries by request text. */
  readonly prepared = new Map<string, unknown>();

  constructor(shard: SearchShard) {
    this.generation = shard.generation;
    this.mapping = shard.mapping;
    this.statistics = new ShardStatistics(shard.segments, (field) => shard.mapping.field(field)?.bm25);
  }
}

const MAX_PREPARED = 256;

/** Caches of the shards that this thread searches. */
export class SearchCaches {
  readonly #shards = new Map<string, ShardCache>();

  of(shard: SearchShard): ShardCache {
    const key = `${shard.uuid}/${shard.shard}`;
    let cache = this.#shards.get(key);
    if (!cache || cache.generation !== shard.generation || cache.mapping !== shard.mapping || !sameSegments(cache, shard)) {
      cache = new ShardCache(shard);
      this.#shards.set(key, cache);
    }
    return cache;
  }

  /** Forgets indices that are gone. */
  retain(uuids: ReadonlySet<string>): void {
    for (const key of this.#shards.keys()) if (!uuids.has(key.slice(0, key.lastIndexOf('/')))) this.#shards.delete(key);
  }
}

function sameSegments(cache: ShardCache, shard: SearchShard): boolean {
  const { segments } = cache.statistics;
  return (
    segments === shard.segments ||
    (segments.length === shard.segments.length && segments.every((segment, i) => segment === shard.segments[i]))
  );
}

/** Takes or makes an entry, dropping the oldest when there are too many. */
export function remember<T>(cache: Map<string, unknown>, key: string, make: () => T): T {
  const known = cache.get(key) as T | undefined;
  if (known !== undefined) return known;
  const made = make();
  if (cache.size >= MAX_PREPARED) cache.delete(cache.keys().next().value!);
  cache.set(key, made);
  return made;
}
