// TLS listeners. The ClientHello is read before the handshake, so that the virtual server is known when the TLS socket is made:
// certificate, protocols, verification and sessions are those of that server.

import type { Socket } from 'node:net';
import type tls from 'node:tls';
import { SharedReads } from '../../../http/wire/client-handle.ts';
import { setDeadline, type Timed, unwatch, watch } from '../../../http/wire/deadlines.ts';
import { internalsOf } from '../../../http/wire/stream-binding.ts';
import { logTo } from '../../log/error-log.ts';
import { sslError } from '../../system-error.ts';
import { core } from '../config/core.ts';
import { speaksHttp2 } from '../config/http2.ts';
import type { ProxyInfo } from '../model/connection-start.ts';
import type { HttpMain, ListenSocket, Server, TlsInfo, VirtualHosts } from '../model/types.ts';
import { checkClientCertificate } from '../ocsp/client.ts';
import { stapleFor } from '../ocsp/stapling.ts';
import { DetachedConnection } from '../phases/detached-connection.ts';
import { HttpRequest } from '../phases/http-request.ts';
import { OK } from '../request/codes.ts';
import { type ClientHello, MAX_HELLO, parseClientHello } from '../tls/client-hello.ts';
import { logKeys } from '../tls/key-log.ts';
import { sslModule } from '../tls/ssl.ts';
import type { AcceptHooks } from './accept.ts';
import { Arrival } from './client-connections.ts';
import { HttpConnection } from './http-connection.ts';
import { contextOf, secureContextFor, type TlsContext, trustUnnamed } from './tls-context.ts';
import { type Incoming, SocketIncoming } from './tls-incoming.ts';
import { tlsInfo } from './tls-info.ts';

export { HandleIncoming, handlesTakeTls } from './tls-incoming.ts';

/** Protocol names in the format of ALPN. */
export const wireNames = (names: readonly string[]): Buffer =>
  Buffer.from(names.map((name) => String.fromCharCode(name.length) + name).join(''), 'latin1');
const HTTP1_NAMES = ['http/1.1', 'http/1.0', 'http/0.9'];
const HTTP1 = wireNames(HTTP1_NAMES);
const HTTP2_TOO = wireNames(['h2', ...HTTP1_NAMES]);

/** Plain bytes in a TLS record: the maximum of the protocol, and the minimum of OpenSSL. */
const MAX_RECORD = 16_384;
const MIN_RECORD = 512;

type OcspDone = (error: Error | null, response: Buffer | null) => void;

/**
 * The TLS server as one connection sees it. Node requests an OCSP response from a server without naming the connection, and passes the
 * context's last certificate; which one the handshake uses depends on the ClientHello.
 */
export function staplingServer(tlsServer: tls.Server, server: Server, hello: ClientHello): tls.Server {
  const own = Object.create(tlsServer) as tls.Server;
  own.listenerCount = (name) => (name === 'OCSPRequest' ? 1 : tlsServer.listenerCount(name));
  own.emit = ((name: string, ...args: unknown[]) => {
    if (name !== 'OCSPRequest') return tlsServer.emit(name, ...args);
    (args[2] as OcspDone)(null, stapleFor(server, hello));
    return true;
  }) as tls.Server['emit'];
  return own;
}

export const ALERT_UNRECOGNIZED_NAME = Buffer.from([21, 3, 3, 0, 2, 2, 112]);
export const ALERT_INTERNAL_ERROR = Buffer.from([21, 3, 3, 0, 2, 2, 80]);
/** Reason of a handshake that fails because the certificate cannot be loaded. */
export const NO_CERTIFICATE = 'SSL: error:0A000179:SSL routines::cert cb error';

const NOTHING = (): void => {};

interface Accepted {
  incoming: Incoming;
  socket: ListenSocket;
  proxy: ProxyInfo | null;
  hooks: AcceptHooks;
  /** until it is a connection of HTTP */
  arrival: Arrival;
}

/** Waits for the end of a handshake: success, an error, a closed connection, or the timeout. */
export class Handshake implements Timed {
  deadlineMs = Infinity;
  #over = false;

  readonly #report: (problem: string) => void;

  readonly #secure: tls.TLSSocket;

  constructor(secure: tls.TLSSocket, timeoutMs: number, report: (problem: string) => void, done: () => void) {
    this.#secure = secure;
    this.#report = report;
    watch(this);
    setDeadline(this, timeoutMs);
    secure.on('error', this.#failed);
    secure.on('_tlsError', this.#failed);
    secure.on('end', this.#left);
    secure.on('close', this.#left);
    secure.once('secure', () => {
      this.#end();
      done();
    });
  }

  readonly #failed = (error: Error): void => {
    this.#report(sslError(error));
    this.#left();
  };

  readonly #left = (): void => {
    this.#end();
    this.#secure.destroy();
  };

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    unwatch(this);
    const secure = this.#secure;
    secure.off('error', this.#failed);
    secure.off('_tlsError', this.#failed);
    secure.off('end', this.#left);
    secure.off('close', this.#left);
  }

  timedOut(): void {
    this.#left();
  }
}

/** What variables can show before the handshake: the ClientHello. @throws Error from `socket`, which does not exist yet */
export const handshakeInfo = (hello: ClientHello): TlsInfo => ({
  get socket(): never {
    throw new Error('the TLS handshake has not begun');
  },
  serverName: hello.sentName,
  hello,
  ocspError: '',
  verify: () => OK,
  verifyError: () => '',
});

export class TlsListener {
  readonly #http2: typeof import('./http2.ts') | null;

  readonly #http: HttpMain;
  readonly #hosts: VirtualHosts;

  constructor(http: HttpMain, hosts: VirtualHosts, http2: typeof import('./http2.ts') | null) {
    this.#http = http;
    this.#hosts = hosts;
    this.#http2 = http2;
  }

  acceptSocket(raw: Socket, socket: ListenSocket, proxy: ProxyInfo | null, hooks: AcceptHooks): void {
    this.accept(new SocketIncoming(raw), socket, proxy, hooks);
  }

  /** Reads the ClientHello and starts the handshake with the server that it names. */
  accept(incoming: Incoming, socket: ListenSocket, proxy: ProxyInfo | null, hooks: AcceptHooks): void {
    const arrival = new Arrival(incoming);
    incoming.onDestroy = () => arrival.over();
    const accepted = { incoming, socket, proxy, hooks, arrival };
    incoming.read(core.conf(this.#hosts.defaultServer.root).client_header_timeout, (held) => {
      const hello = parseClientHello(held);
      if (hello === 'more' && held.length < MAX_HELLO) return false;
      if (hello === null || hello === 'more') this.#plain(accepted);
      else this.#handshake(accepted, hello);
      return true;
    });
  }

  /** Not TLS: an ordinary request, which gets 400. */
  #plain({ incoming, socket, proxy, hooks, arrival }: Accepted): void {
    const raw = incoming.plain();
    const conn = new HttpConnection(raw, this.#http, { ...socket, options: this.#hosts.options }, this.#hosts);
    conn.proxy = proxy;
    hooks.opened?.(conn);
    arrival.over();
    raw.resume();
  }

  #handshake(accepted: Accepted, hello: ClientHello): void {
    const { incoming, socket } = accepted;
    let server = (hello.serverName && this.#hosts.find(hello.serverName)) || this.#hosts.defaultServer;
    const own = sslModule.conf(server.root);
    // a server without a certificate uses the one of the default server
    if (!own.ssl_certificate && !own.ssl_reject_handshake) server = this.#hosts.defaultServer;
    const logs = server.root.errorLogs;
    const report = (level: 'error' | 'info', problem: string): void => {
      const at = socket.path || `${socket.host}:${socket.port}`;
      logTo(logs, level, `${problem} while SSL handshaking, client: ${incoming.peer.remoteAddr}, server: ${at}`);
    };
    const failure = (problem: string): void => report('info', `SSL_do_handshake() failed (${problem})`);
    const refuse = (alert: Buffer): void => {
      const refused = incoming.plain();
      accepted.arrival.follow(refused);
      refused.on('error', NOTHING).write(alert);
      refused.destroySoon();
    };
    const cannotLoad = (error: unknown): void => {
      report('error', error instanceof Error ? error.message : String(error));
      failure(NO_CERTIFICATE);
      refuse(ALERT_INTERNAL_ERROR);
    };
    let context: TlsContext;
    try {
      context = contextOf(this.#http, server);
    } catch (error) {
      cannotLoad(error);
      return;
    }
    const { conf } = context;
    if (context.reject || !conf.ssl_certificate) {
      failure('unrecognized name');
      refuse(ALERT_UNRECOGNIZED_NAME);
      return;
    }
    let secureContext: tls.SecureContext;
    try {
      secureContext = this.#secureContext(incoming, socket, server, context, hello);
    } catch (error) {
      cannotLoad(error);
      return;
    }
    const http2 = speaksHttp2(this.#hosts, server);
    const checksOcsp = conf.ssl_ocsp !== 'off';
    // bytes may arrive before there is a connection while a responder is queried, and node:http2 reads by itself
    const reads = incoming.sharesReads && !checksOcsp && !(http2 && hello.alpn.includes('h2')) ? new SharedReads() : null;
    const secure = incoming.secure(
      {
        isServer: true,
        server: conf.ssl_stapling && hello.wantsStatus ? staplingServer(context.server, server, hello) : context.server,
        requestCert: conf.ssl_verify_client !== 'off',
        rejectUnauthorized: false,
        ALPNProtocols: http2 ? HTTP2_TOO : HTTP1,
        secureContext,
      },
      reads,
    );
    accepted.arrival.follow(secure);
    trustUnnamed(context, secureContext);
    if (conf.ssl_key_log) logKeys(secure, conf.ssl_key_log);
    new Handshake(secure, core.conf(server.root).client_header_timeout, failure, () => {
      const info = tlsInfo(secure, server, hello);
      if (!checksOcsp || !secure.getPeerX509Certificate() || info.verifyError()) {
        this.#open(secure, accepted, server, info, reads);
        return;
      }
      void checkClientCertificate(this.#http, server, secure).then((problem) => {
        info.ocspError = problem;
        if (!secure.destroyed) this.#open(secure, accepted, server, info, null);
      });
    });
  }

  #open(
    secure: tls.TLSSocket,
    { socket, proxy, hooks, arrival }: Accepted,
    server: Server,
    info: TlsInfo,
    reads: SharedReads | null,
  ): void {
    const http = this.#http;
    const hosts = this.#hosts;
    const { ssl_buffer_size } = sslModule.conf(server.root);
    if (ssl_buffer_size < MAX_RECORD) secure.setMaxSendFragment(Math.max(MIN_RECORD, ssl_buffer_size));
    const listen = { ...socket, options: hosts.options };
    if (this.#http2 && secure.alpnProtocol === 'h2') {
      // Node's own TLS server would set this; a session waits for it
      internalsOf<{ secureConnecting: boolean }>(secure).secureConnecting = false;
      new this.#http2.Http2Connection(secure, { http, listen, hosts, proxy, hooks }, server, info);
      arrival.over();
      return;
    }
    const conn = new HttpConnection(secure, http, listen, hosts, { sharedReads: reads !== null });
    if (reads) reads.conn = conn;
    conn.proxy = proxy;
    conn.tls = info;
    hooks.opened?.(conn);
    arrival.over();
  }

  /** @throws Error or string: a file cannot be read or is malformed */
  #secureContext(incoming: Incoming, socket: ListenSocket, server: Server, context: TlsContext, hello: ClientHello): tls.SecureContext {
    return secureContextFor(server, context, () => {
      const conn = new DetachedConnection(socket, { ...incoming.peer, tls: handshakeInfo(hello) });
      return new HttpRequest(conn, this.#http, server);
    });
  }
}
