// OCSP stapling: the response of `ssl_stapling_file`, or one fetched from the responder and cached while it is valid. A handshake never waits for a
// responder: until there is a response, nothing is stapled.
import type { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { logTo } from '../../log/error-log.ts';
import type { NameService } from '../model/resolver.ts';
import type { BlockMain, Server } from '../model/types.ts';
import type { ClientHello } from '../tls/client-hello.ts';
import { certificatesOf, issuerOf, parseResponder, type Responder, responderOf } from '../tls/ocsp-responder.ts';
import { readConfigFile } from '../tls/pem.ts';
import { sslModule } from '../tls/ssl.ts';
import { askResponder } from './ask.ts';

/** A response is fetched again this long before it expires, and after an hour at the latest; failures are retried soon. */
const REFRESH_BEFORE_MS = 300_000;
const REFRESH_AFTER_MS = 3_600_000;
const RETRY_MS = 300_000;

/** The response for one certificate of one server. */
class Staple {
  #response: Buffer | null = null;
  #validUntilMs = 0;
  #refreshAtMs = 0;
  #asking = false;

  readonly #chain: X509Certificate[];

  readonly #server: Server;
  readonly #certificate: X509Certificate;
  readonly #issuer: X509Certificate;
  readonly #responder: Responder;
  readonly #names: NameService;

  constructor(
    server: Server,
    certificate: X509Certificate,
    issuer: X509Certificate,
    chain: X509Certificate[],
    responder: Responder,
    names: NameService,
  ) {
    this.#names = names;
    this.#server = server;
    this.#certificate = certificate;
    this.#issuer = issuer;
    this.#responder = responder;
    this.#chain = chain;
  }

  /** The current response; starts to fetch a missing or outdated one. */
  current(): Buffer | null {
    const now = Date.now();
    if (now >= this.#refreshAtMs && !this.#asking) {
      this.#asking = true;
      void this.#refresh().finally(() => {
        this.#asking = false;
      });
    }
    return now < this.#validUntilMs ? this.#response : null;
  }

  async #refresh(): Promise<void> {
    const server = this.#server;
    const certificate = this.#certificate;
    const issuer = this.#issuer;
    const responder = this.#responder;
    try {
      const { certificateId, ocspRequest, readOcspResponse } = await import('./messages.ts');
      const data = await askResponder(responder, ocspRequest(certificateId(certificate, issuer)), this.#names);
      const verifySigner = sslModule.conf(server.root).ssl_stapling_verify;
      const answer = readOcspResponse(data, certificate, issuer, { chain: this.#chain, verifySigner });
      const now = Date.now();
      if (answer.status !== 'good') throw new Error(`certificate status "${answer.status}" in the OCSP response`);
      this.#response = data;
      this.#validUntilMs = answer.validUntilMs;
      this.#refreshAtMs = Math.max(now + 1000, Math.min(answer.validUntilMs - REFRESH_BEFORE_MS, now + REFRESH_AFTER_MS));
    } catch (error) {
      this.#refreshAtMs = Date.now() + RETRY_MS;
      logTo(
        server.root.errorLogs,
        'error',
        `${(error as Error).message} while requesting certificate status, responder: ${responder.host}, certificate: "${certificate.subject.replace(/\n/g, ', ')}"`,
      );
    }
  }
}

interface ServerStaples {
  file: Buffer | null;
  /** One entry per certificate; `staple` is null if it cannot be stapled. */
  certificates: { keyType: string; staple: Staple | null }[];
}

const staples = new WeakMap<Server, ServerStaples>();

/**
 * Prepares a server's certificates: finds issuers and responders.
 * @param pems  the certificate files, each with its chain
 * @param warn  called with the reason why a certificate cannot be stapled
 * @throws string: a file cannot be read
 */
export function prepareStapling(main: BlockMain, server: Server, pems: readonly Buffer[], warn: (message: string) => void): void {
  const names = main.namesAt(server.root);
  const conf = sslModule.conf(server.root);
  const prepared: ServerStaples = { file: null, certificates: [] };
  staples.set(server, prepared);
  if (conf.ssl_stapling_file) {
    try {
      prepared.file = readFileSync(conf.ssl_stapling_file);
    } catch (error) {
      throw `cannot read "${conf.ssl_stapling_file}": ${(error as Error).message}`;
    }
    return;
  }
  const trusted = conf.ssl_trusted_certificate ? certificatesOf(readConfigFile(conf.ssl_trusted_certificate)) : [];
  for (const pem of pems) {
    const [certificate, ...chain] = certificatesOf(pem);
    if (!certificate) continue;
    const name = certificate.subject.replace(/\n/g, ', ');
    const issuer = issuerOf(certificate, [...chain, ...trusted]);
    const responder = conf.ssl_stapling_responder ? parseResponder(conf.ssl_stapling_responder, true) : responderOf(certificate);
    let staple: Staple | null = null;
    if (!issuer) warn(`"ssl_stapling" ignored, issuer certificate not found for certificate "${name}"`);
    else if (!responder) warn(`"ssl_stapling" ignored, no OCSP responder URL in the certificate "${name}"`);
    else {
      // The server's own certificate is trusted, so the system may resolve its host names.
      const known = names.resolver ? responder : { ...responder, configured: true };
      staple = new Staple(server, certificate, issuer, [...chain, ...trusted], known, names);
    }
    prepared.certificates.push({ keyType: certificate.publicKey.asymmetricKeyType ?? '', staple });
  }
}

/** The DER response for the certificate that this handshake will use, null if there is none. */
export function stapleFor(server: Server, hello: ClientHello): Buffer | null {
  const prepared = staples.get(server);
  if (!prepared) return null;
  if (prepared.file) return prepared.file;
  const { certificates } = prepared;
  const chosen = certificates.length === 1 ? certificates[0] : choose(server, certificates, hello);
  return chosen?.staple?.current() ?? null;
}

/**
 * The certificate that OpenSSL will select: in TLS 1.3 that of the first signature scheme in the client's order (the server's own with
 * `ssl_prefer_server_ciphers`). In older versions the cipher matters, too: then only a sole candidate is certain, and a wrong one is worse than none.
 */
function choose<C extends { keyType: string }>(server: Server, certificates: readonly C[], hello: ClientHello): C | null {
  const conf = sslModule.conf(server.root);
  const modern = hello.offersTls13 && conf.ssl_protocols.has('TLSv1.3');
  let types = hello.signatureKeyTypes(modern);
  if (!modern) {
    const able = new Set(certificates.filter((c) => types.includes(c.keyType)));
    return able.size === 1 ? ([...able][0] ?? null) : null;
  }
  if (conf.ssl_prefer_server_ciphers) types = ['ec', 'ed25519', 'ed448', 'rsa'].filter((type) => types.includes(type));
  for (const type of types) {
    const found = certificates.find((c) => c.keyType === type);
    if (found) return found;
  }
  return null;
}
