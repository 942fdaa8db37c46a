// An index as an operation sees it: its metadata with the mapping and the analysis built from it, and snapshots of its shards.
import type { MappingSnapshot } from '../../mapping/mapping-snapshot.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';

/** An index as this thread sees it: metadata with what is built from it. Replaced, never changed. */
export interface IndexState {
  readonly meta: IndexMeta;
  readonly mapping: MappingSnapshot;
  /** AnalysisRegistry of src/analysis: analyzers and normalizers by name. */
  readonly analysis: IndexAnalysis;
  readonly numberOfShards: number;
}

/** The part of AnalysisRegistry that queries need; src/analysis implements it. */
export interface IndexAnalysis {
  /** Tokens of a text by a named analyzer. @throws ApiError illegal_argument_exception: no such analyzer */
  analyze(analyzer: string, text: string): AnalyzedToken[];
  normalize(normalizer: string, text: string): string;
  /** The analyzer's normalisation chain alone (lowercase, folding...): for wildcard, prefix, fuzzy terms of text fields. */
  normalizeTerm(analyzer: string, text: string): string;
  hasAnalyzer(name: string): boolean;
}

export interface AnalyzedToken {
  readonly term: string;
  readonly startOffset: number;
  readonly endOffset: number;
  readonly type: string;
  /** Absolute position, from 0. */
  readonly position: number;
  readonly positionLength: number;
  /** Bytes that a filter (delimited_payload) has given the token, if any. */
  readonly payload?: Uint8Array;
}

/** A refreshed point in time of one shard. Segments stay readable until `release`. */
export interface ShardSnapshot {
  readonly index: IndexState;
  readonly shard: number;
  /** Changes whenever the searchable content changes; key of request caches together with the index uuid. */
  readonly generation: number;
  /** In order: a doc's place is segment order, then doc id. */
  readonly segments: readonly SegmentReader[];
  release(): void;
}
