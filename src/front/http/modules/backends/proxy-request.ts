// The request to an HTTP back end: its address, URI, head and body framing.
import type { Loc, Request } from '../../model/types.ts';
import { escapeUri } from '../../request/parse.ts';
import { upstreamTls } from '../../upstream/connection/tls.ts';
import { type GroupSeeker, realGroup, runtimeGroup } from '../../upstream/peers/runtime-group.ts';
import { HttpResponseParser } from '../../upstream/protocol/http-response.ts';
import type { Exchange } from '../../upstream/protocol/protocol.ts';
import { Upstream } from '../../upstream/upstream.ts';
import type { ProxyConf, ProxyProtocol, ProxyTarget } from './proxy-conf.ts';
import { http2Protocol } from './proxy-http2.ts';
import { bodyLength, CHUNKED } from './proxy-length.ts';
import { rewriteField } from './proxy-response.ts';
import { defaultPort, hostOf, isSecure, type PassAddress, parsePassAddress } from './proxy-target.ts';

/** The address of the request: fixed, or evaluated per request. Undefined (and logged) if the variables yield no URL. */
export function addressOf(r: Request, { target }: ProxyConf): PassAddress | null {
  if (target.kind === 'fixed') return target.address;
  const text = target.value.eval(r);
  const address = parsePassAddress(text);
  // A scheme alone is no prefix of a URL.
  if (address && (address.hostText !== '' || address.uri !== '')) return address;
  r.log('error', `invalid URL prefix in "${text}"`);
  return null;
}

/** Starts the exchange with the back end. Returns a code for the content handler. */
export function startProxy(r: Request, conf: ProxyConf, address: PassAddress): number {
  const requestUri = requestUriOf(r, conf, address) || '/';
  const method = conf.method?.eval(r) || r.method;
  return new Upstream<ProxyTarget>(r, {
    protocol: protocolOf(conf),
    conf: conf.upstream,
    target: { address, schema: address.schema, requestUri, isChunked: false },
    method: r.method === 'HEAD' && conf.cache.convertHead && conf.cache.cacheOf(r) ? 'GET' : method,
    resolve: (seeker) => resolveGroup(seeker, conf, address),
    cache: conf.cache.start(r, () => address.schema + address.hostText + requestUriOf(r, conf, address)) ?? null,
    ownBody: conf.setBody !== null,
  }).start();
}

function resolveGroup(seeker: GroupSeeker, { target }: ProxyConf, address: PassAddress): void {
  if (target.kind === 'fixed') seeker.useGroup(realGroup(target.group));
  else runtimeGroup(seeker, address.hostText, defaultPort(address));
}

/** URI to request: the name of the location is replaced by the URI part of proxy_pass. */
function requestUriOf(r: Request, { target }: ProxyConf, { uri }: PassAddress): string {
  if (target.kind === 'evaluated' && uri !== '') return uri;
  if (uri === '' && r.validRawUri) return r.rawUri;
  const args = r.args ? `?${r.args}` : '';
  // a path that the client sent without escapes is passed on unescaped
  const path = (text: string): string => (r.internal || r.rawUri.includes('%') ? escapeUri(text, 'uri') : text);
  // After `rewrite ... break` the URI of proxy_pass does not apply.
  if (uri === '' || !r.validLocation) return path(r.uri) + args;
  return uri + path(restOfUri(r, r.loc)) + args;
}

/** The part of the URI after the name of the location. */
function restOfUri(r: Request, loc: Loc): string {
  if (loc.kind === 'if' || loc.kind === 'limit_except') return '';
  return r.uri.slice(r.validRawUri || loc.kind !== 'regex' ? loc.name.length : 0);
}

const protocols = new WeakMap<ProxyConf, ProxyProtocol>();

function protocolOf(conf: ProxyConf): ProxyProtocol {
  let protocol = protocols.get(conf);
  if (!protocol) protocols.set(conf, (protocol = conf.version === '2' ? http2Protocol(conf) : makeProtocol(conf)));
  return protocol;
}

const CRLF = Buffer.from('\r\n');

const makeProtocol = (conf: ProxyConf): ProxyProtocol => ({
  name: 'http',
  keepsAlive: conf.version === '1.1',
  needsLength: conf.version === '1.0',
  readsInPlace: true,
  fixedHead: true,
  requestHead: (x) => requestHead(x, conf),
  wrapBody: ({ target }, data) => (target.isChunked ? [Buffer.from(`${data.length.toString(16)}\r\n`, 'latin1'), data, CRLF] : [data]),
  endBody: ({ target }) => (target.isChunked ? [Buffer.from('0\r\n\r\n')] : []),
  parser: (x, sink) => new HttpResponseParser(sink, x.method === 'HEAD', conf.upstream.bufferSize),
  rewriteField: ({ r }, field) => rewriteField(r, conf, field),
  tls: ({ r, target: { address } }) => (isSecure(address) ? upstreamTls(r, conf.tls, address.host.replace(/^\[|\]$/g, '')) : undefined),
});

function requestHead(x: Exchange<ProxyTarget>, conf: ProxyConf): (Buffer | string)[] {
  const { r, target, caching } = x;
  const ownBody = conf.setBody?.eval(r);
  const names = conf.setNames;
  let upgrade = false;
  let head = `${x.method} ${target.requestUri} HTTP/${conf.version}\r\n`;
  const bodyBytes = ownBody === undefined ? bodyLength(r, conf) : ownBody.length;
  target.isChunked = bodyBytes === CHUNKED;
  // HTTP/1.1 demands the field, so an empty value of proxy_set_header means the default there.
  const host = conf.setHost?.eval(r) || (conf.setHost && conf.version === '1.0' ? '' : hostOf(target.address));
  if (host !== '') head += `Host: ${host}\r\n`;
  for (const field of conf.setHeaders) {
    const value = field.value.eval(r);
    if (value === '') continue;
    if (field.lname === 'upgrade') upgrade = true;
    head += `${field.name}: ${value}\r\n`;
  }
  if (bodyBytes >= 0 && !names.has('content-length')) head += `Content-Length: ${bodyBytes}\r\n`;
  if (bodyBytes === CHUNKED && !names.has('transfer-encoding')) head += 'Transfer-Encoding: chunked\r\n';
  if (caching) head += x.conditional;
  if (conf.upstream.passRequestHeaders) {
    const dropped = caching ? conf.droppedCaching : conf.dropped;
    for (const field of r.headersIn) if (!dropped.has(field.lname)) head += `${field.name}: ${field.value}\r\n`;
  }
  x.upgrade = upgrade && conf.version === '1.1';
  head += '\r\n';
  return ownBody === undefined ? [head] : [head, ownBody];
}
