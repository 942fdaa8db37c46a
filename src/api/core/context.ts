// The interface between the operations of src/api and the node that runs them. src/node implements it for each http worker and for the
// library.

import type { ConfigFolders } from '../../common/config-folder.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import type { Mobility } from '../../common/turns/turn.ts';
import type { Dialect } from '../../compat/dialect.ts';
import type { ClusterView, IndexMeta } from '../../metadata/cluster-state.ts';
import type { CommandArgs, CommandName, CommandResponse } from '../../metadata/reducers.ts';
import type { SectionStats } from '../../plan/segment-reader.ts';
import type { QueryAnalysis } from '../../search/index-query/query-analysis.ts';
import type { CallerRef } from '../../security/caller.ts';
import type { SecurityService } from '../../security/service.ts';
import type { AsyncSearchStore } from './async-search-store.ts';
import type { ClusterNode } from './cluster-node.ts';
import type { IndexState, ShardSnapshot } from './index-state.ts';
import type { ReadCounters } from './read-counters.ts';
import type { RequestMemory } from './request-memory.ts';
import type { EngineSearchCaches } from './search-caches.ts';
import type { SearchContextStore } from './search-context.ts';
import type { SlowLog } from './slow-log.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { TaskStore } from './task-store.ts';
import type { Refresh, WriteOperation, WriteOutcome } from './write.ts';

export type { CommandArgs, CommandName, CommandResponse };

/** The stored version of a document: a record of the operation log. */
export interface StoredDocument {
  readonly id: string;
  readonly seqNo: number;
  readonly primaryTerm: number;
  readonly version: number;
  readonly routing: string | null;
  /** Source as UTF-8 JSON; null for a deletion. */
  readonly source: Uint8Array | null;
}

/** Bytes by field, without fields that use none. */
export interface FieldMemory {
  /** Term columns of text fields. They are built when a segment is written and stay in memory with it. */
  readonly fielddata: Readonly<Record<string, number>>;
  /** Terms, postings and inputs of completion fields. */
  readonly completion: Readonly<Record<string, number>>;
}

/** How a copy was filled from a snapshot of another node and the log after it. */
export interface CopyRecovery {
  readonly stage: 'INDEX' | 'TRANSLOG' | 'DONE';
  readonly startMs: number;
  /** 0 while it is not done. */
  readonly stopMs: number;
  readonly files: { readonly total: number; readonly recovered: number };
  readonly bytes: { readonly total: number; readonly recovered: number };
  /** Operations that were read from the log. */
  readonly operations: number;
}

export interface ShardStats extends FieldMemory {
  readonly shard: number;
  readonly docs: number;
  readonly deleted: number;
  readonly segments: number;
  readonly sizeBytes: number;
  readonly maxSeqNo: number;
  readonly translogOperations: number;
  readonly translogBytes: number;
  readonly counters: Readonly<Record<string, number>>;
  /** Searches by the groups of their `stats`. */
  readonly searchGroups: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** null if the shard was opened from its own store. */
  readonly recovery: CopyRecovery | null;
}

export interface EngineContext {
  /** The engine without a user's limits, for internal work and for totals of the cluster. */
  readonly whole: EngineContext;
  readonly clusterName: string;
  readonly nodeName: string;
  readonly nodeId: string;
  /** Behaviour where versions of Elasticsearch, and OpenSearch, differ. */
  readonly dialect: Dialect;
  /** host:port where the REST API listens; null in the library without a socket. */
  readonly publishAddress: string | null;
  /** The metadata; of an engine within a user's privileges only what the user may see. */
  readonly cluster: ClusterView;
  /** The built-in analyzers, for `_analyze` without an index. */
  readonly globalAnalysis: QueryAnalysis;
  /** The index of this concrete name, or null. @throws ApiError security_exception: the caller may not use the name */
  index(name: string): IndexState | null;
  /** The live nodes of the cluster, this one included, by name. */
  readonly nodes: readonly ClusterNode[];
  /**
   * Resolves when the metadata contains what was acknowledged on any node before the call, if requests with this action need that; null: at once.
   * @throws ApiError 503: the node cannot reach its cluster
   */
  catchUp(action: string): Promise<void> | null;
  /** Id of the live node with the primary copies of an index; null if there is none. */
  primaryNodeOf(index: IndexMeta): string | null;
  /**
   * Checks that this node can read these indices in one request.
   * @throws ApiError illegal_argument_exception: no node can; HeldElsewhere: another one can
   */
  requireTogether(indices: readonly IndexState[]): void;
  /**
   * Sends a part of a search to another node of the cluster, as the caller of this request.
   * @returns its encoded reply @throws ApiError as it fails there; 503: the node cannot be reached, or has not answered
   */
  askNode(node: string, part: JsonObject, caller?: CallerRef): Promise<Uint8Array>;
  /** Known damage of a shard on disk; null if there is none. */
  damageOf(index: IndexMeta, shard: number): string | null;
  /** Current snapshot of a shard. @throws ApiError index_closed_exception; HeldElsewhere: this node has no copy that may be searched */
  acquire(index: IndexState, shard: number): ShardSnapshot;
  /** The record with this seqNo, or null. Synchronous and not copied: its bytes are valid until the next turn of the event loop. */
  record(index: IndexState, shard: number, seqNo: number): StoredDocument | null;
  /**
   * The newest acknowledged version of a document, whether refreshed or not. The source is a copy.
   * @throws TooHeavy unless `mobility` is STAYS (its default): the document is large
   */
  getRealtime(index: IndexState, shard: number, id: string, mobility?: Mobility): Promise<StoredDocument | null>;
  /** Applies operations to one shard, in order. @throws ApiError es_rejected_execution_exception (429): the queue of its indexer is full */
  write(index: IndexState, shard: number, operations: readonly WriteOperation[], refresh: Refresh): Promise<WriteOutcome[]>;
  refresh(index: IndexState): Promise<void>;
  flush(index: IndexState, force: boolean): Promise<void>;
  forceMerge(index: IndexState, options: { maxNumSegments: number; onlyExpungeDeletes: boolean }): Promise<void>;
  shardStats(index: IndexState): Promise<ShardStats[]>;
  /** Read counters of a shard; null if it is not open. */
  reads(uuid: string, shard: number): ReadCounters | null;
  readonly contexts: SearchContextStore;
  readonly tasks: TaskStore;
  readonly slowLog: SlowLog;
  readonly asyncSearches: AsyncSearchStore;
  readonly snapshots: SnapshotStore;
  readonly searchCaches: EngineSearchCaches;
  /** Sections of paged segments in memory; null before the first index. */
  segmentMemory(): SectionStats | null;
  /** Circuit breakers of the process. */
  readonly memory: RequestMemory;
  readonly security: SecurityService;
  /** Folders of the configuration directory. */
  readonly configFolders: ConfigFolders;
  /**
   * Runs a metadata command: the reducer of that name in src/metadata, on the main thread. Resolves after every thread has the new state.
   * @throws ApiError as the reducer refuses
   */
  command<Name extends CommandName>(name: Name, args: CommandArgs<Name>): Promise<CommandResponse<Name>>;
}
