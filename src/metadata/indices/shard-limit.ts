// `cluster.max_shards_per_node`: bounds the number of open shards, replicas included, assigned or not. Without it one `_bulk` with many index names
// fills a node with shards, each of which costs memory and a file.
import type { Dialect } from '../../compat/dialect.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { ClusterState, IndexMeta } from '../cluster-state.ts';
import { openShards, shardsOf } from './index-tables.ts';

const SETTING = 'cluster.max_shards_per_node';
const DEFAULT_LIMIT = 1000;

/** Largest number of open shards of the cluster. */
export function shardLimit({ settings: { transient, persistent }, primaries = {} }: ClusterState): number {
  const perNode = Number(transient[SETTING] ?? persistent[SETTING] ?? DEFAULT_LIMIT);
  // Part of the state, so that every node decides alike. A node without indices is not counted.
  const nodes = new Set(Object.values(primaries)).size;
  return perNode * Math.max(1, nodes);
}

/** @throws ApiError validation_exception: `next` has more open shards than `before`, and more than the limit */
export function checkShardLimit(before: ClusterState, next: ClusterState, dialect: Dialect): void {
  if (before.indices === next.indices) return;
  const present = openShards(before);
  refuseAbove(before, present, openShards(next) - present, dialect);
}

/** The same for an index that will be added, before more is built for it. */
export function checkRoomForIndex(state: ClusterState, settings: IndexMeta['settings'], dialect: Dialect): void {
  refuseAbove(state, openShards(state), shardsOf(settings), dialect);
}

function refuseAbove(state: ClusterState, present: number, added: number, { namesNormalShards }: Dialect): void {
  const limit = shardLimit(state);
  if (added <= 0 || present + added <= limit) return;
  const [total, normal] = namesNormalShards ? ['', 'normal '] : ['total ', ''];
  throw new ApiError(
    'validation_exception',
    400,
    `Validation Failed: 1: this action would add [${added}] ${total}shards, but this cluster currently has [${present}]/[${limit}] maximum ${normal}shards open;`,
  );
}
