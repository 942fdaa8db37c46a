// Variables of the http core.

import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { nowMs } from '../../../../http/wire/clock.ts';
import { joinHeader } from '../../../../http/wire/header.ts';
import { parseSize } from '../../../config/values.ts';
import { fsPath } from '../../../fs-path.ts';
import { core } from '../../config/core.ts';
import type { Variables } from '../../config/variables.ts';
import { stats } from '../../connection/stats.ts';
import { documentRoot, mapUri } from '../../files/paths.ts';
import type { Request, VariableDef, VariableFamily } from '../../model/types.ts';
import { findCookie } from '../../request/cookies.ts';
import { basicCredentials } from '../../request/credentials.ts';
import { findArg } from '../../request/parse.ts';
import { CLIENT_FAMILIES, CLIENT_VARIABLES, seconds } from './client-variables.ts';
import { congestionWindow } from './tcp-info.ts';

const cached = (name: string, get: (r: Request) => string | null): VariableDef => ({ name, get });
const live = (name: string, get: (r: Request) => string | null): VariableDef => ({ name, get, volatile: true });

/** In a log, a connection that stays open counts as closed, as in nginx. */
const staysOpen = (r: Request): boolean => r.main.keepalive && !r.main.done;

function connectionOut(r: Request): string {
  if (r.out.status === 101) return 'upgrade';
  return staysOpen(r) ? 'keep-alive' : 'close';
}

/** The Keep-Alive field of the response, which `keepalive_timeout` with a second argument adds. */
function keepAliveOut(r: Request): string | null {
  const { headerSeconds } = core.conf(r.main.loc).keepalive_timeout;
  const sent = staysOpen(r) && r.out.status !== 101 && !r.conn.http2;
  return sent && headerSeconds ? `timeout=${headerSeconds}` : null;
}

const CORE: VariableDef[] = [
  ...CLIENT_VARIABLES,
  cached('http_host', (r) => r.headerIn('host') ?? null),
  cached('server_protocol', (r) => r.protocol || null),
  cached('scheme', (r) => (r.conn.tls ? 'https' : 'http')),
  cached('https', (r) => (r.conn.tls ? 'on' : '')),
  cached('host', (r) => r.host || r.server.name || ''),
  cached('request_port', (r) => r.main.hostPort && String(Number(r.main.hostPort))),
  cached('is_request_port', (r) => (r.main.hostPort ? ':' : '')),
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
  live('request_method', (r) => r.main.method || null),
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
  live('tcpinfo_snd_cwnd', (r) => congestionWindow(r.conn)?.toString() ?? null),
  cached('pipe', (r) => (r.main.pipelined ? 'p' : '.')),
  cached('connection_requests', (r) => String(r.conn.requests)),
  live('connection_time', (r) => seconds(Date.now() - r.conn.startMs)),
  cached(
    'remote_user',
    (r) => basicCredentials(r.headerIn(r.method === 'CONNECT' ? 'proxy-authorization' : 'authorization'))?.user ?? null,
  ),
  cached('content_type', (r) => r.headersJoined('content-type') ?? null),
  live('content_length', (r) => {
    const text = r.headerIn('content-length');
    if (text !== null) return text;
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
      if (rate !== null) {
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
  cached('sent_http_keep_alive', keepAliveOut),
  cached('sent_http_transfer_encoding', (r) => (r.main.chunked ? 'chunked' : null)),
  live('connections_accepted', () => String(stats.accepted)),
];

function lastModifiedText(r: Request): string {
  return new Date(r.out.lastModified * 1000).toUTCString();
}

/** Repeatable fields whose values are joined by a separator of their own. */
const separator = (lname: string) => (lname === 'cookie' ? '; ' : ', ');

const FAMILIES: VariableFamily[] = [
  ...CLIENT_FAMILIES,
  {
    prefix: 'http_',
    make: (rest) => {
      const lname = rest.replace(/_/g, '-');
      return {
        get: (r) => {
          // fields whose names have underscores count, too, where they are accepted
          const isOdd = rest.includes('_') && r.headersIn.some((f) => f.lname.includes('_'));
          const fields = isOdd ? r.headersIn.map((f) => ({ ...f, lname: f.lname.replace(/_/g, '-') })) : r.headersIn;
          return joinHeader(fields, lname, separator(lname)) ?? null;
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
];

export function addCoreVariables(variables: Variables): void {
  variables.add(CORE, FAMILIES);
}
