// The privileges that a role can grant on the cluster, by the names and with the actions of Elasticsearch. Those of features that Gannet lacks are
// unknown here.
// Source: https://www.elastic.co/guide/en/elasticsearch/reference/8.15/security-privileges.html
import { illegalArgumentError } from '../errors/catalog.ts';
import { type ActionSet, actionSet, grantsAction, includesSet } from './action-set.ts';

const ALL = ['cluster:*', 'indices:admin/template/*', 'indices:admin/index_template/*'];
const SECURITY = 'cluster:admin/xpack/security/';
const SNAPSHOT_READ = ['cluster:admin/snapshot/status*', 'cluster:admin/snapshot/get', 'cluster:admin/repository/get'];

export const CLUSTER_PRIVILEGES: Readonly<Record<string, ActionSet>> = {
  none: actionSet([]),
  all: actionSet(ALL),
  cancel_task: actionSet(['cluster:admin/tasks/cancel*']),
  create_snapshot: actionSet(['cluster:admin/snapshot/create', ...SNAPSHOT_READ]),
  grant_api_key: actionSet([`${SECURITY}api_key/grant*`]),
  manage: actionSet(ALL, [`${SECURITY}*`]),
  manage_api_key: actionSet([`${SECURITY}api_key/*`]),
  manage_enrich: actionSet(['cluster:admin/xpack/enrich/*']),
  manage_ilm: actionSet(['cluster:admin/ilm/*']),
  manage_index_templates: actionSet(['indices:admin/template/*', 'indices:admin/index_template/*', 'cluster:admin/component_template/*']),
  manage_ingest_pipelines: actionSet(['cluster:admin/ingest/pipeline/*']),
  // The API itself checks that the keys belong to the caller.
  manage_own_api_key: actionSet([
    `${SECURITY}api_key/create`,
    `${SECURITY}api_key/get`,
    `${SECURITY}api_key/invalidate`,
    `${SECURITY}api_key/query`,
    `${SECURITY}api_key/update`,
  ]),
  manage_pipeline: actionSet(['cluster:admin/ingest/pipeline/*']),
  manage_search_synonyms: actionSet(['cluster:admin/synonyms/*', 'cluster:admin/synonyms_sets/*', 'cluster:admin/synonym_rules/*']),
  manage_security: actionSet([`${SECURITY}*`]),
  manage_slm: actionSet([
    'cluster:admin/slm/*',
    'cluster:admin/ilm/start',
    'cluster:admin/ilm/stop',
    'cluster:admin/ilm/operation_mode/get',
  ]),
  monitor: actionSet([
    'cluster:monitor/*',
    'indices:admin/template/get',
    'cluster:admin/component_template/get',
    'indices:admin/index_template/get',
  ]),
  monitor_enrich: actionSet(['cluster:monitor/xpack/enrich/*', 'cluster:admin/xpack/enrich/get']),
  monitor_snapshot: actionSet(SNAPSHOT_READ),
  read_ilm: actionSet(['cluster:admin/ilm/get', 'cluster:admin/ilm/operation_mode/get']),
  read_pipeline: actionSet(['cluster:admin/ingest/pipeline/get', 'cluster:admin/ingest/pipeline/simulate']),
  read_security: actionSet([
    `${SECURITY}api_key/get`,
    `${SECURITY}api_key/query`,
    `${SECURITY}privilege/builtin/get`,
    `${SECURITY}privilege/get`,
    `${SECURITY}role/get`,
    `${SECURITY}role_mapping/get`,
    `${SECURITY}user/get`,
    `${SECURITY}user/list_privileges`,
    `${SECURITY}user/has_privileges`,
  ]),
  read_slm: actionSet(['cluster:admin/slm/get', 'cluster:admin/ilm/operation_mode/get']),
  transport_client: actionSet(['cluster:monitor/nodes/liveness', 'cluster:monitor/state']),
};

let byLevel: readonly string[] | null = null;

/** Names of the privileges that grant an action, the narrowest first. */
export function clusterPrivilegesGranting(action: string): string[] {
  byLevel ??= Object.keys(CLUSTER_PRIVILEGES)
    .map((name) => ({
      name,
      implied: Object.values(CLUSTER_PRIVILEGES).filter((other) => includesSet(CLUSTER_PRIVILEGES[name], other)).length,
    }))
    .sort((a, b) => a.implied - b.implied || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
  return byLevel.filter((name) => grantsAction(CLUSTER_PRIVILEGES[name], action));
}

/** True if the action belongs to the cluster, false if to indices. Index templates belong to the cluster. */
export function isClusterAction(action: string): boolean {
  return grantsAction(CLUSTER_PRIVILEGES.all, action);
}

/** The actions of a privilege, or of a pattern of actions. @throws ApiError illegal_argument_exception: neither */
export function clusterPrivilege(name: string): ActionSet {
  const key = name.toLowerCase();
  if (Object.hasOwn(CLUSTER_PRIVILEGES, key)) return CLUSTER_PRIVILEGES[key];
  if (isClusterAction(key)) return actionSet([key.endsWith('*') ? key : `${key}*`]);
  throw illegalArgumentError(
    `unknown cluster privilege [${key}]. a privilege must be either one of the predefined cluster privilege names ` +
      `[${Object.keys(CLUSTER_PRIVILEGES).sort().join(',')}] or a pattern over one of the available cluster actions`,
  );
}
