// Defaults that `include_defaults` shows although nothing reads them here: the service accepts the settings, or does what their defaults say.
const SLOW_LOG_LEVELS = ['debug', 'info', 'trace', 'warn'];

/** Thresholds of a slow log, which is off by default. */
function thresholds(prefix: string): Record<string, string> {
  return Object.fromEntries(SLOW_LOG_LEVELS.map((level) => [`${prefix}.${level}`, '-1']));
}

/** Defaults of Elasticsearch 8.15. */
export const SHOWN_DEFAULTS: Readonly<Record<string, string | readonly string[]>> = {
  'index.allocation.max_retries': '5',
  'index.blocks.metadata': 'false',
  'index.fielddata.cache': 'node',
  'index.format': '0',
  'index.indexing.slowlog.include.user': 'false',
  'index.indexing.slowlog.level': 'TRACE',
  'index.indexing.slowlog.reformat': 'true',
  'index.indexing.slowlog.source': '1000',
  ...thresholds('index.indexing.slowlog.threshold.index'),
  'index.mode': 'standard',
  'index.queries.cache.enabled': 'true',
  'index.query.parse.allow_unmapped_fields': 'true',
  'index.routing.allocation.disk.watermark.ignore': 'false',
  'index.routing.allocation.enable': 'all',
  'index.routing.allocation.total_shards_per_node': '-1',
  'index.routing.rebalance.enable': 'all',
  'index.search.slowlog.include.user': 'false',
  'index.search.slowlog.level': 'TRACE',
  ...thresholds('index.search.slowlog.threshold.fetch'),
  ...thresholds('index.search.slowlog.threshold.query'),
  'index.search.throttled': 'false',
  'index.shard.check_on_startup': 'false',
  'index.sort.field': [],
  'index.sort.missing': [],
  'index.sort.mode': [],
  'index.sort.order': [],
  'index.verified_before_close': 'false',
  'index.warmer.enabled': 'true',
};
