// The engine as a user with limited rights sees it: indices that the user may not touch are not there. So patterns and "all" mean what is
// allowed, and names inside bodies (multi search, terms lookup, aliases) cannot reach further than the path.
import type { EngineContext, IndexState, WriteOperation } from '../../api/core/context.ts';

type ClusterState = EngineContext['cluster'];

export class RestrictedEngine implements EngineContext {
  readonly #engine: EngineContext;
  readonly #isVisible: (name: string) => boolean;
  #seen: ClusterState | null = null;
  #restricted: ClusterState | null = null;

  /** @param isVisible  by the concrete name of an index */
  constructor(engine: EngineContext, isVisible: (name: string) => boolean) {
    this.#engine = engine;
    this.#isVisible = isVisible;
  }

  get cluster(): ClusterState {
    const { cluster } = this.#engine;
    if (this.#restricted === null || this.#seen !== cluster) {
      const indices = Object.fromEntries(Object.entries(cluster.indices).filter(([name]) => this.#isVisible(name)));
      this.#seen = cluster;
      this.#restricted = { ...cluster, indices };
    }
    return this.#restricted;
  }

  index(name: string): IndexState | null {
    return this.#isVisible(name) ? this.#engine.index(name) : null;
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

  write(
    index: IndexState,
    shard: number,
    operations: readonly WriteOperation[],
    refresh: 'false' | 'true' | 'wait_for',
  ): ReturnType<EngineContext['write']> {
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

  get tasks(): EngineContext['tasks'] {
    return this.#engine.tasks;
  }

  /** Keys cannot be guessed: who knows one was given it. Lists and "all" are left to users of everything. */
  get contexts(): EngineContext['contexts'] {
    const { contexts } = this.#engine;
    const seesAll = (indices: readonly string[]) => indices.every((name) => this.#isVisible(name));
    return {
      open: (kind, snapshots, options) => contexts.open(kind, snapshots, options),
      use: (kind, key, keepAliveMs) => contexts.use(kind, key, keepAliveMs),
      list: async (kind) => (await contexts.list(kind)).filter(({ indices }) => seesAll(indices)),
      close: async (kind, keys) =>
        contexts.close(kind, keys ?? (await contexts.list(kind)).filter(({ indices }) => seesAll(indices)).map(({ key }) => key)),
    };
  }

  shardStats(index: IndexState): ReturnType<EngineContext['shardStats']> {
    return this.#engine.shardStats(index);
  }

  command(command: Parameters<EngineContext['command']>[0]): Promise<unknown> {
    return this.#engine.command(command);
  }
}
