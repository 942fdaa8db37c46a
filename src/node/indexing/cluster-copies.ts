// Copies of shards in a cluster: each follows the shard's log in JetStream, or is the primary and appends to it.
import { setTimeout as sleep } from 'node:timers/promises';
import { patiently } from '../../cluster/cluster-start.ts';
import { JetStream } from '../../cluster/jetstream.ts';
import type { LogSubject } from '../../cluster/log-subject.ts';
import { indexStream, shardSubject } from '../../cluster/names.ts';
import { NOT_SENT } from '../../cluster/peers.ts';
import { LOG_START, type LogPosition, ShardLog } from '../../cluster/shard-log.ts';
import { CLUSTER_TIMING } from '../../cluster/timing.ts';
import { ApiError } from '../../errors/api-error.ts';
import { NotPrimaryError, type OperationLog } from '../../indexing/operation-log.ts';
import type { ShardOutcome } from '../../indexing/shard-operation.ts';
import type { ShardWriter } from '../../indexing/shard-writer.ts';
import type { ShardIdentity } from '../../indexing/writer-environment.ts';
import type { Store } from '../../store/store.ts';
import type { PeerRequest } from '../messages/peer-messages.ts';
import type { NodeOptions } from '../threads/node-options.ts';
import { type ShardCopy, unpackOperations, unpackOutcomes } from './shard-copy.ts';

/** How long a write waits for a primary. */
const PRIMARY_WAIT_MS = 30_000;
const PAUSE_MS = 100;

export interface ClusterCopiesParts {
  readonly options: NodeOptions;
  readonly store: Store;
  /** Sends a request to another node, by way of main. */
  readonly ask: (node: string, request: PeerRequest) => Promise<Uint8Array | null>;
  readonly refreshOthers: (uuid: string, shard: number) => Promise<void>;
  /** A copy cannot follow its log. */
  readonly onFailed: (identity: ShardIdentity, error: Error) => void;
}

export class ClusterCopies {
  readonly #parts: ClusterCopiesParts;
  readonly #jetStream: JetStream;

  private constructor(parts: ClusterCopiesParts, jetStream: JetStream) {
    this.#parts = parts;
    this.#jetStream = jetStream;
  }

  /** @param number  of the indexer */
  static async connect(parts: ClusterCopiesParts, number: number): Promise<ClusterCopies> {
    const { settings, nodeName } = parts.options;
    // Main has reported why it waits.
    const jetStream = await patiently(
      () => JetStream.connect(settings, `${nodeName} indexer ${number}`),
      () => undefined,
    );
    return new ClusterCopies(parts, jetStream);
  }

  make(identity: ShardIdentity): ShardCopy {
    return new ClusterCopy(identity, this.#parts, this.#jetStream);
  }

  close(): Promise<void> {
    return this.#jetStream.close();
  }
}

class ClusterCopy implements ShardCopy {
  readonly log: OperationLog;
  readonly #identity: ShardIdentity;
  readonly #parts: ClusterCopiesParts;
  readonly #jetStream: JetStream;
  readonly #shardLog: ShardLog;
  readonly #savedUnder: string;
  #saved: LogPosition;
  #writer: ShardWriter | null = null;
  #primary: string | null = null;
  #isClosed = false;
  #isOpen = false;
  /** The sync that has not been sent yet; callers that come before it is sent share it. */
  #nextSync: Promise<void> | null = null;
  #lastSync: Promise<void> = Promise.resolve();

  constructor(identity: ShardIdentity, parts: ClusterCopiesParts, jetStream: JetStream) {
    this.#identity = identity;
    this.#parts = parts;
    this.#jetStream = jetStream;
    this.#savedUnder = `log-position/${identity.log}`;
    this.#saved = (parts.store.getMeta(this.#savedUnder) as LogPosition | null) ?? LOG_START;
    this.#shardLog = this.#makeLog();
    this.log = this.#shardLog;
  }

  #makeLog(): ShardLog {
    const { index, shard, uuid, log } = this.#identity;
    const { store, options, onFailed } = this.#parts;
    const writer = () => this.#requireWriter();
    const cluster = options.clusterName;
    const subject: LogSubject = this.#jetStream.subject(
      indexStream(cluster, uuid),
      shardSubject(cluster, uuid, shard),
      `the log of [${index}][${shard}]`,
    );
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
      failed: (error: Error) => onFailed(this.#identity, error),
    };
    return new ShardLog(subject, this.#saved, host, CLUSTER_TIMING);
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
    const { uuid } = this.#identity;
    const cluster = this.#parts.options.clusterName;
    while (!this.#isClosed) {
      try {
        // A stream that this copy has read is not created again, which would hide its loss.
        if (this.#saved.seq === 0) await this.#jetStream.ensureStream(indexStream(cluster, uuid), [shardSubject(cluster, uuid, '*')]);
        break;
      } catch (error) {
        if (!(error instanceof ApiError)) return this.#parts.onFailed(this.#identity, error as Error);
        await sleep(PAUSE_MS);
      }
    }
    await this.#shardLog.open();
    if (this.#isClosed) return;
    this.#isOpen = true;
    this.#shardLog.setPrimary(this.#isPrimaryHere);
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
      if (performance.now() > until || this.#isClosed) throw this.#noPrimaryError();
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
    return this.#requireWriter().apply(unpackOperations(packed));
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
    this.#nextSync ??= this.#lastSync
      .catch(() => undefined)
      .then(() => {
        this.#nextSync = null;
        this.#lastSync = this.#shardLog.sync();
        return this.#lastSync;
      });
    return this.#nextSync;
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

  saveProgress(): void {
    const { position } = this.#shardLog;
    if (position.seq === this.#saved.seq) return;
    this.#saved = position;
    this.#parts.store.putMeta(new Map([[this.#savedUnder, position]]));
  }

  forget(): void {
    this.close();
    this.#parts.store.putMeta(new Map([[this.#savedUnder, undefined]]));
  }

  close(): void {
    this.#isClosed = true;
    this.#shardLog.close();
  }
}

/** Errors after which a write may be retried. */
const NOTHING_WRITTEN = ['shard_not_in_primary_mode_exception', NOT_SENT];
