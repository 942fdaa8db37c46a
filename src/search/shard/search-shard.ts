// A shard as a search sees it, what runs plans on its segments, and what is kept between searches of one snapshot.
import type { IndexSortKey } from '../../mapping/index-sort.ts';
import type { MappingSnapshot } from '../../mapping/mapping-snapshot.ts';
import type { CollectPlan, ExecutionCounters, PlanNode, SegmentHits, StopCheck } from '../../plan/query-plan.ts';
import type { SegmentReader } from '../../plan/segment.ts';
import type { QueryAnalysis } from '../index-query/query-analysis.ts';
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

/** Statistics of the shards that this thread searches, each kept until a search sees another snapshot of it. */
export class SearchCaches {
  /** By mapping, of which every index has its own, and with which they go; then by shard. */
  readonly #statistics = new WeakMap<MappingSnapshot, Map<number, { readonly generation: number; readonly statistics: ShardStatistics }>>();

  of({ mapping, shard, generation, segments }: SearchShard): ShardStatistics {
    let ofIndex = this.#statistics.get(mapping);
    if (!ofIndex) this.#statistics.set(mapping, (ofIndex = new Map()));
    const known = ofIndex.get(shard);
    if (known && known.generation === generation && sameSegments(known.statistics.segments, segments)) return known.statistics;
    const statistics = new ShardStatistics(segments, (field) => mapping.field(field)?.bm25);
    ofIndex.set(shard, { generation, statistics });
    return statistics;
  }
}

function sameSegments(known: readonly SegmentReader[], segments: readonly SegmentReader[]): boolean {
  return known === segments || (known.length === segments.length && known.every((segment, i) => segment === segments[i]));
}
