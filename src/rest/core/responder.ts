// Sends responses: renders bodies and errors, compresses them, sends them whole or in pieces, and writes request logs.

import { withPosition } from '../../api/core/error-position.ts';
import { JSON_TYPE, type MediaType, TEXT_TYPE } from '../../common/json/media-type.ts';
import type { Logger } from '../../common/log/logger.ts';
import type { RequestSpan } from '../../common/tracing/tracer.ts';
import { isLane } from '../../common/turns/turn.ts';
import { buildHash } from '../../compat/build-hash.ts';
import type { Dialect } from '../../compat/dialect.ts';
import { inDialect } from '../../compat/error-forms.ts';
import type { Settings } from '../../config/settings.ts';
import { ApiError } from '../../errors/api-error.ts';
import { errorBody, isUnexpected, type Trace, toApiError } from '../../errors/error-body.ts';
import { BodyAborted, BodyTooSlow } from '../../http/listener.ts';
import type { AuditLog } from '../auth/audit-log.ts';
import { bodyFormat } from './body.ts';
import { ContentTypeRefused } from './content.ts';
import { audited, type Exchange, uriOf } from './exchange.ts';
import { withSource } from './jackson-source.ts';
import { failedPart } from './lane-parts.ts';
import { bytesOf, compressPieces, isLargeValue, renderInSlices, sendInPieces } from './large-response.ts';
import type { RequestLog } from './request-log.ts';
import type { RequestMetrics } from './request-metrics.ts';
import { type ApiResponse, acceptsGzip, compress, type RenderOptions, renderBody } from './response.ts';

export interface ResponderParts {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly log: RequestLog;
  /** null if it is off. */
  readonly audit: AuditLog | null;
  /** The current dialect of the cluster. */
  readonly dialect: () => Dialect;
  /** null where requests are not counted. */
  readonly metrics: RequestMetrics | null;
}

export class Responder {
  readonly #settings: Settings;
  readonly #logger: Logger;
  readonly #log: RequestLog;
  readonly #audit: AuditLog | null;
  readonly #dialect: () => Dialect;
  readonly #metrics: RequestMetrics | null;

  constructor({ settings, logger, log, audit, dialect, metrics }: ResponderParts) {
    this.#settings = settings;
    this.#logger = logger;
    this.#log = log;
    this.#audit = audit;
    this.#dialect = dialect;
    this.#metrics = metrics;
  }

  async send(exchange: Exchange, response: ApiResponse): Promise<void> {
    const { http, reply, headers } = exchange;
    let body: string | Uint8Array | Buffer[] = '';
    if (response.bytes !== undefined) body = response.bytes;
    else if (response.text !== undefined) {
      body = response.text;
      headers['content-type'] = TEXT_TYPE.answer;
    } else if (response.body !== undefined) {
      const type = exchange.type.format === 'text' ? JSON_TYPE : exchange.type;
      const options: RenderOptions = { type, isPretty: exchange.isPretty, filter: exchange.filter };
      body = !isLane() && isLargeValue(response.body) ? await renderInSlices(response.body, options) : renderBody(response.body, options);
      headers['content-type'] = this.#contentType(type);
    } else if (http.method === 'HEAD')
      headers['content-type'] = this.#contentType(exchange.type.format === 'text' ? JSON_TYPE : exchange.type);
    if (response.headers) Object.assign(headers, response.headers);
    const warnings = [...exchange.warnings, ...(response.warnings ?? [])];
    if (warnings.length > 0) headers.warning = warnings.map((text) => this.#warning(text));
    const isPieces = Array.isArray(body);
    if (
      (isPieces || body.length >= this.#settings['http.compression_min_size']) &&
      this.#settings['http.compression'] &&
      http.method !== 'HEAD' &&
      acceptsGzip(http.header('accept-encoding'))
    ) {
      const compressed = Array.isArray(body) ? compressPieces(body) : compress(body);
      body = compressed instanceof Promise ? await compressed : compressed;
      headers['content-encoding'] = 'gzip';
    }
    const sentBytes = Array.isArray(body) ? bytesOf(body) : body.length;
    if (!reply.aborted) {
      if (!Array.isArray(body)) reply.send(response.status, headers, body);
      else await sendInPieces(reply, response.status, headers, body);
    }
    this.answered(exchange, response.status, sentBytes);
  }

  /** Counts and logs a response. */
  answered(exchange: Exchange, status: number, sentBytes: number): void {
    if (this.#metrics !== null && exchange.api !== null)
      this.#metrics.record(exchange.api, exchange.index, status, performance.now() - exchange.startedMs);
    if (this.#log.isOn) this.#record(exchange, status, sentBytes);
    if (exchange.span !== null) endSpan(exchange.span, exchange, status, sentBytes);
  }

  #record(exchange: Exchange, status: number, sentBytes: number): void {
    const { http } = exchange;
    this.#log.add({
      remoteAddress: exchange.remoteAddress,
      user: exchange.caller?.identity.username ?? null,
      method: http.method,
      uri: uriOf(http),
      status,
      sentBytes,
      receivedBytes: http.body.length ?? 0,
      tookMs: performance.now() - exchange.startedMs,
      referer: http.header('referer'),
      userAgent: http.header('user-agent'),
      opaqueId: http.header('x-opaque-id'),
      body: exchange.bodyText,
    });
  }

  fail(exchange: Exchange, thrown: unknown): Promise<void> | void {
    const { http, reply } = exchange;
    if (reply.sent) {
      this.#logger.error('failure after the answer', { method: http.method, uri: uriOf(http), error: thrown });
      return;
    }
    if (thrown instanceof BodyAborted) {
      if (!reply.aborted) reply.send(400, {});
      return;
    }
    if (thrown instanceof ContentTypeRefused && !(thrown.isMalformed && this.#dialect().refusesMediaTypesAsBad))
      return this.send(exchange, { status: 406, body: { error: thrown.message, status: 406 } });
    const refused = inDialect(toApiError(asLimit(thrown)), this.#dialect());
    const error = refused.status === 400 && isJsonBody(exchange) ? this.#placed(refused, exchange.bytes) : refused;
    if (error.status >= 500 && isUnexpected(thrown)) {
      this.#logger.error('request failed', { method: http.method, uri: uriOf(http), error: thrown });
    }
    if (exchange.part === null) this.#audit?.refused(audited(exchange), error);
    // Errors are never filtered.
    exchange.filter = null;
    const body = exchange.part === null ? errorBody(error, this.#trace(exchange)) : failedPart(error);
    return this.send(exchange, { status: error.status, body, headers: error.headers }).catch((again: unknown) => {
      this.#logger.error('error answer failed', { error: again });
      if (!reply.sent) reply.send(500, {});
    });
  }

  /** The error with the place in the body that it is about. */
  #placed(error: ApiError, body: Buffer): ApiError {
    const placed = withPosition(error, body);
    return this.#dialect().errorForms === '8' ? withSource(placed, body) : placed;
  }

  #trace({ withTrace }: Exchange): Trace {
    if (!withTrace) return 'none';
    return this.#settings['http.detailed_errors.enabled'] ? 'stack' : 'reason';
  }

  #contentType({ answer }: MediaType): string {
    return answer === JSON_TYPE.answer && this.#dialect().namesCharset ? `${answer}; charset=UTF-8` : answer;
  }

  #warning(text: string): string {
    const safe = text
      .replaceAll(/[\r\n\0]/g, ' ')
      .replaceAll('\\', '\\\\')
      .replaceAll('"', '\\"');
    const { namesClusterManager, version } = this.#dialect();
    return `299 ${namesClusterManager ? 'OpenSearch' : 'Elasticsearch'}-${version}-${buildHash(version)} "${safe}"`;
  }
}

/** Names and attributes are those of OpenTelemetry's conventions for HTTP and databases. Queries and bodies may be confidential. */
function endSpan(span: RequestSpan, { http, route, index, caller }: Exchange, status: number, sentBytes: number): void {
  const attributes = {
    'http.request.method': http.method,
    'http.response.status_code': status,
    'http.response.body.size': sentBytes,
    'http.route': route?.path,
    'url.path': http.path,
    'user_agent.original': http.header('user-agent'),
    'user.name': caller?.identity.username,
    'db.system.name': 'elasticsearch',
    'db.operation.name': route?.api.name,
    'db.collection.name': index,
    'gannet.opaque_id': http.header('x-opaque-id'),
  };
  span.end(route === null ? http.method : `${http.method} ${route.path}`, attributes, status >= 500);
}

/** Whether the body was read as one JSON document. */
function isJsonBody(exchange: Exchange): exchange is Exchange & { bytes: Buffer } {
  const { bytes, api, http } = exchange;
  return bytes !== null && /^(?:json|bytes)/.test(api?.body ?? '') && bodyFormat(http.header('content-type')) === 'json';
}

/** Errors that are limits of a request rather than failures, as ApiErrors; others unchanged. */
function asLimit(thrown: unknown): unknown {
  if (thrown instanceof ContentTypeRefused) return thrown.asBadRequest();
  if (thrown instanceof BodyTooSlow) return new ApiError('timeout_exception', 408, thrown.message);
  if (!isOutOfMemory(thrown)) return thrown;
  return new ApiError('circuit_breaking_exception', 429, `[request] Data too large: ${(thrown as Error).message}`, {
    details: { durability: 'TRANSIENT' },
  });
}

/** V8 refuses strings above 512 MB and buffers that the system cannot provide. */
function isOutOfMemory(error: unknown): boolean {
  return error instanceof RangeError && /^(?:Invalid string length|Array buffer allocation failed)/.test(error.message);
}
