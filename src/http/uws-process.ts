// Functions for a process or thread with uWebSockets listeners (guards 6 and 12 of uws-guards.ts), usable without hyper-express and
// where uWebSockets has no binary.
import { createRequire } from 'node:module';
import net from 'node:net';
import { TLS_PROTOCOLS, type TlsOptions } from './listener.ts';

/** LIBUS_LISTEN_EXCLUSIVE_PORT: without SO_REUSEPORT. */
const LISTEN_EXCLUSIVE = 1;

/** The part of uWebSockets.js that is used without hyper-express. */
interface Uws {
  App(): { listen(host: string, port: number, options: number, call: (token: unknown) => void): unknown; close(): void };
  us_socket_local_port(token: unknown): number;
  us_listen_socket_close(token: unknown): void;
}

/** The module that hyper-express uses, too. Null: no binary for this Node is installed. */
function loadUws(): Uws | null {
  try {
    return createRequire(import.meta.url)('../../vendor/uws-shim/index.cjs');
  } catch {
    return null;
  }
}

/** Whether a setting `http.listener` means uWebSockets. */
export function isUws(kind: 'auto' | 'uws' | 'net'): boolean {
  return kind === 'uws' || (kind === 'auto' && loadUws() !== null);
}

/** The part of the TLS configuration that uWebSockets does not support; null if it supports all of it. */
export function uwsTlsGap({ protocols, authorities }: TlsOptions): string | null {
  if (TLS_PROTOCOLS.some((protocol) => !protocols.includes(protocol))) return `it always accepts ${TLS_PROTOCOLS.join(' and ')}`;
  return authorities.length > 1 ? 'it reads one file of certificate authorities' : null;
}

/** Guard 6: uncaught exceptions are reported and the thread continues; uWebSockets would abort the process. */
export function keepThreadAlive(report: (error: unknown) => void): void {
  process.on('uncaughtException', report);
  process.on('unhandledRejection', report);
}

/**
 * Guard 12: uWebSockets shares a port with any process that already listens there, so the main thread checks first.
 * @returns the port, chosen if 0 was requested. @throws Error with code EADDRINUSE, EACCES, EADDRNOTAVAIL
 */
export async function probePort(host: string, port: number): Promise<number> {
  // By uWebSockets first, which is loaded anyway; node:net loads ten more modules, but reports the reason of a failure.
  const uws = loadUws();
  const chosen = uws && openAlone(uws, host, port);
  if (chosen !== null) return chosen;
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.once('error', reject);
    probe.listen({ host, port, exclusive: true }, () => {
      const chosen = (probe.address() as net.AddressInfo).port;
      probe.close(() => resolve(chosen));
    });
  });
}

/**
 * Checks again right before the first listener opens: two services that start at the same moment both find the port free.
 * @throws Error: another process listens there now
 */
export async function assertPortFree(host: string, port: number): Promise<void> {
  const uws = loadUws();
  if (uws === null) await probePort(host, port);
  else if (openAlone(uws, host, port) === null) throw new Error(`listen EADDRINUSE: address already in use ${host}:${port}`);
}

/** Opens the port and closes it again. @returns its number, null if that failed */
function openAlone(uws: Uws, host: string, port: number): number | null {
  const app = uws.App();
  let listening: unknown = null;
  app.listen(host, port, LISTEN_EXCLUSIVE, (token) => {
    listening = token;
  });
  const chosen = listening ? uws.us_socket_local_port(listening) : null;
  if (listening) uws.us_listen_socket_close(listening);
  app.close();
  return chosen;
}

/** Must run in the main thread before the first worker: in a worker `process.env` is a copy that the binary never sees. */
export function setMaxHeaderSize(bytes: number): void {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(bytes);
}
