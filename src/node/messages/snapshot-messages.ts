// Messages about repositories and snapshots: from readers to main, and between main and the snapshot thread.
import type {
  CloneSnapshot,
  CreateSnapshot,
  RestoreOutcome,
  RestoreSnapshot,
  RunningRestore,
  RunningSnapshot,
} from '../../api/core/snapshot-store.ts';
import type { LogLevel } from '../../common/log/logger.ts';
import type { RepositoryConfig, ShardProgress, SnapshotDetails, SnapshotInfo, SnapshotPlan } from '../../snapshots/snapshot-types.ts';

/** Reader -> main. */
export type SnapshotRequest =
  | { readonly action: 'verify'; readonly config: RepositoryConfig; readonly write: boolean }
  | { readonly action: 'list'; readonly repository: string }
  | { readonly action: 'running' }
  | { readonly action: 'details'; readonly repository: string; readonly snapshot: SnapshotInfo }
  | { readonly action: 'cleanup'; readonly repository: string }
  | { readonly action: 'create'; readonly request: CreateSnapshot }
  | { readonly action: 'delete'; readonly repository: string; readonly snapshots: readonly string[] }
  | { readonly action: 'clone'; readonly request: CloneSnapshot }
  | { readonly action: 'executePolicy'; readonly id: string }
  | { readonly action: 'executeRetention' }
  | { readonly action: 'restore'; readonly request: RestoreSnapshot };

/** Results of the requests, by action. */
export interface SnapshotReplies {
  verify: undefined;
  list: readonly SnapshotInfo[];
  running: { snapshots: RunningSnapshot[]; restores: RunningRestore[] };
  details: SnapshotDetails;
  cleanup: { blobs: number; bytes: number };
  create: SnapshotInfo | null;
  delete: undefined;
  clone: undefined;
  executePolicy: string;
  executeRetention: undefined;
  restore: RestoreOutcome | null;
}

/** Main -> snapshot thread. Requests, except `cancel`. */
export type ToSnapshots =
  | { readonly type: 'repository'; readonly config: RepositoryConfig; readonly call: RepositoryCall }
  /** Notice: ends a `write` or `restoreShard` with this id. */
  | { readonly type: 'cancel'; readonly id: string };

export type RepositoryCall =
  | { readonly name: 'verify'; readonly write: boolean }
  | { readonly name: 'list' }
  | { readonly name: 'details'; readonly snapshot: SnapshotInfo }
  | { readonly name: 'cleanup' }
  | { readonly name: 'write'; readonly id: string; readonly plan: SnapshotPlan }
  | { readonly name: 'delete'; readonly uuids: readonly string[] }
  | {
      readonly name: 'clone';
      readonly source: string;
      readonly target: string;
      readonly uuid: string;
      readonly indices: readonly string[];
      readonly startMs: number;
    }
  | {
      readonly name: 'restoreShard';
      readonly id: string;
      readonly manifest: string;
      readonly uuid: string;
      readonly shard: number;
      readonly log: number;
    };

/** Results of the calls, by name. */
export interface RepositoryReplies {
  verify: undefined;
  list: readonly SnapshotInfo[];
  details: SnapshotDetails;
  cleanup: { blobs: number; bytes: number };
  write: SnapshotInfo;
  delete: undefined;
  clone: undefined;
  restoreShard: undefined;
}

/** Snapshot thread -> main. Notices. */
export type FromSnapshots =
  | { readonly type: 'progress'; readonly id: string; readonly index: string; readonly shard: number; readonly progress: ShardProgress }
  | { readonly type: 'restored'; readonly id: string; readonly files: number; readonly bytes: number }
  | { readonly type: 'log'; readonly level: LogLevel; readonly message: string };
