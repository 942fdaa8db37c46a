// APIs of Elasticsearch that this version does not support. Each is rejected by name, so that the error is not mistaken for a wrong path.
// Remove the lines of an API when it is implemented: Router rejects routes that are declared twice.
import { ApiError } from '../../errors/api-error.ts';
import { type ApiHandler, type ApiSpec, defineApi } from './api.ts';

const ROUTES: Readonly<Record<string, readonly string[]>> = {
  sql: [
    'GET /_sql',
    'POST /_sql',
    'POST /_sql/close',
    'GET /_sql/translate',
    'POST /_sql/translate',
    'GET /_sql/async/{id}',
    'GET /_sql/async/status/{id}',
    'DELETE /_sql/async/delete/{id}',
  ],
  esql: ['POST /_query', 'POST /_query/async', 'GET /_query/async/{id}', 'DELETE /_query/async/{id}'],
  eql: ['GET /{index}/_eql/search', 'POST /{index}/_eql/search', 'GET /_eql/search/{id}', 'DELETE /_eql/search/{id}'],
  query_rules: [
    'GET /_query_rules',
    'GET /_query_rules/{ruleset_id}',
    'PUT /_query_rules/{ruleset_id}',
    'DELETE /_query_rules/{ruleset_id}',
  ],
  knn_search: ['GET /{index}/_knn_search', 'POST /{index}/_knn_search'],
  'indices.field_usage_stats': ['GET /{index}/_field_usage_stats'],
  'indices.downsample': ['POST /{index}/_downsample/{target}'],
  security: [
    'GET /_security/role_mapping',
    'GET /_security/role_mapping/{name}',
    'PUT /_security/role_mapping/{name}',
    'POST /_security/role_mapping/{name}',
    'DELETE /_security/role_mapping/{name}',
    'POST /_security/oauth2/token',
    'DELETE /_security/oauth2/token',
    'POST /_security/api_key/grant',
    'POST /_security/api_key/_bulk_update',
    'POST /_security/api_key/{ids}/_clear_cache',
    'GET /_security/_query/api_key',
    'POST /_security/_query/api_key',
    'GET /_security/_query/user',
    'POST /_security/_query/user',
    'GET /_security/_query/role',
    'POST /_security/_query/role',
    'POST /_security/role',
    'DELETE /_security/role',
    'POST /_security/role/{name}/_clear_cache',
    'POST /_security/realm/{realms}/_clear_cache',
    'POST /_security/privilege/{application}/_clear_cache',
    'GET /_security/privilege',
    'PUT /_security/privilege',
    'POST /_security/privilege',
    'GET /_security/privilege/{application}',
    'GET /_security/privilege/{application}/{name}',
    'DELETE /_security/privilege/{application}/{name}',
    'GET /_security/service',
    'GET /_security/service/{namespace}',
    'GET /_security/service/{namespace}/{service}',
    'GET /_security/service/{namespace}/{service}/credential',
    'POST /_security/cross_cluster/api_key',
    'PUT /_security/cross_cluster/api_key/{id}',
    'POST /_security/profile/_activate',
    'GET /_security/profile/{uid}',
    'GET /_security/profile/_suggest',
    'POST /_security/profile/_suggest',
    'GET /_security/enroll/node',
    'GET /_security/enroll/kibana',
    'POST /_security/saml/prepare',
    'POST /_security/saml/authenticate',
    'POST /_security/oidc/prepare',
    'POST /_security/oidc/authenticate',
    'POST /_security/delegate_pki',
    'GET /_security/settings',
    'PUT /_security/settings',
  ],
};

/**
 * Families of Elasticsearch of which nothing is supported, by the paths of their APIs: `*` is any one segment, and any number of segments may follow.
 * They are matched after the routes.
 */
export const UNSUPPORTED_FAMILIES: Readonly<Record<string, readonly string[]>> = {
  autoscaling: ['/_autoscaling'],
  capabilities: ['/_capabilities'],
  ccr: ['/_ccr', '/*/_ccr'],
  connector: ['/_connector'],
  eql: ['/_eql'],
  esql: ['/_query'],
  fleet: ['/_fleet', '/*/_fleet'],
  graph: ['/*/_graph'],
  inference: ['/_inference'],
  'ingest.geoip_database': ['/_ingest/geoip/database', '/_ingest/ip_location'],
  internal: ['/_internal'],
  lifecycle: ['/_lifecycle'],
  logstash: ['/_logstash'],
  migration: ['/_migration', '/*/_migration', '/_create_from'],
  ml: ['/_ml', '/_cat/ml'],
  monitoring: ['/_monitoring'],
  profiling: ['/_profiling'],
  query_rules: ['/_query_rules'],
  rollup: ['/_rollup', '/*/_rollup', '/*/_rollup_search'],
  search_application: ['/_application'],
  search_mvt: ['/*/_mvt'],
  searchable_snapshots: ['/_searchable_snapshots', '/*/_searchable_snapshots', '/_snapshot/*/*/_mount'],
  security: ['/_security'],
  shutdown: ['/_nodes/*/shutdown', '/_nodes/shutdown'],
  'simulate.ingest': ['/_ingest/_simulate', '/_ingest/*/_simulate'],
  sql: ['/_sql'],
  streams: ['/_streams'],
  text_structure: ['/_text_structure'],
  transform: ['/_transform', '/_cat/transforms'],
  watcher: ['/_watcher'],
  xpack: ['/_xpack/usage'],
};

/** Whether a path that no route matches belongs to a family that is not supported. */
export function isUnsupportedPath(path: string): boolean {
  const segments = path.split('/').filter((segment) => segment !== '');
  const startsWith = (pattern: string): boolean => {
    const expected = pattern.slice(1).split('/');
    if (expected[0] === '*' && segments[0]?.startsWith('_')) return false;
    return expected.length <= segments.length && expected.every((name, i) => name === '*' || name === segments[i]);
  };
  return Object.values(UNSUPPORTED_FAMILIES).some((patterns) => patterns.some(startsWith));
}

/** The error of an API that is not supported, which names it. */
export function unsupportedError(method: string, path: string): ApiError {
  return new ApiError('unsupported_operation_exception', 400, `[${method} ${path}] is not supported by this version of gannet`);
}

const refuse: ApiHandler = (request) => {
  throw unsupportedError(request.method, request.path);
};

/** Bodies and parameters are ignored, since the response is always the same. */
export const UNSUPPORTED_APIS: readonly ApiSpec[] = Object.entries(ROUTES).map(([name, paths]) =>
  defineApi({
    name: `unsupported ${name}`,
    needs: 'none',
    body: 'ignored',
    params: 'any',
    routes: Object.fromEntries(paths.map((path) => [path, refuse])),
  }),
);
