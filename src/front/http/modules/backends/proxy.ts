// proxy_*: the directives of HTTP back ends, compiled for each location. The request is made in proxy-request.ts.
import { custom, flag, HSL, LIMIT_EXCEPT, LOCATION, LOCATION_IF, num, oneOf, type Table } from '../../../config/directive.ts';
import { compileRegex } from '../../config/compile-regex.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';
import type { Loc, Request } from '../../model/types.ts';
import { cacheTable, readCacheConf } from '../../upstream/cache/cache-conf.ts';
import { checkBuffers, readUpstreamConf, responseTable, sharedTable } from '../../upstream/conf.ts';
import { readTlsConf, upstreamTlsTable } from '../../upstream/connection/tls.ts';
import type { UpstreamGroup } from '../../upstream/peers/group.ts';
import { literalGroup, realGroup } from '../../upstream/peers/runtime-group.ts';
import type { ProxyConf, SetHeader } from './proxy-conf.ts';
import { addressOf, startProxy } from './proxy-request.ts';
import { defaultRedirect } from './proxy-response.ts';
import { type CookieFlags, parseReplacement, type Replacement } from './proxy-rewrite.ts';
import { defaultPort, hostOf, isSecure, type PassAddress, type PassTarget, parsePassAddress } from './proxy-target.ts';

type Redirect = 'default' | Replacement;

const TABLE = {
  proxy_pass: custom<PassTarget | null>(LOCATION | LOCATION_IF | LIMIT_EXCEPT, 1, null, parsePass, { merge: (_, own) => own }),
  proxy_set_header: custom<SetHeader[] | null>(
    HSL,
    2,
    null,
    (f: HttpFrame, previous = []) => [...previous, { name: f.args[0], lname: f.args[0].toLowerCase(), value: f.scope.value(f.args[1]) }],
    { repeats: true },
  ),
  proxy_set_body: custom<Value | null>(HSL, 1, null, (f: HttpFrame) => f.scope.value(f.args[0])),
  proxy_method: custom<Value | null>(HSL, 1, null, (f: HttpFrame) => f.scope.value(f.args[0])),
  proxy_http_version: oneOf(HSL, ['1.0', '1.1', '2'], '1.1'),
  proxy_pass_trailers: flag(HSL, false),
  proxy_redirect: custom<Redirect[] | 'off' | null>(
    HSL,
    [1, 2],
    null,
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
  proxy_cookie_flags: custom<CookieFlags[] | null>(
    HSL,
    [1, 4],
    null,
    (f: HttpFrame, previous = []) => {
      if (f.args[0] === 'off' && f.args.length === 1) return [];
      if (f.args.length < 2) f.fail(`invalid parameter "${f.args[0]}"`);
      const [name, ...words] = f.args;
      for (const word of words) {
        if (!word.includes('$') && !/^(no)?(secure|httponly)$|^nosamesite$|^samesite=(strict|lax|none)$/.test(word))
          f.fail(`invalid parameter "${word}"`);
      }
      const regex = name.startsWith('~') ? compileRegex(f, name.replace(/^~\*?/, ''), true) : null;
      const flags = words.map((w) => f.scope.value(w));
      return [...previous, regex ? { regex, flags } : { name: f.scope.value(name), flags }];
    },
    { repeats: true },
  ),
  proxy_headers_hash_max_size: num(HSL, 512),
  proxy_headers_hash_bucket_size: num(HSL, 64),
};

function cookieRules(domain: boolean) {
  return custom<Replacement[] | null>(
    HSL,
    [1, 2],
    null,
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

const confs = new WeakMap<Loc, ProxyConf>();

/** `proxy_pass`, also used by `search_pass`. */
export function parsePass(f: HttpFrame): PassTarget {
  const [text] = f.args;
  const { loc } = f.scope;
  loc.handler = proxyHandler;
  if (loc.name.endsWith('/')) loc.autoRedirect = true;
  if (text.includes('$')) return { kind: 'evaluated', value: f.scope.value(text) };
  const address = parsePassAddress(text);
  if (!address) f.fail('invalid URL prefix');
  if (address.uri !== '' && (loc.kind === 'named' || loc.kind === 'regex' || loc.kind === 'if' || loc.kind === 'limit_except')) {
    f.fail(
      '"proxy_pass" cannot have URI part in location given by regular expression, or inside named location, or inside "if" statement, or inside "limit_except" block',
    );
  }
  return { kind: 'fixed', address, group: literalGroup(f, address.hostText, defaultPort(address)) };
}

/** The group that a location proxies to, and whether it does so by TLS; null if variables name it. */
export function proxyTarget(loc: Loc): { group: UpstreamGroup; secure: boolean } | null {
  const target = confs.get(loc)?.target;
  return target?.kind === 'fixed' ? { group: realGroup(target.group), secure: isSecure(target.address) } : null;
}

function proxyHandler(r: Request): number {
  const conf = confs.get(r.loc);
  const address = conf && addressOf(r, conf);
  if (!address) return 500;
  r.setCtx(proxyModule, address);
  return startProxy(r, conf, address);
}

const addressIn = (r: Request): PassAddress | null => r.getCtx<PassAddress>(proxyModule);

export const proxyModule = defineModule(
  'proxy',
  { ...TABLE, ...sharedTable('proxy'), ...responseTable('proxy'), ...cacheTable('proxy'), ...upstreamTlsTable('proxy') } as typeof TABLE &
    Table,
  {
    finish(conf, loc) {
      checkBuffers('proxy', conf);
      // an `if` or `limit_except` inside a proxied location also proxies
      if (!conf.proxy_pass && (loc.kind === 'if' || loc.kind === 'limit_except') && loc.parent) {
        const outer = confs.get(loc.parent);
        if (outer && !loc.handler) {
          conf.proxy_pass = outer.target;
          loc.handler = loc.parent.handler;
        }
      }
      if (conf.proxy_pass) confs.set(loc, compile(conf, conf.proxy_pass, loc));
    },
    variables: [
      {
        name: 'proxy_host',
        get: (r) => {
          const address = addressIn(r);
          return address ? hostOf(address) : null;
        },
      },
      { name: 'proxy_port', get: (r) => addressIn(r)?.port ?? null },
      {
        name: 'proxy_add_x_forwarded_for',
        get: (r) => {
          const before = r.headersJoined('x-forwarded-for');
          return before === null ? r.conn.remoteAddr : `${before}, ${r.conn.remoteAddr}`;
        },
      },
      { name: 'proxy_add_via', get: (r) => r.headersJoined('via') ?? null },
    ],
  },
);

type Conf = ReturnType<typeof proxyModule.conf>;

/** Client fields that concern its own connection. */
const DROPPED = ['host', 'connection', 'proxy-connection', 'keep-alive', 'transfer-encoding', 'te', 'upgrade', 'expect', 'content-length'];
/** Client fields that would make the response unsuitable for the cache. */
const CACHE_DROPPED = ['if-modified-since', 'if-unmodified-since', 'if-none-match', 'if-match', 'range', 'if-range'];
/** Fields of the response that are replaced by this server's own. */
const HIDDEN = ['date', 'server', 'x-pad'];

function compile(conf: Conf, target: PassTarget, loc: Loc): ProxyConf {
  const setHeaders = conf.proxy_set_header ?? [];
  const setNames = new Set(setHeaders.map((h) => h.lname));
  const redirects: readonly Redirect[] = conf.proxy_redirect === 'off' ? [] : (conf.proxy_redirect ?? ['default']);
  return {
    target,
    upstream: readUpstreamConf('proxy', conf, loc, HIDDEN),
    cache: readCacheConf('proxy', conf),
    tls: readTlsConf('proxy', conf),
    setHeaders: setHeaders.filter((h) => h.lname !== 'host'),
    setHost: setHeaders.findLast((h) => h.lname === 'host')?.value ?? null,
    setNames,
    dropped: new Set([...setNames, ...DROPPED]),
    droppedCaching: new Set([...setNames, ...DROPPED, ...CACHE_DROPPED]),
    setBody: conf.proxy_set_body,
    method: conf.proxy_method,
    version: conf.proxy_http_version,
    redirects: redirects.flatMap((rule) => (rule === 'default' ? defaultRedirect(target, loc) : [rule])),
    cookieDomains: conf.proxy_cookie_domain ?? [],
    cookiePaths: conf.proxy_cookie_path ?? [],
    cookieFlags: conf.proxy_cookie_flags ?? [],
  };
}
