// What tools ask before an upgrade or a connection: system features, deprecated settings, certificates, clusters in reach.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolveIndex } from '../../api/indices/indices.ts';
import { listFeatures } from '../../api/snapshots/features.ts';
import { ApiError } from '../../errors/api-error.ts';
import { defineApi, INDICES_OPTIONS, type RestContext } from '../core/api.ts';
import { readTarget } from '../core/params/index-expression.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

/** There are no system indices, so that nothing is to be reset or migrated; snapshots contain the states of features. */
const featuresApi = defineApi({
  name: 'features.get_features',
  needs: 'cluster:admin/features/get',
  params: { master_timeout: 'time' },
  routes: { 'GET /_features': () => ok(listFeatures()) },
});

const resetFeaturesApi = defineApi({
  name: 'features.reset_features',
  needs: 'cluster:admin/features/reset',
  params: { master_timeout: 'time' },
  routes: { 'POST /_features/_reset': () => ok({ features: [] }) },
});

const featureUpgradesApi = defineApi({
  name: 'migration.get_feature_upgrade_status',
  needs: 'cluster:admin/migration/get_system_feature',
  routes: { 'GET /_migration/system_features': () => ok({ features: [], migration_status: 'NO_MIGRATION_NEEDED' }) },
});

const startFeatureUpgradeApi = defineApi({
  name: 'migration.post_feature_upgrade',
  needs: 'cluster:admin/migration/post_system_feature',
  routes: { 'POST /_migration/system_features': () => ok({ accepted: false, reason: 'No system indices require migration' }) },
});

/** Settings that a version would no longer accept are refused when they are set, so none is stored. */
const deprecationsApi = defineApi({
  name: 'migration.deprecations',
  needs: 'cluster:admin/xpack/deprecation/info',
  params: INDICES_OPTIONS,
  routes: { 'GET /_migration/deprecations': deprecations, 'GET /{index}/_migration/deprecations': deprecations },
});

function deprecations(request: ApiRequest, { engine }: RestContext): ApiResponse {
  if (request.params.index !== undefined) resolveIndex(engine, readTarget(request));
  return ok({ cluster_settings: [], node_settings: [], index_settings: {}, ml_settings: [] });
}

const certificatesApi = defineApi({
  name: 'ssl.certificates',
  needs: 'cluster:monitor/xpack/ssl/certificates/get',
  routes: { 'GET /_ssl/certificates': certificates },
});

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of the listener as they are in their files, each with the settings' name of its file. */
function certificates(_request: ApiRequest, { settings }: RestContext): ApiResponse {
  if (!settings['http.ssl.enabled']) return ok([]);
  const files = [settings['http.ssl.certificate'], ...settings['http.ssl.certificate_authorities']];
  return ok(files.flatMap((file, i) => certificatesIn(file, i === 0)));
}

function certificatesIn(file: string, hasKey: boolean): object[] {
  const blocks = readFileSync(file, 'latin1').match(PEM_CERTIFICATE) ?? [];
  return blocks.map((block, i) => {
    const { subject, issuer, serialNumber, validTo } = new X509Certificate(block);
    return {
      path: file.slice(file.lastIndexOf('/') + 1),
      format: 'PEM',
      alias: null,
      subject_dn: distinguishedName(subject),
      serial_number: serialNumber.toLowerCase(),
      // The chain follows the certificate that belongs to the key.
      has_private_key: hasKey && i === 0,
      expiry: new Date(validTo).toISOString(),
      issuer: distinguishedName(issuer),
    };
  });
}

/** Lines of `NAME=value` as one name, the last line first. */
function distinguishedName(lines: string): string {
  return lines.split('\n').reverse().join(', ');
}

const resolveClusterApi = defineApi({
  name: 'indices.resolve_cluster',
  needs: 'indices:admin/resolve/index',
  params: { ...INDICES_OPTIONS, ignore_throttled: 'boolean' },
  routes: { 'GET /_resolve/cluster/{name}': resolveCluster },
});

/** Other clusters cannot be searched: there is only the own one. @throws ApiError no_such_remote_cluster_exception */
function resolveCluster(request: ApiRequest, { engine }: RestContext): ApiResponse {
  const remote = /(?:^|,)([^,:<>]+):/.exec(request.params.name);
  if (remote) throw new ApiError('no_such_remote_cluster_exception', 404, `no such remote cluster: [${remote[1]}]`);
  const about = { connected: true, skip_unavailable: false };
  const parts = request.params.name.split(',');
  const found = parts.map((name) => isFound(request, engine, name));
  const missing = request.boolean('ignore_unavailable') ? -1 : parts.findIndex((name, i) => !found[i] && !/[*]|^_all$|^-/.test(name));
  if (missing >= 0) return ok({ '(local)': { ...about, error: `no such index [${parts[missing]}]` } });
  const number = engine.dialect.version;
  const major = Number(number.split('.')[0]);
  return ok({
    '(local)': {
      ...about,
      matching_indices: found.includes(true),
      version: {
        number,
        build_flavor: 'default',
        minimum_wire_compatibility_version: `${major - 1}.17.0`,
        minimum_index_compatibility_version: `${major - 1}.0.0`,
      },
    },
  });
}

function isFound(request: ApiRequest, engine: RestContext['engine'], name: string): boolean {
  const found = resolveIndex(engine, { ...readTarget(request), index: name, ignoreUnavailable: true });
  return Object.values(found).some((list) => Array.isArray(list) && list.length > 0);
}

export const UPGRADE_APIS = [
  featuresApi,
  resetFeaturesApi,
  featureUpgradesApi,
  startFeatureUpgradeApi,
  deprecationsApi,
  certificatesApi,
  resolveClusterApi,
];
