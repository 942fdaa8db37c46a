// Variables of the stream core and of its upstreams.
import { nowMs } from '../../../http/wire/clock.ts';
import type { Variables } from '../../http/config/variables.ts';
import type { VariableDef } from '../../http/model/types.ts';
import { CLIENT_FAMILIES, CLIENT_VARIABLES, seconds } from '../../http/modules/variables/client-variables.ts';
import { type AttemptState, type StreamSession, sessionOf } from '../model.ts';

const live = (name: string, get: (s: StreamSession) => string | null): VariableDef => ({
  name,
  get: (r) => get(sessionOf(r)),
  volatile: true,
});

/** Evaluated once. */
const fixed = (name: string, get: (s: StreamSession) => string): VariableDef => ({ name, get: (r) => get(sessionOf(r)) });

/** One value per attempt; null before the first. */
const perAttempt = (name: string, show: (state: AttemptState) => string): VariableDef =>
  live(name, ({ attempts }) => (attempts.length === 0 ? null : attempts.map(show).join(', ')));
const time = (ms: number): string => (ms < 0 ? '-' : seconds(ms));

const STREAM_VARIABLES: VariableDef[] = [
  live('protocol', (s) => (s.udp ? 'UDP' : 'TCP')),
  live('status', (s) => String(s.status).padStart(3, '0')),
  fixed('bytes_received', (s) => String(s.bytesReceived)),
  fixed('bytes_sent', (s) => String(s.bytesSent)),
  live('session_time', (s) => seconds(nowMs() - s.conn.startMs)),
  perAttempt('upstream_addr', (a) => a.peer),
  perAttempt('upstream_bytes_received', (a) => String(a.bytesReceived)),
  perAttempt('upstream_bytes_sent', (a) => String(a.bytesSent)),
  perAttempt('upstream_connect_time', (a) => time(a.connectMs)),
  perAttempt('upstream_first_byte_time', (a) => time(a.firstByteMs)),
  perAttempt('upstream_session_time', (a) => time(a.sessionMs)),
  live('upstream_last_addr', ({ attempts }) => attempts.at(-1)?.peer ?? null),
];

export function addStreamVariables(variables: Variables): void {
  variables.add([...CLIENT_VARIABLES, ...STREAM_VARIABLES], CLIENT_FAMILIES);
}
