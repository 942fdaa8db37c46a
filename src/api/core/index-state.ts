// An index as an operation sees it: its metadata with the mapping and the analysis built from it, and snapshots of its shards.

import type { MappingSnapshot } from '../../mapping/core/mapping-snapshot.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import type { ShardRouting } from '../../metadata/indices/shard-routing.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { QueryAnalysis } from '../../search/index-query/query-analysis.ts';

/** Metadata of an index with the mapping and analysis built from it. Immutable: a change of metadata makes a new state. */
export interface IndexState {
  readonly meta: IndexMeta;
  readonly mapping: MappingSnapshot;
  /** Analyzers and normalizers by name. */
  readonly analysis: QueryAnalysis;
  readonly numberOfShards: number;
  readonly routing: ShardRouting;
  /** What the caller does not see; absent if everything is visible. */
  readonly hidden?: Hidden;
}

/** Limits of document and field level security. */
export interface Hidden {
  /** Tells these limits from others: cached answers differ by it. */
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
  release(): void;
}
