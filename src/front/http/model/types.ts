// The types that the HTTP server is built around: a request, the connection it came on, the level of configuration that serves it, and the
// functions that serve it. They refer to each other, so they share this file, which every room may import and which imports none of them
// except the parts of messages in request/; what refers to none of them is in the files next to it. Classes with behaviour are represented by interfaces; plain records are classes themselves.
// `BlockMain`, `Client` and `Session` are what the http and stream servers have in common.
import type { TLSSocket } from 'node:tls';
import type { HeaderField } from '../../../http/wire/header.ts';
import type { ConfOf, Table } from '../../config/directive.ts';
import type { Captures, Regex } from '../../config/regex.ts';
import type { ErrorLog, Level } from '../../log/error-log.ts';
import type { BodyFlags, FilterName, Piece } from '../request/pieces.ts';
import type { HelloNames, ListenOptions, ProxyInfo } from './connection-start.ts';
import type { RequestState, ResponseOutput } from './request-state.ts';
import type { NameService } from './resolver.ts';
import type { UpstreamReport } from './upstream-state.ts';

// ---------------------------------------------------------------- what serves a request

/** Serves a request in a phase. Returns a code of codes.ts or a status. */
export type Handler = (r: Request) => number;

/** Changes the head of a response, or answers in its place. Returns a code of codes.ts or a status. */
export type HeaderFilter = (r: Request) => number;

/** Handles pieces and passes what is ready with `r.nextBody(pieces, flags, position)`. Returns OK or ERROR. */
export type BodyFilter = (r: Request, pieces: Piece[], flags: BodyFlags, position: number) => number;

/** Request phases in order; find-config, post-rewrite and post-access belong to the engine. */
export type Phase = 'postRead' | 'serverRewrite' | 'rewrite' | 'preaccess' | 'access' | 'precontent' | 'content' | 'log';

/** One step of the phase engine. */
export interface PhaseStep {
  kind: 'generic' | 'rewrite' | 'findConfig' | 'postRewrite' | 'access' | 'postAccess' | 'content';
  handler: Handler;
  /** index of the step to continue at when a generic handler returned OK, or when a phase is skipped */
  next: number;
}

export interface VariableDef {
  name: string;
  /** null: not set */
  get(r: Request): string | null;
  /** assignment by `set` and `auth_request_set` */
  set?(r: Request, value: string): void;
  /** evaluated at each use */
  volatile?: boolean;
  /** may not be defined again by `set`, `map`, `geo` */
  fixed?: boolean;
  index?: number;
}

/** Variables whose names share a prefix, such as `$http_*`. */
export interface VariableFamily {
  prefix: string;
  make(rest: string): Pick<VariableDef, 'get' | 'volatile'>;
}

/** The variables of a configuration (class Variables). */
export interface VariableTable {
  /** number of variables that have a place in `Request.vars` */
  readonly count: number;
  lookup(name: string): VariableDef;
  define(name: string, parts: Pick<VariableDef, 'get' | 'volatile'> & Partial<VariableDef>): VariableDef;
  declare(name: string): VariableDef;
  assignable(name: string): VariableDef | null;
  find(name: string): VariableDef | null;
}

/** A string that may contain variables (class Value). */
export interface Evaluable {
  /** the whole string if it contains no variable */
  readonly constant: string | null;
  eval(r: Session): string;
}

/** A module of a block; `Main` is the block's configuration (BlockMain: any block may have it). */
export interface HttpModule<T extends Table = Table, Main extends BlockMain = HttpMain> {
  name: string;
  index: number;
  table: T;
  /** the module's configuration at a level; after merging every directive has a value */
  conf(loc: Loc): ConfOf<T>;
  /** adds phase handlers, filters and variables once the whole configuration was read */
  init?(main: Main): void;
  /** called for each level after its values are merged */
  finish?(conf: ConfOf<T>, loc: Loc): void;
  variables?: VariableDef[];
  families?: VariableFamily[];
  /** called once in each worker before it serves */
  start?(main: Main): void | Promise<void>;
}

// ---------------------------------------------------------------- the configuration

/** One level of configuration: http, a server, a location, an `if` or a `limit_except`. `confs` is indexed by module. */
export class Loc {
  confs: unknown[] = [];
  /** directives given on this level itself, as `MODULE:NAME` */
  readonly given = new Set<string>();
  /** name of the location, '' above locations */
  name = '';
  kind: 'http' | 'server' | 'exact' | 'prefix' | 'noregex' | 'regex' | 'named' | 'if' | 'limit_except' = 'http';
  regex?: Regex;
  /** content handler set by `proxy_pass` and similar directives */
  handler?: Handler;
  /** a request for the name without its trailing slash is redirected to the name */
  autoRedirect = false;
  server?: Server;
  exacts: Map<string, Loc> = new Map();
  /** longest name first */
  prefixes: Loc[] = [];
  regexes: Loc[] = [];
  /** Locations with `autoRedirect` by their names without the slash. */
  redirects: Map<string, Loc> = new Map();
  /** locations, ifs and limit_excepts inside, in order of appearance */
  children: Loc[] = [];
  errorLogs: readonly ErrorLog[] = [];
  docRoot?: DocRoot;
  /** some error log accepts the debug level */
  debug = false;
  /** limit_except: methods that the block does not apply to */
  exceptMethods?: Set<string>;
  exceptLoc?: Loc;

  constructor(readonly parent?: Loc) {
    this.server = parent?.server;
  }
}

/** Folder of a location's files: `root`, or `alias` with the length of the name that it replaces (-1: an expression). */
interface DocRoot {
  value: Evaluable;
  alias?: { nameLength: number };
}

interface ServerName {
  text: string;
  regex?: Regex;
}

export class Server {
  names: ServerName[] = [];
  listens: ListenOptions[] = [];
  named = new Map<string, Loc>();
  constructor(
    readonly root: Loc,
    /** `FILE:LINE` of its block */
    readonly place: string,
  ) {
    root.server = this;
    root.kind = 'server';
  }
  get name(): string {
    const text = this.names[0]?.text ?? '';
    return text.startsWith('.') ? text.slice(1) : text;
  }
}

/** Servers that share an address and port, found by host name (class HostTable). */
export interface VirtualHosts {
  defaultServer: Server;
  readonly servers: readonly Server[];
  readonly options: ListenOptions;
  /** The server for a host name; `r` receives the captures of a matching expression. */
  find(host: string, r?: Pick<Session, 'setNamed'>): Server | null;
}

/** A socket to listen on, and the addresses it answers for. */
export interface ListenSocket {
  /** `tcp:HOST:PORT`, `udp:HOST:PORT` or `unix:PATH` */
  key: string;
  host: string;
  port: number;
  path: string;
  options: ListenOptions;
  /** by local address where one wildcard socket serves several addresses */
  byAddress: Map<string, VirtualHosts>;
  hosts: VirtualHosts;
}

/** A compiled `http { }` or `stream { }`, and everything that is global to it. */
export class BlockMain {
  readonly loc = new Loc();
  readonly servers: Server[] = [];
  readonly sockets: ListenSocket[] = [];
  /** folders that workers write to: temporary files, caches */
  readonly folders = new Set<string>();
  readonly modules: HttpModule<Table, BlockMain>[] = [];
  /** named objects of modules (upstreams, zones, formats), by `kind:name` */
  readonly registry = new Map<string, unknown>();
  /** number of event loops: `worker_processes` */
  eventLoops = 1;
  /** `resolver` and `resolver_timeout` of a level */
  namesAt: (loc: Loc) => NameService = () => ({ resolver: null, resolver_timeout: 0 });

  constructor(
    readonly variables: VariableTable,
    readonly paths: { prefix: string; conf: string },
    /** zones of the configuration before a reload, by `kind:name` */
    readonly inherited: Map<string, unknown>,
    /** precedes the names of memory that event loops share, so that blocks may use the same names */
    readonly zonePrefix = '',
  ) {}
}

/** `http { }` */
export class HttpMain extends BlockMain {
  readonly phases: Record<Phase, Handler[]> = {
    postRead: [],
    serverRewrite: [],
    rewrite: [],
    preaccess: [],
    access: [],
    precontent: [],
    content: [],
    log: [],
  };
  /** the phases as one list, with the index of the first step of some of them (see buildPhases) */
  steps: PhaseStep[] = [];
  serverRewriteIndex = 0;
  findConfigIndex = 0;
  rewriteIndex = 0;
  headerFilters: { name: FilterName; run: HeaderFilter }[] = [];

  addHeaderFilter(name: FilterName, run: HeaderFilter): void {
    this.headerFilters.push({ name, run });
  }
}

// ---------------------------------------------------------------- the connection of a client

/** Results of the client's TLS handshake (see tls-info.ts). */
export interface TlsInfo {
  socket: TLSSocket;
  /** name the client asked for, '' if none */
  serverName: string;
  hello: HelloNames;
  /** checks what the server demands of the client's certificate: OK or a status */
  verify(r: Request): number;
  /** why the client's certificate is rejected, '' if it is accepted */
  verifyError(): string;
  /** why the issuer's OCSP responder does not confirm the client's certificate; '' if it does or was not queried */
  ocspError: string;
}

/** Operations of an HTTP/2 stream that replace HTTP/1 framing. */
export interface StreamFraming {
  /** sends the header of the response */
  respond(r: Request): void;
  /** sends a 103 before it */
  hints(fields: readonly HeaderField[]): void;
  /** the request has more than a head */
  bodyFollows: boolean;
  /** encrypted, or with prior knowledge */
  readonly name: 'h2' | 'h2c';
}

/** The output queue of a connection. */
export interface Output {
  /** bytes sent for the current request, header included */
  sent: number;
  /** bytes sent since the connection was opened */
  bytesSent: number;
  /** bytes are waiting in the queue or in the socket */
  readonly buffered: boolean;
  /** the client is slower than what is produced */
  readonly blocked: boolean;
  /** pieces given to the queue are still in use */
  readonly holding: boolean;
  /** Queues the header; it leaves with the first body bytes or when the request ends. */
  startResponse(r: Request, head: string): void;
  sendBody(r: Request, pieces: Piece[], flags: BodyFlags): number;
  /** A body of so many bytes that is given as a whole is copied before the call returns (not in HTTP/2). */
  copiesWhole(r: Request, bytes: number): boolean;
  /** Calls back when `blocked` has become false, or the connection was closed. */
  whenWritable(callback: () => void): void;
}

/** Identity, addresses and TLS properties of a client's connection, or of a flow of datagrams. */
export interface Client {
  readonly id: number;
  readonly startMs: number;
  remoteAddr: string;
  remotePort: number;
  readonly localAddr: string;
  readonly localPort: number;
  readonly proxy: ProxyInfo | null;
  readonly tls: TlsInfo | null;
}

/** The connection of a client as requests see it (class HttpConnection). */
export interface Connection extends Client {
  /** requests so far, the current one included */
  readonly requests: number;
  readonly listen: Pick<ListenSocket, 'path'>;
  /** set on a stream of an HTTP/2 connection */
  readonly http2: StreamFraming | null;
  readonly debugLogs: readonly ErrorLog[] | null;
  /** nothing can be sent any more */
  readonly error: boolean;
  /** the worker accepts no further requests */
  readonly exiting: boolean;
  readonly output: Output;
  /** request whose output is sent now; others wait (see postpone.ts) */
  active: Request | null;
  /** receives the raw bytes of an upgraded connection */
  tunnel: ((data: Buffer) => void) | null;
  tunnelEnd: (() => void) | null;
  /** own address as part of a URL */
  localHostText(): string;
  /** Starts reading the body; `onEnd` gets 0 or a status. With `consumer`, data is passed on instead of being stored. */
  readBody(r: Request, onEnd: (rc: number) => void, consumer?: (data: Buffer) => void): void;
  /** Reads the body and drops it, after the response if necessary. Returns OK, or 400 for a malformed body. */
  discardBody(r: Request): number;
  /** Bytes already read that the owner of a tunnel must take before it reads. */
  takeInput(): Buffer;
  pauseReading(): void;
  resumeReading(): void;
  clearTimer(): void;
  /** Sends the head of an interim response (1xx), latin1. */
  sendInterim(head: string): void;
  /** Runs a request (a subrequest, or a parent whose subrequest ended) once the current handler has returned. */
  post(r: Request): void;
  /** The main request is done and logged. */
  requestDone(r: Request, rc: number): void;
  /** Sends what is queued, then closes: the response cannot be completed. */
  cut(): void;
  /** Closes the connection, with a reset (RST) if `reset_timedout_connection` is set. */
  abandon(loc: Loc): void;
  destroy(): void;
}

// ---------------------------------------------------------------- the request

/** Called when a subrequest ends; returns the code to continue with. */
export type SubrequestEnd = (sub: Request, rc: number) => number;

/** Output of a request that waits for its turn: pieces of its own, or a subrequest. */
export type Postponed = { request: Request } | { request?: undefined; pieces: Piece[]; last: boolean };

/** The interface of variables, balancing and TLS to what is served: a request, or a connection or flow of datagrams of `stream { }`. */
export interface Session {
  readonly conn: Client;
  readonly block: BlockMain;
  server: Server;
  loc: Loc;
  captures: Captures | null;
  readonly upstream: { readonly action: string } | null;
  variable(def: VariableDef): string | null;
  /** The current value, ignoring cached ones. */
  evaluate(def: VariableDef): string | null;
  log(level: Level, message: string): void;
  setNamed(regex: Regex, captures: Captures | null): void;
}

/** A request, a subrequest included (class HttpRequest). Its plain fields and its output are in request-state.ts. */
export interface Request extends Session, RequestState, ResponseOutput {
  readonly conn: Connection;
  readonly http: HttpMain;
  readonly main: Request;
  readonly parent?: Request;
  /** request whose body it uses: the main request, unless a subrequest was given its own body */
  bodyOwner: Request;
  contentHandler: Handler | null;
  upstream: UpstreamReport | null;
  postponed: Postponed[];
  postHandler: SubrequestEnd | null;
  /** main: subrequests that have not ended; created with the first */
  subrequests: Set<Request> | null;

  headerIn(lname: string): string | null;
  headersJoined(lname: string, separator?: string): string | null;
  getCtx<T>(module: HttpModule): T | null;
  setCtx(module: HttpModule, value: unknown): void;
  /** State of a module that survives internal redirects and is shared with subrequests. */
  getMainCtx<T>(module: HttpModule): T | null;
  setMainCtx(module: HttpModule, value: unknown): void;
  /** extension of the last path segment, '' if none */
  extension(): string;
  /** Sets the content type from the extension. */
  setContentType(): void;

  /** @param usesUp  the filter neither stores nor passes on its input: that memory is free when it returns */
  addBodyFilter(name: FilterName, run: BodyFilter, usesUp?: boolean): void;
  resetFilters(): void;

  /** A new subrequest of this request, not started yet. */
  makeSub(): Request;
  /** Ends the request with a code: OK, a status that becomes an error page, or ERROR. */
  finalize(rc: number): void;
  /** Ends at once: nothing more is sent. */
  terminate(rc: number): void;
  backgroundEnded(): void;
  /** Calls back when everything for the client is sent: output of a subrequest may still be queued after the subrequest ended. */
  whenSent(run: () => void): void;
  runCleanups(): void;
  runLogHandlers(sub: boolean): void;
}
