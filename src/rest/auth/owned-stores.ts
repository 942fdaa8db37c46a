// Scrolls, points in time, tasks and asynchronous searches of one owner; those of others are invisible.
import type { AsyncSearchStore } from '../../api/core/async-search-store.ts';
import type { ShardSnapshot } from '../../api/core/index-state.ts';
import type { SearchContextStore } from '../../api/core/search-context.ts';
import type { TaskInfo, TaskStore } from '../../api/core/task-store.ts';

/** How an engine limits the snapshots of a context. */
interface SnapshotLimits {
  /** Names through which the request reached indices; the names of the request that opened the context are added. */
  readonly reached: Map<string, Set<string>>;
  isReachable(index: string): boolean;
  restrict(snapshot: ShardSnapshot): ShardSnapshot;
}

/** Contexts that `owner` opened, as long as all of their indices can be reached. */
export function ownedContexts(store: SearchContextStore, owner: string, limits: SnapshotLimits): SearchContextStore {
  const { reached } = limits;
  const own: SearchContextStore['list'] = async (kind) => (await store.list(kind)).filter((info) => info.owner === owner);
  return {
    open: (kind, snapshots, options) => {
      const through = Object.fromEntries(snapshots.map(({ index: { meta } }) => [meta.name, [...(reached.get(meta.name) ?? [])]]));
      return store.open(kind, snapshots, { ...options, state: { ...options.state, opened: { owner, through } } });
    },
    use: async (kind, key, keepAliveMs) => {
      // The first lookup does not extend the life of a context that may belong to another user.
      const found = await store.use(kind, key, null);
      if (found === null) return null;
      const { opened } = found.state;
      if (opened?.owner === owner) for (const [index, names] of Object.entries(opened.through)) addAll(reached, index, names);
      const isAllowed = opened?.owner === owner && found.snapshots.every(({ index }) => limits.isReachable(index.meta.name));
      if (!isAllowed || keepAliveMs !== null) await found.end();
      if (!isAllowed) return null;
      const used = keepAliveMs === null ? found : await store.use(kind, key, keepAliveMs);
      return used && { ...used, snapshots: used.snapshots.map((snapshot) => limits.restrict(snapshot)) };
    },
    list: own,
    close: async (kind, keys) => {
      const visible = (await own(kind)).map(({ key }) => key);
      return store.close(kind, keys === null ? visible : keys.filter((key) => visible.includes(key)));
    },
  };
}

function addAll(reached: Map<string, Set<string>>, index: string, names: readonly string[]): void {
  reached.set(index, new Set([...(reached.get(index) ?? []), ...names]));
}

/** @param seesAll  the user may cancel tasks of others, and therefore sees them */
export function ownedTasks(store: TaskStore, owner: string, seesAll: boolean): TaskStore {
  const isOwn = (task: TaskInfo): boolean => seesAll || task.owner === owner;
  const find: TaskStore['get'] = async (id) => {
    const task = await store.get(id);
    return task !== null && isOwn(task) ? task : null;
  };
  const list: TaskStore['list'] = async () => (await store.list()).filter(isOwn);
  return {
    start: (task) => store.start({ ...task, owner }),
    report: (id, status) => store.report(id, status),
    finish: (id, result) => store.finish(id, result),
    get: find,
    list,
    cancel: async (ids) => {
      const own = (await list()).map(({ id }) => id);
      return store.cancel(ids === null ? own : ids.filter((id) => own.includes(id)));
    },
    rethrottle: async (id, requestsPerSecond) => ((await find(id)) === null ? null : store.rethrottle(id, requestsPerSecond)),
  };
}

export function ownedAsyncSearches(store: AsyncSearchStore, owner: string): AsyncSearchStore {
  const get: AsyncSearchStore['get'] = async (id) => {
    const search = await store.get(id);
    return search?.owner === owner ? search : null;
  };
  return {
    put: (search) => store.put({ ...search, owner }),
    get,
    delete: async (id) => (await get(id)) !== null && (await store.delete(id)),
  };
}
