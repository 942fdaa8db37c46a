// The APIs of the cluster, its nodes and tasks, and the `_cat` tables.
import type { ApiSpec } from '../core/api.ts';
import { CAT_APIS } from './cat.ts';
import { CLUSTER_ADMIN_APIS } from './cluster.ts';
import { clusterHealthApi } from './cluster-health.ts';
import { clusterInfoApi } from './cluster-info.ts';
import { clusterSettingsApi, getClusterSettingsApi } from './cluster-settings.ts';
import { clusterStateApi } from './cluster-state.ts';
import { clusterStatsApi } from './cluster-stats.ts';
import { healthReportApi } from './health-report.ts';
import { MAINTENANCE_APIS } from './maintenance.ts';
import { metricsApi } from './metrics.ts';
import { nodesInfoApi } from './nodes-info.ts';
import { nodesStatsApi } from './nodes-stats.ts';
import { infoApi, licenseApi, startBasicApi, xpackApi } from './root.ts';
import { slowLogApi } from './slow-log.ts';
import { TASK_APIS } from './tasks.ts';
import { UPGRADE_APIS } from './upgrade.ts';

export const CLUSTER_ROOM: readonly ApiSpec[] = [
  ...CAT_APIS,
  clusterHealthApi,
  clusterInfoApi,
  healthReportApi,
  clusterSettingsApi,
  getClusterSettingsApi,
  clusterStateApi,
  clusterStatsApi,
  ...CLUSTER_ADMIN_APIS,
  ...MAINTENANCE_APIS,
  metricsApi,
  nodesInfoApi,
  nodesStatsApi,
  infoApi,
  licenseApi,
  startBasicApi,
  xpackApi,
  slowLogApi,
  ...TASK_APIS,
  ...UPGRADE_APIS,
];
