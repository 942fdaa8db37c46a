// Every API of the service. A new family is one line here.

import { CAT_APIS } from '../cluster/cat.ts';
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
} from '../cluster/cluster.ts';
import { MAINTENANCE_APIS } from '../cluster/maintenance.ts';
import { nodesInfoApi, nodesStatsApi } from '../cluster/nodes.ts';
import { ilmApi, infoApi, licenseApi, xpackApi } from '../cluster/root.ts';
import { TASK_APIS } from '../cluster/tasks.ts';
import { bulkApi } from '../documents/bulk.ts';
import { deleteByQueryApi, reindexApi, updateByQueryApi } from '../documents/by-query.ts';
import { deleteApi, getApi, getSourceApi, indexApi, mgetApi, updateApi } from '../documents/documents.ts';
import { multiTermVectorsApi, termVectorsApi } from '../documents/term-vectors.ts';
import { deleteAliasApi, getAliasApi, putAliasApi, updateAliasesApi } from '../indices/aliases.ts';
import { analyzeApi, reloadAnalyzersApi } from '../indices/analyze.ts';
import * as indices from '../indices/indices.ts';
import { INDEX_CHANGE_APIS } from '../indices/rollover-resize.ts';
import { TEMPLATE_APIS } from '../indices/templates.ts';
import { INGEST_APIS } from '../ingest/ingest.ts';
import { explainApi, validateApi } from '../search/explain.ts';
import { fieldCapsApi } from '../search/field-caps.ts';
import { msearchApi, msearchTemplateApi } from '../search/multi-search.ts';
import { rankEvalApi } from '../search/rank-eval.ts';
import { clearScrollApi, pitApi, scrollApi } from '../search/scroll.ts';
import { countApi, searchApi } from '../search/search.ts';
import { SEARCH_PIPELINE_APIS } from '../search/search-pipelines.ts';
import { SCRIPT_APIS } from '../search/stored-scripts.ts';
import type { ApiSpec } from './api.ts';
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
