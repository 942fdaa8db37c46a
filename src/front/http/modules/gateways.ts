/** fastcgi_pass, scgi_pass, uwsgi_pass, memcached_pass, tunnel_pass: back ends that do not speak HTTP. */
import { custom, flag, HSL, LOCATION, LOCATION_IF, num, SERVER, type Spec, type Table, text } from '../../config/directive.ts';
import { DONE } from '../codes.ts';
import type { Loc } from '../conf.ts';
import { defineModule, type HttpFrame, type HttpModule } from '../module.ts';
import { escapeUri } from '../parse.ts';
import { capture, type Regex } from '../regex.ts';
import type { Request } from '../request.ts';
import { type CacheConf, cacheTable, readCacheConf } from '../upstream/cache-conf.ts';
import { CgiParser, contentLength, hostParam, type Param, paramDirective, requestParams } from '../upstream/cgi.ts';
import { readUpstreamConf, responseTable, sharedTable, type UpstreamConf } from '../upstream/conf.ts';
import type { UpstreamGroup } from '../upstream/group.ts';
import { InvalidResponse, type ParserSink, type Protocol, type ResponseParser } from '../upstream/protocol.ts';
import { readTlsConf, type UpstreamTlsConf, upstreamTls, upstreamTlsTable } from '../upstream/tls.ts';
import { Upstream } from '../upstream/upstream.ts';
import type { Value } from '../value.ts';
import { literalGroup, realGroup, runtimeGroup } from './proxy.ts';
import { compileRegex } from './rewrite.ts';

interface Target {
  text: string;
  value?: Value;
  group?: UpstreamGroup;
  secure: boolean;
}

interface GatewayConf {
  target: Target | undefined;
  upstream: UpstreamConf;
  cache: CacheConf;
  tls: UpstreamTlsConf | undefined;
  values: Record<string, unknown>;
  params: Param[];
  protocol: Protocol | undefined;
}

const confs = new Map<string, WeakMap<Loc, GatewayConf>>();

/** `PREFIX_pass`: an address, a group, or text with variables. */
function passDirective(
  prefix: string,
  handler: (r: Request) => number,
  contexts = LOCATION | LOCATION_IF,
  port = 0,
): Spec<Target | undefined> {
  return custom<Target | undefined>(
    contexts,
    prefix === 'tunnel' ? [0, 1] : 1,
    undefined,
    (f: HttpFrame) => {
      const { loc } = f.scope;
      const word = f.args[0] ?? '$host:$request_port';
      loc.handler = handler;
      if (loc.name.endsWith('/') && prefix !== 'tunnel') loc.autoRedirect = true;
      const secure = /^suwsgi:\/\//i.test(word);
      const bare = word.replace(/^s?uwsgi:\/\//i, '');
      if (bare.includes('$')) return { text: bare, value: f.scope.value(bare), secure };
      return { text: bare, group: literalGroup(f, bare, port), secure };
    },
    { merge: (_, own) => own },
  );
}

function resolveGroup(u: Upstream, target: Target, done: (group: UpstreamGroup | undefined) => void, port = 0): void {
  if (target.group) {
    done(realGroup(target.group));
    return;
  }
  const textValue = target.value!.eval(u.r).replace(/^s?uwsgi:\/\//i, '');
  runtimeGroup(
    u.r,
    textValue,
    port,
    (status) => {
      u.finish(status);
      done(undefined);
    },
    done,
  );
}

/** For HEAD only the header is read, unless the cache wants the answer whole. */
const skipsBody = (u: Upstream): boolean => u.r.method === 'HEAD' && !u.options.cache?.cacheable;

function run(
  prefix: string,
  r: Request,
  keepsAlive: boolean,
  make: (conf: GatewayConf) => Omit<Protocol, 'name' | 'keepsAlive'>,
  wantsBody = true,
  key = '',
): number {
  const conf = confs.get(prefix)!.get(r.loc)!;
  conf.protocol ??= { name: prefix, keepsAlive, ...make(conf) };
  const u = new Upstream(r, {
    protocol: conf.protocol,
    conf: conf.upstream,
    method: r.method,
    resolve: (upstream, done) => resolveGroup(upstream, conf.target!, done),
    cache: conf.cache.start(r, () => r.uri),
  });
  u.notes.key = key;
  if (!wantsBody) {
    r.conn.discardBody(r);
    u.notes.ownBody = true;
    u.begin();
    return DONE;
  }
  return u.start();
}

/** Finishes the configuration of a level for a prefix. */
function remember(
  prefix: string,
  conf: Record<string, unknown>,
  loc: Loc,
  options: { tls?: boolean; cache?: boolean; params?: Param[] },
): void {
  const passName = `${prefix}_pass`;
  const outer = loc.parent && confs.get(prefix)?.get(loc.parent);
  if (!conf[passName] && (loc.kind === 'if' || loc.kind === 'limit_except') && outer?.target && !loc.handler) {
    conf[passName] = outer.target;
    loc.handler = loc.parent!.handler;
  }
  if (prefix === 'tunnel' && !conf[passName] && outer?.target && loc.kind !== 'http' && !loc.handler && loc.parent?.kind === 'server') {
    conf[passName] = outer.target;
    loc.handler = loc.parent.handler;
  }
  if (!conf[passName]) return;
  let map = confs.get(prefix);
  if (!map) confs.set(prefix, (map = new WeakMap()));
  map.set(loc, {
    target: conf[passName] as Target,
    upstream: readUpstreamConf(prefix, conf, loc, ['status']),
    cache: options.cache === false ? NO_CACHE : readCacheConf(prefix, conf),
    tls: options.tls ? readTlsConf(prefix, conf) : undefined,
    values: conf,
    params: options.params ?? [],
    protocol: undefined,
  });
}

const NO_CACHE = { start: () => undefined, cacheOf: () => undefined } as unknown as CacheConf;

/** Parameters of a level, with the Host one unless it is configured. */
function paramsOf(own: Param[] | undefined, lookup: { host: Param | undefined }): Param[] {
  const params = own ?? [];
  return params.some((p) => p.name === 'HTTP_HOST') || !lookup.host ? params : [...params, lookup.host];
}

const hosts: { host: Param | undefined } = { host: undefined };

// ---------------------------------------------------------------- FastCGI

const FCGI = { BEGIN: 1, END: 3, PARAMS: 4, STDIN: 5, STDOUT: 6, STDERR: 7 };

function record(type: number, content: Buffer): Buffer[] {
  const padding = (8 - (content.length & 7)) & 7;
  const head = Buffer.from([1, type, 0, 1, content.length >> 8, content.length & 255, padding, 0]);
  return padding ? [head, content, Buffer.alloc(padding)] : [head, content];
}

function lengthBytes(n: number): Buffer {
  return n < 128 ? Buffer.from([n]) : Buffer.from([(n >>> 24) | 0x80, (n >> 16) & 255, (n >> 8) & 255, n & 255]);
}

/** Reads records; STDOUT goes to the CGI parser, STDERR to the log. */
export class FastCgiParser implements ResponseParser {
  private held: Buffer = Buffer.alloc(0);
  private readonly inner: CgiParser;
  private ended = false;
  private stdoutEnded = false;

  constructor(
    private readonly sink: ParserSink,
    options: { maxHeader: number; bodyless: boolean },
    private readonly stderr: (text: string) => void,
    private readonly keep: boolean,
  ) {
    this.inner = new CgiParser(sink, options);
    this.inner.atEnd = false;
  }

  feed(data: Buffer): void {
    this.held = this.held.length === 0 ? data : Buffer.concat([this.held, data]);
    while (this.held.length >= 8 && !this.ended) {
      const { held } = this;
      if (held[0] !== 1) throw new InvalidResponse(`upstream sent unsupported FastCGI protocol version: ${held[0]}`);
      const length = held.readUInt16BE(4);
      const total = 8 + length + held[6];
      const type = held[1];
      if (type !== FCGI.STDOUT && type !== FCGI.STDERR && type !== FCGI.END)
        throw new InvalidResponse(`upstream sent invalid FastCGI record type: ${type}`);
      // data of a long record is passed on as it comes
      if (held.length < total) {
        if (type === FCGI.STDOUT && length > 0 && held.length > 8 && this.inner.started) this.passPart(held, length);
        return;
      }
      this.held = held.subarray(total);
      this.take(type, held.subarray(8, 8 + length));
    }
  }

  private passPart(held: Buffer, length: number): void {
    const available = Math.min(length, held.length - 8);
    const part = held.subarray(8, 8 + available);
    const left = length - available;
    const head = Buffer.from(held.subarray(0, 8));
    head.writeUInt16BE(left, 4);
    this.held = Buffer.concat([head, held.subarray(8 + available)]);
    this.inner.feed(part);
  }

  private take(type: number, content: Buffer): void {
    if (type === FCGI.STDERR) {
      if (content.length > 0) this.stderr(content.latin1Slice().replace(/[\r\n]+$/, ''));
      return;
    }
    if (type === FCGI.STDOUT) {
      if (content.length === 0) this.stdoutEnded = true;
      else this.inner.feed(content);
      return;
    }
    this.ended = true;
    if (!this.inner.started) throw new InvalidResponse('upstream prematurely closed FastCGI stdout');
    this.finish(this.keep && this.held.length === 0);
  }

  private finish(keepalive: boolean): void {
    if (this.inner.end()) this.sink.complete(keepalive);
    else this.sink.complete(false);
  }

  end(): boolean {
    return (this.ended || this.stdoutEnded) && this.inner.end();
  }
}

const fastcgiHandler = (r: Request): number => {
  splitPath(r);
  return run('fastcgi', r, confs.get('fastcgi')!.get(r.loc)!.values.fastcgi_keep_conn === true, (conf) => ({
    requestHead: (u) => {
      const parts: Buffer[] = record(FCGI.BEGIN, Buffer.from([0, 1, conf.values.fastcgi_keep_conn ? 1 : 0, 0, 0, 0, 0, 0]));
      const bytes: Buffer[] = [];
      for (const [name, value] of requestParams(u, conf.params, conf.upstream.passRequestHeaders)) {
        bytes.push(lengthBytes(name.length), lengthBytes(value.length), Buffer.from(name + value, 'latin1'));
      }
      const all = Buffer.concat(bytes);
      for (let pos = 0; pos < all.length; pos += 65_528) parts.push(...record(FCGI.PARAMS, all.subarray(pos, pos + 65_528)));
      parts.push(...record(FCGI.PARAMS, Buffer.alloc(0)));
      return parts;
    },
    wrapBody: (_, data) => {
      const parts: Buffer[] = [];
      for (let pos = 0; pos < data.length; pos += 65_528) parts.push(...record(FCGI.STDIN, data.subarray(pos, pos + 65_528)));
      return parts;
    },
    endBody: () => record(FCGI.STDIN, Buffer.alloc(0)),
    parser: (u, sink) =>
      new FastCgiParser(
        sink,
        { maxHeader: conf.upstream.bufferSize, bodyless: skipsBody(u) },
        (message) => {
          u.r.log('error', `FastCGI sent in stderr: "${message}" while reading response header from upstream`);
          const caught = conf.values.fastcgi_catch_stderr as string[] | undefined;
          if (caught?.some((word) => message.includes(word))) throw new InvalidResponse('upstream stderr matched fastcgi_catch_stderr');
        },
        conf.values.fastcgi_keep_conn === true,
      ),
  }));
};

interface PathInfo {
  script: string;
  info: string;
}

function splitPath(r: Request): PathInfo | undefined {
  const known = r.getCtx<PathInfo>(fastcgiModule);
  if (known) return known;
  const regex = (fastcgiModule.conf(r.loc) as Record<string, unknown>).fastcgi_split_path_info as Regex | undefined;
  if (!regex) return undefined;
  const captures = regex.exec(r.uri);
  const result: PathInfo = captures
    ? { script: capture(captures, 1) ?? '', info: capture(captures, 2) ?? '' }
    : { script: r.uri, info: '' };
  r.setCtx(fastcgiModule, result);
  return result;
}

export const fastcgiModule: HttpModule = defineModule(
  'fastcgi',
  {
    fastcgi_pass: passDirective('fastcgi', fastcgiHandler),
    fastcgi_param: paramDirective(),
    fastcgi_index: text(HSL, ''),
    fastcgi_keep_conn: flag(HSL, false),
    fastcgi_split_path_info: custom<Regex | undefined>(HSL, 1, undefined, (f: HttpFrame) => {
      const regex = compileRegex(f, f.args[0]);
      if (regex.groupCount !== 2) f.fail(`pattern "${f.args[0]}" must have 2 captures`);
      return regex;
    }),
    fastcgi_catch_stderr: custom<string[] | undefined>(HSL, 1, undefined, (f: HttpFrame, previous = []) => [...previous, f.args[0]], {
      repeats: true,
    }),
    ...sharedTable('fastcgi'),
    ...responseTable('fastcgi'),
    ...cacheTable('fastcgi'),
  } as Table,
  {
    finish(conf, loc) {
      const c = conf as Record<string, unknown>;
      remember('fastcgi', c, loc, { params: paramsOf(c.fastcgi_param as Param[] | undefined, hosts) });
    },
    variables: [
      {
        name: 'fastcgi_script_name',
        volatile: true,
        get: (r): string => {
          const split = splitPath(r);
          const script = split?.script ?? r.uri;
          const { fastcgi_index } = fastcgiModule.conf(r.loc) as { fastcgi_index?: string };
          return script.endsWith('/') && !split ? script + (fastcgi_index ?? '') : script;
        },
      },
      { name: 'fastcgi_path_info', volatile: true, get: (r): string => splitPath(r)?.info ?? '' },
    ],
  },
);

// ---------------------------------------------------------------- SCGI

const scgiHandler = (r: Request): number =>
  run('scgi', r, false, (conf) => ({
    needsLength: true,
    requestHead: (u) => {
      let head = `CONTENT_LENGTH\0${contentLength(u.r)}\0`;
      const params = requestParams(u, conf.params, conf.upstream.passRequestHeaders).filter(
        ([name]) => name !== 'CONTENT_LENGTH' && name !== 'HTTP_CONTENT_LENGTH',
      );
      if (!params.some(([name]) => name === 'SCGI')) head += 'SCGI\x001\0';
      for (const [name, value] of params) head += `${name}\0${value}\0`;
      return [Buffer.from(`${head.length}:${head},`, 'latin1')];
    },
    wrapBody: (_, data) => [data],
    endBody: () => [],
    parser: (u, sink) => new CgiParser(sink, { maxHeader: conf.upstream.bufferSize, bodyless: skipsBody(u) }),
  }));

export const scgiModule: HttpModule = defineModule(
  'scgi',
  {
    scgi_pass: passDirective('scgi', scgiHandler),
    scgi_param: paramDirective(),
    ...sharedTable('scgi'),
    ...responseTable('scgi'),
    ...cacheTable('scgi'),
  } as Table,
  {
    finish(conf, loc) {
      const c = conf as Record<string, unknown>;
      remember('scgi', c, loc, { params: paramsOf(c.scgi_param as Param[] | undefined, hosts) });
    },
  },
);

// ---------------------------------------------------------------- uwsgi

const uwsgiHandler = (r: Request): number =>
  run('uwsgi', r, false, (conf) => ({
    needsLength: true,
    requestHead: (u) => {
      const bytes: Buffer[] = [];
      const short = (n: number) => Buffer.from([n & 255, n >> 8]);
      const params = requestParams(u, conf.params, conf.upstream.passRequestHeaders);
      for (const [name, value] of params)
        bytes.push(short(name.length), Buffer.from(name, 'latin1'), short(value.length), Buffer.from(value, 'latin1'));
      const all = Buffer.concat(bytes);
      if (all.length > 65_535) throw new InvalidResponse(`uwsgi request is too little: ${all.length}`);
      const { uwsgi_modifier1, uwsgi_modifier2 } = conf.values as { uwsgi_modifier1: number; uwsgi_modifier2: number };
      return [Buffer.from([uwsgi_modifier1 & 255, all.length & 255, all.length >> 8, uwsgi_modifier2 & 255]), all];
    },
    wrapBody: (_, data) => [data],
    endBody: () => [],
    parser: (u, sink) => new CgiParser(sink, { maxHeader: conf.upstream.bufferSize, bodyless: skipsBody(u) }),
    tls: (u) => {
      const secure = conf.target!.value ? /^suwsgi:/i.test(conf.target!.value.eval(u.r)) || conf.target!.secure : conf.target!.secure;
      return secure ? upstreamTls(u, conf.tls!, conf.target!.value ? conf.target!.value.eval(u.r) : conf.target!.text) : undefined;
    },
  }));

export const uwsgiModule: HttpModule = defineModule(
  'uwsgi',
  {
    uwsgi_pass: passDirective('uwsgi', uwsgiHandler),
    uwsgi_param: paramDirective(),
    uwsgi_modifier1: num(HSL, 0),
    uwsgi_modifier2: num(HSL, 0),
    ...sharedTable('uwsgi'),
    ...responseTable('uwsgi'),
    ...cacheTable('uwsgi'),
    ...upstreamTlsTable('uwsgi'),
  } as Table,
  {
    finish(conf, loc) {
      const c = conf as Record<string, unknown>;
      remember('uwsgi', c, loc, { tls: true, params: paramsOf(c.uwsgi_param as Param[] | undefined, hosts) });
    },
  },
);

// ---------------------------------------------------------------- memcached

/** `VALUE key flags length`, data, `END`. */
export class MemcachedParser implements ResponseParser {
  private held: Buffer = Buffer.alloc(0);
  private left = -1;
  private readonly tail = Buffer.from('\r\nEND\r\n');

  constructor(
    private readonly sink: ParserSink,
    private readonly key: string,
    private readonly gzipFlag: number,
    private readonly notFound: () => void,
  ) {}

  feed(data: Buffer): void {
    this.held = this.held.length === 0 ? data : Buffer.concat([this.held, data]);
    if (this.left < 0 && !this.readHead()) return;
    if (this.left > 0) {
      const take = this.held.subarray(0, this.left);
      this.held = this.held.subarray(take.length);
      this.left -= take.length;
      if (take.length > 0) this.sink.body(take);
    }
    if (this.left > 0) return;
    const common = Math.min(this.held.length, this.tail.length);
    if (!this.held.subarray(0, common).equals(this.tail.subarray(0, common))) {
      this.sink.complete(false);
    } else if (this.held.length >= this.tail.length) this.sink.complete(this.held.length === this.tail.length);
  }

  private readHead(): boolean {
    const lf = this.held.indexOf(10);
    if (lf < 0) {
      if (this.held.length > 4096) throw new InvalidResponse('memcached sent too long line');
      return false;
    }
    const line = this.held.latin1Slice(0, lf).replace(/\r$/, '');
    const rest = this.held.subarray(lf + 1);
    if (line === 'END') {
      this.notFound();
      this.left = 0;
      this.held = Buffer.concat([this.tail, rest]);
      this.sink.head({ status: 404, statusLine: '', fields: [], contentLength: -1 });
      return false;
    }
    const m = /^VALUE (\S+) (\d+) (\d+)$/.exec(line);
    if (!m) throw new InvalidResponse(`memcached sent invalid response: "${line}"`);
    if (m[1] !== this.key) throw new InvalidResponse(`memcached sent invalid key in response "${line}" for key "${this.key}"`);
    this.left = Number(m[3]);
    this.held = rest;
    const gzip = this.gzipFlag > 0 && (Number(m[2]) & this.gzipFlag) !== 0;
    const fields = gzip ? [{ name: 'Content-Encoding', lname: 'content-encoding', value: 'gzip' }] : [];
    this.sink.head({ status: 200, statusLine: '', fields, contentLength: this.left });
    return true;
  }

  end(): boolean {
    return false;
  }
}

const memcachedHandler = (r: Request): number => {
  if (r.method !== 'GET' && r.method !== 'HEAD') return 405;
  const def = r.http.variables.find('memcached_key');
  const key = def ? (r.variable(def) ?? '') : '';
  if (key === '') {
    r.log('error', 'the "$memcached_key" variable is not set');
    return 500;
  }
  r.setContentType();
  const wanted = escapeUri(key, 'memcached');
  return run(
    'memcached',
    r,
    true,
    (conf) => ({
      requestHead: (u) => [Buffer.from(`get ${u.notes.key}\r\n`, 'latin1')],
      wrapBody: () => [],
      endBody: () => [],
      parser: (u, sink) =>
        new MemcachedParser(sink, u.notes.key as string, (conf.values.memcached_gzip_flag as number) ?? 0, () => {
          u.r.log('info', `key: "${u.notes.key}" was not found by memcached`);
          u.notes.notFound = true;
        }),
    }),
    false,
    wanted,
  );
};

export const memcachedModule: HttpModule = defineModule(
  'memcached',
  {
    memcached_pass: passDirective('memcached', memcachedHandler),
    memcached_gzip_flag: num(HSL, 0),
    ...sharedTable('memcached', 'error timeout denied invalid_response not_found off'.split(' ')),
  } as Table,
  {
    init(main) {
      main.variables.declare('memcached_key');
    },
    finish(conf, loc) {
      remember('memcached', conf as Record<string, unknown>, loc, { cache: false });
    },
  },
);

// ---------------------------------------------------------------- tunnel (forward proxy)

const tunnelHandler = (r: Request): number => {
  if (r.method !== 'CONNECT') return 405;
  if (r.version < 1001) return 405;
  const conf = confs.get('tunnel')!.get(r.loc)!;
  conf.protocol ??= {
    name: 'tunnel',
    keepsAlive: false,
    requestHead: () => [],
    wrapBody: () => [],
    endBody: () => [],
    parser: () => ({ feed: () => {}, end: () => true }),
  };
  const u = new Upstream(r, {
    protocol: conf.protocol,
    conf: conf.upstream,
    method: 'CONNECT',
    resolve: (upstream, done) => resolveGroup(upstream, conf.target!, done, 443),
  });
  u.notes.ownBody = true;
  u.connectTunnel = true;
  u.begin();
  return DONE;
};

export const tunnelModule: HttpModule = defineModule(
  'tunnel',
  {
    tunnel_pass: passDirective('tunnel', tunnelHandler, SERVER | LOCATION | LOCATION_IF, 443),
    ...sharedTable('tunnel', 'error timeout denied off'.split(' ')),
  } as Table,
  {
    init(main) {
      main.registry.set('tunnel', true);
    },
    finish(conf, loc) {
      remember('tunnel', conf as Record<string, unknown>, loc, { cache: false });
    },
  },
);

export function setHostParam(lookup: Parameters<typeof hostParam>[0]): void {
  hosts.host = hostParam(lookup);
}
