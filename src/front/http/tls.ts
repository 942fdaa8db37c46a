/**
 * TLS listeners. The ClientHello is read before the handshake, so that the virtual server is known when the TLS socket is made:
 * certificate, protocols, verification and sessions are all that server's own.
 */
import type { Socket } from 'node:net';
import tls from 'node:tls';
import { logTo } from '../log/error-log.ts';
import { type ClientHello, MAX_HELLO, parseClientHello } from './client-hello.ts';
import type { HttpMain, ListenSocket, Server, VirtualHosts } from './conf.ts';
import { Connection } from './connection.ts';
import { core } from './core.ts';
import { speaksHttp2 } from './modules/http2.ts';
import { sslModule } from './modules/ssl.ts';
import { checkClientCertificate } from './ocsp/client.ts';
import { stapleFor } from './ocsp/stapling.ts';
import { Request } from './request.ts';
import type { AcceptHooks } from './server.ts';
import { contextOf, secureContextFor, type TlsContext } from './tls-context.ts';
import { type TlsInfo, tlsInfo } from './tls-info.ts';

function alpnOf(hosts: VirtualHosts, server: Server): string[] {
  return speaksHttp2(hosts, server) ? ['h2', 'http/1.1', 'http/1.0', 'http/0.9'] : ['http/1.1', 'http/1.0', 'http/0.9'];
}

/** Bytes of plain text in a TLS record: what the protocol allows, and the least that OpenSSL takes. */
const MAX_RECORD = 16_384;
const MIN_RECORD = 512;

type OcspDone = (error: Error | null, response: Buffer | null) => void;

/**
 * The TLS server as one connection sees it. Node asks a server for the OCSP response without saying for which connection, and names the
 * context's last certificate; which one the handshake takes depends on the ClientHello.
 */
function staplingServer(tlsServer: tls.Server, server: Server, hello: ClientHello): tls.Server {
  const own = Object.create(tlsServer) as tls.Server;
  own.listenerCount = (name) => (name === 'OCSPRequest' ? 1 : tlsServer.listenerCount(name));
  own.emit = ((name: string, ...args: unknown[]) => {
    if (name !== 'OCSPRequest') return tlsServer.emit(name, ...args);
    (args[2] as OcspDone)(null, stapleFor(server, hello));
    return true;
  }) as tls.Server['emit'];
  return own;
}

const ALERT_UNRECOGNIZED_NAME = Buffer.from([21, 3, 3, 0, 2, 2, 112]);

export class TlsListener {
  constructor(
    private readonly http: HttpMain,
    private readonly hosts: VirtualHosts,
    private readonly http2: typeof import('./http2.ts') | undefined,
  ) {}

  /** Reads the ClientHello and starts the handshake of the server it names. */
  accept(raw: Socket, socket: ListenSocket, proxy: Connection['proxy'], hooks: AcceptHooks): void {
    let held: Buffer = Buffer.alloc(0);
    const { defaultServer } = this.hosts;
    raw.setTimeout(core.conf(defaultServer.root).client_header_timeout, () => raw.destroy());
    const onError = () => raw.destroy();
    raw.on('error', onError);
    raw.on('end', onError);
    const onData = (data: Buffer) => {
      held = held.length === 0 ? data : Buffer.concat([held, data]);
      const hello = parseClientHello(held);
      if (hello === 'more' && held.length < MAX_HELLO) return;
      raw.off('data', onData);
      raw.off('end', onError);
      raw.setTimeout(0);
      raw.pause();
      raw.unshift(held);
      if (hello === undefined || hello === 'more') this.plain(raw, socket, proxy, hooks);
      else this.handshake(raw, socket, proxy, hooks, hello);
    };
    raw.on('data', onData);
  }

  /** No TLS at all: an ordinary request, which is answered with 400. */
  private plain(raw: Socket, socket: ListenSocket, proxy: Connection['proxy'], hooks: AcceptHooks): void {
    const conn = new Connection(raw, this.http, { ...socket, options: this.hosts.options }, this.hosts);
    conn.proxy = proxy;
    hooks.opened?.(conn);
    raw.resume();
  }

  private handshake(raw: Socket, socket: ListenSocket, proxy: Connection['proxy'], hooks: AcceptHooks, hello: ClientHello): void {
    let server = (hello.serverName && this.hosts.find(hello.serverName)) || this.hosts.defaultServer;
    const own = sslModule.conf(server.root);
    // a server without a certificate of its own lends the default one's
    if (!own.ssl_certificate && !own.ssl_reject_handshake) server = this.hosts.defaultServer;
    const logs = server.root.errorLogs;
    const tail = `, client: ${raw.remoteAddress}, server: ${socket.path || `${socket.host}:${socket.port}`}`;
    let context: TlsContext;
    try {
      context = contextOf(this.http, server);
    } catch (error) {
      logTo(logs, 'error', String(error));
      raw.destroy();
      return;
    }
    if (context.reject || (!context.conf.ssl_certificate && !context.reject)) {
      logTo(logs, 'info', `SSL_do_handshake() failed (unrecognized name) while SSL handshaking${tail}`);
      raw.end(ALERT_UNRECOGNIZED_NAME);
      return;
    }
    const options: tls.TLSSocketOptions = {
      isServer: true,
      server: context.conf.ssl_stapling && hello.wantsStatus ? staplingServer(context.server, server, hello) : context.server,
      requestCert: context.conf.ssl_verify_client !== 'off',
      rejectUnauthorized: false,
      ALPNProtocols: alpnOf(this.hosts, server),
      secureContext: this.secureContext(raw, socket, server, context, hello),
    };
    if (!options.secureContext) {
      raw.destroy();
      return;
    }
    const secure = new tls.TLSSocket(raw, options);
    const timer = setTimeout(() => raw.destroy(), core.conf(server.root).client_header_timeout);
    const failed = (error: Error) => {
      clearTimeout(timer);
      logTo(logs, 'info', `SSL_do_handshake() failed (${error.message}) while SSL handshaking${tail}`);
      raw.destroy();
    };
    secure.once('error', failed);
    secure.once('_tlsError', failed);
    secure.once('close', () => clearTimeout(timer));
    secure.once('secure', () => {
      clearTimeout(timer);
      secure.off('_tlsError', failed);
      const info = tlsInfo(secure, server, hello);
      if (context.conf.ssl_ocsp === 'off' || !secure.getPeerX509Certificate() || info.verifyError()) {
        secure.off('error', failed);
        this.open(secure, socket, proxy, hooks, server, info);
        return;
      }
      void checkClientCertificate(this.http, server, secure).then((problem) => {
        secure.off('error', failed);
        info.ocspError = problem;
        if (!secure.destroyed) this.open(secure, socket, proxy, hooks, server, info);
      });
    });
  }

  private open(
    secure: tls.TLSSocket,
    socket: ListenSocket,
    proxy: Connection['proxy'],
    hooks: AcceptHooks,
    server: Server,
    info: TlsInfo,
  ): void {
    const { http, hosts } = this;
    const { ssl_buffer_size } = sslModule.conf(server.root);
    if (ssl_buffer_size < MAX_RECORD) secure.setMaxSendFragment(Math.max(MIN_RECORD, ssl_buffer_size));
    const listen = { ...socket, options: hosts.options };
    if (this.http2 && secure.alpnProtocol === 'h2') {
      // Node's own TLS server would say so; a session waits for it
      (secure as unknown as { secureConnecting: boolean }).secureConnecting = false;
      new this.http2.Http2Connection(secure, { http, listen, hosts, proxy, hooks }, server, info);
      return;
    }
    const conn = new Connection(secure, http, listen, hosts);
    conn.proxy = proxy;
    conn.tls = info;
    hooks.opened?.(conn);
  }

  /** undefined: there is none for this connection, as the log says */
  private secureContext(
    raw: Socket,
    socket: ListenSocket,
    server: Server,
    context: TlsContext,
    hello: ClientHello,
  ): tls.SecureContext | undefined {
    try {
      return secureContextFor(this.http, server, context, () => {
        const conn = {
          tls: { serverName: hello.serverName, hello },
          remoteAddr: raw.remoteAddress ?? '',
          listen: socket,
          localPort: raw.localPort,
          id: 0,
        };
        return new Request(conn as unknown as Connection, this.http, server);
      });
    } catch (error) {
      logTo(server.root.errorLogs, 'error', `${error instanceof Error ? error.message : error}`);
      return undefined;
    }
  }
}
