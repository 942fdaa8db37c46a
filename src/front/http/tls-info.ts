/** What a request knows of its TLS connection. */
import type { TLSSocket } from 'node:tls';
import type { Request } from './request.ts';

export interface TlsInfo {
  socket: TLSSocket;
  /** name the client asked for, '' if none */
  serverName: string;
  /** checks what the server demands of the client's certificate: OK or a status */
  verify(r: Request): number;
}
