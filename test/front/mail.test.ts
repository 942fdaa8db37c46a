/** `mail { }`: logins over IMAP, POP3 and SMTP, requests to the authentication server, and the input of back ends. */
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders, Server } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { Front, ours } from '../support/front.ts';
import { authServer, type FakeBackEnd, imapBackEnd, LineClient, pop3BackEnd, smtpBackEnd } from '../support/mail.ts';

const front = new Front();
const NAMES = ['imap', 'pop3', 'smtp', 'none', 'open', 'errors', 'delay', 'silent', 'auth', 'limited'] as const;
const port = {} as Record<(typeof NAMES)[number], number>;
let back: Record<'imap' | 'pop3' | 'smtp', FakeBackEnd>;
let auth: { server: Server; port: number };
/** the last request, and the answers by user name */
let asked: IncomingHttpHeaders = {};
let attempts = 0;

const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');

function answer(request: IncomingHttpHeaders): Record<string, string> {
  asked = request;
  const user = String(request['auth-user']);
  const protocol = request['auth-protocol'] as 'imap' | 'pop3' | 'smtp';
  const server = { 'Auth-Status': 'OK', 'Auth-Server': '127.0.0.1', 'Auth-Port': String(back[protocol].port) };
  switch (user) {
    case 'refused':
      return { 'Auth-Status': 'Invalid login' };
    case 'later':
      return { 'Auth-Status': 'Try again', 'Auth-Wait': '1', 'Auth-Error-Code': '454 4.7.0' };
    case 'waiting':
      return ++attempts % 2 === 0 ? server : { 'Auth-Status': 'WAIT', 'Auth-Wait': '1' };
    case 'nowhere':
      return { 'Auth-Status': 'OK' };
    case 'name':
      return { ...server, 'Auth-Server': 'localhost' };
    case 'port':
      return { ...server, 'Auth-Port': '70000' };
    case 'dead':
      return { ...server, 'Auth-Port': '1' };
    case 'other':
      return { ...server, 'Auth-User': 'replaced', 'Auth-Pass': 'new secret' };
    default:
      return request['auth-method'] === 'plain' || protocol === 'smtp' ? server : { ...server, 'Auth-Pass': 'from the server' };
  }
}

beforeAll(async () => {
  for (const name of NAMES) port[name] = await freePort();
  back = { imap: await imapBackEnd(), pop3: await pop3BackEnd(), smtp: await smtpBackEnd() };
  auth = await authServer(answer);
  const listen = (name: (typeof NAMES)[number]): string => `listen 127.0.0.1:${port[name]};`;
  front.config(
    '',
    `${ours ? '' : 'load_module /usr/lib/nginx/modules/ngx_mail_module.so;'}
    mail {
      auth_http 127.0.0.1:${auth.port}/login?x=1; auth_http_header X-Key "some key"; server_name mail.example.com; proxy_pass_error_message on;
      imap_auth plain login cram-md5 external; pop3_auth plain apop cram-md5 external; smtp_auth plain login cram-md5 external;
      server { ${listen('imap')} protocol imap; imap_capabilities IMAP4rev1 IDLE; imap_client_buffer 512; }
      server { ${listen('pop3')} protocol pop3; pop3_capabilities TOP USER; }
      server { ${listen('smtp')} protocol smtp; smtp_capabilities "SIZE 1000" 8BITMIME; }
      server { ${listen('none')} protocol smtp; smtp_auth none; xclient off; }
      server { ${listen('open')} protocol smtp; proxy_smtp_auth on; xclient off; }
      server { ${listen('errors')} protocol pop3; max_errors 3; proxy_pass_error_message off; }
      server { ${listen('delay')} protocol smtp; smtp_greeting_delay 60s; }
      server { ${listen('silent')} protocol imap; timeout 300ms; }
      server { ${listen('auth')} protocol imap; auth_http 127.0.0.1:1; }
      server { ${listen('limited')} protocol smtp; smtp_client_buffer 64; }
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

/** Opens a connection and reads the greeting. */
async function open(name: (typeof NAMES)[number]): Promise<LineClient> {
  const client = await LineClient.open(port[name]);
  client.greeting = await client.line();
  return client;
}

describe('IMAP', () => {
  test('the login is passed on as literals', async () => {
    const c = await open('imap');
    expect(c.greeting).toBe('* OK IMAP4 ready');
    c.send('a1 login "us\\"er" {4}\r\n');
    expect(await c.line()).toBe('+ OK');
    c.send('p ss\r\n');
    expect(await c.line()).toBe('a1 OK logged in');
    expect(back.imap.lines.slice(-3)).toEqual(['a1 LOGIN {5}', 'us"er {4}', 'p ss']);
    expect(asked).toMatchObject({
      'auth-method': 'plain',
      'auth-user': 'us"er',
      'auth-pass': 'p%20ss',
      'auth-protocol': 'imap',
      'auth-login-attempt': '1',
      'client-ip': '127.0.0.1',
      'x-key': 'some key',
      host: '127.0.0.1',
    });
    expect(await c.ask('a2 SELECT INBOX')).toBe('a2 OK got a2 SELECT INBOX');
    c.close();
    await front.until(() =>
      /proxied session done, client: 127.0.0.1, server: .*, login: "us"er", upstream: /.test(front.read('error.log')),
    );
    expect(front.read('error.log')).toMatch(
      /client logged in, client: 127.0.0.1, server: 127.0.0.1:\d+, login: "us"er", upstream: 127.0.0.1:\d+\n/,
    );
  });

  test.skipIf(!ours)('the reply of the back end may follow untagged lines', async () => {
    const c = await open('imap');
    c.send('a1 LOGIN many x\r\n');
    expect(await c.lines(/^a1/)).toEqual(['* CAPABILITY IMAP4rev1 IDLE', '* OK note', 'a1 OK logged in']);
  });

  test('answers capabilities and commands other than logins', async () => {
    const c = await open('imap');
    c.send('t1 CAPABILITY\r\nt2 NOOP\r\nt3 SELECT x\r\nt4 STARTTLS\r\nt5 LOGIN one\r\n-\r\nt6 LOGOUT\r\n');
    expect(await c.lines(/^EOF/)).toEqual([
      '* CAPABILITY IMAP4rev1 IDLE AUTH=PLAIN AUTH=LOGIN AUTH=CRAM-MD5 AUTH=EXTERNAL',
      't1 OK completed',
      't2 OK completed',
      't3 BAD invalid command',
      't4 BAD invalid command',
      't5 BAD invalid command',
      '* BAD invalid command',
      '* BYE',
      't6 OK completed',
      'EOF',
    ]);
  });

  test.each([
    ['PLAIN', [`a AUTHENTICATE PLAIN`, base64('\0user\0secret')], 'user', 'plain', 'secret'],
    ['PLAIN at once', [`a AUTHENTICATE PLAIN ${base64('as\0user\0secret')}`], 'user', 'plain', 'secret'],
    ['LOGIN', ['a AUTHENTICATE LOGIN', base64('user'), base64('secret')], 'user', 'plain', 'secret'],
    ['LOGIN with a name', [`a authenticate login ${base64('user')}`, base64('secret')], 'user', 'plain', 'secret'],
    ['EXTERNAL', ['a AUTHENTICATE EXTERNAL', base64('user')], 'user', 'external', 'from the server'],
    ['EXTERNAL at once', [`a AUTHENTICATE EXTERNAL ${base64('user')}`], 'user', 'external', 'from the server'],
  ])('AUTHENTICATE %s', async (_, lines, user, method, password) => {
    const c = await open('imap');
    for (const line of lines.slice(0, -1)) expect(await c.ask(line)).toMatch(/^\+ /);
    c.send(`${lines.at(-1)}\r\n`);
    expect((await c.lines(/^a /)).at(-1)).toBe('a OK logged in');
    expect(asked).toMatchObject({ 'auth-user': user, 'auth-method': method });
    expect(back.imap.lines.at(-1)).toBe(password);
  });

  test('CRAM-MD5 passes the challenge on', async () => {
    const c = await open('imap');
    const challenge = Buffer.from((await c.ask('a AUTHENTICATE CRAM-MD5')).slice(2), 'base64').toString();
    expect(challenge).toMatch(/^<\d+\.\d+@mail\.example\.com>$/);
    const digest = createHmac('md5', 'secret').update(challenge).digest('hex');
    c.send(`${base64(`user ${digest}`)}\r\n`);
    expect((await c.lines(/^a /)).at(-1)).toBe('a OK logged in');
    expect(asked).toMatchObject({ 'auth-method': 'cram-md5', 'auth-user': 'user', 'auth-pass': digest, 'auth-salt': challenge });
  });

  test('malformed responses end the exchange but not the session', async () => {
    const c = await open('imap');
    for (const line of ['!', base64('no zero'), base64('\0only'), '', '*']) {
      expect(await c.ask('a AUTHENTICATE PLAIN')).toBe('+ ');
      expect(await c.ask(line)).toBe('a BAD invalid command');
    }
    expect(await c.ask('a AUTHENTICATE PLAIN x y')).toBe('a BAD invalid command');
    expect(await c.ask('a AUTHENTICATE GSSAPI')).toBe('a BAD invalid command');
    expect(await c.ask('a NOOP')).toBe('a OK completed');
  });

  test('passes on refusals of the authentication server and of the back end', async () => {
    const c = await open('imap');
    expect(await c.ask('a LOGIN refused x')).toBe('a NO Invalid login');
    expect(await c.rest()).toBe('');
    const d = await open('imap');
    expect(await d.ask('b LOGIN bad x')).toBe('b NO rejected by the back end');
    expect(await d.rest()).toBe('');
    expect(front.read('error.log')).toMatch(
      /\[info\].* client login failed: "Invalid login" while in http auth state, client: .*, login: "refused"/,
    );
    expect(front.read('error.log')).toMatch(
      /upstream sent invalid response: "NO rejected by the back end" while reading response from upstream/,
    );
  });

  test('after Auth-Wait the client may retry, and WAIT repeats the request', async () => {
    const c = await open('imap');
    expect(await c.ask('a LOGIN later x')).toBe('a NO Try again');
    c.send('b LOGIN waiting x\r\n');
    expect((await c.lines(/^b /)).at(-1)).toBe('b OK logged in');
    expect(asked['auth-login-attempt']).toBe('2');
  });

  test.each([
    ['nowhere', /auth http server 127\.0\.0\.1:\d+ did not send server or port/],
    ['name', /auth http server 127\.0\.0\.1:\d+ sent invalid server address:"localhost"/],
    ['port', /auth http server 127\.0\.0\.1:\d+ sent invalid server port:"70000"/],
    ['dead', /(connect|recv)\(\) failed \(111: Connection refused\) while/],
  ])('an unusable answer is an internal error: %s', async (user, logged) => {
    const c = await open('imap');
    expect(await c.ask(`a LOGIN ${user} x`)).toBe('* BAD internal server error');
    expect(await c.rest()).toBe('');
    expect(front.read('error.log')).toMatch(logged);
  });

  test('an authentication server that is down is an internal error', async () => {
    const c = await open('auth');
    expect(await c.ask('a LOGIN x y')).toBe('* BAD internal server error');
    expect(await c.rest()).toBe('');
  });

  test('a command larger than the buffer ends the session', async () => {
    const c = await open('imap');
    c.send(`a LOGIN ${'x'.repeat(600)}`);
    expect(await c.line()).toBe('a BAD invalid command');
    expect(await c.rest()).toBe('');
    const d = await open('imap');
    if (ours) expect(await d.ask('a LOGIN {10000}')).toBe('a BAD invalid command');
  });

  test('a session that does not log in is closed', async () => {
    const c = await open('silent');
    expect(await c.rest()).toBe('');
    expect(front.read('error.log')).toMatch(
      /client timed out \(110: Connection timed out\) while in auth state, client: 127.0.0.1, server: /,
    );
  });
});

describe('POP3', () => {
  test('accepts USER and PASS with spaces', async () => {
    const c = await open('pop3');
    expect(c.greeting).toMatch(/^\+OK POP3 ready <\d+\.\d+@mail\.example\.com>$/);
    expect(await c.ask('PASS early')).toBe('-ERR invalid command');
    expect(await c.ask('user some one')).toBe('+OK');
    expect(await c.ask('NOOP')).toBe('+OK');
    expect(await c.ask('PASS a  b ')).toBe('+OK got PASS a  b ');
    expect(asked).toMatchObject({ 'auth-user': 'some%20one', 'auth-pass': 'a%20%20b%20', 'auth-protocol': 'pop3' });
    expect(await c.ask('STAT')).toBe('+OK got STAT');
  });

  test('answers capabilities and methods', async () => {
    const c = await open('pop3');
    c.send('CAPA\r\nAUTH\r\n');
    expect(await c.lines(/^\.$/)).toEqual(['+OK Capability list follows', 'TOP', 'USER', 'SASL PLAIN LOGIN CRAM-MD5 EXTERNAL', '.']);
    expect(await c.lines(/^\.$/)).toEqual(['+OK methods supported:', 'PLAIN', 'LOGIN', 'CRAM-MD5', 'EXTERNAL', '.']);
    expect(await c.ask('STLS')).toBe('-ERR invalid command');
    expect(await c.ask('AUTH CRAM-MD5 x')).toBe('-ERR invalid command');
    expect(await c.ask('QUIT')).toBe('+OK');
    expect(await c.rest()).toBe('');
  });

  test('APOP and CRAM-MD5 answer the challenge of the greeting', async () => {
    const c = await open('pop3');
    const salt = c.greeting.replace('+OK POP3 ready ', '');
    expect(await c.ask('APOP user 0123456789abcdef0123456789abcdef')).toBe('+OK got PASS from the server');
    expect(asked).toMatchObject({ 'auth-method': 'apop', 'auth-salt': salt, 'auth-pass': '0123456789abcdef0123456789abcdef' });
    const d = await open('pop3');
    expect(await d.ask('AUTH CRAM-MD5')).toBe(`+ ${base64(d.greeting.replace('+OK POP3 ready ', ''))}`);
    expect(await d.ask(base64('user too-short'))).toBe('-ERR invalid command');
  });

  test('accepts AUTH, and uses names from the authentication server', async () => {
    const c = await open('pop3');
    expect(await c.ask('AUTH PLAIN')).toBe('+ ');
    expect(await c.ask(base64('\0other\0old'))).toBe('+OK got PASS new secret');
    expect(back.pop3.lines.slice(-2)).toEqual(['USER replaced', 'PASS new secret']);
  });

  test.skipIf(!ours)('a name with a line break is not sent to the back end', async () => {
    const c = await open('pop3');
    const before = back.pop3.lines.length;
    expect(await c.ask(`AUTH PLAIN ${base64('\0x\r\nDELE 1\0y')}`)).toBe('-ERR internal server error');
    expect(asked['auth-user']).toBe('x%0D%0ADELE%201');
    expect(await c.rest()).toBe('');
    expect(back.pop3.lines.slice(before)).toEqual([]);
  });

  test('too many errors end the session; the message of the back end is hidden', async () => {
    const c = await open('errors');
    c.send('what\r\nis\r\nthis\r\nNOOP\r\n');
    expect(await c.lines(/^EOF/)).toEqual(['-ERR invalid command', '-ERR invalid command', '-ERR invalid command', 'EOF']);
    const d = await open('errors');
    expect(await d.ask('USER bad')).toBe('+OK');
    expect(await d.ask('PASS x')).toBe('-ERR internal server error');
  });

  test('commands pipelined after the login go to the back end', async () => {
    const c = await open('pop3');
    c.send('USER x\r\nPASS y\r\nLIST\r\n');
    expect(await c.line()).toBe('+OK');
    expect(await c.line()).toBe('+OK got PASS y');
    expect(await c.line()).toBe('+OK got LIST');
  });
});

describe('SMTP', () => {
  test('XCLIENT names the client, its login and its greeting', async () => {
    const c = await open('smtp');
    expect(c.greeting).toBe('220 mail.example.com ESMTP ready');
    c.send('EHLO me.example\r\n');
    expect(await c.lines(/^250 /)).toEqual([
      '250-mail.example.com',
      '250-SIZE 1000',
      '250-8BITMIME',
      '250 AUTH PLAIN LOGIN CRAM-MD5 EXTERNAL',
    ]);
    expect(await c.ask(`AUTH PLAIN ${base64('\0a+b=c d\0secret')}`)).toBe('235 2.0.0 OK');
    expect(back.smtp.lines.slice(-3)).toEqual([
      'EHLO mail.example.com',
      `XCLIENT ADDR=127.0.0.1 LOGIN=${ours ? 'a+2Bb+3Dc+20d' : 'a+b=c d'} NAME=[UNAVAILABLE]`,
      'EHLO me.example',
    ]);
    expect(asked).toMatchObject({ 'auth-protocol': 'smtp', 'client-host': '[UNAVAILABLE]', 'auth-user': 'a+b=c%20d' });
    expect(await c.ask('MAIL FROM:<a@b>')).toBe('250 2.0.0 got MAIL FROM:<a@b>');
  });

  test('answers commands before the login', async () => {
    const c = await open('smtp');
    expect(await c.ask('EHLO')).toBe('501 5.5.4 Invalid argument');
    expect(await c.ask('HELO me')).toBe('250 mail.example.com');
    expect(await c.ask('MAIL FROM:<a@b>')).toBe('530 5.7.1 Authentication required');
    expect(await c.ask('RCPT TO:<a@b>')).toBe('503 5.5.1 Bad sequence of commands');
    expect(await c.ask('VRFY a')).toBe('500 5.5.1 Invalid command');
    expect(await c.ask('AUTH')).toBe('501 5.5.4 Invalid argument');
    expect(await c.ask('AUTH LOGIN')).toBe('334 VXNlcm5hbWU6');
    expect(await c.ask(base64('refused'))).toBe('334 UGFzc3dvcmQ6');
    expect(await c.ask(base64('x'))).toBe('535 5.7.0 Invalid login');
    expect(await c.rest()).toBe('');
  });

  test('Auth-Wait delays a refusal with its code', async () => {
    const c = await open('smtp');
    expect(await c.ask(`AUTH PLAIN ${base64('\0later\0x')}`)).toBe('454 4.7.0 Try again');
    expect(await c.ask('QUIT')).toBe('221 2.0.0 Bye');
    expect(await c.rest()).toBe('');
  });

  test('the authentication server is queried about clients without a login at their first recipient', async () => {
    const c = await open('none');
    c.send('EHLO me.example\r\n');
    expect(await c.lines(/^250 /)).toEqual(['250 mail.example.com']);
    expect(await c.ask('MAIL FROM:<a@b> SIZE=1  ')).toBe('250 2.0.0 OK');
    expect(await c.ask('MAIL FROM:<c@d>')).toBe('503 5.5.1 Bad sequence of commands');
    expect(await c.ask('RSET')).toBe('250 2.0.0 OK');
    expect(await c.ask('MAIL FROM:<e@f>')).toBe('250 2.0.0 OK');
    expect(await c.ask('RCPT TO:<bad@b>')).toBe('550 5.1.1 no such user');
    expect(asked).toMatchObject({
      'auth-method': 'none',
      'auth-user': '',
      'auth-smtp-helo': 'me.example',
      'auth-smtp-from': 'MAIL FROM:<e@f>',
      'auth-smtp-to': 'RCPT TO:<bad@b>',
    });
    expect(back.smtp.lines.slice(-3)).toEqual(['EHLO mail.example.com', 'MAIL FROM:<e@f>', 'RCPT TO:<bad@b>']);
    expect(await c.ask('RCPT TO:<good@b>')).toBe('250 2.0.0 got RCPT TO:<good@b>');
  });

  test('proxy_smtp_auth logs in to the back end', async () => {
    const c = await open('open');
    expect(await c.ask('HELO me')).toBe('250 mail.example.com');
    expect(await c.ask(`AUTH PLAIN ${base64('\0user\0secret')}`)).toBe('235 2.0.0 OK');
    expect(back.smtp.lines.slice(-2)).toEqual(['HELO mail.example.com', `AUTH PLAIN ${base64('\0user\0secret')}`]);
    const d = await open('open');
    expect(await d.ask(`AUTH PLAIN ${base64('\0bad\0secret')}`)).toBe('535 5.7.8 rejected by the back end');
    expect(await d.rest()).toBe('');
  });

  test('a client that does not wait for the greeting is rejected', async () => {
    const c = await LineClient.open(port.delay, 'EHLO x\r\n');
    expect(await c.line()).toBe('503 5.5.0 Improper use of SMTP command pipelining');
    expect(await c.rest()).toBe('');
    expect(front.read('error.log')).toMatch(/client was rejected before greeting: "EHLO x__" while in delay pipelining state/);
  });

  test('a line larger than the buffer ends the session', async () => {
    const c = await open('limited');
    c.send('x'.repeat(64));
    expect(await c.line()).toBe('500 5.5.1 Invalid command');
    expect(await c.rest()).toBe('');
    expect(front.read('error.log')).toMatch(/client sent too long command "x{64}"/);
  });
});
