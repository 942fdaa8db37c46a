// Runs metadata commands one after another: reduces the state, orders the command in the log, stores the state, opens and closes shards, and
// sends the state to every thread.
import type { JsonObject } from '../../common/json/json-value.ts';
import { indexNotFoundError } from '../../errors/catalog.ts';
import type { ClusterState } from '../../metadata/cluster-state.ts';
import type { Reduction } from '../../metadata/reducer.ts';
import { type CommandArgs, type CommandName, type CommandResponse, runReducer } from '../../metadata/reducers.ts';
import { changeOf } from '../../metadata/state-change.ts';
import type { ToReader } from '../messages/messages.ts';
import { type AnalysisSource, CheckedAnalyses, readsFiles, UncheckedAnalysis } from '../metadata/analysis-checks.ts';
import { mappingBuilder } from '../metadata/build-index.ts';
import { type CommandEntry, commandEntry, type MetadataLog, seededUuids } from '../metadata/metadata-log.ts';
import type { MetadataStore } from '../metadata/metadata-store.ts';
import { dialectOfNode } from '../metadata/node-dialect.ts';
import { encodeChange } from '../metadata/state-encoding.ts';
import type { NodeOptions } from '../threads/node-options.ts';
import type { CommandQueue } from './command-queue.ts';
import type { IndexCloser } from './index-closer.ts';
import type { Indexers } from './indexers.ts';
import type { ShardPlacements } from './shard-placements.ts';

export interface MetadataCommandsParts {
  readonly metadata: MetadataStore;
  readonly placements: ShardPlacements;
  readonly indexers: Indexers;
  readonly closer: IndexCloser;
  readonly queue: CommandQueue;
  readonly log: MetadataLog;
  readonly options: () => NodeOptions;
  /** Resolves when every reader has the message. */
  readonly broadcast: (message: ToReader) => Promise<void>;
  /** @throws ApiError: the command must not run now */
  readonly check: <Name extends CommandName>(name: Name, args: CommandArgs<Name>) => void;
  /** The shards of an index that another node closed or deleted are not all closed. */
  readonly onCloseError: (error: Error) => void;
  /** Called when a new state is stored. */
  readonly onState: () => void;
}

export class MetadataCommands {
  readonly #parts: MetadataCommandsParts;
  readonly #checked = new CheckedAnalyses();
  /**
   * Every thread has the state: the next message is only what changes. Not before the first command, which may be sent while threads are still
   * receiving the state of the start.
   */
  #isShared = false;

  constructor(parts: MetadataCommandsParts) {
    this.#parts = parts;
  }

  /**
   * Runs a command after the previous ones. Resolves with the reducer's response when every thread has the new state.
   * @param checkedAnalyses  digests of the large analysis definitions that the sender has built
   */
  async run<Name extends CommandName>(
    name: Name,
    args: CommandArgs<Name>,
    checkedAnalyses: readonly string[] = [],
  ): Promise<CommandResponse<Name>> {
    const { response, closed } = await this.#parts.queue.run(() => this.#run(name, args, new Set(checkedAnalyses)));
    // Awaited outside the queue of commands, because a closing shard may wait for a mapping update, which is a command, too.
    await closed;
    return response;
  }

  /** @throws ApiError: the command would fail on the current state */
  dryRun<Name extends CommandName>(name: Name, args: CommandArgs<Name>): void {
    this.#reduce(commandEntry(name, args));
  }

  /** Adds fields found in documents of an index. */
  updateMapping(uuid: string, mappings: JsonObject): Promise<unknown> {
    const meta = Object.values(this.#parts.metadata.state.indices).find((index) => index.uuid === uuid);
    if (!meta) throw indexNotFoundError(uuid);
    return this.run('dynamicMapping', { index: meta.name, mappings });
  }

  async #run<Name extends CommandName>(
    name: Name,
    args: CommandArgs<Name>,
    checked: Set<string>,
  ): Promise<{ response: CommandResponse<Name>; closed: Promise<unknown> }> {
    const { metadata, log, check } = this.#parts;
    for (;;) {
      await log.catchUp();
      check(name, args);
      const entry = log.prepare(commandEntry(name, args));
      const reduced = await this.#reduceChecked(entry, checked);
      if (reduced === null) continue;
      const { state, response } = reduced;
      if (state === metadata.state) return { response, closed: Promise.resolve() };
      if (await log.append(entry)) return { response, ...(await this.#install(state)) };
    }
  }

  /** Stores the changes of another node's command before the node has started. */
  replay(entry: CommandEntry): void {
    this.#parts.metadata.save(this.#stateAfter(entry), this.#parts.log.position);
  }

  /** Applies a command of another node. Runs within the queue of commands. */
  async apply(entry: CommandEntry): Promise<void> {
    return this.adopt(this.#stateAfter(entry));
  }

  /** @throws Error the node cannot go on: it would lack what the others have */
  #stateAfter(entry: CommandEntry): ClusterState {
    try {
      return this.#reduce(entry).state;
    } catch (error) {
      throw new Error(
        `[${entry.name}] of the metadata log, which other nodes have applied, fails here: ${(error as Error).message}; are the files in path.config the same?`,
      );
    }
  }

  /** Uses a state that other nodes have made. Runs within the queue of commands. */
  async adopt(state: ClusterState): Promise<void> {
    const { closed } = await this.#install(state);
    closed.catch((error: Error) => this.#parts.onCloseError(error));
  }

  /** @returns null after an analysis definition was checked, which took time: the state may have changed */
  async #reduceChecked<Name extends CommandName>(
    entry: CommandEntry<Name>,
    checked: Set<string>,
  ): Promise<Reduction<CommandResponse<Name>> | null> {
    try {
      return this.#reduce(entry, (source, digest) => {
        if (!checked.has(digest) && !this.#checked.has(digest)) throw new UncheckedAnalysis(source, digest);
        if (!readsFiles(source)) this.#checked.add(digest);
      });
    } catch (error) {
      if (!(error instanceof UncheckedAnalysis)) throw error;
      await this.#parts.indexers.channel(0).request({ type: 'checkAnalysis', ...error.source });
      checked.add(error.digest);
      return null;
    }
  }

  /** @param onLarge  see mappingBuilder; by default, definitions were checked by the node that ran the command first */
  #reduce<Name extends CommandName>(
    { name, args, nowMs, seed }: CommandEntry<Name>,
    onLarge: (source: AnalysisSource, digest: string) => void = () => undefined,
  ): Reduction<CommandResponse<Name>> {
    const { state } = this.#parts.metadata;
    const options = this.#parts.options();
    return runReducer(name, state, args, {
      dialect: dialectOfNode(options),
      buildMapping: mappingBuilder(state, options, onLarge),
      nowMs,
      newUuid: seededUuids(seed),
    });
  }

  /** Stores a state and makes the node use it. @returns resolves when the shards that it no longer has are closed */
  async #install(state: ClusterState): Promise<{ closed: Promise<unknown> }> {
    const { metadata, closer, indexers, log, onState, broadcast, placements: places } = this.#parts;
    const before = metadata.state;
    const kept = places.indicesHere(state);
    const held = places.indicesHere(before);
    // A copy may return while what it was before is still being removed, with its logs.
    await Promise.all([...kept].filter((uuid) => !held.has(uuid)).map((uuid) => closer.closed(uuid)));
    metadata.save(state, log.position);
    onState();
    const placements = places.of(state);
    const open = places.openIndices(state);
    const opened = places.openIndices(before);
    const change = this.#isShared ? changeOf(before, state) : null;
    const encoded = change === null ? null : encodeChange(change);
    const moved = places.changesTo(placements);
    this.#isShared = false;
    // Indexers receive the state first, since a reader may write as soon as it has it.
    const toIndexers = encoded === null ? ({ type: 'state', state } as const) : ({ type: 'stateChange', change: encoded } as const);
    await Promise.all(indexers.channels.map((channel) => channel.request(toIndexers)));
    const started = placements.filter(({ uuid }) => !opened.has(uuid));
    await Promise.all(started.map(({ uuid }) => closer.closed(uuid)));
    await Promise.all(
      started.map((placement) => indexers.channel(placement.indexer).request({ type: 'openShard', placement, snapshot: null })),
    );
    await broadcast(encoded === null ? { type: 'state', state, placements } : { type: 'stateChange', change: encoded, placements: moved });
    this.#isShared = true;
    const closing = [...held]
      .filter((uuid) => !kept.has(uuid) || (opened.has(uuid) && !open.has(uuid)))
      .map((uuid) => closer.close(uuid, !kept.has(uuid)));
    return { closed: Promise.all(closing) };
  }
}
