/** TLS of `mail { }`: from the start and by STARTTLS and STLS, certificates of clients, and the fields about them for the authentication server. */
import { X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type tls from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Certificates } from '../support/certificates.ts';
import { freePort } from '../support/free-port.ts';
import { Front, ours } from '../support/front.ts';
import { authServer, type FakeBackEnd, imapBackEnd, LineClient, pop3BackEnd, smtpBackEnd } from '../support/mail.ts';

const front = new Front();
const certificates = new Certificates();
const strangers = new Certificates('elsewhere');
const NAMES = [
  'imaps',
  'pop3s',
  'smtps',
  'imap',
  'pop3',
  'smtp',
  'imapOnly',
  'pop3Only',
  'smtpOnly',
  'required',
  'optional',
  'any',
  'trusted',
  'quick',
] as const;
type Name = (typeof NAMES)[number];
const port = {} as Record<Name, number>;
let back: Record<'imap' | 'pop3' | 'smtp', FakeBackEnd>;
let auth: { server: Server; port: number };
let asked: IncomingHttpHeaders = {};

beforeAll(async () => {
  for (const name of NAMES) port[name] = await freePort();
  back = { imap: await imapBackEnd(), pop3: await pop3BackEnd(), smtp: await smtpBackEnd() };
  auth = await authServer((request) => {
    asked = request;
    const protocol = request['auth-protocol'] as 'imap' | 'pop3' | 'smtp';
    return { 'Auth-Status': 'OK', 'Auth-Server': '127.0.0.1', 'Auth-Port': String(back[protocol].port), 'Auth-Pass': 'x' };
  });
  for (const name of ['server', 'client']) certificates.issue(name);
  strangers.issue('stranger');
  const at = (name: Name, rest = ''): string => `server { listen 127.0.0.1:${port[name]}${/s$/.test(name) ? ' ssl' : ''}; ${rest} }`;
  const verifying = `protocol imap; starttls on; auth_http_pass_client_cert on; ssl_client_certificate ${certificates.path('authority.pem')};`;
  front.config(
    '',
    `${ours ? '' : 'load_module /usr/lib/nginx/modules/ngx_mail_module.so;'}
    mail {
      auth_http 127.0.0.1:${auth.port}/; xclient off;
      ssl_certificate ${certificates.path('server.pem')}; ssl_certificate_key ${certificates.path('server.key')};
      ${at('imaps', 'protocol imap; ssl_protocols TLSv1.2 TLSv1.3; ssl_session_cache shared:S:1m;')}
      ${at('pop3s', 'protocol pop3;')} ${at('smtps', 'protocol smtp;')}
      ${at('imap', 'protocol imap; starttls on;')} ${at('pop3', 'protocol pop3; starttls on;')} ${at('smtp', 'protocol smtp; starttls on;')}
      ${at('imapOnly', 'protocol imap; starttls only;')} ${at('pop3Only', 'protocol pop3; starttls only; pop3_auth plain apop;')}
      ${at('smtpOnly', 'protocol smtp; starttls only; smtp_capabilities SIZE;')}
      ${at('required', `${verifying} ssl_verify_client on;`)}
      ${at('optional', `${verifying} ssl_verify_client optional;`)}
      ${at('trusted', `${verifying} ssl_verify_client on; ssl_trusted_certificate ${strangers.path('elsewhere.pem')};`)}
      ${at('any', `${verifying} ssl_verify_client optional_no_ca;`)}
      ${at('quick', 'protocol imap; starttls on; timeout 300ms;')}
    }`,
  );
  await front.start();
});

afterEach(() => LineClient.closeAll());
afterAll(async () => {
  auth.server.close();
  for (const { close } of Object.values(back)) close();
  await front.dispose();
});

async function open(name: Name): Promise<LineClient> {
  const client = await LineClient.open(port[name]);
  client.greeting = await client.line();
  return client;
}

/** A client that used STARTTLS. */
async function secure(name: Name, options: tls.ConnectionOptions = {}): Promise<LineClient> {
  const client = await open(name);
  expect(await client.ask('s STARTTLS')).toBe('s OK completed');
  await client.startTls(options);
  return client;
}

const identity = (from: Certificates, name: string): tls.ConnectionOptions => ({
  cert: from.read(`${name}.pem`),
  key: from.read(`${name}.key`),
});

describe('TLS from the start', () => {
  test.each([
    ['imaps', /^\* OK IMAP4 ready$/, 'a LOGIN u p', /^a OK/],
    ['pop3s', /^\+OK POP3 ready$/, 'AUTH PLAIN AHUAcA==', /^\+OK/],
    ['smtps', /^220 .* ESMTP ready/, 'AUTH PLAIN AHUAcA==', /^235 /],
  ] as const)('%s', async (name, greeting, login, success) => {
    const c = await LineClient.openTls(port[name]);
    expect(await c.line()).toMatch(greeting);
    c.send(`${login}\r\n`);
    expect((await c.lines(success)).at(-1)).toMatch(success);
    expect(asked).toMatchObject({ 'auth-ssl': 'on' });
    if (ours) expect(asked).toMatchObject({ 'auth-ssl-protocol': 'TLSv1.3', 'auth-ssl-cipher': expect.stringContaining('AES') });
    expect(asked['auth-ssl-verify']).toBeUndefined();
  });

  test('a protocol name that the client offers must match', async () => {
    const c = await LineClient.openTls(port.imaps, { ALPNProtocols: ['imap'] });
    expect((c.socket as tls.TLSSocket).alpnProtocol).toBe('imap');
    await expect(LineClient.openTls(port.imaps, { ALPNProtocols: ['pop3'] })).rejects.toThrow(/alert/);
  });

  test('sessions are resumed', async () => {
    const first = await LineClient.openTls(port.imaps, { maxVersion: 'TLSv1.2' });
    const session = (first.socket as tls.TLSSocket).getSession();
    first.close();
    const second = await LineClient.openTls(port.imaps, { maxVersion: 'TLSv1.2', session });
    expect((second.socket as tls.TLSSocket).isSessionReused()).toBe(true);
    expect(await second.line()).toBe('* OK IMAP4 ready');
  });

  test('a plain client is not served', async () => {
    const c = await LineClient.open(port.imaps, 'a NOOP\r\n');
    expect(await c.rest()).not.toContain('OK');
    expect(front.read('error.log')).toMatch(/SSL_do_handshake\(\) failed .* while SSL handshaking, client: 127.0.0.1, server: /);
  });
});

describe('STARTTLS', () => {
  test('IMAP offers it until it is used', async () => {
    const c = await open('imap');
    expect(await c.ask('a CAPABILITY')).toBe('* CAPABILITY IMAP4 IMAP4rev1 UIDPLUS AUTH=PLAIN STARTTLS');
    await c.line();
    expect(await c.ask('b STARTTLS')).toBe('b OK completed');
    await c.startTls();
    expect(await c.ask('c CAPABILITY')).toBe('* CAPABILITY IMAP4 IMAP4rev1 UIDPLUS AUTH=PLAIN');
    await c.line();
    expect(await c.ask('d STARTTLS')).toBe('d BAD invalid command');
    c.send('e LOGIN u p\r\n');
    expect((await c.lines(/^e /)).at(-1)).toBe('e OK logged in');
    expect(front.read('error.log')).toMatch(
      /client logged in, client: 127.0.0.1 using starttls, server: 127.0.0.1:\d+, login: "u", upstream: /,
    );
  });

  test('POP3 offers STLS until it is used', async () => {
    const c = await open('pop3');
    c.send('CAPA\r\n');
    expect(await c.lines(/^\.$/)).toEqual(['+OK Capability list follows', 'TOP', 'USER', 'UIDL', 'SASL PLAIN LOGIN', 'STLS', '.']);
    expect(await c.ask('STLS')).toBe('+OK');
    await c.startTls();
    c.send('CAPA\r\n');
    expect(await c.lines(/^\.$/)).not.toContain('STLS');
    expect(await c.ask('USER u')).toBe('+OK');
    expect(await c.ask('PASS p')).toBe('+OK got PASS x');
  });

  test('SMTP discards the state of the plain connection', async () => {
    const c = await open('smtp');
    c.send('EHLO before\r\n');
    expect((await c.lines(/^250 /)).slice(1)).toEqual(['250-AUTH PLAIN LOGIN', '250 STARTTLS']);
    expect(await c.ask('STARTTLS')).toBe('220 2.0.0 Start TLS');
    await c.startTls();
    c.send('EHLO after\r\n');
    expect((await c.lines(/^250 /)).slice(1)).toEqual(['250 AUTH PLAIN LOGIN']);
    expect(await c.ask('STARTTLS')).toBe('500 5.5.1 Invalid command');
  });

  test('commands that follow it without protection are dropped', async () => {
    const c = await open('imap');
    c.send('a STARTTLS\r\nb LOGIN injected p\r\n');
    expect(await c.line()).toBe('a OK completed');
    await c.startTls();
    expect(await c.ask('c NOOP')).toBe('c OK completed');
  });

  test('starttls only: logins need it', async () => {
    const imap = await open('imapOnly');
    expect(await imap.ask('a CAPABILITY')).toBe('* CAPABILITY IMAP4 IMAP4rev1 UIDPLUS STARTTLS LOGINDISABLED');
    await imap.line();
    expect(await imap.ask('b LOGIN u p')).toBe('b BAD invalid command');
    expect(await imap.ask('b AUTHENTICATE PLAIN')).toBe('b BAD invalid command');
    const pop3 = await open('pop3Only');
    pop3.send('CAPA\r\n');
    expect(await pop3.lines(/^\.$/)).toEqual(['+OK Capability list follows', 'TOP', 'UIDL', 'STLS', '.']);
    for (const command of ['USER u', 'APOP u 0', 'AUTH PLAIN', 'AUTH']) expect(await pop3.ask(command)).toBe('-ERR invalid command');
    const smtp = await open('smtpOnly');
    smtp.send('EHLO x\r\n');
    expect((await smtp.lines(/^250 /)).slice(1)).toEqual(['250-SIZE', '250 STARTTLS']);
    expect(await smtp.ask('AUTH PLAIN')).toBe('500 5.5.1 Invalid command');
    const after = await secure('imapOnly');
    after.send('a LOGIN u p\r\n');
    expect((await after.lines(/^a /)).at(-1)).toBe('a OK logged in');
  });

  test('a handshake that does not begin is ended', async () => {
    const c = await open('quick');
    expect(await c.ask('a STARTTLS')).toBe('a OK completed');
    expect(await c.rest()).toBe('');
  });
});

describe('certificates of clients', () => {
  test('without the required one the session ends', async () => {
    const c = await secure('required');
    expect(await c.line()).toBe('* BYE No required SSL certificate');
    expect(await c.rest()).toBe('');
    expect(front.read('error.log')).toMatch(
      /client sent no required SSL certificate while in starttls state, client: 127.0.0.1 using starttls/,
    );
  });

  test.each(['required', 'optional'] as const)('one of an unknown authority ends the session: %s', async (name) => {
    const c = await secure(name, identity(strangers, 'stranger'));
    expect(await c.line()).toBe('* BYE SSL certificate error');
    expect(await c.rest()).toBe('');
    expect(front.read('error.log')).toMatch(/client SSL certificate verify error: \(\d+:unable to /);
  });

  test('a valid one is described to the authentication server', async () => {
    const c = await secure('required', identity(certificates, 'client'));
    c.send('a LOGIN u p\r\n');
    expect((await c.lines(/^a /)).at(-1)).toBe('a OK logged in');
    const pem = certificates.read('client.pem').toString();
    const certificate = new X509Certificate(pem);
    expect(asked).toMatchObject({
      'auth-ssl-verify': 'SUCCESS',
      'auth-ssl-subject': 'CN=client',
      'auth-ssl-issuer': 'CN=authority',
      'auth-ssl-serial': certificate.serialNumber,
      'auth-ssl-fingerprint': certificate.fingerprint.replaceAll(':', '').toLowerCase(),
    });
    expect(decodeURIComponent(String(asked['auth-ssl-cert'])).trim()).toBe(pem.trim());
  });

  test('an authority may be trusted without being named', async () => {
    const c = await secure('trusted', identity(strangers, 'stranger'));
    expect(await c.ask('a NOOP')).toBe('a OK completed');
  });

  test('clients without one, or with one that cannot be verified, may be allowed', async () => {
    const none = await secure('optional');
    none.send('a LOGIN u p\r\n');
    await none.lines(/^a /);
    expect(asked['auth-ssl-verify']).toBe('NONE');
    expect(asked['auth-ssl-subject']).toBeUndefined();
    const stranger = await secure('any', identity(strangers, 'stranger'));
    stranger.send('a LOGIN u p\r\n');
    await stranger.lines(/^a /);
    expect(asked['auth-ssl-verify']).toMatch(/^FAILED:unable to /);
    expect(asked['auth-ssl-subject']).toBe('CN=stranger');
  });
});
