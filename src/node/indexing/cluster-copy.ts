// A copy of a shard in a cluster: follows the shard's log in JetStream, or is the primary and appends to it, and stores snapshots for other copies.
import { setTimeout as sleep } from 'node:timers/promises';
import type { CopyRecovery } from '../../api/core/context.ts';
import type { JetStream } from '../../cluster/jetstream.ts';
import { takeSnapshot, trimLog } from '../../cluster/log-snapshots.ts';
import type { LogSubject } from '../../cluster/log-subject.ts';
import { indexStream, shardSubject } from '../../cluster/names.ts';
import { NOT_SENT } from '../../cluster/peers.ts';
import { BehindError, isRefillable, LOG_START, type LogPosition, ShardLog } from '../../cluster/shard-log.ts';
import { clusterTiming } from '../../cluster/timing.ts';
import { SharedCall } from '../../common/shared-call.ts';
import { ApiError } from '../../errors/api-error.ts';
import { NotPrimaryError, type OperationLog } from '../../indexing/operation-log.ts';
import type { ShardOutcome } from '../../indexing/shard-operation.ts';
import type { ShardWriter } from '../../indexing/shard-writer.ts';
import type { ShardIdentity } from '../../indexing/writer-environment.ts';
import type { SegmentFiles } from '../../store/segment-files.ts';
import type { Store } from '../../store/store.ts';
import type { PeerRequest } from '../messages/peer-messages.ts';
import type { NodeOptions } from '../threads/node-options.ts';
import type { CopyContent, CopySnapshots, FillProgress } from './copy-snapshots.ts';
import { type ShardCopy, unpackOperations, unpackOutcomes } from './shard-copy.ts';

/** How long a write waits for a primary. */
const PRIMARY_WAIT_MS = 30_000;
const PAUSE_MS = 100;
/** Pause after an attempt to store a snapshot or to trim the log. */
const SNAPSHOT_PAUSE_MS = 5000;

export interface ClusterCopyParts {
  readonly options: NodeOptions;
  readonly store: Store;
  /** Sends a request to another node, by way of main. */
  readonly ask: (node: string, request: PeerRequest) => Promise<Uint8Array | null>;
  readonly refreshOthers: (uuid: string, shard: number) => Promise<void>;
  readonly committedOthers: (uuid: string, shard: number) => Promise<readonly number[] | null>;
  /** Keeps the files and records of the shard's commits. @returns ends it */
  readonly hold: (identity: ShardIdentity) => () => void;
  readonly onSnapshotFailed: (identity: ShardIdentity, error: Error) => void;
  /** A copy cannot follow its log. @param isRefillable  it can be filled anew */
  readonly onFailed: (identity: ShardIdentity, error: Error, isRefillable: boolean) => void;
}

/** Key of the position of a copy in its log. */
export function positionKey({ log }: ShardIdentity): string {
  return `log-position/${log}`;
}

export class ClusterCopy implements ShardCopy {
  readonly log: OperationLog;
  readonly #identity: ShardIdentity;
  readonly #files: SegmentFiles;
  readonly #parts: ClusterCopyParts;
  readonly #jetStream: JetStream;
  readonly #snapshots: CopySnapshots;
  readonly #subject: LogSubject;
  readonly #filled: FillProgress | null;
  #filledMs = 0;
  /** Last operation of the store when it was opened. */
  readonly #openedSeqNo: number;
  /** Bytes of the log that the last snapshot contains, counted as ShardLog does; null until it is known what it lacks. */
  #snapshotBytes: number | null = null;
  #hasSnapshot = false;
  #snapshotting = false;
  #nextSnapshotMs = 0;
  /** The previous snapshot had to keep messages that other copies needed. */
  #isTrimDue = false;
  readonly #shardLog: ShardLog;
  #saved: LogPosition;
  #writer: ShardWriter | null = null;
  #primary: string | null = null;
  #isClosed = false;
  #isOpen = false;
  readonly #sync = new SharedCall(() => this.#shardLog.sync());

  constructor(
    identity: ShardIdentity,
    files: SegmentFiles,
    parts: ClusterCopyParts,
    jetStream: JetStream,
    snapshots: CopySnapshots,
    filled: FillProgress | null,
  ) {
    const { index, shard, uuid } = identity;
    const cluster = parts.options.clusterName;
    this.#identity = identity;
    this.#files = files;
    this.#parts = parts;
    this.#jetStream = jetStream;
    this.#snapshots = snapshots;
    this.#filled = filled;
    this.#subject = jetStream.subject(indexStream(cluster, uuid), shardSubject(cluster, uuid, shard), `the log of [${index}][${shard}]`);
    this.#saved = (parts.store.getMeta(positionKey(identity)) as LogPosition | null) ?? LOG_START;
    this.#openedSeqNo = this.#saved.seqNo;
    this.#shardLog = this.#makeLog();
    this.log = this.#shardLog;
  }

  #makeLog(): ShardLog {
    const { index, shard, log } = this.#identity;
    const { store, onFailed } = this.#parts;
    const writer = () => this.#requireWriter();
    const host = {
      index,
      shard,
      get maxSeqNo() {
        return writer().maxSeqNo;
      },
      termOf: (seqNo: number) => store.read(log, seqNo)?.primaryTerm ?? null,
      apply: (entries: Parameters<ShardWriter['replicate']>[0]) => writer().replicate(entries),
      put: (entries: Parameters<Store['append']>[1]) => store.append(log, entries),
      lead: (primaryTerm: number) => writer().lead(primaryTerm),
      failed: (error: Error) => onFailed(this.#identity, error, isRefillable(error)),
    };
    return new ShardLog(
      this.#subject,
      this.#saved,
      host,
      clusterTiming(() => this.#jetStream.disconnectedForMs),
    );
  }

  #requireWriter(): ShardWriter {
    if (this.#writer === null) throw new Error('the log is followed before the shard is open');
    return this.#writer;
  }

  start(writer: ShardWriter): void {
    this.#writer = writer;
    this.#open();
  }

  /** Runs in the background: a metadata command may open the shard, and operations of its log may need later commands. */
  async #open(): Promise<void> {
    try {
      await this.#untilReached(() => this.#prepareLog());
    } catch (error) {
      return this.#parts.onFailed(this.#identity, error as Error, isRefillable(error as Error));
    }
    if (this.#isClosed) return;
    await this.#shardLog.open();
    if (this.#isClosed) return;
    this.#isOpen = true;
    this.#filledMs = Date.now();
    this.#shardLog.setPrimary(this.#isPrimaryHere);
  }

  /** @throws BehindError a new copy is filled faster from a snapshot than from the log; ApiError */
  async #prepareLog(): Promise<void> {
    // A stream that this copy has read is not created again, which would hide its loss.
    if (this.#saved.seq !== 0) return;
    const { uuid } = this.#identity;
    const cluster = this.#parts.options.clusterName;
    const { snapshot } = await this.#snapshots.register(this.#identity).read();
    if (snapshot !== null) throw new BehindError(snapshot.position.seq, 0);
    await this.#jetStream.ensureStream(indexStream(cluster, uuid), [shardSubject(cluster, uuid, '*')]);
  }

  async #untilReached(action: () => Promise<void>): Promise<void> {
    while (!this.#isClosed) {
      try {
        return await action();
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        await sleep(PAUSE_MS);
      }
    }
  }

  get #isPrimaryHere(): boolean {
    return this.#primary === this.#parts.options.nodeId;
  }

  usePrimary(primary: string | null): void {
    this.#primary = primary;
    if (this.#isOpen && !this.#isClosed) this.#shardLog.setPrimary(this.#isPrimaryHere);
  }

  async write(packed: Uint8Array): Promise<ShardOutcome[]> {
    const until = performance.now() + PRIMARY_WAIT_MS;
    for (;;) {
      const outcomes = await this.#tryWrite(packed);
      if (outcomes !== null) return outcomes;
      if (this.#isClosed) throw new NotPrimaryError(this.#identity);
      if (performance.now() > until) throw this.#noPrimaryError();
      await sleep(PAUSE_MS / 2);
    }
  }

  /** @returns null: nothing was written, since the primary is not known or has changed */
  async #tryWrite(packed: Uint8Array): Promise<ShardOutcome[] | null> {
    const { uuid, shard } = this.#identity;
    try {
      if (this.#isPrimaryHere) return await this.writeHere(packed);
      if (this.#primary === null) return null;
      const reply = await this.#parts.ask(this.#primary, { kind: 'write', uuid, shard, operations: packed });
      return reply === null ? null : unpackOutcomes(reply);
    } catch (error) {
      if (error instanceof ApiError && NOTHING_WRITTEN.includes(error.type)) return null;
      throw error;
    }
  }

  async writeHere(packed: Uint8Array): Promise<ShardOutcome[]> {
    if (!this.#shardLog.isPrimary) throw new NotPrimaryError(this.#identity);
    const { seq } = this.#shardLog.position;
    const outcomes = await this.#requireWriter().apply(unpackOperations(packed));
    // What changes nothing, such as a conflict, was decided without the log: by this copy alone, which another primary may have replaced.
    if (this.#shardLog.position.seq === seq) await this.#shardLog.confirmPrimary();
    return outcomes;
  }

  #noPrimaryError(): ApiError {
    const { index, shard, uuid } = this.#identity;
    return new ApiError(
      'unavailable_shards_exception',
      503,
      `[${index}][${shard}] primary shard is not active Timeout: [${PRIMARY_WAIT_MS / 1000}s]`,
      { details: { index, shard: String(shard), index_uuid: uuid } },
    );
  }

  sync(): Promise<void> {
    return this.#sync.run();
  }

  get mayBeStale(): boolean {
    return this.#parts.options.settings['cluster.stale_reads'] !== 0 && !this.#shardLog.hasFailed;
  }

  refreshOthers(): Promise<void> {
    return this.#parts.refreshOthers(this.#identity.uuid, this.#identity.shard);
  }

  progressOf(): number {
    return Number.POSITIVE_INFINITY;
  }

  get committed(): number {
    return this.#saved.seq;
  }

  get recovery(): CopyRecovery | null {
    if (this.#filled === null) return null;
    const { startMs, files, bytes } = this.#filled;
    const operations = this.#requireWriter().maxSeqNo - this.#openedSeqNo;
    return { stage: this.#isOpen ? 'DONE' : 'TRANSLOG', startMs, stopMs: this.#filledMs, files, bytes, operations };
  }

  saveProgress(): void {
    const { position } = this.#shardLog;
    if (position.seq === this.#saved.seq) return;
    this.#saved = position;
    this.#parts.store.putMeta(new Map([[positionKey(this.#identity), position]]));
  }

  // ------------------------------------------------------------------------------------------------------- snapshots

  snapshotIfDue(): void {
    if (this.#snapshotting || !this.#shardLog.isPrimary || performance.now() < this.#nextSnapshotMs) return;
    const grown = this.#shardLog.loggedBytes - (this.#snapshotBytes ?? 0);
    const isDue = this.#snapshotBytes === null || grown >= this.#parts.options.settings['cluster.snapshot.log_size'];
    if (!isDue && !this.#isTrimDue) return;
    this.#snapshotting = true;
    this.#snapshot(isDue)
      .catch((error: Error) => {
        if (!this.#isClosed) this.#parts.onSnapshotFailed(this.#identity, error);
      })
      .finally(() => {
        this.#snapshotting = false;
        this.#nextSnapshotMs = performance.now() + SNAPSHOT_PAUSE_MS;
      });
  }

  async #snapshot(isDue: boolean): Promise<void> {
    const register = this.#snapshots.register(this.#identity);
    if (this.#snapshotBytes === null && !(await this.#isLogLarge())) {
      this.#snapshotBytes = 0;
      return;
    }
    if (!isDue) {
      const { snapshot } = await register.read();
      if (snapshot !== null) await this.#trim(snapshot);
      return;
    }
    const log = this.#shardLog;
    const bytes = log.loggedBytes;
    let replaced: CopyContent | null = null;
    const release = this.#parts.hold(this.#identity);
    try {
      const snapshot = await takeSnapshot(register, {
        get position() {
          return log.position;
        },
        save: async (before) => {
          const { store } = this.#parts;
          const checkpoint = await this.#requireWriter().checkpoint();
          this.saveProgress();
          const content = await this.#snapshots.save(this.#identity, { store, files: this.#files }, checkpoint, before, !this.#hasSnapshot);
          replaced = before;
          return content;
        },
      });
      if (snapshot === null) return;
      this.#snapshotBytes = bytes;
      this.#hasSnapshot = true;
      await this.#trim(snapshot);
      if (replaced !== null) await this.#snapshots.clean(this.#identity, replaced, snapshot.content);
    } finally {
      release();
    }
  }

  /** What the log has grown since the last snapshot is not known after a start: the size of the stream decides. */
  async #isLogLarge(): Promise<boolean> {
    const { options } = this.#parts;
    const bytes = await this.#jetStream.streamBytes(indexStream(options.clusterName, this.#identity.uuid));
    return bytes >= options.settings['cluster.snapshot.log_size'];
  }

  async #trim(snapshot: { readonly position: LogPosition; readonly content: CopyContent }): Promise<void> {
    const { uuid, shard } = this.#identity;
    const others = await this.#parts.committedOthers(uuid, shard);
    this.#isTrimDue = others === null || others.some((seq) => seq < snapshot.position.seq);
    if (others !== null) await trimLog(this.#subject, snapshot, [this.#saved.seq, ...others]);
  }

  forget(): void {
    this.close();
    this.#parts.store.putMeta(new Map([[positionKey(this.#identity), undefined]]));
  }

  close(): void {
    this.#isClosed = true;
    this.#shardLog.close();
  }
}

/** Errors after which a write may be retried. */
const NOTHING_WRITTEN = ['shard_not_in_primary_mode_exception', NOT_SENT];
