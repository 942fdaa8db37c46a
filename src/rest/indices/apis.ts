// The APIs of indices, aliases and templates.
import type { ApiSpec } from '../core/api.ts';
import { deleteAliasApi, getAliasApi, putAliasApi, updateAliasesApi } from './aliases.ts';
import { analyzeApi, reloadAnalyzersApi } from './analyze.ts';
import { DATA_STREAM_APIS } from './data-streams.ts';
import { diskUsageApi } from './disk-usage.ts';
import { statsApi } from './index-stats.ts';
import { addBlockApi, createIndexApi, deleteIndexApi, getIndexApi, openCloseApi, resolveIndexApi } from './indices.ts';
import { LIFECYCLE_APIS } from './lifecycles.ts';
import { clearCacheApi, flushApi, forceMergeApi, refreshApi } from './maintenance.ts';
import { getFieldMappingApi, getMappingApi, putMappingApi } from './mappings.ts';
import { recoveryApi } from './recovery.ts';
import { RESIZE_APIS } from './resize.ts';
import { rolloverApi } from './rollover.ts';
import { segmentsApi } from './segments.ts';
import { getSettingsApi, putSettingsApi } from './settings.ts';
import { shardStoresApi } from './shard-stores.ts';
import { SYNONYM_APIS } from './synonyms.ts';
import { TEMPLATE_APIS } from './templates.ts';

export const INDICES_ROOM: readonly ApiSpec[] = [
  updateAliasesApi,
  putAliasApi,
  deleteAliasApi,
  getAliasApi,
  analyzeApi,
  diskUsageApi,
  reloadAnalyzersApi,
  statsApi,
  createIndexApi,
  deleteIndexApi,
  getIndexApi,
  openCloseApi,
  addBlockApi,
  resolveIndexApi,
  refreshApi,
  flushApi,
  forceMergeApi,
  clearCacheApi,
  getMappingApi,
  getFieldMappingApi,
  putMappingApi,
  recoveryApi,
  ...RESIZE_APIS,
  rolloverApi,
  segmentsApi,
  getSettingsApi,
  putSettingsApi,
  shardStoresApi,
  ...SYNONYM_APIS,
  ...TEMPLATE_APIS,
  ...DATA_STREAM_APIS,
  ...LIFECYCLE_APIS,
];
