// All metadata commands by name. The main thread runs them one after another (src/node/main/main-node.ts).

import type { ClusterState } from './cluster-state.ts';
import { allocateCopies, startCopy, useAllocation } from './copies.ts';
import { deleteEnrichPolicy, putEnrichPolicy } from './definitions/enrich-policies.ts';
import { deletePipeline, deleteSearchPipeline, putPipeline, putSearchPipeline } from './definitions/pipelines.ts';
import { deleteRepositories, putRepository } from './definitions/repositories.ts';
import { deleteScript, putScript } from './definitions/stored-scripts.ts';
import { deleteSynonymRule, deleteSynonymSet, putSynonymRule, putSynonymSet } from './definitions/synonym-sets.ts';
import { updateAliases } from './indices/aliases.ts';
import { autoCreateIndex, autoCreateIndices } from './indices/auto-create-index.ts';
import {
  createDataStream,
  deleteDataStreams,
  migrateToDataStream,
  modifyDataStreams,
  putDataLifecycle,
  rolloverDataStream,
} from './indices/change-data-stream.ts';
import {
  closeIndices,
  deleteIndex,
  dynamicMapping,
  openIndices,
  putMapping,
  putSettings,
  recordRollover,
  reloadAnalyzers,
} from './indices/change-index.ts';
import { createIndex } from './indices/create-index.ts';
import { restoreIndices } from './indices/restore-indices.ts';
import { deleteTemplate, putComponentTemplate, putIndexTemplate, putLegacyTemplate } from './indices/templates.ts';
import {
  deleteLifecyclePolicy,
  putLifecyclePolicy,
  removeLifecycle,
  replaceIndex,
  setIndexLifecycleMode,
  setLifecycleStates,
} from './policies/index-lifecycles.ts';
import { deletePolicy, putPolicy, recordPolicyRun, recordRetention, setLifecycleMode } from './policies/snapshot-policies.ts';
import { assignPrimaries } from './primaries.ts';
import type { Reducer, ReducerEnvironment, Reduction } from './reducer.ts';
import { putClusterSettings } from './settings/cluster-settings.ts';
import { addVotingExclusions, clearVotingExclusions } from './voting-exclusions.ts';

const REDUCERS = {
  createIndex,
  autoCreateIndex,
  autoCreateIndices,
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
  putSynonymSet,
  putSynonymRule,
  deleteSynonymSet,
  deleteSynonymRule,
  putEnrichPolicy,
  deleteEnrichPolicy,
  putPipeline,
  deletePipeline,
  putSearchPipeline,
  deleteSearchPipeline,
  putRepository,
  deleteRepositories,
  restoreIndices,
  putPolicy,
  deletePolicy,
  setLifecycleMode,
  recordPolicyRun,
  recordRetention,
  addVotingExclusions,
  clearVotingExclusions,
  putLifecyclePolicy,
  deleteLifecyclePolicy,
  setIndexLifecycleMode,
  setLifecycleStates,
  removeLifecycle,
  replaceIndex,
  recordRollover,
  createDataStream,
  deleteDataStreams,
  rolloverDataStream,
  modifyDataStreams,
  putDataLifecycle,
  migrateToDataStream,
  assignPrimaries,
  useAllocation,
  allocateCopies,
  startCopy,
};

export type CommandName = keyof typeof REDUCERS;
export type CommandArgs<Name extends CommandName> = Parameters<(typeof REDUCERS)[Name]>[1];
export type CommandResponse<Name extends CommandName> = ReturnType<(typeof REDUCERS)[Name]>['response'];

/** @throws ApiError the errors of the command */
export function runReducer<Name extends CommandName>(
  name: Name,
  state: ClusterState,
  args: CommandArgs<Name>,
  env: ReducerEnvironment,
): Reduction<CommandResponse<Name>> {
  // TypeScript does not connect the entry of a name with the arguments of the same name.
  const reducer = REDUCERS[name] as Reducer<CommandArgs<Name>, CommandResponse<Name>>;
  return reducer(state, args, env);
}
