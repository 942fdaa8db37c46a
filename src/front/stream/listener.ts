// Listening sockets of `stream { }` in an event loop: connections and datagrams become sessions.
import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram';
import { createServer, type Socket } from 'node:net';
import { takeHandles } from '../../http/wire/client-handle.ts';
import { holdingClock } from '../../http/wire/clock.ts';
import { asSocket, HANDLES_KNOWN, HandleSocket, isTcpHandle } from '../../http/wire/handle-socket.ts';
import { serveWith } from '../http/connection/acceptors.ts';
import { nextConnectionId, type Origin } from '../http/connection/client-connections.ts';
import { readProxyHeader } from '../http/connection/proxy-protocol.ts';
import type { ProxyInfo } from '../http/model/connection-start.ts';
import type { ListenSocket, VirtualHosts } from '../http/model/types.ts';
import { loop } from '../zone/memory.ts';
import { streamCore } from './core.ts';
import { STATUS, type StreamMain } from './model.ts';
import { type Securer, TcpSession } from './tcp-session.ts';
import { UdpSession } from './udp-session.ts';

export interface StreamListening {
  close(): void;
}

/** @param full  whether the limit of connections is reached */
export async function listenStream(stream: StreamMain, fds: Record<string, number>, full: () => boolean): Promise<StreamListening> {
  const secured = stream.sockets.some((socket) => allHosts(socket).some((hosts) => hosts.options.ssl));
  const secure = secured ? (await import('./tls-session.ts')).secureSession : null;
  if (secure) await (await import('../http/ocsp/client.ts')).prepareOcsp(stream);
  const open = await Promise.all(
    stream.sockets.map((socket) =>
      socket.options.udp ? listenUdp(stream, socket, fds[socket.key], full) : listenTcp(stream, socket, fds[socket.key], secure, full),
    ),
  );
  return {
    close: () => {
      for (const listening of open) listening.close();
    },
  };
}

const allHosts = (socket: ListenSocket): VirtualHosts[] => [socket.hosts, ...socket.byAddress.values()];

const hostsAt = (socket: ListenSocket, local: string): VirtualHosts =>
  socket.byAddress.get(local.startsWith('::ffff:') ? local.slice(7) : local) ?? socket.hosts;

function listenTcp(
  stream: StreamMain,
  socket: ListenSocket,
  fd: number,
  secure: Securer | null,
  full: () => boolean,
): Promise<StreamListening> {
  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true });
  const accept = (raw: Socket): void => acceptStream(stream, socket, raw, secure, full);
  server.on('connection', accept);
  serveWith(socket, accept);
  server.on('error', () => {});
  return new Promise((resolve) => {
    server.listen({ fd, backlog: socket.options.backlog } as { fd: number }, () => {
      if (HANDLES_KNOWN && isPlain(stream, socket)) {
        takeHandles(server, (client) => {
          if (isTcpHandle(client)) holdingClock(accept, asSocket(new HandleSocket(client)), undefined);
          else client.close();
        });
      }
      resolve(server);
    });
  });
}

/** Whether only this server reads from its connections: not TLS, a PROXY header reader, or a target of `pass`. */
const isPlain = (stream: StreamMain, socket: ListenSocket): boolean =>
  !socket.path && !stream.passes && allHosts(socket).every(({ options }) => !options.ssl && !options.proxyProtocol);

/** Serves a connection. @param full  whether the limit of connections is reached */
function acceptStream(stream: StreamMain, socket: ListenSocket, raw: Socket, secure: Securer | null, full: () => boolean): void {
  if (full()) {
    raw.destroy();
    return;
  }
  const hosts = socket.byAddress.size === 0 ? socket.hosts : hostsAt(socket, raw.localAddress ?? '');
  const { options } = hosts;
  if (options.keepAlive) raw.setKeepAlive(true, options.keepAlive.idleSeconds * 1000);
  const session = (proxy?: ProxyInfo): TcpSession => new TcpSession(stream, socket, hosts, raw, proxy ?? null);
  const begin = (proxy?: ProxyInfo): void => session(proxy).start(options.ssl ? secure : null);
  if (!options.proxyProtocol) {
    begin();
    return;
  }
  raw.on('error', () => raw.destroy());
  raw.resume();
  const { proxy_protocol_timeout: timeoutMs } = streamCore.conf(hosts.defaultServer.root);
  const refuse = (message: string | null): void => {
    const refused = session();
    refused.action = 'reading PROXY protocol';
    if (message !== null) refused.log('error', message);
    refused.finalize(STATUS.badRequest);
  };
  let broken: string | null = null;
  readProxyHeader(
    raw,
    (proxy) => (proxy === 'invalid' ? refuse(broken) : begin(proxy ?? undefined)),
    (message) => (broken = message),
    timeoutMs,
  );
}

// ---------------------------------------------------------------- datagrams

function listenUdp(stream: StreamMain, socket: ListenSocket, fd: number, full: () => boolean): Promise<StreamListening> {
  // all datagrams of a client must reach the loop that has its session, and the loops share the socket
  if (loop.index !== 0) return Promise.resolve({ close: () => {} });
  const server = createSocket(socket.host.includes(':') ? 'udp6' : 'udp4');
  const sessions = new Map<string, UdpSession>();
  server.on('message', (data, from) => {
    const key = `${from.address}|${from.port}`;
    const known = sessions.get(key);
    if (known) {
      known.datagram(data);
      return;
    }
    if (full()) return;
    const session: UdpSession = new UdpSession(stream, socket, socket.hosts, server, originOf(server, from), () => {
      if (sessions.get(key) === session) sessions.delete(key);
    });
    sessions.set(key, session);
    session.start(data);
  });
  server.on('error', () => {});
  return new Promise((resolve) => {
    server.bind({ fd }, () =>
      resolve({
        // sessions in progress still send from it and receive what arrives
        close: () => closeWhenUnused(server, sessions),
      }),
    );
  });
}

function closeWhenUnused(server: UdpSocket, sessions: ReadonlyMap<string, UdpSession>): void {
  server.unref();
  if (sessions.size === 0) {
    server.close();
    return;
  }
  setTimeout(() => closeWhenUnused(server, sessions), 100).unref();
}

function originOf(server: UdpSocket, from: RemoteInfo): Origin {
  const { address, port } = server.address();
  return {
    id: nextConnectionId(),
    startMs: Date.now(),
    remoteAddr: from.address,
    remotePort: from.port,
    localAddr: address,
    localPort: port,
  };
}
