// Which indices a request means: its expression, with its options in place of the operation's defaults.
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import { ADMIN_OPTIONS, type IndicesOptions, resolveNames, SEARCH_OPTIONS } from '../../metadata/resolve.ts';
import type { EngineContext } from './context.ts';

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
