// An index for operations: its metadata with the mapping and analysis built from it, and snapshots of its shards.

import type { MappingSnapshot } from '../../mapping/core/mapping-snapshot.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import type { ShardRouting } from '../../metadata/indices/shard-routing.ts';
import type { SectionCounts, SegmentReader } from '../../plan/segment-reader.ts';
import type { QueryAnalysis } from '../../search/index-query/query-analysis.ts';

/** Metadata of an index with the mapping and analysis built from it. Immutable: a metadata change creates a new state. */
export interface IndexState {
  readonly meta: IndexMeta;
  readonly mapping: MappingSnapshot;
  /** Analyzers and normalizers by name. */
  readonly analysis: QueryAnalysis;
  readonly numberOfShards: number;
  readonly routing: ShardRouting;
  /** Limits on what the caller sees; absent if everything is visible. */
  readonly hidden?: Hidden;
}

/** Limits of document and field level security. */
export interface Hidden {
  /** Identifies these limits in the keys of cached responses. */
  readonly key: string;
  readonly documents: boolean;
  readonly fields: boolean;
}

/** One shard as of a refresh. Its segments stay in memory until `release`. */
export interface ShardSnapshot {
  readonly index: IndexState;
  readonly shard: number;
  /** Changes whenever the searchable content changes. Together with the index uuid it identifies the content in caches. */
  readonly generation: number;
  /** In order: documents are ordered by segment, then by doc id. */
  readonly segments: readonly SegmentReader[];
  /** What the calling thread has done for sections of segments; absent if all segments are in memory as a whole. */
  readonly sectionCounts?: () => SectionCounts;
  release(): void;
}
