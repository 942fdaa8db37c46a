/**
 * TLS listeners. The ClientHello is read before the handshake, so that the virtual server is known when the TLS socket is made:
 * certificate, protocols, verification and sessions are all that server's own.
 */
import { constants, createHash, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import tls from 'node:tls';
import { logTo } from '../log/error-log.ts';
import { drain, onNews, tellLoops } from '../zone/bus.ts';
import { sharedValue } from '../zone/memory.ts';
import { type ClientHello, MAX_HELLO, parseClientHello } from './client-hello.ts';
import { HTTPS_CERT_ERROR, HTTPS_NO_CERT, OK } from './codes.ts';
import type { HttpMain, ListenSocket, Server, VirtualHosts } from './conf.ts';
import { applyConfCommands, versionRange } from './conf-command.ts';
import { Connection } from './connection.ts';
import { core } from './core.ts';
import { speaksHttp2 } from './modules/http2.ts';
import { isNoCa, sslModule } from './modules/ssl.ts';
import { checkClientCertificate } from './ocsp/client.ts';
import { certificatesOf } from './ocsp/responder.ts';
import { prepareStapling, stapleFor } from './ocsp/stapling.ts';
import { readConfigFile, readCrls, readKey, readPem, verifyText } from './pem.ts';
import { Request } from './request.ts';
import type { AcceptHooks } from './server.ts';
import type { TlsInfo } from './tls-info.ts';
import { ContextCache } from './upstream/tls.ts';

type Conf = ReturnType<typeof sslModule.conf>;

/** Sessions of one zone, oldest out first. */
class SessionCache {
  private readonly sessions = new Map<string, { data: Buffer; untilMs: number }>();
  private readonly topic: string;
  constructor(
    zone: string,
    private readonly max = 10_000,
  ) {
    this.topic = `tls-sessions:${zone}`;
    onNews<{ id: string; data: Uint8Array; untilMs: number }>(this.topic, ({ id, data, untilMs }) =>
      this.keep(id, Buffer.from(data), untilMs),
    );
  }
  put(id: string, data: Buffer, timeoutMs: number): void {
    const untilMs = Date.now() + timeoutMs;
    this.keep(id, data, untilMs);
    tellLoops(this.topic, { id, data, untilMs });
  }
  private keep(id: string, data: Buffer, untilMs: number): void {
    this.sessions.set(id, { data, untilMs });
    if (this.sessions.size > this.max) this.sessions.delete(this.sessions.keys().next().value!);
  }
  get(id: string): Buffer | null {
    drain();
    const found = this.sessions.get(id);
    if (!found || found.untilMs < Date.now()) return null;
    return found.data;
  }
  exportState(): unknown {
    return [...this.sessions];
  }
  importState(state: unknown): void {
    for (const [id, value] of state as [string, { data: Uint8Array; untilMs: number }][]) {
      this.sessions.set(id, { data: Buffer.from(value.data), untilMs: value.untilMs });
    }
  }
}

/** Kept across a reload, so that tickets given before it still work, and common to all event loops. */
class TicketKeys {
  constructor(readonly keys: Buffer) {}
  exportState(): unknown {
    return this.keys;
  }
}

interface Context {
  server: tls.Server;
  conf: Conf;
  reject: boolean;
}

const contexts = new WeakMap<Server, Context>();

/** Checks and prepares every server that a TLS socket may choose. @throws Error naming the file */
export function prepareTls(http: HttpMain): void {
  for (const server of http.servers) {
    const conf = sslModule.conf(server.root);
    const listens = server.listens.some((l) => l.ssl) || http.sockets.some((s) => s.options.ssl && s.hosts.servers.includes(server));
    if (!listens) continue;
    if (conf.ssl_ocsp !== 'off' && conf.ssl_verify_client === 'optional_no_ca')
      throw '"ssl_ocsp" is incompatible with "ssl_verify_client optional_no_ca"';
    if (!conf.ssl_certificate && !conf.ssl_reject_handshake) {
      const isDefault = http.sockets.some((s) => s.hosts.defaultServer === server);
      if (isDefault) throw `no "ssl_certificate" is defined for the "listen ... ssl" directive`;
      continue;
    }
    contextOf(http, server);
  }
}

const constantPems = (conf: Conf): boolean =>
  [...(conf.ssl_certificate ?? []), ...(conf.ssl_certificate_key ?? [])].every((p) => p.value.constant !== undefined);

function readFileOr(path: string | undefined): Buffer | undefined {
  if (path === undefined) return undefined;
  try {
    return readConfigFile(path);
  } catch (error) {
    throw `cannot load certificate "${path}": ${(error as Error).message}`;
  }
}

const CURVE_ALIASES: Record<string, string> = { secp256r1: 'prime256v1' };

function secureOptions(conf: Conf, cert: Buffer[], key: (string | Buffer)[], ticketKeys: Buffer): tls.SecureContextOptions {
  const options: tls.SecureContextOptions & { ticketKeys?: Buffer } = {
    cert,
    key,
    ciphers: cipherList(conf),
    honorCipherOrder: conf.ssl_prefer_server_ciphers,
    sessionTimeout: conf.ssl_session_timeout,
    sessionIdContext: 'HTTP',
    ticketKeys,
    ...versionRange(conf.ssl_protocols),
  };
  if (conf.ssl_ecdh_curve !== 'auto') {
    options.ecdhCurve = conf.ssl_ecdh_curve
      .split(':')
      .map((c) => CURVE_ALIASES[c] ?? c)
      .join(':');
  }
  if (conf.ssl_dhparam) options.dhparam = readFileOr(conf.ssl_dhparam);
  const ca = [readFileOr(conf.ssl_client_certificate), readFileOr(conf.ssl_trusted_certificate)].filter((b) => b !== undefined);
  // each is named to the client, so none twice
  if (ca.length > 0) options.ca = [...new Set(ca.flatMap((pem) => certificatesOf(pem).map((c) => c.toString())))];
  if (conf.ssl_crl) options.crl = readCrls(conf.ssl_crl);
  // with a session cache, resumption without tickets is asked for; Node offers it for TLS 1.2 only, so tickets stay
  if (!conf.ssl_session_tickets && conf.ssl_session_cache.mode !== 'on') options.secureOptions = constants.SSL_OP_NO_TICKET;
  applyConfCommands(options, conf.ssl_conf_command ?? []);
  return options;
}

/** TLS 1.3 suites stay what they are: `ssl_ciphers` speaks of the older ones. */
function cipherList(conf: Conf): string {
  const suites = 'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256';
  return conf.ssl_ciphers.includes('TLS_') ? conf.ssl_ciphers : `${suites}:${conf.ssl_ciphers}`;
}

function pemsOf(
  conf: Conf,
  evalText: (value: Conf['ssl_certificate'] extends (infer P)[] | undefined ? P : never) => string,
  atRunTime = false,
): { cert: Buffer[]; key: (string | Buffer)[] } {
  const certs = conf.ssl_certificate ?? [];
  const keys = conf.ssl_certificate_key ?? [];
  if (keys.length < certs.length) throw `no "ssl_certificate_key" is defined for certificate "${certs[keys.length].value.source}"`;
  const cert = certs.map((c) => {
    const name = c.path(evalText(c as never));
    try {
      return readPem(name, atRunTime);
    } catch (error) {
      throw `cannot load certificate "${name}": BIO_new_file() failed (${(error as Error).message})`;
    }
  });
  const key = keys.slice(0, certs.length).map((k) => {
    const name = k.path(evalText(k as never));
    try {
      return readKey(name, conf.ssl_password_file, atRunTime);
    } catch (error) {
      throw `cannot load certificate key "${name}": ${(error as Error).message}`;
    }
  });
  return { cert, key };
}

function ticketKeysOf(http: HttpMain, conf: Conf): Buffer {
  const file = conf.ssl_session_ticket_key?.[0];
  if (file) {
    const data = readFileOr(file)!;
    if (data.length !== 48 && data.length !== 80) throw `"${file}" must be 48 or 80 bytes`;
    return data.length === 48 ? data : Buffer.concat([data.subarray(0, 16), data.subarray(48, 64), data.subarray(16, 32)]);
  }
  const zone = conf.ssl_session_cache.zone || 'none';
  const key = `tls-tickets:${zone === 'none' ? `server-${serverCount(http)}` : zone}`;
  let keys = http.registry.get(key) as TicketKeys | undefined;
  if (!keys) {
    const before = http.inherited.get(key) as Uint8Array | undefined;
    keys = new TicketKeys(sharedValue(key, () => (before ? Buffer.from(before) : randomBytes(48))));
    http.registry.set(key, keys);
  }
  return keys.keys;
}

const counters = new WeakMap<HttpMain, number>();
function serverCount(http: HttpMain): number {
  const n = (counters.get(http) ?? 0) + 1;
  counters.set(http, n);
  return n;
}

function sessionsOf(http: HttpMain, conf: Conf): SessionCache | undefined {
  const { mode, zone } = conf.ssl_session_cache;
  if (mode !== 'on') return undefined;
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

function contextOf(http: HttpMain, server: Server): Context {
  const known = contexts.get(server);
  if (known) return known;
  const conf = sslModule.conf(server.root);
  const ticketKeys = ticketKeysOf(http, conf);
  const reject = conf.ssl_reject_handshake;
  const pems =
    !reject && constantPems(conf) ? pemsOf(conf, (p) => (p as { value: { constant: string } }).value.constant) : { cert: [], key: [] };
  let base: tls.SecureContextOptions;
  try {
    base = secureOptions(conf, pems.cert, pems.key, ticketKeys);
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
  if (conf.ssl_stapling) prepareStapling(server, pems.cert, (message) => logTo(server.root.errorLogs, 'warn', message));
  const context = { server: tlsServer, conf, reject };
  contexts.set(server, context);
  return context;
}

function alpnOf(hosts: VirtualHosts, server: Server): string[] {
  return speaksHttp2(hosts, server) ? ['h2', 'http/1.1', 'http/1.0', 'http/0.9'] : ['http/1.1', 'http/1.0', 'http/0.9'];
}

/** Bytes of plain text in a TLS record: what the protocol allows, and the least that OpenSSL takes. */
const MAX_RECORD = 16_384;
const MIN_RECORD = 512;

type OcspDone = (error: Error | null, response: Buffer | null) => void;

/**
 * The TLS server as one connection sees it. Node asks a server for the OCSP response without saying for which connection, and names the
 * context's last certificate; which one the handshake takes depends on the ClientHello.
 */
function staplingServer(tlsServer: tls.Server, server: Server, hello: ClientHello): tls.Server {
  const own = Object.create(tlsServer) as tls.Server;
  own.listenerCount = (name) => (name === 'OCSPRequest' ? 1 : tlsServer.listenerCount(name));
  own.emit = ((name: string, ...args: unknown[]) => {
    if (name !== 'OCSPRequest') return tlsServer.emit(name, ...args);
    (args[2] as OcspDone)(null, stapleFor(server, hello));
    return true;
  }) as tls.Server['emit'];
  return own;
}

const ALERT_UNRECOGNIZED_NAME = Buffer.from([21, 3, 3, 0, 2, 2, 112]);

export class TlsListener {
  constructor(
    private readonly http: HttpMain,
    private readonly hosts: VirtualHosts,
    private readonly http2: typeof import('./http2.ts') | undefined,
  ) {}

  /** Reads the ClientHello and starts the handshake of the server it names. */
  accept(raw: Socket, socket: ListenSocket, proxy: Connection['proxy'], hooks: AcceptHooks): void {
    let held: Buffer = Buffer.alloc(0);
    const { defaultServer } = this.hosts;
    raw.setTimeout(core.conf(defaultServer.root).client_header_timeout, () => raw.destroy());
    const onError = () => raw.destroy();
    raw.on('error', onError);
    raw.on('end', onError);
    const onData = (data: Buffer) => {
      held = held.length === 0 ? data : Buffer.concat([held, data]);
      const hello = parseClientHello(held);
      if (hello === 'more' && held.length < MAX_HELLO) return;
      raw.off('data', onData);
      raw.off('end', onError);
      raw.setTimeout(0);
      raw.pause();
      raw.unshift(held);
      if (hello === undefined || hello === 'more') this.plain(raw, socket, proxy, hooks);
      else this.handshake(raw, socket, proxy, hooks, hello);
    };
    raw.on('data', onData);
  }

  /** No TLS at all: an ordinary request, which is answered with 400. */
  private plain(raw: Socket, socket: ListenSocket, proxy: Connection['proxy'], hooks: AcceptHooks): void {
    const conn = new Connection(raw, this.http, { ...socket, options: this.hosts.options }, this.hosts);
    conn.proxy = proxy;
    hooks.opened?.(conn);
    raw.resume();
  }

  private handshake(raw: Socket, socket: ListenSocket, proxy: Connection['proxy'], hooks: AcceptHooks, hello: ClientHello): void {
    let server = (hello.serverName && this.hosts.find(hello.serverName)) || this.hosts.defaultServer;
    const own = sslModule.conf(server.root);
    // a server without a certificate of its own lends the default one's
    if (!own.ssl_certificate && !own.ssl_reject_handshake) server = this.hosts.defaultServer;
    const logs = server.root.errorLogs;
    const tail = `, client: ${raw.remoteAddress}, server: ${socket.path || `${socket.host}:${socket.port}`}`;
    let context: Context;
    try {
      context = contextOf(this.http, server);
    } catch (error) {
      logTo(logs, 'error', String(error));
      raw.destroy();
      return;
    }
    if (context.reject || (!context.conf.ssl_certificate && !context.reject)) {
      logTo(logs, 'info', `SSL_do_handshake() failed (unrecognized name) while SSL handshaking${tail}`);
      raw.end(ALERT_UNRECOGNIZED_NAME);
      return;
    }
    const options: tls.TLSSocketOptions = {
      isServer: true,
      server: context.conf.ssl_stapling && hello.wantsStatus ? staplingServer(context.server, server, hello) : context.server,
      requestCert: context.conf.ssl_verify_client !== 'off',
      rejectUnauthorized: false,
      ALPNProtocols: alpnOf(this.hosts, server),
      secureContext: this.secureContext(raw, socket, server, context, hello),
    };
    if (!options.secureContext) {
      raw.destroy();
      return;
    }
    const secure = new tls.TLSSocket(raw, options);
    const timer = setTimeout(() => raw.destroy(), core.conf(server.root).client_header_timeout);
    const failed = (error: Error) => {
      clearTimeout(timer);
      logTo(logs, 'info', `SSL_do_handshake() failed (${error.message}) while SSL handshaking${tail}`);
      raw.destroy();
    };
    secure.once('error', failed);
    secure.once('_tlsError', failed);
    secure.once('close', () => clearTimeout(timer));
    secure.once('secure', () => {
      clearTimeout(timer);
      secure.off('_tlsError', failed);
      const info = tlsInfo(secure, server, hello);
      if (context.conf.ssl_ocsp === 'off' || !secure.getPeerX509Certificate() || info.verifyError()) {
        secure.off('error', failed);
        this.open(secure, socket, proxy, hooks, server, info);
        return;
      }
      void checkClientCertificate(this.http, server, secure).then((problem) => {
        secure.off('error', failed);
        info.ocspError = problem;
        if (!secure.destroyed) this.open(secure, socket, proxy, hooks, server, info);
      });
    });
  }

  private open(
    secure: tls.TLSSocket,
    socket: ListenSocket,
    proxy: Connection['proxy'],
    hooks: AcceptHooks,
    server: Server,
    info: TlsInfo,
  ): void {
    const { http, hosts } = this;
    const { ssl_buffer_size } = sslModule.conf(server.root);
    if (ssl_buffer_size < MAX_RECORD) secure.setMaxSendFragment(Math.max(MIN_RECORD, ssl_buffer_size));
    const listen = { ...socket, options: hosts.options };
    if (this.http2 && secure.alpnProtocol === 'h2') {
      // Node's own TLS server would say so; a session waits for it
      (secure as unknown as { secureConnecting: boolean }).secureConnecting = false;
      new this.http2.Http2Connection(secure, { http, listen, hosts, proxy, hooks }, server, info);
      return;
    }
    const conn = new Connection(secure, http, listen, hosts);
    conn.proxy = proxy;
    conn.tls = info;
    hooks.opened?.(conn);
  }

  /** Certificates with variables are chosen for each connection. */
  private secureContext(
    raw: Socket,
    socket: ListenSocket,
    server: Server,
    context: Context,
    hello: ClientHello,
  ): tls.SecureContext | undefined {
    const { conf } = context;
    if (constantPems(conf)) return (context.server as unknown as { _sharedCreds: tls.SecureContext })._sharedCreds;
    const conn = {
      tls: { serverName: hello.serverName, hello },
      remoteAddr: raw.remoteAddress ?? '',
      listen: socket,
      localPort: raw.localPort,
      id: 0,
    };
    const r = new Request(conn as unknown as Connection, this.http, server);
    try {
      const cacheKey: string[] = [];
      const names = (p: { value: { eval(r: Request): string } }) => {
        const text = p.value.eval(r);
        cacheKey.push(text);
        return text;
      };
      for (const p of [...(conf.ssl_certificate ?? []), ...(conf.ssl_certificate_key ?? [])]) names(p);
      const key = cacheKey.join('\0');
      const cache = variableContexts.get(server) ?? new ContextCache();
      variableContexts.set(server, cache);
      const keep = conf.ssl_certificate_cache ?? { max: 0, validMs: 0, inactiveMs: 0 };
      const known = cache.get(key, keep);
      if (known) return known;
      const pems = pemsOf(conf, names as never, true);
      const made = tls.createSecureContext(secureOptions(conf, pems.cert, pems.key, ticketsFor(this.http, server, conf)));
      cache.put(key, made, keep);
      return made;
    } catch (error) {
      logTo(server.root.errorLogs, 'error', `${error instanceof Error ? error.message : error}`);
      return undefined;
    }
  }
}

const variableContexts = new WeakMap<Server, ContextCache>();
const serverTickets = new WeakMap<Server, Buffer>();
function ticketsFor(http: HttpMain, server: Server, conf: Conf): Buffer {
  let keys = serverTickets.get(server);
  if (!keys) serverTickets.set(server, (keys = ticketKeysOf(http, conf)));
  return keys;
}

function tlsInfo(secure: tls.TLSSocket, server: Server, hello: ClientHello): TlsInfo {
  const verifyError = (): string => {
    const own = sslModule.conf(server.root);
    if (secure.isSessionReused() && secure.getPeerX509Certificate()) return '';
    const native = (secure as unknown as { _handle: { verifyError(): { code?: string } | null } })._handle?.verifyError?.();
    if (native) return native.code ?? 'CERT_REJECTED';
    let certificate: tls.DetailedPeerCertificate | undefined = secure.getPeerCertificate(true);
    let depth = 0;
    while (certificate?.issuerCertificate && certificate.issuerCertificate !== certificate && depth < 20) {
      certificate = certificate.issuerCertificate;
      depth++;
    }
    return depth > own.ssl_verify_depth + 1 ? 'CERT_CHAIN_TOO_LONG' : '';
  };
  let memo: string | undefined;
  const info: TlsInfo = {
    socket: secure,
    serverName: hello.serverName,
    hello,
    verifyError: () => (memo ??= verifyError()),
    ocspError: '',
    verify(r) {
      const conf = sslModule.conf(r.server.root);
      const mode = conf.ssl_verify_client;
      // a host of another server must not slip past that server's demands
      if (r.server !== server && sslModule.conf(server.root).ssl_verify_client !== mode && mode !== 'off') return 421;
      if (r.server !== server && mode !== 'off' && hello.serverName && r.host !== hello.serverName) return 421;
      if (mode === 'off') return OK;
      const certificate = secure.getPeerX509Certificate();
      if (!certificate) {
        if (mode !== 'on') return OK;
        r.log('info', 'client sent no required SSL certificate');
        return HTTPS_NO_CERT;
      }
      const code = info.verifyError();
      if (!code && info.ocspError) {
        r.log('info', `client SSL certificate verify error: ${info.ocspError}`);
        return HTTPS_CERT_ERROR;
      }
      if (!code || (mode === 'optional_no_ca' && isNoCa(code))) return OK;
      r.log('info', `client SSL certificate verify error: ${verifyText(code)}`);
      return HTTPS_CERT_ERROR;
    },
  };
  return info;
}
