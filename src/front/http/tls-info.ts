/** What a request knows of its TLS connection. */
import type { TLSSocket } from 'node:tls';
import type { ClientHello } from './client-hello.ts';
import type { Request } from './request.ts';

export interface TlsInfo {
  socket: TLSSocket;
  /** name the client asked for, '' if none */
  serverName: string;
  hello: ClientHello | undefined;
  /** checks what the server demands of the client's certificate: OK or a status */
  verify(r: Request): number;
  /** why the client's certificate is no good, '' if it is */
  verifyError(): string;
  /** why its issuer's responder does not stand for the client's certificate, '' if it does or was not asked */
  ocspError: string;
}
