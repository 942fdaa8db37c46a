// What operations (src/api) ask of the node they run in. Implemented by src/node for each http worker and for the library.

import type { MappingSnapshot } from '../../mapping/mapping-snapshot.ts';
import type { ClusterState, IndexMeta } from '../../metadata/cluster-state.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { EngineSearchCaches } from './search-caches.ts';
import type { TaskStore } from './task-store.ts';
import type { Refresh, WriteOperation, WriteOutcome } from './write.ts';

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

/** A scroll or point in time that a request uses. */
export interface UsedContext {
  readonly snapshots: readonly ShardSnapshot[];
  /** What the opener or the last user left. */
  readonly state: unknown;
  /** @param state  for the next user; undefined: as it was */
  end(state?: unknown): Promise<void>;
}

export interface OpenContextInfo {
  readonly key: string;
  readonly createdMs: number;
  readonly keepAliveMs: number;
  /** Names of those that still exist. */
  readonly indices: readonly string[];
  readonly state: unknown;
}

/** Scrolls and points in time of the whole node: any thread goes on with any of them. */
export interface SearchContextStore {
  /** Keeps snapshots that this thread acquired. @returns the context's key @throws ApiError es_rejected_execution_exception (429) */
  open(
    kind: 'scroll' | 'pit',
    snapshots: readonly ShardSnapshot[],
    options: { readonly keepAliveMs: number; readonly limit: number; readonly state: unknown },
  ): Promise<string>;
  /** null: there is none, or an index of it is gone. @param keepAliveMs  time to live if it is longer, null: as before */
  use(kind: 'scroll' | 'pit', key: string, keepAliveMs: number | null): Promise<UsedContext | null>;
  /** @param keys  null: all @returns those that were open */
  close(kind: 'scroll' | 'pit', keys: readonly string[] | null): Promise<string[]>;
  list(kind: 'scroll' | 'pit'): Promise<OpenContextInfo[]>;
}

/** An operation log record: the stored document. */
export interface StoredDocument {
  readonly id: string;
  readonly seqNo: number;
  readonly primaryTerm: number;
  readonly version: number;
  readonly routing: string | null;
  /** Source as UTF-8 JSON text; null for a deletion. */
  readonly source: Uint8Array | null;
}

/** A change of metadata, run on the main thread by the reducer of that name in src/metadata; resolves after every thread has the new state. */
export interface MetadataCommand {
  readonly name: string;
  readonly args: unknown;
}

export interface ShardStats {
  readonly shard: number;
  readonly docs: number;
  readonly deleted: number;
  readonly segments: number;
  readonly sizeBytes: number;
  readonly maxSeqNo: number;
  readonly translogOperations: number;
  readonly translogBytes: number;
  readonly counters: Readonly<Record<string, number>>;
  /** Bytes by field, of fields that have any: fielddata of text fields, structures of completion fields. */
  readonly fielddata: Readonly<Record<string, number>>;
  readonly completion: Readonly<Record<string, number>>;
}

export interface EngineContext {
  readonly clusterName: string;
  readonly nodeName: string;
  readonly nodeId: string;
  /** host:port where the REST API listens; null in the library without a socket. */
  readonly publishAddress: string | null;
  readonly cluster: ClusterState;
  /** Built-in analyzers alone: `_analyze` without an index. */
  readonly globalAnalysis: IndexAnalysis;
  /** State of an existing index by concrete name, or null. */
  index(name: string): IndexState | null;
  /** Current snapshot of a shard. @throws ApiError index_closed_exception */
  acquire(index: IndexState, shard: number): ShardSnapshot;
  /** The stored record with this seqNo; synchronous, zero copy: valid until the next turn. */
  record(index: IndexState, shard: number, seqNo: number): StoredDocument | null;
  /** Realtime get: the newest acknowledged version, refreshed or not; the source stays valid. */
  getRealtime(index: IndexState, shard: number, id: string): Promise<StoredDocument | null>;
  shardOf(index: IndexState, id: string, routing: string | null): number;
  /** Applies operations in order in one shard. Rejects with es_rejected_execution_exception (429) when its queue is full. */
  write(index: IndexState, shard: number, operations: readonly WriteOperation[], refresh: Refresh): Promise<WriteOutcome[]>;
  refresh(index: IndexState): Promise<void>;
  flush(index: IndexState, force: boolean): Promise<void>;
  forceMerge(index: IndexState, options: { maxNumSegments: number; onlyExpungeDeletes: boolean }): Promise<void>;
  shardStats(index: IndexState): Promise<ShardStats[]>;
  readonly contexts: SearchContextStore;
  readonly tasks: TaskStore;
  readonly searchCaches: EngineSearchCaches;
  /** Runs a metadata command. @returns the reducer's response */
  command(command: MetadataCommand): Promise<unknown>;
}
