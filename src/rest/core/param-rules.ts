// Which query parameters a server knows, beyond the tables of the APIs, and about which parameters and paths it warns.
import type { Dialect } from '../../compat/dialect.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { Params } from './api.ts';

const OLD_TIMEOUT = 'master_timeout';
const NEW_TIMEOUT = 'cluster_manager_timeout';

/** Tables that read more than the cluster state, and refuse `local` where it is not ignored. */
const WITHOUT_LOCAL = new Set(['cat.nodes', 'cat.shards']);

const LOCAL_IGNORED =
  'Deprecated parameter [local] used. This parameter does not cause this API to act locally, and should not be used. ' +
  'It will be unsupported in version 8.0.';

/** Parameters that Elasticsearch does not have. */
const ONLY_IN_OPENSEARCH = new Set([NEW_TIMEOUT, 'awareness_attribute', 'ensure_node_weighed_in']);

/** Parameters of the query that `q` is, in the order of errors. */
const ABOUT_Q = ['df', 'analyzer', 'analyze_wildcard', 'lenient', 'default_operator'];

/** Whether the server that the service speaks like knows the parameter of an API. Some are known only together with others. */
export function isKnownParam(
  api: string,
  name: string,
  params: Params,
  query: Readonly<Record<string, string>>,
  { namesClusterManager, ignoresLocalNodes }: Dialect,
): boolean {
  if (!Object.hasOwn(params, name)) return false;
  if (!namesClusterManager && ONLY_IN_OPENSEARCH.has(name)) return false;
  if (name === 'local' && WITHOUT_LOCAL.has(api) && !ignoresLocalNodes) return false;
  if (name === 'task_execution_timeout') return query.wait_for_completion === 'false';
  return query.q !== undefined || !Object.hasOwn(params, 'q') || !ABOUT_Q.includes(name);
}

/** APIs for which Elasticsearch 8 says that parameters need `q`; for others they are unknown without it. */
const NAMES_MISSING_QUERY = new Set(['cat.count', 'count', 'search']);

/** @throws ApiError illegal_argument_exception: parameters of a missing `q`, where the server names it */
export function refuseParamsWithoutQuery(
  api: string,
  path: string,
  query: Readonly<Record<string, string>>,
  { asksForQuery }: Dialect,
): void {
  if (!asksForQuery || query.q !== undefined || !NAMES_MISSING_QUERY.has(api)) return;
  const lost = ABOUT_Q.filter((name) => query[name] !== undefined);
  if (lost.length > 0)
    throw illegalArgumentError(`request [${path}] contains parameters [${lost.join(', ')}] but missing query string parameter 'q'.`);
}

/**
 * Texts of the `Warning` headers for the parameters and the path of a request.
 * @throws ApiError parse_exception: both names of a parameter that was renamed
 */
export function deprecationsOf(api: string, path: string, query: Readonly<Record<string, string>>, dialect: Dialect): string[] {
  const warnings: string[] = [];
  if (api === 'cat.nodes' && query.local !== undefined) warnings.push(LOCAL_IGNORED);
  if (dialect.warnsOfLocalAliases && api === 'cat.aliases' && query.local !== undefined)
    warnings.push(
      `the [?local=${query.local}] query parameter to cat-aliases requests has no effect and will be removed in a future version`,
    );
  if (!dialect.namesClusterManager) return warnings;
  if (path === '/_cat/master') warnings.push('[GET /_cat/master] is deprecated! Use [GET /_cat/cluster_manager] instead.');
  if (query[OLD_TIMEOUT] !== undefined) {
    if (query[NEW_TIMEOUT] !== undefined)
      throw new ApiError('parse_exception', 400, `Please only use one of the request parameters [${OLD_TIMEOUT}, ${NEW_TIMEOUT}].`);
    warnings.push(
      `Parameter [${OLD_TIMEOUT}] is deprecated and will be removed in 3.0. To support inclusive language, please use [${NEW_TIMEOUT}] instead.`,
    );
  }
  return warnings;
}
