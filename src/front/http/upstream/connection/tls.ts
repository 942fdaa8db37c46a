// PREFIX_ssl_*: TLS to back ends, with verification, client certificates and session reuse.
import tls from 'node:tls';
import { custom, flag, HSL, num, type Table, wordsOf } from '../../../config/directive.ts';
import type { HttpFrame } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';
import type { Session } from '../../model/types.ts';
import type { CertificateCache } from '../../tls/certificate-cache.ts';
import { ContextCache, parseCertificateCache } from '../../tls/certificate-cache.ts';
import { applyConfCommands, confCommand, TLS_VERSIONS, versionRange } from '../../tls/conf-command.ts';
import { keyLog } from '../../tls/key-log.ts';
import { passwordsOf, readConfigFile, readCrls, readKey, readPem, verifyText } from '../../tls/pem.ts';
import type { TlsSettings } from './connect.ts';

const file = () => custom<string | null>(HSL, 1, null, (f: HttpFrame) => f.scope.path(f.args[0], 'conf'));
const value = () => custom<Value | null>(HSL, 1, null, (f: HttpFrame) => f.scope.value(f.args[0]));

export function upstreamTlsTable(prefix: string): Table {
  const p = `${prefix}_ssl_`;
  return {
    [`${p}certificate`]: custom<{ value: Value; path: (text: string) => string } | null>(HSL, 1, null, withPath),
    [`${p}certificate_key`]: custom<{ value: Value; path: (text: string) => string } | null>(HSL, 1, null, withPath),
    [`${p}certificate_cache`]: custom<CertificateCache | null>(HSL, [1, 3], null, (f: HttpFrame) => parseCertificateCache(f)),
    [`${p}password_file`]: custom<string[] | null>(HSL, 1, null, (f: HttpFrame) => passwordsOf(f)),
    [`${p}trusted_certificate`]: file(),
    [`${p}crl`]: file(),
    [`${p}verify`]: flag(HSL, false),
    [`${p}verify_depth`]: num(HSL, 1),
    [`${p}name`]: value(),
    [`${p}server_name`]: flag(HSL, false),
    [`${p}session_reuse`]: flag(HSL, true),
    [`${p}ciphers`]: custom<string>(HSL, 1, 'DEFAULT', (f: HttpFrame) => f.args[0]),
    [`${p}protocols`]: wordsOf(HSL, TLS_VERSIONS, ['TLSv1.2', 'TLSv1.3']),
    [`${p}conf_command`]: confCommand(HSL),
    [`${p}key_log`]: keyLog(HSL),
  };
}

function withPath(f: HttpFrame): { value: Value; path: (text: string) => string } {
  return { value: f.scope.value(f.args[0]), path: (text) => f.scope.path(text, 'conf') };
}

const FIXED: CertificateCache = { max: 2000, validMs: Infinity, inactiveMs: Infinity };

export interface UpstreamTlsConf {
  certificate: { value: Value; path: (text: string) => string } | null;
  key: { value: Value; path: (text: string) => string } | null;
  cache: CertificateCache | null;
  passwords: string[] | null;
  trusted: string | null;
  crl: string | null;
  verify: boolean;
  verifyDepth: number;
  name: Value | null;
  serverName: boolean;
  reuse: boolean;
  ciphers: string;
  protocols: ReadonlySet<string>;
  commands: string[][];
  keyLog: string | null;
  contexts: ContextCache;
  sessions: Map<string, Buffer>;
}

export function readTlsConf(prefix: string, values: Record<string, unknown>): UpstreamTlsConf {
  const get = <V>(name: string): V => values[`${prefix}_ssl_${name}`] as V;
  return {
    certificate: get('certificate'),
    key: get('certificate_key'),
    cache: get('certificate_cache'),
    passwords: get('password_file'),
    trusted: get('trusted_certificate'),
    crl: get('crl'),
    verify: get('verify'),
    verifyDepth: get('verify_depth'),
    name: get('name'),
    serverName: get('server_name'),
    reuse: get('session_reuse'),
    ciphers: get('ciphers'),
    protocols: get('protocols'),
    commands: get<string[][] | null>('conf_command') ?? [],
    keyLog: get('key_log'),
    contexts: new ContextCache(),
    sessions: new Map(),
  };
}

/** @throws Error a certificate or key cannot be read */
function contextOf(conf: UpstreamTlsConf, certificate: string, key: string): tls.SecureContext {
  const id = `${certificate}\0${key}`;
  const constant = !conf.certificate || (conf.certificate.value.constant !== null && typeof conf.key?.value.constant === 'string');
  const keep = constant ? FIXED : (conf.cache ?? { max: 0, validMs: 0, inactiveMs: 0 });
  const known = conf.contexts.get(id, keep);
  if (known) return known;
  const options: tls.SecureContextOptions = { ciphers: conf.ciphers, ...versionRange(conf.protocols) };
  if (certificate) {
    options.cert = readPem(certificate, !constant);
    options.key = readKey(key, conf.passwords, !constant);
  }
  if (conf.trusted) options.ca = readConfigFile(conf.trusted);
  if (conf.crl) options.crl = readCrls(conf.crl);
  applyConfCommands(options, conf.commands);
  const context = tls.createSecureContext(options);
  // a decrypted key (a string) from variables is read for each connection
  if (constant || typeof options.key !== 'string') conf.contexts.put(id, context, keep);
  return context;
}

/** Settings for one connection of a request. */
export function upstreamTls(r: Session, conf: UpstreamTlsConf, defaultName: string): TlsSettings {
  const name = (conf.name ? conf.name.eval(r) : defaultName).replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  const certificate = conf.certificate?.value.eval(r) ?? '';
  const key = conf.key?.value.eval(r) ?? '';
  let context: tls.SecureContext | null = null;
  return {
    reuse: conf.reuse,
    id: `${certificate}|${key}|${name}`,
    sessions: conf.sessions,
    keyLog: conf.keyLog,
    prepare() {
      context = contextOf(conf, pathOf(conf.certificate, certificate), pathOf(conf.key, key));
    },
    options() {
      const sni = conf.serverName && name && !/^[\d.]+$|:/.test(name) ? name : null;
      return {
        secureContext: context ?? undefined,
        servername: sni ?? '',
        rejectUnauthorized: false,
        checkServerIdentity: () => undefined,
      };
    },
    check(socket) {
      if (!conf.verify) return null;
      if (!socket.authorized) {
        const code = String(socket.authorizationError ?? '');
        return `upstream SSL certificate verify error: ${verifyText(code)}`;
      }
      const problem = tooDeep(socket, conf.verifyDepth);
      if (problem) return problem;
      const certificateSeen = socket.getPeerCertificate();
      const mismatch = tls.checkServerIdentity(name, certificateSeen);
      return mismatch ? `upstream SSL certificate does not match "${name}"` : null;
    },
  };
}

/** `data:` and `store:` are used as they are. */
const pathOf = (source: { path(text: string): string } | null, text: string): string =>
  !source || text === '' || text.startsWith('data:') || text.startsWith('store:') ? text : source.path(text);

/** Whether there are more intermediate certificates than allowed; the root does not count. */
function tooDeep(socket: tls.TLSSocket, depth: number): string | null {
  let certificate: tls.DetailedPeerCertificate | null = socket.getPeerCertificate(true);
  let length = 0;
  while (certificate?.issuerCertificate && certificate.issuerCertificate !== certificate && length < 20) {
    certificate = certificate.issuerCertificate;
    length++;
  }
  return length > depth + 1 ? 'upstream SSL certificate verify error: (22:certificate chain too long)' : null;
}
