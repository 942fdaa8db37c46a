// Snapshots of the metadata: the state and the users as of a position of the metadata log, in JetStream. The manager stores them and trims the log;
// a node that lacks trimmed entries adopts the newest one.
import { randomBytes } from 'node:crypto';
import type { KV } from '@nats-io/kv';
import type { JetStream } from '../../cluster/jetstream.ts';
import { type SnapshotRegister, takeSnapshot, trimLog } from '../../cluster/log-snapshots.ts';
import type { LogSubject } from '../../cluster/log-subject.ts';
import { METADATA_KEY, metadataBucket, snapshotsBucket } from '../../cluster/names.ts';
import { LOG_START } from '../../cluster/shard-log.ts';
import { SNAPSHOT_VERSION, snapshotRegister } from '../../cluster/snapshot-register.ts';
import { parseJson } from '../../common/json/json-parse.ts';
import { writeJson } from '../../common/json/json-write.ts';
import type { ClusterState } from '../../metadata/cluster-state.ts';
import type { SecurityChange } from '../../security/records.ts';
import type { BlobStore } from '../../snapshots/blob-store.ts';

/** A snapshot is due after so many entries, or `cluster.snapshot.log_size` of them. */
const MAX_ENTRIES = 500;
const STATES = 'state-';

/** All that the entries of the metadata log have made. */
export interface MetadataContent {
  readonly state: ClusterState;
  readonly security: readonly SecurityChange[];
  /** `compat.flavor` and `compat.version` of all nodes. */
  readonly flavor: string;
  readonly dialect: string;
}

interface MetadataPointer {
  readonly version: number;
  readonly blob: string;
}

export class MetadataSnapshots {
  readonly blobs: BlobStore;
  readonly #register: SnapshotRegister<MetadataPointer>;
  readonly #maxBytes: number;
  #taken: { readonly seq: number; readonly loggedBytes: number } | null = null;

  private constructor(jetStream: JetStream, blobs: BlobStore, bucket: KV, maxBytes: number) {
    this.blobs = blobs;
    this.#register = snapshotRegister(jetStream, bucket, METADATA_KEY, 'the snapshot of the metadata');
    this.#maxBytes = maxBytes;
  }

  static async open(jetStream: JetStream, cluster: string, maxBytes: number): Promise<MetadataSnapshots> {
    const bucket = await jetStream.bucket(snapshotsBucket(cluster), 0);
    return new MetadataSnapshots(jetStream, await jetStream.blobs(metadataBucket(cluster), ''), bucket, maxBytes);
  }

  /** The newest snapshot; null if there is none. @throws ApiError JetStream cannot be reached; Error it is not there */
  async newest(): Promise<{ readonly position: number; readonly content: MetadataContent } | null> {
    const { snapshot } = await this.#register.read();
    if (snapshot === null) return null;
    const bytes = await this.blobs.read(snapshot.content.blob);
    if (bytes === null) throw new Error(`the snapshot [${snapshot.content.blob}] of the metadata is missing`);
    return { position: snapshot.position.seq, content: parseJson(bytes.toString('utf8')) as MetadataContent };
  }

  /** @param loggedBytes  of the entries that this node has read or appended since it was started */
  async isDue(position: number, loggedBytes: number): Promise<boolean> {
    if (this.#taken === null) this.#taken = { seq: (await this.#register.read()).snapshot?.position.seq ?? 0, loggedBytes: 0 };
    const { seq, loggedBytes: before } = this.#taken;
    return position - seq >= MAX_ENTRIES || loggedBytes - before >= this.#maxBytes;
  }

  /**
   * Stores a snapshot, and trims the log to what it and all live nodes have.
   * @param applied  positions up to which the live nodes have applied the log
   */
  async take(
    subject: LogSubject,
    position: number,
    loggedBytes: number,
    content: MetadataContent,
    applied: readonly number[],
  ): Promise<void> {
    const source = {
      position: { ...LOG_START, seq: position },
      save: async () => {
        const blob = `${STATES}${position}-${randomBytes(9).toString('hex')}`;
        await this.blobs.replace(blob, Buffer.from(writeJson(content)));
        return { version: SNAPSHOT_VERSION, blob };
      },
    };
    const snapshot = await takeSnapshot(this.#register, source);
    if (snapshot === null) return;
    const before = this.#taken?.seq ?? 0;
    this.#taken = { seq: snapshot.position.seq, loggedBytes };
    await trimLog(subject, snapshot, applied);
    await this.#clean(Math.min(before, ...applied));
  }

  /** Removes states before the previous one, which a node may be reading, and stored entries before a trimmed position. */
  async #clean(before: number): Promise<void> {
    const unused: string[] = [];
    for await (const { name } of this.blobs.list('')) {
      const match = /^(?:state|entry)-(\d+)-/.exec(name);
      if (match !== null && Number(match[1]) < before) unused.push(name);
    }
    await this.blobs.remove(unused);
  }
}
