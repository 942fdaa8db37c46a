// The engine within a caller's privileges, for one request and one action. Names are checked where they are resolved, not in each route: patterns
// and "all" expand to what is permitted, and names inside bodies (multi search, terms lookups, alias actions, destinations of rollover and resize)
// reach no further than names in paths.

import type { CommandArgs, CommandName, CommandResponse, EngineContext, StoredDocument } from '../../api/core/context.ts';
import type { IndexState, ShardSnapshot } from '../../api/core/index-state.ts';
import type { Refresh, WriteOperation, WriteOutcome } from '../../api/core/write.ts';
import { matchesPattern } from '../../common/wildcard.ts';
import type { ApiError } from '../../errors/api-error.ts';
import type { Caller } from '../../security/caller.ts';
import { ownerOf } from '../../security/identity.ts';
import { refusalError } from './access.ts';
import { type Action, CHANGE_ALIASES, WRITE_ACTIONS } from './action.ts';
import { needsOf } from './command-needs.ts';
import { ownedContexts, ownedTasks } from './owned-stores.ts';
import { checkAliasPermissions } from './wider-alias.ts';

type ClusterView = EngineContext['cluster'];
type NamePolicy = NonNullable<ClusterView['names']>;
type AliasAction = CommandArgs<'updateAliases'>['actions'][number];

/** By index: the names and aliases through which a request reached it. Shared by the engines of one request. */
export type Reached = Map<string, Set<string>>;

/** What an engine is limited to. */
export interface Limits {
  readonly caller: Caller;
  readonly action: Action;
  /** Action that is also needed on the indices that expressions resolve to: of operations that read indices and change them. */
  readonly targetAction: Action | null;
}

export class RestrictedEngine implements EngineContext {
  readonly #engine: EngineContext;
  readonly #limits: Limits;
  readonly #reached: Reached;
  readonly #names: NamePolicy;
  readonly contexts: EngineContext['contexts'];
  readonly tasks: EngineContext['tasks'];
  #seen: ClusterView | null = null;
  #view: ClusterView | null = null;

  constructor(engine: EngineContext, limits: Limits, reached: Reached = new Map()) {
    this.#engine = engine;
    this.#limits = limits;
    this.#reached = reached;
    const { caller, action, targetAction } = limits;
    const { permissions } = caller;
    this.#names = {
      allows: (name) => permissions.allowsIndex(action, name) && (targetAction === null || permissions.allowsIndex(targetAction, name)),
      reached: (index, through) => this.#reach(index, through),
      refusal: (names) => {
        const denied = names.filter((name) => !permissions.allowsIndex(action, name));
        return denied.length > 0 || targetAction === null
          ? refusalError(caller, action, denied)
          : refusalError(caller, targetAction, names);
      },
    };
    const owner = ownerOf(caller.identity);
    this.contexts = ownedContexts(engine.contexts, owner, {
      reached,
      isReachable: (index) => this.#isReachable(index),
      restrict: (snapshot) => this.#restricted(snapshot),
    });
    this.tasks = ownedTasks(engine.tasks, owner, permissions.allowsCluster('cluster:admin/tasks/cancel'));
  }

  get whole(): EngineContext {
    return this.#engine.whole;
  }

  get cluster(): ClusterView {
    const { cluster } = this.#engine;
    if (this.#view === null || this.#seen !== cluster) {
      this.#seen = cluster;
      this.#view = { ...cluster, indices: visibleIndices(cluster, this.#names), names: this.#names };
    }
    return this.#view;
  }

  index(name: string): IndexState | null {
    if (!this.#isReachable(name)) throw refusalError(this.#limits.caller, this.#limits.action, [name]);
    return this.#engine.index(name);
  }

  damageOf(index: IndexState['meta'], shard: number): string | null {
    return this.#engine.damageOf(index, shard);
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

  get security(): EngineContext['security'] {
    return this.#engine.security;
  }

  /** Their APIs need privileges on the cluster; a restore also checks those on each index. */
  get snapshots(): EngineContext['snapshots'] {
    return this.#engine.snapshots;
  }

  get publishAddress(): string | null {
    return this.#engine.publishAddress;
  }

  get globalAnalysis(): EngineContext['globalAnalysis'] {
    return this.#engine.globalAnalysis;
  }

  acquire(index: IndexState, shard: number): ShardSnapshot {
    this.#check(index);
    return this.#restricted(this.#engine.acquire(index, shard));
  }

  record(index: IndexState, shard: number, seqNo: number): StoredDocument | null {
    return this.#engine.record(index, shard, seqNo);
  }

  getRealtime(index: IndexState, shard: number, id: string): Promise<StoredDocument | null> {
    this.#check(index);
    return this.#engine.getRealtime(index, shard, id);
  }

  shardOf(index: IndexState, id: string, routing: string | null): number {
    return this.#engine.shardOf(index, id, routing);
  }

  /** Operations that the caller may not carry out fail with a security_exception, the others are written. */
  async write(index: IndexState, shard: number, operations: readonly WriteOperation[], refresh: Refresh): Promise<WriteOutcome[]> {
    const refusals = operations.map((operation) => this.#writeRefusal(index, operation));
    const allowed = operations.filter((_, i) => refusals[i] === null);
    const written = allowed.length > 0 || operations.length === 0 ? await this.#engine.write(index, shard, allowed, refresh) : [];
    let next = 0;
    return refusals.map((refusal, i) =>
      refusal === null ? written[next++] : { ok: false, id: operations[i].id, error: refusal.toData() },
    );
  }

  refresh(index: IndexState): Promise<void> {
    this.#check(index);
    return this.#engine.refresh(index);
  }

  flush(index: IndexState, force: boolean): Promise<void> {
    this.#check(index);
    return this.#engine.flush(index, force);
  }

  forceMerge(index: IndexState, options: { maxNumSegments: number; onlyExpungeDeletes: boolean }): Promise<void> {
    this.#check(index);
    return this.#engine.forceMerge(index, options);
  }

  get searchCaches(): EngineContext['searchCaches'] {
    return this.#engine.searchCaches;
  }

  shardStats(index: IndexState): ReturnType<EngineContext['shardStats']> {
    this.#check(index);
    return this.#engine.shardStats(index);
  }

  /** @throws ApiError security_exception 403: the command names an index or alias outside the caller's privileges */
  async command<Name extends CommandName>(name: Name, args: CommandArgs<Name>): Promise<CommandResponse<Name>> {
    const { caller, action: ownAction } = this.#limits;
    const expanded = 'actions' in args ? { ...args, actions: args.actions.map((action) => this.#withoutPatterns(action)) } : args;
    for (const { action, names } of needsOf(name, expanded)) {
      const needed = action ?? ownAction;
      // An alias of an index does not permit to change the aliases of the index.
      const isAllowed = (own: string) =>
        needed === CHANGE_ALIASES ? caller.permissions.allowsIndex(needed, own) : this.#allows(needed, own);
      const denied = names.filter((own) => !isAllowed(own));
      if (denied.length > 0) throw refusalError(caller, needed, denied);
    }
    if ('actions' in expanded) checkAliasPermissions(caller.permissions, expanded.actions);
    return this.#engine.command(name, expanded);
  }

  #reach(index: string, through: string): void {
    const names = this.#reached.get(index);
    if (names) names.add(through);
    else this.#reached.set(index, new Set([through]));
  }

  /** Names by which the caller has the action on an index. */
  #namesOf(index: string, action: Action): string[] {
    return [index, ...(this.#reached.get(index) ?? [])].filter((name) => this.#limits.caller.permissions.allowsIndex(action, name));
  }

  #allows(action: Action, name: string): boolean {
    return this.#namesOf(name, action).length > 0;
  }

  #isReachable(index: string): boolean {
    return this.#allows(this.#limits.action, index);
  }

  #check({ meta }: IndexState): void {
    if (!this.#isReachable(meta.name)) throw refusalError(this.#limits.caller, this.#limits.action, [meta.name]);
  }

  #writeRefusal({ meta }: IndexState, operation: WriteOperation): ApiError | null {
    const { kind, autoId } = operation;
    const action = kind === 'index' && autoId ? WRITE_ACTIONS.create : WRITE_ACTIONS[kind];
    for (const needed of [WRITE_ACTIONS.bulk, action])
      if (!this.#allows(needed, meta.name)) return refusalError(this.#limits.caller, needed, [meta.name]);
    return null;
  }

  /** Patterns of aliases to remove stand for the aliases that the caller sees. */
  #withoutPatterns(action: AliasAction): AliasAction {
    if (action.kind !== 'remove') return action;
    const { indices } = this.cluster;
    const seen = new Set(action.indices.flatMap((index) => Object.keys(indices[index]?.aliases ?? {})));
    const aliases = action.aliases.flatMap((alias) => {
      const pattern = alias === '_all' ? '*' : alias;
      return pattern.includes('*') ? [...seen].filter((name) => matchesPattern(pattern, name)) : [alias];
    });
    return { ...action, aliases: [...new Set(aliases)] };
  }

  #restricted(snapshot: ShardSnapshot): ShardSnapshot {
    return snapshot;
  }
}

/** The indices that the caller can reach, by their names or through aliases, with the aliases that they may use. */
function visibleIndices(cluster: ClusterView, names: NamePolicy): ClusterView['indices'] {
  const visible: Record<string, ClusterView['indices'][string]> = {};
  for (const [name, meta] of Object.entries(cluster.indices)) {
    const aliases = Object.entries(meta.aliases);
    const allowed = aliases.filter(([alias]) => names.allows(alias));
    if (allowed.length === 0 && !names.allows(name)) continue;
    visible[name] = allowed.length === aliases.length ? meta : { ...meta, aliases: Object.fromEntries(allowed) };
  }
  return visible;
}
