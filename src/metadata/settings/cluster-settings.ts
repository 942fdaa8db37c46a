// Cluster settings that can be changed at run time.

import { isObject, type JsonObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { getOwn, setOwn } from '../../common/json/own-property.ts';
import { ApiError } from '../../errors/api-error.ts';
import { validationFailedError } from '../../errors/catalog.ts';
import type { Reducer } from '../reducer.ts';
import { clusterSettingCheck, hasClusterSetting } from './cluster-setting-checks.ts';

/** Prefixes of settings whose names end in one of a request's own, and of groups whose members differ between servers. They have no effect. */
const GROUPS = [
  'indices.recovery.',
  'indices.breaker.',
  'cluster.routing.',
  'cluster.blocks.',
  'cluster.metadata.',
  'cluster.info.',
  'cluster.indices.',
  'cluster.no_cluster_manager_block',
  'logger.',
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
    for (const [name, value] of Object.entries(values)) {
      const check = clusterSettingCheck(name, env.dialect.namesClusterManager);
      if (check !== null) {
        if (value !== null) for (const item of Array.isArray(value) ? value : [value]) check(name, String(item));
        continue;
      }
      if (name.endsWith('*') ? hasClusterSetting(name.slice(0, -1)) : GROUPS.some((group) => name.startsWith(group))) continue;
      throw new ApiError(env.dialect.unknownSettingError, 400, `${kind} setting [${name}], not recognized`);
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
