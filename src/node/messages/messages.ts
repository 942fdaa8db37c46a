// All messages between threads. Metadata, memory and snapshots go through main; http workers send writes to indexers directly.

import type { FieldMemory, ShardStats, StoredDocument } from '../../api/core/context.ts';
import type { SlowEntry } from '../../api/core/slow-log.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import type { LogLevel } from '../../common/log/logger.ts';
import type { Extent, SegmentDescriptor, SegmentLocation, SnapshotDescriptor } from '../../indexing/segment-set.ts';
import type { SegmentFile } from '../../indexing/writer-environment.ts';
import type { SegmentLayout } from '../../mapping/segment-layout.ts';
import type { ClusterState, SynonymSets } from '../../metadata/cluster-state.ts';
import type { CommandArgs, CommandName, CommandResponse } from '../../metadata/reducers.ts';
import type { FlatSettings } from '../../metadata/settings/index-settings.ts';
import type { LaneAnswer, LaneRequest, LaneResponse } from '../../rest/core/lane.ts';
import type { SecurityArgs, SecurityCommandName, SecurityReply } from '../../security/commands.ts';
import type { RealmSettings } from '../../security/realms.ts';
import type { SecurityChange } from '../../security/records.ts';
import type { ShardCheckpoint } from '../../store/store.ts';
import type { ContextReplies, ContextRequest } from './context-messages.ts';
import type { ClusterMessage, PeerRequest, ShardPeerRequest } from './peer-messages.ts';
import type { ShardRequest } from './shard-messages.ts';
import type { RepositoryReplies, SnapshotReplies, SnapshotRequest } from './snapshot-messages.ts';
import type { TaskReplies, TaskRequest } from './task-messages.ts';

export type { ShardRequest };

/** Which indexer writes a shard, and where its progress is shared. */
export interface ShardPlacement {
  readonly uuid: string;
  readonly shard: number;
  /** Number of the shard's log in the store. */
  readonly log: number;
  readonly indexer: number;
  /** What is wrong with the shard on disk, null if nothing is known: it is missing, or does not have all of its documents. */
  readonly damage: string | null;
  /** f64[1]: highest acknowledged seqNo, written only by the indexer. A reader whose snapshot includes it can serve realtime reads without asking. */
  readonly progress: SharedArrayBuffer;
  /** READ_COUNTERS_BYTES, for ReadCounters. */
  readonly reads: SharedArrayBuffer;
}

/** Main -> every thread. Request; the reply confirms that the thread uses the new state. */
export interface StateMessage {
  readonly type: 'state';
  readonly state: ClusterState;
}

/** Main -> every thread that has the state before. Request, as StateMessage. */
export interface StateChangeMessage {
  readonly type: 'stateChange';
  /** See state-encoding.ts. Shared by all threads: encoding a large change takes long, and main has a listener. */
  readonly change: SharedArrayBuffer;
}

/** As StateMessage, for readers, which find shards by their placements. */
export interface ReaderStateMessage extends StateMessage {
  readonly placements: readonly ShardPlacement[];
}

/** As StateChangeMessage, for readers. */
export interface ReaderStateChangeMessage extends StateChangeMessage {
  readonly placements: PlacementChanges;
}

/** What differs from the placements before. Copying all of them for each change takes longer than the change if there are many shards. */
export interface PlacementChanges {
  /** New or different. */
  readonly placed: readonly ShardPlacement[];
  /** `uuid/shard` of shards that are closed or deleted. */
  readonly gone: readonly string[];
}

/** Main -> every thread that runs kernels: a new arena, with this thread's scratch region in it. */
export interface ArenaMessage {
  readonly type: 'arena';
  readonly arena: number;
  readonly memory: WebAssembly.Memory;
  readonly scratch: Extent;
  /** The table of sections, and the number that this thread has in it. */
  readonly sections: { readonly memory: SharedArrayBuffer; readonly thread: number };
}

/** Main -> reader. Request: the new snapshot of a shard. */
export interface SnapshotMessage {
  readonly type: 'snapshot';
  readonly snapshot: SnapshotDescriptor;
}

export type ReaderCommand =
  | { readonly type: 'start'; readonly publishAddress: string }
  /** Finish the requests in flight and accept no new ones. */
  | { readonly type: 'stop' }
  /** Notice: exit the thread. */
  | { readonly type: 'exit' }
  | { readonly type: 'reopenLogs' }
  /** Request: users and roles of the settings were read again; certificates are to be. */
  | { readonly type: 'reload'; readonly fileRealm: RealmSettings }
  /** Request to a lane: a request that is too heavy for an http worker. */
  | { readonly type: 'job'; readonly request: LaneRequest }
  /** Request to an http worker: a request that another node has passed on. */
  | { readonly type: 'serve'; readonly request: LaneRequest };

/** Main -> reader. Request: users, roles and API keys that changed; the reply confirms that the thread acts upon them. */
export interface SecurityMessage {
  readonly type: 'security';
  readonly changes: readonly SecurityChange[];
}

export type ToReader =
  | ReaderStateMessage
  | ReaderStateChangeMessage
  | ArenaMessage
  | SnapshotMessage
  | SecurityMessage
  | ClusterMessage
  | ReaderCommand;

/** Generic, not a union over the names, from which TypeScript could not build a message with a generic name. */
export interface CommandMessage<Name extends CommandName = CommandName> {
  readonly type: 'command';
  readonly name: Name;
  readonly args: CommandArgs<Name>;
  /** Digests of large analysis definitions that the sender has built (src/node/metadata/analysis-checks.ts). */
  readonly checkedAnalyses: readonly string[];
}

/** As CommandMessage, for src/security/commands.ts. */
export interface SecurityCommandMessage<Name extends SecurityCommandName = SecurityCommandName> {
  readonly type: 'securityCommand';
  readonly name: Name;
  readonly args: SecurityArgs<Name>;
}

export type FromReader =
  /** Request: a metadata command, see src/metadata. */
  | CommandMessage
  /** Request: a change of users, roles or API keys. */
  | SecurityCommandMessage
  /** Request, in a cluster: applies every change of metadata that was acknowledged before, in all threads. */
  | { readonly type: 'catchUp' }
  /** Request, in a cluster: to be answered by another node. */
  | { readonly type: 'forward'; readonly node: string; readonly request: LaneRequest }
  /** Request, in a cluster: to be answered by the indexer of a node that has the primary copy, or, if it only reads, of any that has a copy. */
  | { readonly type: 'askCopy'; readonly request: ShardRequest }
  /** Request: a scroll or point in time, see src/node/main/search-contexts.ts. */
  | { readonly type: 'context'; readonly request: ContextRequest }
  /** Request: a task, see src/node/main/tasks.ts. */
  | { readonly type: 'task'; readonly request: TaskRequest }
  | DamageNotice
  | SegmentDamageNotice
  | SlowNotice
  /** Request: the last entries of the slow logs. */
  | { readonly type: 'slowEntries' }
  /** Request: repositories and snapshots. */
  | { readonly type: 'snapshots'; readonly request: SnapshotRequest }
  /** Notice: this thread no longer uses these extents. */
  | { readonly type: 'release'; readonly extents: readonly Extent[] }
  /** Request: to be run in a lane. */
  | { readonly type: 'lane'; readonly request: LaneRequest }
  /** Request of a lane: to be run in all idle lanes as well. */
  | { readonly type: 'help'; readonly request: LaneRequest }
  /** Notice: the client of this request to a lane has disconnected. */
  | { readonly type: 'laneCancel'; readonly id: number }
  /** Notice of a lane: it has begun the request that it was sent. */
  | { readonly type: 'laneBegin' }
  /** Notice of a lane: the request that it runs allows this time for its response. */
  | { readonly type: 'laneTimeout'; readonly ms: number }
  | LogNotice;

/** Notice: what a read of this log found on disk is damaged. */
export interface DamageNotice {
  readonly type: 'damaged';
  readonly log: number;
  readonly reason: string;
}

/** Notice: what a reader found of a segment on disk is damaged. */
export interface SegmentDamageNotice {
  readonly type: 'damagedSegment';
  readonly uuid: string;
  readonly shard: number;
  readonly reason: string;
}

/** Notice: a search or a write exceeded a threshold of its index. */
export interface SlowNotice {
  readonly type: 'slow';
  readonly entry: SlowEntry;
}

export interface LogNotice {
  readonly type: 'log';
  readonly level: LogLevel;
  readonly message: string;
}

export type ToIndexer =
  | StateMessage
  | StateChangeMessage
  | ArenaMessage
  /** Requests. */
  /** `snapshot` contains the committed segments if main has opened them already. */
  | { readonly type: 'openShard'; readonly placement: ShardPlacement; readonly snapshot: SnapshotDescriptor | null }
  /** `drop` also removes the files of the shard, whether it is open or not. */
  | { readonly type: 'closeShard'; readonly uuid: string; readonly shard: number; readonly log: number; readonly drop: boolean }
  | { readonly type: 'stop' }
  /** Commits the shard, whether it is open or not, and keeps its files and records until `releaseShard`. */
  | { readonly type: 'holdShard'; readonly uuid: string; readonly shard: number; readonly log: number }
  /** What another node asks of a copy. */
  | { readonly type: 'peer'; readonly request: ShardPeerRequest }
  /** Builds an analysis definition and forgets it. Fails with the error of the definition. */
  | { readonly type: 'checkAnalysis'; readonly settings: FlatSettings; readonly synonymSets: SynonymSets }
  /** Notices. */
  | { readonly type: 'releaseShard'; readonly uuid: string; readonly shard: number }
  | { readonly type: 'released'; readonly segments: readonly number[] }
  | { readonly type: 'connect'; readonly port: import('node:worker_threads').MessagePort };

export type FromIndexer =
  /** Requests. */
  | { readonly type: 'allocate'; readonly bytes: number; readonly arena?: number }
  /** Opens a segment file, unless it is to be read whole. */
  | { readonly type: 'openFile'; readonly file: SegmentFile; readonly isAnySize: boolean }
  | { readonly type: 'publish'; readonly snapshot: SnapshotDescriptor }
  | { readonly type: 'updateMapping'; readonly uuid: string; readonly mappings: JsonObject }
  | { readonly type: 'merge'; readonly segments: readonly SegmentDescriptor[]; readonly layout: SegmentLayout; readonly file: SegmentFile }
  | { readonly type: 'askNode'; readonly node: string; readonly request: PeerRequest }
  /** Every other node is to make searchable what was acknowledged. */
  | { readonly type: 'refreshOthers'; readonly uuid: string; readonly shard: number }
  /** Positions up to which the copies of other nodes have been committed. */
  | { readonly type: 'committedOthers'; readonly uuid: string; readonly shard: number }
  | DamageNotice
  | SlowNotice
  | LogNotice;

export type ToMerger =
  | ArenaMessage
  /** Request; the merged image waits in the merger until `store`. */
  | { readonly type: 'mergeImages'; readonly segments: readonly SegmentDescriptor[]; readonly layout: SegmentLayout }
  /** Request: copy the image into an extent of its size. */
  | { readonly type: 'store'; readonly extent: Extent }
  /** Request: write the image to a file. */
  | { readonly type: 'write'; readonly path: string };

/** Reply of the merger: the size of the image and, for each source, the new doc ids. */
export interface MergeReply {
  readonly bytes: number;
  readonly docMaps: readonly Uint32Array[];
}

/** Reply of main to an indexer's `merge`, with the place of the image. */
export interface MergedSegment extends MergeReply {
  readonly image: SegmentLocation;
}

/** Statistics of a shard that its indexer knows. */
export type WriterStats = Omit<ShardStats, keyof FieldMemory | 'searchGroups'>;

/** The response of a lane, with what main needs to decide whether the thread is kept. */
export interface JobAnswer extends LaneAnswer {
  /** Heap and buffers of the thread after the request. */
  readonly heldBytes: number;
}

/** Replies to requests by message type; other requests have an empty reply. */
interface Replies {
  allocate: Extent;
  openFile: SegmentLocation | null;
  lane: LaneAnswer;
  /** Those of the lanes that were idle and have not failed. */
  help: readonly LaneAnswer[];
  job: JobAnswer;
  serve: LaneResponse;
  forward: LaneResponse;
  merge: MergedSegment;
  peer: unknown;
  askNode: unknown;
  /** As the request within it. */
  askCopy: unknown;
  /** null: a node did not answer. */
  committedOthers: readonly number[] | null;
  holdShard: ShardCheckpoint;
  mergeImages: MergeReply;
  /** WriteOutcomes packed by msgpackr. */
  write: Uint8Array;
  /** seqNo of the newest version of the document; null if there is none. */
  locate: number | null;
  document: StoredDocument | null;
  stats: WriterStats;
  /** The newest first. */
  slowEntries: readonly SlowEntry[];
}

/** The reply to a message. */
export type ReplyTo<Message extends { readonly type: string }> = Message extends { type: 'command'; name: infer Name extends CommandName }
  ? CommandResponse<Name>
  : Message extends { type: 'securityCommand'; name: infer Name extends SecurityCommandName }
    ? SecurityReply<Name>
    : Message extends { type: 'context'; request: { action: infer Action extends keyof ContextReplies } }
      ? ContextReplies[Action]
      : Message extends { type: 'task'; request: { action: infer Action extends keyof TaskReplies } }
        ? TaskReplies[Action]
        : Message extends { type: 'snapshots'; request: { action: infer Action extends keyof SnapshotReplies } }
          ? SnapshotReplies[Action]
          : Message extends { type: 'repository'; call: { name: infer Name extends keyof RepositoryReplies } }
            ? RepositoryReplies[Name]
            : Message['type'] extends keyof Replies
              ? Replies[Message['type']]
              : undefined;
