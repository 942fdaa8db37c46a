// Listening sockets of a worker: accepts connections and passes them to the right virtual hosts.
import { createServer, type Server as NetServer, Socket, type SocketConstructorOpts } from 'node:net';
import { type ClientHandle, localAddressOf, SharedReads, takeHandles } from '../../../http/wire/client-handle.ts';
import { logTo } from '../../log/error-log.ts';
import { core } from '../config/core.ts';
import { speaksHttp2, usesHttp2 } from '../config/http2.ts';
import type { ProxyInfo } from '../model/connection-start.ts';
import type { HttpMain, ListenSocket, VirtualHosts } from '../model/types.ts';
import type { AcceptHooks } from './accept.ts';
import { serveWith } from './acceptors.ts';
import { nextConnectionId } from './client-connections.ts';
import { HttpConnection } from './http-connection.ts';
import { readProxyHeader } from './proxy-protocol.ts';
import type { Incoming } from './tls-incoming.ts';
import type { TlsListener } from './tls-listener.ts';

export interface Listening {
  servers: NetServer[];
  close(): void;
}

/** Starts accepting on descriptors that the master bound. @param fds by socket key */
export async function listenAll(http: HttpMain, fds: Record<string, number>, hooks: AcceptHooks): Promise<Listening> {
  const servers: NetServer[] = [];
  const tls = http.sockets.some((s) => allHosts(s).some((h) => h.options.ssl)) ? await import('./tls-listener.ts') : null;
  if (tls) await (await import('../ocsp/client.ts')).prepareOcsp(http);
  const http2 = usesHttp2(http) ? await import('./http2.ts') : null;
  const ready: Promise<void>[] = [];
  for (const socket of http.sockets) {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    const listeners = new Map<VirtualHosts, TlsListener>();
    const tlsFor = (hosts: VirtualHosts): TlsListener => {
      if (!tls) throw new Error('no socket is configured for TLS');
      let listener = listeners.get(hosts);
      if (!listener) listeners.set(hosts, (listener = new tls.TlsListener(http, hosts, http2)));
      return listener;
    };
    const tlsHandles = tls?.handlesTakeTls ? tls.HandleIncoming : null;
    const accepting: Accepting = { http, socket, hooks, tlsFor, tlsHandles: tlsHandles, http2: http2, plain: new Map() };
    server.on('connection', (raw: Socket) => accept(accepting, raw) ?? undefined);
    serveWith(socket, (raw) => accept(accepting, raw) ?? undefined);
    server.on('error', () => {});
    ready.push(
      new Promise((resolve) =>
        server.once('listening', () => {
          const taker = handleTaker(accepting);
          if (taker) takeHandles(server, taker);
          resolve();
        }),
      ),
    );
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

const hostsAt = (socket: ListenSocket, local: string): VirtualHosts =>
  socket.byAddress.get(local.startsWith('::ffff:') ? local.slice(7) : local) ?? socket.hosts;

interface Accepting {
  http: HttpMain;
  socket: ListenSocket;
  hooks: AcceptHooks;
  tlsFor(hosts: VirtualHosts): TlsListener;
  /** makes TLS sockets from handles, if this Node allows it */
  tlsHandles: (new (client: ClientHandle) => Incoming) | null;
  http2: typeof import('./http2.ts') | null;
  /** copies of the listening socket with the options of the virtual hosts at one of its addresses */
  plain: Map<VirtualHosts, ListenSocket>;
}

/** @param shared  see ConnectionOptions.sharedReads */
function accept(accepting: Accepting, raw: Socket, shared = false): HttpConnection | null {
  const { http, socket, hooks } = accepting;
  if (hooks.full?.()) {
    raw.destroy();
    return null;
  }
  const hosts = socket.byAddress.size === 0 ? socket.hosts : hostsAt(socket, raw.localAddress ?? '');
  const { options } = hosts;
  if (options.keepAlive) raw.setKeepAlive(true, options.keepAlive.idleSeconds * 1000);
  const begin = (proxy?: ProxyInfo): HttpConnection | null => {
    if (options.ssl) {
      accepting.tlsFor(hosts).acceptSocket(raw, socket, proxy ?? null, hooks);
      return null;
    }
    let listen = accepting.plain.get(hosts);
    if (!listen) accepting.plain.set(hosts, (listen = { ...socket, options }));
    if (accepting.http2 && speaksHttp2(hosts)) {
      accepting.http2.acceptPlain(raw, { http, listen, hosts, proxy: proxy ?? null, hooks });
      return null;
    }
    const conn = new HttpConnection(raw, http, listen, hosts, { sharedReads: shared });
    conn.proxy = proxy ?? null;
    hooks.opened?.(conn);
    return conn;
  };
  if (!options.proxyProtocol) return begin();
  raw.on('error', () => raw.destroy());
  const { remoteAddress } = raw;
  readProxyHeader(
    raw,
    (proxy) => (proxy === 'invalid' ? raw.destroy() : (begin(proxy ?? undefined) ?? undefined)),
    (message) => {
      const server = socket.path || `${socket.host}:${socket.port}`;
      logTo(
        hosts.defaultServer.root.errorLogs,
        'error',
        `${message} while reading PROXY protocol, client: ${remoteAddress}, server: ${server}`,
        nextConnectionId(),
      );
    },
    core.conf(hosts.defaultServer.root).client_header_timeout,
  );
  return null;
}

// ---------------------------------------------------------------- connections as handles

const allHosts = (socket: ListenSocket): VirtualHosts[] => [socket.hosts, ...socket.byAddress.values()];

/** Serves handles directly if all addresses of a socket speak the same protocol from the first byte; otherwise node:net makes sockets. */
function handleTaker(accepting: Accepting): ((client: ClientHandle) => void) | null {
  const hosts = allHosts(accepting.socket);
  if (hosts.some(({ options }) => options.proxyProtocol)) return null;
  const { tlsHandles } = accepting;
  if (tlsHandles && hosts.every(({ options }) => options.ssl)) return (client) => acceptTls(accepting, client, tlsHandles);
  if (hosts.some((each) => each.options.ssl || speaksHttp2(each))) return null;
  return (client) => {
    const reads = new SharedReads();
    const raw = new Socket({ handle: client, allowHalfOpen: true, onread: reads.options } as SocketConstructorOpts);
    reads.conn = accept(accepting, raw, true) ?? undefined;
  };
}

function acceptTls(accepting: Accepting, client: ClientHandle, TlsHandle: NonNullable<Accepting['tlsHandles']>): void {
  const { socket, hooks } = accepting;
  if (hooks.full?.()) {
    client.close();
    return;
  }
  const hosts = socket.byAddress.size === 0 ? socket.hosts : hostsAt(socket, localAddressOf(client));
  const { keepAlive } = hosts.options;
  if (keepAlive) client.setKeepAlive?.(true, keepAlive.idleSeconds);
  accepting.tlsFor(hosts).accept(new TlsHandle(client), socket, null, hooks);
}
