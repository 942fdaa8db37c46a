// Variables of the http core.

import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { nowMs } from '../../../../http/wire/clock.ts';
import { joinHeader } from '../../../../http/wire/header.ts';
import { parseSize } from '../../../config/values.ts';
import { fsPath } from '../../../fs-path.ts';
import { NGINX_VERSION } from '../../../version.ts';
import type { Variables } from '../../config/variables.ts';
import { stats } from '../../connection/stats.ts';
import { documentRoot, mapUri } from '../../files/paths.ts';
import type { Request, VariableDef, VariableFamily } from '../../model/types.ts';
import { binaryAddress } from '../../request/address.ts';
import { findCookie } from '../../request/cookies.ts';
import { findArg } from '../../request/parse.ts';

const two = (n: number) => (n < 10 ? `0${n}` : String(n));
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

function zone(d: Date, separator: string): string {
  const minutes = -d.getTimezoneOffset();
  const abs = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(abs / 60))}${separator}${two(abs % 60)}`;
}

function timeLocal(): string {
  const d = new Date();
  return `${two(d.getDate())}/${MONTHS[d.getMonth()]}/${d.getFullYear()}:${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())} ${zone(d, '')}`;
}

function timeIso(): string {
  const d = new Date();
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}T${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}${zone(d, ':')}`;
}

function remoteUser(r: Request): string | null {
  const text = r.headerIn('authorization');
  const m = text === undefined ? null : /^basic +(.+)$/i.exec(text);
  if (!m) return null;
  const decoded = Buffer.from(m[1], 'base64').latin1Slice();
  const colon = decoded.indexOf(':');
  return colon < 0 ? null : decoded.slice(0, colon);
}

const cached = (name: string, get: (r: Request) => string | null): VariableDef => ({ name, get });
const live = (name: string, get: (r: Request) => string | null): VariableDef => ({ name, get, volatile: true });

const seconds = (ms: number) => (ms / 1000).toFixed(3);

function connectionOut(r: Request): string {
  if (r.out.status === 101) return 'upgrade';
  return r.main.keepalive ? 'keep-alive' : 'close';
}

const CORE: VariableDef[] = [
  cached('http_host', (r) => r.headerIn('host') ?? null),
  cached('binary_remote_addr', (r) => binaryAddress(r.conn.remoteAddr)),
  cached('remote_addr', (r) => r.conn.remoteAddr),
  cached('remote_port', (r) => (r.conn.remotePort ? String(r.conn.remotePort) : '')),
  cached('server_addr', (r) => r.conn.localAddr),
  cached('server_port', (r) => (r.conn.localPort ? String(r.conn.localPort) : '')),
  cached('server_name', (r) => r.server.name),
  cached('server_protocol', (r) => r.protocol || null),
  cached('scheme', (r) => (r.conn.tls ? 'https' : 'http')),
  cached('https', (r) => (r.conn.tls ? 'on' : '')),
  cached('host', (r) => r.host || r.server.name || ''),
  cached('request_port', (r) => r.main.hostPort),
  cached('is_request_port', (r) => (r.main.hostPort ? ':' : '')),
  cached('hostname', () => hostname()),
  cached('nginx_version', () => NGINX_VERSION),
  cached('pid', () => String(process.pid)),
  cached('request', (r) => r.main.requestLine || null),
  cached('request_uri', (r) => r.main.rawUri || null),
  live('uri', (r) => r.uri || null),
  live('document_uri', (r) => r.uri || null),
  {
    name: 'args',
    volatile: true,
    get: (r) => r.args || (r.emptyArgs ? '' : null),
    set: (r, value) => {
      r.args = value;
      r.emptyArgs = true;
      r.validRawUri = false;
    },
  },
  live('query_string', (r) => r.args || (r.emptyArgs ? '' : null)),
  live('is_args', (r) => (r.args ? '?' : '')),
  live('request_method', (r) => r.main.method),
  live('request_filename', (r) => mapUri(r)),
  live('document_root', (r) => documentRoot(r)),
  live('realpath_root', (r) => {
    try {
      return realpathSync(fsPath(documentRoot(r))).toString();
    } catch {
      return null;
    }
  }),
  live('status', (r) => {
    const status = r.errStatus || r.out.status;
    return status ? String(status).padStart(3, '0') : r.version === 9 ? '009' : '000';
  }),
  cached('bytes_sent', (r) => String(r.conn.output.sent)),
  cached('body_bytes_sent', (r) => String(Math.max(0, r.conn.output.sent - r.main.headerSize))),
  live('request_time', (r) => seconds(nowMs() - r.startMs)),
  live('request_length', (r) => String(r.requestLength)),
  live('msec', () => seconds(nowMs())),
  live('time_local', timeLocal),
  live('time_iso8601', timeIso),
  live('time_iso8601_ms', () => timeIso().replace(/(?=[+-]\d\d:\d\d$)/, `.${String(Date.now() % 1000).padStart(3, '0')}`)),
  live('date_w3c', () => new Date().toISOString().slice(0, 10)),
  live('time_w3c', () => new Date().toISOString().slice(11, 19)),
  cached('pipe', (r) => (r.main.pipelined ? 'p' : '.')),
  cached('connection', (r) => String(r.conn.id)),
  cached('connection_requests', (r) => String(r.conn.requests)),
  live('connection_time', (r) => seconds(Date.now() - r.conn.startMs)),
  cached('remote_user', (r) => remoteUser(r) || null),
  cached('content_type', (r) => r.headersJoined('content-type') ?? null),
  live('content_length', (r) => {
    const text = r.headerIn('content-length');
    if (text !== undefined) return text;
    return r.bodyOwner.chunkedIn && r.bodyOwner.body?.complete ? String(r.bodyOwner.body.size) : null;
  }),
  cached('request_id', (r) => (r.main.requestId ||= randomBytes(16).toString('hex'))),
  cached('request_completion', (r) => (r.main.complete ? 'OK' : '')),
  cached('request_body', (r) => {
    const { body } = r.bodyOwner;
    return body && !body.file && body.complete && body.size > 0 && body.buffers.length > 0 ? body.read().latin1Slice() : null;
  }),
  cached('request_body_file', (r) => r.bodyOwner.body?.file?.path ?? null),
  {
    name: 'limit_rate',
    volatile: true,
    get: (r) => String(r.main.limitRate ?? 0),
    set: (r, value) => {
      const rate = parseSize(value);
      if (rate !== undefined) {
        r.main.limitRate = rate;
        r.main.limitRateAfter ??= 0;
      }
    },
  },
  cached('sent_http_content_type', (r) => r.out.contentTypeText || null),
  cached('sent_http_content_length', (r) => (r.out.contentLength >= 0 ? String(r.out.contentLength) : null)),
  cached('sent_http_last_modified', (r) => (r.out.lastModified >= 0 ? lastModifiedText(r) : (r.out.get('last-modified')?.value ?? null))),
  cached('sent_http_location', (r) => r.out.location ?? r.out.get('location')?.value ?? null),
  cached('sent_http_connection', connectionOut),
  cached('sent_http_transfer_encoding', (r) => (r.main.chunked ? 'chunked' : null)),
  cached('proxy_protocol_addr', (r) => r.conn.proxy?.addr ?? ''),
  cached('proxy_protocol_port', (r) => (r.conn.proxy ? String(r.conn.proxy.port) : '')),
  cached('proxy_protocol_server_addr', (r) => r.conn.proxy?.serverAddr ?? ''),
  cached('proxy_protocol_server_port', (r) => (r.conn.proxy ? String(r.conn.proxy.serverPort) : '')),
  live('connections_accepted', () => String(stats.accepted)),
];

function lastModifiedText(r: Request): string {
  return new Date(r.out.lastModified * 1000).toUTCString();
}

/** Repeatable fields whose values are joined by a separator of their own. */
const separator = (lname: string) => (lname === 'cookie' ? '; ' : ', ');

const FAMILIES: VariableFamily[] = [
  {
    prefix: 'http_',
    make: (rest) => {
      const lname = rest.replace(/_/g, '-');
      return {
        get: (r) => {
          const exact = joinHeader(r.headersIn, lname, separator(lname));
          if (exact !== undefined || !rest.includes('_')) return exact ?? null;
          return (
            joinHeader(
              r.headersIn.map((f) => (f.lname.includes('_') ? { ...f, lname: f.lname.replace(/_/g, '-') } : f)),
              lname,
            ) ?? null
          );
        },
      };
    },
  },
  { prefix: 'sent_http_', make: (rest) => ({ get: (r) => joinHeader(r.out.fields, rest.replace(/_/g, '-')) ?? null }) },
  {
    prefix: 'sent_trailer_',
    make: (rest) => ({ get: (r) => joinHeader(r.out.trailers, rest.replace(/_/g, '-')) ?? null }),
  },
  { prefix: 'cookie_', make: (rest) => ({ get: (r) => findCookie(r.headersIn, rest) ?? null }) },
  { prefix: 'arg_', make: (rest) => ({ volatile: true, get: (r) => findArg(r.args, rest) ?? null }) },
  { prefix: 'proxy_protocol_tlv_', make: (rest) => ({ get: (r) => r.conn.proxy?.tlvs.get(rest) ?? null }) },
];

export function addCoreVariables(variables: Variables): void {
  variables.add(CORE, FAMILIES);
}
