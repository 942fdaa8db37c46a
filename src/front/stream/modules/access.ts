// Access control: set_real_ip_from (the client's address as reported by a trusted proxy), limit_conn, allow and deny.
import { isIP } from 'node:net';
import { custom, flag, HS, HTTP, oneOf } from '../../config/directive.ts';
import type { HttpModule, VariableDef } from '../../http/model/types.ts';
import { accessRule, findRule, rulesOf } from '../../http/modules/access/access-rules.ts';
import { type ConnLimit, enterZones, LIMIT_LEVELS, parseConnLimit, parseConnZone } from '../../http/modules/access/conn-zones.ts';
import { isTrusted, parseTrusted, type Trusted } from '../../http/modules/access/trusted.ts';
import { DECLINED } from '../../http/request/codes.ts';
import { defineStreamModule, STATUS, type StreamMain, type StreamSession, sessionOf, setState, stateOf } from '../model.ts';

// ---------------------------------------------------------------- set_real_ip_from

const realipTable = { set_real_ip_from: custom<Trusted | null>(HS, 1, null, parseTrusted, { repeats: true }) };

/** The original address of the connection, if it was replaced. */
interface Replaced {
  addr: string;
  port: number;
}

const realipVariable = (name: string, get: (s: StreamSession, replaced: Replaced | null) => string): VariableDef => ({
  name,
  volatile: true,
  get: (r) => get(sessionOf(r), stateOf<Replaced>(sessionOf(r), streamRealip)),
});

export const streamRealip: HttpModule<typeof realipTable, StreamMain> = defineStreamModule('stream_realip', realipTable, {
  init(main) {
    main.postAccept.push(realip);
  },
  variables: [
    realipVariable('realip_remote_addr', (s, replaced) => replaced?.addr ?? s.conn.remoteAddr),
    realipVariable('realip_remote_port', (s, replaced) => String(replaced?.port ?? s.conn.remotePort)),
  ],
});

function realip(s: StreamSession): number {
  const trusted = streamRealip.conf(s.loc).set_real_ip_from;
  const { conn } = s;
  if (!trusted || !conn.proxy || !isTrusted(trusted, conn.remoteAddr) || isIP(conn.proxy.addr) === 0) return DECLINED;
  setState(s, streamRealip, { addr: conn.remoteAddr, port: conn.remotePort } satisfies Replaced);
  conn.remoteAddr = conn.proxy.addr;
  conn.remotePort = conn.proxy.port;
  return DECLINED;
}

// ---------------------------------------------------------------- limit_conn

const limitTable = {
  limit_conn_zone: custom<undefined>(HTTP, 2, undefined, parseConnZone, { repeats: true }),
  limit_conn: custom<ConnLimit[] | null>(HS, 2, null, parseConnLimit, { repeats: true }),
  limit_conn_log_level: oneOf(HS, LIMIT_LEVELS, 'error'),
  limit_conn_dry_run: flag(HS, false),
};

export const streamLimitConn: HttpModule<typeof limitTable, StreamMain> = defineStreamModule('stream_limit_conn', limitTable, {
  init(main) {
    main.preaccess.push(limitConn);
  },
  variables: [{ name: 'limit_conn_status', volatile: true, get: (r) => stateOf<string>(sessionOf(r), streamLimitConn) ?? null }],
});

function limitConn(s: StreamSession): number {
  const c = streamLimitConn.conf(s.loc);
  if (!c.limit_conn) return DECLINED;
  const { refusedBy, counted, release } = enterZones(s, s.stream, c.limit_conn);
  if (counted) setState(s, streamLimitConn, 'PASSED');
  if (refusedBy === null) {
    s.cleanups.push(...release);
    return DECLINED;
  }
  s.log(c.limit_conn_log_level, `limiting connections${c.limit_conn_dry_run ? ', dry run,' : ''} by zone "${refusedBy}"`);
  setState(s, streamLimitConn, c.limit_conn_dry_run ? 'REJECTED_DRY_RUN' : 'REJECTED');
  return c.limit_conn_dry_run ? DECLINED : STATUS.unavailable;
}

// ---------------------------------------------------------------- allow, deny

export const streamAccess = defineStreamModule(
  'stream_access',
  { allow: accessRule(HS, true), deny: accessRule(HS, false) },
  {
    init(main) {
      main.access.push((s) => {
        const rules = rulesOf(s.loc);
        const rule = rules && findRule(rules, s.conn.remoteAddr);
        if (!rule || rule.allow) return DECLINED;
        s.log('error', 'access forbidden by rule');
        return STATUS.forbidden;
      });
    },
  },
);
