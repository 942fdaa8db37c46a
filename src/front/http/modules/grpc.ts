/** grpc_pass: back ends that speak gRPC (HTTP/2), with trailers, streams in both directions and TLS. */
import type { OutgoingHttpHeaders } from 'node:http2';
import { custom, HSL, LOCATION, LOCATION_IF, type Table } from '../../config/directive.ts';
import { defineModule, type HttpFrame } from '../config/module.ts';
import type { Value } from '../config/value.ts';
import type { Loc, Request } from '../model/types.ts';
import { escapeUri } from '../request/parse.ts';
import { readUpstreamConf, responseTable, sharedTable, type UpstreamConf } from '../upstream/conf.ts';
import type { UpstreamGroup } from '../upstream/group.ts';
import { GrpcParser, GrpcPeer } from '../upstream/grpc-peer.ts';
import type { Protocol } from '../upstream/protocol.ts';
import { readTlsConf, type UpstreamTlsConf, upstreamTls, upstreamTlsTable } from '../upstream/tls.ts';
import { Upstream } from '../upstream/upstream.ts';
import { literalGroup, realGroup, runtimeGroup } from './proxy-target.ts';

interface Target {
  hostText: string;
  secure: boolean;
  /** set where the argument has variables */
  value?: Value;
  group?: UpstreamGroup;
}

interface GrpcConf {
  target: Target | undefined;
  upstream: UpstreamConf;
  tls: UpstreamTlsConf;
  setHeaders: { lname: string; value: Value }[];
  protocol: Protocol;
}

const confs = new WeakMap<Loc, GrpcConf>();

function split(text: string): { hostText: string; secure: boolean } {
  const m = /^grpc(s?):\/\//i.exec(text);
  return m ? { hostText: text.slice(m[0].length), secure: m[1] !== '' } : { hostText: text, secure: false };
}

const portOf = (target: { secure: boolean }): number => (target.secure ? 443 : 80);

function parsePass(f: HttpFrame): Target {
  const [text] = f.args;
  const { loc } = f.scope;
  loc.handler = handler;
  if (loc.name.endsWith('/')) loc.autoRedirect = true;
  if (text.includes('$')) return { ...split(text), value: f.scope.value(text) };
  const parts = split(text);
  return { ...parts, group: literalGroup(f, parts.hostText, 0) };
}

function handler(r: Request): number {
  const conf = confs.get(r.loc)!;
  const target = conf.target!;
  const parts = target.value ? split(target.value.eval(r)) : target;
  const u = new Upstream(r, {
    protocol: conf.protocol,
    conf: conf.upstream,
    method: r.method,
    resolve: (upstream) => {
      if (target.group) upstream.useGroup(realGroup(target.group));
      else runtimeGroup(upstream, parts.hostText, portOf(parts));
    },
  });
  u.target = { schema: parts.secure ? 'grpcs://' : 'grpc://', hostText: parts.hostText, secure: parts.secure };
  return u.start();
}

/** Fields of the client's that say something of its own connection, or that are made anew. */
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

function requestHeaders(u: Upstream, conf: GrpcConf): OutgoingHttpHeaders {
  const { r } = u;
  const path = r.validRawUri ? r.rawUri : escapeUri(r.uri, 'uri') + (r.args ? `?${r.args}` : '');
  u.notes.uri = path;
  const { hostText, secure } = u.target as { hostText: string; secure: boolean };
  const headers: OutgoingHttpHeaders = {
    ':method': r.method,
    ':scheme': secure ? 'https' : 'http',
    ':path': path,
    ':authority': hostText.startsWith('unix:') ? 'localhost' : hostText,
  };
  const add = (lname: string, value: string): void => {
    const before = headers[lname];
    headers[lname] = before === undefined ? value : [before, value].flat().map(String);
  };
  const set = new Set(conf.setHeaders.map((h) => h.lname));
  if (r.bodyOwner.contentLength >= 0 && !set.has('content-length')) add('content-length', String(r.bodyOwner.contentLength));
  if (/(?:^|,)\s*trailers\s*(?:$|[,;])/i.test(r.headersJoined('te') ?? '') && !set.has('te')) add('te', 'trailers');
  for (const { lname, value } of conf.setHeaders) {
    const text = value.eval(r);
    if (lname === 'host') headers[':authority'] = text || headers[':authority'];
    else if (text !== '') add(lname, text);
  }
  for (const field of r.headersIn) if (!set.has(field.lname) && !DROPPED.has(field.lname)) add(field.lname, field.value);
  return headers;
}

function protocolOf(conf: Omit<GrpcConf, 'protocol'>): Protocol {
  return {
    name: 'grpc',
    keepsAlive: true,
    connection: GrpcPeer,
    parser: (u, sink) =>
      new GrpcParser(sink, u.conn as GrpcPeer, (error) => {
        u.r.log('error', `${error.message} while reading response header from upstream`);
        u.next('invalid_header');
      }),
    requestHead: (u) => {
      const { body } = u.r.main;
      const streams = body?.consumer !== undefined;
      try {
        (u.conn as GrpcPeer).request(requestHeaders(u, conf as GrpcConf), !streams && !body?.size, u.reader.parser as GrpcParser);
      } catch (error) {
        // a field that HTTP/2 does not allow
        u.r.log('error', `${(error as Error).message} while sending request to upstream`);
        u.finish(500);
      }
      return [];
    },
    wrapBody: (_, data) => [data],
    endBody: (u) => {
      if (u.conn && !u.conn.socket.writableEnded) u.conn.socket.end();
      return [];
    },
    tls: (u) => {
      const { secure, hostText } = u.target as { secure: boolean; hostText: string };
      if (!secure) return undefined;
      const settings = upstreamTls(u, conf.tls, hostText);
      return { ...settings, options: () => ({ ...settings.options(), ALPNProtocols: ['h2'] }) };
    },
  };
}

/** Of what other back ends have: nothing is kept in files or caches, both directions stream. */
const RESPONSE = ['intercept_errors', 'hide_header', 'pass_header', 'ignore_headers'].map((name) => `grpc_${name}`);
const response = Object.fromEntries(Object.entries(responseTable('grpc')).filter(([name]) => RESPONSE.includes(name)));

const TABLE = {
  grpc_pass: custom<Target | undefined>(LOCATION | LOCATION_IF, 1, undefined, parsePass, { merge: (_, own) => own }),
  grpc_set_header: custom<{ lname: string; value: Value }[] | undefined>(
    HSL,
    2,
    undefined,
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
        const outer = loc.kind === 'if' && loc.parent ? confs.get(loc.parent) : undefined;
        if (!outer?.target || loc.handler) return;
        conf.grpc_pass = outer.target;
        loc.handler = handler;
      }
      const values = conf as unknown as Record<string, unknown>;
      const upstream = {
        ...readUpstreamConf('grpc', values, loc, ['date', 'server']),
        buffering: false,
        requestBuffering: false,
        passTrailers: true,
      };
      const own = { target: conf.grpc_pass, upstream, tls: readTlsConf('grpc', values), setHeaders: conf.grpc_set_header ?? [] };
      confs.set(loc, { ...own, protocol: protocolOf(own) });
    },
  },
);
