// Common parts of back ends with protocols other than HTTP: `_pass` directives, configuration of a level, parameters, requests.
import { present } from '../../../../common/present.ts';
import { custom, LOCATION, LOCATION_IF, type Spec } from '../../../config/directive.ts';
import type { HttpFrame } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';
import type { Loc, Request } from '../../model/types.ts';
import { type CacheConf, readCacheConf } from '../../upstream/cache/cache-conf.ts';
import { checkBuffers, readUpstreamConf, type UpstreamConf } from '../../upstream/conf.ts';
import { readTlsConf, type UpstreamTlsConf } from '../../upstream/connection/tls.ts';
import type { UpstreamGroup } from '../../upstream/peers/group.ts';
import { type GroupSeeker, literalGroup, realGroup, runtimeGroup } from '../../upstream/peers/runtime-group.ts';
import { hostParam, type Param } from '../../upstream/protocol/cgi.ts';
import type { Exchange, Protocol } from '../../upstream/protocol/protocol.ts';
import { Upstream } from '../../upstream/upstream.ts';

export interface Target {
  text: string;
  value?: Value;
  group?: UpstreamGroup;
  secure: boolean;
}

export interface GatewayConf {
  target: Target;
  upstream: UpstreamConf;
  /** null if the protocol has no cache. */
  cache: CacheConf | null;
  tls: UpstreamTlsConf | null;
  values: Record<string, unknown>;
  params: Param[];
}

export const confs = new Map<string, WeakMap<Loc, GatewayConf>>();

/** `PREFIX_pass`: an address, an upstream, or a string with variables. */
export function passDirective(
  prefix: string,
  handler: (r: Request) => number,
  contexts = LOCATION | LOCATION_IF,
  port = 0,
): Spec<Target | null> {
  return custom<Target | null>(
    contexts,
    prefix === 'tunnel' ? [0, 1] : 1,
    null,
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

export function resolveGroup(seeker: GroupSeeker, target: Target, port = 0): void {
  if (target.group) seeker.useGroup(realGroup(target.group));
  else if (target.value) runtimeGroup(seeker, target.value.eval(seeker.r).replace(/^s?uwsgi:\/\//i, ''), port);
}

/** HEAD reads only the header, unless the cache needs the whole response. */
export const skipsBody = (x: Exchange): boolean => x.r.method === 'HEAD' && !x.caching;

/** Configuration of the location whose handler runs. */
export function confOf(prefix: string, loc: Loc): GatewayConf {
  const conf = confs.get(prefix)?.get(loc);
  if (!conf) throw new Error(`${prefix}_pass is not configured here`);
  return conf;
}

/** The protocol of each configuration, created on first use. */
export function protocolFor<T = unknown>(make: (conf: GatewayConf) => Protocol<T>): (conf: GatewayConf) => Protocol<T> {
  const made = new WeakMap<GatewayConf, Protocol<T>>();
  return (conf) => {
    let protocol = made.get(conf);
    if (!protocol) made.set(conf, (protocol = make(conf)));
    return protocol;
  };
}

/** Starts the exchange of a request with its back end. */
export function run(r: Request, conf: GatewayConf, protocol: Protocol): number {
  return new Upstream(r, {
    protocol,
    conf: conf.upstream,
    target: {},
    method: r.method,
    resolve: (seeker) => resolveGroup(seeker, conf.target),
    cache: conf.cache?.start(r, () => r.uri),
  }).start();
}

/** Completes the configuration of a level for a prefix. */
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
    loc.handler = present(loc.parent).handler;
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
    cache: options.cache === false ? null : readCacheConf(prefix, conf),
    tls: options.tls ? readTlsConf(prefix, conf) : null,
    values: conf,
    params: options.params ?? [],
  });
}

/** Parameters of a level; adds Host unless it is configured. */
export function paramsOf(own: Param[] | null, lookup: { host: Param | null }): Param[] {
  const params = own ?? [];
  return params.some((p) => p.name === 'HTTP_HOST') || !lookup.host ? params : [...params, lookup.host];
}

export const hosts: { host: Param | null } = { host: null };

export function setHostParam(lookup: Parameters<typeof hostParam>[0]): void {
  hosts.host = hostParam(lookup);
}
