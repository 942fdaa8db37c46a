// Sums of the statistics of shards.
import { setOwn } from '../../common/json/own-property.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import { hasCopy } from '../../metadata/copies.ts';
import type { EngineContext, ShardStats } from '../core/context.ts';
import { ownNames } from '../core/index-names.ts';
import { sumOf } from '../core/read-counters.ts';

/** Sums over open indices. */
export interface NodeTotals {
  readonly shards: number;
  /** Fields in the mappings of the indices; 0 where only shards are summed. */
  readonly mappedFields: number;
  readonly docs: number;
  readonly deleted: number;
  readonly sizeBytes: number;
  readonly segments: number;
  readonly translogOperations: number;
  readonly translogBytes: number;
  readonly counters: Readonly<Record<string, number>>;
  readonly searchGroups: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Bytes by field, as in ShardStats. */
  readonly fielddata: Readonly<Record<string, number>>;
  readonly completion: Readonly<Record<string, number>>;
}

/** Of the indices of which this node has a copy. */
export function nodeTotals(ctx: EngineContext): Promise<NodeTotals> {
  return totalsOf(ctx, (index) => hasCopy(ctx.cluster, index.uuid, ctx.nodeId));
}

/** Of all indices. */
export function clusterTotals(ctx: EngineContext): Promise<NodeTotals> {
  return totalsOf(ctx, () => true);
}

async function totalsOf(ctx: EngineContext, isCounted: (index: IndexMeta) => boolean): Promise<NodeTotals> {
  const names = ownNames(ctx);
  const shards: ShardStats[] = [];
  let mappedFields = 0;
  for (const name of names) {
    const index = ctx.index(name);
    if (index === null || index.meta.state !== 'open' || !isCounted(index.meta)) continue;
    shards.push(...(await ctx.shardStats(index)));
    mappedFields += index.mapping.matchFields('*').length + index.mapping.objectPaths.length;
  }
  return { ...sumShards(shards), mappedFields };
}

export function sumShards(shards: readonly ShardStats[]): NodeTotals {
  const named = { counters: {}, fielddata: {}, completion: {} } as Record<'counters' | 'fielddata' | 'completion', Record<string, number>>;
  const sum = { docs: 0, deleted: 0, sizeBytes: 0, segments: 0, translogOperations: 0, translogBytes: 0 };
  const searchGroups: Record<string, Record<string, number>> = {};
  for (const shard of shards) {
    for (const [name, counters] of Object.entries(shard.searchGroups)) setOwn(searchGroups, name, sumOf(searchGroups[name], counters));
    for (const key of Object.keys(sum) as Array<keyof typeof sum>) sum[key] += shard[key];
    for (const key of Object.keys(named) as Array<keyof typeof named>)
      for (const [name, value] of Object.entries(shard[key])) named[key][name] = (named[key][name] ?? 0) + value;
  }
  return { shards: shards.length, mappedFields: 0, ...sum, ...named, searchGroups };
}
