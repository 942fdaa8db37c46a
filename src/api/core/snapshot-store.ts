// Interface of the repositories and snapshots of a node. A dedicated thread, which main starts on demand, reads and writes repositories.
import type { JsonObject } from '../../common/json/json-value.ts';
import type { RepositoryConfig, ShardProgress, SnapshotDetails, SnapshotInfo } from '../../snapshots/snapshot-types.ts';

export interface CreateSnapshot {
  readonly repository: string;
  readonly snapshot: string;
  /** Concrete names. */
  readonly indices: readonly string[];
  /** Names, all of whose indices are in `indices`. */
  readonly dataStreams: readonly string[];
  /** Names of feature states. */
  readonly features: readonly string[];
  readonly metadata: JsonObject | null;
  readonly includeGlobalState: boolean;
  /** true: a shard that is not available fails alone. */
  readonly partial: boolean;
  readonly wait: boolean;
}

export interface CloneSnapshot {
  readonly repository: string;
  readonly source: string;
  readonly target: string;
  readonly indices: readonly string[];
}

export interface RestoreSnapshot {
  readonly repository: string;
  readonly snapshot: string;
  /** Names in the snapshot and in the cluster. */
  readonly indices: ReadonlyArray<{ readonly source: string; readonly target: string }>;
  /** Likewise of data streams, whose indices are in `indices`. */
  readonly dataStreams: ReadonlyArray<{ readonly source: string; readonly target: string }>;
  /** Names of feature states, which are replaced. */
  readonly features: readonly string[];
  readonly indexSettings: JsonObject;
  readonly ignoreIndexSettings: readonly string[];
  /** Names of aliases in the snapshot and in the cluster; null: the restored indices have none of them. */
  readonly aliases: Readonly<Record<string, string>> | null;
  readonly includeGlobalState: boolean;
  readonly partial: boolean;
  readonly wait: boolean;
}

export interface RestoreOutcome {
  readonly snapshot: string;
  readonly indices: readonly string[];
  readonly totalShards: number;
  readonly failedShards: number;
}

/** A snapshot that is being written. */
export interface RunningSnapshot {
  readonly repository: string;
  readonly name: string;
  readonly uuid: string;
  readonly startMs: number;
  readonly includeGlobalState: boolean;
  readonly partial: boolean;
  readonly metadata: JsonObject | null;
  readonly isAborted: boolean;
  /** Progress of the shards by index, in order. */
  readonly indices: Readonly<Record<string, readonly ShardProgress[]>>;
}

/** An index that is being restored. It is created when all of its shards are restored. */
export interface RunningRestore {
  readonly repository: string;
  readonly snapshot: string;
  readonly version: string;
  readonly restoreUuid: string;
  readonly source: string;
  readonly target: string;
  readonly startMs: number;
  readonly shards: ReadonlyArray<{
    readonly files: number;
    readonly bytes: number;
    readonly doneFiles: number;
    readonly doneBytes: number;
  }>;
}

export interface SnapshotStore {
  /** Opens a repository that need not be registered. @param write  true to check that it can be written. @throws ApiError */
  verify(config: RepositoryConfig, write: boolean): Promise<void>;
  /** Finished snapshots, in the order of their creation. @throws ApiError repository_missing_exception */
  list(repository: string): Promise<readonly SnapshotInfo[]>;
  running(): Promise<{ readonly snapshots: readonly RunningSnapshot[]; readonly restores: readonly RunningRestore[] }>;
  details(repository: string, snapshot: SnapshotInfo): Promise<SnapshotDetails>;
  /** Removes files that no snapshot needs. */
  cleanup(repository: string): Promise<{ readonly blobs: number; readonly bytes: number }>;
  /** @returns null if the request does not wait */
  create(request: CreateSnapshot): Promise<SnapshotInfo | null>;
  /** @param snapshots  names and patterns. @throws ApiError snapshot_missing_exception, concurrent_snapshot_execution_exception */
  delete(repository: string, snapshots: readonly string[]): Promise<void>;
  clone(request: CloneSnapshot): Promise<void>;
  /** Starts a lifecycle policy now. @returns the name of its snapshot. @throws ApiError illegal_argument_exception: no such policy */
  executePolicy(id: string): Promise<string>;
  /** Deletes the snapshots that policies no longer keep. */
  executeRetention(): Promise<void>;
  /** @returns null if the request does not wait */
  restore(request: RestoreSnapshot): Promise<RestoreOutcome | null>;
}
