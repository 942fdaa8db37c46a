// Thread pools by Elasticsearch's names. This node runs searches on http workers and writes on indexers. The same threads do the work of
// the other pools, which are listed only for clients that request them and never have threads, queues or rejections.
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import type { Dialect } from '../../compat/dialect.ts';

export interface ThreadPool {
  readonly name: string;
  readonly type: 'fixed' | 'scaling' | 'resizable';
  /** Threads that exist; 0 for pools whose work other threads do. */
  readonly threads: number;
  /** Least and largest number of threads of a scaling pool; null for others. */
  readonly scales: { readonly core: number; readonly max: number; readonly keepAlive: string } | null;
}

/** How many threads of each kind this node has. */
export interface ThreadCounts {
  readonly searching: number;
  readonly writing: number;
}

type Kind = 'none' | keyof ThreadCounts;
type Server = 'all' | 'opensearch' | 'elasticsearch';

const POOLS: ReadonlyArray<readonly [name: string, type: ThreadPool['type'], kind: Kind, server: Server]> = [
  ['analyze', 'fixed', 'none', 'all'],
  ['auto_complete', 'fixed', 'none', 'elasticsearch'],
  ['cluster_coordination', 'fixed', 'none', 'elasticsearch'],
  ['fetch_shard_started', 'scaling', 'none', 'all'],
  ['fetch_shard_store', 'scaling', 'none', 'all'],
  ['flush', 'scaling', 'none', 'all'],
  ['force_merge', 'fixed', 'none', 'all'],
  ['generic', 'scaling', 'none', 'all'],
  ['get', 'fixed', 'searching', 'all'],
  ['index_searcher', 'resizable', 'none', 'opensearch'],
  ['listener', 'fixed', 'none', 'opensearch'],
  ['management', 'scaling', 'none', 'all'],
  ['refresh', 'scaling', 'none', 'all'],
  ['search', 'fixed', 'searching', 'elasticsearch'],
  ['search', 'resizable', 'searching', 'opensearch'],
  ['search_coordination', 'fixed', 'none', 'elasticsearch'],
  ['search_throttled', 'fixed', 'none', 'elasticsearch'],
  ['search_throttled', 'resizable', 'none', 'opensearch'],
  ['search_worker', 'fixed', 'none', 'elasticsearch'],
  ['snapshot', 'scaling', 'none', 'all'],
  ['snapshot_meta', 'scaling', 'none', 'elasticsearch'],
  ['system_critical_read', 'fixed', 'none', 'elasticsearch'],
  ['system_critical_write', 'fixed', 'none', 'elasticsearch'],
  ['system_read', 'fixed', 'none', 'all'],
  ['system_write', 'fixed', 'none', 'all'],
  ['warmer', 'scaling', 'none', 'all'],
  ['write', 'fixed', 'writing', 'all'],
];

/** The pools of the emulated server, by name. */
export function threadPools(dialect: Dialect, counts: ThreadCounts): ThreadPool[] {
  const server: Server = dialect.namesClusterManager ? 'opensearch' : 'elasticsearch';
  return POOLS.filter(([, , , of]) => of === 'all' || of === server).map(([name, type, kind]) => {
    const threads = kind === 'none' ? 0 : counts[kind];
    return { name, type, threads, scales: type === 'scaling' ? { core: 1, max: Math.max(1, threads), keepAlive: '5m' } : null };
  });
}

/** The section `thread_pool` of `_nodes`. */
export function threadPoolInfo(pools: readonly ThreadPool[]): MutableJsonObject {
  return Object.fromEntries(
    pools.map(({ name, type, threads, scales }) => [
      name,
      scales === null
        ? { type, size: Math.max(1, threads), queue_size: -1 }
        : { type, core: scales.core, max: scales.max, keep_alive: scales.keepAlive, queue_size: -1 },
    ]),
  );
}

/** The section `thread_pool` of `_nodes/stats`. */
export function threadPoolStats(pools: readonly ThreadPool[]): MutableJsonObject {
  return Object.fromEntries(
    pools.map(({ name, threads }) => [name, { threads, queue: 0, active: 0, rejected: 0, largest: threads, completed: 0 }]),
  );
}
