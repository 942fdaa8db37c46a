// The request to the authentication server: user, credentials and client address.
import { createHash } from 'node:crypto';
import { clientVerify, distinguishedName, sslModule } from '../../http/tls/ssl.ts';
import type { Credentials, MailSession } from '../model.ts';
import { mailAuthHttp } from './conf.ts';

/** Escapes what a header value cannot contain: control characters, space and `%`. */
const escapeValue = (text: string): string =>
  text.replace(/[\0-\x20%]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

/** The whole request, latin1. @param attempt  logins of this session so far, this one included */
export function authRequest(s: MailSession, { method, user, secret }: Credentials, attempt: number): string {
  const { auth_http: server, auth_http_header: headers } = mailAuthHttp.conf(s.loc);
  const lines = [
    `GET ${server?.uri ?? '/'} HTTP/1.0`,
    `Host: ${server?.hostHeader ?? ''}`,
    `Auth-Method: ${method}`,
    `Auth-User: ${escapeValue(user)}`,
    `Auth-Pass: ${escapeValue(secret)}`,
  ];
  if ((method === 'apop' || method === 'cram-md5') && s.salt !== '') lines.push(`Auth-Salt: ${s.salt}`);
  lines.push(`Auth-Protocol: ${s.protocol.name}`, `Auth-Login-Attempt: ${attempt}`, `Client-IP: ${s.remoteAddr}`);
  if (s.host !== '') lines.push(`Client-Host: ${s.host}`);
  if (s.proxy) {
    lines.push(
      `Proxy-Protocol-Addr: ${s.proxy.addr}`,
      `Proxy-Protocol-Port: ${s.proxy.port}`,
      `Proxy-Protocol-Server-Addr: ${s.proxy.serverAddr}`,
      `Proxy-Protocol-Server-Port: ${s.proxy.serverPort}`,
    );
  }
  if (method === 'none')
    lines.push(`Auth-SMTP-Helo: ${s.envelope.helo}`, `Auth-SMTP-From: ${s.envelope.from}`, `Auth-SMTP-To: ${s.envelope.to}`);
  if (s.tls) lines.push(...tlsLines(s));
  return `${lines.join('\r\n')}\r\n${headers.join('')}\r\n`;
}

/** Protocol and cipher, and the client's certificate if the server requests one. */
function tlsLines(s: MailSession): string[] {
  const { tls, loc } = s;
  if (!tls) return [];
  const fields: [string, string][] = [
    ['Protocol', tls.socket.getProtocol() ?? ''],
    ['Cipher', tls.socket.getCipher()?.name ?? ''],
  ];
  if (sslModule.conf(loc).ssl_verify_client !== 'off') {
    fields.push(['Verify', clientVerify(tls)]);
    const certificate = tls.socket.getPeerX509Certificate();
    if (certificate) {
      fields.push(
        ['Subject', distinguishedName(certificate.subject ?? '')],
        ['Issuer', distinguishedName(certificate.issuer ?? '')],
        ['Serial', certificate.serialNumber],
        ['Fingerprint', createHash('sha1').update(certificate.raw).digest('hex')],
        ['Cert', mailAuthHttp.conf(loc).auth_http_pass_client_cert ? escapeValue(certificate.toString()) : ''],
      );
    }
  }
  return ['Auth-SSL: on', ...fields.filter(([, value]) => value !== '').map(([name, value]) => `Auth-SSL-${name}: ${oneLine(value)}`)];
}

/** Names in certificates may contain line ends. */
const oneLine = (text: string): string => text.replace(/[\r\n\0]/g, ' ');
