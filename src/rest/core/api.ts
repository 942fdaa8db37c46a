// Declarations of APIs: a table with all routes and query parameters. An undeclared parameter is a 400.
import type { EngineContext } from '../../api/core/context.ts';
import type { Settings } from '../../config/settings.ts';
import type { Realms } from '../../security/realms.ts';
import type { Action } from '../auth/action.ts';
import type { ParamKind } from './param-kinds.ts';
import type { ApiRequest } from './request.ts';
import type { RequestMetrics } from './request-metrics.ts';
import type { ApiResponse } from './response.ts';

export type Params = Readonly<Record<string, ParamKind>>;

/**
 * How a route receives the request body. `json`: parsed. `bytes`: as UTF-8 JSON (other formats are converted). `ndjson`: lines, as a whole. `stream`:
 * the handler reads `request.stream` as it arrives. `ignored`: not read. `none`: not allowed. With `!` a missing body is a 400.
 */
export type BodyKind = 'none' | 'ignored' | 'json' | 'json!' | 'bytes' | 'bytes!' | 'ndjson!' | 'stream!';

/** Context that handlers receive in addition to the request. */
export interface RestContext {
  /** The engine, limited to the indices on which the user is granted the action that the API `needs` or `reaches`. */
  readonly engine: EngineContext;
  /**
   * The engine limited by another action: for APIs that read one index and write another.
   * @param targetAction  action that is also needed on the indices that expressions resolve to
   */
  engineFor(action: Action, targetAction?: Action | null): EngineContext;
  /** Users and roles by name. */
  readonly realms: Realms;
  readonly settings: Settings;
  readonly startedMs: number;
  /** Requests that this http worker handled, by the name of their API. */
  readonly requestCounts: ReadonlyMap<string, number>;
  /** Counters of all http workers; null in a lane, and without http workers. */
  readonly metrics: RequestMetrics | null;
}

export type ApiHandler = (request: ApiRequest, context: RestContext) => ApiResponse | Promise<ApiResponse>;

export interface ApiSpec {
  /** Name in Elasticsearch's REST API specification, for example `indices.create`. */
  readonly name: string;
  /** `any` accepts all parameters. */
  readonly params?: Params | 'any';
  readonly body?: BodyKind;
  readonly needs: Action;
  /**
   * The action that limits the engine, if it differs from the one that the API needs: for requests that consist of others (`_bulk`,
   * `_msearch`), and for of actions on the cluster, which show those indices on which it is granted (by default `indices:monitor/stats`).
   */
  readonly reaches?: Action;
  /** Limit of the body below `http.max_content_length`; 413 beyond. */
  readonly maxBodyBytes?: number;
  /** The response is a text table (`_cat`), so text is preferred over JSON. */
  readonly isText?: boolean;
  /** Handlers by route: `'GET /{index}/_count'`. Any number of spaces may follow the method. */
  readonly routes: Readonly<Record<string, ApiHandler>>;
}

export function defineApi(spec: ApiSpec): ApiSpec {
  return spec;
}

/** Parameters of every API, handled in dispatch.ts. */
export const COMMON_PARAMS: Params = {
  pretty: 'boolean',
  human: 'boolean',
  error_trace: 'boolean',
  filter_path: 'string',
  format: 'string',
};

/** Parameters of APIs with a body, which may be sent as a parameter instead. */
export const SOURCE_PARAMS: Params = { source: 'string', source_content_type: 'string' };

export const INDICES_OPTIONS: Params = {
  ignore_unavailable: 'indicesOption',
  allow_no_indices: 'indicesOption',
  expand_wildcards: 'expandWildcards',
  ignore_throttled: 'indicesOption',
};

/** How long to wait for the node that manages the cluster. */
export const MANAGER_TIMEOUTS: Params = { master_timeout: 'time', cluster_manager_timeout: 'time' };

export const TIMEOUTS: Params = { timeout: 'time', ...MANAGER_TIMEOUTS };

export const QUERY_STRING: Params = {
  q: 'string',
  df: 'string',
  analyzer: 'string',
  analyze_wildcard: 'boolean',
  default_operator: 'string',
  lenient: 'boolean',
};

export const SOURCE_FILTER: Params = { _source: 'list', _source_includes: 'list', _source_excludes: 'list' };
