/** Listening sockets of a worker: accepts connections and hands them to the right virtual hosts. */
import { createServer, type Server as NetServer, type Socket } from 'node:net';
import type { HttpMain, ListenSocket, VirtualHosts } from './conf.ts';
import { Connection } from './connection.ts';
import { readProxyHeader } from './proxy-protocol.ts';
import type { TlsListener } from './tls.ts';

export interface Listening {
  servers: NetServer[];
  close(): void;
}

export interface AcceptHooks {
  /** called for each new connection (debug_connection) */
  opened?(conn: Connection): void;
}

/** Starts accepting on descriptors that the master bound. @param fds by socket key */
export async function listenAll(http: HttpMain, fds: Record<string, number>, hooks: AcceptHooks): Promise<Listening> {
  const servers: NetServer[] = [];
  const tls = http.sockets.some((s) => s.options.ssl || [...s.byAddress.values()].some((h) => h.options.ssl))
    ? await import('./tls.ts')
    : undefined;
  const ready: Promise<void>[] = [];
  for (const socket of http.sockets) {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    const listeners = new Map<VirtualHosts, TlsListener>();
    const tlsFor = (hosts: VirtualHosts): TlsListener => {
      let listener = listeners.get(hosts);
      if (!listener) listeners.set(hosts, (listener = new tls!.TlsListener(http, hosts)));
      return listener;
    };
    server.on('connection', (raw: Socket) => accept(http, socket, raw, hooks, tlsFor));
    server.on('error', () => {});
    ready.push(new Promise((resolve) => server.once('listening', () => resolve())));
    server.listen({ fd: fds[socket.key], backlog: socket.options.backlog } as { fd: number });
    servers.push(server);
  }
  await Promise.all(ready);
  return {
    servers,
    close: () => {
      for (const server of servers) server.close();
    },
  };
}

function hostsFor(socket: ListenSocket, raw: Socket): VirtualHosts {
  if (socket.byAddress.size === 0) return socket.hosts;
  const local = raw.localAddress ?? '';
  return socket.byAddress.get(local.startsWith('::ffff:') ? local.slice(7) : local) ?? socket.hosts;
}

function accept(http: HttpMain, socket: ListenSocket, raw: Socket, hooks: AcceptHooks, tlsFor: (hosts: VirtualHosts) => TlsListener): void {
  const hosts = hostsFor(socket, raw);
  const { options } = hosts;
  if (options.keepAlive) raw.setKeepAlive(true, options.keepAlive.idleSeconds * 1000);
  const begin = (proxy?: Connection['proxy']): void => {
    if (options.ssl) {
      tlsFor(hosts).accept(raw, socket, proxy, hooks);
      return;
    }
    const conn = new Connection(raw, http, { ...socket, options }, hosts);
    conn.proxy = proxy;
    hooks.opened?.(conn);
  };
  if (!options.proxyProtocol) {
    begin();
    return;
  }
  raw.on('error', () => raw.destroy());
  readProxyHeader(raw, (proxy) => (proxy === 'invalid' ? raw.destroy() : begin(proxy)));
}
