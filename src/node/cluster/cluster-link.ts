// What main needs from the cluster that the node belongs to. A node of its own has a link that does nothing.

import type { LogLevel } from '../../common/log/logger.ts';
import type { ClusterState } from '../../metadata/cluster-state.ts';
import type { CommandArgs, CommandName } from '../../metadata/reducers.ts';
import type { ToReader } from '../messages/messages.ts';
import type { PeerRequest } from '../messages/peer-messages.ts';
import { LOCAL_METADATA_LOG, type MetadataEntry, type MetadataLog } from '../metadata/metadata-log.ts';

/** The node as its link sees it. */
export interface LinkedNode {
  readonly state: () => ClusterState;
  /** Number of the last entry of the metadata log that the stored metadata contains; null if it never had one. */
  readonly position: number | null;
  /** Before the node has started: stores what an entry changes. */
  replay(entry: MetadataEntry): void;
  /** Applies an entry of another node in all threads. Runs within the queue of commands. */
  apply(entry: MetadataEntry): Promise<void>;
  /** Runs a change after those before it in the queue of commands. */
  inQueue<T>(change: () => Promise<T>): Promise<T>;
  command<Name extends CommandName>(name: Name, args: CommandArgs<Name>): Promise<unknown>;
  /** Has the copy of a shard on this node carry out a request of another node. */
  askShard(request: PeerRequest): Promise<Uint8Array | null>;
  broadcast(message: ToReader): Promise<void>;
  log(level: LogLevel, message: string): void;
  /** Stops the node. */
  fail(error: Error): void;
}

export interface ClusterLink {
  readonly metadataLog: MetadataLog;
  /** Whether shards may be searched before their copies have caught up. */
  readonly opensShardsEarly: boolean;
  /** Brings the stored metadata up to date, before shards are opened. @throws Error the node cannot join */
  join(node: LinkedNode): Promise<void>;
  /** The node is ready for requests. @param publishAddress  host:port of the REST API */
  start(publishAddress: string): Promise<void>;
  /** Main has a new state. */
  onState(state: ClusterState): void;
  /** @throws ApiError: the command is not supported in a cluster */
  check(name: CommandName): void;
  /** What readers are to be sent when they start; null: nothing. */
  readersMessage(): ToReader | null;
  /** Sends a request to another node. */
  ask(node: string, request: PeerRequest): Promise<Uint8Array | null>;
  /** Resolves when every other node has made searchable what was acknowledged before the call, or has left. */
  refreshOthers(uuid: string, shard: number): Promise<void>;
  /** The node is to stop: it leaves the cluster. */
  leave(): Promise<void>;
}

/** For a node of its own. */
export const SOLE_NODE: ClusterLink = {
  metadataLog: LOCAL_METADATA_LOG,
  opensShardsEarly: true,
  join: async () => undefined,
  start: async () => undefined,
  onState: () => undefined,
  check: () => undefined,
  readersMessage: () => null,
  ask: async () => null,
  refreshOthers: async () => undefined,
  leave: async () => undefined,
};
