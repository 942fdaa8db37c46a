// `ssl_ocsp`: checks client certificates with their issuers' responders after the handshake; responses are cached in `ssl_ocsp_cache`.

import { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { BoundedMap } from '../../../common/bounded-map.ts';
import { logTo } from '../../log/error-log.ts';
import { drain, onNews, tellLoops } from '../../zone/bus.ts';
import type { BlockMain, Server } from '../model/types.ts';
import { certificatesOf, issuerOf, parseResponder, responderOf } from '../tls/ocsp-responder.ts';
import { readConfigFile } from '../tls/pem.ts';
import { sslModule } from '../tls/ssl.ts';
import { askResponder } from './ask.ts';
import type { OcspAnswer } from './messages.ts';

const MAX_CHAIN = 20;
/** Lifetime of a cached response without an expiry time. */
const KEEP_MS = 3_600_000;
const MAX_ANSWERS = 10_000;

/** Cached responses of one `shared:` zone by certificate id. Each event loop holds all: it sends new ones to the others. */
class AnswerCache {
  readonly #answers = new BoundedMap<string, OcspAnswer>(MAX_ANSWERS);
  readonly #topic: string;

  constructor(zone: string) {
    this.#topic = `tls-ocsp:${zone}`;
    onNews<[string, OcspAnswer]>(this.#topic, ([id, answer]) => this.#keep(id, answer));
  }

  get(id: string): OcspAnswer | null {
    drain();
    const answer = this.#answers.get(id);
    return answer && answer.validUntilMs > Date.now() ? answer : null;
  }
  put(id: string, answer: OcspAnswer): void {
    const kept = { ...answer, validUntilMs: Math.min(answer.validUntilMs, Date.now() + KEEP_MS) };
    this.#keep(id, kept);
    tellLoops(this.#topic, [id, kept]);
  }
  #keep(id: string, answer: OcspAnswer): void {
    this.#answers.delete(id);
    this.#answers.set(id, answer);
  }
  exportState(): unknown {
    return [...this.#answers.entries()];
  }
  importState(state: unknown): void {
    for (const [id, answer] of state as [string, OcspAnswer][]) this.#answers.set(id, answer);
  }
}

/** Prepares the servers that use OCSP: loads its library now, not in a handshake, and creates caches that receive other event loops' responses. */
export async function prepareOcsp(http: BlockMain): Promise<void> {
  const confs = http.servers.map((server) => sslModule.conf(server.root));
  for (const conf of confs) cacheOf(http, conf.ssl_ocsp_cache);
  if (confs.some((conf) => conf.ssl_stapling || conf.ssl_ocsp !== 'off')) await import('./messages.ts');
}

function cacheOf(http: BlockMain, zone: string): AnswerCache | null {
  if (!zone) return null;
  const key = `tls-ocsp:${zone}`;
  let cache = http.registry.get(key) as AnswerCache | undefined;
  if (!cache) {
    cache = new AnswerCache(zone);
    const before = http.inherited.get(key);
    if (before) cache.importState(before);
    http.registry.set(key, cache);
  }
  return cache;
}

/**
 * Checks the client's certificate, with `ssl_ocsp on` every certificate up to the root.
 * @returns the reason for refusal in nginx's words, '' if it is accepted
 */
export async function checkClientCertificate(http: BlockMain, server: Server, socket: TLSSocket): Promise<string> {
  const conf = sslModule.conf(server.root);
  const leaf = socket.getPeerX509Certificate();
  if (!leaf) return '';
  const chain = chainOf(leaf, [...authoritiesOf(server), ...sentBy(socket)]);
  const count = conf.ssl_ocsp === 'leaf' ? Math.min(1, chain.length - 1) : chain.length - 1;
  for (let n = 0; n < count; n++) {
    try {
      const { status } = await statusOf(http, server, chain[n], chain[n + 1]);
      if (status === 'revoked') return 'certificate revoked';
      if (status !== 'good') return 'certificate status request failed';
    } catch (error) {
      logTo(
        server.root.errorLogs,
        'error',
        `${(error as Error).message} while requesting certificate status, certificate: "${chain[n].subject.replace(/\n/g, ', ')}", client: ${socket.remoteAddress}`,
      );
      return 'certificate status request failed';
    }
  }
  return '';
}

async function statusOf(http: BlockMain, server: Server, certificate: X509Certificate, issuer: X509Certificate): Promise<OcspAnswer> {
  const { certificateId, ocspRequest, readOcspResponse } = await import('./messages.ts');
  const conf = sslModule.conf(server.root);
  const id = certificateId(certificate, issuer);
  const key = id.toString('hex');
  const cache = cacheOf(http, conf.ssl_ocsp_cache);
  const known = cache?.get(key);
  if (known) return known;
  const responder = conf.ssl_ocsp_responder ? parseResponder(conf.ssl_ocsp_responder, true) : responderOf(certificate);
  if (!responder) throw new Error('no OCSP responder URL in the certificate');
  const data = await askResponder(responder, ocspRequest(id), http.namesAt(server.root));
  const answer = readOcspResponse(data, certificate, issuer, { chain: [], verifySigner: true });
  cache?.put(key, answer);
  return answer;
}

/** From the leaf to the last certificate whose issuer is known; a self-signed one ends the chain. */
function chainOf(leaf: X509Certificate, candidates: readonly X509Certificate[]): X509Certificate[] {
  const chain = [leaf];
  while (chain.length < MAX_CHAIN) {
    const last = chain[chain.length - 1];
    const issuer = last.checkIssued(last) ? null : issuerOf(last, candidates);
    if (!issuer) break;
    chain.push(issuer);
  }
  return chain;
}

const authorities = new WeakMap<Server, X509Certificate[]>();
function authoritiesOf(server: Server): X509Certificate[] {
  let known = authorities.get(server);
  if (!known) {
    const { ssl_client_certificate, ssl_trusted_certificate } = sslModule.conf(server.root);
    known = [ssl_client_certificate, ssl_trusted_certificate].flatMap((file) => (file ? certificatesOf(readConfigFile(file)) : []));
    authorities.set(server, known);
  }
  return known;
}

/** Certificates sent with the leaf in the handshake; none in a resumed session. */
function sentBy(socket: TLSSocket): X509Certificate[] {
  const out: X509Certificate[] = [];
  for (
    let c = socket.getPeerCertificate(true);
    c?.issuerCertificate && c.issuerCertificate !== c && out.length < MAX_CHAIN;
    c = c.issuerCertificate
  )
    out.push(new X509Certificate(c.issuerCertificate.raw));
  return out;
}
