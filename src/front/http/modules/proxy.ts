/** proxy_pass: HTTP back ends. */

import type { HeaderField } from '../../../http/wire/header.ts';
import { custom, flag, HSL, LIMIT_EXCEPT, LOCATION, LOCATION_IF, num, oneOf, type Table } from '../../config/directive.ts';
import { compileRegex } from '../config/compile-regex.ts';
import { defineModule, type HttpFrame } from '../config/module.ts';
import { parseValue, type Value } from '../config/value.ts';
import type { Loc, Request } from '../model/types.ts';
import { escapeUri } from '../request/parse.ts';
import { type CacheConf, cacheTable, readCacheConf } from '../upstream/cache-conf.ts';
import { checkBuffers, readUpstreamConf, responseTable, sharedTable, type UpstreamConf } from '../upstream/conf.ts';
import type { UpstreamGroup } from '../upstream/group.ts';
import { HttpResponseParser } from '../upstream/http-response.ts';
import type { Protocol } from '../upstream/protocol.ts';
import { readTlsConf, type UpstreamTlsConf, upstreamTls, upstreamTlsTable } from '../upstream/tls.ts';
import { Upstream } from '../upstream/upstream.ts';
import { type CookieFlags, parseReplacement, type Replacement, replace, rewriteCookie } from './proxy-rewrite.ts';
import { literalGroup, type PassTarget, realGroup, runtimeGroup, splitTarget } from './proxy-target.ts';

interface SetHeader {
  name: string;
  lname: string;
  value: Value;
}

type Redirect = 'default' | Replacement;

const HTTP_VERSION = oneOf(HSL, ['1.0', '1.1'], '1.1');

const TABLE = {
  proxy_pass: custom<PassTarget | undefined>(LOCATION | LOCATION_IF | LIMIT_EXCEPT, 1, undefined, parsePass, { merge: (_, own) => own }),
  proxy_set_header: custom<SetHeader[] | undefined>(
    HSL,
    2,
    undefined,
    (f: HttpFrame, previous = []) => [...previous, { name: f.args[0], lname: f.args[0].toLowerCase(), value: f.scope.value(f.args[1]) }],
    { repeats: true },
  ),
  proxy_set_body: custom<Value | undefined>(HSL, 1, undefined, (f: HttpFrame) => f.scope.value(f.args[0])),
  proxy_method: custom<Value | undefined>(HSL, 1, undefined, (f: HttpFrame) => f.scope.value(f.args[0])),
  proxy_http_version: {
    ...HTTP_VERSION,
    parse(f, previous) {
      if (f.args[0] === '2') f.fail('"proxy_http_version 2" is not supported by this server (grpc_pass speaks HTTP/2 to back ends)');
      return HTTP_VERSION.parse(f, previous);
    },
  } as typeof HTTP_VERSION,
  proxy_pass_trailers: flag(HSL, false),
  proxy_redirect: custom<Redirect[] | 'off' | undefined>(
    HSL,
    [1, 2],
    undefined,
    (f: HttpFrame, previous) => {
      if (previous === 'off') f.fail('"proxy_redirect" directive is duplicate');
      if (f.args.length === 1) {
        if (f.args[0] === 'off') return 'off';
        if (f.args[0] !== 'default') f.fail(`invalid parameter "${f.args[0]}"`);
        return [...(previous ?? []), 'default'];
      }
      return [...(previous ?? []), parseReplacement(f, f.args[0], f.args[1])];
    },
    { repeats: true },
  ),
  proxy_cookie_domain: cookieRules(true),
  proxy_cookie_path: cookieRules(false),
  proxy_cookie_flags: custom<CookieFlags[] | undefined>(
    HSL,
    [1, 4],
    undefined,
    (f: HttpFrame, previous = []) => {
      if (f.args[0] === 'off' && f.args.length === 1) return [];
      if (f.args.length < 2) f.fail(`invalid parameter "${f.args[0]}"`);
      const [name, ...words] = f.args;
      for (const word of words) {
        if (!word.includes('$') && !/^(no)?(secure|httponly)$|^nosamesite$|^samesite=(strict|lax|none)$/.test(word))
          f.fail(`invalid parameter "${word}"`);
      }
      const regex = name.startsWith('~') ? compileRegex(f, name.replace(/^~\*?/, ''), true) : undefined;
      return [...previous, { name: regex ? undefined : f.scope.value(name), regex, flags: words.map((w) => f.scope.value(w)) }];
    },
    { repeats: true },
  ),
  proxy_headers_hash_max_size: num(HSL, 512),
  proxy_headers_hash_bucket_size: num(HSL, 64),
};

function cookieRules(domain: boolean) {
  return custom<Replacement[] | undefined>(
    HSL,
    [1, 2],
    undefined,
    (f: HttpFrame, previous = []) => {
      if (f.args.length === 1) {
        if (f.args[0] !== 'off') f.fail(`invalid parameter "${f.args[0]}"`);
        return [];
      }
      return [...previous, parseReplacement(f, f.args[0], f.args[1], domain)];
    },
    { repeats: true },
  );
}

/** What a location's proxying needs, made once. */
interface ProxyConf {
  target: PassTarget | undefined;
  upstream: UpstreamConf;
  cache: CacheConf;
  tls: UpstreamTlsConf;
  setHeaders: SetHeader[] | undefined;
  /** lower-case names of setHeaders */
  setNames: ReadonlySet<string>;
  /** names that are not passed on as they came, also while the answer is to be cached */
  dropped: ReadonlySet<string>;
  droppedCaching: ReadonlySet<string>;
  resolve(u: Upstream): void;
  setBody: Value | undefined;
  method: Value | undefined;
  http11: boolean;
  redirects: Redirect[];
  cookieDomains: Replacement[];
  cookiePaths: Replacement[];
  cookieFlags: CookieFlags[];
}
const confs = new WeakMap<Loc, ProxyConf>();

/** `proxy_pass`, also where an engine's node is proxied to (`search_pass`). */
export function parsePass(f: HttpFrame): PassTarget {
  const [text] = f.args;
  const { loc } = f.scope;
  loc.handler = proxyHandler;
  if (loc.name.endsWith('/')) loc.autoRedirect = true;
  if (text.includes('$')) return { text, value: f.scope.value(text), schema: '', hostText: '', host: '', port: '', uri: '' };
  const parts = splitTarget(text);
  if (!parts) f.fail('invalid URL prefix');
  if (parts.uri !== '' && (loc.kind === 'named' || loc.kind === 'regex' || loc.kind === 'if' || loc.kind === 'limit_except')) {
    f.fail(
      '"proxy_pass" cannot have URI part in location given by regular expression, or inside named location, or inside "if" statement, or inside "limit_except" block',
    );
  }
  return { text, ...parts, group: literalGroup(f, parts.hostText, parts.schema === 'https://' ? 443 : 80) };
}

/** The group a location proxies to, where it is fixed, and whether by TLS. */
export function proxyTarget(loc: Loc): { group: UpstreamGroup; secure: boolean } | undefined {
  const target = confs.get(loc)?.target;
  return target?.group && { group: realGroup(target.group), secure: target.schema === 'https://' };
}

// ---------------------------------------------------------------- the request

function resolveTarget(u: Upstream, target: PassTarget): void {
  if (target.group) u.useGroup(realGroup(target.group));
  else {
    const { hostText, schema } = u.target as unknown as PassTarget;
    runtimeGroup(u, hostText, schema === 'https://' ? 443 : 80);
  }
}

function proxyHandler(r: Request): number {
  const conf = confs.get(r.loc)!;
  const { target } = conf;
  let parts: Omit<PassTarget, 'text'> | undefined = target;
  if (target!.value) {
    const text = target!.value.eval(r);
    parts = splitTarget(text);
    if (!parts) {
      r.log('error', `invalid URL prefix in "${text}"`);
      return 500;
    }
  }
  const method = conf.method?.eval(r) || r.method;
  const u = new Upstream(r, {
    protocol: protocolOf(conf),
    conf: conf.upstream,
    method: r.method === 'HEAD' && conf.cache.cacheOf(r) && conf.cache.convertHead ? 'GET' : method,
    resolve: conf.resolve,
    cache: conf.cache.start(r, () => proxyCacheKey(r, parts as PassTarget, conf)),
  });
  u.target = parts as unknown as Record<string, unknown>;
  u.notes.uri = requestUri(r, parts as PassTarget, conf) || '/';
  r.setCtx(proxyModule, parts);
  if (conf.setBody) u.notes.ownBody = true;
  return u.start();
}

function proxyCacheKey(r: Request, parts: PassTarget, conf: ProxyConf): string {
  return parts.schema + parts.hostText + requestUri(r, parts, conf);
}

/** URI to ask for: the location's name replaced by the URI part of proxy_pass. */
function requestUri(r: Request, parts: PassTarget, conf: ProxyConf): string {
  if (conf.target!.value && parts.uri !== '') return parts.uri;
  if (parts.uri === '' && r.validRawUri) return r.rawUri;
  const args = r.args ? `?${r.args}` : '';
  // what the client sent without escapes goes on without
  const path = (text: string): string => (r.internal || r.rawUri.includes('%') ? escapeUri(text, 'uri') : text);
  if (parts.uri === '') return path(r.uri) + args;
  const { loc } = r;
  const nameLength = r.validRawUri || loc.kind !== 'regex' ? loc.name.length : 0;
  const rest = loc.kind === 'if' || loc.kind === 'limit_except' ? '' : r.uri.slice(nameLength);
  return parts.uri + path(rest) + args;
}

const DROPPED = new Set(['host', 'connection', 'keep-alive', 'transfer-encoding', 'te', 'upgrade', 'expect', 'content-length']);
const CACHE_DROPPED = new Set(['if-modified-since', 'if-unmodified-since', 'if-none-match', 'if-match', 'range', 'if-range']);

function requestHead(u: Upstream, conf: ProxyConf): (Buffer | string)[] {
  const { r } = u;
  const parts = u.target as unknown as PassTarget;
  const method = u.options.method;
  const uri = u.notes.uri as string;
  let head = `${method} ${uri} HTTP/${conf.http11 ? '1.1' : '1.0'}\r\n`;
  const caching = u.options.cache?.cacheable === true;
  const set = conf.setHeaders ?? [];
  const names = conf.setNames;
  const bodyBytes = bodyLength(u, conf);
  for (const field of set) {
    const value = field.value.eval(r);
    if (value === '') continue;
    if (field.lname === 'upgrade') u.notes.upgrade = true;
    head += `${field.name}: ${value}\r\n`;
  }
  if (!names.has('host')) head += `Host: ${proxyHost(parts.hostText)}\r\n`;
  if (!names.has('connection') && !conf.http11) head += 'Connection: close\r\n';
  if (bodyBytes >= 0 && !names.has('content-length')) head += `Content-Length: ${bodyBytes}\r\n`;
  if (bodyBytes === CHUNKED && !names.has('transfer-encoding')) head += 'Transfer-Encoding: chunked\r\n';
  if (caching) head += u.notes.conditional ?? '';
  if (conf.upstream.passRequestHeaders) {
    const dropped = caching ? conf.droppedCaching : conf.dropped;
    for (const field of r.headersIn) if (!dropped.has(field.lname)) head += `${field.name}: ${field.value}\r\n`;
  }
  u.upgrade = u.notes.upgrade === true && conf.http11;
  head += '\r\n';
  return conf.setBody ? [head, u.notes.bodyText as string] : [head];
}

const NO_BODY = -1;
const CHUNKED = -2;

/** Bytes of the body that is sent, NO_BODY or CHUNKED. */
function bodyLength(u: Upstream, conf: ProxyConf): number {
  const { r } = u;
  if (conf.setBody) {
    const text = conf.setBody.eval(r);
    u.notes.bodyText = text;
    return text.length;
  }
  if (!conf.upstream.passRequestBody) return NO_BODY;
  const { body, contentLength, chunkedIn } = r.bodyOwner;
  if (body?.consumer) {
    if (!chunkedIn) return contentLength;
    u.notes.chunked = conf.http11;
    return conf.http11 ? CHUNKED : NO_BODY;
  }
  return body && (body.size > 0 || contentLength >= 0 || chunkedIn) ? body.size : NO_BODY;
}

/** Host of the peer's URL, its port where it is not the scheme's. */
function proxyHost(hostText: string): string {
  return hostText.startsWith('unix:') ? 'localhost' : hostText;
}

const protocols = new WeakMap<ProxyConf, Protocol>();

function protocolOf(conf: ProxyConf): Protocol {
  let protocol = protocols.get(conf);
  if (protocol) return protocol;
  protocol = {
    name: 'http',
    keepsAlive: conf.http11,
    needsLength: !conf.http11,
    readsInPlace: true,
    fixedHead: true,
    requestHead: (u) => requestHead(u, conf),
    wrapBody: (u, data) =>
      u.notes.chunked ? [Buffer.from(`${data.length.toString(16)}\r\n`, 'latin1'), data, Buffer.from('\r\n')] : [data],
    endBody: (u) => (u.notes.chunked ? [Buffer.from('0\r\n\r\n')] : []),
    parser: (u, sink) => new HttpResponseParser(sink, u.options.method === 'HEAD', conf.upstream.bufferSize),
    rewriteField: (u, field) => rewriteField(u, conf, field),
    tls: (u) => ((u.target as { schema?: string }).schema === 'https://' ? upstreamTls(u, conf.tls, proxyServerName(u)) : undefined),
  };
  protocols.set(conf, protocol);
  return protocol;
}

const proxyServerName = (u: Upstream): string => {
  const parts = u.target as unknown as PassTarget;
  return parts.host.replace(/^\[|\]$/g, '');
};

function rewriteField(u: Upstream, conf: ProxyConf, field: HeaderField): void {
  const { r } = u;
  if (field.lname === 'set-cookie') {
    if (conf.cookieDomains.length + conf.cookiePaths.length + conf.cookieFlags.length > 0) {
      field.value = rewriteCookie(r, field.value, conf.cookieDomains, conf.cookiePaths, conf.cookieFlags);
    }
    return;
  }
  let before = '';
  let url = field.value;
  if (field.lname === 'refresh') {
    const m = /^(.*?url=)(.*)$/is.exec(field.value);
    if (!m) return;
    [, before, url] = m;
  }
  const rules = conf.redirects.map((rule) => (rule === 'default' ? defaultRedirect(u.target as unknown as PassTarget, conf) : rule));
  const changed = replace(
    r,
    rules.filter((rule): rule is Replacement => rule !== undefined),
    url,
  );
  if (changed !== undefined) field.value = before + changed;
}

const constant = (text: string): Value =>
  parseValue(text.replace(/\$/g, ''), () => {
    throw new Error(`[${text}] must not contain variables`);
  });

function defaultRedirect(parts: PassTarget, conf: ProxyConf): Replacement | undefined {
  if (!conf.target || conf.target.value) return undefined;
  const loc = conf.upstream.local;
  const to = loc.kind === 'regex' || loc.kind === 'named' ? '/' : loc.name;
  return { prefix: constant(parts.schema + parts.hostText + parts.uri), to: constant(parts.uri === '' ? '' : to) };
}

// ---------------------------------------------------------------- the module

const partsOf = (r: Request): PassTarget | undefined => r.getCtx<PassTarget>(proxyModule);

export const proxyModule = defineModule(
  'proxy',
  { ...TABLE, ...sharedTable('proxy'), ...responseTable('proxy'), ...cacheTable('proxy'), ...upstreamTlsTable('proxy') } as typeof TABLE &
    Table,
  {
    finish(conf, loc) {
      checkBuffers('proxy', conf as unknown as Record<string, unknown>);
      // an `if` or `limit_except` inside a proxied location proxies too
      if (!conf.proxy_pass && (loc.kind === 'if' || loc.kind === 'limit_except') && loc.parent) {
        const outer = confs.get(loc.parent);
        if (outer?.target && !loc.handler) {
          conf.proxy_pass = outer.target;
          loc.handler = loc.parent.handler;
        }
      }
      if (!conf.proxy_pass && loc.kind !== 'http') {
        confs.delete(loc);
        if (!loc.handler) return;
      }
      confs.set(loc, compile(conf, loc));
    },
    variables: [
      { name: 'proxy_host', get: (r) => (partsOf(r) ? proxyHost(partsOf(r)!.hostText) : null) },
      { name: 'proxy_port', get: (r) => partsOf(r)?.port ?? null },
      {
        name: 'proxy_add_x_forwarded_for',
        get: (r) => {
          const before = r.headersJoined('x-forwarded-for');
          return before === undefined ? r.conn.remoteAddr : `${before}, ${r.conn.remoteAddr}`;
        },
      },
      { name: 'proxy_add_via', get: (r) => r.headersJoined('via') ?? null },
    ],
  },
);

type Conf = ReturnType<typeof proxyModule.conf>;

function compile(conf: Conf, loc: Loc): ProxyConf {
  const values = conf as unknown as Record<string, unknown>;
  const upstream = readUpstreamConf('proxy', values, loc, ['date', 'server', 'x-pad']);
  const setNames = new Set((conf.proxy_set_header ?? []).map((h) => h.lname));
  const redirects = conf.proxy_redirect === 'off' ? [] : (conf.proxy_redirect ?? (['default'] as Redirect[]));
  return {
    target: conf.proxy_pass,
    upstream,
    cache: readCacheConf('proxy', values),
    tls: readTlsConf('proxy', values),
    setHeaders: conf.proxy_set_header,
    setNames,
    dropped: new Set([...setNames, ...DROPPED]),
    droppedCaching: new Set([...setNames, ...DROPPED, ...CACHE_DROPPED]),
    resolve: (u) => resolveTarget(u, conf.proxy_pass!),
    setBody: conf.proxy_set_body,
    method: conf.proxy_method,
    http11: conf.proxy_http_version === '1.1',
    redirects,
    cookieDomains: conf.proxy_cookie_domain ?? [],
    cookiePaths: conf.proxy_cookie_path ?? [],
    cookieFlags: conf.proxy_cookie_flags ?? [],
  };
}
