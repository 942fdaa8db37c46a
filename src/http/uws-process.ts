// What a process or thread with uWebSockets listeners needs besides them (guards 6 and 12 of uws-guards.ts); loads neither uWebSockets nor
// hyper-express.
import { createRequire } from 'node:module';
import net from 'node:net';

/** Whether a uWebSockets binary for this Node is installed. */
export function hasUwsBinary(): boolean {
  try {
    createRequire(import.meta.url)('uWebSockets.js');
    return true;
  } catch {
    return false;
  }
}

/** Guard 6: an exception that nobody caught is told to `report` and the thread lives on; uWebSockets would abort the process. */
export function keepThreadAlive(report: (error: unknown) => void): void {
  process.on('uncaughtException', report);
  process.on('unhandledRejection', report);
}

/**
 * Guard 12: uWebSockets shares a port with whoever listens already, so the main thread asks first.
 * @returns the port, chosen when 0 was asked for. @throws Error with code EADDRINUSE, EACCES, EADDRNOTAVAIL
 */
export async function probePort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.once('error', reject);
    probe.listen({ host, port, exclusive: true }, () => {
      const chosen = (probe.address() as net.AddressInfo).port;
      probe.close(() => resolve(chosen));
    });
  });
}

/** Must run in the main thread before the first worker: in a worker `process.env` is a copy that the binary never sees. */
export function setMaxHeaderSize(bytes: number): void {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(bytes);
}
