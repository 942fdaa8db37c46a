// TLS of client connections: the server that the ClientHello names, its certificate, and verification of the client's.
import type { Socket } from 'node:net';
import type tls from 'node:tls';
import { contextOf, secureContextFor, type TlsContext, trustUnnamed } from '../http/connection/tls-context.ts';
import { SocketIncoming } from '../http/connection/tls-incoming.ts';
import { tlsInfo } from '../http/connection/tls-info.ts';
import {
  ALERT_INTERNAL_ERROR,
  ALERT_UNRECOGNIZED_NAME,
  Handshake,
  handshakeInfo,
  NO_CERTIFICATE,
  staplingServer,
  wireNames,
} from '../http/connection/tls-listener.ts';
import type { Server, TlsInfo } from '../http/model/types.ts';
import { checkClientCertificate } from '../http/ocsp/client.ts';
import { type ClientHello, MAX_HELLO, parseClientHello } from '../http/tls/client-hello.ts';
import { logKeys } from '../http/tls/key-log.ts';
import { verifyText } from '../http/tls/pem.ts';
import { isNoCa, sslModule } from '../http/tls/ssl.ts';
import { STATUS } from './model.ts';
import { streamSsl } from './modules/ssl.ts';
import type { TcpSession } from './tcp-session.ts';

/** Reads the ClientHello and performs the handshake with the server that it names. */
export function secureSession(s: TcpSession, raw: Socket): void {
  const incoming = new SocketIncoming(raw);
  s.action = 'SSL handshaking';
  raw.once('close', () => fail(s, null));
  incoming.read(streamSsl.conf(s.loc).ssl_handshake_timeout, (held) => {
    const hello = parseClientHello(held);
    if (hello === 'more' && held.length < MAX_HELLO) return false;
    if (hello === null || hello === 'more') {
      fail(s, 'wrong version number');
      incoming.destroy();
    } else handshake(s, incoming, hello);
    return true;
  });
  raw.resume();
}

/** @param problem  null if the client left */
function fail(s: TcpSession, problem: string | null): void {
  if (s.done || s.isSecure) return;
  if (problem !== null) s.log('info', `SSL_do_handshake() failed (${problem})`);
  s.finalize(STATUS.internalError);
}

function refuse(incoming: SocketIncoming, alert: Buffer): void {
  incoming
    .plain()
    .on('error', () => {})
    .end(alert);
}

function handshake(s: TcpSession, incoming: SocketIncoming, hello: ClientHello): void {
  const named = (hello.serverName && s.hosts.find(hello.serverName, s)) || s.hosts.defaultServer;
  s.useServer(named);
  const own = sslModule.conf(named.root);
  // a server without a certificate uses the one of the default server
  const server = own.ssl_certificate || own.ssl_reject_handshake ? named : s.hosts.defaultServer;
  let context: TlsContext;
  let secureContext: tls.SecureContext;
  try {
    context = contextOf(s.stream, server);
    if (context.reject || !context.conf.ssl_certificate) {
      refuse(incoming, ALERT_UNRECOGNIZED_NAME);
      fail(s, 'unrecognized name');
      return;
    }
    secureContext = secureContextFor(server, context, () => {
      s.conn.tls = handshakeInfo(hello);
      return s;
    });
  } catch (error) {
    s.log('error', error instanceof Error ? error.message : String(error));
    // variables of a log line need a socket
    s.conn.tls = null;
    refuse(incoming, ALERT_INTERNAL_ERROR);
    fail(s, NO_CERTIFICATE);
    return;
  }
  const { conf } = context;
  const { ssl_alpn, ssl_handshake_timeout } = streamSsl.conf(s.loc);
  const secure = incoming.secure({
    isServer: true,
    server: conf.ssl_stapling && hello.wantsStatus ? staplingServer(context.server, server, hello) : context.server,
    requestCert: conf.ssl_verify_client !== 'off',
    rejectUnauthorized: false,
    ALPNProtocols: ssl_alpn ? wireNames(ssl_alpn) : undefined,
    secureContext,
  });
  // a handshake that fails is logged, too
  s.conn.tls = tlsInfo(secure, server, hello);
  trustUnnamed(context, secureContext);
  if (conf.ssl_key_log) logKeys(secure, conf.ssl_key_log);
  const report = (problem: string): void => fail(s, problem);
  new Handshake(secure, ssl_handshake_timeout, report, () => {
    const info = tlsInfo(secure, server, hello);
    // OpenSSL reports the end of a handshake before it writes the session tickets: an answer sent at once would precede them.
    const proceed = (): void => {
      setImmediate(() => open(s, secure, info, server));
    };
    if (conf.ssl_ocsp === 'off' || !secure.getPeerX509Certificate() || info.verifyError()) {
      proceed();
      return;
    }
    void checkClientCertificate(s.stream, server, secure).then((problem) => {
      info.ocspError = problem;
      proceed();
    });
  });
}

function open(s: TcpSession, secure: tls.TLSSocket, info: TlsInfo, server: Server): void {
  if (s.done || secure.destroyed) {
    secure.destroy();
    return;
  }
  const problem = clientProblem(info, server);
  s.conn.tls = info;
  if (problem !== null) {
    s.log('info', problem);
    s.finalize(STATUS.internalError);
    secure.destroy();
    return;
  }
  s.action = '';
  s.secured(secure, info);
}

/** Why the client's certificate is refused, in nginx's words. */
function clientProblem(info: TlsInfo, server: Server): string | null {
  const mode = sslModule.conf(server.root).ssl_verify_client;
  if (mode === 'off') return null;
  if (!info.socket.getPeerX509Certificate()) return mode === 'on' ? 'client sent no required SSL certificate' : null;
  const code = info.verifyError();
  if (!code) return info.ocspError ? `client SSL certificate verify error: ${info.ocspError}` : null;
  return mode === 'optional_no_ca' && isNoCa(code) ? null : `client SSL certificate verify error: ${verifyText(code)}`;
}
