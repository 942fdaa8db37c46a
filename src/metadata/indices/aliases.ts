// Aliases: parsing of their bodies, the `_aliases` actions.

import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, indexNotFoundError } from '../../errors/catalog.ts';
import { isTimeSeries } from '../../mapping/core/time-series.ts';
import type { AliasMeta, ClusterState, DataStream, IndexMeta } from '../cluster-state.ts';
import { checkAliasName } from '../names.ts';
import { ACKNOWLEDGED, type Acknowledged, indexOf, type Reducer, withIndices } from '../reducer.ts';
import { membersOfName } from './index-tables.ts';
import { checkMetadataWritable } from './metadata-blocks.ts';

/** An action of `_aliases`, its index expressions already resolved to concrete names. */
export type AliasAction =
  | {
      readonly kind: 'add';
      readonly indices: readonly string[];
      /** Data streams that get the aliases. */
      readonly dataStreams?: readonly string[];
      readonly aliases: readonly string[];
      readonly alias: AliasMeta;
    }
  /** `aliases` may contain patterns. Without `mustExist` a missing alias is an error unless another action changes something. */
  | {
      readonly kind: 'remove';
      readonly indices: readonly string[];
      readonly dataStreams?: readonly string[];
      readonly aliases: readonly string[];
      readonly mustExist: boolean | null;
    }
  | { readonly kind: 'removeIndex'; readonly indices: readonly string[] };

const ALIAS_KEYS = [
  'filter',
  'routing',
  'index_routing',
  'indexRouting',
  'search_routing',
  'searchRouting',
  'is_write_index',
  'is_hidden',
  'must_exist',
];

const FLAGS = ['is_write_index', 'is_hidden', 'must_exist'];

/**
 * Reads the properties of an alias.
 * @param known  other allowed keys, which the caller reads; null if unknown keys are ignored
 * @throws ApiError illegal_argument_exception
 */
export function parseAlias(body: JsonObject, known: readonly string[] | null = []): AliasMeta {
  for (const key of known === null ? [] : Object.keys(body)) {
    if (!ALIAS_KEYS.includes(key) && !known?.includes(key)) throw illegalArgumentError(`unknown field [${key}] in alias`);
  }
  const routing = textOf(body.routing);
  const index = textOf(body.index_routing ?? body.indexRouting) ?? routing;
  const search = textOf(body.search_routing ?? body.searchRouting) ?? routing;
  const { filter } = body;
  return {
    ...(isObject(filter) ? { filter } : {}),
    ...(index === null ? {} : { index_routing: index }),
    ...(search === null ? {} : { search_routing: search }),
    ...(typeof body.is_write_index === 'boolean' ? { is_write_index: body.is_write_index } : {}),
    ...(typeof body.is_hidden === 'boolean' ? { is_hidden: body.is_hidden } : {}),
  };
}

/** Reads an alias in the body of an index or a template: values whose kind does not fit are ignored. @throws ApiError illegal_argument_exception */
export function readNamedAlias(name: string, body: unknown): AliasMeta {
  if (name === '') throw illegalArgumentError('alias name is required');
  if (!isObject(body)) throw illegalArgumentError('No alias is specified');
  const fitting = Object.entries(body).filter(([key, value]) => {
    if (!ALIAS_KEYS.includes(key)) throw illegalArgumentError(`Unknown field [${key}] in alias [${name}]`);
    if (isObject(value) && key !== 'filter') throw illegalArgumentError(`Unknown field [${key}] in alias [${name}]`);
    if (value === null || typeof value === 'number' || Array.isArray(value))
      throw illegalArgumentError(`Unknown token [${tokenOf(value)}] in alias [${name}]`);
    return typeof value === (FLAGS.includes(key) ? 'boolean' : key === 'filter' ? 'object' : 'string');
  });
  return parseAlias(Object.fromEntries(fitting));
}

function textOf(value: unknown): string | null {
  return value === undefined || value === null ? null : String(value);
}

/** The response to changes of aliases: with the results of the actions if some of them found no alias. */
export interface AliasesChanged extends Acknowledged {
  readonly errors?: boolean;
  readonly action_results?: readonly JsonObject[];
}

function missingError(aliases: readonly string[]): ApiError {
  return new ApiError('aliases_not_found_exception', 404, `aliases [${aliases.join(', ')}] missing`, {
    details: { 'resource.type': 'aliases', 'resource.id': aliases.length === 1 ? aliases[0] : aliases },
  });
}

const TYPES = { add: 'add', remove: 'remove', removeIndex: 'remove_index' } as const;

function resultsOf(actions: readonly AliasAction[], missing: ReadonlyMap<AliasAction, ApiError>): JsonObject[] {
  return actions.map((action) => {
    const aliases = action.kind === 'removeIndex' ? [] : action.aliases;
    const error = missing.get(action);
    const shown = { action: { type: TYPES[action.kind], indices: action.indices, aliases } };
    return error
      ? { ...shown, status: error.status, error: { type: error.type, reason: error.reason, ...error.details } }
      : { ...shown, status: 200 };
  });
}

/** Applies all actions or none. @throws ApiError aliases_not_found_exception (404), illegal_state_exception (two write indices) and others */
export const updateAliases: Reducer<{ actions: readonly AliasAction[] }, AliasesChanged> = (state, { actions }, { dialect }) => {
  const missing = new Map<AliasAction, ApiError>();
  const changed = new Map<string, IndexMeta>();
  // Indices are removed first, wherever their action stands: an alias can take the name of an index that the same request removes.
  const removed = new Set(
    actions.flatMap((action) => (action.kind === 'removeIndex' ? action.indices.map((name) => indexOf(state, name).name) : [])),
  );
  const streams: Record<string, DataStream> = { ...state.dataStreams };
  const current = (name: string): IndexMeta => {
    if (removed.has(name)) throw indexNotFoundError(name);
    const meta = changed.get(name) ?? indexOf(state, name);
    checkMetadataWritable(meta);
    return meta;
  };
  const set = (meta: IndexMeta, aliases: Record<string, AliasMeta>) => {
    changed.set(meta.name, { ...meta, aliases, aliasesVersion: meta.aliasesVersion + 1 });
  };
  let streamsChanged = false;
  const setStream = (stream: DataStream, aliases: Record<string, AliasMeta>) => {
    streams[stream.name] = { ...stream, aliases };
    streamsChanged = true;
  };
  for (const action of actions) {
    if (action.kind === 'removeIndex') continue;
    if (action.kind === 'add') {
      for (const name of action.indices) {
        for (const alias of action.aliases) {
          checkAliasName(alias, (text) => (Object.hasOwn(state.indices, text) && !removed.has(text)) || Object.hasOwn(streams, text));
          const meta = current(name);
          if (meta.dataStream !== undefined) throw backingIndexAliasError(meta);
          checkSeriesAlias(meta, action.alias);
          set(meta, { ...meta.aliases, [alias]: action.alias });
        }
      }
      for (const name of action.dataStreams ?? []) {
        for (const alias of action.aliases) {
          checkAliasName(alias, (text) => Object.hasOwn(state.indices, text) || Object.hasOwn(streams, text));
          checkStreamAlias(state, alias, action.alias);
          const { aliases } = streams[name];
          // A stream has one alias for writes.
          if (action.alias.is_write_index === true)
            for (const other of Object.values(streams))
              if (other.aliases[alias]?.is_write_index)
                setStream(other, { ...other.aliases, [alias]: { ...other.aliases[alias], is_write_index: false } });
          setStream(streams[name], { ...aliases, [alias]: action.alias });
        }
      }
      continue;
    }
    let found = 0;
    for (const name of action.indices) {
      const meta = current(name);
      const kept = Object.entries(meta.aliases).filter(
        ([alias]) => !action.aliases.some((pattern) => pattern === '_all' || matchesPattern(pattern, alias)),
      );
      const count = Object.keys(meta.aliases).length - kept.length;
      found += count;
      if (count > 0) set(meta, Object.fromEntries(kept));
    }
    for (const name of action.dataStreams ?? []) {
      const stream = streams[name];
      const kept = Object.entries(stream.aliases).filter(
        ([alias]) => !action.aliases.some((pattern) => pattern === '_all' || matchesPattern(pattern, alias)),
      );
      const count = Object.keys(stream.aliases).length - kept.length;
      found += count;
      if (count > 0) setStream(stream, Object.fromEntries(kept));
    }
    if (found === 0 && action.mustExist) throw missingError(action.aliases);
    if (found === 0 && (action.mustExist === null || dialect.showsAliasErrors)) missing.set(action, missingError(action.aliases));
  }
  const [first] = missing.values();
  if (first && missing.size === actions.length) throw first;
  const next = withIndices(streamsChanged ? { ...state, dataStreams: streams } : state, [...changed.values()], [...removed]);
  checkWriteIndices(
    next,
    [...changed.values()].flatMap(({ aliases }) => Object.keys(aliases)),
  );
  const response =
    missing.size > 0 && dialect.showsAliasErrors
      ? { ...ACKNOWLEDGED, errors: true, action_results: resultsOf(actions, missing) }
      : ACKNOWLEDGED;
  return { state: changed.size === 0 && removed.size === 0 && !streamsChanged ? state : next, response };
};

function backingIndexAliasError({ name, dataStream }: IndexMeta): ApiError {
  return illegalArgumentError(
    `The provided expressions [${name}] match a backing index belonging to data stream [${dataStream}]. Data stream backing indices don't support aliases.`,
  );
}

/** @throws ApiError illegal_argument_exception: documents of time series are routed by their fields */
function checkSeriesAlias({ settings }: Pick<IndexMeta, 'settings'>, { index_routing, search_routing }: AliasMeta): void {
  if (isTimeSeries(settings) && (index_routing !== undefined || search_routing !== undefined))
    throw illegalArgumentError('routing is forbidden on CRUD operations that target indices in [index.mode=time_series]');
}

/** Aliases of data streams have no routing, and do not mix with those of indices. @throws ApiError illegal_argument_exception */
function checkStreamAlias(state: ClusterState, alias: string, { index_routing, search_routing }: AliasMeta): void {
  if (index_routing !== undefined || search_routing !== undefined)
    throw illegalArgumentError('aliases that point to data streams do not support routing');
  if (Object.values(state.indices).some(({ aliases }) => Object.hasOwn(aliases, alias)))
    throw new ApiError('illegal_state_exception', 500, `alias [${alias}] points to indices and data streams`);
}

/** @throws ApiError illegal_state_exception: an alias with more than one write index, or hidden on some of its indices only */
export function checkWriteIndices(state: ClusterState, changed: Iterable<string>): void {
  for (const alias of new Set(changed)) {
    const members = membersOfName(state, alias).filter(({ aliases }) => Object.hasOwn(aliases, alias));
    checkHidden(alias, members);
    const writers = members.filter(({ aliases }) => aliases[alias].is_write_index === true);
    if (writers.length < 2) continue;
    const names = writers.map(({ name }) => name).join(',');
    throw new ApiError('illegal_state_exception', 500, `alias [${alias}] has more than one write index [${names}]`);
  }
}

function checkHidden(alias: string, members: readonly IndexMeta[]): void {
  const namesOf = (isHidden: boolean): string[] =>
    members.filter(({ aliases }) => (aliases[alias].is_hidden ?? false) === isHidden).map(({ name }) => name);
  const [hidden, visible] = [namesOf(true), namesOf(false)];
  if (hidden.length === 0 || visible.length === 0) return;
  throw new ApiError(
    'illegal_state_exception',
    500,
    `alias [${alias}] has is_hidden set to true on indices [${hidden.join(',')}] but does not have is_hidden set to true on indices ` +
      `[${visible.join(',')}]; alias must have the same is_hidden setting on all indices`,
  );
}
