// Reads the certificates of a listener for Node's TLS. Imported only where TLS is on, since it loads OpenSSL's bindings.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, createServer, type SecureContextOptions, type Server, type TLSSocket } from 'node:tls';
import { TLS_PROTOCOLS, type TlsOptions } from './listener.ts';

const HANDSHAKE_TIMEOUT_MS = 10_000;

/** @throws Error a file cannot be read or parsed, or key and certificate do not belong together; names the file */
export function readTlsContext(tls: TlsOptions): SecureContextOptions {
  const certificate = readPem(tls.certificate);
  const options: SecureContextOptions = {
    cert: certificate,
    key: readPem(tls.key),
    ...(tls.passphrase === null ? {} : { passphrase: tls.passphrase }),
    ...(tls.authorities.length === 0 ? {} : { ca: tls.authorities.map(readPem) }),
    minVersion: TLS_PROTOCOLS.find((protocol) => tls.protocols.includes(protocol)),
    maxVersion: TLS_PROTOCOLS.findLast((protocol) => tls.protocols.includes(protocol)),
  };
  try {
    new X509Certificate(certificate);
    createSecureContext(options);
  } catch (error) {
    throw new Error(`certificate [${tls.certificate}] with key [${tls.key}]: ${(error as Error).message}`);
  }
  return options;
}

/** A server that passes on connections after their handshake. @throws Error as readTlsContext */
export function createTlsServer(tls: TlsOptions, accept: (socket: TLSSocket) => void): Server {
  const options = {
    ...readTlsContext(tls),
    noDelay: true,
    allowHalfOpen: false,
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    requestCert: tls.clientAuthentication !== 'none',
    // Refuses certificates of unknown authorities, and clients without one.
    rejectUnauthorized: tls.clientAuthentication === 'required',
  };
  const server = createServer(options, (socket) => {
    if (tls.clientAuthentication === 'optional' && !socket.authorized && socket.getPeerX509Certificate() !== undefined) socket.destroy();
    else accept(socket);
  });
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return server;
}

/** Warnings about a certificate that clients will refuse. */
export function certificateWarnings(tls: TlsOptions, nowMs: number): string[] {
  const { validFrom, validTo } = new X509Certificate(readPem(tls.certificate));
  if (Date.parse(validTo) < nowMs) return [`certificate [${tls.certificate}] has expired: it was valid until ${validTo}`];
  if (Date.parse(validFrom) > nowMs) return [`certificate [${tls.certificate}] is not valid before ${validFrom}`];
  return [];
}

function readPem(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(`cannot read [${file}]: ${(error as NodeJS.ErrnoException).code}`);
  }
}
