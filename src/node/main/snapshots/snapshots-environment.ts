// The interface between the coordination of snapshots and main.
import type { ClusterState } from '../../../metadata/cluster-state.ts';
import type { CommandArgs, CommandName } from '../../../metadata/reducers.ts';
import { runSecurityCommand } from '../../../security/commands.ts';
import type { SecurityChange } from '../../../security/records.ts';
import type { ShardCheckpoint } from '../../../store/store.ts';
import type { MetadataStore } from '../../metadata/metadata-store.ts';
import type { SecurityStore } from '../../metadata/security-store.ts';
import type { IndexCloser } from '../index-closer.ts';
import type { Indexers } from '../indexers.ts';
import type { MetadataCommands } from '../metadata-commands.ts';
import type { SecurityCommands } from '../security-commands.ts';
import type { ShardPlacements } from '../shard-placements.ts';
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

/** The parts of main that snapshots use. */
interface MainParts {
  readonly thread: SnapshotThread;
  readonly version: string;
  readonly metadata: MetadataStore;
  readonly security: SecurityStore;
  readonly commands: MetadataCommands;
  readonly securityCommands: SecurityCommands;
  readonly placements: ShardPlacements;
  readonly indexers: Indexers;
  readonly closer: IndexCloser;
  readonly log: SnapshotsEnvironment['log'];
}

export function snapshotsEnvironment(parts: MainParts): SnapshotsEnvironment {
  const { thread, version, metadata, security, commands, securityCommands, placements, indexers, closer, log } = parts;
  const indexer = (log: number) => indexers.channel(placements.indexerOf(log));
  return {
    thread,
    version,
    state: () => metadata.state,
    logs: (uuid) => metadata.logs(uuid),
    reserveLogs: (uuid, shards) => metadata.reserveLogs(uuid, shards),
    hold: (uuid, shard, log) => indexer(log).request({ type: 'holdShard', uuid, shard, log }),
    release: (uuid, shard, log) => indexer(log).notify({ type: 'releaseShard', uuid, shard }),
    dryRun: (name, args) => commands.dryRun(name, args),
    command: (name, args) => commands.run(name, args),
    securityRecords: () => security.all(),
    restoreSecurity: async (records, isFinal) => {
      if (isFinal) await securityCommands.run('restoreRecords', { records });
      else runSecurityCommand('restoreRecords', security.records, { records }, security.environment);
    },
    drop: (uuid) => closer.close(uuid, true),
    log,
  };
}
