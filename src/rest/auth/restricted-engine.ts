// The engine as a user with limited rights sees it: indices outside the user's rights do not exist. Names are checked where they are
// resolved, not in each route: patterns and "all" expand to what is allowed, and names inside bodies (multi search, terms lookups, alias
// actions, destinations of rollover and resize) reach no further than names in paths.

import type { CommandArgs, CommandName, CommandResponse, EngineContext } from '../../api/core/context.ts';
import type { IndexState } from '../../api/core/index-state.ts';
import type { Refresh, WriteOperation } from '../../api/core/write.ts';
import type { IndexView } from './access.ts';

type ClusterState = EngineContext['cluster'];

export class RestrictedEngine implements EngineContext {
  readonly #engine: EngineContext;
  readonly #view: IndexView;
  #seen: ClusterState | null = null;
  #restricted: ClusterState | null = null;

  constructor(engine: EngineContext, view: IndexView) {
    this.#engine = engine;
    this.#view = view;
  }

  get cluster(): ClusterState {
    const { cluster } = this.#engine;
    if (this.#restricted === null || this.#seen !== cluster) {
      const indices = Object.fromEntries(Object.entries(cluster.indices).filter(([name]) => this.#view.isTarget(name)));
      this.#seen = cluster;
      this.#restricted = { ...cluster, indices };
    }
    return this.#restricted;
  }

  index(name: string): IndexState | null {
    return this.#view.isVisible(name) ? this.#engine.index(name) : null;
  }

  get clusterName(): string {
    return this.#engine.clusterName;
  }

  get nodeName(): string {
    return this.#engine.nodeName;
  }

  get nodeId(): string {
    return this.#engine.nodeId;
  }

  get dialect(): EngineContext['dialect'] {
    return this.#engine.dialect;
  }

  get publishAddress(): string | null {
    return this.#engine.publishAddress;
  }

  get globalAnalysis(): EngineContext['globalAnalysis'] {
    return this.#engine.globalAnalysis;
  }

  acquire(index: IndexState, shard: number): ReturnType<EngineContext['acquire']> {
    return this.#engine.acquire(index, shard);
  }

  record(index: IndexState, shard: number, seqNo: number): ReturnType<EngineContext['record']> {
    return this.#engine.record(index, shard, seqNo);
  }

  getRealtime(index: IndexState, shard: number, id: string): ReturnType<EngineContext['getRealtime']> {
    return this.#engine.getRealtime(index, shard, id);
  }

  shardOf(index: IndexState, id: string, routing: string | null): number {
    return this.#engine.shardOf(index, id, routing);
  }

  write(index: IndexState, shard: number, operations: readonly WriteOperation[], refresh: Refresh): ReturnType<EngineContext['write']> {
    return this.#engine.write(index, shard, operations, refresh);
  }

  refresh(index: IndexState): Promise<void> {
    return this.#engine.refresh(index);
  }

  flush(index: IndexState, force: boolean): Promise<void> {
    return this.#engine.flush(index, force);
  }

  forceMerge(index: IndexState, options: { maxNumSegments: number; onlyExpungeDeletes: boolean }): Promise<void> {
    return this.#engine.forceMerge(index, options);
  }

  get searchCaches(): EngineContext['searchCaches'] {
    return this.#engine.searchCaches;
  }

  get security(): EngineContext['security'] {
    return this.#engine.security;
  }

  get tasks(): EngineContext['tasks'] {
    return this.#engine.tasks;
  }

  /** A scroll or point in time exists for this user only if all of its indices do. */
  get contexts(): EngineContext['contexts'] {
    const { contexts } = this.#engine;
    const list: EngineContext['contexts']['list'] = async (kind) =>
      (await contexts.list(kind)).filter(({ indices }) => indices.every((name) => this.#view.isVisible(name)));
    return {
      open: (kind, snapshots, options) => contexts.open(kind, snapshots, options),
      use: async (kind, key, keepAliveMs) => {
        const used = await contexts.use(kind, key, null);
        if (used === null) return null;
        const isAllowed = used.snapshots.every(({ index }) => this.#view.isVisible(index.meta.name));
        if (isAllowed && keepAliveMs === null) return used;
        await used.end();
        return isAllowed ? contexts.use(kind, key, keepAliveMs) : null;
      },
      list,
      close: async (kind, keys) => {
        const visible = (await list(kind)).map(({ key }) => key);
        return contexts.close(kind, keys === null ? visible : keys.filter((key) => visible.includes(key)));
      },
    };
  }

  shardStats(index: IndexState): ReturnType<EngineContext['shardStats']> {
    return this.#engine.shardStats(index);
  }

  /** @throws ApiError security_exception 403: the command names an index or alias outside the user's rights */
  async command<Name extends CommandName>(name: Name, args: CommandArgs<Name>): Promise<CommandResponse<Name>> {
    for (const index of namesIn(args)) {
      const refusal = this.#view.refusalOf(index);
      if (refusal) throw refusal;
    }
    return this.#engine.command(name, args);
  }
}

/** Arguments of metadata commands that name indices or aliases. Commands without any of them do not concern indices. */
interface IndexCommandArgs {
  readonly index?: string;
  readonly indices?: readonly string[];
  readonly body?: { readonly aliases?: unknown };
  readonly actions?: ReadonlyArray<{ readonly indices: readonly string[]; readonly aliases?: readonly string[] }>;
}

/** Indices and aliases that a command changes. Patterns in alias removals only apply to the named indices, so they need no separate right. */
function namesIn(args: object): string[] {
  const { index, indices = [], body, actions = [] } = args as IndexCommandArgs;
  const names = [...(index === undefined ? [] : [index]), ...indices, ...Object.keys(body?.aliases ?? {})];
  for (const { indices: targets, aliases = [] } of actions)
    names.push(...targets, ...aliases.filter((alias) => alias !== '_all' && !alias.includes('*')));
  return names;
}
