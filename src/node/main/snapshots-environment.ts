// The interface between the coordination of snapshots and main.
import type { ClusterState } from '../../metadata/cluster-state.ts';
import type { CommandArgs, CommandName } from '../../metadata/reducers.ts';
import type { SecurityChange } from '../../security/records.ts';
import type { ShardCheckpoint } from '../../store/store.ts';
import type { SnapshotThread } from './snapshot-thread.ts';

export interface SnapshotsEnvironment {
  readonly thread: SnapshotThread;
  /** `compat.version`, recorded in snapshots. */
  readonly version: string;
  state(): ClusterState;
  /** Log numbers of the shards of an index. */
  logs(uuid: string): readonly number[];
  /** Assigns logs to an index that is about to be restored. */
  reserveLogs(uuid: string, shards: number): readonly number[];
  hold(uuid: string, shard: number, log: number): Promise<ShardCheckpoint>;
  release(uuid: string, shard: number, log: number): void;
  /** Checks whether a command would succeed. @throws ApiError the errors of the command */
  dryRun<Name extends CommandName>(name: Name, args: CommandArgs<Name>): void;
  command<Name extends CommandName>(name: Name, args: CommandArgs<Name>): Promise<unknown>;
  /** All users, roles and API keys that were created at run time. */
  securityRecords(): readonly SecurityChange[];
  /** Puts those of a snapshot in their place; without `isFinal` only checks that this is possible. @throws ApiError the errors of the command */
  restoreSecurity(records: readonly SecurityChange[], isFinal: boolean): Promise<void>;
  /** Removes the files and records of an index that is not in the cluster state. */
  drop(uuid: string): Promise<void>;
  log(level: 'info' | 'warn' | 'error', message: string): void;
}
