// TLS of client connections, from the start or after STARTTLS, and verification of the client's certificate.
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { contextOf, secureContextFor, trustUnnamed } from '../http/connection/tls-context.ts';
import { SocketIncoming } from '../http/connection/tls-incoming.ts';
import { tlsInfo } from '../http/connection/tls-info.ts';
import { Handshake, wireNames } from '../http/connection/tls-listener.ts';
import type { TlsInfo } from '../http/model/types.ts';
import { type ClientHello, MAX_HELLO, parseClientHello } from '../http/tls/client-hello.ts';
import { verifyText } from '../http/tls/pem.ts';
import { isNoCa, sslModule } from '../http/tls/ssl.ts';
import { mailCore } from './core.ts';
import type { MailConnection } from './session.ts';

/** Reads the ClientHello and performs the handshake. */
export function secureSession(s: MailConnection, raw: Socket): void {
  const incoming = new SocketIncoming(raw);
  raw.once('close', () => s.handshakeFailed(null));
  incoming.read(mailCore.conf(s.loc).timeout, (held) => {
    const hello = parseClientHello(held);
    if (hello === 'more' && held.length < MAX_HELLO) return false;
    if (hello === null || hello === 'more') s.handshakeFailed('wrong version number');
    else handshake(s, incoming, hello);
    return true;
  });
  raw.resume();
}

function handshake(s: MailConnection, incoming: SocketIncoming, hello: ClientHello): void {
  const { defaultServer: server } = s.hosts;
  const context = contextOf(s.mail, server);
  const secureContext = secureContextFor(server, context, () => {
    throw new Error('certificates of mail contain no variables');
  });
  const secure = incoming.secure({
    isServer: true,
    server: context.server,
    requestCert: context.conf.ssl_verify_client !== 'off',
    rejectUnauthorized: false,
    ALPNProtocols: wireNames([s.protocol.name]),
    secureContext,
  });
  trustUnnamed(context, secureContext);
  new Handshake(
    secure,
    mailCore.conf(s.loc).timeout,
    (problem) => s.handshakeFailed(problem),
    () => {
      const info = tlsInfo(secure, server, hello);
      // OpenSSL reports the end of a handshake before it writes the session tickets: an answer sent at once would precede them
      setImmediate(() => open(s, secure, info));
    },
  );
}

function open(s: MailConnection, secure: TLSSocket, info: TlsInfo): void {
  const mode = sslModule.conf(s.loc).ssl_verify_client;
  const { certificateError, noCertificate } = s.protocol;
  let refusal: string | null = null;
  if (mode !== 'off') {
    const code = info.socket.getPeerX509Certificate() ? info.verifyError() : '';
    if (code && !(mode === 'optional_no_ca' && isNoCa(code))) {
      s.log('info', `client SSL certificate verify error: ${verifyText(code)}`);
      refusal = certificateError;
    } else if (mode === 'on' && !info.socket.getPeerX509Certificate()) {
      s.log('info', 'client sent no required SSL certificate');
      refusal = noCertificate;
    }
  }
  s.secured(secure, info, refusal);
}
