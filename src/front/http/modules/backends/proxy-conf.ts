// The configuration of a location that proxies to HTTP back ends, compiled from the proxy_* directives.
import type { Value } from '../../config/value.ts';
import type { CacheConf } from '../../upstream/cache/cache-conf.ts';
import type { UpstreamConf } from '../../upstream/conf.ts';
import type { UpstreamTlsConf } from '../../upstream/connection/tls.ts';
import type { Protocol, UpstreamTarget } from '../../upstream/protocol/protocol.ts';
import type { CookieFlags, Replacement } from './proxy-rewrite.ts';
import type { PassAddress, PassTarget } from './proxy-target.ts';

export interface SetHeader {
  name: string;
  lname: string;
  value: Value;
}

export interface ProxyConf {
  target: PassTarget;
  upstream: UpstreamConf;
  cache: CacheConf;
  tls: UpstreamTlsConf;
  /** fields of proxy_set_header other than Host */
  setHeaders: readonly SetHeader[];
  /** the last `proxy_set_header Host` */
  setHost: Value | null;
  /** lower-case names of all fields of proxy_set_header */
  setNames: ReadonlySet<string>;
  /** lower-case names of the client's fields that are not passed on */
  dropped: ReadonlySet<string>;
  /** the same for requests whose response may be stored in the cache */
  droppedCaching: ReadonlySet<string>;
  setBody: Value | null;
  method: Value | null;
  version: '1.0' | '1.1' | '2';
  redirects: readonly Replacement[];
  cookieDomains: readonly Replacement[];
  cookiePaths: readonly Replacement[];
  cookieFlags: readonly CookieFlags[];
}

/** A request to an HTTP back end. */
export interface ProxyTarget extends UpstreamTarget {
  readonly address: PassAddress;
  readonly schema: string;
  readonly requestUri: string;
  /** the body is sent in chunks; known once the head is made */
  isChunked: boolean;
}

export type ProxyProtocol = Protocol<ProxyTarget>;
