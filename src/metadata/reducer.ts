// Metadata commands are reducers: pure functions from the state and arguments to the next state and a response.

import type { JsonObject } from '../common/json/json-value.ts';
import type { Dialect } from '../compat/dialect.ts';
import { indexNotFoundError } from '../errors/catalog.ts';
import type { MappingSnapshot } from '../mapping/core/mapping-snapshot.ts';
import type { ClusterState, IndexMeta, SynonymSets } from './cluster-state.ts';
import { carryTables } from './indices/index-tables.ts';
import type { FlatSettings } from './settings/index-settings.ts';

/** Environment of a command. */
export interface ReducerEnvironment {
  readonly nowMs: number;
  readonly newUuid: () => string;
  readonly dialect: Dialect;
  /**
   * Validates mappings and analysis settings by building them.
   * @param age  `new` by default
   * @param synonymSets  instead of those of the state before the command
   * @throws ApiError with Elasticsearch's errors
   */
  readonly buildMapping: (mappings: JsonObject, settings: FlatSettings, age?: DefinitionAge, synonymSets?: SynonymSets) => MappingSnapshot;
}

/** What of a definition is to be checked: `new` all of it; `reanalysed` the analyzers, whose settings, rules or files have changed; `stored` nothing. */
export type DefinitionAge = 'new' | 'reanalysed' | 'stored';

export interface Reduction<Response> {
  /** The same object if nothing changed. */
  readonly state: ClusterState;
  readonly response: Response;
}

export interface Acknowledged {
  readonly acknowledged: boolean;
}

export const ACKNOWLEDGED: Acknowledged = { acknowledged: true };

/** @throws ApiError with Elasticsearch's errors; the state is then unchanged */
export type Reducer<Args, Response = Acknowledged> = (state: ClusterState, args: Args, env: ReducerEnvironment) => Reduction<Response>;

/** @throws ApiError index_not_found_exception */
export function indexOf(state: ClusterState, name: string): IndexMeta {
  if (!Object.hasOwn(state.indices, name)) throw indexNotFoundError(name);
  return state.indices[name];
}

export function withIndices(state: ClusterState, changed: readonly IndexMeta[], removed: readonly string[] = []): ClusterState {
  const indices: Record<string, IndexMeta> = { ...state.indices };
  for (const meta of changed) indices[meta.name] = meta;
  for (const name of removed) delete indices[name];
  carryTables(state.indices, indices, [...changed.map(({ name }) => name), ...removed]);
  return { ...state, version: state.version + 1, indices };
}
