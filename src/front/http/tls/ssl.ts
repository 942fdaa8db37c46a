// ssl_*: certificates, protocols, sessions, client verification, stapling, and $ssl_* variables.
import { createHash } from 'node:crypto';
import { custom, flag, HS, num, oneOf, type Spec, sec, size, wordsOf } from '../../config/directive.ts';
import { parseSize } from '../../config/values.ts';
import { defineSharedModule, type HttpFrame } from '../config/module.ts';
import type { Value } from '../config/value.ts';
import type { Request, TlsInfo, VariableDef } from '../model/types.ts';
import { type CertificateCache, parseCertificateCache } from './certificate-cache.ts';
import { confCommand } from './conf-command.ts';
import { keyLog } from './key-log.ts';
import { parseResponder } from './ocsp-responder.ts';
import { passwordsOf, verifyReason } from './pem.ts';

/** A certificate or key, by a name that may contain variables. */
export interface PemSource {
  value: Value;
  path(text: string): string;
}

const PROTOCOLS = ['SSLv2', 'SSLv3', 'TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];
const file = () => custom<string | null>(HS, 1, null, (f: HttpFrame) => f.scope.path(f.args[0], 'conf'));
const pems = () =>
  custom<PemSource[] | null>(
    HS,
    1,
    null,
    (f: HttpFrame, previous = []) => {
      const { scope } = f;
      return [
        ...previous,
        {
          value: scope.value(f.args[0]),
          path: (text) => (text.startsWith('data:') || text.startsWith('store:') ? text : scope.path(text, 'conf')),
        },
      ];
    },
    { repeats: true },
  );

function parseSessionCache(f: HttpFrame): { mode: 'off' | 'none' | 'on'; zone: string } {
  let mode: 'off' | 'none' | 'on' = 'none';
  let zone = '';
  for (const word of f.args) {
    if (word === 'off' || word === 'none') mode = word;
    else if (word === 'builtin' || /^builtin:\d+$/.test(word)) {
      mode = 'on';
      zone ||= 'builtin';
    } else {
      const m = /^shared:([^:]+):(.+)$/.exec(word);
      const bytes = m && parseSize(m[2]);
      if (!m || !bytes) f.fail(`invalid session cache "${word}"`);
      if (bytes < 8 * 4096) f.fail(`session cache "${m[1]}" is too small`);
      mode = 'on';
      zone = m[1];
    }
  }
  return { mode, zone };
}

/** Name of the zone, '' for `off`. */
function parseOcspCache(f: HttpFrame): string {
  if (f.args[0] === 'off') return '';
  const m = /^shared:([^:]+):(.+)$/.exec(f.args[0]);
  const bytes = m && parseSize(m[2]);
  if (!m || !bytes) f.fail(`invalid OCSP cache "${f.args[0]}"`);
  if (bytes < 8 * 4096) f.fail(`OCSP cache "${f.args[0]}" is too small`);
  return m[1];
}

function parseResponderUrl(f: HttpFrame): string {
  if (!parseResponder(f.args[0], true)) f.fail(`invalid URL of an OCSP responder "${f.args[0]}", it must start with "http://"`);
  return f.args[0];
}

/** A value that is empty counts as absent, as in nginx: log lines show `-`. */
const live = (name: string, get: (tls: TlsInfo, r: Request) => string | null): VariableDef => ({
  name,
  get: (r) => (r.conn.tls ? get(r.conn.tls, r) || null : null),
});

type PeerCert = ReturnType<TlsInfo['socket']['getPeerX509Certificate']>;
const certOf = (tls: TlsInfo): PeerCert => tls.socket.getPeerX509Certificate();
const cert = (name: string, show: (c: NonNullable<PeerCert>) => string): VariableDef =>
  live(name, (tls) => {
    const c = certOf(tls);
    return c ? show(c) : '';
  });

/** `C=US\nO=x` as RFC 2253: reversed, comma-separated. */
export const distinguishedName = (text: string): string => text.split('\n').reverse().join(',');
const legacy = (text: string): string =>
  text
    .split('\n')
    .map((p) => `/${p}`)
    .join('');

/** Warns that a directive is ignored, as nginx does if OpenSSL lacks the feature; Node lacks it. */
function unsupported(contexts: number): Spec<boolean> {
  const spec = flag(contexts, false);
  return {
    ...spec,
    parse(f, previous) {
      const on = spec.parse(f, previous);
      if (on) f.scope.warn(`"${f.node.name}" is not supported on this platform, ignored`);
      return on;
    },
  };
}

/** Keys of encrypted ClientHellos: Node's OpenSSL has no ECH, and nginx built without it warns likewise. */
const echFile = (contexts: number) =>
  custom<undefined>(
    contexts,
    1,
    undefined,
    (f: HttpFrame) => {
      f.scope.warn('"ssl_ech_file" is not supported on this platform, ignored');
      return undefined;
    },
    { repeats: true },
  );

export const sslModule = defineSharedModule(
  'ssl',
  {
    ssl_certificate: pems(),
    ssl_certificate_key: pems(),
    ssl_certificate_cache: custom<CertificateCache | null>(HS, [1, 3], null, (f: HttpFrame) => parseCertificateCache(f)),
    ssl_certificate_compression: unsupported(HS),
    ssl_ech_file: echFile(HS),
    ssl_key_log: keyLog(HS),
    ssl_password_file: custom<string[] | null>(HS, 1, null, (f: HttpFrame) => passwordsOf(f)),
    ssl_dhparam: file(),
    ssl_ecdh_curve: custom<string>(HS, 1, 'auto', (f: HttpFrame) => f.args[0]),
    ssl_protocols: wordsOf(HS, PROTOCOLS, ['TLSv1.2', 'TLSv1.3']),
    ssl_ciphers: custom<string>(HS, 1, 'HIGH:!aNULL:!MD5', (f: HttpFrame) => f.args[0]),
    ssl_buffer_size: size(HS, '16k'),
    ssl_verify_client: oneOf(HS, ['off', 'on', 'optional', 'optional_no_ca'], 'off'),
    ssl_verify_depth: num(HS, 1),
    ssl_client_certificate: file(),
    ssl_trusted_certificate: file(),
    ssl_prefer_server_ciphers: flag(HS, false),
    ssl_session_cache: custom<{ mode: 'off' | 'none' | 'on'; zone: string }>(HS, [1, 2], { mode: 'none', zone: '' }, parseSessionCache),
    ssl_session_tickets: flag(HS, true),
    ssl_session_ticket_key: custom<string[] | null>(
      HS,
      1,
      null,
      (f: HttpFrame, previous = []) => [...previous, f.scope.path(f.args[0], 'conf')],
      {
        repeats: true,
      },
    ),
    ssl_session_timeout: sec(HS, '5m'),
    ssl_crl: file(),
    ssl_ocsp: oneOf(HS, ['off', 'on', 'leaf'], 'off'),
    ssl_ocsp_cache: custom<string>(HS, 1, '', parseOcspCache, { defaultText: 'off' }),
    ssl_ocsp_responder: custom<string | null>(HS, 1, null, parseResponderUrl),
    ssl_stapling: flag(HS, false),
    ssl_stapling_file: file(),
    ssl_stapling_responder: custom<string | null>(HS, 1, null, parseResponderUrl),
    ssl_stapling_verify: flag(HS, false),
    ssl_early_data: unsupported(HS),
    ssl_conf_command: confCommand(HS),
    ssl_reject_handshake: flag(HS, false),
  },
  {
    variables: [
      live('ssl_protocol', (tls) => tls.socket.getProtocol()),
      live('ssl_cipher', (tls) => tls.socket.getCipher()?.name ?? null),
      live('ssl_ciphers', (tls) => tls.hello?.cipherNames() ?? ''),
      live('ssl_curve', (tls, r): string => tls.hello?.groupOf(sslModule.conf(r.server.root).ssl_ecdh_curve) ?? ''),
      live('ssl_curves', (tls) => tls.hello?.curveNames() ?? ''),
      live('ssl_sigalg', () => ''),
      live('ssl_sigalgs', () => ''),
      live('ssl_session_id', (tls) => sessionId(tls)),
      live('ssl_session_reused', (tls) => (tls.socket.isSessionReused() ? 'r' : '.')),
      live('ssl_early_data', () => ''),
      live('ssl_ech_status', () => ''),
      live('ssl_ech_outer_server_name', () => ''),
      live('ssl_server_name', (tls) => tls.serverName),
      live('ssl_alpn_protocol', (tls) => tls.socket.alpnProtocol || ''),
      live('ssl_client_verify', (tls) => clientVerify(tls)),
      cert('ssl_client_cert', (c) => c.toString().trim().split('\n').join('\n\t')),
      cert('ssl_client_raw_cert', (c) => c.toString()),
      cert('ssl_client_escaped_cert', (c) => encodeURIComponent(c.toString())),
      cert('ssl_client_s_dn', (c) => distinguishedName(c.subject ?? '')),
      cert('ssl_client_i_dn', (c) => distinguishedName(c.issuer ?? '')),
      cert('ssl_client_s_dn_legacy', (c) => legacy(c.subject ?? '')),
      cert('ssl_client_i_dn_legacy', (c) => legacy(c.issuer ?? '')),
      cert('ssl_client_serial', (c) => c.serialNumber),
      cert('ssl_client_fingerprint', (c) => createHash('sha1').update(c.raw).digest('hex')),
      cert('ssl_client_v_start', (c) => c.validFrom),
      cert('ssl_client_v_end', (c) => c.validTo),
      cert('ssl_client_v_remain', (c) => String(Math.max(0, Math.floor((Date.parse(c.validTo) - Date.now()) / 86_400_000)))),
      cert('ssl_client_sigalg', () => ''),
    ],
  },
);

/** Verification failures that `optional_no_ca` ignores: no path to a known authority. */
const NO_CA = new Set([
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'CERT_UNTRUSTED',
]);
export const isNoCa = (code: string): boolean => NO_CA.has(code);

/** `SUCCESS`, `NONE` or `FAILED:REASON` */
export function clientVerify(tls: TlsInfo): string {
  if (!certOf(tls)) return 'NONE';
  const code = tls.verifyError();
  if (code) return `FAILED:${verifyReason(code)}`;
  return tls.ocspError ? `FAILED:${tls.ocspError}` : 'SUCCESS';
}

/** Session id of TLS 1.2, or a digest of the session if the protocol has none. */
function sessionId(tls: TlsInfo): string {
  const session = tls.socket.getSession();
  if (!session) return '';
  // SSL_SESSION in DER: the id is the first OCTET STRING of at most 32 bytes after the cipher
  const at = session.indexOf(Buffer.from([4, 32]));
  return at >= 0 && at < 24
    ? session.subarray(at + 2, at + 34).toString('hex')
    : createHash('sha256').update(session).digest('hex').slice(0, 64);
}
