// `_stats`: statistics of indices and shards.

import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import { hasCopy } from '../../metadata/copies.ts';
import { sumShards } from '../cluster/node-totals.ts';
import { indexHealth } from '../cluster/shard-counts.ts';
import { type NamedFields, renderSections } from '../cluster/stats-sections.ts';
import type { EngineContext, ShardStats } from '../core/context.ts';
import { EMPTY_SHARD } from '../core/empty-shard.ts';
import { withHumanValues } from '../core/human-values.ts';
import { type IndexTarget, shownMetas, TARGETS } from '../core/index-names.ts';
import type { IndexState } from '../core/index-state.ts';
import { INDEX_STATS_METRICS } from '../core/metric-names.ts';

export interface IndexStatsRequest extends IndexTarget {
  /** Metric names; empty for all. */
  readonly metrics: readonly string[];
  readonly level?: string;
  readonly human?: boolean;
  /** false: closed indices are included, as if they were empty. */
  readonly forbidClosed?: boolean;
  readonly fields?: NamedFields;
  /** Patterns of the groups of searches that are shown. */
  readonly groups?: readonly string[];
}

/** @throws ApiError illegal_argument_exception: an unknown level */
export async function indexStats(ctx: EngineContext, request: IndexStatsRequest): Promise<MutableJsonObject> {
  const level = request.level ?? 'indices';
  if (level !== 'cluster' && level !== 'indices' && level !== 'shards')
    throw illegalArgumentError(`level parameter must be one of [cluster] or [indices] or [shards] but was [${level}]`);
  const isAll = request.metrics.length === 0 || request.metrics.includes('_all');
  const metrics = INDEX_STATS_METRICS.filter((metric) => metric !== 'mappings' && (isAll || request.metrics.includes(metric)));
  const render = (shards: readonly ShardStats[]): MutableJsonObject => {
    const totals = sumShards(shards);
    const sections = renderSections(totals, ctx.dialect, { metrics, fields: request.fields, groups: request.groups });
    return request.human ? (withHumanValues(sections, ctx.dialect) as MutableJsonObject) : sections;
  };
  const found = await statsOf(ctx, request, request.forbidClosed ?? true);
  const all = found.flatMap(({ shards }) => shards);
  const body: MutableJsonObject = {
    _shards: shardsHeader(found.map(({ index }) => index)),
    _all: { primaries: render(all), total: render(all) },
  };
  if (level === 'cluster') return body;
  body.indices = Object.fromEntries(
    found.map(({ index, shards }) => {
      const entry: MutableJsonObject = {
        uuid: index.meta.uuid,
        ...(ctx.dialect.showsIndexHealth ? { health: indexHealth(ctx, index.meta), status: index.meta.state } : {}),
        primaries: render(shards),
        total: render(shards),
      };
      if (level === 'shards') {
        entry.shards = Object.fromEntries(
          shards.map((shard) => [
            String(shard.shard),
            [
              {
                routing: { state: 'STARTED', primary: true, node: nodeWithStats(ctx, index.meta), relocating_node: null },
                ...render([shard]),
                commit: { id: `${index.meta.uuid}-${shard.shard}`, generation: 1, user_data: {}, num_docs: shard.docs },
                seq_no: { max_seq_no: shard.maxSeqNo, local_checkpoint: shard.maxSeqNo, global_checkpoint: shard.maxSeqNo },
                shard_path: { state_path: '', data_path: '', is_custom_data_path: false },
              },
            ],
          ]),
        );
      }
      return [index.meta.name, entry];
    }),
  );
  return body;
}

export function shardsHeader(indices: readonly IndexState[]): MutableJsonObject {
  let total = 0;
  let successful = 0;
  for (const { meta, numberOfShards } of indices) {
    total += numberOfShards * (1 + Number(meta.settings['index.number_of_replicas'] ?? 1));
    successful += numberOfShards;
  }
  return { total, successful, failed: 0 };
}

export interface FoundStats {
  readonly index: IndexState;
  readonly shards: readonly ShardStats[];
}

/** Statistics of the indices of a target, in their order. @param forbidClosed  false to include closed indices, as if they were empty */
export async function statsOf(ctx: EngineContext, target: IndexTarget, forbidClosed = true): Promise<FoundStats[]> {
  const names = shownMetas(ctx, target, forbidClosed ? TARGETS.open : TARGETS.named).map(({ name }) => name);
  const found = await Promise.all(
    names.map(async (name) => {
      const index = ctx.index(name);
      if (index === null) return null;
      return { index, shards: index.meta.state === 'open' ? await ctx.shardStats(index) : emptyStats(index) };
    }),
  );
  return found.filter((entry) => entry !== null);
}

function emptyStats({ numberOfShards }: IndexState): ShardStats[] {
  const nothing = { ...EMPTY_SHARD, searchGroups: {}, fielddata: {}, completion: {} };
  return Array.from({ length: numberOfShards }, (_, shard) => ({ shard, ...nothing }));
}

/** The node whose copy the statistics are of. */
function nodeWithStats(ctx: EngineContext, meta: IndexMeta): string | null {
  return hasCopy(ctx.cluster, meta.uuid, ctx.nodeId) ? ctx.nodeId : ctx.primaryNodeOf(meta);
}
