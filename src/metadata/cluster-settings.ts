// Cluster settings that can be changed at run time.

import { isObject, type JsonObject, type MutableJsonObject } from '../common/json-value.ts';
import { getOwn, setOwn } from '../common/own-property.ts';
import { ApiError } from '../errors/api-error.ts';
import { validationFailedError } from '../errors/catalog.ts';
import type { Reducer } from './reducer.ts';

/** Names, or prefixes that end in a dot. Most settings have no effect and are accepted because clients set them. */
const KNOWN = [
  'action.auto_create_index',
  'action.destructive_requires_name',
  'search.max_buckets',
  'search.default_search_timeout',
  'search.default_allow_partial_results',
  'search.max_open_scroll_context',
  'search.max_open_pit_context',
  'search.max_keep_alive',
  'search.default_keep_alive',
  'search.allow_expensive_queries',
  'indices.query.bool.max_clause_count',
  'indices.recovery.',
  'indices.breaker.',
  'indices.id_field_data.enabled',
  'cluster.max_shards_per_node',
  'cluster.routing.',
  'cluster.blocks.',
  'cluster.metadata.',
  'cluster.info.',
  'cluster.indices.',
  'cluster.auto_shrink_voting_configuration',
  'cluster.no_master_block',
  'cluster.no_cluster_manager_block',
  'logger.',
  'indices.lifecycle.poll_interval',
  'indices.lifecycle.history_index_enabled',
  'indices.lifecycle.rollover.only_if_has_documents',
  'data_streams.lifecycle.poll_interval',
  'script.',
  'ingest.',
  'network.',
  'transport.',
  'http.',
];

/** @throws ApiError settings_exception: unknown settings; action_request_validation_exception: no settings */
export interface ClusterSettingsResponse {
  readonly acknowledged: boolean;
  /** Changed settings, nested. */
  readonly persistent: JsonObject;
  readonly transient: JsonObject;
}

export const putClusterSettings: Reducer<{ readonly body: JsonObject }, ClusterSettingsResponse> = (state, { body }, env) => {
  const persistent = flatten(body.persistent);
  const transient = flatten(body.transient);
  if (Object.keys(persistent).length + Object.keys(transient).length === 0) throw validationFailedError(['no settings to update']);
  for (const [kind, values] of Object.entries({ persistent, transient })) {
    for (const name of Object.keys(values)) {
      const pattern = name.replace(/\*$/, '');
      const known = KNOWN.some((entry) =>
        entry.endsWith('.') ? pattern.startsWith(entry) : entry === name || (name.endsWith('*') && entry.startsWith(pattern)),
      );
      if (!known) throw new ApiError(env.dialect.unknownSettingError, 400, `${kind} setting [${name}], not recognized`);
    }
  }
  const settings = { persistent: apply(state.settings.persistent, persistent), transient: apply(state.settings.transient, transient) };
  return {
    state: { ...state, version: state.version + 1, settings },
    response: { acknowledged: true, persistent: nest(withoutNulls(persistent)), transient: nest(withoutNulls(transient)) },
  };
};

function apply(current: Readonly<Record<string, unknown>>, changes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const next: Record<string, unknown> = { ...current };
  for (const [name, value] of Object.entries(changes)) {
    if (value !== null) setOwn(next, name, value);
    else if (name.endsWith('*')) for (const key of Object.keys(next)) if (key.startsWith(name.slice(0, -1))) delete next[key];
    if (value === null) delete next[name];
  }
  return next;
}

function flatten(value: unknown, prefix = ''): Record<string, unknown> {
  if (!isObject(value)) return {};
  const flat: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (isObject(item)) Object.assign(flat, flatten(item, `${prefix}${key}.`));
    else setOwn(flat, prefix + key, item === null ? null : Array.isArray(item) ? item.map(String) : String(item));
  }
  return flat;
}

function withoutNulls(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

/** `{ "a.b": 1 }` as `{ a: { b: 1 } }`. */
export function nest(flat: Readonly<Record<string, unknown>>): MutableJsonObject {
  const root: MutableJsonObject = {};
  for (const [name, value] of Object.entries(flat)) {
    const parts = name.split('.');
    let at = root;
    for (const part of parts.slice(0, -1)) {
      const inner = getOwn(at, part);
      const next = isObject(inner) ? inner : {};
      setOwn(at, part, next);
      at = next;
    }
    setOwn(at, parts[parts.length - 1], value);
  }
  return root;
}
