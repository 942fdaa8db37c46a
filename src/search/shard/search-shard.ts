// A shard as a search sees it: a snapshot of segments with the mapping, analyzers and limits of their index.
import type { Dialect } from '../../compat/dialect.ts';
import type { MappingSnapshot } from '../../mapping/core/mapping-snapshot.ts';
import type { SectionCounts, SegmentReader } from '../../plan/segment-reader.ts';
import type { QueryAnalysis } from '../index-query/query-analysis.ts';
import type { ShardLimits } from './limits.ts';

/** The stored document of a hit. */
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
  /** Shards of the index. */
  readonly numberOfShards: number;
  readonly generation: number;
  readonly segments: readonly SegmentReader[];
  /** What the calling thread has done for sections of segments; absent if all segments are in memory as a whole. */
  readonly sectionCounts?: () => SectionCounts;
  readonly mapping: MappingSnapshot;
  readonly analysis: QueryAnalysis;
  readonly limits: ShardLimits;
  readonly dialect: Dialect;
  /** Limits on what the caller sees; `key` identifies them in cached responses. Absent if everything is visible. */
  readonly hidden?: { readonly key: string; readonly documents: boolean };
  record(seqNo: number): ShardDocument | null;
}
