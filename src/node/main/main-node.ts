// The main part of a node: owns the data directory, the metadata, the memory and the threads, and connects indexers, which write, with readers,
// which search.

import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import type { JsonObject } from '../../common/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import { indexNotFoundError } from '../../errors/catalog.ts';
import type { Extent, SnapshotDescriptor } from '../../indexing/segment-set.ts';
import type { ClusterState } from '../../metadata/cluster-state.ts';
import type { ReducerEnvironment } from '../../metadata/reducer.ts';
import { type CommandArgs, type CommandName, type CommandResponse, runReducer } from '../../metadata/reducers.ts';
import { runSecurityCommand, type SecurityArgs, type SecurityCommandName, type SecurityReply } from '../../security/commands.ts';
import type { RealmSettings } from '../../security/realms.ts';
import type { SecurityView } from '../../security/records.ts';
import { type DirectoryLock, lockDirectory } from '../../store/directory-lock.ts';
import { removeIndexFolder } from '../../store/segment-files.ts';
import { Store } from '../../store/store.ts';
import { checkStoreAtStart, markOpened, type StartCheck } from '../../store/store-check.ts';
import { compileEngine } from '../../wasm/kernels.ts';
import { breakerOf, type MemoryBreaker } from '../memory/memory-breaker.ts';
import { SharedArenas } from '../memory/shared-arenas.ts';
import { SnapshotRegistry } from '../memory/snapshot-registry.ts';
import { Channel } from '../messages/channel.ts';
import type {
  ArenaMessage,
  FromIndexer,
  FromReader,
  LogNotice,
  StateMessage,
  ToIndexer,
  ToMerger,
  ToReader,
} from '../messages/messages.ts';
import type { FromSnapshots, ToSnapshots } from '../messages/snapshot-messages.ts';
import { buildMapping, dialectOfNode } from '../metadata/build-index.ts';
import { MetadataStore } from '../metadata/metadata-store.ts';
import { SecurityStore } from '../metadata/security-store.ts';
import type { NodeOptions } from '../threads/node-options.ts';
import { startThread } from '../threads/start-thread.ts';
import type { ThreadData } from '../threads/thread.ts';
import { CommandQueue } from './command-queue.ts';
import { DamageReports } from './damage-reports.ts';
import { EarlyShards } from './early-shards.ts';
import { MainLanes } from './main-lanes.ts';
import { MergeRunner } from './merge-runner.ts';
import { makePart, type NodePart } from './node-part.ts';
import { SearchContexts } from './search-contexts.ts';
import { openIndices, ShardPlacements } from './shard-placements.ts';
import { SnapshotThread } from './snapshot-thread.ts';
import { Snapshots } from './snapshots.ts';
import type { SnapshotsEnvironment } from './snapshots-environment.ts';
import { startHere } from './start-here.ts';
import { Tasks } from './tasks.ts';

/** Scratch region of an indexer in each arena, for id look-ups and reading values. The merger works in its own memory and needs little. */
const INDEXER_SCRATCH_BYTES = 8 << 20;
const MERGER_SCRATCH_BYTES = 64 << 10;
/** Delay between readers being ready and indexers starting. */
const INDEXERS_AFTER_MS = 20;

export interface MainOptions extends NodeOptions {
  readonly indexers: number;
  /** Run all parts in this thread, without worker threads. */
  readonly inProcess: boolean;
  readonly memoryLimitBytes: number;
  /** 0: heavy requests run in the readers. */
  readonly lanes: number;
  readonly onLog: (level: LogNotice['level'], message: string) => void;
}

export class MainNode {
  readonly breaker: MemoryBreaker;
  #options: MainOptions;
  readonly #lock: DirectoryLock;
  readonly #store: Store;
  readonly #storeCheck: StartCheck;
  readonly #metadata: MetadataStore;
  readonly #security: SecurityStore;
  readonly #module: WebAssembly.Module;
  readonly #arenas: SharedArenas;
  readonly #registry: SnapshotRegistry;
  readonly #early: EarlyShards;
  readonly #contexts: SearchContexts;
  readonly #tasks = new Tasks();
  readonly #indexers: NodePart<ToIndexer, FromIndexer>[] = [];
  readonly #readers: NodePart<ToReader, FromReader>[] = [];
  readonly #placements: ShardPlacements;
  /** Start functions of the indexers that do not run yet. */
  readonly #indexerStarts: Array<() => void> = [];
  #indexersLater: NodeJS.Timeout | undefined;
  readonly #merges: MergeRunner;
  /** null without lanes. */
  readonly #lanes: MainLanes | null;
  readonly #damage: DamageReports;
  readonly #snapshotThread: SnapshotThread;
  readonly #snapshots: Snapshots;
  /** Indices whose shards are being closed. */
  readonly #closing = new Map<string, Promise<void>>();
  /** Metadata commands, changes of users, and messages to readers that must not overtake them. */
  readonly #queue = new CommandQueue();
  #stopping: Promise<void> | null = null;

  /** @throws ApiError: the directory is in use, or its metadata is corrupt */
  constructor(options: MainOptions) {
    this.#options = options;
    this.breaker = breakerOf(options);
    mkdirSync(options.dataPath, { recursive: true, mode: 0o700 });
    this.#lock = lockDirectory(options.dataPath);
    try {
      this.#storeCheck = checkStoreAtStart(options.dataPath, diedOfMemoryFault());
      this.#store = Store.open(options.dataPath);
      markOpened(options.dataPath);
      this.#metadata = new MetadataStore(this.#store);
      this.#security = new SecurityStore(this.#store, options.settings['security.users']);
    } catch (error) {
      this.#lock.release();
      throw error;
    }
    this.#damage = new DamageReports({
      error: (message) => options.onLog('error', message),
      indexName: (uuid) => Object.values(this.#metadata.state.indices).find((meta) => meta.uuid === uuid)?.name ?? uuid,
      share: () => void this.#queue.run(() => this.broadcast(this.#stateMessage())).catch(() => undefined),
    });
    this.#placements = new ShardPlacements({
      indexers: options.indexers,
      logs: (uuid) => this.#metadata.logs(uuid),
      damage: (uuid, shard) => this.#damage.of(uuid, shard),
    });
    this.#module = compileEngine();
    this.#arenas = new SharedArenas(this.#module, (arena, memory) => this.#early.addArena(arena, memory));
    this.#registry = new SnapshotRegistry((extent, segment) => this.#onFreed(extent, segment));
    this.#contexts = new SearchContexts(this.#registry);
    this.#merges = new MergeRunner({
      startMerger: () => this.#startPart<ToMerger, never>('merger', 0, MERGER_SCRATCH_BYTES, () => undefined),
      onMergerEnd: (merger) => this.#arenas.remove(merger),
      hold: (segments) => this.#registry.hold(segments),
      allocate: (bytes) => this.#allocate(bytes),
    });
    this.#snapshotThread = new SnapshotThread({
      start: () => this.#startPart<ToSnapshots, FromSnapshots>('snapshots', 0, 0, (notice) => this.#snapshots.onNotice(notice)),
    });
    this.#snapshots = new Snapshots(this.#snapshotsEnvironment());
    this.#early = new EarlyShards({
      dataPath: options.dataPath,
      store: this.#store,
      module: this.#module,
      allocate: (bytes) => this.#allocate(bytes),
      release: (extent) => this.#arenas.release(extent),
    });
    this.#lanes = options.lanes === 0 ? null : this.#makeLanes(options);
  }

  #makeLanes(options: MainOptions): MainLanes {
    return new MainLanes(
      {
        arenas: this.#arenas,
        registry: this.#registry,
        contexts: this.#contexts,
        tasks: this.#tasks,
        module: this.#module,
        options: this.threadOptions,
        log: options.onLog,
        breaker: this.breaker,
        connect: () => this.#connectIndexers(),
        current: () => this.#current(),
        onMessage: (reader, message) => this.#onReader(reader, message),
      },
      options.lanes,
    );
  }

  #stateMessage(): StateMessage {
    const { state } = this.#metadata;
    return { type: 'state', state, placements: this.#placements.of(state) };
  }

  /** The lanes; null without any. */
  get lanes(): MainLanes | null {
    return this.#lanes;
  }

  get store(): Store {
    return this.#store;
  }

  /** False if pages of the store were not checked before it was opened. */
  get isStoreChecked(): boolean {
    return this.#storeCheck.isComplete;
  }

  get module(): WebAssembly.Module {
    return this.#module;
  }

  get securityRecords(): SecurityView {
    return this.#security.records;
  }

  /** Options for threads. */
  get threadOptions(): NodeOptions {
    const { dataPath, configPath, clusterName, nodeName, nodeId, indexBufferBytes, writeQueueBytes, scratchBytes, breakers, settings } =
      this.#options;
    return { dataPath, configPath, clusterName, nodeName, nodeId, indexBufferBytes, writeQueueBytes, scratchBytes, breakers, settings };
  }

  /**
   * Opens every shard: reads segments and replays logs. Does not wait for the indexers of shards that early-shards.ts has opened: they start after
   * the first requests are answered, which the start of their threads would delay, and then handle the requests received meanwhile. Readers added
   * by `addReaders` know all metadata and snapshots when this resolves.
   */
  async start(addReaders: () => void): Promise<void> {
    for (let number = 0; number < this.#options.indexers; number++) {
      const part = this.#startPart<ToIndexer, FromIndexer>('indexer', number, INDEXER_SCRATCH_BYTES, (message) => this.#onIndexer(message));
      this.#indexers.push(part);
    }
    const { state } = this.#metadata;
    const placements = this.#placements.of(state);
    // Listed now, so that indices deleted by requests meanwhile are not among them.
    const orphans = this.#metadata.orphans();
    const fail = (error: Error) => this.#options.onLog('error', `an indexer failed to start: ${error.message}`);
    const opened = this.#indexers.map(({ channel }) => channel.request({ type: 'state', state, placements }).catch(fail));
    const late: Promise<void>[] = [];
    for (const placement of placements) {
      const snapshot = await this.#early.open(placement);
      const { channel } = this.#indexers[placement.indexer];
      const done = channel
        .request({ type: 'openShard', placement, snapshot })
        .catch((error) => this.#damage.reportShard(placement, `does not open: ${error.message}`));
      opened.push(done);
      if (snapshot !== null) this.#registry.publish(snapshot);
      else {
        late.push(done);
        this.#runIndexers();
      }
    }
    // After the shards were sent to the indexers, so that requests of readers are queued behind them.
    addReaders();
    await Promise.all([...this.#readers.map(({ channel }) => this.#inform(channel)), ...late]);
    this.#indexersLater = setTimeout(() => this.#runIndexers(), INDEXERS_AFTER_MS);
    this.#snapshots.onState();
    Promise.all(opened)
      .then(() => (this.#stopping === null ? Promise.all(orphans.map((uuid) => this.#closeIndex(uuid, true))) : []))
      .catch((error) => this.#options.onLog('error', `a deleted index is left on disk: ${error.message}`));
  }

  /** Sends a reader the metadata and all snapshots. */
  async #inform(channel: Channel<ToReader, FromReader>): Promise<void> {
    await Promise.all(this.#current().map((message) => channel.request(message)));
  }

  /** Messages that bring a new reader up to date: metadata, users, snapshots. */
  #current(): ToReader[] {
    const changes = this.#security.all();
    return [
      this.#stateMessage(),
      ...(changes.length > 0 ? [{ type: 'security', changes } as const] : []),
      ...this.#registry.newest().map((snapshot) => ({ type: 'snapshot', snapshot }) as const),
    ];
  }

  /**
   * Adds a reader. A reader added after `start` must be welcomed.
   * @param connect  receives the reader's ports, to main and to each indexer; returns its thread, or null if it has none
   * @returns the reader's number
   */
  startReader(connect: (parts: { port: MessagePort; indexerPorts: MessagePort[] }) => Worker | null): number {
    const reader = this.#readers.length;
    const { port1, port2 } = new MessageChannel();
    const channel = new Channel<ToReader, FromReader>(port1, (message) => this.#onReader(reader, message));
    const worker = connect({ port: port2, indexerPorts: this.#connectIndexers() });
    worker?.on('error', (error) => this.#onThreadError('http worker', error));
    const part = makePart<ToReader, FromReader>(channel, this.#options.scratchBytes, worker);
    this.#readers.push(part);
    this.#arenas.add(part);
    this.#registry.addReader(reader);
    return reader;
  }

  /** @returns a port to each indexer */
  #connectIndexers(): MessagePort[] {
    return this.#indexers.map((indexer) => {
      const link = new MessageChannel();
      indexer.channel.notify({ type: 'connect', port: link.port1 }, [link.port1]);
      return link.port2;
    });
  }

  /** Sends a late reader the metadata and all snapshots, then `message`. Runs between two metadata commands, so that the reader misses none. */
  welcome(reader: number, message: ToReader): Promise<void> {
    const { channel } = this.#readers[reader];
    return this.#queue.run(async () => {
      await this.#inform(channel);
      await channel.request(message);
    });
  }

  /** Sends a request to every reader and waits for the replies of all but lanes. */
  async broadcast(message: ToReader): Promise<void> {
    this.#lanes?.inform(message);
    await Promise.all(this.#readers.map(({ channel }) => channel.request(message)));
  }

  // --------------------------------------------------------------------------------------------------------- threads

  #startPart<Out extends { readonly type: string }, In>(
    role: 'indexer' | 'merger' | 'snapshots',
    number: number,
    scratchBytes: number,
    handler: (message: In) => unknown,
  ): NodePart<Out, In> {
    const { port1, port2 } = new MessageChannel();
    const channel = new Channel<Out | ArenaMessage, In>(port1, handler);
    const data: ThreadData = { role, number, port: port2, indexerPorts: [], module: this.#module, options: this.threadOptions };
    const part = makePart<Out, In>(channel, scratchBytes);
    const run = () => {
      if (this.#options.inProcess) {
        startHere(data, this.#store).catch((error) => this.#options.onLog('error', `${role} failed to start: ${error.stack}`));
      } else {
        part.worker = startThread(data);
        part.worker.on('error', (error) => (role === 'snapshots' ? this.#onSnapshotThreadError(error) : this.#onThreadError(role, error)));
      }
    };
    if (role === 'indexer') this.#indexerStarts.push(run);
    else run();
    if (role !== 'snapshots') this.#arenas.add(part);
    return part;
  }

  /** Starts the indexers. Messages sent to them before wait in their ports. */
  #runIndexers(): void {
    clearTimeout(this.#indexersLater);
    for (const run of this.#indexerStarts.splice(0)) run();
  }

  /** A thread that dies loses its shards or connections, so the process exits; the parent process restarts it, and it recovers from the log. */
  #onThreadError(role: string, error: Error): void {
    this.#options.onLog('error', `${role} thread died: ${error.stack ?? error.message}`);
    if (this.#stopping === null) process.exit(70);
  }

  /** The operations on snapshots fail; data and requests are not affected. */
  #onSnapshotThreadError(error: Error): void {
    this.#options.onLog('error', `snapshot thread died: ${error.stack ?? error.message}`);
    this.#snapshotThread.lost();
  }

  #snapshotsEnvironment(): SnapshotsEnvironment {
    const indexer = (log: number) => this.#indexers[this.#placements.indexerOf(log)].channel;
    return {
      thread: this.#snapshotThread,
      version: dialectOfNode(this.#options).version,
      state: () => this.#metadata.state,
      logs: (uuid) => this.#metadata.logs(uuid),
      reserveLogs: (uuid, shards) => this.#metadata.reserveLogs(uuid, shards),
      hold: (uuid, shard, log) => indexer(log).request({ type: 'holdShard', uuid, shard, log }),
      release: (uuid, shard, log) => indexer(log).notify({ type: 'releaseShard', uuid, shard }),
      dryRun: (name, args) => {
        runReducer(name, this.#metadata.state, args, this.#reducerEnvironment());
      },
      command: (name, args) => this.command(name, args),
      drop: (uuid) => this.#closeIndex(uuid, true),
      log: (level, message) => this.#options.onLog(level, message),
    };
  }

  // -------------------------------------------------------------------------------------------------------- messages

  #onDamagedLog(log: number, reason: string): void {
    const placement = this.#placements.of(this.#metadata.state).find((candidate) => candidate.log === log);
    if (placement) this.#damage.reportShard(placement, reason);
  }

  /** Reports damage that may affect every shard. */
  reportStoreDamage(lines: readonly string[]): void {
    this.#damage.reportStore(lines);
  }

  #onIndexer(message: FromIndexer): unknown {
    switch (message.type) {
      case 'allocate':
        return this.#allocate(message.bytes);
      case 'publish':
        return this.#publish(message.snapshot);
      case 'updateMapping':
        return this.#updateMapping(message.uuid, message.mappings);
      case 'merge':
        return this.#merges.merge(message.segments, message.sort);
      case 'damaged':
        return this.#onDamagedLog(message.log, message.reason);
      case 'log':
        return this.#options.onLog(message.level, message.message);
    }
  }

  #onReader(reader: number, message: FromReader): unknown {
    switch (message.type) {
      case 'command':
        return this.command(message.name, message.args);
      case 'securityCommand':
        return this.#runSecurityCommand(message.name, message.args);
      case 'context':
        return this.#contexts.handle(message.request);
      case 'task':
        return this.#tasks.handle(message.request);
      case 'snapshots':
        return this.#snapshots.handle(message.request);
      case 'release':
        return this.#registry.released(reader, message.extents);
      case 'lane':
        return this.#lanes?.run(reader, message.request);
      case 'laneCancel':
        return this.#lanes?.cancel(reader, message.id);
      case 'laneBegin':
      case 'laneTimeout':
        return;
      case 'damaged':
        return this.#onDamagedLog(message.log, message.reason);
      case 'log':
        return this.#options.onLog(message.level, message.message);
    }
  }

  #allocate(bytes: number): Extent {
    const limit = this.#options.memoryLimitBytes;
    const used = this.#registry.publishedBytes;
    if (used + bytes > limit) {
      throw new ApiError(
        'circuit_breaking_exception',
        429,
        `[segments] Data too large, data for [segment] would be [${used + bytes}/${used + bytes}b], which is larger than the limit of [${limit}/${limit}b]`,
        {
          details: { bytes_wanted: used + bytes, bytes_limit: limit, durability: 'PERMANENT' },
        },
      );
    }
    return this.#arenas.allocate(bytes);
  }

  async #publish(snapshot: SnapshotDescriptor): Promise<void> {
    this.#registry.publish(snapshot);
    this.breaker.setSegments(this.#registry.publishedBytes);
    await this.broadcast({ type: 'snapshot', snapshot });
  }

  #onFreed(extent: Extent, segment: number | null): void {
    this.#arenas.release(extent);
    this.breaker.setSegments(this.#registry.publishedBytes);
    if (segment === null) return;
    for (const { channel } of this.#indexers) channel.notify({ type: 'released', segments: [segment] });
  }

  // -------------------------------------------------------------------------------------------------------- metadata

  /** Runs a metadata command after the previous ones. Resolves with the reducer's response when every thread has the new state. */
  async command<Name extends CommandName>(name: Name, args: CommandArgs<Name>): Promise<CommandResponse<Name>> {
    const { response, closed } = await this.#queue.run(() => this.#runCommand(name, args));
    // Awaited outside the queue of commands, because a closing shard may wait for a mapping update, which is a command, too.
    await closed;
    return response;
  }

  /** Replaces the users and roles of the settings in every thread, also in those that start later, and reads certificates again. */
  reload(fileRealm: RealmSettings): Promise<void> {
    this.#options = { ...this.#options, settings: { ...this.#options.settings, ...fileRealm } };
    this.#security.setFileUsers(fileRealm['security.users']);
    return this.broadcast({ type: 'reload', fileRealm });
  }

  /** Runs a change of users, roles or API keys between metadata commands. Resolves when every reader acts upon it. */
  #runSecurityCommand<Name extends SecurityCommandName>(name: Name, args: SecurityArgs<Name>): Promise<SecurityReply<Name>> {
    return this.#queue.run(async () => {
      const { changes, reply } = runSecurityCommand(name, this.#security.records, args, this.#security.environment);
      if (changes.length > 0) {
        this.#security.save(changes);
        await this.broadcast({ type: 'security', changes });
      }
      return reply;
    });
  }

  #updateMapping(uuid: string, mappings: JsonObject): Promise<unknown> {
    const meta = Object.values(this.#metadata.state.indices).find((index) => index.uuid === uuid);
    if (!meta) throw indexNotFoundError(uuid);
    return this.command('dynamicMapping', { index: meta.name, mappings });
  }

  async #runCommand<Name extends CommandName>(
    name: Name,
    args: CommandArgs<Name>,
  ): Promise<{ response: CommandResponse<Name>; closed: Promise<unknown> }> {
    const before = this.#metadata.state;
    this.#snapshots.checkCommand(name, args);
    const { state, response } = runReducer(name, before, args, this.#reducerEnvironment());
    if (state === before) return { response, closed: Promise.resolve() };
    this.#metadata.save(state);
    this.#snapshots.onState();
    const placements = this.#placements.of(state);
    const open = openIndices(state);
    const opened = openIndices(before);
    // Indexers receive the state first, since a reader may write as soon as it has it.
    await Promise.all(this.#indexers.map(({ channel }) => channel.request({ type: 'state', state, placements })));
    const started = placements.filter(({ uuid }) => !opened.has(uuid));
    await Promise.all(started.map(({ uuid }) => this.#closing.get(uuid)));
    await Promise.all(
      started.map((placement) => this.#indexers[placement.indexer].channel.request({ type: 'openShard', placement, snapshot: null })),
    );
    await this.broadcast({ type: 'state', state, placements });
    const kept = uuidsOf(state);
    const closing = [...uuidsOf(before)]
      .filter((uuid) => !kept.has(uuid) || (opened.has(uuid) && !open.has(uuid)))
      .map((uuid) => this.#closeIndex(uuid, !kept.has(uuid)));
    return { response, closed: Promise.all(closing) };
  }

  #reducerEnvironment(): ReducerEnvironment {
    return {
      nowMs: Date.now(),
      dialect: dialectOfNode(this.#options),
      newUuid: () => randomBytes(16).toString('base64url'),
      buildMapping: (mappings, settings, isNew = true) => buildMapping(mappings, settings, this.#options, isNew),
    };
  }

  /** Closes the open shards of an index, one call after another. @param drop  the index was deleted, so its files are removed */
  #closeIndex(uuid: string, drop: boolean): Promise<void> {
    const closing = (this.#closing.get(uuid) ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => this.#closeShards(uuid, drop))
      .finally(() => {
        if (this.#closing.get(uuid) === closing) this.#closing.delete(uuid);
      });
    this.#closing.set(uuid, closing);
    return closing;
  }

  async #closeShards(uuid: string, drop: boolean): Promise<void> {
    const logs = this.#metadata.logs(uuid);
    const close = (log: number, shard: number) =>
      this.#indexers[this.#placements.indexerOf(log)].channel.request({ type: 'closeShard', uuid, shard, log, drop });
    await Promise.all(logs.map(close));
    for (const shard of logs.keys()) {
      this.#registry.forget(uuid, shard);
      this.#placements.forget(uuid, shard);
    }
    if (!drop) return;
    removeIndexFolder(this.#options.dataPath, uuid);
    this.#metadata.forgetLogs(uuid);
  }

  // ------------------------------------------------------------------------------------------------------------ stop

  /** Flushes and closes everything. Readers must be stopped before. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    await this.#lanes?.stop();
    await this.#snapshots.stop();
    await this.#queue.settled();
    this.#runIndexers();
    await Promise.allSettled(this.#indexers.map(({ channel }) => channel.request({ type: 'stop' })));
    await Promise.allSettled(this.#closing.values());
    // Reader threads exit on their own, since uWebSockets must close its listener in the turn in which its thread ends.
    const ended = this.#readers.flatMap(({ worker }) => (worker ? [new Promise((resolve) => worker.once('exit', resolve))] : []));
    for (const { channel, worker } of this.#readers) if (worker) channel.notify({ type: 'exit' });
    await Promise.all(ended);
    for (const { channel } of [...this.#indexers, ...this.#readers]) channel.close();
    await Promise.all([this.#merges.stop(), this.#snapshotThread.stop(), ...this.#indexers.map(({ worker }) => worker?.terminate())]);
    await this.#store.close();
    this.#lock.release();
  }
}

function uuidsOf(state: ClusterState): Set<string> {
  return new Set(Object.values(state.indices).map(({ uuid }) => uuid));
}

/** Whether the service before this one ended by a fault that damage of its files may have caused; its parent process says so. */
function diedOfMemoryFault(): boolean {
  return ['135', '139', 'SIGBUS', 'SIGSEGV'].includes(process.env._GANNET_RESTARTED ?? '');
}
