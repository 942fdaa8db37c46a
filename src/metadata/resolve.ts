// Resolves index expressions to concrete indices: names, comma-separated lists, `*` patterns, `_all`, exclusions `-x`, aliases, and date math names
// `<logs-{now/d}>`. Options and messages are those of Elasticsearch's IndicesOptions.
import type { JsonObject } from '../common/json/json-value.ts';
import { matchesPattern, patternMatcher } from '../common/text/wildcard.ts';
import { checkTurn } from '../common/turns/turn.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError, indexNotFoundError, invalidIndexNameError } from '../errors/catalog.ts';
import type { ClusterView, IndexMeta } from './cluster-state.ts';
import { resolveDateMathName } from './date-math-name.ts';
import { dataStreamOf, isInVisibleStream, namesOfIndex } from './indices/data-streams.ts';
import { membersOfName } from './indices/index-tables.ts';
import { checkIndexName } from './names.ts';

export interface IndicesOptions {
  readonly ignoreUnavailable: boolean;
  readonly allowNoIndices: boolean;
  readonly expandOpen: boolean;
  readonly expandClosed: boolean;
  readonly expandHidden: boolean;
  /** false: the name of an alias is an error, and patterns do not match aliases (index deletion). */
  readonly allowAliases: boolean;
  /** true: the name of a closed index is an error, or is skipped with ignoreUnavailable. */
  readonly forbidClosed: boolean;
}

/** Options of searches and counts. */
export const SEARCH_OPTIONS: IndicesOptions = {
  ignoreUnavailable: false,
  allowNoIndices: true,
  expandOpen: true,
  expandClosed: false,
  expandHidden: false,
  allowAliases: true,
  forbidClosed: true,
};
/** Options of administrative APIs, which accept closed indices. */
export const ADMIN_OPTIONS: IndicesOptions = { ...SEARCH_OPTIONS, expandClosed: true, forbidClosed: false };

export interface ResolvedIndex {
  readonly meta: IndexMeta;
  /** Filters of the aliases if the index was named only through aliases: a document must match one of them. null for all documents. */
  readonly filters: readonly JsonObject[] | null;
  /** Search routings of those aliases; null for no restriction. */
  readonly routings: readonly string[] | null;
}

/**
 * The indices of an expression, in its order; patterns expand in the order of names. Where the caller may not use every name, patterns match
 * the allowed ones, and other names are refused, or skipped with ignoreUnavailable.
 * @throws ApiError index_not_found_exception, index_closed_exception, illegal_argument_exception, invalid_index_name_exception,
 *   security_exception
 */
export function resolveIndices(
  state: ClusterView,
  expressions: readonly string[],
  options: IndicesOptions,
  nowMs = Date.now(),
): ResolvedIndex[] {
  const [only] = expressions;
  // Fast path for a single concrete name.
  if (expressions.length === 1 && Object.hasOwn(state.indices, only) && state.indices[only].state === 'open' && isAllowed(state, only)) {
    state.names?.reached(only, only);
    return [{ meta: state.indices[only], filters: null, routings: null }];
  }
  const parts = namesOf(expressions, nowMs);
  const denied = state.names === undefined || options.ignoreUnavailable ? [] : refusedNames(state.names, parts);
  if (denied.length > 0) throw state.names?.refusal(denied);
  const found = new Map<string, { direct: boolean; aliases: Set<string> }>();
  const names = Object.keys(state.indices).sort();
  const all = parts.length === 0 || (parts.length === 1 && (parts[0] === '_all' || parts[0] === '*'));
  if (all) {
    for (const name of names)
      if (isExpanded(state.indices[name], options, options.allowAliases && isInVisibleStream(state, state.indices[name])))
        addAny(state, found, name, options);
    if (found.size === 0 && !options.allowNoIndices) throw noIndicesError(parts.length === 0 ? '_all' : parts[0]);
    return resolved(state, found);
  }
  let sawPattern = false;
  /** Patterns whose matches are all in `found`. */
  const expanded = new Set<string>();
  for (const part of parts) {
    checkTurn();
    if (part.startsWith('-') && sawPattern) {
      expanded.clear();
      const excluded = part.slice(1);
      for (const name of names) if (matchesName(state, state.indices[name], excluded, options)) found.delete(name);
      continue;
    }
    if (part.includes('*') || part === '_all') {
      sawPattern = true;
      if (expanded.has(part)) continue;
      expanded.add(part);
      expandPattern(state, names, part === '_all' ? '*' : part, options, found);
      continue;
    }
    addNamed(state, part, options, found);
  }
  if (found.size === 0 && !options.allowNoIndices) throw noIndicesError(expressions.join(','));
  return resolved(state, found);
}

/** The names of the resolved indices. */
export function resolveNames(state: ClusterView, expressions: readonly string[], options: IndicesOptions): string[] {
  return resolveIndices(state, expressions, options).map(({ meta }) => meta.name);
}

/** The comma-separated parts of expressions, with date math resolved. @throws ApiError */
export function namesOf(expressions: readonly string[], nowMs = Date.now()): string[] {
  return expressions.flatMap((expression) => splitExpression(expression)).map((part) => resolveDateMathName(part, nowMs));
}

/** The names, not patterns, among the parts of an expression that the caller may not use. */
export function refusedNames(policy: { allows(name: string): boolean }, parts: readonly string[]): string[] {
  let sawPattern = false;
  return parts.filter((part) => {
    if (part.startsWith('-') && sawPattern) return false;
    const isPattern = part.includes('*') || part === '_all';
    sawPattern ||= isPattern;
    return !isPattern && !policy.allows(part);
  });
}

/** Adds an index to "all", through its aliases if the caller may not use its name. */
function addAny(state: ClusterView, found: Found, name: string, { allowAliases }: IndicesOptions): void {
  if (isAllowed(state, name)) add(found, name, null);
  else if (allowAliases) for (const alias of Object.keys(namesOfIndex(state, state.indices[name]))) add(found, name, alias);
}

function isAllowed({ names }: ClusterView, name: string): boolean {
  return names === undefined || names.allows(name);
}

/** Splits at commas outside `<...>`. */
function splitExpression(expression: string): string[] {
  return expression.split(/,(?![^<]*>)/).filter((part) => part !== '');
}

type Found = Map<string, { direct: boolean; aliases: Set<string> }>;

function add(found: Found, name: string, alias: string | null): void {
  let entry = found.get(name);
  if (!entry) found.set(name, (entry = { direct: false, aliases: new Set() }));
  if (alias === null) entry.direct = true;
  else entry.aliases.add(alias);
}

function expandPattern(state: ClusterView, names: readonly string[], pattern: string, options: IndicesOptions, found: Found): void {
  if (!options.expandOpen && !options.expandClosed) {
    if (!options.allowNoIndices && !options.ignoreUnavailable) throw noIndicesError(pattern);
    return;
  }
  let count = 0;
  const matches = patternMatcher(pattern);
  for (const name of names) {
    checkTurn();
    const meta = state.indices[name];
    // A pattern that begins with a dot also matches hidden indices and aliases that begin with a dot.
    const dotted = pattern.startsWith('.') && name.startsWith('.');
    if (matches(name) && isAllowed(state, name) && isExpanded(meta, options, dotted)) {
      add(found, name, null);
      count++;
    }
    if (!options.allowAliases) continue;
    for (const [alias, { is_hidden }] of Object.entries(namesOfIndex(state, meta))) {
      if (!matches(alias) || (is_hidden && !options.expandHidden)) continue;
      if (!isExpanded(meta, options, true)) continue;
      add(found, name, alias);
      count++;
    }
  }
  if (count === 0 && !options.allowNoIndices) throw noIndicesError(pattern);
}

function isExpanded(meta: IndexMeta, options: IndicesOptions, evenHidden: boolean): boolean {
  if (meta.settings['index.hidden'] === 'true' && !options.expandHidden && !evenHidden) return false;
  return meta.state === 'open' ? options.expandOpen : options.expandClosed;
}

function addNamed(state: ClusterView, name: string, options: IndicesOptions, found: Found): void {
  if (!isAllowed(state, name)) return;
  if (name.startsWith('_')) throw invalidIndexNameError(name, "must not start with '_'.");
  if (Object.hasOwn(state.indices, name)) {
    addIfOpen(state.indices[name], options, () => add(found, name, null));
    return;
  }
  const members = membersOfName(state, name);
  if (members.length > 0) {
    if (!options.allowAliases) {
      if (options.ignoreUnavailable) return;
      const kind = dataStreamOf(state, name) === null ? 'an alias' : 'a data stream';
      throw illegalArgumentError(`The provided expression [${name}] matches ${kind}, specify the corresponding concrete indices instead.`);
    }
    for (const meta of members) addIfOpen(meta, options, () => add(found, meta.name, name));
    return;
  }
  if (options.ignoreUnavailable) return;
  if (name.startsWith('_')) checkIndexName(name);
  throw indexNotFoundError(name);
}

function addIfOpen(meta: IndexMeta, options: IndicesOptions, then: () => void): void {
  if (meta.state === 'close' && options.forbidClosed) {
    if (options.ignoreUnavailable) return;
    throw new ApiError('index_closed_exception', 400, 'closed', { details: { index: meta.name, index_uuid: meta.uuid } });
  }
  then();
}

function matchesName(state: ClusterView, meta: IndexMeta, pattern: string, options: IndicesOptions): boolean {
  return (
    matchesPattern(pattern, meta.name) ||
    (options.allowAliases && Object.keys(namesOfIndex(state, meta)).some((alias) => matchesPattern(pattern, alias)))
  );
}

function resolved(state: ClusterView, found: Found): ResolvedIndex[] {
  return [...found].map(([name, { direct, aliases }]) => {
    const meta = state.indices[name];
    if (state.names) for (const through of direct ? [name, ...aliases] : aliases) state.names.reached(name, through);
    const properties = namesOfIndex(state, meta);
    const named = [...aliases].map((alias) => properties[alias]);
    const filters = named.flatMap(({ filter }) => (filter ? [filter] : []));
    const routings = named.flatMap(({ search_routing }) => (search_routing ? search_routing.split(',') : []));
    return {
      meta,
      // An index named directly or through an alias without a filter is not filtered.
      filters: direct || filters.length < named.length || filters.length === 0 ? null : filters,
      routings: direct || named.some(({ search_routing }) => !search_routing) || routings.length === 0 ? null : routings,
    };
  });
}

function noIndicesError(expression: string): ApiError {
  return expression === '_all'
    ? new ApiError('index_not_found_exception', 404, 'no such index [_all]', {
        details: { index: '_all', index_uuid: '_na_', 'resource.id': '_all', 'resource.type': 'index_or_alias' },
      })
    : indexNotFoundError(expression);
}
