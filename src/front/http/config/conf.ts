/** The compiled http tree: levels of configuration, servers, listening addresses, and everything global to http. */

import type { Regex } from '../../config/regex.ts';
import type { ErrorLog } from '../../log/error-log.ts';
import type { Request } from '../phases/http-request.ts';
import type { FilterName, Handler, HttpModule, Phase } from './module.ts';
import type { Value } from './value.ts';
import type { Variables } from './variables.ts';

/** One level of configuration: http, a server, a location, an `if` or a `limit_except`. `confs` is indexed by module. */
export class Loc {
  confs: unknown[] = [];
  /** directives named on this level itself, as `MODULE:NAME` */
  readonly given = new Set<string>();
  /** text of the location, '' above locations */
  name = '';
  kind: 'http' | 'server' | 'exact' | 'prefix' | 'noregex' | 'regex' | 'named' | 'if' | 'limit_except' = 'http';
  regex?: Regex;
  /** content handler set by `proxy_pass` and its kin */
  handler?: Handler;
  /** a request for the name without its trailing slash is redirected to the name */
  autoRedirect = false;
  server?: Server;
  exacts: Map<string, Loc> = new Map();
  /** longest name first */
  prefixes: Loc[] = [];
  regexes: Loc[] = [];
  /** locations, ifs and limit_excepts inside, in order of appearance */
  children: Loc[] = [];
  errorLogs: readonly ErrorLog[] = [];
  docRoot?: DocRoot;
  /** some log takes the debug level */
  debug = false;
  /** limit_except: methods that the block does not apply to */
  exceptMethods?: Set<string>;
  exceptLoc?: Loc;

  constructor(readonly parent?: Loc) {
    this.server = parent?.server;
  }
}

/** Where files of a location are: `root`, or `alias` with the length of the name it stands for (-1: an expression). */
interface DocRoot {
  value: Value;
  alias?: { nameLength: number };
}

export interface ListenOptions {
  /** as written, for messages */
  text: string;
  host: string;
  port: number;
  path: string;
  isDefault: boolean;
  ssl: boolean;
  http2: boolean;
  proxyProtocol: boolean;
  backlog: number;
  ipv6Only: boolean;
  bind: boolean;
  reuseport: boolean;
  keepAlive: { idleSeconds: number } | undefined;
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

/** Servers that share an address and port, found by host name. */
export class VirtualHosts {
  defaultServer!: Server;
  readonly servers: Server[] = [];
  private readonly exact = new Map<string, Server>();
  /** `*.example.com` as `.example.com`, longest first */
  private readonly heads: { suffix: string; server: Server }[] = [];
  private readonly tails: { prefix: string; server: Server }[] = [];
  private readonly regexes: { regex: Regex; server: Server }[] = [];

  constructor(readonly options: ListenOptions) {}

  /** @returns names that are taken already, which nginx warns about */
  addNames(server: Server): string[] {
    const conflicts: string[] = [];
    for (const { text, regex } of server.names) {
      if (regex) {
        this.regexes.push({ regex, server });
        continue;
      }
      if (text.startsWith('*.')) {
        if (this.heads.some((h) => h.suffix === text.slice(1))) conflicts.push(text);
        else this.heads.push({ suffix: text.slice(1), server });
      } else if (text.startsWith('.')) {
        if (this.exact.has(text.slice(1))) conflicts.push(text);
        else {
          this.exact.set(text.slice(1), server);
          this.heads.push({ suffix: text, server });
        }
      } else if (text.endsWith('.*')) {
        if (this.tails.some((t) => t.prefix === text.slice(0, -1))) conflicts.push(text);
        else this.tails.push({ prefix: text.slice(0, -1), server });
      } else if (this.exact.has(text)) conflicts.push(text);
      else this.exact.set(text, server);
    }
    this.heads.sort((a, b) => b.suffix.length - a.suffix.length);
    this.tails.sort((a, b) => b.prefix.length - a.prefix.length);
    return conflicts;
  }

  /** The server for a host name; `r` receives the captures of a matching expression. */
  find(
    host: string,
    r?: { captures?: Request['captures']; setNamed?(regex: Regex, captures: Request['captures']): void },
  ): Server | undefined {
    const exact = this.exact.get(host);
    if (exact) return exact;
    for (const { suffix, server } of this.heads) if (host.endsWith(suffix) && host.length > suffix.length) return server;
    for (const { prefix, server } of this.tails) if (host.startsWith(prefix)) return server;
    for (const { regex, server } of this.regexes) {
      const captures = regex.exec(host);
      if (!captures) continue;
      r?.setNamed?.(regex, captures);
      return server;
    }
    return undefined;
  }
}

/** A socket to listen on, and the addresses it answers for. */
export interface ListenSocket {
  /** `tcp:HOST:PORT` or `unix:PATH` */
  key: string;
  host: string;
  port: number;
  path: string;
  options: ListenOptions;
  /** by local address where one wildcard socket stands for several addresses */
  byAddress: Map<string, VirtualHosts>;
  hosts: VirtualHosts;
}

export class HttpMain {
  readonly loc = new Loc();
  readonly servers: Server[] = [];
  readonly sockets: ListenSocket[] = [];
  /** folders that workers write to: temporary files, caches */
  readonly folders = new Set<string>();
  readonly modules: HttpModule[] = [];
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
  headerFilters: { name: FilterName; run: (r: Request) => number }[] = [];
  /** named things of modules (upstreams, zones, formats), by `kind:name` */
  readonly registry = new Map<string, unknown>();

  constructor(
    readonly variables: Variables,
    readonly paths: { prefix: string; conf: string },
    /** zones of the configuration before a reload, by `kind:name` */
    readonly inherited: Map<string, unknown>,
  ) {}

  addHeaderFilter(name: FilterName, run: (r: Request) => number): void {
    this.headerFilters.push({ name, run });
  }
}
