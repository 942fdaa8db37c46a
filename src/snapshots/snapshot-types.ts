// The contents of a repository as plain data: the generation file lists snapshots, a snapshot lists shards, a shard lists blobs. The bytes
// are described in docs/internals/snapshot-format.md.

import type { JsonObject } from '../common/json/json-value.ts';
import type { ApiErrorData } from '../errors/api-error.ts';
import type { CommitPoint, ShardCheckpoint } from '../store/store.ts';

export const REPOSITORY_FORMAT = 1;

/** A registered repository. */
export interface RepositoryConfig {
  readonly name: string;
  readonly type: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** PARTIAL: some shards failed. */
export type SnapshotState = 'SUCCESS' | 'PARTIAL';

export interface ShardFailure {
  readonly index: string;
  readonly indexUuid: string;
  readonly shard: number;
  readonly reason: string;
}

/** An index in the list of a snapshot. */
export interface IndexSummary {
  readonly name: string;
  readonly uuid: string;
  readonly shards: number;
  readonly bytes: number;
  readonly maxSegments: number;
}

/** A finished snapshot in the generation file. */
export interface SnapshotInfo {
  readonly name: string;
  readonly uuid: string;
  readonly version: string;
  readonly state: SnapshotState;
  readonly startMs: number;
  readonly endMs: number;
  readonly indices: readonly IndexSummary[];
  readonly includeGlobalState: boolean;
  /** As given by the user; null if none was given. */
  readonly metadata: JsonObject | null;
  readonly failures: readonly ShardFailure[];
  readonly totalShards: number;
  /** Names; absent in snapshots that were made before data streams were part of them. */
  readonly dataStreams?: readonly string[];
  /** Feature states (src/metadata/indices/snapshot-content.ts), likewise. */
  readonly features?: readonly string[];
  /** Name of the blob with the SnapshotDetails. */
  readonly details: BlobName;
}

/** Generation file: the list of all snapshots. */
export interface RepositoryContents {
  readonly format: number;
  /** Identifies the repository under any name that it is registered by. */
  readonly uuid: string;
  /** 0 for a repository without any file. */
  readonly generation: number;
  /** In the order of their creation. */
  readonly snapshots: readonly SnapshotInfo[];
}

/** SHA-256 of the contents in hexadecimal digits. */
export type BlobName = string;

export interface Blob {
  readonly blob: BlobName;
  readonly bytes: number;
}

/** Files and bytes: all that a shard consists of, and those that this snapshot added to the repository. */
export interface ShardSizes {
  readonly files: number;
  readonly bytes: number;
  readonly newFiles: number;
  readonly newBytes: number;
}

export interface ShardEntry extends ShardSizes {
  /** Blob of the ShardManifest; null if the shard failed. */
  readonly manifest: BlobName | null;
  readonly startMs: number;
  readonly endMs: number;
  readonly failure: string | null;
}

/** An index in a snapshot. */
export interface IndexEntry {
  readonly name: string;
  readonly uuid: string;
  /** The index's metadata as the cluster state has it. */
  readonly meta: JsonObject;
  readonly shards: readonly ShardEntry[];
}

export interface SnapshotDetails {
  readonly format: number;
  readonly indices: readonly IndexEntry[];
  /** Templates, pipelines, stored scripts and persistent settings; null without global state. */
  readonly globalState: JsonObject | null;
  /** DataStreams by name; absent as in SnapshotInfo. */
  readonly dataStreams?: Readonly<Record<string, JsonObject>>;
  /** By name, likewise. */
  readonly features?: Readonly<Record<string, JsonObject>>;
}

export interface SegmentBlob extends Blob {
  /** Name of the segment within its shard. */
  readonly name: string;
  /** Checksum of the image's header and table of contents, which contain the checksums of all sections. */
  readonly checksum: number;
  /** Bitset of live docs, base64; null if all are live. */
  readonly liveDocs: string | null;
}

/** Records of the operation log, which are the stored documents, with seqNos from `from` to `to`. */
export interface DocumentsBlob extends Blob {
  readonly from: number;
  readonly to: number;
  /** Number of records in the blob. */
  readonly records: number;
  /** seqNos of the records that the shard still had (see seq-no-set.ts); null if it had all of them. */
  readonly live: string | null;
  readonly liveRecords: number;
  /** seqNo and checksum of the last records in the blob, the last one first: they prove that a shard's log is the one from which the blob was made. */
  readonly tail: ReadonlyArray<readonly [seqNo: number, checksum: number]>;
}

/** All of a shard. */
export interface ShardManifest {
  readonly format: number;
  readonly point: CommitPoint;
  readonly segments: readonly SegmentBlob[];
  readonly documents: readonly DocumentsBlob[];
}

export interface ShardPlan {
  readonly shard: number;
  readonly log: number;
  /** null if the shard is not available. */
  readonly checkpoint: ShardCheckpoint | null;
  readonly failure: ApiErrorData | null;
}

/** The inputs of the snapshot thread for writing a snapshot. */
export interface SnapshotPlan {
  readonly name: string;
  readonly uuid: string;
  readonly version: string;
  readonly startMs: number;
  readonly indices: ReadonlyArray<{
    readonly name: string;
    readonly uuid: string;
    readonly meta: JsonObject;
    readonly shards: readonly ShardPlan[];
  }>;
  readonly includeGlobalState: boolean;
  readonly globalState: JsonObject | null;
  readonly dataStreams: Readonly<Record<string, JsonObject>>;
  readonly features: Readonly<Record<string, JsonObject>>;
  readonly metadata: JsonObject | null;
}

export type ShardStage = 'INIT' | 'STARTED' | 'FINALIZE' | 'DONE' | 'FAILURE';

/** Progress of one shard of a running snapshot. */
export interface ShardProgress {
  readonly stage: ShardStage;
  readonly startMs: number;
  readonly endMs: number;
  readonly files: number;
  readonly bytes: number;
  /** Files and bytes to be copied, as far as known. */
  readonly newFiles: number;
  readonly newBytes: number;
  readonly doneFiles: number;
  readonly doneBytes: number;
  readonly failure: string | null;
}
