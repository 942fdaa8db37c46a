// grpc_pass: gRPC back ends (HTTP/2), with trailers, streaming in both directions and TLS.
import type { OutgoingHttpHeaders } from 'node:http2';
import { custom, HSL, LOCATION, LOCATION_IF, type Table } from '../../../config/directive.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';
import type { Loc, Request } from '../../model/types.ts';
import { escapeUri } from '../../request/parse.ts';
import { readUpstreamConf, responseTable, sharedTable, type UpstreamConf } from '../../upstream/conf.ts';
import { readTlsConf, type UpstreamTlsConf, upstreamTls, upstreamTlsTable } from '../../upstream/connection/tls.ts';
import type { UpstreamGroup } from '../../upstream/peers/group.ts';
import { literalGroup, realGroup, runtimeGroup } from '../../upstream/peers/runtime-group.ts';
import { Http2Peer } from '../../upstream/protocol/http2-peer.ts';
import type { Protocol, UpstreamTarget } from '../../upstream/protocol/protocol.ts';
import { Upstream } from '../../upstream/upstream.ts';

interface Target {
  hostText: string;
  secure: boolean;
  /** Set if the argument has variables. */
  value?: Value;
  group?: UpstreamGroup;
}

interface GrpcConf {
  target: Target;
  upstream: UpstreamConf;
  tls: UpstreamTlsConf;
  setHeaders: { lname: string; value: Value }[];
  protocol: Protocol<GrpcTarget>;
}

const confs = new WeakMap<Loc, GrpcConf>();

function split(text: string): { hostText: string; secure: boolean } {
  const m = /^grpc(s?):\/\//i.exec(text);
  return m ? { hostText: text.slice(m[0].length), secure: m[1] !== '' } : { hostText: text, secure: false };
}

function parsePass(f: HttpFrame): Target {
  const [text] = f.args;
  const { loc } = f.scope;
  loc.handler = handler;
  if (loc.name.endsWith('/')) loc.autoRedirect = true;
  if (text.includes('$')) return { ...split(text), value: f.scope.value(text) };
  const parts = split(text);
  return { ...parts, group: literalGroup(f, parts.hostText, 0) };
}

interface GrpcTarget extends UpstreamTarget {
  readonly hostText: string;
  readonly secure: boolean;
  readonly schema: string;
  readonly requestUri: string;
}

function handler(r: Request): number {
  const conf = confs.get(r.loc);
  if (!conf) return 500;
  const { target } = conf;
  const { hostText, secure } = target.value ? split(target.value.eval(r)) : target;
  return new Upstream<GrpcTarget>(r, {
    protocol: conf.protocol,
    conf: conf.upstream,
    target: {
      hostText,
      secure,
      schema: secure ? 'grpcs://' : 'grpc://',
      requestUri: r.validRawUri ? r.rawUri : escapeUri(r.uri, 'uri') + (r.args ? `?${r.args}` : ''),
    },
    method: r.method,
    resolve: (seeker) => {
      if (target.group) seeker.useGroup(realGroup(target.group));
      else runtimeGroup(seeker, hostText, secure ? 443 : 80);
    },
  }).start();
}

/** Client fields that concern its own connection, or that are replaced. */
const DROPPED = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'te',
  'upgrade',
  'expect',
  'content-length',
  'http2-settings',
]);

function requestHeaders(r: Request, { hostText, secure, requestUri }: GrpcTarget, setHeaders: GrpcConf['setHeaders']): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {
    ':method': r.method,
    ':scheme': secure ? 'https' : 'http',
    ':path': requestUri,
    ':authority': hostText.startsWith('unix:') ? 'localhost' : hostText,
  };
  const add = (lname: string, value: string): void => {
    const before = headers[lname];
    headers[lname] = before === undefined ? value : [before, value].flat().map(String);
  };
  const set = new Set(setHeaders.map((h) => h.lname));
  if (r.bodyOwner.contentLength >= 0 && !set.has('content-length')) add('content-length', String(r.bodyOwner.contentLength));
  if (/(?:^|,)\s*trailers\s*(?:$|[,;])/i.test(r.headersJoined('te') ?? '') && !set.has('te')) add('te', 'trailers');
  for (const { lname, value } of setHeaders) {
    const text = value.eval(r);
    if (lname === 'host') headers[':authority'] = text || headers[':authority'];
    else if (text !== '') add(lname, text);
  }
  for (const field of r.headersIn) if (!set.has(field.lname) && !DROPPED.has(field.lname)) add(field.lname, field.value);
  return headers;
}

const makeProtocol = (conf: Omit<GrpcConf, 'protocol'>): Protocol<GrpcTarget> => ({
  name: 'grpc',
  keepsAlive: true,
  connection: Http2Peer,
  parser: (x, sink) => {
    if (!(x.conn instanceof Http2Peer)) throw new Error('gRPC needs a connection of HTTP/2');
    return x.conn.makeParser(sink, (error) => {
      x.r.log('error', `${error.message} while reading response header from upstream`);
      x.next('invalid_header');
    });
  },
  requestHead: (x) => {
    const { r, conn, target } = x;
    const { body } = r.main;
    const streams = !!body?.consumer;
    try {
      if (conn instanceof Http2Peer) conn.request(requestHeaders(r, target, conf.setHeaders), !streams && !body?.size);
    } catch (error) {
      // HTTP/2 does not allow this field.
      r.log('error', `${(error as Error).message} while sending request to upstream`);
      x.finish(500);
    }
    return [];
  },
  wrapBody: (_, data) => [data],
  endBody: ({ conn }) => {
    if (conn && !conn.socket.writableEnded) conn.socket.end();
    return [];
  },
  tls: ({ r, target: { secure, hostText } }) => {
    if (!secure) return undefined;
    const settings = upstreamTls(r, conf.tls, hostText);
    return { ...settings, options: () => ({ ...settings.options(), ALPNProtocols: ['h2'] }) };
  },
});

/** No files or caches, unlike other back ends; both directions are streamed. */
const RESPONSE = ['intercept_errors', 'hide_header', 'pass_header', 'ignore_headers'].map((name) => `grpc_${name}`);
const response = Object.fromEntries(Object.entries(responseTable('grpc')).filter(([name]) => RESPONSE.includes(name)));

const TABLE = {
  grpc_pass: custom<Target | null>(LOCATION | LOCATION_IF, 1, null, parsePass, { merge: (_, own) => own }),
  grpc_set_header: custom<{ lname: string; value: Value }[] | null>(
    HSL,
    2,
    null,
    (f: HttpFrame, previous = []) => [...previous, { lname: f.args[0].toLowerCase(), value: f.scope.value(f.args[1]) }],
    { repeats: true },
  ),
};

export const grpcModule = defineModule(
  'grpc',
  { ...TABLE, ...sharedTable('grpc'), ...response, ...upstreamTlsTable('grpc') } as typeof TABLE & Table,
  {
    finish(conf, loc) {
      if (!conf.grpc_pass) {
        const outer = loc.kind === 'if' && loc.parent ? confs.get(loc.parent) : null;
        if (!outer || loc.handler) return;
        conf.grpc_pass = outer.target;
        loc.handler = handler;
      }
      const upstream = {
        ...readUpstreamConf('grpc', conf, loc, ['date', 'server']),
        buffering: false,
        requestBuffering: false,
        passTrailers: true,
      };
      const own = { target: conf.grpc_pass, upstream, tls: readTlsConf('grpc', conf), setHeaders: conf.grpc_set_header ?? [] };
      confs.set(loc, { ...own, protocol: makeProtocol(own) });
    },
  },
);
