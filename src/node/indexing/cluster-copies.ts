// Opens the copies of shards in a cluster, and fills them from snapshots.
import { setTimeout as sleep } from 'node:timers/promises';
import { patiently } from '../../cluster/cluster-start.ts';
import { JetStream } from '../../cluster/jetstream.ts';
import { indexStream, shardSubject } from '../../cluster/names.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { ShardIdentity } from '../../indexing/writer-environment.ts';
import type { SegmentFiles } from '../../store/segment-files.ts';
import { ClusterCopy, type ClusterCopyParts, positionKey } from './cluster-copy.ts';
import { CopySnapshots, type FillProgress } from './copy-snapshots.ts';
import type { ShardCopy } from './shard-copy.ts';

const PAUSE_MS = 100;
/** A snapshot may be replaced, and its blobs removed, while a copy is filled from it. */
const FILL_ATTEMPTS = 3;

export class ClusterCopies {
  readonly #parts: ClusterCopyParts;
  readonly #jetStream: JetStream;
  readonly #snapshots: CopySnapshots;
  #isCancelled = false;

  private constructor(parts: ClusterCopyParts, jetStream: JetStream, snapshots: CopySnapshots) {
    this.#parts = parts;
    this.#jetStream = jetStream;
    this.#snapshots = snapshots;
  }

  /** @param number  of the indexer */
  static async connect(parts: ClusterCopyParts, number: number): Promise<ClusterCopies> {
    const { settings, nodeName, clusterName } = parts.options;
    // Main has reported why it waits.
    const inSilence = () => undefined;
    const jetStream = await patiently(() => JetStream.connect(settings, `${nodeName} indexer ${number}`), inSilence);
    return new ClusterCopies(parts, jetStream, await patiently(() => CopySnapshots.open(jetStream, clusterName), inSilence));
  }

  /** @param filled  how the copy was filled; null if it was not */
  async make(identity: ShardIdentity, files: SegmentFiles, filled: FillProgress | null): Promise<ShardCopy> {
    const { store } = this.#parts;
    // The node ended while the copy was being filled, so the store may lack any of its contents.
    if (store.getMeta(fillingKey(identity)) !== null) await this.#empty(identity, files);
    return new ClusterCopy(identity, files, this.#parts, this.#jetStream, this.#snapshots, filled);
  }

  async #empty(identity: ShardIdentity, files: SegmentFiles): Promise<void> {
    const { store } = this.#parts;
    store.putMeta(new Map([[positionKey(identity), undefined]]));
    files.removeAll();
    await store.drop(identity.log);
    store.putMeta(new Map([[fillingKey(identity), undefined]]));
  }

  /**
   * Replaces the contents of a closed copy by the newest snapshot; without one the copy is empty afterwards.
   * @throws ApiError a blob is missing or damaged, or the disk is full; UnknownVersionError
   */
  async fill(identity: ShardIdentity, files: SegmentFiles, progress: FillProgress): Promise<void> {
    const { store } = this.#parts;
    const register = this.#snapshots.register(identity);
    store.putMeta(new Map([[fillingKey(identity), true]]));
    for (let attempt = 1; ; attempt++) {
      const { snapshot, revision } = await this.#untilReached(() => register.read());
      if (snapshot === null) {
        await this.#checkComplete(identity);
        return this.#empty(identity, files);
      }
      try {
        await this.#snapshots.fill(identity, { store, files }, snapshot.content, progress, () => this.#checkCancelled());
      } catch (error) {
        this.#checkCancelled();
        const { revision: newest } = await this.#untilReached(() => register.read());
        if (newest === revision && attempt >= FILL_ATTEMPTS) throw error;
        await sleep(PAUSE_MS);
        continue;
      }
      store.putMeta(
        new Map<string, unknown>([
          [positionKey(identity), snapshot.position],
          [fillingKey(identity), undefined],
        ]),
      );
      return;
    }
  }

  /** @throws Error the log has been trimmed, so that without a snapshot nothing could fill the copy */
  async #checkComplete({ index, uuid, shard }: ShardIdentity): Promise<void> {
    const { clusterName } = this.#parts.options;
    const what = `the log of [${index}][${shard}]`;
    const subject = this.#jetStream.subject(indexStream(clusterName, uuid), shardSubject(clusterName, uuid, shard), what);
    const first = await this.#untilReached(() => subject.next(0));
    if (first !== null && first.after !== 0)
      throw new Error(`${what} begins with message ${first.seq}, and no snapshot contains what came before`);
  }

  /** Repeats an action while JetStream cannot be reached. @throws ApiError the node is stopping */
  async #untilReached<T>(action: () => Promise<T>): Promise<T> {
    for (;;) {
      this.#checkCancelled();
      try {
        return await action();
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        await sleep(PAUSE_MS);
      }
    }
  }

  #checkCancelled(): void {
    if (this.#isCancelled) throw new ApiError('node_closed_exception', 503, 'the node is stopping');
  }

  /** Ends the filling of copies; it begins again when the node starts. */
  cancel(): void {
    this.#isCancelled = true;
  }

  close(): Promise<void> {
    return this.#jetStream.close();
  }
}

/** Key of the mark of a store that is being filled. */
function fillingKey({ log }: ShardIdentity): string {
  return `log-filling/${log}`;
}
