// Resolves the indices of a request: its expression, with its options overriding the operation's defaults.
import type { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import { namesOfIndex } from '../../metadata/indices/data-streams.ts';
import { membersOfName } from '../../metadata/indices/index-tables.ts';
import { checkMetadataReadable } from '../../metadata/indices/metadata-blocks.ts';
import { ADMIN_OPTIONS, type IndicesOptions, namesOf, refusedNames, resolveNames, SEARCH_OPTIONS } from '../../metadata/resolve.ts';
import type { EngineContext } from './context.ts';

export { namesOfIndex };

/** The indices part of a request. `index` is an expression such as `logs-*,-logs-1`; null and empty mean all indices. */
export interface IndexTarget {
  readonly index: string | null;
  readonly ignoreUnavailable?: boolean;
  readonly allowNoIndices?: boolean;
  /** `open`, `closed`, `hidden`, `none`, `all`. */
  readonly expandWildcards?: readonly string[];
}

/** Defaults of the operations, for options that the request does not set. */
export const TARGETS = {
  /** Searches, refresh, flush, statistics: open indices only. */
  open: SEARCH_OPTIONS,
  /** Open and closed indices, by pattern and by name. */
  any: ADMIN_OPTIONS,
  /** Mappings, get: patterns match open indices, names may also be closed ones. */
  named: { ...SEARCH_OPTIONS, forbidClosed: false } as IndicesOptions,
  /** Opening: patterns match closed indices. */
  closed: { ...SEARCH_OPTIONS, forbidClosed: false, expandOpen: false, expandClosed: true } as IndicesOptions,
  /** Deletion: aliases are not allowed. */
  concrete: { ...ADMIN_OPTIONS, allowAliases: false } as IndicesOptions,
} as const;

const WILDCARD_STATES = new Set(['open', 'closed', 'hidden', 'none', 'all']);

/** `expand_wildcards`. @throws ApiError illegal_argument_exception */
export function readWildcardStates(text: string): string[] {
  const states = text.split(',');
  for (const state of states) if (!WILDCARD_STATES.has(state)) throw illegalArgumentError(`No valid expand wildcard value [${state}]`);
  return states;
}

/** The options for a list of wildcard states. */
export function expandTo(states: readonly string[]): Pick<IndicesOptions, 'expandOpen' | 'expandClosed' | 'expandHidden'> {
  const isAll = states.includes('all');
  return {
    expandOpen: isAll || states.includes('open'),
    expandClosed: isAll || states.includes('closed'),
    expandHidden: isAll || states.includes('hidden'),
  };
}

export function withTarget(base: IndicesOptions, target: IndexTarget): IndicesOptions {
  const states = target.expandWildcards;
  return {
    ...base,
    ignoreUnavailable: target.ignoreUnavailable ?? base.ignoreUnavailable,
    allowNoIndices: target.allowNoIndices ?? base.allowNoIndices,
    ...(states === undefined ? {} : expandTo(states)),
  };
}

/** Concrete names. @throws ApiError index_not_found_exception and the other errors of src/metadata/resolve.ts */
export function targetNames(ctx: EngineContext, target: IndexTarget, base: IndicesOptions): string[] {
  return resolveNames(ctx.cluster, target.index === null || target.index === '' ? [] : [target.index], withTarget(base, target));
}

export function targetMetas(ctx: EngineContext, target: IndexTarget, base: IndicesOptions): IndexMeta[] {
  return targetNames(ctx, target, base).map((name) => ctx.cluster.indices[name]);
}

/** Like `targetMetas`, for requests that show metadata. @throws ApiError cluster_block_exception (403): the block `metadata` hides it */
export function shownMetas(ctx: EngineContext, target: IndexTarget, base: IndicesOptions): IndexMeta[] {
  const metas = targetMetas(ctx, target, base);
  metas.forEach(checkMetadataReadable);
  return metas;
}

/** Checks the names of an expression, of indices or aliases that may not exist yet. @throws ApiError security_exception (403) */
export function requireNames(ctx: EngineContext, expression: string): void {
  const { names } = ctx.cluster;
  if (names === undefined) return;
  const refused = refusedNames(names, namesOf([expression]));
  if (refused.length > 0) throw names.refusal(refused);
}

/** The error for a name that the caller may not use, otherwise null. */
export function refusalOf(ctx: EngineContext, name: string): ApiError | null {
  const { names } = ctx.cluster;
  return names === undefined || names.allows(name) ? null : names.refusal([name]);
}

/** Names of the indices that the caller may use by name. Others may be reachable through aliases. */
export function ownNames({ cluster }: EngineContext): string[] {
  const all = Object.keys(cluster.indices);
  return cluster.names === undefined ? all : all.filter((name) => cluster.names?.allows(name));
}

/** The indices of an alias or a data stream that the caller may use, which it makes reachable. */
export function membersOf({ cluster }: EngineContext, alias: string): IndexMeta[] {
  const members = membersOfName(cluster, alias);
  for (const { name } of members) cluster.names?.reached(name, alias);
  return members;
}
