// The reserved roles of Elasticsearch, as far as their privileges exist here.
// Source: https://www.elastic.co/guide/en/elasticsearch/reference/8.15/built-in-roles.html
import { NOT_HIDDEN } from './name-pattern.ts';
import { EMPTY_ROLE, type IndicesPrivileges, type RoleDescriptor, SUPERUSER_ROLE } from './role.ts';

const METADATA = { _reserved: true };

function role(cluster: readonly string[], indices: readonly IndicesPrivileges[] = [], description: string | null = null): RoleDescriptor {
  return { ...EMPTY_ROLE, cluster, indices, metadata: METADATA, description };
}

function on(names: readonly string[], privileges: readonly string[], allowRestrictedIndices = false): IndicesPrivileges {
  return { names, privileges, fieldSecurity: null, query: null, allowRestrictedIndices };
}

export const BUILT_IN_ROLES: ReadonlyMap<string, RoleDescriptor> = new Map([
  ['superuser', SUPERUSER_ROLE],
  ['viewer', role([], [on([NOT_HIDDEN], ['read', 'view_index_metadata'])], 'Grants read-only access to all indices that are not hidden.')],
  [
    'editor',
    role(
      [],
      [on([NOT_HIDDEN], ['read', 'view_index_metadata']), on(['observability-annotations'], ['read', 'view_index_metadata', 'write'])],
      'Grants read-only access to all indices that are not hidden.',
    ),
  ],
  [
    'monitoring_user',
    role(
      ['cluster:monitor/main', 'cluster:monitor/xpack/info', 'cluster:monitor/remote/info'],
      [on(['.monitoring-*', 'metricbeat-*'], ['read', 'read_cross_cluster'])],
    ),
  ],
  ['remote_monitoring_collector', role(['monitor'], [on(['*'], ['monitor'], true), on(['.kibana*'], ['read'])])],
  [
    'remote_monitoring_agent',
    role(
      ['manage_index_templates', 'manage_ingest_pipelines', 'monitor'],
      [
        on(['.monitoring-*'], ['all']),
        on(['metricbeat-*'], ['index', 'create_index', 'view_index_metadata', 'indices:admin/aliases', 'indices:admin/rollover']),
      ],
    ),
  ],
  ['ingest_admin', role(['manage_index_templates', 'manage_pipeline'])],
  ['snapshot_user', role(['create_snapshot', 'cluster:admin/repository/get'], [on(['*'], ['view_index_metadata'], true)])],
  ['transport_client', role(['transport_client'])],
  ['logstash_system', role(['monitor'])],
  ['beats_system', role(['monitor'], [on(['.monitoring-beats-*'], ['create_index', 'create'])])],
  ['apm_system', role(['monitor'], [on(['.monitoring-beats-*'], ['create_index', 'create_doc'])])],
  ['beats_admin', role([], [on(['.management-beats'], ['all'])])],
  ['reporting_user', role([])],
]);
