// Handles HTTP requests: CORS, authentication, routing, parameters, body, handler, rendering, logs. Each http worker has one Dispatcher.
import type { EngineContext } from '../api/core/context.ts';
import { type PathFilter, parseFilterPath } from '../common/filter-path.ts';
import type { JsonObject } from '../common/json-value.ts';
import type { Logger } from '../common/logger.ts';
import { JSON_TYPE, type MediaType, mediaTypeOfFormat, negotiate, parseMediaType, TEXT_TYPE } from '../common/media-type.ts';
import { nearestNames } from '../common/nearest-name.ts';
import { oneChunk } from '../common/one-chunk.ts';
import { inTurn, isLane, learnFromLane, MOVES, MOVES_LATE, type Mobility, STAYS, TooHeavy } from '../common/turn.ts';
import { inDialect } from '../compat/error-forms.ts';
import type { Settings } from '../config/settings.ts';
import { ApiError } from '../errors/api-error.ts';
import { booleanValueError, illegalArgumentError, unrecognizedParametersError } from '../errors/catalog.ts';
import { errorBody, isUnexpected, type Trace, toApiError } from '../errors/error-body.ts';
import { BodyAborted, BodyTooSlow, type HttpReply, type HttpRequest } from '../http/listener.ts';
import { type Caller, type CallerRef, callerRef } from '../security/caller.ts';
import { isClusterAction } from '../security/cluster-privileges.ts';
import type { RealmSettings } from '../security/realms.ts';
import { ALL_APIS } from './all-apis.ts';
import { requireAction } from './auth/access.ts';
import { SHOWN_INDICES } from './auth/action.ts';
import { type AuditedRequest, type AuditLog, openAuditLog } from './auth/audit-log.ts';
import { Authenticator } from './auth/authenticator.ts';
import { type Reached, RestrictedEngine } from './auth/restricted-engine.ts';
import type { ApiSpec, Params, RestContext } from './core/api.ts';
import { bodyAsJson, bodyAsLines, bodyFormat, parseBody, readBody, sourceParameter, streamBody } from './core/body.ts';
import { Cors } from './core/cors.ts';
import { isLargeBody, type LaneRequest, type Lanes, laneRequest, type RunPart } from './core/lane.ts';
import { failedPart, partRunner } from './core/lane-parts.ts';
import { bytesOf, compressPieces, isLargeValue, renderInSlices, sendInPieces } from './core/large-response.ts';
import { checkParam } from './core/param-kinds.ts';
import { parseQueryParams } from './core/query-params.ts';
import { ApiRequest } from './core/request.ts';
import { RequestLog } from './core/request-log.ts';
import { type ApiResponse, acceptsGzip, compress, type RenderOptions, renderBody } from './core/response.ts';
import { type Route, Router } from './core/router.ts';

const SLOW_LOG_BODY_CHARS = 2000;
/** Larger answers of lanes are sent in pieces. */
const WHOLE_BYTES = 1 << 20;

/** State of a request, completed step by step so that an error can be rendered at any point. */
interface Exchange {
  readonly http: HttpRequest;
  readonly reply: HttpReply;
  readonly startedMs: number;
  readonly remoteAddress: string;
  /** Who was authenticated by the thread that sent this request to a lane; null in that thread. */
  readonly trusted: CallerRef | null;
  /** In a lane: the part of the request that is to run; null: the whole request. */
  readonly part: JsonObject | null;
  headers: Record<string, string | string[]>;
  type: MediaType;
  isPretty: boolean;
  filter: PathFilter | null;
  withTrace: boolean;
  caller: Caller | null;
  bodyText: string | null;
  /** The decompressed body, if it was read as a whole. */
  bytes: Buffer | null;
  /** Bytes of the body in the account of src/api/core/request-memory.ts. */
  reservedBytes: number;
}

export class Dispatcher {
  readonly #router = new Router(ALL_APIS);
  readonly #settings: Settings;
  readonly #context: RestContext;
  readonly #logger: Logger;
  readonly #auth: Authenticator;
  readonly #cors: Cors;
  readonly #log: RequestLog;
  readonly #audit: AuditLog | null;
  /** null in a lane, and where there are none. */
  readonly #lanes: Lanes | null;
  readonly #requestCounts = new Map<string, number>();
  #lastLaneRequest = 0;

  /**
   * @param engine  the engine of this thread, which follows the node's state
   * @param lanes   where heavy requests run; null to run all of them here
   * @throws Error an invalid setting
   */
  constructor(settings: Settings, engine: EngineContext, logger: Logger, lanes: Lanes | null = null) {
    this.#lanes = lanes;
    this.#settings = settings;
    this.#auth = new Authenticator(settings, engine.security.records);
    this.#context = {
      engine,
      engineFor: () => engine,
      realms: this.#auth.realms,
      settings,
      startedMs: Date.now(),
      requestCounts: this.#requestCounts,
    };
    this.#logger = logger;
    this.#cors = new Cors(settings);
    this.#log = new RequestLog(settings);
    this.#audit = openAuditLog(settings, () => ({
      clusterName: engine.clusterName,
      clusterUuid: engine.cluster.clusterUuid,
      nodeName: engine.nodeName,
      nodeId: engine.nodeId,
    }));
  }

  reopenLogs(): void {
    this.#log.reopen();
    this.#audit?.reopen();
    this.#logger.reopen();
  }

  /** Uses other users and roles of the settings from the next request on. @throws Error one is malformed; nothing has changed then */
  reload(fileRealm: RealmSettings): void {
    this.#auth.realms.reload(fileRealm);
  }

  closeLogs(): void {
    this.#log.close();
    this.#audit?.close();
  }

  /** The `Handler` of src/http. Never throws. */
  readonly handle = (
    http: HttpRequest,
    reply: HttpReply,
    trusted: CallerRef | null = null,
    part: JsonObject | null = null,
  ): Promise<void> | void => {
    const exchange: Exchange = {
      http,
      reply,
      startedMs: performance.now(),
      remoteAddress: this.#log.isOn || this.#audit !== null ? http.remoteAddress : '',
      trusted,
      part,
      headers: {},
      type: JSON_TYPE,
      isPretty: false,
      filter: null,
      withTrace: false,
      caller: null,
      bodyText: null,
      bytes: null,
      reservedBytes: 0,
    };
    return this.#run(exchange).catch((error: unknown) => this.#recover(exchange, error));
  };

  async #run(exchange: Exchange): Promise<void> {
    const { http } = exchange;
    if (this.#settings['compat.product_header']) exchange.headers['x-elastic-product'] = 'Elasticsearch';
    const opaqueId = http.header('x-opaque-id');
    if (opaqueId !== undefined) exchange.headers['x-opaque-id'] = opaqueId;

    const origin = http.header('origin');
    if (origin !== undefined && this.#answerCors(exchange, origin)) return;

    const query = decodeOr400(() => parseQueryParams(http.query));
    readCommonParams(exchange, query);
    const match = decodeOr400(() => this.#router.match(http.path));
    if (!match && http.method !== 'POST' && this.#context.engine.dialect.knowsTypedPosts && TYPED_PATH.test(http.path)) {
      await this.#send(exchange, wrongMethod(http, ['POST']));
      return;
    }
    if (!match) {
      await this.#send(exchange, { status: 400, body: { error: `no handler found for uri [${uriOf(http)}] and method [${http.method}]` } });
      return;
    }
    const route = match.methods.get(http.method);
    if (!route) {
      await this.#send(exchange, wrongMethod(http, [...match.methods.keys()]));
      return;
    }

    const authenticated = exchange.trusted === null ? this.#auth.authenticate(http) : this.#auth.trusted(exchange.trusted);
    const caller = authenticated instanceof Promise ? await authenticated : authenticated;
    exchange.caller = caller;
    this.#requestCounts.set(route.api.name, (this.#requestCounts.get(route.api.name) ?? 0) + 1);
    if (exchange.part === null) this.#negotiate(exchange, route, query.format);

    const params: Record<string, string> = { ...query };
    for (let i = 0; i < route.pathParams.length; i++) params[route.pathParams[i]] = match.values[i];
    if (route.params !== null) checkParams(http.path, query, route.params);
    requireAction(caller, route.api.needs);
    if (this.#audit?.logsGranted && exchange.part === null) this.#audit.granted(audited(exchange), route.api.needs);

    const body = await this.#readBody(exchange, route, query);
    const handle = (mobility: Mobility): ApiResponse | Promise<ApiResponse> => {
      const { reply, part } = exchange;
      const runPart = this.#partRunner(exchange);
      const request = new ApiRequest({ http, reply, params, query, caller, mobility, part, runPart, ...body });
      const context = caller === null ? this.#context : this.#limitedContext(caller, route.api);
      // What a stream has read cannot be read again in a lane.
      return inTurn(body.stream === null ? mobility : STAYS, () => route.handler(request, context));
    };
    let response: ApiResponse;
    try {
      const answered = handle(this.#lanes === null ? STAYS : MOVES);
      response = answered instanceof Promise ? await answered : answered;
    } catch (error) {
      if (!(error instanceof TooHeavy) || !error.wasFound || !this.#lanes?.areBusy()) throw error;
      response = await handle(MOVES_LATE);
    }
    if (response.audit) this.#audit?.changed(audited(exchange), response.audit.action, response.audit.details);
    await this.#send(exchange, response);
    if (exchange.reservedBytes > 0) this.#release(exchange);
  }

  #partRunner(exchange: Exchange): RunPart | null {
    if (this.#lanes === null) return null;
    // Made once, since tasks run parts after their request was answered.
    let request: LaneRequest | null = null;
    return partRunner(this.#lanes, () => {
      request ??= laneRequest(0, exchange.http, exchange.bytes, exchange.caller && callerRef(exchange.caller));
      return { ...request, id: ++this.#lastLaneRequest, body: request.body && new Uint8Array(request.body) };
    });
  }

  async #recover(exchange: Exchange, error: unknown): Promise<void> {
    try {
      await (error instanceof TooHeavy ? this.#move(exchange) : this.#fail(exchange, error));
    } finally {
      this.#release(exchange);
    }
  }

  #release(exchange: Exchange): void {
    if (exchange.reservedBytes > 0) this.#context.engine.memory.release(exchange.reservedBytes);
    exchange.reservedBytes = 0;
  }

  #limitedContext(caller: Caller, { needs, reaches }: ApiSpec): RestContext {
    const { engine } = this.#context;
    const reached: Reached = new Map();
    const engineFor: RestContext['engineFor'] = (action, targetAction = null) =>
      new RestrictedEngine(engine, { caller, action, targetAction }, reached);
    const action = reaches ?? (needs === 'none' || isClusterAction(needs) ? SHOWN_INDICES : needs);
    return { ...this.#context, engine: engineFor(action), engineFor };
  }

  /** @returns true if the request is answered */
  #answerCors(exchange: Exchange, origin: string): boolean {
    const { http } = exchange;
    const verdict = this.#cors.check(origin, http.header('host'));
    if (verdict.kind === 'none') return false;
    if (verdict.kind === 'forbidden') {
      void this.#send(exchange, { status: 403 });
      return true;
    }
    Object.assign(exchange.headers, verdict.headers);
    if (http.method !== 'OPTIONS' || http.header('access-control-request-method') === undefined) return false;
    void this.#send(exchange, { status: 200, headers: this.#cors.preflightHeaders() });
    return true;
  }

  /** Type of the answer: by `format`, otherwise Accept, otherwise the type of the request, otherwise JSON (text for tables). @throws ApiError 406 */
  #negotiate(exchange: Exchange, route: Route, format: string | undefined): void {
    const { http } = exchange;
    const contentType = http.header('content-type');
    const sent = contentType === undefined || http.body.length === 0 ? null : parseMediaType(contentType);
    const preferred = route.api.isText ? TEXT_TYPE : (sent ?? JSON_TYPE);
    const accept = http.header('accept');
    let type: MediaType | null = preferred;
    if (format !== undefined && format !== '') {
      type = mediaTypeOfFormat(format);
      if (!type) throw illegalArgumentError(`unsupported format [${format.slice(0, 40)}]: json, yaml, cbor, msgpack or txt`);
    } else if (accept !== undefined && accept !== '' && accept !== '*/*') {
      type = negotiate(accept, preferred);
      if (!type) {
        exchange.type = JSON_TYPE;
        throw new ApiError('media_type_header_exception', 406, `Accept header [${accept.slice(0, 100)}] is not supported`);
      }
    }
    if (type.format === 'text' && !route.api.isText) type = sent ?? JSON_TYPE;
    exchange.type = type;
  }

  async #readBody(
    exchange: Exchange,
    route: Route,
    query: Readonly<Record<string, string>>,
  ): Promise<{ body: unknown; bytes: Buffer | null; stream: AsyncIterable<Buffer> | null }> {
    const { http } = exchange;
    const none = { body: undefined, bytes: null, stream: null };
    const kind = route.api.body ?? 'none';
    if (kind === 'ignored') return none;
    const limit = Math.min(this.#settings['http.max_content_length'], route.api.maxBodyBytes ?? Infinity);
    const contentType = http.header('content-type');
    let bytes: Buffer | null = null;
    let format = bodyFormat(contentType);
    const { memory } = this.#context.engine;
    const account = (read: number): void => {
      memory.reserve(read, '<http_request>');
      exchange.reservedBytes += read;
    };

    if (http.body.length !== 0) {
      if (kind === 'none') {
        if ((await readBody(http, limit, account)).length > 0)
          throw illegalArgumentError(`request [${http.method} ${http.path}] does not support having a body`);
        return none;
      }
      if (format === null && !(http.body.length === null && contentType === undefined)) throw new ContentTypeRefused(contentType);
      if (kind === 'stream!' && format !== 'msgpack') return { ...none, stream: streamBody(http, limit, memory) };
      bytes = await readBody(http, limit, account);
      if (bytes.length > 0 && format === null) throw new ContentTypeRefused(contentType);
    } else if (kind === 'none') {
      return none;
    }
    if ((bytes === null || bytes.length === 0) && query.source !== undefined)
      ({ bytes, format } = sourceParameter(query.source, query.source_content_type));
    if (bytes === null || bytes.length === 0 || format === null) {
      if (kind.endsWith('!')) throw new ApiError('parse_exception', 400, 'request body is required');
      return none;
    }
    if (this.#log.wantsBodies) exchange.bodyText = bytes.toString('utf8', 0, SLOW_LOG_BODY_CHARS);
    exchange.bytes = bytes;
    // Nothing parses a JSON document here: its indexer does.
    const isParsed = kind !== 'bytes!' || format !== 'json';
    if (this.#lanes !== null && kind !== 'stream!' && isParsed && isLargeBody(bytes.length, format)) throw new TooHeavy();
    if (kind.startsWith('json')) return { ...none, body: parseBody(bytes, format) };
    if (kind.startsWith('bytes')) return { ...none, bytes: bodyAsJson(bytes, format) };
    const lines = bodyAsLines(bytes, format);
    return kind === 'stream!' ? { ...none, stream: oneChunk(lines) } : { ...none, bytes: lines };
  }

  /** Repeats the request in a lane. */
  async #move(exchange: Exchange): Promise<void> {
    const { http, reply } = exchange;
    const lanes = this.#lanes;
    try {
      if (lanes === null) throw new Error('TooHeavy in a thread without lanes');
      const id = ++this.#lastLaneRequest;
      reply.onAbort(() => lanes.cancel(id));
      const answer = await lanes.run(laneRequest(id, http, exchange.bytes, exchange.caller && callerRef(exchange.caller)));
      learnFromLane(answer.ranMs);
      if (http.method === 'HEAD' || answer.body.length <= WHOLE_BYTES) {
        if (!reply.aborted) reply.send(answer.status, answer.headers, http.method === 'HEAD' ? '' : answer.body);
      } else await sendInPieces(reply, answer.status, answer.headers, [answer.body]);
      if (this.#log.isOn) this.#record(exchange, answer.status, answer.body.length);
    } catch (error) {
      await this.#fail(exchange, error);
    }
  }

  #fail(exchange: Exchange, thrown: unknown): Promise<void> | void {
    const { http, reply } = exchange;
    if (reply.sent) {
      this.#logger.error('failure after the answer', { method: http.method, uri: uriOf(http), error: thrown });
      return;
    }
    if (thrown instanceof BodyAborted) {
      if (!reply.aborted) reply.send(400, {});
      return;
    }
    if (thrown instanceof ContentTypeRefused && !(thrown.isMalformed && this.#context.engine.dialect.refusesMediaTypesAsBad))
      return this.#send(exchange, { status: 406, body: { error: thrown.message, status: 406 } });
    const error = inDialect(
      toApiError(
        thrown instanceof ContentTypeRefused
          ? thrown.asBadRequest()
          : thrown instanceof BodyTooSlow
            ? new ApiError('timeout_exception', 408, thrown.message)
            : isOutOfMemory(thrown)
              ? new ApiError('circuit_breaking_exception', 429, `[request] Data too large: ${(thrown as Error).message}`, {
                  details: { durability: 'TRANSIENT' },
                })
              : thrown,
      ),
      this.#context.engine.dialect,
    );
    if (error.status >= 500 && isUnexpected(thrown)) {
      this.#logger.error('request failed', { method: http.method, uri: uriOf(http), error: thrown });
    }
    if (exchange.part === null) this.#audit?.refused(audited(exchange), error);
    const body = exchange.part === null ? errorBody(error, this.#trace(exchange)) : failedPart(error);
    return this.#send(exchange, { status: error.status, body, headers: error.headers }).catch((again: unknown) => {
      this.#logger.error('error answer failed', { error: again });
      if (!reply.sent) reply.send(500, {});
    });
  }

  #trace({ withTrace }: Exchange): Trace {
    if (!withTrace) return 'none';
    return this.#settings['http.detailed_errors.enabled'] ? 'stack' : 'reason';
  }

  async #send(exchange: Exchange, response: ApiResponse): Promise<void> {
    const { http, reply, headers } = exchange;
    let body: string | Uint8Array | Buffer[] = '';
    if (response.text !== undefined) {
      body = response.text;
      headers['content-type'] = TEXT_TYPE.answer;
    } else if (response.body !== undefined) {
      const type = exchange.type.format === 'text' ? JSON_TYPE : exchange.type;
      const options: RenderOptions = { type, isPretty: exchange.isPretty, filter: exchange.filter };
      body = !isLane() && isLargeValue(response.body) ? await renderInSlices(response.body, options) : renderBody(response.body, options);
      headers['content-type'] = type.answer;
    } else if (http.method === 'HEAD') headers['content-type'] = (exchange.type.format === 'text' ? JSON_TYPE : exchange.type).answer;
    if (response.headers) Object.assign(headers, response.headers);
    if (response.warnings && response.warnings.length > 0) headers.warning = response.warnings.map((text) => this.#warning(text));
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
    if (this.#log.isOn) this.#record(exchange, response.status, sentBytes);
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

  #warning(text: string): string {
    const safe = text
      .replaceAll(/[\r\n\0]/g, ' ')
      .replaceAll('\\', '\\\\')
      .replaceAll('"', '\\"');
    return `299 Elasticsearch-${this.#context.engine.dialect.version} "${safe}"`;
  }
}

/** An unsupported Content-Type. `error` of its answer is a string, as in Elasticsearch. */
class ContentTypeRefused extends Error {
  readonly #given: string | undefined;

  constructor(contentType: string | undefined) {
    super(`Content-Type header [${(contentType ?? '').slice(0, 100)}] is not supported`);
    this.#given = contentType;
  }

  /** True if the header is not a media type at all. */
  get isMalformed(): boolean {
    return this.#given !== undefined && !/^[^\s/;]+\/[^\s/;]+\s*(;|$)/.test(this.#given.trim());
  }

  asBadRequest(): ApiError {
    const given = this.#given ?? '';
    const reason = given === '' ? 'Header [Content-Type] cannot be empty.' : `invalid media-type [${given.slice(0, 100)}]`;
    const causedBy = illegalArgumentError(reason);
    return new ApiError('media_type_header_exception', 400, 'Invalid media-type value on headers [Content-Type]', { causedBy });
  }
}

/** V8 refuses strings above 512 MB and buffers that the system cannot provide. */
function isOutOfMemory(error: unknown): boolean {
  return error instanceof RangeError && /^(?:Invalid string length|Array buffer allocation failed)/.test(error.message);
}

function decodeOr400<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof URIError) throw illegalArgumentError('the path or query contains an invalid percent-encoding');
    throw error;
  }
}

/** Reads pretty, human, error_trace and filter_path first, since they affect how errors are rendered. @throws ApiError a value is not a boolean */
function readCommonParams(exchange: Exchange, query: Readonly<Record<string, string>>): void {
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

/** What the audit log shows of a request. */
function audited({ http, remoteAddress, caller }: Exchange): AuditedRequest {
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

function uriOf(http: HttpRequest): string {
  return http.query === '' ? http.path : `${http.path}?${http.query}`;
}

const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'CONNECT']);

/** OPTIONS is answered with the allowed methods, other methods with a 405 that lists them. */
/** An index and a type, to which version 8 still lets documents be posted, although it refuses them. */
const TYPED_PATH = /^\/[^/]+\/[^/]+\/?$/;

function wrongMethod(http: HttpRequest, allowed: readonly string[]): ApiResponse {
  const headers = { allow: allowed.join(',') };
  if (http.method === 'OPTIONS') return { status: 200, headers };
  const text = KNOWN_METHODS.has(http.method)
    ? `Incorrect HTTP method for uri [${uriOf(http)}] and method [${http.method}], allowed: [${allowed.join(', ')}]`
    : `Unexpected HTTP method, allowed: [${allowed.join(', ')}]`;
  return { status: 405, headers, body: { error: text, status: 405 } };
}

function checkParams(path: string, query: Readonly<Record<string, string>>, params: Params): void {
  for (const name in query) {
    if (!Object.hasOwn(params, name)) throw unknownParametersError(path, query, params);
    checkParam(params[name], name, query[name]);
  }
}

function unknownParametersError(path: string, query: Readonly<Record<string, string>>, params: Params): ApiError {
  const known = Object.keys(params);
  const unknown = Object.keys(query)
    .filter((name) => !Object.hasOwn(params, name))
    .sort();
  return unrecognizedParametersError(
    path,
    unknown,
    unknown.map((name) => nearestNames(name, known)),
  );
}
