// Tables of docs/configuration.md: the settings of the node and of an index, with their defaults.
import { defaultText, SETTINGS, type SettingSpec } from '../../src/config/settings.ts';
import { INDEX_SETTINGS } from '../../src/metadata/settings/index-settings.ts';
import { code, row, table } from './markdown.ts';

/** Defaults that depend on the machine. */
const MACHINE_DEFAULTS: Readonly<Record<string, string>> = {
  'node.name': 'the host name',
  'memory.limit': '50% of the memory',
};

/** Behaviour of index settings where it differs from Elasticsearch's reference. */
const INDEX_NOTES: Readonly<Record<string, string>> = {
  'index.auto_expand_replicas': 'decides the replicas in a [cluster](cluster.md); no effect on a standalone node',
  'index.number_of_replicas': 'copies shown and counted in a [cluster](cluster.md); a standalone node has none',
  'index.number_of_search_replicas': 'no effect',
  'index.codec': 'no effect: there is one segment format',
  'index.priority': 'no effect: all shards start together',
  'index.requests.cache.enable':
    '`false`: responses of this index are cached only if the request sets `request_cache=true`. Responses with hits are cached, too',
  'index.translog.durability': 'no effect: a write is always on disk before it is acknowledged',
  'index.translog.sync_interval': 'no effect',
  'index.translog.flush_threshold_size': 'flushes at this size, at 64 MB at the latest, and 5 s after a write',
  'index.translog.retention.age': 'no effect',
  'index.translog.retention.size': 'no effect',
  'index.merge.policy.max_merged_segment': 'at most 2 GB',
  'index.merge.reorder':
    'merges put similar documents next to each other: searches by score are faster and segments smaller, but a merge takes about three times as long; documents of equal score come in that order; no effect with `index.sort` or on segments with nested documents',
  'index.merge.scheduler.max_thread_count': 'no effect: one thread of the node merges',
  'index.merge.scheduler.max_merge_count': 'no effect',
  'index.merge.scheduler.auto_throttle': 'no effect',
  'index.search.idle.after': 'no effect: shards are always refreshed',
  'index.search.throttled': 'no effect',
  'index.sort.field':
    'segments are written in this order, and searches sorted by it stop early; no nested, half_float or unsigned_long fields',
  'index.write.wait_for_active_shards': 'a write that requires more copies than there are waits for its `timeout`, then fails with 503',
  'index.allocation.max_retries': 'no effect',
  'index.unassigned.node_left.delayed_timeout': 'no effect',
  'index.shard.check_on_startup': 'no effect: checksums are always verified',
  'index.store.type': 'no effect',
  'index.store.preload': 'no effect',
  'index.soft_deletes.enabled': 'no effect',
  'index.soft_deletes.retention_lease.period': 'no effect',
  'index.load_fixed_bitset_filters_eagerly': 'no effect',
  'index.warmer.enabled': 'no effect',
  'index.gc_deletes': 'how long the version of a deleted document is remembered',
  'index.default_pipeline': 'any name is accepted; writes fail while the pipeline does not exist',
  'index.final_pipeline': 'any name is accepted; writes fail while the pipeline does not exist',
};

function fallbackText(name: string, spec: SettingSpec<unknown>): string {
  if (Object.hasOwn(MACHINE_DEFAULTS, name)) return MACHINE_DEFAULTS[name];
  const text = defaultText(spec);
  if (text === '') return 'empty';
  return Array.isArray(spec.fallback) ? spec.fallback.map(code).join(', ') : code(text);
}

export function nodeSettings(): string {
  const rows = Object.entries(SETTINGS).map(([name, spec]) => row(code(name), fallbackText(name, spec), spec.about));
  return table(['setting', 'default', 'meaning'], rows);
}

export function indexSettings(): string {
  for (const name of Object.keys(INDEX_NOTES))
    if (!Object.hasOwn(INDEX_SETTINGS, name)) throw new Error(`tools/docs/settings.ts has a note on an unknown index setting: ${name}`);
  const rows = Object.entries(INDEX_SETTINGS).map(([name, { fallback, isDynamic }]) =>
    row(code(name), fallback ? code(fallback) : '', isDynamic ? 'yes' : 'no', INDEX_NOTES[name] ?? ''),
  );
  return table(['setting', 'default', 'can change on an open index', 'here'], rows);
}
