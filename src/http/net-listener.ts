// The listener on node:net, for a Node without a uWebSockets binary, and the reference for the other one in tests. Several threads can
// share its port where Node and the system support SO_REUSEPORT. Messages are parsed by wire/, as in the front.
import net, { type Socket, type SocketConstructorOpts } from 'node:net';
import type { Handler, HttpListener, ListenerOptions, TlsOptions } from './listener.ts';
import { type ConnectionOwner, NetConnection } from './net-connection.ts';
import { SharedReads, takeHandles } from './wire/client-handle.ts';

export class NetListener implements HttpListener, ConnectionOwner {
  readonly kind = 'net';
  readonly options: ListenerOptions;
  readonly handler: Handler;
  #server: net.Server | null = null;
  #reload: (() => void) | null = null;
  readonly #connections = new Set<NetConnection>();
  #whenIdle: Array<() => void> = [];
  inFlight = 0;
  isDraining = false;

  constructor(options: ListenerOptions, handler: Handler) {
    this.options = options;
    this.handler = handler;
  }

  async listen(): Promise<{ port: number }> {
    const { host, port, isShared, tls } = this.options;
    const server = tls === null ? this.#plainServer() : await this.#tlsServer(tls);
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, ...(isShared && { reusePort: true }) }, () => {
        server.off('error', reject);
        resolve();
      });
    });
    // Sockets made here share one read buffer, instead of an allocation of 64 KB for each read.
    if (tls === null)
      takeHandles(server, (handle) => {
        const reads = new SharedReads();
        this.#accept(new net.Socket({ handle, allowHalfOpen: false, onread: reads.options } as SocketConstructorOpts), reads);
      });
    const address = server.address();
    return { port: typeof address === 'object' && address ? address.port : port };
  }

  #plainServer(): net.Server {
    return net.createServer({ noDelay: true, allowHalfOpen: false }, (socket) => this.#accept(socket, null));
  }

  /** @throws Error a file is unusable */
  async #tlsServer(tls: TlsOptions): Promise<net.Server> {
    const { createTlsServer, readTlsContext } = await import('./tls-context.ts');
    const server = createTlsServer(tls, (socket) => this.#accept(socket, null));
    this.#reload = () => server.setSecureContext(readTlsContext(tls));
    return server;
  }

  async reloadTls(): Promise<void> {
    this.#reload?.();
  }

  /** @param reads  where the socket reads to; null: it emits `data` events */
  #accept(socket: Socket, reads: SharedReads | null): void {
    const connection = new NetConnection(this, socket);
    this.#connections.add(connection);
    if (reads) reads.conn = connection;
    else socket.on('data', (chunk) => connection.onData(chunk));
  }

  closed(connection: NetConnection): void {
    this.#connections.delete(connection);
  }

  requestDone(): void {
    if (--this.inFlight === 0) for (const wake of this.#whenIdle.splice(0)) wake();
  }

  drain(): Promise<void> {
    this.isDraining = true;
    return this.inFlight === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  stop(exitCode: number): never {
    this.#server?.close();
    for (const connection of this.#connections) connection.destroy();
    process.exit(exitCode);
  }
}

/**
 * Whether several threads can listen on one port with node:net: by SO_REUSEPORT, which Node offers since 22.12 and 23.1, and which only
 * Linux and some BSDs balance. Elsewhere the listener has one thread.
 */
export function canSharePort(version = process.versions.node, platform: string = process.platform): boolean {
  const [major, minor] = version.split('.').map(Number);
  return platform === 'linux' && (major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12));
}
