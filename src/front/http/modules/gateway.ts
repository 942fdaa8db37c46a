/** What back ends that do not speak HTTP have in common: their `_pass` directives, configuration of a level, parameters, requests. */
import { custom, LOCATION, LOCATION_IF, type Spec } from '../../config/directive.ts';
import type { HttpFrame } from '../config/module.ts';
import type { Value } from '../config/value.ts';
import type { Loc, Request } from '../model/types.ts';
import { DONE } from '../request/codes.ts';
import { type CacheConf, readCacheConf } from '../upstream/cache-conf.ts';
import { hostParam, type Param } from '../upstream/cgi.ts';
import { checkBuffers, readUpstreamConf, type UpstreamConf } from '../upstream/conf.ts';
import type { UpstreamGroup } from '../upstream/group.ts';
import type { Protocol } from '../upstream/protocol.ts';
import { readTlsConf, type UpstreamTlsConf } from '../upstream/tls.ts';
import { Upstream } from '../upstream/upstream.ts';
import { literalGroup, realGroup, runtimeGroup } from './proxy-target.ts';

export interface Target {
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

export const confs = new Map<string, WeakMap<Loc, GatewayConf>>();

/** `PREFIX_pass`: an address, a group, or text with variables. */
export function passDirective(
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

export function resolveGroup(u: Upstream, target: Target, port = 0): void {
  if (target.group) u.useGroup(realGroup(target.group));
  else runtimeGroup(u, target.value!.eval(u.r).replace(/^s?uwsgi:\/\//i, ''), port);
}

/** For HEAD only the header is read, unless the cache wants the answer whole. */
export const skipsBody = (u: Upstream): boolean => u.r.method === 'HEAD' && !u.options.cache?.cacheable;

export function run(
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
    resolve: (upstream) => resolveGroup(upstream, conf.target!),
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
export function remember(
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
  if (!conf[passName]) {
    checkBuffers(prefix, conf);
    return;
  }
  let map = confs.get(prefix);
  if (!map) confs.set(prefix, (map = new WeakMap()));
  map.set(loc, {
    target: conf[passName] as Target,
    upstream: readUpstreamConf(prefix, conf, loc, prefix === 'uwsgi' ? [] : ['status']),
    cache: options.cache === false ? NO_CACHE : readCacheConf(prefix, conf),
    tls: options.tls ? readTlsConf(prefix, conf) : undefined,
    values: conf,
    params: options.params ?? [],
    protocol: undefined,
  });
}

const NO_CACHE = { start: () => undefined, cacheOf: () => undefined } as unknown as CacheConf;

/** Parameters of a level, with the Host one unless it is configured. */
export function paramsOf(own: Param[] | undefined, lookup: { host: Param | undefined }): Param[] {
  const params = own ?? [];
  return params.some((p) => p.name === 'HTTP_HOST') || !lookup.host ? params : [...params, lookup.host];
}

export const hosts: { host: Param | undefined } = { host: undefined };

export function setHostParam(lookup: Parameters<typeof hostParam>[0]): void {
  hosts.host = hostParam(lookup);
}
