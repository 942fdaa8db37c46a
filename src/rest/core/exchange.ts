// The state of a request in the dispatcher, with the parameters that every API has.
import { type PathFilter, parseFilterPath } from '../../common/json/filter-path.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import type { MediaType } from '../../common/json/media-type.ts';
import type { RequestSpan } from '../../common/tracing/tracer.ts';
import { booleanValueError } from '../../errors/catalog.ts';
import type { HttpReply, HttpRequest } from '../../http/listener.ts';
import type { Caller, CallerRef } from '../../security/caller.ts';
import type { AuditedRequest } from '../auth/audit-log.ts';
import type { ApiSpec } from './api.ts';
import type { Route } from './router.ts';

/** State of a request, completed step by step so that an error can be rendered at any point. */
export interface Exchange {
  readonly http: HttpRequest;
  readonly reply: HttpReply;
  readonly startedMs: number;
  readonly remoteAddress: string;
  /** Caller authenticated by the thread that sent this request to a lane; null in that thread. */
  readonly trusted: CallerRef | null;
  /** How many nodes have passed the request on. */
  readonly forwards: number;
  /** In a lane: the part of the request that is to run; null: the whole request. */
  readonly part: JsonObject | null;
  headers: Record<string, string | string[]>;
  /** Messages of `Warning` headers that do not depend on the outcome. */
  warnings: readonly string[];
  type: MediaType;
  isPretty: boolean;
  filter: PathFilter | null;
  withTrace: boolean;
  caller: Caller | null;
  bodyText: string | null;
  /** The decompressed body, if it was read as a whole. */
  bytes: Buffer | null;
  /** The API of the path and method; null before it is known. */
  api: ApiSpec | null;
  /** The route of the path and method; null before it is known. */
  route: Route | null;
  /** The path's part that names indices; null if it has none. */
  index: string | null;
  /** null if the request is not traced. */
  span: RequestSpan | null;
  /** Bytes of the body in the account of src/api/core/request-memory.ts. */
  reservedBytes: number;
}

/** Reads pretty, human, error_trace and filter_path first, since they affect how errors are rendered. @throws ApiError a value is not a boolean */
export function readCommonParams(exchange: Exchange, query: Readonly<Record<string, string>>): void {
  exchange.withTrace = flag(query.error_trace);
  exchange.isPretty = flag(query.pretty);
  flag(query.human);
  if (query.filter_path !== undefined) exchange.filter = parseFilterPath(query.filter_path);
}

function flag(value: string | undefined): boolean {
  if (value === undefined || value === 'false') return false;
  if (value === '' || value === 'true') return true;
  throw booleanValueError(value);
}

/** The part of a request that the audit log shows. */
export function audited({ http, remoteAddress, caller }: Exchange): AuditedRequest {
  return {
    method: http.method,
    path: http.path,
    query: http.query,
    remoteAddress,
    opaqueId: http.header('x-opaque-id'),
    authorization: http.header('authorization'),
    caller,
  };
}

export function uriOf(http: HttpRequest): string {
  return http.query === '' ? http.path : `${http.path}?${http.query}`;
}
