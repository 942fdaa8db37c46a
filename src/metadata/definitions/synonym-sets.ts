// Sets of synonym rules in the metadata, which filters of analyzers name with `synonyms_set`.
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { ClusterState, IndexMeta, SynonymRule, SynonymSets } from '../cluster-state.ts';
import { ACKNOWLEDGED, type Reducer, type ReducerEnvironment, withIndices } from '../reducer.ts';

/** Limit of Elasticsearch. */
const MAX_RULES = 10_000;
/** Characters in the rules of all sets: each thread holds them, and each change of the metadata is sent with them. */
const MAX_CHARACTERS = 16 << 20;

/** Whether something was there before. */
export interface PutResult {
  readonly created: boolean;
}

/** @param rules  with distinct ids. @throws ApiError illegal_argument_exception: too many rules, or rules that an analyzer refuses */
export const putSynonymSet: Reducer<{ readonly set: string; readonly rules: readonly SynonymRule[] }, PutResult> = (
  state,
  { set, rules },
  env,
) => {
  const created = rulesOf(state, set) === null;
  return { state: withSet(state, set, rules, env), response: { created } };
};

/** @throws ApiError resource_not_found_exception (404), illegal_argument_exception */
export const putSynonymRule: Reducer<{ readonly set: string; readonly rule: SynonymRule }, PutResult> = (state, { set, rule }, env) => {
  const rules = rulesOf(state, set) ?? missing(set);
  const created = !rules.some(({ id }) => id === rule.id);
  return { state: withSet(state, set, [...rules.filter(({ id }) => id !== rule.id), rule], env), response: { created } };
};

/** @throws ApiError resource_not_found_exception (404) */
export const deleteSynonymRule: Reducer<{ readonly set: string; readonly rule: string }> = (state, { set, rule }, env) => {
  const rules = rulesOf(state, set) ?? missing(set);
  const left = rules.filter(({ id }) => id !== rule);
  if (left.length === rules.length) throw ruleNotFoundError(set, rule);
  return { state: withSet(state, set, left, env), response: ACKNOWLEDGED };
};

/** @throws ApiError resource_not_found_exception (404), illegal_argument_exception: indices use the set */
export const deleteSynonymSet: Reducer<{ readonly set: string }> = (state, { set }) => {
  if (rulesOf(state, set) === null) missing(set);
  const users = Object.values(state.indices).filter((meta) => filtersOf(meta, set).length > 0);
  if (users.length > 0) {
    const names = users.map(({ name }) => name).join(', ');
    throw illegalArgumentError(`synonyms set [${set}] cannot be deleted as it is used in the following indices: ${names}`);
  }
  const { [set]: _gone, ...synonymSets } = state.synonymSets ?? {};
  return { state: { ...state, version: state.version + 1, synonymSets }, response: ACKNOWLEDGED };
};

/** Rules of a set, ordered by id; null if there is no such set. */
export function rulesOf({ synonymSets }: Pick<ClusterState, 'synonymSets'>, set: string): readonly SynonymRule[] | null {
  return synonymSets !== undefined && Object.hasOwn(synonymSets, set) ? synonymSets[set] : null;
}

/** Names of an index's filters that use the set and may be reloaded. */
export function reloadableFilters(meta: IndexMeta, set: string): string[] {
  return filtersOf(meta, set).filter((filter) => String(meta.settings[`${FILTER}${filter}.updateable`]) === 'true');
}

const FILTER = 'index.analysis.filter.';

function filtersOf({ settings }: IndexMeta, set: string): string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    if (!name.startsWith(FILTER) || !name.endsWith('.synonyms_set') || value !== set) return [];
    return [name.slice(FILTER.length, -'.synonyms_set'.length)];
  });
}

/** Makes every thread rebuild the analyzers that use the set. */
function withSet(state: ClusterState, set: string, rules: readonly SynonymRule[], env: ReducerEnvironment): ClusterState {
  if (rules.length > MAX_RULES) throw illegalArgumentError(`The number of synonyms rules in a synonyms set cannot exceed ${MAX_RULES}`);
  const sorted = [...rules].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  const synonymSets: SynonymSets = { ...state.synonymSets, [set]: sorted };
  const characters = Object.values(synonymSets).flatMap((all) => all.map(({ id, synonyms }) => id.length + synonyms.length));
  if (characters.reduce((sum, length) => sum + length, 0) > MAX_CHARACTERS)
    throw illegalArgumentError(`The rules of all synonyms sets must have at most ${MAX_CHARACTERS} characters`);
  const changed = Object.values(state.indices).flatMap((meta): IndexMeta[] => {
    if (reloadableFilters(meta, set).length === 0) return [];
    env.buildMapping(meta.mappings, meta.settings, 'reanalysed', synonymSets);
    return [{ ...meta, settingsVersion: meta.settingsVersion + 1 }];
  });
  return withIndices({ ...state, synonymSets }, changed);
}

function missing(set: string): never {
  throw setNotFoundError(set);
}

export function setNotFoundError(set: string): ApiError {
  return new ApiError('resource_not_found_exception', 404, `synonyms set [${set}] not found`);
}

export function ruleNotFoundError(set: string, rule: string): ApiError {
  return new ApiError('resource_not_found_exception', 404, `synonym rule [${rule}] not found on synonyms set [${set}]`);
}
