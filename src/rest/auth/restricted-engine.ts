// The engine within a caller's privileges, for one request and one action. Names are checked where they are resolved, not in each route: patterns
// and "all" expand to what is permitted, and names inside bodies (multi search, terms lookups, alias actions, destinations of rollover and resize)
// reach no further than names in paths.

import type { CommandArgs, CommandName, CommandResponse, EngineContext, StoredDocument } from '../../api/core/context.ts';
import type { IndexState, ShardSnapshot } from '../../api/core/index-state.ts';
import type { Refresh, WriteOperation, WriteOutcome } from '../../api/core/write.ts';
import { Visibility } from '../../api/visibility/visible-index.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import type { Mobility } from '../../common/turns/turn.ts';
import { ApiError } from '../../errors/api-error.ts';
import { callerRef } from '../../security/caller.ts';
import { ownerOf } from '../../security/identity.ts';
import type { Restriction } from '../../security/permissions.ts';
import { refusalError } from './access.ts';
import { type Action, CANCEL_TASKS, CHANGE_ALIASES, RESIZE, SEARCH, WRITE_ACTIONS } from './action.ts';
import { needsOf } from './command-needs.ts';
import { ownedAsyncSearches, ownedContexts, ownedTasks } from './owned-stores.ts';
import { type Limits, visibleIndices, visibleStreams } from './visible-cluster.ts';
import { checkAliasPermissions } from './wider-alias.ts';

type ClusterView = EngineContext['cluster'];
type NamePolicy = NonNullable<ClusterView['names']>;
type AliasAction = CommandArgs<'updateAliases'>['actions'][number];

/** By index: the names and aliases through which a request reached it. Shared by the engines of one request. */
export type Reached = Map<string, Set<string>>;

export class RestrictedEngine implements EngineContext {
  readonly #engine: EngineContext;
  readonly #limits: Limits;
  readonly #reached: Reached;
  readonly #names: NamePolicy;
  #contexts: EngineContext['contexts'] | null = null;
  #tasks: EngineContext['tasks'] | null = null;
  #asyncSearches: EngineContext['asyncSearches'] | null = null;
  readonly #visibilities = new Map<string, { readonly names: number; readonly visibility: Visibility | null }>();
  #seen: ClusterView | null = null;
  #view: ClusterView | null = null;

  constructor(engine: EngineContext, limits: Limits, reached: Reached = new Map()) {
    this.#engine = engine;
    this.#limits = limits;
    this.#reached = reached;
    const { caller, action, targetAction } = limits;
    const { permissions } = caller;
    this.#names = {
      allows: (name) =>
        this.#permitted(name).some(
          (own) => permissions.allowsIndex(action, own) && (targetAction === null || permissions.allowsIndex(targetAction, own)),
        ),
      reached: (index, through) => this.#reach(index, through),
      refusal: (names) => {
        const denied = names.filter((name) => !permissions.allowsIndex(action, name));
        return denied.length > 0 || targetAction === null
          ? refusalError(caller, action, denied)
          : refusalError(caller, targetAction, names);
      },
    };
  }

  get contexts(): EngineContext['contexts'] {
    return (this.#contexts ??= ownedContexts(this.#engine.contexts, ownerOf(this.#limits.caller.identity), {
      reached: this.#reached,
      isReachable: (index) => this.#isReachable(index),
      restrict: (snapshot) => this.#restricted(snapshot),
    }));
  }

  get tasks(): EngineContext['tasks'] {
    const { identity, permissions } = this.#limits.caller;
    return (this.#tasks ??= ownedTasks(this.#engine.tasks, ownerOf(identity), permissions.allowsCluster(CANCEL_TASKS)));
  }

  /** Entries contain queries and documents: only those of indices that the caller may read without limits are shown. */
  get slowLog(): EngineContext['slowLog'] {
    const { slowLog } = this.#engine;
    const { identity, permissions } = this.#limits.caller;
    const isReadable = (index: string) => permissions.allowsIndex(SEARCH, index) && permissions.restrictionOf(SEARCH, [index]) === null;
    return {
      add: (entry) => {
        const { search } = entry;
        slowLog.add(
          search?.user === undefined || search.user === null ? entry : { ...entry, search: { ...search, user: identity.username } },
        );
      },
      recent: async () => (await slowLog.recent()).filter(({ index }) => isReadable(index)),
    };
  }

  get asyncSearches(): EngineContext['asyncSearches'] {
    return (this.#asyncSearches ??= ownedAsyncSearches(this.#engine.asyncSearches, ownerOf(this.#limits.caller.identity)));
  }

  get whole(): EngineContext {
    return this.#engine.whole;
  }

  get cluster(): ClusterView {
    const { cluster } = this.#engine;
    if (this.#view === null || this.#seen !== cluster) {
      this.#seen = cluster;
      const indices = visibleIndices(cluster, this.#limits, this.#names);
      this.#view = { ...cluster, indices, ...visibleStreams(cluster, this.#names), names: this.#names };
    }
    return this.#view;
  }

  index(name: string): IndexState | null {
    if (!this.#isReachable(name)) throw refusalError(this.#limits.caller, this.#limits.action, [name]);
    const index = this.#engine.index(name);
    return index && (this.#visibilityOf(name)?.index(index) ?? index);
  }

  get nodes(): EngineContext['nodes'] {
    return this.#engine.nodes;
  }

  catchUp(action: string): Promise<void> | null {
    return this.#engine.catchUp(action);
  }

  primaryNodeOf(index: IndexState['meta']): string | null {
    return this.#engine.primaryNodeOf(index);
  }

  requireTogether(indices: readonly IndexState[]): void {
    this.#engine.requireTogether(indices);
  }

  askNode(node: string, part: JsonObject): Promise<Uint8Array> {
    return this.#engine.askNode(node, part, callerRef(this.#limits.caller));
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
    return this.#restricted(this.#engine.acquire(this.#base(index), shard));
  }

  record(index: IndexState, shard: number, seqNo: number): StoredDocument | null {
    const base = this.#base(index);
    const document = this.#engine.record(base, shard, seqNo);
    return this.#visibilityOf(index.meta.name)?.document(base, document) ?? document;
  }

  /** With document level security the refreshed version, since the query of a role matches what searches see. */
  async getRealtime(index: IndexState, shard: number, id: string, mobility?: Mobility): Promise<StoredDocument | null> {
    this.#check(index);
    const base = this.#base(index);
    const visibility = this.#visibilityOf(index.meta.name);
    if (visibility?.hidesDocuments) return this.#refreshed(index, shard, id);
    const document = await this.#engine.getRealtime(base, shard, id, mobility);
    return visibility?.document(base, document) ?? document;
  }

  #refreshed(index: IndexState, shard: number, id: string): StoredDocument | null {
    const snapshot = this.acquire(index, shard);
    try {
      for (const segment of snapshot.segments) {
        const docId = segment.docOfId(id);
        const document = docId < 0 ? null : this.record(index, shard, segment.seqNo(docId));
        // Copied, because the caller receives it in a later turn, when other reads may have reused the buffer.
        if (document) return { ...document, source: document.source && new Uint8Array(document.source) };
      }
      return null;
    } finally {
      snapshot.release();
    }
  }

  /** Operations that the caller may not carry out fail with a security_exception, the others are written. */
  async write(index: IndexState, shard: number, operations: readonly WriteOperation[], refresh: Refresh): Promise<WriteOutcome[]> {
    const refusals = operations.map((operation) => this.#writeRefusal(index, operation));
    const allowed = operations.filter((_, i) => refusals[i] === null);
    const written =
      allowed.length > 0 || operations.length === 0 ? await this.#engine.write(this.#base(index), shard, allowed, refresh) : [];
    let next = 0;
    return refusals.map((refusal, i) =>
      refusal === null ? written[next++] : { ok: false, id: operations[i].id, error: refusal.toData() },
    );
  }

  refresh(index: IndexState): Promise<void> {
    this.#check(index);
    return this.#engine.refresh(this.#base(index));
  }

  flush(index: IndexState, force: boolean): Promise<void> {
    this.#check(index);
    return this.#engine.flush(this.#base(index), force);
  }

  forceMerge(index: IndexState, options: { maxNumSegments: number; onlyExpungeDeletes: boolean }): Promise<void> {
    this.#check(index);
    return this.#engine.forceMerge(this.#base(index), options);
  }

  get configFolders(): EngineContext['configFolders'] {
    return this.#engine.configFolders;
  }

  segmentMemory(): ReturnType<EngineContext['segmentMemory']> {
    return this.#engine.segmentMemory();
  }

  get memory(): EngineContext['memory'] {
    return this.#engine.memory;
  }

  get searchCaches(): EngineContext['searchCaches'] {
    return this.#engine.searchCaches;
  }

  /** Statistics by field are those of visible fields. */
  async shardStats(index: IndexState): ReturnType<EngineContext['shardStats']> {
    this.#check(index);
    const base = this.#base(index);
    const stats = await this.#engine.shardStats(base);
    const visibility = this.#visibilityOf(index.meta.name);
    if (!visibility || visibility.fields === null) return stats;
    const { mapping } = visibility.index(base);
    const visible = (bytes: Readonly<Record<string, number>>) =>
      Object.fromEntries(Object.entries(bytes).filter(([name]) => mapping.field(name) !== null));
    return stats.map((one) => ({ ...one, fielddata: visible(one.fielddata), completion: visible(one.completion) }));
  }

  reads(uuid: string, shard: number): ReturnType<EngineContext['reads']> {
    return this.#engine.reads(uuid, shard);
  }

  /** @throws ApiError security_exception 403: the command names an index or alias outside the caller's privileges */
  async command<Name extends CommandName>(name: Name, args: CommandArgs<Name>): Promise<CommandResponse<Name>> {
    const { caller, action: ownAction } = this.#limits;
    const expanded = 'actions' in args ? { ...args, actions: args.actions.map((action) => this.#withoutPatterns(action)) } : args;
    for (const { action, names } of needsOf(name, expanded)) {
      const needed = action ?? ownAction;
      // Privileges on an alias do not allow changing the aliases of its index.
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

  /** A name and, for a backing index, its data stream: privileges on a stream include its indices. */
  #permitted(name: string): string[] {
    const { indices } = this.#engine.cluster;
    const stream = Object.hasOwn(indices, name) ? indices[name].dataStream : undefined;
    return stream === undefined ? [name] : [name, stream];
  }

  /** Names by which the caller has the action on an index. */
  #namesOf(index: string, action: Action): string[] {
    return [...this.#permitted(index), ...(this.#reached.get(index) ?? [])].filter((name) =>
      this.#limits.caller.permissions.allowsIndex(action, name),
    );
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
    // An update reads the document and may return it.
    const isHidden = kind === 'update' && [action, SEARCH].some((needed) => this.#restrictionOf(meta.name, needed) !== null);
    if (isHidden)
      return new ApiError('security_exception', 400, "Can't execute an update request if field or document level security is enabled");
    return null;
  }

  /** Patterns of aliases to remove match the aliases that the caller sees. */
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

  #restrictionOf(index: string, action: Action): Restriction | null {
    return this.#limits.caller.permissions.restrictionOf(action, [...this.#permitted(index), ...(this.#reached.get(index) ?? [])]);
  }

  /** The limits on what the caller sees of an index; null if there are none. Cached until the index is reached through another name. */
  #visibilityOf(index: string): Visibility | null {
    const known = this.#visibilities.get(index);
    const names = this.#reached.get(index)?.size ?? 0;
    if (known?.names === names) return known.visibility;
    const visibility = this.#findVisibility(index);
    this.#visibilities.set(index, { names, visibility });
    return visibility;
  }

  #findVisibility(index: string): Visibility | null {
    const { action, caller } = this.#limits;
    // A copy of an index is read by its own name.
    const restriction = this.#restrictionOf(index, action) ?? (action === RESIZE ? this.#restrictionOf(index, SEARCH) : null);
    return restriction && Visibility.of(this.#engine.whole, caller.identity, restriction);
  }

  /** The index without limits. */
  #base(index: IndexState): IndexState {
    return index.hidden ? (this.#engine.index(index.meta.name) ?? index) : index;
  }

  #restricted(snapshot: ShardSnapshot): ShardSnapshot {
    return this.#visibilityOf(snapshot.index.meta.name)?.snapshot(this.#engine.whole, snapshot) ?? snapshot;
  }
}
