// The interface between the writer of a shard and its thread.
import type { IndexAnalyzer } from '../arena/open-buffer.ts';
import type { JsonObject } from '../common/json/json-value.ts';
import type { IndexSortKey } from '../mapping/core/index-sort.ts';
import type { MappingSnapshot } from '../mapping/core/mapping-snapshot.ts';
import type { SegmentLayout } from '../mapping/segment-layout.ts';
import type { SlowLevel } from '../metadata/settings/slow-log-thresholds.ts';
import type { SegmentReader } from '../plan/segment-reader.ts';
import type { StoredScript } from '../scripting/script-spec.ts';
import type { Store } from '../store/store.ts';
import type { BufferPool } from './buffer-pool.ts';
import type { Extent, SegmentLocation, SnapshotDescriptor, WriterSegment } from './segment-set.ts';

/** The index's analyzers by name. */
export interface WriterAnalysis {
  analyzer(name: string): IndexAnalyzer;
}

export interface WriterEnvironment {
  readonly store: Store;
  readonly buffers: BufferPool;
  nextSegmentId(): number;
  /** @param arena  where the memory must be; any by default */
  allocate(bytes: number, arena?: number): Promise<Extent>;
  /**
   * Opens a segment file without reading all of it.
   * @param isAnySize  also a small one. @returns null if it is to be read whole @throws ApiError corrupt_index_exception
   */
  openFile(file: SegmentFile, isAnySize?: boolean): Promise<SegmentLocation | null>;
  view(extent: Extent): Uint8Array;
  /** @param verify  check all checksums of an image that is in memory. @returns the reader for the current turn of the thread */
  openSegment(id: number, image: SegmentLocation, name: string, verify: boolean): () => SegmentReader;
  /** Resolves when all readers have switched to the snapshot. */
  publish(snapshot: SnapshotDescriptor): Promise<void>;
  /** Merges a dynamic mapping update into the index's mapping, in all threads. @returns the new mapping */
  updateMapping(indexUuid: string, mappings: JsonObject): Promise<{ mapping: MappingSnapshot; analysis: WriterAnalysis }>;
  /** @param file  where the result is written if memory is scarce, without its size */
  merge(segments: readonly WriterSegment[], layout: SegmentLayout, file: SegmentFile): Promise<MergeResult>;
  /** Sorts the documents of a segment image. @returns a copy */
  sortSegment(image: Uint8Array, sort: readonly IndexSortKey[]): Uint8Array;
  /** True while a snapshot reads the shard: its files and records must stay. */
  isHeld(identity: Pick<ShardIdentity, 'uuid' | 'shard'>): boolean;
  /** Logs a document that took long to index. */
  slowWrite(identity: ShardIdentity, write: SlowWrite): void;
  mergeFailed(identity: ShardIdentity, error: unknown): void;
  readonly storedScript: (id: string) => StoredScript | null;
  nowMs(): number;
}

/** A document that exceeded a threshold of the slow log. */
export interface SlowWrite {
  readonly level: SlowLevel;
  readonly tookMs: number;
  readonly id: string;
  readonly routing: string | null;
  /** The logged part of the source. */
  readonly source: string;
}

/** A segment file as `openFile` needs it. */
export interface SegmentFile {
  readonly path: string;
  /** Name of the file in errors. */
  readonly name: string;
  readonly bytes: number;
}

export interface MergeResult {
  /** Paged if it was written to the file. */
  readonly image: SegmentLocation;
  /** Per source, in order: the new docId of each old one, 2^32 - 1 if it was dropped. */
  readonly docMaps: readonly Uint32Array[];
}

export interface ShardIdentity {
  readonly index: string;
  readonly uuid: string;
  readonly shard: number;
  /** Number of the shard's log in the store. */
  readonly log: number;
}
