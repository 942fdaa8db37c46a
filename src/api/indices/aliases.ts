// Aliases: `_aliases`, `_alias`.

import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { hashSetOrder } from '../../common/text/hash-set-order.ts';
import { didYouMean } from '../../common/text/nearest-name.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { xContentParseError } from '../../errors/search-errors.ts';
import type { AliasMeta, DataStream, IndexMeta } from '../../metadata/cluster-state.ts';
import { type AliasAction, parseAlias } from '../../metadata/indices/aliases.ts';
import { dataStreamOf } from '../../metadata/indices/data-streams.ts';
import { checkMetadataWritable } from '../../metadata/indices/metadata-blocks.ts';
import type { Acknowledged } from '../../metadata/reducer.ts';
import { parseQuery } from '../../query/parse-query.ts';
import { readList } from '../../query/read-json.ts';
import type { EngineContext } from '../core/context.ts';
import { type IndexTarget, ownNames, requireNames, shownMetas, TARGETS, targetNames } from '../core/index-names.ts';

const TARGET_KEYS = ['index', 'indices', 'alias', 'aliases'];

/** `POST _aliases`: applies all actions or none. @throws ApiError */
export async function updateAliases(ctx: EngineContext, request: { body: JsonObject }): Promise<Acknowledged> {
  for (const key of Object.keys(request.body)) {
    if (key !== 'actions') throw new ApiError('x_content_parse_exception', 400, `[aliases] unknown field [${key}]`);
  }
  const { actions: given } = request.body;
  if (given !== undefined && !Array.isArray(given) && !isObject(given))
    throw xContentParseError(`[aliases] actions doesn't support values of type: ${tokenOf(given)}`);
  const list: readonly unknown[] = given === undefined ? [] : readList(given);
  if (list.length === 0) throw illegalArgumentError('No action specified');
  const parsed = list.map(parseAction);
  checkBlocks(
    ctx,
    parsed.flatMap(({ expressions }) => expressions),
  );
  const actions = parsed.map((action) => resolveAction(ctx, action));
  return ctx.command('updateAliases', { actions });
}

/**
 * Indices that are named, not matched, refuse the change before other names are resolved. A caller with limited rights gets the errors
 * of names first.
 * @throws ApiError cluster_block_exception (403)
 */
function checkBlocks({ cluster }: EngineContext, expressions: readonly string[]): void {
  if (cluster.names !== undefined) return;
  const names = expressions.flatMap((expression) => expression.split(','));
  for (const name of names) if (Object.hasOwn(cluster.indices, name)) checkMetadataWritable(cluster.indices[name]);
}

/** An error of an action, as the parsers of actions nest it. */
const actionError = (cause: ApiError): ApiError => xContentParseError('[aliases] failed to parse field [actions]', cause);

/** An action as the request has it, with names that are not empty. */
interface GivenAction {
  readonly kind: string;
  readonly body: JsonObject;
  readonly expressions: readonly string[];
  readonly aliases: string[];
}

/** @throws ApiError x_content_parse_exception: the action is malformed */
function parseAction(entry: unknown): GivenAction {
  const fail = (reason: string): ApiError => actionError(xContentParseError(reason));
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw fail('[alias_action] Expected START_OBJECT');
  const [kind, ...more] = Object.keys(entry);
  const body = (entry as JsonObject)[kind];
  if (kind === undefined || more.length > 0) throw fail('Expected one action');
  if (!Object.hasOwn(ACTION_KEYS, kind)) throw fail(`[alias_action] unknown field [${kind}]${didYouMean(kind, Object.keys(ACTION_KEYS))}`);
  if (!isObject(body)) throw fail(`[alias_action] ${kind} doesn't support values of type: ${tokenOf(body)}`);
  checkValues(kind, body);
  const expressions = textList(body.index ?? body.indices);
  if (expressions.length === 0) throw actionError(illegalArgumentError('One of [index] or [indices] is required'));
  const aliases = textList(body.alias ?? body.aliases);
  if (aliases.length === 0 && kind !== 'remove_index') throw actionError(illegalArgumentError('One of [alias] or [aliases] is required'));
  return { kind, body, expressions, aliases };
}

function resolveAction(ctx: EngineContext, { kind, body, expressions, aliases }: GivenAction): AliasAction {
  if (kind === 'remove_index') return { kind: 'removeIndex', indices: resolve(ctx, expressions) };
  if (kind === 'add') for (const alias of aliases) checkAliasFilter(alias, body.filter);
  const { streams, others } = splitStreams(ctx, expressions);
  if (kind === 'add')
    return {
      kind: 'add',
      indices: others === null ? [] : resolve(ctx, others),
      dataStreams: streams,
      aliases,
      alias: parseAlias(body, TARGET_KEYS),
    };
  return {
    kind: 'remove',
    indices: others === null ? [] : resolve(ctx, others),
    dataStreams: streams,
    aliases,
    mustExist: typeof body.must_exist === 'boolean' ? body.must_exist : null,
  };
}

const TARGETS_OF_ACTION = ['index', 'indices'];
const NAMES = ['alias', 'aliases'];
const FLAGS = ['is_write_index', 'is_hidden', 'must_exist'];
const ROUTINGS = ['routing', 'index_routing', 'indexRouting', 'search_routing', 'searchRouting'];

/** Keys of each action. The names of aliases are known to `remove_index`, which refuses them. */
const ACTION_KEYS: Readonly<Record<string, readonly string[]>> = {
  add: [...TARGETS_OF_ACTION, ...NAMES, ...ROUTINGS, 'filter', 'is_write_index', 'is_hidden'],
  remove: [...TARGETS_OF_ACTION, ...NAMES, 'must_exist'],
  remove_index: [...TARGETS_OF_ACTION, ...NAMES],
};

/** Refuses keys that the action does not have, and values that they cannot have. */
function checkValues(kind: string, body: JsonObject): void {
  const fail = (cause: ApiError): ApiError => actionError(xContentParseError(`[alias_action] failed to parse field [${kind}]`, cause));
  const known = ACTION_KEYS[kind];
  for (const [key, value] of Object.entries(body)) {
    if (!known.includes(key)) throw fail(xContentParseError(`[${kind}] unknown field [${key}]${didYouMean(key, known)}`));
    if (!fits(key, value)) throw fail(xContentParseError(`[${kind}] ${key} doesn't support values of type: ${tokenOf(value)}`));
    const wrong = wrongValue(kind, key, value, body);
    if (wrong !== null) throw fail(xContentParseError(`[${kind}] failed to parse field [${key}]`, illegalArgumentError(wrong)));
  }
}

const ALTERNATIVES: Readonly<Record<string, string>> = { index: 'indices', indices: 'index', alias: 'aliases', aliases: 'alias' };

/** Why the value of a key is refused; null if it is not. An empty name would mean all indices. */
function wrongValue(kind: string, key: string, value: unknown, body: JsonObject): string | null {
  if (FLAGS.includes(key) && value !== true && value !== false && value !== 'true' && value !== 'false')
    return `Failed to parse value [${value}] as only [true] or [false] are allowed.`;
  if (!Object.hasOwn(ALTERNATIVES, key)) return null;
  if (kind === 'remove_index' && NAMES.includes(key)) return `[${key}] is unsupported for [REMOVE_INDEX]`;
  if (value === '') return `[${key}] can't be empty string`;
  if (Array.isArray(value)) {
    if (value.length === 0) return `[${key}] can't be empty`;
    if (value.includes('')) return `[${key}] can't contain empty string`;
  }
  const keys = Object.keys(body);
  const other = ALTERNATIVES[key];
  if (!keys.includes(other) || keys.indexOf(other) > keys.indexOf(key)) return null;
  const [one, many] = [key, other].sort((a, b) => a.length - b.length);
  return `Only one of [${one}] and [${many}] is supported`;
}

function fits(key: string, value: unknown): boolean {
  if (key === 'filter') return isObject(value);
  if (FLAGS.includes(key)) return typeof value === 'boolean' || typeof value === 'string';
  if (ROUTINGS.includes(key)) return typeof value === 'string' || typeof value === 'number';
  return typeof value === 'string' || (Array.isArray(value) && (key === 'indices' || key === 'aliases'));
}

/**
 * The data streams that expressions name, and the expressions for indices; null if there are none left.
 * @throws ApiError security_exception
 */
function splitStreams(ctx: EngineContext, expressions: readonly string[]): { streams: string[]; others: readonly string[] | null } {
  const { dataStreams } = ctx.cluster;
  if (dataStreams === undefined) return { streams: [], others: expressions };
  const parts = expressions.flatMap((expression) => expression.split(','));
  const isMatch = (part: string, name: string): boolean =>
    part === name || (/[*]|^_all$/.test(part) && matchesPattern(part === '_all' ? '*' : part, name));
  const streams = Object.keys(dataStreams).filter((name) => parts.some((part) => isMatch(part, name)));
  if (streams.length === 0) return { streams, others: expressions };
  requireNames(ctx, streams.join(','));
  const others = parts.filter((part) => !streams.some((name) => isMatch(part, name)));
  return { streams, others: others.length === 0 ? null : others };
}

/** Names of indices; aliases cannot stand for theirs. */
function resolve(ctx: EngineContext, expressions: readonly string[]): string[] {
  const names = targetNames(ctx, { index: expressions.join(','), allowNoIndices: false }, TARGETS.concrete);
  if (!expressions.some((expression) => expression.includes('*') || expression === '_all')) return names;
  // Patterns do not match indices that the caller reaches only through an alias.
  const own = new Set(ownNames(ctx));
  return names.filter((name) => own.has(name));
}

/** @throws ApiError illegal_argument_exception: the filter is not a valid query */
export function checkAliasFilter(alias: string, filter: unknown): void {
  if (filter === undefined || filter === null) return;
  try {
    parseQuery(filter);
  } catch (error) {
    throw error instanceof ApiError ? illegalArgumentError(`failed to parse filter for alias [${alias}]`, error) : error;
  }
}

function textList(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value.map(String) : [String(value)];
}

/** `PUT {index}/_alias/{name}`. `index` and `alias` in the body override the path. */
export async function putAlias(
  ctx: EngineContext,
  request: { index: string | null; name: string | null; body: JsonObject },
): Promise<Acknowledged> {
  const index = textList(request.body.index).join(',') || request.index;
  const name = textList(request.body.alias)[0] ?? request.name ?? undefined;
  const alias: AliasMeta = parseAlias(request.body as JsonObject, ctx.dialect.ignoresAliasKeys ? null : ['index', 'alias']);
  if (index === null || index === '') throw illegalArgumentError("[indices] can't be empty");
  if (name === undefined || name === '') throw illegalArgumentError("[alias] can't be empty string");
  checkAliasFilter(name, alias.filter);
  checkBlocks(ctx, [index]);
  const { streams, others } = splitStreams(ctx, [index]);
  const indices = others === null ? [] : resolve(ctx, others);
  return ctx.command('updateAliases', { actions: [{ kind: 'add', indices, dataStreams: streams, aliases: [name], alias }] });
}

/** @throws ApiError aliases_not_found_exception (404) */
export async function deleteAlias(ctx: EngineContext, request: { index: string; names: readonly string[] }): Promise<Acknowledged> {
  checkBlocks(ctx, [request.index]);
  const { streams, others } = splitStreams(ctx, [request.index]);
  const indices = others === null ? [] : resolve(ctx, others);
  const aliases = hashSetOrder(request.names);
  return ctx.command('updateAliases', { actions: [{ kind: 'remove', indices, dataStreams: streams, aliases, mustExist: true }] });
}

export interface AliasesFound {
  /** Requested names, without patterns, of aliases that do not exist. */
  readonly missing: readonly string[];
  readonly body: Record<string, unknown>;
}

/** @param names  null for all aliases and indices without any. A name with a leading `-` excludes matches of the names before it */
export function getAliases(ctx: EngineContext, target: IndexTarget, names: readonly string[] | null): AliasesFound {
  if (names !== null) requireNames(ctx, names.join(','));
  const metas = shownMetas(ctx, target, TARGETS.any);
  const body: Record<string, unknown> = {};
  const found = new Set<string>();
  const isFound = (alias: string): boolean => {
    const isWanted = names === null || isNamed(alias, names);
    if (isWanted) found.add(alias);
    return isWanted;
  };
  for (const meta of metas) {
    const shown: Record<string, AliasMeta> = {};
    for (const alias of Object.keys(meta.aliases).sort()) if (isFound(alias)) setOwn(shown, alias, meta.aliases[alias]);
    const isShown = meta.dataStream === undefined ? names === null : false;
    if (isShown || Object.keys(shown).length > 0) body[meta.name] = { aliases: shown };
  }
  for (const stream of shownStreams(ctx, target, metas)) {
    const shown = Object.entries(stream.aliases).filter(([alias]) => isFound(alias));
    if (shown.length > 0) body[stream.name] = { aliases: Object.fromEntries(shown) };
  }
  return { missing: missingNames(names ?? [], found).sort(), body };
}

const isPattern = (name: string): boolean => name.includes('*') || name === '_all';

/** The names without patterns that were not found; a name that a later exclusion after a pattern removes is not missing. */
function missingNames(names: readonly string[], found: ReadonlySet<string>): string[] {
  const wildcard = names.findIndex((name) => name.includes('*'));
  const firstWildcard = wildcard < 0 ? names.length : wildcard;
  return names.filter((name, i) => {
    if (isPattern(name) || (i > firstWildcard && name.startsWith('-'))) return false;
    const later = names.slice(Math.max(i + 1, firstWildcard)).filter((other) => other.startsWith('-'));
    return !later.some((other) => other === '-_all' || matchesPattern(other.slice(1), name)) && !found.has(name);
  });
}

/** The data streams of the indices that a target names, which show their aliases themselves. */
function shownStreams({ cluster }: EngineContext, { index }: IndexTarget, metas: readonly IndexMeta[]): DataStream[] {
  const named = new Set(index === null ? [] : index.split(','));
  const found = metas.flatMap((meta) => (meta.dataStream === undefined || named.has(meta.name) ? [] : [meta.dataStream]));
  return [...new Set(found)].flatMap((name) => dataStreamOf(cluster, name) ?? []);
}

function isNamed(alias: string, names: readonly string[]): boolean {
  let isIn = false;
  for (const name of names) {
    if (name.startsWith('-')) isIn &&= !matchesPattern(name.slice(1), alias);
    else isIn ||= name === '_all' || matchesPattern(name, alias);
  }
  return isIn;
}
