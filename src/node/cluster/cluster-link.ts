// What the main thread needs from its cluster. The link of a standalone node does nothing.

import type { LogLevel } from '../../common/log/logger.ts';
import type { ClusterState } from '../../metadata/cluster-state.ts';
import type { CommandArgs, CommandName } from '../../metadata/reducers.ts';
import type { LaneRequest, LaneResponse } from '../../rest/core/lane.ts';
import type { SecurityChange } from '../../security/records.ts';
import type { ShardRequest, ToReader } from '../messages/messages.ts';
import type { PeerRequest, ShardPeerRequest, SpreadContextRequest } from '../messages/peer-messages.ts';
import { LOCAL_METADATA_LOG, type MetadataEntry, type MetadataLog } from '../metadata/metadata-log.ts';

/** The node, as seen by its cluster link. */
export interface LinkedNode {
  readonly state: () => ClusterState;
  /** Number of the last entry of the metadata log that the stored metadata contains; null if none was ever applied. */
  readonly position: number | null;
  /** Stores the changes of an entry before the node has started. */
  replay(entry: MetadataEntry): void;
  /** Applies an entry of another node in all threads. Runs within the queue of commands. */
  apply(entry: MetadataEntry): Promise<void>;
  /** Users, roles and API keys. */
  readonly security: () => readonly SecurityChange[];
  /** Replaces metadata and users, before the node has started or, within the queue of commands, in all threads. */
  adopt(state: ClusterState, security: readonly SecurityChange[], isStarted: boolean): Promise<void>;
  /** Queues a change behind the metadata commands that are already waiting. */
  inQueue<T>(change: () => Promise<T>): Promise<T>;
  command<Name extends CommandName>(name: Name, args: CommandArgs<Name>): Promise<unknown>;
  /** Passes a request of another node to this node's copy of a shard. */
  askShard(request: ShardPeerRequest): Promise<unknown>;
  /** Bytes of the copies of this node, by uuid of the index. */
  sizes(): Promise<Readonly<Record<string, number>>>;
  /** Answers a request that another node has passed on. */
  serve(request: LaneRequest): Promise<LaneResponse>;
  /** Closes or lists scrolls or points in time of this node. */
  contexts(request: SpreadContextRequest): unknown;
  broadcast(message: ToReader): Promise<void>;
  log(level: LogLevel, message: string): void;
  /** Stops the node. */
  fail(error: Error): void;
}

export interface ClusterLink {
  readonly metadataLog: MetadataLog;
  /** Whether shards may be searched before their copies have caught up. */
  readonly opensShardsEarly: boolean;
  /**
   * Brings the stored metadata up to date, before shards are opened.
   * @param node  not called without a cluster: its code is not needed then
   * @throws Error the node cannot join
   */
  join(node: () => LinkedNode): Promise<void>;
  /** The node is ready for requests. @param publishAddress  host:port of the REST API */
  start(publishAddress: string): Promise<void>;
  /** Called when main has a new state. */
  onState(state: ClusterState): void;
  /** @throws ApiError: the command is not supported in a cluster */
  check(name: CommandName): void;
  /** The message that readers receive when they start; null for none. */
  readersMessage(): ToReader | null;
  /** Sends a request to another node. @returns its reply */
  ask(node: string, request: PeerRequest): Promise<unknown>;
  /** Passes a request for a shard on to a node with a copy. @throws ApiError no copy can be reached; the error of the request */
  askCopy(request: ShardRequest): Promise<unknown>;
  /** Replies of all nodes that may have what is to be closed or listed. */
  askContexts(request: SpreadContextRequest): Promise<unknown[]>;
  /** Applies every change of metadata that was acknowledged before the call, in all threads. @throws ApiError the log cannot be reached */
  catchUp(): Promise<void>;
  /** Resolves when every other node whose copies may be read uses the metadata of this one, or after half a minute. */
  spread(): Promise<void>;
  /** Resolves when every other node whose copies may be read has refreshed all operations acknowledged before the call. */
  refreshOthers(uuid: string, shard: number): Promise<void>;
  /** Positions up to which the copies of the other live nodes have been committed; null: a node did not answer. */
  committedOthers(uuid: string, shard: number): Promise<readonly number[] | null>;
  /** Leaves the cluster, because the node is stopping. */
  leave(): Promise<void>;
}

/** The link of a standalone node. */
export const SOLE_NODE: ClusterLink = {
  metadataLog: LOCAL_METADATA_LOG,
  opensShardsEarly: true,
  join: async () => undefined,
  start: async () => undefined,
  onState: () => undefined,
  check: () => undefined,
  readersMessage: () => null,
  ask: async () => null,
  askCopy: async () => null,
  askContexts: async () => [],
  catchUp: async () => undefined,
  spread: async () => undefined,
  refreshOthers: async () => undefined,
  committedOthers: async () => [],
  leave: async () => undefined,
};
