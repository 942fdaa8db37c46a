// Handles HTTP requests: CORS, authentication, routing, parameters, body, handler, rendering, logs. Each http worker has one Dispatcher.
import type { EngineContext } from '../api/core/context.ts';
import type { JsonObject } from '../common/json/json-value.ts';
import { JSON_TYPE } from '../common/json/media-type.ts';
import type { Logger } from '../common/log/logger.ts';
import { nearestNames } from '../common/text/nearest-name.ts';
import type { RequestSpan, Tracer } from '../common/tracing/tracer.ts';
import { inTurn, isLane, MOVES, MOVES_LATE, type Mobility, STAYS, TooHeavy } from '../common/turns/turn.ts';
import type { Settings } from '../config/settings.ts';
import type { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError, unrecognizedParametersError } from '../errors/catalog.ts';
import { HeldElsewhere } from '../errors/held-elsewhere.ts';
import type { HttpReply, HttpRequest } from '../http/listener.ts';
import type { Caller, CallerRef } from '../security/caller.ts';
import { isClusterAction } from '../security/cluster-privileges.ts';
import type { RealmSettings } from '../security/realms.ts';
import { ALL_APIS } from './all-apis.ts';
import { requireAction } from './auth/access.ts';
import { SHOWN_INDICES } from './auth/action.ts';
import { type AuditLog, openAuditLog } from './auth/audit-log.ts';
import { Authenticator } from './auth/authenticator.ts';
import { type Reached, RestrictedEngine } from './auth/restricted-engine.ts';
import { concernsAllNodes, withOtherNodes } from './cluster/all-nodes.ts';
import { ConsolePages } from './console-pages.ts';
import type { ApiSpec, Params, RestContext } from './core/api.ts';
import { type ContentOptions, negotiateType, readContent } from './core/content.ts';
import { Cors } from './core/cors.ts';
import { audited, type Exchange, readCommonParams, uriOf } from './core/exchange.ts';
import type { Helpers, LaneRequest, Lanes, Peers, RunPart } from './core/lane.ts';
import { helperCaller, helpOf, partRunner } from './core/lane-parts.ts';
import { checkParam } from './core/param-kinds.ts';
import { deprecationsOf, isKnownParam, refuseParamsWithoutQuery } from './core/param-rules.ts';
import { parseQueryParams } from './core/query-params.ts';
import { forwardTo, moveToLane, requestOf } from './core/relay.ts';
import { ApiRequest } from './core/request.ts';
import { RequestLog } from './core/request-log.ts';
import { RequestMetrics } from './core/request-metrics.ts';
import { Responder } from './core/responder.ts';
import type { ApiResponse } from './core/response.ts';
import { Router } from './core/router.ts';
import { typedResponse, untyped, untypedBody } from './core/typed-requests.ts';
import { isUnsupportedPath, unsupportedError } from './core/unsupported.ts';

/** Memory of src/rest/core/request-metrics.ts, and the row in it of one http worker. */
export interface MetricsRow {
  readonly memory: SharedArrayBuffer;
  readonly row: number;
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
  /** null where there are no other nodes. */
  readonly #peers: Peers | null;
  /** null outside lanes. */
  readonly #helpers: Helpers | null;
  readonly #requestCounts = new Map<string, number>();
  #lastLaneRequest = 0;
  readonly #responder: Responder;
  readonly #contentOptions: ContentOptions;
  /** null if traces are not sent. */
  readonly #tracer: Tracer | null;
  /** null if it is off. */
  readonly #console: ConsolePages | null;

  /**
   * @param engine  the engine of this thread, which follows the node's state
   * @param lanes   where heavy requests run; null to run all of them here
   * @param metrics  counters of this thread's requests; null to count none
   * @param logins  what http workers share of failed logins (src/rest/auth/login-memory.ts); null in a node of one thread
   * @param tracer  records requests as spans; null to trace none
   * @param peers  the other nodes, where there may be some
   * @param helpers  the other lanes, in a lane
   * @throws Error an invalid setting
   */
  constructor(
    settings: Settings,
    engine: EngineContext,
    logger: Logger,
    lanes: Lanes | null = null,
    metrics: MetricsRow | null = null,
    logins: SharedArrayBuffer | null = null,
    tracer: Tracer | null = null,
    peers: Peers | null = null,
    helpers: Helpers | null = null,
  ) {
    this.#peers = peers;
    this.#helpers = helpers;
    this.#tracer = tracer;
    this.#lanes = lanes;
    this.#settings = settings;
    this.#console = settings['console.enabled'] ? new ConsolePages() : null;
    this.#auth = new Authenticator(settings, engine.security.records, logins);
    this.#context = {
      engine,
      engineFor: () => engine,
      realms: this.#auth.realms,
      settings,
      startedMs: Date.now(),
      requestCounts: this.#requestCounts,
      metrics:
        metrics === null
          ? null
          : new RequestMetrics(metrics.memory, metrics.row, ALL_APIS, (index) => Object.hasOwn(engine.cluster.indices, index)),
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
    const { metrics: counted } = this.#context;
    this.#responder = new Responder({
      settings,
      logger,
      log: this.#log,
      audit: this.#audit,
      dialect: () => engine.dialect,
      metrics: counted,
    });
    this.#contentOptions = {
      maxBytes: settings['http.max_content_length'],
      memory: engine.memory,
      wantsText: this.#log.wantsBodies,
      hasLanes: lanes !== null,
    };
  }

  reopenLogs(): void {
    this.#log.reopen();
    this.#audit?.reopen();
    this.#logger.reopen();
  }

  /** Replaces the users and roles from the settings for the following requests. @throws Error one is malformed; nothing has changed then */
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
    forwards = 0,
  ): Promise<void> | void => {
    const exchange: Exchange = {
      http,
      reply,
      startedMs: performance.now(),
      remoteAddress: this.#log.isOn || this.#audit !== null ? http.remoteAddress : '',
      trusted,
      forwards,
      part,
      headers: {},
      warnings: [],
      type: JSON_TYPE,
      isPretty: false,
      filter: null,
      withTrace: false,
      caller: null,
      bodyText: null,
      bytes: null,
      api: null,
      route: null,
      index: null,
      span: null,
      reservedBytes: 0,
    };
    return this.#tracer === null ? this.#answer(exchange) : this.#trace(exchange, this.#tracer);
  };

  #answer(exchange: Exchange): Promise<void> {
    return this.#run(exchange).catch((error: unknown) => this.#recover(exchange, error));
  }

  #trace(exchange: Exchange, tracer: Tracer): Promise<void> {
    const { http, startedMs: startMs } = exchange;
    const [traceparent, tracestate] = [http.header('traceparent'), http.header('tracestate')];
    const span: RequestSpan | null = tracer.begin({ startMs, traceparent, tracestate, isServer: !isLane() });
    if (span === null) return this.#answer(exchange);
    exchange.span = span;
    return tracer.run(span, () => this.#answer(exchange));
  }

  /** Sends the spans that were recorded. */
  async flushSpans(): Promise<void> {
    await this.#tracer?.flush();
  }

  async #run(exchange: Exchange): Promise<void> {
    const { http } = exchange;
    if (this.#settings['compat.product_header']) exchange.headers['x-elastic-product'] = 'Elasticsearch';
    const opaqueId = http.header('x-opaque-id');
    if (opaqueId !== undefined) exchange.headers['x-opaque-id'] = opaqueId;

    const origin = http.header('origin');
    if (origin !== undefined && this.#answerCors(exchange, origin)) return;

    if (this.#console?.takes(http)) {
      const { status, sentBytes } = this.#console.answer(http, exchange.reply, exchange.headers);
      this.#responder.answered(exchange, status, sentBytes);
      return;
    }

    const query = decodeOr400(() => parseQueryParams(http.query));
    readCommonParams(exchange, query);
    const { dialect } = this.#context.engine;
    const typed = dialect.hasTypes ? untyped(http.method, http.path, query) : null;
    const match = decodeOr400(() => this.#router.match(typed?.path ?? http.path));
    const isServed = (match !== null && !isFalseIndex(match.values[0], http.path)) || http.method === 'OPTIONS';
    if (!isServed && !dialect.namesClusterManager && isUnsupportedPath(http.path)) throw unsupportedError(http.method, http.path);
    if (!match && http.method !== 'POST' && dialect.knowsTypedPosts && TYPED_PATH.test(http.path)) {
      await this.#responder.send(exchange, wrongMethod(http, ['POST']));
      return;
    }
    if (!match) {
      await this.#responder.send(exchange, {
        status: 400,
        body: { error: `no handler found for uri [${uriOf(http)}] and method [${http.method}]` },
      });
      return;
    }
    const route = match.methods.get(http.method);
    if (!route) {
      await this.#responder.send(exchange, wrongMethod(http, [...match.methods.keys()]));
      return;
    }

    const authenticated =
      exchange.trusted === null
        ? this.#auth.authenticate(http, (call) => exchange.reply.onAbort(call))
        : this.#auth.trusted(exchange.trusted);
    const caller = authenticated instanceof Promise ? await authenticated : authenticated;
    exchange.caller = caller;
    exchange.api = route.api;
    exchange.route = route;
    exchange.index = match.values[route.pathParams.indexOf('index')] ?? null;
    this.#requestCounts.set(route.api.name, (this.#requestCounts.get(route.api.name) ?? 0) + 1);
    if (exchange.part === null) negotiateType(exchange, route, query.format);

    const params: Record<string, string> = { ...query };
    for (let i = 0; i < route.pathParams.length; i++) params[route.pathParams[i]] = match.values[i];
    const { params: known } = route;
    if (known !== null) {
      refuseParamsWithoutQuery(route.api.name, http.path, query, dialect);
      checkParams(http.path, query, known, (name) => isKnownParam(route.api.name, name, known, query, dialect));
    }
    if (exchange.part === null) exchange.warnings = deprecationsOf(route.api.name, http.path, query, dialect);
    requireAction(caller, route.api.needs);
    if (this.#audit?.logsGranted && exchange.part === null) this.#audit.granted(audited(exchange), route.api.needs);

    const content = await readContent(exchange, route, query, this.#contentOptions);
    const catchingUp = this.#context.engine.catchUp(route.api.needs);
    if (catchingUp !== null) await catchingUp;
    const body = typed === null ? content : { ...content, body: untypedBody(content.body, route.api.name, typed) };
    const handle = (mobility: Mobility): ApiResponse | Promise<ApiResponse> => {
      const { reply, part } = exchange;
      const runPart = this.#partRunner(exchange);
      const help = helpOf(part);
      const askHelpers = this.#helpers === null || help !== null ? null : helperCaller(this.#helpers, this.#repeater(exchange));
      const request = new ApiRequest({ http, reply, params, query, caller, mobility, part, help, runPart, askHelpers, ...body });
      const context = caller === null ? this.#context : this.#limitedContext(caller, route.api);
      // A streamed body cannot be read again in a lane.
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
    const { engine } = this.#context;
    if (this.#peers !== null && exchange.forwards === 0 && engine.nodes.length > 1 && concernsAllNodes(route.api.name, params))
      response = await withOtherNodes(response, requestOf(exchange, ++this.#lastLaneRequest), engine, this.#peers);
    if (response.audit) this.#audit?.changed(audited(exchange), response.audit.action, response.audit.details);
    await this.#responder.send(exchange, typed === null ? response : typedResponse(response, typed));
    if (exchange.reservedBytes > 0) this.#release(exchange);
  }

  #partRunner(exchange: Exchange): RunPart | null {
    return this.#lanes === null ? null : partRunner(this.#lanes, this.#repeater(exchange));
  }

  /** Makes requests like this one, each with an id and a body of its own. */
  #repeater(exchange: Exchange): () => LaneRequest {
    // Made once, since tasks run parts after their request was answered.
    let request: LaneRequest | null = null;
    return () => {
      const body = exchange.api?.body === 'stream!' ? null : exchange.bytes;
      request ??= { ...requestOf(exchange, 0), body };
      return { ...request, id: ++this.#lastLaneRequest, body: request.body && new Uint8Array(request.body) };
    };
  }

  async #recover(exchange: Exchange, error: unknown): Promise<void> {
    try {
      if (error instanceof TooHeavy) await moveToLane(exchange, this.#lanes, ++this.#lastLaneRequest, this.#responder);
      else if (error instanceof HeldElsewhere && this.#peers !== null && exchange.part === null && exchange.forwards < error.maxForwards)
        await forwardTo(error, exchange, this.#peers, ++this.#lastLaneRequest, this.#responder);
      else await this.#responder.fail(exchange, error);
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
      void this.#responder.send(exchange, { status: 403 });
      return true;
    }
    Object.assign(exchange.headers, verdict.headers);
    if (http.method !== 'OPTIONS' || http.header('access-control-request-method') === undefined) return false;
    void this.#responder.send(exchange, { status: 200, headers: this.#cors.preflightHeaders() });
    return true;
  }
}

function decodeOr400<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof URIError) throw illegalArgumentError('the path or query contains an invalid percent-encoding');
    throw error;
  }
}

/** Whether the first part of a path was taken for the name of an index, although none begins with an underscore. */
function isFalseIndex(value: string | undefined, path: string): boolean {
  return value?.startsWith('_') === true && path.split('/', 2)[1] === value;
}

const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'CONNECT']);

/** An index and a type: version 8 still lists POST as allowed here, although it rejects such requests. */
const TYPED_PATH = /^\/[^/]+\/[^/]+\/?$/;

/** OPTIONS is answered with the allowed methods, other methods with a 405 that lists them. */
function wrongMethod(http: HttpRequest, allowed: readonly string[]): ApiResponse {
  const headers = { allow: allowed.join(',') };
  if (http.method === 'OPTIONS') return { status: 200, headers };
  const text = KNOWN_METHODS.has(http.method)
    ? `Incorrect HTTP method for uri [${uriOf(http)}] and method [${http.method}], allowed: [${allowed.join(', ')}]`
    : `Unexpected HTTP method, allowed: [${allowed.join(', ')}]`;
  return { status: 405, headers, body: { error: text, status: 405 } };
}

function checkParams(path: string, query: Readonly<Record<string, string>>, params: Params, isKnown: (name: string) => boolean): void {
  for (const name in query) {
    if (!isKnown(name)) throw unknownParametersError(path, query, Object.keys(params).filter(isKnown));
    checkParam(params[name], name, query[name]);
  }
}

function unknownParametersError(path: string, query: Readonly<Record<string, string>>, known: readonly string[]): ApiError {
  const unknown = Object.keys(query)
    .filter((name) => !known.includes(name))
    .sort();
  return unrecognizedParametersError(
    path,
    unknown,
    unknown.map((name) => nearestNames(name, known)),
  );
}
