// Snapshots of copies in JetStream: segments and documents as blobs of the index's object store, and one entry for each shard in a key-value bucket,
// which names the newest. New copies, and those whose log was trimmed in the meantime, are filled from them.
import type { KV } from '@nats-io/kv';
import type { JetStream } from '../../cluster/jetstream.ts';
import type { SnapshotRegister } from '../../cluster/log-snapshots.ts';
import { segmentsBucket, shardSnapshotKey, snapshotsBucket } from '../../cluster/names.ts';
import { SNAPSHOT_VERSION, snapshotRegister } from '../../cluster/snapshot-register.ts';
import type { ShardIdentity } from '../../indexing/writer-environment.ts';
import { BLOB_FOLDER, blobPath } from '../../snapshots/blob-store.ts';
import { Repository } from '../../snapshots/repository.ts';
import { restoreShard } from '../../snapshots/restore-shard.ts';
import { copyShard } from '../../snapshots/snapshot-shard.ts';
import type { ShardManifest } from '../../snapshots/snapshot-types.ts';
import type { SegmentFiles } from '../../store/segment-files.ts';
import type { ShardCheckpoint, Store } from '../../store/store.ts';

/** Blobs that are remembered for removal; the rest is found by listing. */
const MAX_UNUSED = 2000;

/** What the entry of a shard names. */
export interface CopyContent {
  readonly version: number;
  /** Blob of the ShardManifest. */
  readonly manifest: string;
  readonly files: number;
  readonly bytes: number;
  /** Blobs that this snapshot does not need. The next one removes them, so that copies which are being filled from the previous one can finish. */
  readonly unused: readonly string[];
}

/** A store that is copied from or into. */
export interface CopyStore {
  readonly store: Store;
  readonly files: SegmentFiles;
}

/** Progress of filling a copy. */
export interface FillProgress {
  readonly startMs: number;
  readonly files: { total: number; recovered: number };
  readonly bytes: { total: number; recovered: number };
}

export class CopySnapshots {
  readonly #jetStream: JetStream;
  readonly #cluster: string;
  readonly #bucket: KV;

  private constructor(jetStream: JetStream, cluster: string, bucket: KV) {
    this.#jetStream = jetStream;
    this.#cluster = cluster;
    this.#bucket = bucket;
  }

  static async open(jetStream: JetStream, cluster: string): Promise<CopySnapshots> {
    return new CopySnapshots(jetStream, cluster, await jetStream.bucket(snapshotsBucket(cluster), 0));
  }

  register({ index, uuid, shard }: ShardIdentity): SnapshotRegister<CopyContent> {
    const key = shardSnapshotKey(uuid, shard);
    const what = `the snapshot of [${index}][${shard}]`;
    return snapshotRegister(this.#jetStream, this.#bucket, key, what);
  }

  async #repository({ uuid, shard }: ShardIdentity): Promise<Repository> {
    const bucket = segmentsBucket(this.#cluster, uuid);
    return new Repository(bucket, await this.#jetStream.blobs(bucket, `${shard}/`), false);
  }

  /**
   * Saves a commit point. @param before  content of the previous snapshot
   * @param isFirst  the previous one is of another node, which may have left blobs that nothing names
   */
  async save(
    identity: ShardIdentity,
    { store, files }: CopyStore,
    checkpoint: ShardCheckpoint,
    before: CopyContent | null,
    isFirst: boolean,
  ): Promise<CopyContent> {
    const repository = await this.#repository(identity);
    const previous = before === null ? null : await repository.manifest(before.manifest);
    const { manifest, sizes } = await copyShard(
      repository,
      { store, log: identity.log, files, checkpoint, previous },
      { onPlan: () => undefined, onCopied: () => undefined, pause: async () => undefined },
    );
    const stored = await repository.putJson(manifest);
    const needed = blobsOf(stored.blob, manifest);
    const unused = new Set(before === null || previous === null ? [] : blobsOf(before.manifest, previous));
    if (isFirst) for await (const { name } of repository.blobs.list(BLOB_FOLDER)) unused.add(name.slice(name.lastIndexOf('/') + 1));
    return {
      version: SNAPSHOT_VERSION,
      manifest: stored.blob,
      files: sizes.files + 1,
      bytes: sizes.bytes + stored.bytes,
      unused: [...unused].filter((blob) => !needed.has(blob)).slice(0, MAX_UNUSED),
    };
  }

  /** Removes what was unused before the snapshot that has replaced `before`. */
  async clean(identity: ShardIdentity, before: CopyContent, now: CopyContent): Promise<void> {
    if (before.unused.length === 0) return;
    const repository = await this.#repository(identity);
    const needed = blobsOf(now.manifest, await repository.manifest(now.manifest));
    await repository.blobs.remove(before.unused.filter((blob) => !needed.has(blob)).map(blobPath));
  }

  /**
   * Replaces a store by a snapshot. @param check  throws to end it
   * @throws ApiError a blob is missing or damaged, the disk is full
   */
  async fill(
    identity: ShardIdentity,
    { store, files }: CopyStore,
    content: CopyContent,
    progress: FillProgress,
    check: () => void,
  ): Promise<void> {
    const repository = await this.#repository(identity);
    const manifest = await repository.manifest(content.manifest);
    progress.files.total = manifest.segments.length + manifest.documents.length;
    progress.bytes.total = [...manifest.segments, ...manifest.documents].reduce((sum, { bytes }) => sum + bytes, 0);
    await restoreShard(
      repository,
      manifest,
      { store, log: identity.log, files },
      {
        pause: async () => check(),
        onRestored: (count, bytes) => {
          progress.files.recovered += count;
          progress.bytes.recovered += bytes;
        },
      },
    );
  }
}

function blobsOf(name: string, { segments, documents }: ShardManifest): Set<string> {
  return new Set([name, ...segments.map(({ blob }) => blob), ...documents.map(({ blob }) => blob)]);
}
