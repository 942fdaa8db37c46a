// `proxy_http_version 2`: the request to a back end over HTTP/2. Without TLS the connection starts with HTTP/2 at once (prior knowledge).
import type { OutgoingHttpHeaders } from 'node:http2';
import { upstreamTls } from '../../upstream/connection/tls.ts';
import { Http2Peer } from '../../upstream/protocol/http2-peer.ts';
import type { Exchange } from '../../upstream/protocol/protocol.ts';
import type { ProxyConf, ProxyProtocol, ProxyTarget } from './proxy-conf.ts';
import { bodyLength, NO_BODY } from './proxy-length.ts';
import { rewriteField } from './proxy-response.ts';
import { hostOf, isSecure } from './proxy-target.ts';

/** Fields that HTTP/2 does not have. */
const FORBIDDEN = new Set(['host', 'connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'http2-settings']);

export const http2Protocol = (conf: ProxyConf): ProxyProtocol => ({
  name: 'http',
  pool: 'http2',
  keepsAlive: true,
  connection: Http2Peer,
  parser: (x, sink) =>
    peerOf(x).makeParser(sink, (error) => {
      x.r.log('error', `${error.message} while reading response header from upstream`);
      x.next('invalid_header');
    }),
  requestHead: (x) => {
    const ownBody = conf.setBody?.eval(x.r);
    const bytes = ownBody === undefined ? bodyLength(x.r, conf) : ownBody.length;
    const isEmpty = bytes === NO_BODY || bytes === 0;
    try {
      peerOf(x).request(headersOf(x, conf, bytes), isEmpty);
    } catch (error) {
      // HTTP/2 does not allow one of the fields
      x.r.log('error', `${(error as Error).message} while sending request to upstream`);
      x.finish(500);
      return [];
    }
    return ownBody === undefined || isEmpty ? [] : [ownBody];
  },
  wrapBody: (_, data) => [data],
  endBody: ({ conn }) => {
    if (conn && !conn.socket.writableEnded) conn.socket.end();
    return [];
  },
  rewriteField: ({ r }, field) => rewriteField(r, conf, field),
  tls: ({ r, target: { address } }) => {
    if (!isSecure(address)) return undefined;
    const settings = upstreamTls(r, conf.tls, address.host.replace(/^\[|\]$/g, ''));
    return { ...settings, options: () => ({ ...settings.options(), ALPNProtocols: ['h2'] }) };
  },
});

function peerOf({ conn }: Exchange<ProxyTarget>): Http2Peer {
  if (!(conn instanceof Http2Peer)) throw new Error('the connection does not speak HTTP/2');
  return conn;
}

/** @param bytes  length of the body, negative if it is unknown or there is none */
function headersOf(x: Exchange<ProxyTarget>, conf: ProxyConf, bytes: number): OutgoingHttpHeaders {
  const { r, target } = x;
  const headers: OutgoingHttpHeaders = {
    ':method': x.method,
    ':scheme': isSecure(target.address) ? 'https' : 'http',
    ':path': target.requestUri,
    ':authority': conf.setHost?.eval(r) || hostOf(target.address),
  };
  const add = (lname: string, value: string): void => {
    const before = headers[lname];
    headers[lname] = before === undefined ? value : [before, value].flat().map(String);
  };
  for (const { lname, value } of conf.setHeaders) {
    const text = FORBIDDEN.has(lname) ? '' : value.eval(r);
    if (text !== '') add(lname, text);
  }
  if (bytes >= 0 && !conf.setNames.has('content-length')) add('content-length', String(bytes));
  for (const line of x.caching ? x.conditional.split('\r\n') : []) {
    const colon = line.indexOf(': ');
    if (colon > 0) add(line.slice(0, colon).toLowerCase(), line.slice(colon + 2));
  }
  if (!conf.upstream.passRequestHeaders) return headers;
  const dropped = x.caching ? conf.droppedCaching : conf.dropped;
  for (const { lname, value } of r.headersIn) if (!dropped.has(lname) && !FORBIDDEN.has(lname)) add(lname, value);
  return headers;
}
