// The main part of a node: owns the data directory, the metadata, the memory and the threads, and connects indexers, which write, with readers,
// which search.
// One class, since it only connects parts: messages, the memory of segments, placements, commands, snapshots, tasks, merges and lanes have their own
// files.

import type { SnapshotDescriptor } from '../../indexing/segment-set.ts';
import type { CommandArgs, CommandName, CommandResponse } from '../../metadata/reducers.ts';
import type { RealmSettings } from '../../security/realms.ts';
import type { SecurityView } from '../../security/records.ts';
import type { Store } from '../../store/store.ts';
import { compileEngine } from '../../wasm/kernels.ts';
import { type ClusterLink, type LinkedNode, SOLE_NODE } from '../cluster/cluster-link.ts';
import { breakerOf, type MemoryBreaker } from '../memory/memory-breaker.ts';
import { SegmentMemory } from '../memory/segment-memory.ts';
import type { LogNotice, ReaderStateMessage, ToMerger, ToReader } from '../messages/messages.ts';
import type { FromSnapshots, ToSnapshots } from '../messages/snapshot-messages.ts';
import type { MetadataStore } from '../metadata/metadata-store.ts';
import { dialectOfNode } from '../metadata/node-dialect.ts';
import type { SecurityStore } from '../metadata/security-store.ts';
import { type NodeOptions, nodeOptionsOf } from '../threads/node-options.ts';
import { CommandQueue } from './command-queue.ts';
import { DamageReports } from './damage-reports.ts';
import { EarlyShards } from './early-shards.ts';
import { IndexCloser } from './index-closer.ts';
import { Indexers } from './indexers.ts';
import { linkedNode } from './linked-node.ts';
import { MainLanes } from './main-lanes.ts';
import { MainMessages } from './main-messages.ts';
import { MergeRunner } from './merge-runner.ts';
import { MetadataCommands } from './metadata-commands.ts';
import type { NodePart } from './node-part.ts';
import { NodeStorage } from './node-storage.ts';
import { type PartEnvironment, preparePart } from './part-starter.ts';
import { type ConnectReader, Readers } from './readers.ts';
import { SearchContexts } from './search-contexts.ts';
import { SecurityCommands } from './security-commands.ts';
import { ShardPlacements } from './shard-placements.ts';
import { SlowLogs } from './slow-logs.ts';
import { SnapshotThread } from './snapshots/snapshot-thread.ts';
import { Snapshots } from './snapshots/snapshots.ts';
import { snapshotsEnvironment } from './snapshots/snapshots-environment.ts';
import { Tasks } from './tasks.ts';

/** Scratch region of the merger in each arena: it works in its own memory and needs little. */
const MERGER_SCRATCH_BYTES = 64 << 10;

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
  readonly #link: ClusterLink;
  readonly #storage: NodeStorage;
  readonly #store: Store;
  readonly #metadata: MetadataStore;
  readonly #security: SecurityStore;
  readonly #module: WebAssembly.Module;
  readonly #memory: SegmentMemory;
  readonly #early: EarlyShards;
  readonly #contexts: SearchContexts;
  readonly #tasks = new Tasks();
  readonly #slowLogs: SlowLogs;
  readonly #parts: PartEnvironment;
  readonly #indexers = new Indexers();
  readonly #readers = new Readers();
  readonly #placements: ShardPlacements;
  readonly #merges: MergeRunner;
  /** null without lanes. */
  readonly #lanes: MainLanes | null;
  readonly #damage: DamageReports;
  readonly #snapshotThread: SnapshotThread;
  readonly #snapshots: Snapshots;
  readonly #closer: IndexCloser;
  /** Metadata commands, changes of users, and messages to readers that must not overtake them. */
  readonly #queue = new CommandQueue();
  readonly #commands: MetadataCommands;
  readonly #securityCommands: SecurityCommands;
  readonly #messages: MainMessages;
  #whenIndexed: (() => void) | null = null;
  #stopping: Promise<void> | null = null;

  /** @throws ApiError: the directory is in use, or its metadata is corrupt */
  constructor(options: MainOptions, link: ClusterLink = SOLE_NODE) {
    this.#options = options;
    this.#link = link;
    this.breaker = breakerOf(options);
    this.#slowLogs = new SlowLogs(
      options.settings['path.logs'],
      () => ({
        ...options,
        clusterUuid: this.#metadata.state.clusterUuid,
      }),
      (message) => options.onLog('error', message),
    );
    this.#storage = new NodeStorage(options);
    this.#store = this.#storage.store;
    this.#metadata = this.#storage.metadata;
    this.#security = this.#storage.security;
    this.#damage = new DamageReports({
      error: (message) => options.onLog('error', message),
      indexName: (uuid) => Object.values(this.#metadata.state.indices).find((meta) => meta.uuid === uuid)?.name ?? uuid,
      share: () => void this.#queue.run(() => this.broadcast(this.#stateMessage())).catch(() => undefined),
    });
    this.#placements = new ShardPlacements({
      node: options.nodeId,
      indexers: options.indexers,
      logs: (uuid) => this.#metadata.logs(uuid),
      damage: (uuid, shard) => this.#damage.of(uuid, shard),
    });
    this.#module = compileEngine();
    this.#memory = this.#makeMemory(options);
    this.#contexts = new SearchContexts(this.#memory.registry, options.nodeId);
    this.#closer = new IndexCloser({
      dataPath: options.dataPath,
      metadata: this.#metadata,
      placements: this.#placements,
      registry: this.#memory.registry,
      indexers: this.#indexers,
    });
    this.#commands = this.#makeCommands(options, link);
    this.#securityCommands = new SecurityCommands({
      security: this.#security,
      queue: this.#queue,
      log: link.metadataLog,
      broadcast: (message) => this.broadcast(message),
    });
    this.#parts = {
      module: this.#module,
      store: this.#store,
      arenas: this.#memory.arenas,
      inProcess: options.inProcess,
      options: () => this.threadOptions,
      onStartError: (role, error) => options.onLog('error', `${role} failed to start: ${error.stack}`),
      onThreadError: (role, error) => (role === 'snapshots' ? this.#onSnapshotThreadError(error) : this.#onThreadError(role, error)),
    };
    this.#merges = this.#makeMerges();
    this.#snapshotThread = new SnapshotThread({
      start: () => this.#startPart<ToSnapshots, FromSnapshots>('snapshots', 0, (notice) => this.#snapshots.onNotice(notice)),
    });
    this.#snapshots = new Snapshots(
      snapshotsEnvironment({
        thread: this.#snapshotThread,
        version: dialectOfNode(options).version,
        metadata: this.#metadata,
        security: this.#security,
        commands: this.#commands,
        securityCommands: this.#securityCommands,
        placements: this.#placements,
        indexers: this.#indexers,
        closer: this.#closer,
        log: options.onLog,
      }),
    );
    this.#early = new EarlyShards({
      dataPath: options.dataPath,
      store: this.#store,
      module: this.#module,
      allocate: (bytes, arena) => this.#memory.allocate(bytes, arena),
      release: (extent) => this.#memory.release(extent),
      openFile: (file) => this.#memory.paged.open(file),
    });
    this.#messages = this.#makeMessages(options, link);
    this.#lanes = options.lanes === 0 ? null : this.#makeLanes(options);
  }

  #makeMemory(options: MainOptions): SegmentMemory {
    return new SegmentMemory(this.#module, {
      memoryLimitBytes: options.memoryLimitBytes,
      minPagedBytes: options.settings['memory.whole_segment_size'],
      breaker: this.breaker,
      isService: options.breakers !== null,
      onArena: (arena, memory, sections) => this.#early.addArena(arena, memory, sections),
      onSegmentReleased: (segment) => {
        for (const channel of this.#indexers.channels) channel.notify({ type: 'released', segments: [segment] });
      },
    });
  }

  #makeCommands(options: MainOptions, link: ClusterLink): MetadataCommands {
    return new MetadataCommands({
      metadata: this.#metadata,
      placements: this.#placements,
      indexers: this.#indexers,
      closer: this.#closer,
      queue: this.#queue,
      log: link.metadataLog,
      onCloseError: (error) => options.onLog('error', `the shards of an index are not closed: ${error.message}`),
      options: () => this.#options,
      broadcast: (message) => this.broadcast(message),
      check: (name, args) => {
        link.check(name);
        this.#snapshots.checkCommand(name, args);
      },
      onState: () => {
        this.#snapshots.onState();
        this.#noteIndices();
        link.onState(this.#metadata.state);
      },
    });
  }

  #makeMerges(): MergeRunner {
    return new MergeRunner({
      startMerger: () => this.#startPart<ToMerger, never>('merger', MERGER_SCRATCH_BYTES, () => undefined),
      onMergerEnd: (merger) => this.#memory.arenas.remove(merger),
      hold: (segments) => this.#memory.registry.hold(segments),
      allocate: (bytes) => this.#memory.allocate(bytes),
      isScarce: (bytes) => this.#memory.isScarce(bytes),
      openFile: (file) => this.#memory.paged.open(file, true),
    });
  }

  #makeMessages(options: MainOptions, link: ClusterLink): MainMessages {
    return new MainMessages({
      memory: this.#memory,
      commands: this.#commands,
      securityCommands: this.#securityCommands,
      merges: this.#merges,
      contexts: this.#contexts,
      tasks: this.#tasks,
      slowLogs: this.#slowLogs,
      snapshots: this.#snapshots,
      link,
      lanes: () => this.#lanes,
      publish: (snapshot) => this.#publish(snapshot),
      damage: this.#damage,
      onDamagedLog: (log, reason) => this.#onDamagedLog(log, reason),
      log: (level, message) => options.onLog(level, message),
    });
  }

  #makeLanes(options: MainOptions): MainLanes {
    return new MainLanes(
      {
        arenas: this.#memory.arenas,
        registry: this.#memory.registry,
        contexts: this.#contexts,
        tasks: this.#tasks,
        module: this.#module,
        options: this.threadOptions,
        log: options.onLog,
        breaker: this.breaker,
        connect: () => this.#indexers.connect(),
        current: () => this.#current(),
        onMessage: (reader, message) => this.#messages.onReader(reader, message),
      },
      options.lanes,
    );
  }

  /** Calls `callback` once, as soon as there is an index. Threads that serve indices take 20 MB each, which a node without one does not need. */
  onFirstIndex(callback: () => void): void {
    this.#whenIndexed = callback;
    this.#noteIndices();
  }

  #noteIndices(): void {
    if (this.#whenIndexed === null || Object.keys(this.#metadata.state.indices).length === 0) return;
    const callback = this.#whenIndexed;
    this.#whenIndexed = null;
    callback();
  }

  #stateMessage(): ReaderStateMessage {
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
    return this.#storage.isChecked;
  }

  get module(): WebAssembly.Module {
    return this.#module;
  }

  get securityRecords(): SecurityView {
    return this.#security.records;
  }

  get threadOptions(): NodeOptions {
    return nodeOptionsOf(this.#options);
  }

  /**
   * Opens every shard: reads segments and replays logs. Does not wait for the indexers of shards that early-shards.ts has opened: they start after
   * the first requests are answered, which the start of their threads would delay, and then handle the requests received in the meantime. Readers added
   * by `addReaders` know all metadata and snapshots when this resolves.
   */
  async start(addReaders: () => void): Promise<void> {
    await this.#link.join(() => this.#linkedNode());
    this.#indexers.prepare(this.#options.indexers, this.#parts, (message) => this.#messages.onIndexer(message));
    const { state } = this.#metadata;
    const placements = this.#placements.of(state);
    // Listed before requests are served, so that indices deleted by requests are not included.
    const orphans = this.#metadata.orphans();
    const fail = (error: Error) => this.#options.onLog('error', `an indexer failed to start: ${error.message}`);
    const opened = this.#indexers.channels.map((channel) => channel.request({ type: 'state', state }).catch(fail));
    const late: Promise<void>[] = [];
    for (const placement of placements) {
      const snapshot = this.#link.opensShardsEarly ? await this.#early.open(placement) : null;
      const done = this.#indexers
        .channel(placement.indexer)
        .request({ type: 'openShard', placement, snapshot })
        .catch((error) => this.#damage.reportShard(placement, `does not open: ${error.message}`));
      opened.push(done);
      if (snapshot !== null) this.#memory.registry.publish(snapshot);
      else {
        late.push(done);
        this.#indexers.run();
      }
    }
    // After the shards were sent to the indexers, so that requests of readers are queued behind them.
    addReaders();
    await Promise.all([this.#readers.sendAll(this.#current()), ...late]);
    this.#indexers.runLater();
    this.#snapshots.onState();
    Promise.all(opened)
      .then(() => (this.#stopping === null ? Promise.all(orphans.map((uuid) => this.#closer.close(uuid, true))) : []))
      .catch((error) => this.#options.onLog('error', `a deleted index is left on disk: ${error.message}`));
  }

  /** Joins the cluster. @param publishAddress  host:port of the REST API */
  startLink(publishAddress: string): Promise<void> {
    return this.#link.start(publishAddress);
  }

  #linkedNode(): LinkedNode {
    return linkedNode({
      nodeId: this.#options.nodeId,
      metadata: this.#metadata,
      commands: this.#commands,
      securityCommands: this.#securityCommands,
      placements: this.#placements,
      indexers: this.#indexers,
      queue: this.#queue,
      link: this.#link,
      contexts: this.#contexts,
      serve: (request) => this.#readers.serve(request),
      broadcast: (message) => this.broadcast(message),
      log: (level, message) => this.#options.onLog(level, message),
    });
  }

  /** Messages that bring a new reader up to date: metadata, users, snapshots, nodes. */
  #current(): ToReader[] {
    const changes = this.#security.all();
    const cluster = this.#link.readersMessage();
    return [
      this.#stateMessage(),
      ...(cluster === null ? [] : [cluster]),
      ...(changes.length > 0 ? [{ type: 'security', changes } as const] : []),
      ...this.#memory.registry.newest().map((snapshot) => ({ type: 'snapshot', snapshot }) as const),
    ];
  }

  /** Adds a reader. A reader added after `start` must be welcomed. @returns the reader's number */
  startReader(connect: ConnectReader): number {
    const { reader, part } = this.#readers.add(connect, this.#indexers.connect(), {
      scratchBytes: this.#options.scratchBytes,
      onMessage: (number, message) => this.#messages.onReader(number, message),
    });
    part.worker?.on('error', (error) => this.#onThreadError('http worker', error));
    this.#memory.arenas.add(part);
    this.#memory.registry.addReader(reader);
    return reader;
  }

  /** Sends a late reader the metadata and all snapshots, then `message`. Runs between two metadata commands, so that the reader misses none. */
  welcome(reader: number, message: ToReader): Promise<void> {
    return this.#queue.run(async () => {
      await this.#readers.send(reader, this.#current());
      await this.#readers.send(reader, [message]);
    });
  }

  /** Sends a request to every reader and waits for the replies of all but lanes. */
  async broadcast(message: ToReader): Promise<void> {
    this.#lanes?.inform(message);
    await this.#readers.sendAll([message]);
  }

  // --------------------------------------------------------------------------------------------------------- threads

  #startPart<Out extends { readonly type: string }, In>(
    role: 'merger' | 'snapshots',
    scratchBytes: number,
    handler: (message: In) => unknown,
  ): NodePart<Out, In> {
    const { part, run } = preparePart<Out, In>(this.#parts, { role, number: 0, scratchBytes }, handler);
    run();
    return part;
  }

  /**
   * A thread that dies loses its shards or connections, so the process exits; the parent process restarts the service, which recovers from
   * the log.
   */
  #onThreadError(role: string, error: Error): void {
    this.#options.onLog('error', `${role} thread died: ${error.stack ?? error.message}`);
    if (this.#stopping === null) process.exit(70);
  }

  /** The operations on snapshots fail; data and requests are not affected. */
  #onSnapshotThreadError(error: Error): void {
    this.#options.onLog('error', `snapshot thread died: ${error.stack ?? error.message}`);
    this.#snapshotThread.lost();
  }

  // -------------------------------------------------------------------------------------------------------- messages

  #onDamagedLog(log: number, reason: string): void {
    const placement = this.#placements.of(this.#metadata.state).find((candidate) => candidate.log === log);
    if (placement) this.#damage.reportShard(placement, reason);
  }

  /** Continues the slow logs in new files after a rotation. */
  reopenLogs(): void {
    this.#slowLogs.reopen();
  }

  /** Reports damage that may affect every shard. */
  reportStoreDamage(lines: readonly string[]): void {
    this.#damage.reportStore(lines);
  }

  async #publish(snapshot: SnapshotDescriptor): Promise<void> {
    this.#memory.publish(snapshot);
    await this.broadcast({ type: 'snapshot', snapshot });
  }

  // -------------------------------------------------------------------------------------------------------- metadata

  /** As MetadataCommands.run. */
  command<Name extends CommandName>(name: Name, args: CommandArgs<Name>): Promise<CommandResponse<Name>> {
    return this.#commands.run(name, args);
  }

  /** Replaces the users and roles of the settings in every thread, also in those that start later, and reads certificates again. */
  reload(fileRealm: RealmSettings): Promise<void> {
    this.#options = { ...this.#options, settings: { ...this.#options.settings, ...fileRealm } };
    this.#security.setFileUsers(fileRealm['security.users']);
    return this.broadcast({ type: 'reload', fileRealm });
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
    await this.#link.leave();
    await this.#queue.settled();
    await this.#indexers.stop();
    await this.#closer.settled();
    await this.#readers.stop();
    await this.#indexers.end();
    this.#slowLogs.close();
    await Promise.all([this.#merges.stop(), this.#snapshotThread.stop()]);
    this.#memory.paged.closeAll();
    await this.#storage.close();
  }
}
