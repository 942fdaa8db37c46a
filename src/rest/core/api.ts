// How an API family is declared: all its routes and all its query parameters in one table. An undeclared parameter is a 400.
import type { EngineContext } from '../../api/core/context.ts';
import type { Settings } from '../../config/settings.ts';
import type { Privilege } from '../auth/privilege.ts';
import type { ParamKind } from './param-kinds.ts';
import type { ApiRequest } from './request.ts';
import type { ApiResponse } from './response.ts';

export type Params = Readonly<Record<string, ParamKind>>;

/**
 * What a route does with a request body. `json`: parsed, may be missing. `bytes`: UTF-8 JSON as it came (other formats are translated),
 * may be missing. `ignored`: not read. `ndjson`: lines, whole. `stream`: the handler reads `request.stream` as it arrives. With `!` a missing body is a 400.
 */
export type BodyKind = 'none' | 'ignored' | 'json' | 'json!' | 'bytes' | 'bytes!' | 'ndjson!' | 'stream!';

/** What handlers may use besides the request. */
export interface RestContext {
  /** The engine, limited to the indices on which the user has the privilege that the API `needs`. */
  readonly engine: EngineContext;
  /**
   * The engine limited by another privilege: for APIs that read one index and write another.
   * @param targetPrivilege  right that is also needed on the indices that expressions resolve to
   */
  engineFor(privilege: Privilege, targetPrivilege?: Privilege): EngineContext;
  readonly settings: Settings;
  readonly startedMs: number;
}

export type ApiHandler = (request: ApiRequest, context: RestContext) => ApiResponse | Promise<ApiResponse>;

export interface ApiSpec {
  /** As in the REST API specification: `indices.create`. */
  readonly name: string;
  /** `any`: none is refused. */
  readonly params?: Params | 'any';
  readonly body?: BodyKind;
  readonly needs: Privilege;
  /** The answer has a text table (`_cat`): text is preferred. */
  readonly isText?: boolean;
  /** `'GET /{index}/_count'` to handler. Spaces after the method are free. */
  readonly routes: Readonly<Record<string, ApiHandler>>;
}

export function defineApi(spec: ApiSpec): ApiSpec {
  return spec;
}

/** Parameters that every API takes; handled once in dispatch. */
export const COMMON_PARAMS: Params = {
  pretty: 'boolean',
  human: 'boolean',
  error_trace: 'boolean',
  filter_path: 'string',
  format: 'string',
};

/** For APIs with a body: the body as a parameter. */
export const SOURCE_PARAMS: Params = { source: 'string', source_content_type: 'string' };

export const INDICES_OPTIONS: Params = {
  ignore_unavailable: 'boolean',
  allow_no_indices: 'boolean',
  expand_wildcards: 'expandWildcards',
  ignore_throttled: 'boolean',
};

export const TIMEOUTS: Params = { timeout: 'time', master_timeout: 'time', cluster_manager_timeout: 'time' };

export const QUERY_STRING: Params = {
  q: 'string',
  df: 'string',
  analyzer: 'string',
  analyze_wildcard: 'boolean',
  default_operator: 'string',
  lenient: 'boolean',
};

export const SOURCE_FILTER: Params = { _source: 'list', _source_includes: 'list', _source_excludes: 'list' };
