// APIs by which clients identify a server: the root, the licence, the features.
import { buildHash } from '../../compat/build-hash.ts';
import { defineApi, type RestContext, TIMEOUTS } from '../core/api.ts';
import { type ApiResponse, exists, ok } from '../core/response.ts';

/** The Lucene version to report with a version number. */
function luceneVersion(version: string): string {
  const major = Number(version.split('.')[0]);
  return major >= 9 ? '10.1.0' : major === 8 ? '9.11.1' : '8.7.0';
}

export const infoApi = defineApi({
  name: 'info',
  needs: 'cluster:monitor/main',
  routes: { 'GET /': info, 'HEAD /': () => exists(true) },
});

function info(_request: unknown, { engine }: RestContext): ApiResponse {
  const number = engine.dialect.version;
  const major = Number(number.split('.')[0]);
  const isOpenSearch = engine.dialect.namesClusterManager;
  return ok({
    name: engine.nodeName,
    cluster_name: engine.clusterName,
    cluster_uuid: engine.cluster.clusterUuid,
    version: {
      distribution: isOpenSearch ? 'opensearch' : 'gannet',
      number,
      ...(isOpenSearch ? {} : { build_flavor: 'default' }),
      build_type: 'tar',
      build_hash: buildHash(number),
      build_date: '2026-01-01T00:00:00.000Z',
      build_snapshot: false,
      lucene_version: isOpenSearch ? '10.5.0' : luceneVersion(number),
      minimum_wire_compatibility_version: isOpenSearch ? '2.19.0' : major >= 8 ? `${major - 1}.17.0` : '6.8.0',
      minimum_index_compatibility_version: isOpenSearch ? '2.0.0' : major >= 8 ? `${major - 1}.0.0` : '6.0.0-beta1',
    },
    tagline: isOpenSearch ? 'The OpenSearch Project: https://opensearch.org/' : 'You Know, for Search',
  });
}

export const licenseApi = defineApi({
  name: 'license.get',
  needs: 'cluster:monitor/xpack/license/get',
  params: { accept_enterprise: 'boolean', local: 'boolean' },
  routes: {
    'GET /_license': license,
    'GET /_xpack/license': license,
    // The licence is a basic one already, and no other can be tried.
    'GET /_license/basic_status': () => ok({ eligible_to_start_basic: false }),
    'GET /_license/trial_status': () => ok({ eligible_to_start_trial: false }),
  },
});

export const startBasicApi = defineApi({
  name: 'license.post_start_basic',
  needs: 'cluster:admin/xpack/license/start_basic',
  params: { acknowledge: 'boolean', ...TIMEOUTS },
  routes: { 'POST /_license/start_basic': startBasic },
});

/** 403, as of a server whose licence is a basic one. */
function startBasic(): ApiResponse {
  return {
    status: 403,
    body: { acknowledged: true, basic_was_started: false, error_message: 'Operation failed: Current license is basic.' },
  };
}

function license(_request: unknown, { engine, settings, startedMs }: RestContext): ApiResponse {
  return ok({
    license: {
      status: 'active',
      uid: engine.cluster.clusterUuid,
      type: 'basic',
      issue_date: new Date(startedMs).toISOString(),
      issue_date_in_millis: startedMs,
      max_nodes: 1000,
      max_resource_units: null,
      issued_to: settings['cluster.name'],
      issuer: 'gannet',
      start_date_in_millis: -1,
    },
  });
}

/** What the servers store as the end of licences that do not expire; typed clients need a date. */
const NEVER_MS = 9_223_372_005_318_775_807n;

const FEATURES = [
  'aggregate_metric',
  'analytics',
  'archive',
  'data_tiers',
  'enrich',
  'enterprise_search',
  'esql',
  'frozen_indices',
  'logsdb',
  'logstash',
  'spatial',
  'universal_profiling',
  'voting_only',
  'ilm',
  'security',
  'sql',
  'ml',
  'graph',
  'watcher',
  'transform',
  'rollup',
  'monitoring',
  'slm',
  'ccr',
  'eql',
  'data_streams',
  'searchable_snapshots',
];

const AVAILABLE = new Set(['ilm', 'security', 'slm', 'data_streams']);

export const xpackApi = defineApi({
  name: 'xpack.info',
  needs: 'cluster:monitor/xpack/info',
  params: { categories: 'list', accept_enterprise: 'boolean' },
  routes: {
    'GET /_xpack': (_request, { engine, realms, settings, startedMs }) => {
      const hasUsers = settings['security.enabled'] && realms.hasUsers;
      const features: Record<string, unknown> = {};
      for (const name of FEATURES)
        features[name] = { available: AVAILABLE.has(name), enabled: AVAILABLE.has(name) && (name !== 'security' || hasUsers) };
      return ok({
        build: { hash: 'gannet', date: new Date(startedMs).toISOString() },
        license: { uid: engine.cluster.clusterUuid, type: 'basic', mode: 'basic', status: 'active', expiry_date_in_millis: NEVER_MS },
        features,
        tagline: 'You know, for X',
      });
    },
  },
});
