// $upstream_*: one value for each attempted peer, `, ` between tries and ` : ` between groups.
import { findHeader } from '../../../http/wire/header.ts';
import { splitHostPort } from '../config/addresses.ts';
import type { Request, VariableDef, VariableFamily } from '../model/types.ts';
import type { UpstreamState } from '../model/upstream-state.ts';
import { setCookieValue } from '../request/cookies.ts';

function join(r: Request, show: (state: UpstreamState) => string): string | null {
  const states = r.upstreamStates ?? r.main.upstreamStates;
  if (!states || states.length === 0) return null;
  let out = '';
  let separator = '';
  for (const state of states) {
    if (state === ':') {
      if (out) separator = ' : ';
      continue;
    }
    out += separator + show(state);
    separator = ', ';
  }
  return out;
}

const time = (ms: number) => (ms < 0 ? '-' : (ms / 1000).toFixed(3));
const live = (name: string, get: (r: Request) => string | null): VariableDef => ({ name, get, volatile: true });

/** Value of a condition that revalidates an expired entry of the cache. */
function validator(r: Request, name: string): string | null {
  const { upstream } = r;
  if (upstream?.cacheStatus !== 'EXPIRED') return null;
  const line = upstream.conditional.split('\r\n').find((text) => text.startsWith(`${name}: `));
  return line?.slice(name.length + 2) ?? null;
}

export const UPSTREAM_VARIABLES: VariableDef[] = [
  live('upstream_addr', (r) => join(r, (s) => s.peer)),
  live('upstream_status', (r) => join(r, (s) => (s.status ? String(s.status) : '-'))),
  live('upstream_connect_time', (r) => join(r, (s) => time(s.connectMs))),
  live('upstream_header_time', (r) => join(r, (s) => time(s.headerMs))),
  live('upstream_response_time', (r) => join(r, (s) => time(s.responseMs))),
  live('upstream_response_length', (r) => join(r, (s) => String(s.responseLength + s.besideBytes))),
  live('upstream_bytes_received', (r) => join(r, (s) => String(s.bytesReceived))),
  live('upstream_bytes_sent', (r) => join(r, (s) => String(s.bytesSent))),
  live('upstream_queue_time', (r) => join(r, (s) => time(s.queueMs))),
  live('upstream_last_addr', (r) => r.upstream?.lastPeer?.name ?? null),
  live('upstream_last_server_name', (r) => {
    const peer = r.upstream?.lastPeer;
    return peer ? splitHostPort(peer.configured, 0).host : null;
  }),
  live('upstream_cache_status', (r) => r.upstream?.cacheStatus ?? null),
  live('upstream_cache_key', (r) => r.upstream?.cacheKey ?? null),
  live('upstream_cache_last_modified', (r) => validator(r, 'If-Modified-Since')),
  live('upstream_cache_etag', (r) => validator(r, 'If-None-Match')),
];

export const UPSTREAM_FAMILIES: VariableFamily[] = [
  {
    prefix: 'upstream_http_',
    make: (rest) => {
      const lname = rest.replace(/_/g, '-');
      return {
        volatile: true,
        get: (r) => {
          const fields = r.upstream?.head?.fields;
          if (!fields) return null;
          const values = fields.filter((f) => f.lname === lname).map((f) => f.value);
          return values.length === 0 ? null : values.join(', ');
        },
      };
    },
  },
  {
    prefix: 'upstream_trailer_',
    make: (rest) => ({ volatile: true, get: (r) => findHeader(r.upstream?.trailers ?? [], rest.replace(/_/g, '-'))?.value ?? null }),
  },
  {
    prefix: 'upstream_cookie_',
    make: (rest) => ({
      volatile: true,
      get: (r) => {
        for (const field of r.upstream?.head?.fields ?? []) {
          if (field.lname !== 'set-cookie') continue;
          const value = setCookieValue(field.value, rest);
          if (value !== null) return value;
        }
        return null;
      },
    }),
  },
];
