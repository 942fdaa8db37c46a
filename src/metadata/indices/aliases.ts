// Aliases: parsing of their bodies, the `_aliases` actions.

import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { patternMatcher } from '../../common/text/wildcard.ts';
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
  // Indices are removed first, wherever their action stands: an alias can take the name of an index that the same request removes.
  const removed = new Set(
    actions.flatMap((action) => (action.kind === 'removeIndex' ? action.indices.map((name) => indexOf(state, name).name) : [])),
  );
  // Copies of those that change, made once: a request may change ten thousand aliases of an index.
  const drafts = new Map<string, Aliases>();
  const streamDrafts = new Map<string, Aliases>();
  const streams = state.dataStreams ?? {};
  const current = (name: string): IndexMeta => {
    if (removed.has(name)) throw indexNotFoundError(name);
    const meta = indexOf(state, name);
    checkMetadataWritable(meta);
    return meta;
  };
  const isTaken = (name: string): boolean => (Object.hasOwn(state.indices, name) && !removed.has(name)) || Object.hasOwn(streams, name);
  const budget = new ChangeBudget();
  let writers: Map<string, string> | null = null;
  for (const action of actions) {
    if (action.kind === 'removeIndex') continue;
    const { aliases, dataStreams = [] } = action;
    if (action.kind === 'add') {
      budget.change((action.indices.length + dataStreams.length) * aliases.length);
      for (const alias of aliases) checkAliasName(alias, isTaken);
      for (const name of action.indices) {
        const meta = current(name);
        if (meta.dataStream !== undefined) throw backingIndexAliasError(meta);
        checkSeriesAlias(meta, action.alias);
        const draft = draftOf(drafts, meta);
        for (const alias of aliases) setOwn(draft, alias, action.alias);
      }
      for (const name of dataStreams) {
        const draft = draftOf(streamDrafts, streams[name]);
        for (const alias of aliases) {
          checkStreamAlias(state, alias, action.alias);
          // An alias has one stream for writes.
          if (action.alias.is_write_index === true) {
            writers ??= writersOf(streams);
            const before = writers.get(alias);
            const other = before === undefined ? draft : draftOf(streamDrafts, streams[before]);
            if (Object.hasOwn(other, alias) && other[alias].is_write_index) other[alias] = { ...other[alias], is_write_index: false };
            writers.set(alias, name);
          }
          setOwn(draft, alias, action.alias);
        }
      }
      continue;
    }
    let found = 0;
    const removeFrom = (held: Map<string, Aliases>, member: Pick<IndexMeta, 'name' | 'aliases'>): void => {
      const matching = matchesIn(held.get(member.name) ?? member.aliases, aliases, budget);
      found += matching.length;
      if (matching.length > 0) for (const draft = draftOf(held, member); matching.length > 0; ) delete draft[matching.pop() ?? ''];
    };
    for (const name of action.indices) removeFrom(drafts, current(name));
    for (const name of dataStreams) removeFrom(streamDrafts, streams[name]);
    if (found === 0 && action.mustExist) throw missingError(aliases);
    if (found === 0 && (action.mustExist === null || dialect.showsAliasErrors)) missing.set(action, missingError(aliases));
  }
  const [first] = missing.values();
  if (first && missing.size === actions.length) throw first;
  const changed = [...drafts].map(([name, aliases]) => {
    const meta = indexOf(state, name);
    return { ...meta, aliases, aliasesVersion: meta.aliasesVersion + 1 };
  });
  const changedStreams = [...streamDrafts].map(([name, aliases]) => [name, { ...streams[name], aliases }] as const);
  const withStreams =
    changedStreams.length === 0 ? state : { ...state, dataStreams: { ...streams, ...Object.fromEntries(changedStreams) } };
  const next = withIndices(withStreams, changed, [...removed]);
  checkWriteIndices(
    next,
    changed.flatMap(({ aliases }) => Object.keys(aliases)),
  );
  const response =
    missing.size > 0 && dialect.showsAliasErrors
      ? { ...ACKNOWLEDGED, errors: true, action_results: resultsOf(actions, missing) }
      : ACKNOWLEDGED;
  return { state: changed.length === 0 && removed.size === 0 && changedStreams.length === 0 ? state : next, response };
};

type Aliases = Record<string, AliasMeta>;

function draftOf(drafts: Map<string, Aliases>, { name, aliases }: Pick<IndexMeta, 'name' | 'aliases'>): Aliases {
  let draft = drafts.get(name);
  if (!draft) drafts.set(name, (draft = { ...aliases }));
  return draft;
}

/** The stream for writes of each alias that has one. */
function writersOf(streams: Readonly<Record<string, DataStream>>): Map<string, string> {
  const writers = new Map<string, string>();
  for (const { name, aliases } of Object.values(streams))
    for (const alias in aliases) if (aliases[alias].is_write_index) writers.set(alias, name);
  return writers;
}

/** Names of the aliases that one of these patterns matches. */
function matchesIn(aliases: Readonly<Aliases>, patterns: readonly string[], budget: ChangeBudget): string[] {
  const found = new Set<string>();
  for (const pattern of patterns) {
    if (pattern !== '_all' && !pattern.includes('*')) {
      if (Object.hasOwn(aliases, pattern)) found.add(pattern);
      budget.compare(1);
      continue;
    }
    const names = Object.keys(aliases);
    budget.compare(names.length);
    const matches = pattern === '_all' ? () => true : patternMatcher(pattern);
    for (const name of names) if (matches(name)) found.add(name);
  }
  return [...found];
}

/** Bounds the work of one request, since main, which runs it, has a listener. */
class ChangeBudget {
  #changes = 0;
  #comparisons = 0;

  /** @throws ApiError illegal_argument_exception */
  change(count: number): void {
    if ((this.#changes += count) > MAX_CHANGES)
      throw illegalArgumentError(`[aliases] the actions add more than [${MAX_CHANGES}] aliases to indices; send them in several requests`);
  }

  /** @throws ApiError illegal_argument_exception */
  compare(count: number): void {
    if ((this.#comparisons += count) > MAX_COMPARISONS)
      throw illegalArgumentError(
        `[aliases] the actions compare patterns with aliases more than [${MAX_COMPARISONS}] times; use fewer patterns`,
      );
  }
}

const MAX_CHANGES = 50_000;
const MAX_COMPARISONS = 2_000_000;

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
  if (membersOfName(state, alias).some(({ aliases }) => Object.hasOwn(aliases, alias)))
    throw new ApiError('illegal_state_exception', 500, `alias [${alias}] points to indices and data streams`);
}

/** @throws ApiError illegal_state_exception: an alias with more than one write index, or hidden on some of its indices only */
export function checkWriteIndices(state: ClusterState, changed: Iterable<string>): void {
  for (const alias of new Set(changed)) {
    const members = membersOfName(state, alias).filter(({ aliases }) => Object.hasOwn(aliases, alias));
    if (members.length < 2) continue;
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
