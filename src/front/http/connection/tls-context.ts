// TLS contexts of a virtual server: certificates, keys, ciphers, tickets and sessions, as its directives say.

import { constants, createHash } from 'node:crypto';
import tls from 'node:tls';
import { present } from '../../../common/present.ts';
import { internalsOf } from '../../../http/wire/stream-binding.ts';
import { logTo } from '../../log/error-log.ts';
import { drain, onNews, tellLoops } from '../../zone/bus.ts';
import type { BlockMain, Server, Session } from '../model/types.ts';
import { prepareStapling } from '../ocsp/stapling.ts';
import { ContextCache } from '../tls/certificate-cache.ts';
import { applyConfCommands, versionRange } from '../tls/conf-command.ts';
import { lastOfEachType } from '../tls/key-pairs.ts';
import { certificatesOf } from '../tls/ocsp-responder.ts';
import { readCertificates, readConfigFile, readCrls, readKey } from '../tls/pem.ts';
import { type PemSource, sslModule } from '../tls/ssl.ts';
import { type TicketKey, ticketKeysOf, useTicketKeys } from './session-tickets.ts';

type Conf = ReturnType<typeof sslModule.conf>;

/** Sessions of one zone; the oldest are dropped first. */
class SessionCache {
  readonly #sessions = new Map<string, { data: Buffer; untilMs: number }>();
  readonly #topic: string;
  readonly #max: number;

  constructor(zone: string, max = 10_000) {
    this.#max = max;
    this.#topic = `tls-sessions:${zone}`;
    onNews<{ id: string; data: Uint8Array; untilMs: number }>(this.#topic, ({ id, data, untilMs }) =>
      this.#keep(id, Buffer.from(data), untilMs),
    );
  }
  put(id: string, data: Buffer, timeoutMs: number): void {
    const untilMs = Date.now() + timeoutMs;
    this.#keep(id, data, untilMs);
    tellLoops(this.#topic, { id, data, untilMs });
  }
  #keep(id: string, data: Buffer, untilMs: number): void {
    this.#sessions.set(id, { data, untilMs });
    for (const oldest of this.#sessions.keys()) {
      if (this.#sessions.size <= this.#max) break;
      this.#sessions.delete(oldest);
    }
  }
  get(id: string): Buffer | null {
    drain();
    const found = this.#sessions.get(id);
    if (!found || found.untilMs < Date.now()) return null;
    return found.data;
  }
  exportState(): unknown {
    return [...this.#sessions];
  }
  importState(state: unknown): void {
    for (const [id, value] of state as [string, { data: Uint8Array; untilMs: number }][]) {
      this.#sessions.set(id, { data: Buffer.from(value.data), untilMs: value.untilMs });
    }
  }
}

export interface TlsContext {
  server: tls.Server;
  conf: Conf;
  reject: boolean;
  ticketKeys: TicketKey[];
  /** PEM of authorities that are trusted, but not named to clients */
  unnamed: string[];
  /** certificates and keys without variables, for contexts that serve one handshake */
  pems: Pems;
}

interface Pems {
  cert: Buffer[];
  key: (string | Buffer)[];
}

const sharedContext = (server: tls.Server): tls.SecureContext =>
  present(internalsOf<{ _sharedCreds: tls.SecureContext }>(server)._sharedCreds);

const contexts = new WeakMap<Server, TlsContext>();

/** Checks and prepares every server that a TLS socket may choose. @throws Error naming the file */
export function prepareTls(http: BlockMain): void {
  for (const server of http.servers) {
    const conf = sslModule.conf(server.root);
    const listens = server.listens.some((l) => l.ssl) || http.sockets.some((s) => s.options.ssl && s.hosts.servers.includes(server));
    if (!listens) {
      // no socket chooses it, but a missing certificate still stops the start
      if (conf.ssl_certificate && (constantPems(conf) || !conf.ssl_certificate_key)) pemsOf(conf, constantOf);
      continue;
    }
    if (conf.ssl_ocsp !== 'off' && conf.ssl_verify_client === 'optional_no_ca')
      throw '"ssl_ocsp" is incompatible with "ssl_verify_client optional_no_ca"';
    if (!conf.ssl_certificate && !conf.ssl_reject_handshake) {
      const isDefault = http.sockets.some((s) => s.hosts.defaultServer === server);
      if (isDefault) throw `no "ssl_certificate" is defined for the "listen ... ssl" directive in ${server.place}`;
      continue;
    }
    contextOf(http, server);
  }
}

const constantPems = (conf: Conf): boolean =>
  [...(conf.ssl_certificate ?? []), ...(conf.ssl_certificate_key ?? [])].every((p) => p.value.constant !== null);

function readFileOr(path: string | null): Buffer | null {
  if (path === null) return null;
  try {
    return readConfigFile(path);
  } catch (error) {
    throw `cannot load certificate "${path}": ${(error as Error).message}`;
  }
}

const CURVE_ALIASES: Record<string, string> = { secp256r1: 'prime256v1' };

function secureOptions(conf: Conf, cert: Buffer[], key: (string | Buffer)[]): tls.SecureContextOptions {
  const options: tls.SecureContextOptions = {
    cert,
    key,
    ciphers: cipherList(conf),
    honorCipherOrder: conf.ssl_prefer_server_ciphers,
    sessionTimeout: conf.ssl_session_timeout,
    sessionIdContext: sessionContext(conf, cert),
    ...versionRange(conf.ssl_protocols),
  };
  if (conf.ssl_ecdh_curve !== 'auto') {
    options.ecdhCurve = conf.ssl_ecdh_curve
      .split(':')
      .map((c) => CURVE_ALIASES[c] ?? c)
      .join(':');
  }
  if (conf.ssl_dhparam) options.dhparam = readFileOr(conf.ssl_dhparam) ?? undefined;
  // each is announced to the client; without a list Node would trust the public authorities
  options.ca = authoritiesIn(conf.ssl_client_certificate);
  if (conf.ssl_crl) options.crl = readCrls(conf.ssl_crl);
  // a session cache implies resumption without tickets, which Node offers for TLS 1.2 only, so tickets stay enabled
  if (!conf.ssl_session_tickets && conf.ssl_session_cache.mode !== 'on') options.secureOptions = constants.SSL_OP_NO_TICKET;
  applyConfCommands(options, conf.ssl_conf_command ?? []);
  return options;
}

/** The authorities of a file as PEM, each once. */
function authoritiesIn(path: string | null): string[] {
  const pem = readFileOr(path);
  return pem ? [...new Set(certificatesOf(pem).map((c) => c.toString()))] : [];
}

/**
 * Authorities of `ssl_trusted_certificate` that a handshake trusts without naming them to the client. Node always does both, so they
 * are added after the server has written its names (see `trustUnnamed`), to a context that serves one handshake.
 */
function unnamedAuthorities(conf: Conf, named: readonly string[]): string[] {
  if (conf.ssl_verify_client === 'off') return [];
  return authoritiesIn(conf.ssl_trusted_certificate).filter((pem) => !named.includes(pem));
}

/**
 * Sessions are valid only for the same certificates, authorities and demands on clients; certificates with variables are distinguished
 * by their names, as in nginx.
 */
function sessionContext(conf: Conf, cert: Buffer[]): string {
  const hash = createHash('sha1').update('HTTP');
  if (constantPems(conf)) for (const pem of cert) hash.update(pem);
  else for (const { value } of conf.ssl_certificate ?? []) hash.update(value.source);
  hash.update(`${conf.ssl_verify_client} ${conf.ssl_client_certificate ?? ''}`);
  // OpenSSL's limit is 32 bytes
  return hash.digest('hex').slice(0, 32);
}

/** Keeps the TLS 1.3 suites: `ssl_ciphers` applies to earlier versions. */
function cipherList(conf: Conf): string {
  const suites = 'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256';
  return conf.ssl_ciphers.includes('TLS_') ? conf.ssl_ciphers : `${suites}:${conf.ssl_ciphers}`;
}

const constantOf = ({ value }: PemSource): string => value.constant ?? '';

function pemsOf(conf: Conf, evalText: (pem: PemSource) => string, atRunTime = false): Pems {
  const certs = conf.ssl_certificate ?? [];
  const keys = conf.ssl_certificate_key ?? [];
  if (keys.length < certs.length) throw `no "ssl_certificate_key" is defined for certificate "${certs[certs.length - 1].value.source}"`;
  const cert = certs.map((c) => {
    const name = c.path(evalText(c));
    try {
      return readCertificates(name, atRunTime);
    } catch (error) {
      throw `cannot load certificate "${name}": ${(error as Error).message}`;
    }
  });
  const key = keys.slice(0, certs.length).map((k) => {
    const name = k.path(evalText(k));
    try {
      return readKey(name, conf.ssl_password_file, atRunTime);
    } catch (error) {
      throw `cannot load certificate key "${name}": ${(error as Error).message}`;
    }
  });
  try {
    const kept = lastOfEachType(cert.map((pem, i) => ({ cert: pem, key: key[i] })));
    return { cert: kept.map((pair) => pair.cert), key: kept.map((pair) => pair.key) };
  } catch (error) {
    throw `cannot use the certificates "${certs.map((c) => c.value.source).join('", "')}": ${(error as Error).message}`;
  }
}

function sessionsOf(http: BlockMain, conf: Conf): SessionCache | null {
  const { mode, zone } = conf.ssl_session_cache;
  if (mode !== 'on') return null;
  const key = `tls-sessions:${zone}`;
  let cache = http.registry.get(key) as SessionCache | undefined;
  if (!cache) {
    cache = new SessionCache(zone);
    const before = http.inherited.get(key);
    if (before) cache.importState(before);
    http.registry.set(key, cache);
  }
  return cache;
}

/** The context of a server, created once. @throws string why it cannot be created */
export function contextOf(http: BlockMain, server: Server): TlsContext {
  const known = contexts.get(server);
  if (known) return known;
  const conf = sslModule.conf(server.root);
  const ticketKeys = ticketKeysOf(http, conf);
  const reject = conf.ssl_reject_handshake;
  if (!reject && (conf.ssl_verify_client === 'on' || conf.ssl_verify_client === 'optional')) {
    if (!conf.ssl_client_certificate && !conf.ssl_trusted_certificate)
      throw 'no ssl_client_certificate or ssl_trusted_certificate for ssl_verify_client';
  }
  const pems = !reject && constantPems(conf) ? pemsOf(conf, constantOf) : { cert: [], key: [] };
  let base: tls.SecureContextOptions;
  try {
    base = secureOptions(conf, pems.cert, pems.key);
    tls.createSecureContext(base);
  } catch (error) {
    if (typeof error === 'string') throw error;
    throw `SSL context for server "${server.name}" failed: ${(error as Error).message}`;
  }
  const verifying = conf.ssl_verify_client !== 'off';
  const tlsServer = tls.createServer({
    ...base,
    requestCert: verifying,
    rejectUnauthorized: false,
    allowHalfOpen: true,
  } as tls.TlsOptions);
  const cache = sessionsOf(http, conf);
  if (cache) {
    const prefix = `${createHash('md5').update(pems.cert.join('')).update(String(verifying)).digest('hex')}:`;
    tlsServer.on('newSession', (id: Buffer, data: Buffer, done: () => void) => {
      cache.put(prefix + id.toString('hex'), data, conf.ssl_session_timeout * 1000);
      done();
    });
    tlsServer.on('resumeSession', (id: Buffer, done: (error: Error | null, data: Buffer | null) => void) => {
      done(null, cache.get(prefix + id.toString('hex')));
    });
  }
  if (conf.ssl_stapling) prepareStapling(http, server, pems.cert, (message) => logTo(server.root.errorLogs, 'warn', message));
  useTicketKeys(sharedContext(tlsServer), ticketKeys);
  const context = { server: tlsServer, conf, reject, ticketKeys, pems, unnamed: unnamedAuthorities(conf, base.ca as string[]) };
  contexts.set(server, context);
  return context;
}

/**
 * The secure context of a handshake. Certificates with variables are chosen per connection, and read again unless they are cached.
 * @param session evaluates variables; called only if there are any
 * @throws Error or string: a file cannot be read or is malformed
 */
export function secureContextFor(server: Server, context: TlsContext, session: () => Session): tls.SecureContext {
  const { conf } = context;
  if (constantPems(conf)) return context.unnamed.length === 0 ? sharedContext(context.server) : newContext(context, context.pems);
  const r = session();
  const evaluate = (pem: PemSource): string => pem.value.eval(r);
  const key = [...(conf.ssl_certificate ?? []), ...(conf.ssl_certificate_key ?? [])].map(evaluate).join('\0');
  const cache = variableContexts.get(server) ?? new ContextCache();
  variableContexts.set(server, cache);
  const keep = conf.ssl_certificate_cache ?? { max: 0, validMs: 0, inactiveMs: 0 };
  const reusable = context.unnamed.length === 0;
  const known = reusable ? cache.get(key, keep) : null;
  if (known) return known;
  const made = newContext(context, pemsOf(conf, evaluate, true));
  if (reusable) cache.put(key, made, keep);
  return made;
}

function newContext({ conf, ticketKeys }: TlsContext, { cert, key }: Pems): tls.SecureContext {
  const made = tls.createSecureContext(secureOptions(conf, cert, key));
  useTicketKeys(made, ticketKeys);
  return made;
}

/**
 * Makes a handshake trust the authorities that are not named to the client. To be called right after the TLS socket is made: the socket gets
 * the ClientHello in the next tick and writes its names; the client's certificate arrives no earlier than the next event.
 */
export function trustUnnamed({ unnamed }: TlsContext, secureContext: tls.SecureContext): void {
  if (unnamed.length === 0) return;
  const { context } = secureContext as { context: { addCACert(pem: string): void } };
  process.nextTick(() => {
    for (const pem of unnamed) context.addCACert(pem);
  });
}

const variableContexts = new WeakMap<Server, ContextCache>();
