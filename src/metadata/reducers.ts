// All metadata commands by name. The main thread runs them one after another; see src/node/main-node.ts.
import { updateAliases } from './aliases.ts';
import { closeIndices, deleteIndex, dynamicMapping, openIndices, putMapping, putSettings, reloadAnalyzers } from './change-index.ts';
import { putClusterSettings } from './cluster-settings.ts';
import type { ClusterState } from './cluster-state.ts';
import { autoCreateIndex, createIndex } from './create-index.ts';
import { deletePipeline, deleteSearchPipeline, putPipeline, putSearchPipeline } from './pipelines.ts';
import type { Reducer, ReducerEnvironment, Reduction } from './reducer.ts';
import { deleteScript, putScript } from './stored-scripts.ts';
import { deleteTemplate, putComponentTemplate, putIndexTemplate, putLegacyTemplate } from './templates.ts';

export const REDUCERS = {
  createIndex,
  autoCreateIndex,
  deleteIndex,
  putMapping,
  dynamicMapping,
  putSettings,
  reloadAnalyzers,
  openIndices,
  closeIndices,
  updateAliases,
  putIndexTemplate,
  putComponentTemplate,
  putLegacyTemplate,
  deleteTemplate,
  putClusterSettings,
  putScript,
  deleteScript,
  putPipeline,
  deletePipeline,
  putSearchPipeline,
  deleteSearchPipeline,
};

export type CommandName = keyof typeof REDUCERS;
export type CommandArgs<Name extends CommandName> = Parameters<(typeof REDUCERS)[Name]>[1];

/** @throws ApiError as the command refuses; Error: no such command */
export function runReducer(name: string, state: ClusterState, args: unknown, env: ReducerEnvironment): Reduction {
  const reducer = Object.hasOwn(REDUCERS, name) ? REDUCERS[name as CommandName] : null;
  if (reducer === null) throw new Error(`no metadata command ${name}`);
  return (reducer as Reducer<unknown>)(state, args, env);
}
