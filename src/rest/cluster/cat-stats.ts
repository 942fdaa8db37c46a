// Columns of the `_cat` tables of indices, shards and nodes that show statistics. Their cells are the values of `_stats` and `_nodes/stats`, so that
// both APIs agree.
import type { NodeTotals } from '../../api/cluster/node-totals.ts';
import { renderSections } from '../../api/cluster/stats-sections.ts';
import { isObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import type { Dialect } from '../../compat/dialect.ts';
import { type Cell, type Column, column, columnOf, type Row } from './cat-table.ts';

type Table = 'indices' | 'shards' | 'nodes';
type Server = 'all' | 'opensearch' | 'since8';

const [ALL, OPENSEARCH, SINCE_8] = ['all', 'opensearch', 'since8'] as const;

/** Name, aliases, description, the tables with the column by their first letters, and the servers that have it. */
const STATISTICS: ReadonlyArray<readonly [name: string, aliases: string, about: string, tables: string, server: Server]> = [
  ['completion.size', 'cs,completionSize', 'size of completion', 'isn', ALL],
  ['fielddata.memory_size', 'fm,fielddataMemory', 'used fielddata cache', 'isn', ALL],
  ['fielddata.evictions', 'fe,fielddataEvictions', 'fielddata evictions', 'isn', ALL],
  ['query_cache.memory_size', 'qcm,queryCacheMemory', 'used query cache', 'isn', ALL],
  ['query_cache.evictions', 'qce,queryCacheEvictions', 'query cache evictions', 'isn', ALL],
  ['query_cache.hit_count', 'qchc,queryCacheHitCount', 'query cache hit counts', 'n', ALL],
  ['query_cache.miss_count', 'qcmc,queryCacheMissCount', 'query cache miss counts', 'n', ALL],
  ['request_cache.memory_size', 'rcm,requestCacheMemory', 'used request cache', 'in', ALL],
  ['request_cache.evictions', 'rce,requestCacheEvictions', 'request cache evictions', 'in', ALL],
  ['request_cache.hit_count', 'rchc,requestCacheHitCount', 'request cache hit count', 'in', ALL],
  ['request_cache.miss_count', 'rcmc,requestCacheMissCount', 'request cache miss count', 'in', ALL],
  ['flush.total', 'ft,flushTotal', 'number of flushes', 'isn', ALL],
  ['flush.total_time', 'ftt,flushTotalTime', 'time spent in flush', 'isn', ALL],
  ['get.current', 'gc,getCurrent', 'number of current get ops', 'isn', ALL],
  ['get.time', 'gti,getTime', 'time spent in get', 'isn', ALL],
  ['get.total', 'gto,getTotal', 'number of get ops', 'isn', ALL],
  ['get.exists_time', 'geti,getExistsTime', 'time spent in successful gets', 'isn', ALL],
  ['get.exists_total', 'geto,getExistsTotal', 'number of successful gets', 'isn', ALL],
  ['get.missing_time', 'gmti,getMissingTime', 'time spent in failed gets', 'isn', ALL],
  ['get.missing_total', 'gmto,getMissingTotal', 'number of failed gets', 'isn', ALL],
  ['indexing.delete_current', 'idc,indexingDeleteCurrent', 'number of current deletions', 'isn', ALL],
  ['indexing.delete_time', 'idti,indexingDeleteTime', 'time spent in deletions', 'isn', ALL],
  ['indexing.delete_total', 'idto,indexingDeleteTotal', 'number of delete ops', 'isn', ALL],
  ['indexing.index_current', 'iic,indexingIndexCurrent', 'number of current indexing ops', 'isn', ALL],
  ['indexing.index_time', 'iiti,indexingIndexTime', 'time spent in indexing', 'isn', ALL],
  ['indexing.index_total', 'iito,indexingIndexTotal', 'number of indexing ops', 'isn', ALL],
  ['indexing.index_failed', 'iif,indexingIndexFailed', 'number of failed indexing ops', 'isn', ALL],
  ['merges.current', 'mc,mergesCurrent', 'number of current merges', 'isn', ALL],
  ['merges.current_docs', 'mcd,mergesCurrentDocs', 'number of current merging docs', 'isn', ALL],
  ['merges.current_size', 'mcs,mergesCurrentSize', 'size of current merges', 'isn', ALL],
  ['merges.total', 'mt,mergesTotal', 'number of completed merge ops', 'isn', ALL],
  ['merges.total_docs', 'mtd,mergesTotalDocs', 'docs merged', 'isn', ALL],
  ['merges.total_size', 'mts,mergesTotalSize', 'size merged', 'isn', ALL],
  ['merges.total_time', 'mtt,mergesTotalTime', 'time spent in merges', 'isn', ALL],
  ['refresh.total', 'rto,refreshTotal', 'total refreshes', 'isn', ALL],
  ['refresh.time', 'rti,refreshTime', 'time spent in refreshes', 'isn', ALL],
  ['refresh.external_total', 'rto,refreshTotal', 'total external refreshes', 'isn', ALL],
  ['refresh.external_time', 'rti,refreshTime', 'time spent in external refreshes', 'isn', ALL],
  ['refresh.listeners', 'rli,refreshListeners', 'number of pending refresh listeners', 'isn', ALL],
  ['script.compilations', 'scrcc,scriptCompilations', 'script compilations', 'n', ALL],
  ['script.cache_evictions', 'scrce,scriptCacheEvictions', 'script cache evictions', 'n', ALL],
  [
    'script.compilation_limit_triggered',
    'scrclt,scriptCacheCompilationLimitTriggered',
    'script cache compilation limit triggered',
    'n',
    ALL,
  ],
  ['search.fetch_current', 'sfc,searchFetchCurrent', 'current fetch phase ops', 'isn', ALL],
  ['search.fetch_time', 'sfti,searchFetchTime', 'time spent in fetch phase', 'isn', ALL],
  ['search.fetch_total', 'sfto,searchFetchTotal', 'total fetch ops', 'isn', ALL],
  ['search.open_contexts', 'so,searchOpenContexts', 'open search contexts', 'isn', ALL],
  ['search.query_current', 'sqc,searchQueryCurrent', 'current query phase ops', 'isn', ALL],
  ['search.query_time', 'sqti,searchQueryTime', 'time spent in query phase', 'isn', ALL],
  ['search.query_total', 'sqto,searchQueryTotal', 'total query phase ops', 'isn', ALL],
  ['search.concurrent_query_current', 'scqc,searchConcurrentQueryCurrent', 'current concurrent query phase ops', 'isn', OPENSEARCH],
  ['search.concurrent_query_time', 'scqti,searchConcurrentQueryTime', 'time spent in concurrent query phase', 'isn', OPENSEARCH],
  ['search.concurrent_query_total', 'scqto,searchConcurrentQueryTotal', 'total query phase ops', 'isn', OPENSEARCH],
  ['search.concurrent_avg_slice_count', 'casc,searchConcurrentAvgSliceCount', 'average query concurrency', 'isn', OPENSEARCH],
  ['search.scroll_current', 'scc,searchScrollCurrent', 'open scroll contexts', 'isn', ALL],
  ['search.scroll_time', 'scti,searchScrollTime', 'time scroll contexts held open', 'isn', ALL],
  ['search.scroll_total', 'scto,searchScrollTotal', 'completed scroll contexts', 'isn', ALL],
  ['search.point_in_time_current', 'scc,searchPointInTimeCurrent', 'open point in time contexts', 'isn', OPENSEARCH],
  ['search.point_in_time_time', 'scti,searchPointInTimeTime', 'time point in time contexts held open', 'isn', OPENSEARCH],
  ['search.point_in_time_total', 'scto,searchPointInTimeTotal', 'completed point in time contexts', 'isn', OPENSEARCH],
  [
    'search.search_idle_reactivate_count_total',
    'ssirct,searchSearchIdleReactivateCountTotal',
    'number of times a shard reactivated',
    's',
    OPENSEARCH,
  ],
  ['segments.count', 'sc,segmentsCount', 'number of segments', 'isn', ALL],
  ['segments.memory', 'sm,segmentsMemory', 'memory used by segments', 'isn', ALL],
  ['segments.index_writer_memory', 'siwm,segmentsIndexWriterMemory', 'memory used by index writer', 'isn', ALL],
  ['segments.version_map_memory', 'svmm,segmentsVersionMapMemory', 'memory used by version map', 'isn', ALL],
  [
    'segments.fixed_bitset_memory',
    'sfbm,fixedBitsetMemory',
    'memory used by fixed bit sets for nested object field types and type filters for types referred in _parent fields',
    'isn',
    ALL,
  ],
  ['warmer.current', 'wc,warmerCurrent', 'current warmer ops', 'is', ALL],
  ['warmer.total', 'wto,warmerTotal', 'total warmer ops', 'is', ALL],
  ['warmer.total_time', 'wtt,warmerTotalTime', 'time spent in warmers', 'is', ALL],
  ['suggest.current', 'suc,suggestCurrent', 'number of current suggest ops', 'in', ALL],
  ['suggest.time', 'suti,suggestTime', 'time spend in suggest', 'in', ALL],
  ['suggest.total', 'suto,suggestTotal', 'number of suggest ops', 'in', ALL],
  ['bulk.total_operations', 'bto,bulkTotalOperation', 'number of bulk shard ops', 'isn', SINCE_8],
  ['bulk.total_time', 'btti,bulkTotalTime', 'time spend in shard bulk', 'isn', SINCE_8],
  ['bulk.total_size_in_bytes', 'btsi,bulkTotalSizeInBytes', 'total size in bytes of shard bulk', 'isn', SINCE_8],
  ['bulk.avg_time', 'bati,bulkAvgTime', 'average time spend in shard bulk', 'isn', SINCE_8],
  ['bulk.avg_size_in_bytes', 'basi,bulkAvgSizeInBytes', 'average size in bytes of shard bulk', 'isn', SINCE_8],
  ['shard_stats.total_count', 'sstc,shards,shardStatsTotalCount', 'number of shards assigned', 'n', SINCE_8],
  ['mappings.total_count', 'mtc,mappingsTotalCount', 'number of mappings', 'n', SINCE_8],
  [
    'mappings.total_estimated_overhead_in_bytes',
    'mteo,mappingsTotalEstimatedOverheadInBytes',
    'estimated overhead in bytes of mappings',
    'n',
    SINCE_8,
  ],
  ['dense_vector.value_count', 'dvc,denseVectorCount', 'total count of indexed dense vector', 'is', SINCE_8],
  ['sparse_vector.value_count', 'svc,sparseVectorCount', 'total count of indexed sparse vectors', 'is', SINCE_8],
];

/** Columns of statistics in their order; each table shows them only if `h` names them. Names with the prefix `pri.` are about primaries. */
export function statColumns(table: Table): Column[] {
  return STATISTICS.filter(([, , , tables]) => tables.includes(table[0])).flatMap(([name, aliases, about, , server]) => {
    const own = forServer(server, column(name, aliases, about, '>-'));
    return table === 'indices' ? [own, forServer(server, column(`pri.${name}`, '', about, '>-'))] : [own];
  });
}

function forServer(server: Server, own: Column): Column {
  if (server === 'all') return own;
  return server === 'opensearch' ? columnOf('namesClusterManager', true, own) : columnOf('showsDatasetSize', true, own);
}

/** Keys of statistics that are not named like their column, by the name of the column. */
const KEYS: Readonly<Record<string, string>> = {
  'refresh.time': 'total_time_in_millis',
  'refresh.external_time': 'external_total_time_in_millis',
  'segments.fixed_bitset_memory': 'fixed_bit_set_memory_in_bytes',
};

/** Cells of all statistics, for one row. */
export function statCells(totals: NodeTotals, dialect: Dialect): Row {
  const sections = renderSections(totals, dialect);
  return Object.fromEntries(STATISTICS.map(([name]) => [name, cellOf(sections, name)]));
}

function cellOf(sections: MutableJsonObject, name: string): Cell {
  const [first, ...rest] = name.split('.');
  // The statistics of suggestions are part of those of searches.
  const path = first === 'suggest' ? ['search', `suggest_${rest[0]}`] : [first, ...rest];
  let values: unknown = sections;
  for (const key of path.slice(0, -1)) values = isObject(values) ? values[key] : undefined;
  if (!isObject(values)) return null;
  const key = KEYS[name] ?? path[path.length - 1];
  if (key in values) return withUnit(key, name, values[key]);
  for (const unit of ['_in_bytes', '_in_millis', '_millis', '_count'])
    if (`${key}${unit}` in values) return withUnit(`${key}${unit}`, name, values[`${key}${unit}`]);
  return null;
}

/** Columns that are named with their unit show a plain number. */
function withUnit(key: string, name: string, value: unknown): Cell {
  if (typeof value !== 'number') return value === undefined || value === null ? null : String(value);
  if (key.endsWith('_in_bytes') && !name.endsWith('_in_bytes')) return { bytes: value };
  return key.endsWith('_millis') ? { ms: value } : value;
}
