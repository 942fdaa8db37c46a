// The index settings: their types, defaults, and which can be changed on an open index. They are stored flat, with values as strings, as the API
// shows them.

import { checkSettingLists, type SettingTree } from '../../analysis/settings.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { present } from '../../common/present.ts';
import { nearestNames } from '../../common/text/nearest-name.ts';
import { checkTurn } from '../../common/turns/turn.ts';
import { ApiError } from '../../errors/api-error.ts';
import { checkActiveShards, illegalArgumentError, validationFailedError } from '../../errors/catalog.ts';
import { checkBound } from '../../mapping/core/time-bounds.ts';
import { checkMode } from './index-mode.ts';
import { anything, boolean, bytes, enumConstant, float, integer, oneOf, type SettingCheck, time } from './setting-checks.ts';
import { SHOWN_DEFAULTS } from './shown-defaults.ts';
import { checkSimilarities } from './similarity-settings.ts';

export type FlatSettings = Readonly<Record<string, string | readonly string[]>>;

interface Spec {
  readonly check: SettingCheck;
  readonly isDynamic: boolean;
  /** Value that `include_defaults` shows and `numberSetting` returns; null if there is none. */
  readonly fallback: string | null;
}

const CODECS = ['default', 'lz4', 'best_compression', 'zlib'];
const codec: SettingCheck = (name, value) => {
  if (!CODECS.includes(value))
    throw illegalArgumentError(`unknown value for [${name}] must be one of [${CODECS.join(', ')}] but was: ${value}`);
};

const replicaRange: SettingCheck = (name, value) => {
  if (value !== 'false' && !/^\d+-(\d+|all)$/.test(value))
    throw illegalArgumentError(`failed to parse [${name}] from value: [${value}] at index -1`);
};

const activeShards: SettingCheck = (_name, value) => checkActiveShards(value);

const fixed = (check: SettingCheck, fallback: string | null = null): Spec => ({ check, isDynamic: false, fallback });
const dynamic = (check: SettingCheck, fallback: string | null = null): Spec => ({ check, isDynamic: true, fallback });

/** All index settings with a fixed name. */
export const INDEX_SETTINGS: Readonly<Record<string, Spec>> = {
  'index.number_of_shards': fixed(integer(1, 1024), '1'),
  'index.number_of_replicas': dynamic(integer(0), '1'),
  'index.number_of_search_replicas': dynamic(integer(0), '0'),
  'index.number_of_routing_shards': fixed(integer(1)),
  'index.routing_partition_size': fixed(integer(1), '1'),
  'index.auto_expand_replicas': dynamic(replicaRange, 'false'),
  'index.refresh_interval': dynamic(time, '1s'),
  'index.hidden': dynamic(boolean, 'false'),
  'index.codec': fixed(codec, 'default'),
  'index.mode': fixed(checkMode),
  'index.routing_path': fixed(anything),
  'index.time_series.start_time': fixed(checkBound),
  'index.time_series.end_time': dynamic(checkBound),
  'index.priority': dynamic(integer(0), '1'),
  'index.max_result_window': dynamic(integer(1), '10000'),
  'index.max_inner_result_window': dynamic(integer(1), '100'),
  'index.max_rescore_window': dynamic(integer(1), '10000'),
  'index.max_docvalue_fields_search': dynamic(integer(0), '100'),
  'index.max_script_fields': dynamic(integer(0), '32'),
  'index.max_ngram_diff': dynamic(integer(0), '1'),
  'index.max_shingle_diff': dynamic(integer(0), '3'),
  'index.max_terms_count': dynamic(integer(1), '65536'),
  'index.max_regex_length': dynamic(integer(1), '1000'),
  'index.max_refresh_listeners': dynamic(integer(0), '1000'),
  'index.max_adjacency_matrix_filters': dynamic(integer(2), '100'),
  'index.max_slices_per_scroll': dynamic(integer(1), '1024'),
  'index.max_slices_per_pit': dynamic(integer(1), '1024'),
  'index.query.default_field': dynamic(anything, '*'),
  'index.query_string.lenient': fixed(boolean, 'false'),
  'index.requests.cache.enable': dynamic(boolean, 'true'),
  'index.gc_deletes': dynamic(time, '60s'),
  'index.default_pipeline': dynamic(anything, '_none'),
  'index.final_pipeline': dynamic(anything, '_none'),
  'index.blocks.read_only': dynamic(boolean, 'false'),
  'index.blocks.read_only_allow_delete': dynamic(boolean, 'false'),
  'index.blocks.read': dynamic(boolean, 'false'),
  'index.blocks.write': dynamic(boolean, 'false'),
  'index.blocks.metadata': dynamic(boolean, 'false'),
  'index.translog.durability': dynamic(enumConstant('org.opensearch.index.translog.Translog.Durability', 'request', 'async'), 'request'),
  'index.translog.sync_interval': dynamic(time, '5s'),
  'index.translog.flush_threshold_size': dynamic(bytes, '512mb'),
  'index.translog.retention.age': dynamic(time, '-1'),
  'index.translog.retention.size': dynamic(bytes, '-1'),
  'index.mapping.total_fields.limit': dynamic(integer(0), '1000'),
  'index.mapping.depth.limit': dynamic(integer(1), '20'),
  'index.mapping.total_fields.ignore_dynamic_beyond_limit': dynamic(boolean, 'false'),
  'index.mapping.nested_fields.limit': dynamic(integer(0), '50'),
  'index.mapping.nested_objects.limit': dynamic(integer(0), '10000'),
  'index.mapping.field_name_length.limit': dynamic(integer(1), '9223372036854775807'),
  'index.mapping.dimension_fields.limit': dynamic(integer(0), '32768'),
  'index.mapping.ignore_malformed': dynamic(boolean, 'false'),
  'index.mapping.coerce': fixed(boolean, 'false'),
  'index.mapper.dynamic': dynamic(boolean, 'true'),
  'index.highlight.max_analyzed_offset': dynamic(integer(1), '1000000'),
  'index.analyze.max_token_count': dynamic(integer(1), '10000'),
  'index.merge.policy.max_merge_at_once': dynamic(integer(2)),
  'index.merge.policy.max_merged_segment': dynamic(bytes),
  'index.merge.policy.segments_per_tier': dynamic(float(2, Number.MAX_VALUE)),
  'index.merge.policy.floor_segment': dynamic(bytes),
  'index.merge.policy.expunge_deletes_allowed': dynamic(float(0, 100)),
  'index.merge.policy.deletes_pct_allowed': dynamic(float(5, 50)),
  'index.merge.reorder': dynamic(boolean, 'false'),
  'index.merge.scheduler.max_thread_count': dynamic(integer(1)),
  'index.merge.scheduler.max_merge_count': dynamic(integer(1)),
  'index.merge.scheduler.auto_throttle': dynamic(boolean),
  'index.search.idle.after': dynamic(time, '30s'),
  'index.search.default_pipeline': dynamic(anything),
  'index.search.throttled': fixed(boolean),
  'index.sort.field': fixed(anything),
  'index.sort.order': fixed(anything),
  'index.sort.mode': fixed(anything),
  'index.sort.missing': fixed(anything),
  'index.write.wait_for_active_shards': dynamic(activeShards, '1'),
  'index.allocation.max_retries': dynamic(integer(0)),
  'index.unassigned.node_left.delayed_timeout': dynamic(time, '1m'),
  'index.shard.check_on_startup': fixed(oneOf('true', 'false', 'checksum')),
  'index.store.type': fixed(anything, ''),
  'index.store.preload': fixed(anything),
  'index.soft_deletes.enabled': fixed(boolean, 'true'),
  'index.soft_deletes.retention_lease.period': dynamic(time),
  'index.load_fixed_bitset_filters_eagerly': fixed(boolean),
  'index.warmer.enabled': dynamic(boolean),
  'index.lifecycle.name': dynamic(anything),
  'index.lifecycle.rollover_alias': dynamic(anything),
  'index.lifecycle.indexing_complete': dynamic(boolean, 'false'),
  'index.lifecycle.origination_date': dynamic(integer(-1, Number.MAX_SAFE_INTEGER), '-1'),
  'index.lifecycle.parse_origination_date': dynamic(boolean, 'false'),
  'index.lifecycle.prefer_ilm': dynamic(boolean, 'true'),
  'index.lifecycle.step.wait_time_threshold': dynamic(time, '12h'),
  'index.percolator.map_unmapped_fields_as_text': fixed(boolean),
  'index.provided_name': fixed(anything),
};

const SLOW_LOG =
  /^index\.(search\.slowlog\.(threshold\.(query|fetch)\.|level$|include\.user$)|indexing\.slowlog\.(threshold\.index\.|level$|reformat$|source$|include\.user$))/;

/** Checks slow log settings: thresholds by level, and the format. @throws ApiError settings_exception, illegal_argument_exception */
function checkSlowLog(name: string, value: string): void {
  const level = SLOW_LOG.test(name) ? name.slice(name.lastIndexOf('.') + 1) : '';
  const isThreshold = name.includes('.threshold.');
  if (level === '' || (isThreshold && !['warn', 'info', 'debug', 'trace'].includes(level))) throw unknownSettingError(name);
  if (isThreshold) time(name, value);
  else if (level === 'reformat' || level === 'user') boolean(name, value);
  else if (level === 'level' && !['warn', 'info', 'debug', 'trace'].includes(value.toLowerCase()))
    throw illegalArgumentError(`No enum constant org.elasticsearch.index.SlowLogLevel.${value.toUpperCase()}`);
  else if (level === 'source' && !/^(?:true|false|-?\d+)$/.test(value))
    throw illegalArgumentError(`Failed to parse value [${value}] as only [true] or [false] are allowed.`);
}

/** Prefixes of settings whose names contain user-defined parts. */
const PREFIXES: ReadonlyArray<{ readonly prefix: string; readonly isDynamic: boolean }> = [
  { prefix: 'index.analysis.', isDynamic: false },
  { prefix: 'index.similarity.', isDynamic: false },
  { prefix: 'index.routing.allocation.', isDynamic: true },
  { prefix: 'index.search.slowlog.', isDynamic: true },
  { prefix: 'index.indexing.slowlog.', isDynamic: true },
  { prefix: 'index.knn', isDynamic: false },
];

/** Settings that only the node sets. */
const PRIVATE = new Set([
  'index.uuid',
  'index.creation_date',
  'index.version.upgraded',
  'index.resize.source.name',
  'index.resize.source.uuid',
  'index.history.uuid',
]);

/** Each thread has the settings of every index. Analyzers of a language need about twenty. */
const MAX_SETTINGS = 3000;

function tooManySettingsError(): ApiError {
  return illegalArgumentError(`Limit of [${MAX_SETTINGS}] settings in one index has been exceeded`);
}

/** @throws ApiError illegal_argument_exception: an index would have too many settings */
export function checkSettingsCount(settings: FlatSettings): void {
  if (Object.keys(settings).length > MAX_SETTINGS) throw tooManySettingsError();
}

/**
 * Converts a settings body (nested, dotted, or mixed) to flat settings with the prefix `index.`. Null values, which reset settings, are kept.
 * @throws ApiError settings_exception: a list contains objects or lists; illegal_argument_exception: there are too many
 */
export function flattenSettings(body: JsonObject): Record<string, string | readonly string[] | null> {
  const flat: Record<string, string | readonly string[] | null> = {};
  let count = 0;
  const visit = (value: unknown, path: string): void => {
    checkTurn();
    if (typeof value !== 'object' || value === null || Array.isArray(value)) count++;
    if (count > MAX_SETTINGS) throw tooManySettingsError();
    if (Array.isArray(value)) setOwn(flat, normalizeName(path), value.map(String));
    else if (typeof value === 'object' && value !== null)
      for (const [key, item] of Object.entries(value)) visit(item, path === '' ? key : `${path}.${key}`);
    else setOwn(flat, normalizeName(path), value === null || value === undefined ? null : String(value));
  };
  checkSettingLists(body as SettingTree);
  visit(body, '');
  return flat;
}

function normalizeName(name: string): string {
  return name.startsWith('index.') ? name : `index.${name}`;
}

/**
 * @param existing  settings that the index has: a similarity may be changed in part
 * @throws ApiError settings_exception, illegal_argument_exception, validation_exception: unknown, private or malformed settings
 */
export function checkSettings(flat: Readonly<Record<string, string | readonly string[] | null>>, existing: FlatSettings = {}): void {
  checkSimilarities({ ...existing, ...flat });
  const privates = Object.keys(flat).filter((name) => PRIVATE.has(name));
  if (privates.length > 0) {
    const failed = validationFailedError(privates.map((name) => `private index setting [${name}] can not be set explicitly`));
    throw new ApiError('validation_exception', 400, failed.reason);
  }
  for (const [name, value] of Object.entries(flat)) {
    checkTurn();
    if (name === 'index.version.created') {
      const cause = illegalArgumentError('Unsupported version [ES 0.0.0]');
      throw illegalArgumentError(`Failed to parse value [${value}] for setting [${name}]`, cause);
    }
    const spec = Object.hasOwn(INDEX_SETTINGS, name) ? INDEX_SETTINGS[name] : null;
    if (spec === null && !PREFIXES.some(({ prefix }) => name.startsWith(prefix))) throw unknownSettingError(name);
    if (value === null) continue;
    if (/^index\.(search|indexing)\.slowlog\./.test(name)) checkSlowLog(name, String(value));
    if (spec === null) continue;
    for (const item of typeof value === 'string' ? [value] : value) spec.check(name, item);
  }
}

/** Similarity of settings that errors suggest. */
const NEAR_SETTING = 0.7;

function unknownSettingError(name: string): ApiError {
  const near = nearestNames(name, Object.keys(INDEX_SETTINGS), NEAR_SETTING);
  const hint =
    near.length === 0
      ? ' please check that any required plugins are installed, or check the breaking changes documentation for removed settings'
      : near.length === 1
        ? ` did you mean [${near[0]}]?`
        : ` did you mean any of [${near.join(', ')}]?`;
  return new ApiError('settings_exception', 400, `unknown setting [${name}]${hint}`);
}

export function isDynamicSetting(name: string): boolean {
  return Object.hasOwn(INDEX_SETTINGS, name)
    ? INDEX_SETTINGS[name].isDynamic
    : PREFIXES.some(({ prefix, isDynamic }) => isDynamic && name.startsWith(prefix));
}

/** Value of an index setting that is a number: the index's own or the default. @param name  of a setting that has a default */
export function numberSetting(flat: FlatSettings, name: string): number {
  return Number(flat[name] ?? present(INDEX_SETTINGS[name]?.fallback));
}

/** Defaults of the settings that are not in `flat`. */
export function defaultSettings(flat: FlatSettings): FlatSettings {
  const defaults: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(SHOWN_DEFAULTS)) if (!Object.hasOwn(flat, name)) setOwn(defaults, name, value);
  for (const [name, { fallback }] of Object.entries(INDEX_SETTINGS))
    if (fallback !== null && !Object.hasOwn(flat, name)) setOwn(defaults, name, fallback);
  return defaults;
}

/** `{ "index.a.b": "1" }` as `{ index: { a: { b: "1" } } }`. A name below another setting stays dotted. */
export function nestSettings(flat: FlatSettings): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const name of Object.keys(flat).sort()) {
    checkTurn();
    const parts = name.split('.');
    let at = root;
    let depth = 0;
    for (; depth < parts.length - 1; depth++) {
      const next = Object.hasOwn(at, parts[depth]) ? at[parts[depth]] : undefined;
      if (next === undefined) setOwn(at, parts[depth], {});
      else if (typeof next !== 'object' || Array.isArray(next)) break;
      at = at[parts[depth]] as Record<string, unknown>;
    }
    setOwn(at, parts.slice(depth).join('.'), flat[name]);
  }
  return root;
}
