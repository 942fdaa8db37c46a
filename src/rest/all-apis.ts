// Every API of the service. A new family is one line here.

import { deleteAliasApi, getAliasApi, putAliasApi, updateAliasesApi } from './aliases.ts';
import { analyzeApi, reloadAnalyzersApi } from './analyze.ts';
import type { ApiSpec } from './api.ts';
import { bulkApi } from './bulk.ts';
import { deleteByQueryApi, reindexApi, updateByQueryApi } from './by-query.ts';
import { CAT_APIS } from './cat.ts';
import {
  clusterHealthApi,
  clusterSettingsApi,
  clusterStateApi,
  clusterStatsApi,
  danglingApi,
  getClusterSettingsApi,
  pendingTasksApi,
  remoteInfoApi,
  rerouteApi,
} from './cluster.ts';
import { deleteApi, getApi, getSourceApi, indexApi, mgetApi, updateApi } from './documents.ts';
import { fieldCapsApi } from './field-caps.ts';
import { INDEX_CHANGE_APIS } from './index-change.ts';
import * as indices from './indices.ts';
import { INGEST_APIS } from './ingest.ts';
import { MAINTENANCE_APIS } from './maintenance.ts';
import { msearchApi, msearchTemplateApi } from './multi-search.ts';
import { nodesInfoApi, nodesStatsApi } from './nodes.ts';
import { rankEvalApi } from './rank-eval.ts';
import { ilmApi, infoApi, licenseApi, xpackApi } from './root.ts';
import { SCRIPT_APIS } from './scripts.ts';
import { clearScrollApi, pitApi, scrollApi } from './scroll.ts';
import { countApi, searchApi } from './search.ts';
import { SEARCH_PIPELINE_APIS } from './search-pipelines.ts';
import { explainApi, validateApi } from './search-tools.ts';
import { TASK_APIS } from './tasks.ts';
import { TEMPLATE_APIS } from './templates.ts';
import { multiTermVectorsApi, termVectorsApi } from './term-vectors.ts';
import { UNSUPPORTED_APIS } from './unsupported.ts';

export const ALL_APIS: readonly ApiSpec[] = [
  infoApi,
  licenseApi,
  xpackApi,
  ilmApi,
  clusterHealthApi,
  clusterStateApi,
  clusterStatsApi,
  clusterSettingsApi,
  getClusterSettingsApi,
  pendingTasksApi,
  remoteInfoApi,
  rerouteApi,
  danglingApi,
  nodesInfoApi,
  nodesStatsApi,
  ...CAT_APIS,
  indices.createIndexApi,
  indices.deleteIndexApi,
  indices.getIndexApi,
  indices.getMappingApi,
  indices.getFieldMappingApi,
  indices.putMappingApi,
  indices.getSettingsApi,
  indices.putSettingsApi,
  indices.openCloseApi,
  indices.addBlockApi,
  indices.refreshApi,
  indices.flushApi,
  indices.forceMergeApi,
  indices.clearCacheApi,
  indices.statsApi,
  indices.segmentsApi,
  indices.recoveryApi,
  indices.resolveIndexApi,
  indices.shardStoresApi,
  indices.searchShardsApi,
  analyzeApi,
  reloadAnalyzersApi,
  fieldCapsApi,
  updateAliasesApi,
  putAliasApi,
  deleteAliasApi,
  getAliasApi,
  ...TEMPLATE_APIS,
  indexApi,
  deleteApi,
  updateApi,
  getApi,
  getSourceApi,
  mgetApi,
  rankEvalApi,
  termVectorsApi,
  multiTermVectorsApi,
  bulkApi,
  ...INDEX_CHANGE_APIS,
  deleteByQueryApi,
  updateByQueryApi,
  reindexApi,
  ...INGEST_APIS,
  ...MAINTENANCE_APIS,
  ...TASK_APIS,
  ...SEARCH_PIPELINE_APIS,
  ...SCRIPT_APIS,
  ...UNSUPPORTED_APIS,
  searchApi,
  countApi,
  msearchApi,
  msearchTemplateApi,
  scrollApi,
  clearScrollApi,
  pitApi,
  validateApi,
  explainApi,
];
