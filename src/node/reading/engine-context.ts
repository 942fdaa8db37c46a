// EngineContext of a reader thread. Metadata, snapshots and stored documents are read directly; writes are sent to indexers, commands to main.

import { Packr } from 'msgpackr';
import type { AsyncSearchStore } from '../../api/core/async-search-store.ts';
import type { ClusterNode } from '../../api/core/cluster-node.ts';
import type { CommandArgs, CommandName, CommandResponse, EngineContext, ShardStats, StoredDocument } from '../../api/core/context.ts';
import type { IndexState, ShardSnapshot } from '../../api/core/index-state.ts';
import { ReadCounters } from '../../api/core/read-counters.ts';
import type { RequestMemory } from '../../api/core/request-memory.ts';
import { EngineSearchCaches } from '../../api/core/search-caches.ts';
import type { SearchContextStore } from '../../api/core/search-context.ts';
import type { SlowLog } from '../../api/core/slow-log.ts';
import type { SnapshotStore } from '../../api/core/snapshot-store.ts';
import type { TaskStore } from '../../api/core/task-store.ts';
import type { Refresh, WriteOperation, WriteOutcome } from '../../api/core/write.ts';
import type { ConfigFolders } from '../../common/config-folder.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import { activeSpan } from '../../common/tracing/span.ts';
import { type Mobility, STAYS } from '../../common/turns/turn.ts';
import type { Dialect } from '../../compat/dialect.ts';
import { ApiError } from '../../errors/api-error.ts';
import { rejectedExecutionError } from '../../errors/catalog.ts';
import type { ClusterState, IndexMeta } from '../../metadata/cluster-state.ts';
import { hasStartedCopy } from '../../metadata/copies.ts';
import { applyChange, type Change } from '../../metadata/state-change.ts';
import type { SectionStats } from '../../plan/segment-reader.ts';
import type { QueryAnalysis } from '../../search/index-query/query-analysis.ts';
import type { CallerRef } from '../../security/caller.ts';
import type { SecurityView } from '../../security/records.ts';
import type { SecurityService } from '../../security/service.ts';
import { OP_DELETE, type Store } from '../../store/store.ts';
import { breakerOf } from '../memory/memory-breaker.ts';
import type { ReaderSnapshots } from '../memory/reader-snapshots.ts';
import type { Channel } from '../messages/channel.ts';
import type { FromReader, PlacementChanges, ReplyTo, ShardPlacement, ShardRequest, ToReader } from '../messages/messages.ts';
import type { ClusterMessage } from '../messages/peer-messages.ts';
import { globalAnalysis } from '../metadata/build-index.ts';
import { configFolders } from '../metadata/config-folder.ts';
import type { IndexStates } from '../metadata/index-states.ts';
import { dialectOfNode } from '../metadata/node-dialect.ts';
import { rehearse } from '../metadata/rehearse.ts';
import type { NodeOptions } from '../threads/node-options.ts';
import { AsyncSearches } from './async-searches.ts';
import { catchUpFor, checkReadable, sharedCatchUp } from './cluster-reads.ts';
import { askForPart } from './copies-elsewhere.ts';
import { limited, withCopiedSource } from './document-reads.ts';
import { fieldMemory } from './field-memory.ts';
import { HeldCopies } from './held-copies.ts';
import { ReaderContexts, readerSnapshots, readerTasks } from './main-stores.ts';
import { indexClosedError, noShardError } from './shard-errors.ts';
import { withReads } from './shard-reads.ts';

const packr = new Packr({ int64AsType: 'number' });

interface Placed {
  readonly placement: ShardPlacement;
  readonly progress: Float64Array;
  readonly reads: ReadCounters;
}

export class ReaderContext implements EngineContext {
  readonly clusterName: string;
  readonly nodeName: string;
  readonly nodeId: string;
  readonly dialect: Dialect;
  readonly contexts: SearchContextStore;
  readonly tasks: TaskStore;
  readonly slowLog: SlowLog;
  readonly asyncSearches: AsyncSearchStore;
  readonly security: SecurityService;
  readonly snapshots: SnapshotStore;
  readonly searchCaches = new EngineSearchCaches();
  readonly memory: RequestMemory;
  readonly configFolders: ConfigFolders;
  publishAddress: string | null = null;
  #cluster: ClusterMessage | null = null;
  readonly #options: NodeOptions;
  readonly #store: Store;
  readonly #states: IndexStates;
  readonly #snapshots: ReaderSnapshots;
  readonly #main: Channel<FromReader, ToReader>;
  readonly #indexers: readonly Channel<ShardRequest, never>[];
  readonly #held: HeldCopies;
  #hasState = false;
  /** Bytes of writes in progress, by indexer. */
  readonly #queuedBytes = new Map<number, number>();
  readonly #placed = new Map<string, Placed>();
  /** The last result of `#place`: documents of a page mostly come from one shard. */
  #lastPlaced: { readonly index: IndexState; readonly shard: number; readonly placed: Placed } | null = null;
  #globalAnalysis: QueryAnalysis | null = null;
  #catchingUp: ReturnType<typeof sharedCatchUp> | null = null;

  constructor(parts: {
    options: NodeOptions;
    store: Store;
    states: IndexStates;
    snapshots: ReaderSnapshots;
    records: SecurityView;
    main: Channel<FromReader, ToReader>;
    indexers: readonly Channel<ShardRequest, never>[];
  }) {
    const { options } = parts;
    this.clusterName = options.clusterName;
    this.nodeName = options.nodeName;
    this.nodeId = options.nodeId;
    this.dialect = dialectOfNode(options);
    const breaker = breakerOf(options);
    breaker.useSections(() => parts.snapshots.sectionStats()?.residentBytes ?? 0);
    this.memory = breaker;
    this.configFolders = configFolders(options.configPath);
    this.#options = options;
    this.#store = parts.store;
    this.#states = parts.states;
    this.#snapshots = parts.snapshots;
    this.#main = parts.main;
    this.tasks = readerTasks(parts.main);
    this.slowLog = {
      add: (entry) => parts.main.notify({ type: 'slow', entry }),
      recent: () => parts.main.request({ type: 'slowEntries' }),
    };
    this.asyncSearches = new AsyncSearches(options.dataPath);
    this.security = { records: parts.records, run: (name, args) => parts.main.request({ type: 'securityCommand', name, args }) };
    this.snapshots = readerSnapshots(parts.main);
    this.contexts = new ReaderContexts(parts.main, parts.states, parts.snapshots);
    this.#indexers = parts.indexers;
    this.#held = new HeldCopies({
      nodeId: this.nodeId,
      cluster: () => this.cluster,
      nodes: () => this.nodes,
      catchUp: () => parts.main.request({ type: 'catchUp' }),
    });
  }

  /** Applies new metadata from main. */
  update(state: ClusterState, placements: readonly ShardPlacement[]): void {
    this.#hasState = true;
    this.#placed.clear();
    this.#use(state, placements);
  }

  /** As `update`, with what is different. A reader that has no state yet is sent the whole of it between two commands (`welcome`). */
  change(change: Change, { placed, gone }: PlacementChanges): void {
    if (!this.#hasState) return;
    for (const key of gone) this.#placed.delete(key);
    this.#use(applyChange(this.#states.cluster, change), placed);
    // Copies that have moved away leave memory, as those of deleted indices do.
    if (this.cluster.copies !== undefined) for (const key of gone) this.#snapshots.forget(key.slice(0, key.lastIndexOf('/')));
  }

  #use(state: ClusterState, placements: readonly ShardPlacement[]): void {
    const before = this.#states.uuids();
    this.#states.update(state);
    this.#lastPlaced = null;
    for (const placement of placements) {
      this.#placed.set(`${placement.uuid}/${placement.shard}`, {
        placement,
        progress: new Float64Array(placement.progress),
        reads: new ReadCounters(placement.reads),
      });
    }
    for (const uuid of before) if (!this.#states.byUuid(uuid)) this.#snapshots.forget(uuid);
  }

  /** Applies what main knows of the other nodes. */
  useNodes(message: ClusterMessage): void {
    this.#cluster = message;
  }

  catchUp(action: string): Promise<void> | null {
    if (this.#cluster === null) return null;
    this.#catchingUp ??= sharedCatchUp(() => this.#main.request({ type: 'catchUp' }));
    return catchUpFor(action, this.#cluster.readableUntil, this.#options.settings, this.#catchingUp);
  }

  #checkReadable(): void {
    if (this.#cluster !== null) checkReadable(this.#cluster.readableUntil);
  }

  get nodes(): readonly ClusterNode[] {
    const { nodeId: id, nodeName: name, publishAddress } = this;
    const attributes = this.#options.settings['node.attr'];
    return (
      this.#cluster?.nodes ?? [{ id, name, publishAddress, transportAddress: publishAddress, isManager: true, attributes, load: null }]
    );
  }

  primaryNodeOf({ uuid }: IndexMeta): string | null {
    if (this.#cluster === null) return this.nodeId;
    const assigned = this.cluster.primaries?.[uuid];
    if (assigned === undefined || !hasStartedCopy(this.cluster, uuid, assigned)) return null;
    return this.nodes.some(({ id }) => id === assigned) ? assigned : null;
  }

  requireTogether(indices: readonly IndexState[]): void {
    this.#held.requireTogether(indices);
  }

  askNode(node: string, part: JsonObject, caller: CallerRef | null = null): Promise<Uint8Array> {
    return askForPart((request) => this.#main.request({ type: 'forward', node, request }), part, caller);
  }

  get whole(): EngineContext {
    return this;
  }

  get globalAnalysis(): QueryAnalysis {
    return (this.#globalAnalysis ??= globalAnalysis(this.#options));
  }

  get cluster(): ClusterState {
    return this.#states.cluster;
  }

  index(name: string): IndexState | null {
    return this.#states.byName(name);
  }

  acquire(index: IndexState, shard: number): ShardSnapshot {
    // A copy that cannot follow its log may lack documents.
    if (this.#cluster !== null && this.damageOf(index.meta, shard) !== null) throw noShardError(index, shard);
    this.#checkReadable();
    if (index.meta.state === 'open') this.requireTogether([index]);
    const snapshot = index.meta.state === 'open' ? this.#snapshots.acquire(index, shard) : null;
    if (snapshot) return snapshot;
    if (index.meta.state === 'close') throw indexClosedError(index);
    throw noShardError(index, shard);
  }

  record(index: IndexState, shard: number, seqNo: number): StoredDocument | null {
    const record = this.#store.read(this.#place(index, shard).placement.log, seqNo);
    if (record === null) {
      // A copy that has moved away may be removed before this thread is told.
      if (this.cluster.copies !== undefined) throw this.#held.error([index]);
      return null;
    }
    const { id, primaryTerm, version, routing, source } = record;
    return { id, seqNo, primaryTerm, version, routing, source: record.op === OP_DELETE ? null : source };
  }

  segmentMemory(): SectionStats | null {
    return this.#snapshots.sectionStats();
  }

  async getRealtime(index: IndexState, shard: number, id: string, mobility: Mobility = STAYS): Promise<StoredDocument | null> {
    const request = { type: 'document', uuid: index.meta.uuid, shard, docId: id } as const;
    if (index.meta.state === 'open' && !this.#held.has(index)) return this.#askElsewhere(request);
    const copy = (seqNo: number) => withCopiedSource(this.record(index, shard, seqNo));
    const { placement, progress } = this.#place(index, shard);
    const snapshot = this.acquire(index, shard);
    try {
      // If nothing was written since this thread's snapshot, the snapshot contains the newest version.
      if (this.#snapshots.maxSeqNo(index.meta.uuid, shard) >= progress[0]) {
        for (const segment of snapshot.segments.toReversed?.() ?? [...snapshot.segments].reverse()) {
          const docId = segment.docOfId(id);
          if (docId >= 0) return limited(mobility, () => copy(segment.seqNo(docId)));
        }
        return null;
      }
    } finally {
      snapshot.release();
    }
    return this.#unlessMoved(request, async () => {
      const seqNo = await this.#indexers[placement.indexer].request({ type: 'locate', uuid: placement.uuid, shard, docId: id });
      // Within that time no server can have been elected whose log goes on without the one that was asked.
      this.#checkReadable();
      if (seqNo === null) return null;
      return this.#held.has(index) ? limited(mobility, () => copy(seqNo)) : this.#askElsewhere(request);
    });
  }

  async write(index: IndexState, shard: number, operations: readonly WriteOperation[], refresh: Refresh): Promise<WriteOutcome[]> {
    const indexer = index.meta.state === 'close' || this.#held.has(index) ? this.#place(index, shard).placement.indexer : ELSEWHERE;
    const packed = new Uint8Array(packr.pack(operations));
    const bytes = packed.length;
    const queued = this.#queuedBytes.get(indexer) ?? 0;
    const limit = this.#options.writeQueueBytes;
    // A request is never rejected if it is the only one; its size is limited by http.max_content_length.
    if (queued > 0 && queued + bytes > limit) {
      throw rejectedExecutionError(
        `rejected execution of coordinating operation [coordinating_and_primary_bytes=${queued}, replica_bytes=0, all_bytes=${queued}, coordinating_operation_bytes=${bytes}, max_coordinating_and_primary_bytes=${limit}]`,
      );
    }
    this.#queuedBytes.set(indexer, queued + bytes);
    try {
      const request = {
        type: 'write',
        uuid: index.meta.uuid,
        shard,
        operations: packed,
        refresh,
        trace: activeSpan()?.traceparent,
      } as const;
      return packr.unpack(await this.#sendWrite(indexer, request)) as WriteOutcome[];
    } finally {
      this.#queuedBytes.set(indexer, (this.#queuedBytes.get(indexer) ?? 0) - bytes);
    }
  }

  async #sendWrite(indexer: number, request: Extract<ShardRequest, { type: 'write' }>): Promise<Uint8Array> {
    if (indexer === ELSEWHERE) return this.#askElsewhere(request);
    // Only a copy that may move away needs its operations again.
    if (this.cluster.copies === undefined) return this.#indexers[indexer].request(request, [request.operations.buffer as ArrayBuffer]);
    return this.#unlessMoved(request, () => this.#indexers[indexer].request(request));
  }

  async refresh(index: IndexState): Promise<void> {
    const trace = activeSpan()?.traceparent;
    await this.#askAll(index, (uuid, shard) => ({ type: 'refresh', uuid, shard, trace }));
  }

  async flush(index: IndexState, force: boolean): Promise<void> {
    await this.#askAll(index, (uuid, shard) => ({ type: 'flush', uuid, shard, force }));
  }

  async forceMerge(
    index: IndexState,
    { maxNumSegments, onlyExpungeDeletes }: { maxNumSegments: number; onlyExpungeDeletes: boolean },
  ): Promise<void> {
    await this.#askAll(index, (uuid, shard) => ({ type: 'forceMerge', uuid, shard, maxNumSegments, onlyExpungeDeletes }));
  }

  async shardStats(index: IndexState): Promise<ShardStats[]> {
    const asked = await Promise.allSettled(this.#shardsOf(index).map((shard) => this.#statsOf(index, shard)));
    // A shard that could not be opened has none; health and `_cat/shards` show it.
    return asked
      .flatMap((result) => {
        if (result.status === 'fulfilled') return [result.value];
        if (result.reason instanceof ApiError && result.reason.type === 'unavailable_shards_exception') return [];
        throw result.reason;
      })
      .map((stats) => {
        const snapshot = this.#snapshots.acquire(index, stats.shard);
        try {
          return { ...withReads(stats, this.reads(index.meta.uuid, stats.shard)), ...fieldMemory(index.mapping, snapshot?.segments ?? []) };
        } finally {
          snapshot?.release();
        }
      });
  }

  reads(uuid: string, shard: number): ReadCounters | null {
    return this.#placed.get(`${uuid}/${shard}`)?.reads ?? null;
  }

  #statsOf(index: IndexState, shard: number): Promise<ReplyTo<Extract<ShardRequest, { type: 'stats' }>>> {
    const request = { type: 'stats', uuid: index.meta.uuid, shard } as const;
    const placed = this.#placed.get(`${request.uuid}/${shard}`);
    // Also of a copy that is being filled.
    return placed === undefined
      ? this.#ask(index, shard, request)
      : this.#unlessMoved(request, () => this.#indexers[placed.placement.indexer].request(request));
  }

  /** Numbers of the open shards. */
  #shardsOf(index: IndexState): number[] {
    return index.meta.state === 'close' ? [] : Array.from({ length: index.numberOfShards }, (_, shard) => shard);
  }

  damageOf({ uuid }: IndexMeta, shard: number): string | null {
    return this.#placed.get(`${uuid}/${shard}`)?.placement.damage ?? null;
  }

  async command<Name extends CommandName>(name: Name, args: CommandArgs<Name>): Promise<CommandResponse<Name>> {
    const checkedAnalyses = rehearse(name, this.cluster, args, this.#options);
    return this.#main.request({ type: 'command', name, args, checkedAnalyses });
  }

  #askAll<Request extends ShardRequest>(
    index: IndexState,
    request: (uuid: string, shard: number) => Request,
  ): Promise<Array<ReplyTo<Request>>> {
    return Promise.all(this.#shardsOf(index).map((shard) => this.#ask(index, shard, request(index.meta.uuid, shard))));
  }

  #ask<Request extends ShardRequest>(index: IndexState, shard: number, request: Request): Promise<ReplyTo<Request>> {
    if (!this.#held.has(index)) return this.#askElsewhere(request);
    return this.#unlessMoved(request, () => this.#indexers[this.#place(index, shard).placement.indexer].request(request));
  }

  /** Asks an indexer of this node and, if the copy has moved away in the meantime, another node. */
  #unlessMoved<Request extends ShardRequest>(request: Request, ask: () => Promise<ReplyTo<Request>>): Promise<ReplyTo<Request>> {
    if (this.cluster.copies === undefined) return ask();
    return ask().catch((error) => {
      if (error instanceof ApiError && error.type === MOVED_AWAY) return this.#askElsewhere(request);
      throw error;
    });
  }

  /** Asks a node with a copy. */
  #askElsewhere<Request extends ShardRequest>(request: Request): Promise<ReplyTo<Request>> {
    // Main passes on the reply of the indexer, as that to `request`.
    return this.#main.request({ type: 'askCopy', request }) as Promise<ReplyTo<Request>>;
  }

  #place(index: IndexState, shard: number): Placed {
    const last = this.#lastPlaced;
    if (last && last.index === index && last.shard === shard) return last.placed;
    const placed = this.#placed.get(`${index.meta.uuid}/${shard}`);
    if (!placed && index.meta.state === 'close') throw indexClosedError(index);
    if (!placed) throw this.#held.has(index) ? noShardError(index, shard) : this.#held.error([index]);
    this.#lastPlaced = { index, shard, placed };
    return placed;
  }
}

/** In the place of an indexer: those of other nodes. */
const ELSEWHERE = -1;
/** The copy of this node was removed while a write waited for it. Nothing was written. */
const MOVED_AWAY = 'shard_not_in_primary_mode_exception';
