// Variables about the client's connection, the time and the process, which http and stream have in common.
import { hostname } from 'node:os';
import { nowMs } from '../../../../http/wire/clock.ts';
import { NGINX_VERSION } from '../../../version.ts';
import type { Session, VariableDef, VariableFamily } from '../../model/types.ts';
import { binaryAddress } from '../../request/address.ts';

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

const cached = (name: string, get: (r: Session) => string | null): VariableDef => ({ name, get });
const live = (name: string, get: (r: Session) => string | null): VariableDef => ({ name, get, volatile: true });

export const seconds = (ms: number): string => (ms / 1000).toFixed(3);

export const CLIENT_VARIABLES: VariableDef[] = [
  cached('binary_remote_addr', (r) => binaryAddress(r.conn.remoteAddr)),
  cached('remote_addr', (r) => r.conn.remoteAddr),
  cached('remote_port', (r) => (r.conn.remotePort ? String(r.conn.remotePort) : '')),
  cached('server_addr', (r) => r.conn.localAddr),
  cached('server_port', (r) => (r.conn.localPort ? String(r.conn.localPort) : '')),
  cached('server_name', (r) => r.server.name),
  cached('hostname', () => hostname()),
  cached('nginx_version', () => NGINX_VERSION),
  cached('pid', () => String(process.pid)),
  live('msec', () => seconds(nowMs())),
  live('time_local', timeLocal),
  live('time_iso8601', timeIso),
  live('time_iso8601_ms', () => timeIso().replace(/(?=[+-]\d\d:\d\d$)/, `.${String(Date.now() % 1000).padStart(3, '0')}`)),
  live('date_w3c', () => new Date().toISOString().slice(0, 10)),
  live('time_w3c', () => new Date().toISOString().slice(11, 19)),
  cached('connection', (r) => String(r.conn.id)),
  cached('proxy_protocol_addr', (r) => r.conn.proxy?.addr ?? null),
  cached('proxy_protocol_port', (r) => (r.conn.proxy ? String(r.conn.proxy.port) : null)),
  cached('proxy_protocol_server_addr', (r) => r.conn.proxy?.serverAddr ?? null),
  cached('proxy_protocol_server_port', (r) => (r.conn.proxy ? String(r.conn.proxy.serverPort) : null)),
];

export const CLIENT_FAMILIES: VariableFamily[] = [
  { prefix: 'proxy_protocol_tlv_', make: (rest) => ({ get: (r) => r.conn.proxy?.tlvs.get(rest) ?? null }) },
];
