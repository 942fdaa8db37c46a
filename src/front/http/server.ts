/** Listening sockets of a worker: accepts connections and hands them to the right virtual hosts. */
import { createServer, type Server as NetServer, Socket, type SocketConstructorOpts } from 'node:net';
import { holdingClock } from './clock.ts';
import type { HttpMain, ListenSocket, VirtualHosts } from './conf.ts';
import { Connection } from './connection.ts';
import { speaksHttp2, usesHttp2 } from './modules/http2.ts';
import { readProxyHeader } from './proxy-protocol.ts';
import type { TlsListener } from './tls.ts';

export interface Listening {
  servers: NetServer[];
  close(): void;
}

export interface AcceptHooks {
  /** true: there are as many connections as there may be, and a new one is closed */
  full?(): boolean;
  /** called for each new connection (debug_connection) */
  opened?(conn: Connection): void;
}

/** Starts accepting on descriptors that the master bound. @param fds by socket key */
export async function listenAll(http: HttpMain, fds: Record<string, number>, hooks: AcceptHooks): Promise<Listening> {
  const servers: NetServer[] = [];
  const tls = http.sockets.some((s) => s.options.ssl || [...s.byAddress.values()].some((h) => h.options.ssl))
    ? await import('./tls.ts')
    : undefined;
  if (tls) (await import('./ocsp/client.ts')).openAnswerCaches(http);
  const http2 = usesHttp2(http) ? await import('./http2.ts') : undefined;
  const ready: Promise<void>[] = [];
  for (const socket of http.sockets) {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    const listeners = new Map<VirtualHosts, TlsListener>();
    const tlsFor = (hosts: VirtualHosts): TlsListener => {
      let listener = listeners.get(hosts);
      if (!listener) listeners.set(hosts, (listener = new tls!.TlsListener(http, hosts, http2)));
      return listener;
    };
    const accepting: Accepting = { http, socket, hooks, tlsFor, http2, plain: new Map() };
    server.on('connection', (raw: Socket) => accept(accepting, raw));
    server.on('error', () => {});
    ready.push(
      new Promise((resolve) =>
        server.once('listening', () => {
          if (readsPlainHttp(socket)) takeHandles(server, accepting);
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

function hostsFor(socket: ListenSocket, raw: Socket): VirtualHosts {
  if (socket.byAddress.size === 0) return socket.hosts;
  const local = raw.localAddress ?? '';
  return socket.byAddress.get(local.startsWith('::ffff:') ? local.slice(7) : local) ?? socket.hosts;
}

interface Accepting {
  http: HttpMain;
  socket: ListenSocket;
  hooks: AcceptHooks;
  tlsFor(hosts: VirtualHosts): TlsListener;
  http2: typeof import('./http2.ts') | undefined;
  /** the listening socket with the options of virtual hosts at one of its addresses */
  plain: Map<VirtualHosts, ListenSocket>;
}

/** @param shared  how bytes come: see Connection */
function accept(accepting: Accepting, raw: Socket, shared = false): Connection | undefined {
  const { http, socket, hooks } = accepting;
  if (hooks.full?.()) {
    raw.destroy();
    return undefined;
  }
  const hosts = hostsFor(socket, raw);
  const { options } = hosts;
  if (options.keepAlive) raw.setKeepAlive(true, options.keepAlive.idleSeconds * 1000);
  const begin = (proxy?: Connection['proxy']): Connection | undefined => {
    if (options.ssl) {
      accepting.tlsFor(hosts).accept(raw, socket, proxy, hooks);
      return undefined;
    }
    let listen = accepting.plain.get(hosts);
    if (!listen) accepting.plain.set(hosts, (listen = { ...socket, options }));
    if (accepting.http2 && speaksHttp2(hosts)) {
      accepting.http2.acceptPlain(raw, { http, listen, hosts, proxy, hooks });
      return undefined;
    }
    const conn = new Connection(raw, http, listen, hosts, { sharedReads: shared });
    conn.proxy = proxy;
    hooks.opened?.(conn);
    return conn;
  };
  if (!options.proxyProtocol) return begin();
  raw.on('error', () => raw.destroy());
  readProxyHeader(raw, (proxy) => (proxy === 'invalid' ? raw.destroy() : begin(proxy)));
  return undefined;
}

// ---------------------------------------------------------------- reads into one buffer

/** What a listening socket of node:net calls for each connection. */
interface ListenHandle {
  onconnection(error: number, client: ClientHandle | undefined): void;
}
interface ClientHandle {
  setNoDelay?(on: boolean): void;
}

/** All connections of a socket speak HTTP/1.x from their first byte. */
function readsPlainHttp(socket: ListenSocket): boolean {
  return [socket.hosts, ...socket.byAddress.values()].every(
    (hosts) => !hosts.options.ssl && !hosts.options.proxyProtocol && !speaksHttp2(hosts),
  );
}

const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);
const takeRead = (conn: Connection, count: number): void => conn.onRead(readBuffer, count);

/**
 * Makes the sockets of a listener here, so that all of them read into one buffer: node:net gives that choice (`onread`) to
 * outgoing connections only, and otherwise allocates 64 KB for each read [97 k -> 130 k answers per CPU second].
 * Where node:net has other insides its own way is kept.
 */
function takeHandles(server: NetServer, accepting: Accepting): void {
  const handle = (server as unknown as { _handle?: Partial<ListenHandle> })._handle;
  if (typeof handle?.onconnection !== 'function') return;
  handle.onconnection = (error, client) => {
    if (error || !client) return;
    client.setNoDelay?.(true);
    let conn: Connection | undefined;
    const callback = (count: number): boolean => {
      if (conn) holdingClock(takeRead, conn, count);
      return true;
    };
    const raw = new Socket({ handle: client, allowHalfOpen: true, onread: { buffer: readBuffer, callback } } as SocketConstructorOpts);
    conn = accept(accepting, raw, true);
  };
}
