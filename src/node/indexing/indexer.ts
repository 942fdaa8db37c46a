// An indexer: the only writer of the shards it owns. Runs in a thread of its own, or in the main thread when `threads` is 1.
// One class, since each message and each turn of the clock concerns the same open shards; writers, copies and buffers are files of their own.
import { isMainThread, type MessagePort } from 'node:worker_threads';
import { SegmentSorter } from '../../arena/segment-sorter.ts';
import { collectGarbage } from '../../common/turns/collect-garbage.ts';
import { ApiError } from '../../errors/api-error.ts';
import { BufferPool } from '../../indexing/buffer-pool.ts';
import { NotPrimaryError } from '../../indexing/operation-log.ts';
import type { SnapshotDescriptor } from '../../indexing/segment-set.ts';
import { readShardSettings } from '../../indexing/shard-settings.ts';
import { ShardWriter } from '../../indexing/shard-writer.ts';
import type { ShardIdentity, WriterEnvironment } from '../../indexing/writer-environment.ts';
import type { ClusterState } from '../../metadata/cluster-state.ts';
import { hasCopy } from '../../metadata/copies.ts';
import { applyChange } from '../../metadata/state-change.ts';
import { SegmentFiles } from '../../store/segment-files.ts';
import type { ShardCheckpoint, Store } from '../../store/store.ts';
import { ThreadArenas } from '../memory/arenas.ts';
import { Channel, Transferred } from '../messages/channel.ts';
import type { FromIndexer, ShardPlacement, ShardRequest, ToIndexer } from '../messages/messages.ts';
import type { ShardPeerRequest } from '../messages/peer-messages.ts';
import { buildAnalysis } from '../metadata/build-index.ts';
import { IndexStates } from '../metadata/index-states.ts';
import { decodeChange } from '../metadata/state-encoding.ts';
import { provideCompilerOfStoredQueries } from '../metadata/stored-queries.ts';
import type { NodeOptions } from '../threads/node-options.ts';
import { type CopyFactory, makeCopies } from './copy-factory.ts';
import type { FillProgress } from './copy-snapshots.ts';
import { writerEnvironment } from './indexer-environment.ts';
import { IndexerTraces } from './indexer-traces.ts';
import {
  documentOf,
  fillingStats,
  type OpenShard,
  packCommitted,
  ShardHolds,
  shardKey,
  unavailableError,
  writerStats,
} from './open-shard.ts';
import { packOutcomes } from './shard-copy.ts';

/** Interval between checks for scheduled refreshes and flushes. */
const TICK_MS = 100;
/** Uncommitted operations are flushed after this time, so that recovery replays little. */
const FLUSH_AFTER_MS = 5_000;
/** Shorter delay while new segments take much of memory.limit: their memory is freed once they are on disk. */
const SCARCE_FLUSH_AFTER_MS = 1_000;
/** Open buffers return their memory to the system after this time without writes: they may be what keeps a small `memory.limit` from accepting any. */
const DROP_BUFFERS_AFTER_MS = 5_000;

/** A copy that was filled anew, and the generation of the last snapshot before. */
interface Filled {
  readonly progress: FillProgress;
  readonly generation: number;
}

export class Indexer {
  readonly #options: NodeOptions;
  readonly #store: Store;
  readonly #main: Channel<FromIndexer, ToIndexer>;
  readonly #arenas: ThreadArenas;
  readonly #states: IndexStates;
  readonly #shards = new Map<string, OpenShard>();
  /** Shards that are being opened; requests to them wait. */
  readonly #opening = new Map<string, Promise<void>>();
  readonly #holds = new ShardHolds();
  /** Copies that are being filled from a snapshot. */
  readonly #filling = new Map<string, FillProgress>();
  readonly #copies: Promise<CopyFactory>;
  readonly #buffers: BufferPool;
  readonly #environment: WriterEnvironment;
  readonly #timer: NodeJS.Timeout;
  readonly #traces: IndexerTraces;
  #nextSegmentId: number;

  constructor(port: MessagePort, module: WebAssembly.Module, store: Store, options: NodeOptions, number: number) {
    this.#options = options;
    this.#store = store;
    this.#arenas = new ThreadArenas(module);
    provideCompilerOfStoredQueries();
    this.#states = new IndexStates(options);
    // Segment ids are unique in the node: each indexer has its own range, main uses the range below.
    this.#nextSegmentId = (number + 1) * 2 ** 40;
    this.#main = new Channel<FromIndexer, ToIndexer>(port, (message) => this.#onMain(message));
    store.onDamage ??= (log, reason) => this.#main.notify({ type: 'damaged', log, reason });
    this.#buffers = new BufferPool(module, options.indexBufferBytes);
    this.#environment = writerEnvironment({
      store,
      main: this.#main,
      arenas: this.#arenas,
      states: this.#states,
      holds: this.#holds,
      buffers: this.#buffers,
      sorter: new SegmentSorter(module),
      nextSegmentId: () => this.#nextSegmentId++,
      logError: (message, error) => this.#logError(message, error),
    });
    this.#traces = new IndexerTraces(options, number, (message) => this.#main.notify({ type: 'log', level: 'warn', message }));
    this.#copies = makeCopies(
      {
        options,
        store,
        main: this.#main,
        holds: this.#holds,
        logError: (message, error) => this.#logError(message, error),
        onFailed: (identity, error, isRefillable) => this.#onCopyFailed(identity, error, isRefillable),
      },
      number,
    );
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  #onMain(message: ToIndexer): unknown {
    switch (message.type) {
      case 'arena':
        return this.#arenas.add(message);
      case 'state':
        return this.#onState(message.state);
      case 'stateChange':
        return this.#onState(applyChange(this.#states.cluster, decodeChange(message.change)));
      case 'openShard':
        return this.#startOpening(message.placement, message.snapshot);
      case 'closeShard':
        return this.#closeShard(message);
      case 'released':
        for (const { writer } of this.#shards.values()) for (const id of message.segments) writer.segmentReleased(id);
        return;
      case 'connect': {
        new Channel<never, ShardRequest>(message.port, (request) => this.#onShardRequest(request));
        return;
      }
      case 'holdShard':
        return this.#holdShard(message.uuid, message.shard, message.log);
      case 'releaseShard':
        return this.#holds.release(shardKey(message.uuid, message.shard));
      case 'peer':
        return this.#onPeer(message.request);
      case 'checkAnalysis':
        buildAnalysis(message.settings, this.#options, true, message.synonymSets);
        return;
      case 'stop':
        return this.#stop();
    }
  }

  #onState(state: ClusterState): void {
    const shards = [...this.#shards.values()];
    const before = shards.map(({ writer }) => this.#states.byUuid(writer.identity.uuid));
    this.#states.update(state);
    for (const [i, { writer, copy }] of shards.entries()) {
      if (before[i] !== this.#states.byUuid(writer.identity.uuid)) this.#useState(writer);
      copy.usePrimary(this.#primaryOf(writer.identity.uuid));
    }
  }

  #primaryOf(uuid: string): string | null {
    return this.#states.cluster.primaries?.[uuid] ?? null;
  }

  #useState(writer: ShardWriter): void {
    const state = this.#states.byUuid(writer.identity.uuid);
    if (!state) return;
    writer.useMapping(state.mapping, state.analysis);
    writer.useSettings(readShardSettings(state.meta.settings, this.#options.settings['memory.limit']));
  }

  #startOpening(placement: ShardPlacement, snapshot: SnapshotDescriptor | null): Promise<void> {
    return this.#opens(placement, this.#openShard(placement, snapshot, null));
  }

  #opens({ uuid, shard }: ShardPlacement, opened: Promise<void>): Promise<void> {
    const key = shardKey(uuid, shard);
    const opening = opened.finally(() => this.#opening.delete(key));
    this.#opening.set(key, opening);
    return opening;
  }

  /** The open shard; undefined if it belongs to another indexer or could not be opened. */
  async #openedShard(uuid: string, shard: number): Promise<OpenShard | undefined> {
    const key = shardKey(uuid, shard);
    await this.#opening.get(key)?.catch(() => undefined);
    return this.#shards.get(key);
  }

  /** @param filled  what came before, if the copy was filled anew */
  async #openShard(placement: ShardPlacement, snapshot: SnapshotDescriptor | null, filled: Filled | null): Promise<void> {
    const { uuid, shard, log } = placement;
    const state = this.#states.byUuid(uuid);
    if (!state) throw new Error(`no metadata of index ${uuid}`);
    const files = new SegmentFiles(this.#options.dataPath, uuid, shard);
    const identity = { index: state.meta.name, uuid, shard, log };
    const copy = await (await this.#copies).make(identity, files, filled?.progress ?? null);
    const storage = { files, log: copy.log, generation: filled?.generation };
    const writer = new ShardWriter(identity, state.mapping, state.analysis, storage, this.#environment);
    writer.useSettings(readShardSettings(state.meta.settings, this.#options.settings['memory.limit']));
    const progress = new Float64Array(placement.progress);
    await writer.recover(snapshot);
    // The metadata may have changed in the meantime.
    this.#useState(writer);
    copy.start(writer);
    copy.usePrimary(this.#primaryOf(uuid));
    progress[0] = copy.progressOf(writer);
    this.#shards.set(shardKey(uuid, shard), {
      writer,
      copy,
      placement,
      progress,
      lastRefreshMs: Date.now(),
      // Replayed operations are flushed at the next tick; otherwise a service that dies soon after each start would replay more each time.
      dirtySinceMs: writer.uncommitted.operations > 0 ? Number.NEGATIVE_INFINITY : 0,
      waiting: [],
      ticking: false,
    });
  }

  async #closeShard({ uuid, shard, log, drop }: Extract<ToIndexer, { type: 'closeShard' }>): Promise<void> {
    const open = await this.#openedShard(uuid, shard);
    if (open) {
      this.#shards.delete(shardKey(uuid, shard));
      for (const resolve of open.waiting) resolve();
      await this.#closeOpen(open, drop);
    }
    if (!drop) return;
    new SegmentFiles(this.#options.dataPath, uuid, shard).removeAll();
    await this.#store.drop(log);
  }

  /** The current state of the shard. A closed shard was committed when it was closed. */
  async #holdShard(uuid: string, shard: number, log: number): Promise<ShardCheckpoint> {
    const key = shardKey(uuid, shard);
    this.#holds.hold(key);
    try {
      const open = await this.#openedShard(uuid, shard);
      if (open) return await open.writer.checkpoint();
      if (this.#states.byUuid(uuid)?.meta.state !== 'close')
        throw new ApiError('no_shard_available_action_exception', 503, `primary shard [${shard}] is not available`);
      return this.#store.checkpoint(log);
    } catch (error) {
      this.#holds.release(key);
      throw error;
    }
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer);
    const copies = await this.#copies.catch(() => null);
    copies?.cancel();
    await Promise.allSettled(this.#opening.values());
    const open = [...this.#shards.values()];
    this.#shards.clear();
    for (const shard of open) await this.#closeOpen(shard, false);
    await copies?.close();
    await this.#traces.flush();
  }

  async #closeOpen({ writer, copy }: OpenShard, drop: boolean): Promise<void> {
    copy.close();
    await writer.close({ flush: !drop });
    if (drop) copy.forget();
    else copy.saveProgress();
  }

  /** A copy that differs from its log, or lacks trimmed parts of it, is filled anew; any other failure needs an operator. */
  #onCopyFailed({ index, uuid, shard, log }: ShardIdentity, error: Error, isRefillable: boolean): void {
    const open = this.#shards.get(shardKey(uuid, shard));
    if (!isRefillable || open === undefined) {
      this.#main.notify({ type: 'damaged', log, reason: `cannot follow its log: ${error.message}` });
      return;
    }
    this.#main.notify({ type: 'log', level: 'info', message: `[${index}][${shard}] the copy is filled anew: ${error.message}` });
    this.#shards.delete(shardKey(uuid, shard));
    for (const resolve of open.waiting) resolve();
    this.#opens(open.placement, this.#refill(open)).catch((failure: Error) => {
      this.#main.notify({ type: 'damaged', log, reason: `cannot be filled anew: ${failure.message}` });
    });
  }

  async #refill(open: OpenShard): Promise<void> {
    const { writer, placement } = open;
    const { uuid, shard } = placement;
    const key = shardKey(uuid, shard);
    const progress = { startMs: Date.now(), files: { total: 0, recovered: 0 }, bytes: { total: 0, recovered: 0 } };
    this.#filling.set(key, progress);
    try {
      await this.#closeOpen(open, true);
      await (await this.#copies).fill(writer.identity, new SegmentFiles(this.#options.dataPath, uuid, shard), progress);
    } finally {
      this.#filling.delete(key);
    }
    await this.#openShard(placement, null, { progress, generation: writer.generation });
  }

  // ------------------------------------------------------------------------------------------- requests of other nodes

  async #onPeer(request: ShardPeerRequest): Promise<unknown> {
    if (request.kind === 'request') return this.#onShardRequest(request.request);
    if (request.kind === 'committed') return packCommitted(this.#shards.get(shardKey(request.uuid, request.shard)));
    const open = await this.#openedShard(request.uuid, request.shard);
    if (!open) throw unavailableError(this.#states.byUuid(request.uuid)?.meta, request);
    if (request.kind === 'write') return packOutcomes(await open.copy.writeHere(request.operations));
    try {
      await open.copy.sync();
    } catch (error) {
      // The copy is being filled anew, and has the operations afterwards.
      if (!this.#opening.has(shardKey(request.uuid, request.shard))) throw error;
      return this.#onPeer(request);
    }
    await this.#refresh(open);
    return null;
  }

  // --------------------------------------------------------------------------------------------- requests of readers

  async #onShardRequest(request: ShardRequest): Promise<unknown> {
    const filling = this.#filling.get(shardKey(request.uuid, request.shard));
    if (request.type === 'stats' && filling !== undefined) return fillingStats(request.shard, filling);
    const open = await this.#openedShard(request.uuid, request.shard);
    if (!open) throw this.#absentError(request);
    const { writer } = open;
    switch (request.type) {
      case 'write':
        return this.#traces.run(request.trace, () => this.#write(open, request));
      case 'locate':
        return this.#locate(open, request.docId);
      case 'document': {
        const seqNo = await this.#locate(open, request.docId);
        return seqNo === null ? null : documentOf(this.#store, open.placement.log, seqNo);
      }
      case 'refresh':
        return this.#traces.run(request.trace, () => this.#refreshEverywhere(open));
      case 'flush':
        return writer.flush(request.force);
      case 'forceMerge':
        return writer.forceMerge(request.maxNumSegments, request.onlyExpungeDeletes);
      case 'stats':
        return writerStats(open);
    }
  }

  /** A shard that has moved away can be asked elsewhere: nothing was done here. */
  #absentError(request: ShardRequest): ApiError {
    const meta = this.#states.byUuid(request.uuid)?.meta;
    if (meta === undefined || hasCopy(this.#states.cluster, request.uuid, this.#options.nodeId)) return unavailableError(meta, request);
    return new NotPrimaryError({ index: meta.name, shard: request.shard });
  }

  async #write(open: OpenShard, request: Extract<ShardRequest, { type: 'write' }>): Promise<Transferred> {
    const outcomes = await open.copy.write(request.operations);
    open.progress[0] = open.copy.progressOf(open.writer);
    if (open.writer.isDirty && open.dirtySinceMs === 0) open.dirtySinceMs = Date.now();
    if (request.refresh === 'true') await this.#refreshEverywhere(open);
    else if (request.refresh === 'wait_for') await this.#waitForRefresh(open);
    const packed = packOutcomes(outcomes);
    return new Transferred(packed, [packed.buffer]);
  }

  /** The copy may lag behind the log; if the log cannot be reached, the settings say whether the state of the copy is used. */
  async #locate(open: OpenShard, docId: string): Promise<number | null> {
    const synced = open.copy.sync();
    if (synced !== undefined)
      await synced.catch((error) => {
        if (!open.copy.mayBeStale) throw error;
      });
    return open.writer.locate(docId);
  }

  async #refreshEverywhere(open: OpenShard): Promise<void> {
    const synced = open.copy.sync();
    if (synced !== undefined) await synced;
    await this.#refresh(open);
    const others = open.copy.refreshOthers();
    if (others !== undefined) await others;
  }

  async #refresh(open: OpenShard): Promise<void> {
    open.lastRefreshMs = Date.now();
    const { waiting } = open;
    open.waiting = [];
    await this.#traces.refresh(open.writer);
    for (const resolve of waiting) resolve();
  }

  async #waitForRefresh(open: OpenShard): Promise<void> {
    const synced = open.copy.sync();
    if (synced !== undefined) await synced;
    // Without scheduled refreshes the caller would never be woken.
    if (this.#refreshIntervalMs(open) < 0) await this.#refresh(open);
    else if (open.writer.isDirty) await new Promise<void>((resolve) => open.waiting.push(resolve));
    const others = open.copy.refreshOthers();
    if (others !== undefined) await others;
  }

  #refreshIntervalMs({ placement }: OpenShard): number {
    return this.#states.byUuid(placement.uuid)?.refreshIntervalMs ?? 1000;
  }

  #tick(): void {
    // In a thread that it shares with a program, the indexer leaves the collection to V8.
    if (this.#buffers.dropUnused(DROP_BUFFERS_AFTER_MS) && !isMainThread) collectGarbage();
    const now = Date.now();
    for (const open of this.#shards.values()) {
      open.copy.snapshotIfDue();
      if (open.ticking) continue;
      const interval = this.#refreshIntervalMs(open);
      const { operations } = open.writer.uncommitted;
      const refresh = interval >= 0 && now - open.lastRefreshMs >= interval && open.writer.isDirty;
      if (operations > 0 && open.dirtySinceMs === 0) open.dirtySinceMs = now;
      const flushAfterMs = this.#isMemoryScarce ? SCARCE_FLUSH_AFTER_MS : FLUSH_AFTER_MS;
      const flush = operations > 0 && (open.writer.isFlushDue || now - open.dirtySinceMs >= flushAfterMs);
      if (!refresh && !flush && !this.#isMemoryScarce) continue;
      open.ticking = true;
      this.#maintain(open, refresh, flush)
        .catch((error) => this.#logError(`[${open.writer.identity.index}][${open.placement.shard}] maintenance failed`, error))
        .finally(() => {
          open.ticking = false;
        });
    }
  }

  async #maintain(open: OpenShard, refresh: boolean, flush: boolean): Promise<void> {
    if (refresh) await this.#refresh(open);
    if (flush) {
      open.dirtySinceMs = 0;
      await open.writer.flush();
      open.copy.saveProgress();
    }
    if (this.#isMemoryScarce) await open.writer.pageOut();
  }

  get #isMemoryScarce(): boolean {
    return this.#arenas.isOpen && this.#arenas.sections.isMemoryScarce;
  }

  #logError(message: string, error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#main.notify({ type: 'log', level: 'error', message: `${message}: ${text}` });
  }
}
