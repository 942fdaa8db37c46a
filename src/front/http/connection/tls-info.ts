// The TLS properties of a connection that its requests use.

import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { internalsOf } from '../../../http/wire/stream-binding.ts';
import type { Server, TlsInfo } from '../model/types.ts';
import { HTTPS_CERT_ERROR, HTTPS_NO_CERT, OK } from '../request/codes.ts';
import type { ClientHello } from '../tls/client-hello.ts';
import { verifyText } from '../tls/pem.ts';
import { isNoCa, sslModule } from '../tls/ssl.ts';

/** @param server server whose demands applied to the handshake */
export function tlsInfo(secure: TLSSocket, server: Server, hello: ClientHello): TlsInfo {
  const verifyError = (): string => {
    const own = sslModule.conf(server.root);
    const native = internalsOf<{ _handle: { verifyError?(): { code?: string } | null } }>(secure)._handle?.verifyError?.();
    if (native) return native.code ?? 'CERT_REJECTED';
    // a session stores the result of its first handshake, but not the chain
    if (secure.isSessionReused()) return '';
    let certificate: DetailedPeerCertificate | null = secure.getPeerCertificate(true);
    let depth = 0;
    while (certificate?.issuerCertificate && certificate.issuerCertificate !== certificate && depth < 20) {
      certificate = certificate.issuerCertificate;
      depth++;
    }
    return depth > own.ssl_verify_depth + 1 ? 'CERT_CHAIN_TOO_LONG' : '';
  };
  let memo: string | null = null;
  const info: TlsInfo = {
    socket: secure,
    serverName: hello.sentName,
    hello,
    verifyError: () => (memo ??= verifyError()),
    ocspError: '',
    verify(r) {
      const conf = sslModule.conf(r.server.root);
      const mode = conf.ssl_verify_client;
      if (mode === 'off') return OK;
      const log = (message: string): void => r.log('info', r.conn.http2 ? message : `${message} while reading client request headers`);
      // a request for another server's host must not bypass that server's demands
      const isOther = r.server !== server && sslModule.conf(server.root).ssl_verify_client !== mode;
      if (hello.serverName ? r.host !== hello.serverName : isOther) {
        log('client attempted to request the server name different from the one that was negotiated');
        return 421;
      }
      const certificate = secure.getPeerX509Certificate();
      if (!certificate) {
        if (mode !== 'on') return OK;
        log('client sent no required SSL certificate');
        return HTTPS_NO_CERT;
      }
      const code = info.verifyError();
      if (!code && info.ocspError) {
        log(`client SSL certificate verify error: ${info.ocspError}`);
        return HTTPS_CERT_ERROR;
      }
      if (!code || (mode === 'optional_no_ca' && isNoCa(code))) return OK;
      log(`client SSL certificate verify error: ${verifyText(code)}`);
      return HTTPS_CERT_ERROR;
    },
  };
  return info;
}
