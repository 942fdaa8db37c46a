// A shard of a snapshot for searches, with the limits of its index and of the cluster.
import { readIndexSort } from '../../mapping/core/index-sort.ts';
import { numberSetting } from '../../metadata/settings/index-settings.ts';
import { MAX_PARSED_CLAUSES } from '../../query/clause-counter.ts';
import { DEFAULT_LIMITS, type ShardLimits } from '../../search/shard/limits.ts';
import type { SearchShard } from '../../search/shard/search-shard.ts';
import type { EngineContext } from './context.ts';
import type { IndexState, ShardSnapshot } from './index-state.ts';

const limitsCache = new WeakMap<object, ShardLimits>();

function limitsOf(state: IndexState): ShardLimits {
  let limits = limitsCache.get(state.meta);
  if (!limits) limitsCache.set(state.meta, (limits = readLimits(state)));
  return limits;
}

function readLimits({ meta }: IndexState): ShardLimits {
  const number = (name: string): number => numberSetting(meta.settings, `index.${name}`);
  const fields = meta.settings['index.query.default_field'];
  return {
    ...DEFAULT_LIMITS,
    maxTermsCount: number('max_terms_count'),
    maxRegexLength: number('max_regex_length'),
    defaultFields: fields === undefined ? DEFAULT_LIMITS.defaultFields : [fields].flat(),
    queryStringLenient: meta.settings['index.query_string.lenient'] === 'true',
    maxResultWindow: number('max_result_window'),
    maxInnerResultWindow: number('max_inner_result_window'),
    // As large as a result window unless the index sets it.
    maxRescoreWindow: number(meta.settings['index.max_rescore_window'] === undefined ? 'max_result_window' : 'max_rescore_window'),
    maxDocvalueFields: number('max_docvalue_fields_search'),
    maxScriptFields: number('max_script_fields'),
    maxSlices: number('max_slices_per_scroll'),
    maxAnalyzedOffset: number('highlight.max_analyzed_offset'),
    indexSort: readIndexSort(meta.settings),
  };
}

/** `search.allow_expensive_queries` of the cluster. */
export function allowsExpensive(ctx: EngineContext): boolean {
  const { transient, persistent } = ctx.cluster.settings;
  return String(transient['search.allow_expensive_queries'] ?? persistent['search.allow_expensive_queries'] ?? true) !== 'false';
}

/** `indices.id_field_data.enabled` of the cluster. */
function idFielddataOf(ctx: EngineContext): boolean {
  const { transient, persistent } = ctx.cluster.settings;
  const value = transient[ID_FIELDDATA] ?? persistent[ID_FIELDDATA];
  return value === undefined ? ctx.dialect.allowsIdFielddata : String(value) === 'true';
}

const ID_FIELDDATA = 'indices.id_field_data.enabled';

/** `indices.query.bool.max_clause_count` of the cluster; a limit above that of the parser has no effect. */
function maxClausesOf(ctx: EngineContext): number {
  const { transient, persistent } = ctx.cluster.settings;
  const value = transient[MAX_CLAUSE_COUNT] ?? persistent[MAX_CLAUSE_COUNT];
  return value === undefined ? ctx.dialect.maxClauseCount : Math.min(Number(value), MAX_PARSED_CLAUSES);
}

const MAX_CLAUSE_COUNT = 'indices.query.bool.max_clause_count';

/** The limits of an index with those of the cluster. */
function clusterLimits(ctx: EngineContext, index: IndexState): ShardLimits {
  const limits = limitsOf(index);
  const allowExpensive = allowsExpensive(ctx);
  const allowsIdFielddata = idFielddataOf(ctx);
  const maxClauseCount = maxClausesOf(ctx);
  if (
    allowExpensive === limits.allowExpensive &&
    allowsIdFielddata === limits.allowsIdFielddata &&
    maxClauseCount === limits.maxClauseCount
  )
    return limits;
  return { ...limits, allowExpensive, allowsIdFielddata, maxClauseCount };
}

export function shardOf(ctx: EngineContext, snapshot: ShardSnapshot): SearchShard {
  const { index, shard, generation, segments, sectionCounts } = snapshot;
  return {
    index: index.meta.name,
    uuid: index.meta.uuid,
    shard,
    numberOfShards: index.numberOfShards,
    generation,
    segments,
    ...(sectionCounts ? { sectionCounts } : {}),
    mapping: index.mapping,
    analysis: index.analysis,
    limits: clusterLimits(ctx, index),
    dialect: ctx.dialect,
    ...(index.hidden ? { hidden: index.hidden } : {}),
    record: (seqNo) => ctx.record(index, shard, seqNo),
  };
}
