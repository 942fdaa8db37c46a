// `_search_shards`: the shards on which a search with these indices and this routing would run.

import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import { resolveIndices, SEARCH_OPTIONS } from '../../metadata/resolve.ts';
import { shardCopies } from '../cluster/shard-counts.ts';
import { nodeIdentity } from '../cluster/this-node.ts';
import type { EngineContext } from '../core/context.ts';
import { type IndexTarget, withTarget } from '../core/index-names.ts';
import { fullQuery } from './filter-json.ts';

/** @param routing  comma-separated values; null for the routing of the aliases or, without one, all shards */
export function searchShardsOf(ctx: EngineContext, target: IndexTarget, routing: string | null): MutableJsonObject {
  const resolved = resolveIndices(ctx.cluster, target.index === null ? [] : [target.index], withTarget(SEARCH_OPTIONS, target));
  const indices: MutableJsonObject = {};
  const shards: MutableJsonObject[][] = [];
  for (const { meta, filters, routings } of resolved) {
    const index = ctx.index(meta.name);
    if (index === null) continue;
    const aliases = Object.keys(meta.aliases)
      .filter((alias) => isNamed(target.index, alias))
      .sort();
    const filter = filters === null ? null : fullQuery(filters.length === 1 ? filters[0] : { bool: { should: filters } }, ctx.dialect);
    indices[meta.name] = { ...(aliases.length > 0 ? { aliases } : {}), ...(filter === null ? {} : { filter }) };
    const requested = routing?.split(',') ?? routings;
    const numbers = requested ? new Set(requested.flatMap((value) => index.routing.shardsOf(value))) : null;
    for (let shard = 0; shard < index.numberOfShards; shard++) {
      if (numbers === null || numbers.has(shard))
        shards.push(shardCopies(ctx, meta, shard).filter(({ state }) => state === 'STARTED' || state === 'RELOCATING'));
    }
  }
  return { nodes: Object.fromEntries(ctx.nodes.map((node) => [node.id, nodeIdentity(ctx, node)])), indices, shards };
}

function isNamed(expression: string | null, alias: string): boolean {
  return (expression ?? '').split(',').some((part) => matchesPattern(part, alias));
}
