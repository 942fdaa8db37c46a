/**
 * `mail { }` between real programs: swaks, curl and openssl log in through the front to postfix and dovecot. The message that one of them sends is the one
 * that another reads. Clients connect from 127.0.0.2, so that the logs of the servers show whose address they were given.
 */
import { execFile } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders, Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Certificates } from '../support/certificates.ts';
import { freePort } from '../support/free-port.ts';
import { Front, ours } from '../support/front.ts';
import { authServer } from '../support/mail.ts';
import { MAIL_DOMAIN, MAIL_USERS, MailPrograms, type MailService, mailProgramsExist } from '../support/mail-programs.ts';

const CLIENT = '127.0.0.2';
const NAMES = [
  'imap',
  'imaps',
  'imapProxied',
  'pop3',
  'pop3s',
  'pop3Proxied',
  'smtp',
  'smtps',
  'smtpProxied',
  'smtpLogin',
  'open',
  'required',
] as const;
type Name = (typeof NAMES)[number];

const front = new Front();
const programs = new MailPrograms();
const certificates = new Certificates();
const port = {} as Record<Name, number>;
let auth: { server: Server; port: number };
/** the last request to the authentication server */
let asked: IncomingHttpHeaders = {};

/** Whether the credentials are those of the user, by the method that the client chose. */
function areRight(request: IncomingHttpHeaders, password: string): boolean {
  const given = decodeURIComponent(String(request['auth-pass'] ?? ''));
  const salt = String(request['auth-salt']);
  switch (request['auth-method']) {
    case 'plain':
      return given === password || given === 'known here only';
    case 'cram-md5':
      return given === createHmac('md5', password).update(salt).digest('hex');
    case 'apop':
      return (
        given ===
        createHash('md5')
          .update(salt + password)
          .digest('hex')
      );
    default:
      return request['auth-method'] === 'external' || request['auth-method'] === 'none';
  }
}

function answer(request: IncomingHttpHeaders): Record<string, string> {
  asked = request;
  const to = programs.port[request['x-back'] as MailService];
  const password = MAIL_USERS[String(request['auth-user'])];
  if (request['auth-method'] !== 'none' && (password === undefined || !areRight(request, password)))
    return { 'Auth-Status': 'Invalid login or password', 'Auth-Error-Code': '535 5.7.8' };
  const server = { 'Auth-Status': 'OK', 'Auth-Server': '127.0.0.1', 'Auth-Port': String(to) };
  return request['auth-method'] === 'plain' || password === undefined ? server : { ...server, 'Auth-Pass': password };
}

beforeAll(async () => {
  if (!mailProgramsExist) return;
  for (const name of NAMES) port[name] = await freePort();
  auth = await authServer(answer);
  for (const name of ['server', 'client']) certificates.issue(name);
  const at = (name: Name, back: MailService, rest: string): string =>
    `server { listen 127.0.0.1:${port[name]}${/s$/.test(name) ? ' ssl' : ''}; auth_http_header X-Back ${back}; ${rest} }`;
  const imap = 'protocol imap; imap_auth plain login cram-md5 external;';
  const pop3 = 'protocol pop3; pop3_auth plain apop cram-md5 external;';
  const smtp = 'protocol smtp; smtp_auth plain login cram-md5 external;';
  front.config(
    '',
    `${ours ? '' : 'load_module /usr/lib/nginx/modules/ngx_mail_module.so;'}
    mail {
      auth_http 127.0.0.1:${auth.port}/; server_name mail.${MAIL_DOMAIN}; proxy_pass_error_message on; starttls on;
      ssl_certificate ${certificates.path('server.pem')}; ssl_certificate_key ${certificates.path('server.key')};
      ${at('imap', 'imap', imap)} ${at('imaps', 'imap', imap)} ${at('imapProxied', 'imapProxied', `${imap} proxy_protocol on;`)}
      ${at('pop3', 'pop3', pop3)} ${at('pop3s', 'pop3', pop3)} ${at('pop3Proxied', 'pop3Proxied', `${pop3} proxy_protocol on;`)}
      ${at('smtp', 'smtp', smtp)} ${at('smtps', 'smtp', smtp)} ${at('smtpProxied', 'smtpProxied', `${smtp} proxy_protocol on; xclient off;`)}
      ${at('smtpLogin', 'smtpLogin', `${smtp} proxy_smtp_auth on; xclient off;`)}
      ${at('open', 'smtp', 'protocol smtp; smtp_auth none;')}
      ${at('required', 'imap', `${imap} starttls only; ssl_verify_client on; ssl_client_certificate ${certificates.path('authority.pem')};`)}
    }`,
  );
  await Promise.all([programs.start(), front.start()]);
});

afterAll(async () => {
  if (!mailProgramsExist) return;
  auth.server.close();
  await Promise.all([front.dispose(), programs.stop()]);
});

/** Runs a client to its end. @returns its exit status and what it wrote to both outputs */
function run(command: string, args: string[], input = ''): Promise<{ status: number; out: string }> {
  return new Promise((resolve) => {
    const child = execFile(command, args, { encoding: 'latin1' }, (error, stdout, stderr) =>
      resolve({ status: error ? Number(error.code ?? -1) : 0, out: stdout + stderr }),
    );
    child.stdin?.end(input);
  });
}

const TLS_OPTIONS = { plain: [], starttls: ['--ssl-reqd', '-k'], implicit: ['-k'] };
type Encryption = keyof typeof TLS_OPTIONS;

interface CurlOptions {
  method?: string;
  encryption?: Encryption;
  user?: string;
  password?: string;
  more?: string[];
}

/** Runs curl. `EXTERNAL` sends no password. */
function curl(scheme: string, name: Name, path: string, options: CurlOptions = {}): Promise<{ status: number; out: string }> {
  const { method = '*', encryption = 'plain', user = 'alice', password = MAIL_USERS[user], more = [] } = options;
  const url = `${scheme}${encryption === 'implicit' ? 's' : ''}://127.0.0.1:${port[name]}/${path}`;
  const login = ['--login-options', `AUTH=${method}`, '--user', `${user}:${method === 'EXTERNAL' ? '' : password}`];
  return run('curl', ['-sS', '--interface', CLIENT, ...login, ...TLS_OPTIONS[encryption], ...more, url]);
}

/** Sends a message by swaks, as alice to bob. */
function swaks(name: Name, subject: string, ...more: string[]): Promise<{ status: number; out: string }> {
  const addresses = ['--from', `alice@${MAIL_DOMAIN}`, '--to', `bob@${MAIL_DOMAIN}`, '--header', `Subject: ${subject}`];
  return run('swaks', ['--server', '127.0.0.1', '--port', String(port[name]), '--local-interface', CLIENT, ...addresses, ...more]);
}

/** Runs openssl, which continues over TLS and then sends the lines. */
const startTls = (name: Name, protocol: string, input: string, ...more: string[]): Promise<{ status: number; out: string }> =>
  run('openssl', ['s_client', '-connect', `127.0.0.1:${port[name]}`, '-starttls', protocol, '-crlf', '-quiet', ...more], input);

const credentials = (method: string, user = 'alice', password = MAIL_USERS[user]): string[] => [
  ...['--auth', method, '--auth-user', user, '--auth-password', password],
];

/** Waits for a line in the log of a server. */
async function logged(program: 'dovecot' | 'postfix', line: RegExp): Promise<RegExpExecArray> {
  await front.until(() => line.test(programs.log(program)));
  return line.exec(programs.log(program)) as RegExpExecArray;
}

/** Number of messages in a user's mailbox, as POP3 lists them. */
async function messages(user: string): Promise<number> {
  const { out } = await curl('pop3', 'pop3', '', { user });
  return out.split('\n').filter((line) => /^\d+ \d+\r?$/.test(line)).length;
}

/** Sends a message and waits for its delivery. @returns the line with which postfix logged who sent it */
async function deliver(sent: Promise<{ status: number; out: string }>): Promise<string> {
  const { status, out } = await sent;
  expect(out).toContain('queued as');
  expect(status).toBe(0);
  const id = /queued as (\w+)/.exec(out)?.[1];
  await logged('postfix', new RegExp(`${id}: to=<bob@.*status=sent`));
  return (await logged('postfix', new RegExp(`${id}: client=.*`)))[0];
}

describe.skipIf(!mailProgramsExist)('dovecot', () => {
  const encryptions = Object.keys(TLS_OPTIONS) as Encryption[];

  test.each(encryptions)('curl reads a mailbox over IMAP by every method: %s', async (encryption) => {
    const name = encryption === 'implicit' ? 'imaps' : 'imap';
    for (const method of ['PLAIN', 'LOGIN', 'CRAM-MD5', 'EXTERNAL']) {
      expect(await curl('imap', name, 'INBOX', { method, encryption })).toMatchObject({ status: 0, out: expect.stringContaining('INBOX') });
      expect(asked).toMatchObject({
        'auth-protocol': 'imap',
        'auth-method': method === 'LOGIN' ? 'plain' : method.toLowerCase(),
        'auth-user': 'alice',
        'client-ip': CLIENT,
      });
      expect(asked['auth-ssl']).toBe(encryption === 'plain' ? undefined : 'on');
    }
  });

  test.each(encryptions)('curl reads a mailbox over POP3 by every method: %s', async (encryption) => {
    const name = encryption === 'implicit' ? 'pop3s' : 'pop3';
    for (const method of ['PLAIN', 'LOGIN', 'CRAM-MD5', 'EXTERNAL', '+APOP']) {
      expect(await curl('pop3', name, '', { method, encryption })).toMatchObject({ status: 0 });
      expect(asked).toMatchObject({ 'auth-protocol': 'pop3', 'auth-user': 'alice', 'client-ip': CLIENT });
      expect(asked['auth-method']).toBe(method === 'LOGIN' ? 'plain' : method.toLowerCase().replace('+', ''));
    }
  });

  test('names and passwords with quotes and backslashes reach it whole', async () => {
    for (const method of ['PLAIN', 'LOGIN', 'CRAM-MD5'])
      expect((await curl('imap', 'imap', 'INBOX', { method, user: 'bob' })).out).toContain('INBOX');
    const password = MAIL_USERS.bob.replace(/["\\]/g, '\\$&');
    expect((await startTls('imap', 'imap', `a LOGIN bob "${password}"\nb LOGOUT\n`)).out).toMatch(/^a OK /m);
    expect((await startTls('pop3', 'pop3', `USER bob\nPASS ${MAIL_USERS.bob}\nQUIT\n`)).out).toContain('+OK Logged in.');
  });

  test('a wrong password is refused here, and one that only the front accepts is refused by dovecot', async () => {
    const CURLE_LOGIN_DENIED = 67;
    expect((await curl('imap', 'imap', 'INBOX', { password: 'wrong' })).status).toBe(CURLE_LOGIN_DENIED);
    expect((await curl('pop3', 'pop3', '', { password: 'wrong' })).status).toBe(CURLE_LOGIN_DENIED);
    const more = ['-v'];
    const imap = await curl('imap', 'imap', 'INBOX', { method: 'PLAIN', password: 'known here only', more });
    expect(imap).toMatchObject({
      status: CURLE_LOGIN_DENIED,
      out: expect.stringContaining('[AUTHENTICATIONFAILED] Authentication failed.'),
    });
    const pop3 = await curl('pop3', 'pop3', '', { method: 'PLAIN', password: 'known here only', more });
    expect(pop3).toMatchObject({ status: CURLE_LOGIN_DENIED, out: expect.stringContaining('-ERR [AUTH] Authentication failed.') });
  });

  test("the PROXY protocol gives it the client's address", async () => {
    expect((await curl('imap', 'imapProxied', 'INBOX')).status).toBe(0);
    await logged('dovecot', /imap-login: Info: Login: user=<alice>, method=PLAIN, rip=127\.0\.0\.2,/);
    expect((await curl('pop3', 'pop3Proxied', '')).status).toBe(0);
    await logged('dovecot', /pop3-login: Info: Login: user=<alice>, method=PLAIN, rip=127\.0\.0\.2,/);
  });

  test('openssl continues IMAP and POP3 over TLS', async () => {
    const imap = await startTls('imap', 'imap', 'a LOGIN alice "open sesame"\nb SELECT INBOX\nc LOGOUT\n');
    expect(imap.out).toMatch(/^a OK [\s\S]*^b OK \[READ-WRITE\] [\s\S]*^c OK Logout completed/m);
    const pop3 = await startTls('pop3', 'pop3', 'USER alice\nPASS open sesame\nSTAT\nQUIT\n');
    expect(pop3.out).toMatch(/^\+OK Logged in\.\r?\n\+OK \d+ \d+\r?\n\+OK Logging out\./m);
    const identity = ['-cert', certificates.path('client.pem'), '-key', certificates.path('client.key')];
    const known = await startTls('required', 'imap', 'a LOGIN alice "open sesame"\nc LOGOUT\n', ...identity);
    expect(known.out).toMatch(/^a OK /m);
    expect(asked).toMatchObject({ 'auth-ssl-verify': 'SUCCESS', 'auth-ssl-subject': 'CN=client' });
    const unknown = await startTls('required', 'imap', 'a LOGIN alice "open sesame"\n');
    expect(unknown.out).toContain('* BYE No required SSL certificate');
  });
});

describe.skipIf(!mailProgramsExist)('postfix', () => {
  test.each(['plain', 'starttls', 'implicit'] as const)(
    'gets messages of swaks by every method, with the client by XCLIENT: %s',
    async (encryption) => {
      const tls = { plain: [], starttls: ['--tls'], implicit: ['--tls-on-connect'] }[encryption];
      const name = encryption === 'implicit' ? 'smtps' : 'smtp';
      for (const method of ['PLAIN', 'LOGIN', 'CRAM-MD5']) {
        const client = await deliver(swaks(name, method, ...credentials(method), ...tls));
        expect(client).toContain(`client=unknown[${CLIENT}]`);
        expect(client).toContain('sasl_username=alice');
        expect(asked).toMatchObject({
          'auth-protocol': 'smtp',
          'auth-method': method === 'CRAM-MD5' ? 'cram-md5' : 'plain',
          'client-ip': CLIENT,
        });
      }
    },
  );

  test('a message that curl sends by EXTERNAL is read by curl over IMAP', async () => {
    const before = await messages('bob');
    const text = 'From: alice\r\nSubject: external\r\n\r\nread me\r\n';
    front.write('message', text);
    const more = ['--mail-from', `alice@${MAIL_DOMAIN}`, '--mail-rcpt', `bob@${MAIL_DOMAIN}`, '-T', `${front.folder}/message`, '-v'];
    await deliver(curl('smtp', 'smtp', 'client.example', { method: 'EXTERNAL', more }));
    expect(asked['auth-method']).toBe('external');
    const { out } = await curl('imap', 'imaps', `INBOX;MAILINDEX=${before + 1}`, { user: 'bob', encryption: 'implicit' });
    expect(out).toMatch(
      /^Received: from client\.example \(unknown \[127\.0\.0\.2\]\)[\s\S]*^Subject: external\r[\s\S]*\r\n\r\nread me\r$/m,
    );
  });

  test('without a login the authentication server sees the envelope', async () => {
    expect(await deliver(swaks('open', 'open', '--ehlo', 'client.example'))).toContain(`client=unknown[${CLIENT}]`);
    expect(asked).toMatchObject({
      'auth-method': 'none',
      'auth-smtp-helo': 'client.example',
      'auth-smtp-from': `MAIL FROM:<alice@${MAIL_DOMAIN}>`,
      'auth-smtp-to': `RCPT TO:<bob@${MAIL_DOMAIN}>`,
    });
    const refused = await swaks('open', 'relay', '--to', 'someone@elsewhere.test');
    expect(refused.out).toContain('554 5.7.1 <someone@elsewhere.test>: Relay access denied');
  });

  test("the PROXY protocol gives it the client's address", async () => {
    expect(await deliver(swaks('smtpProxied', 'proxied', ...credentials('PLAIN')))).toContain(`client=unknown[${CLIENT}]`);
  });

  test('proxy_smtp_auth logs in there, and passes its refusal on', async () => {
    for (const method of ['PLAIN', 'LOGIN', 'CRAM-MD5'])
      expect(await deliver(swaks('smtpLogin', method, ...credentials(method)))).toContain('sasl_method=PLAIN, sasl_username=alice');
    const wrong = await swaks('smtpLogin', 'wrong', ...credentials('PLAIN', 'alice', 'known here only'));
    expect(wrong.out).toContain('535 5.7.8 Error: authentication failed');
    const unknown = await swaks('smtpLogin', 'wrong', ...credentials('PLAIN', 'mallory', 'x'));
    expect(unknown.out).toContain('535 5.7.8 Invalid login or password');
  });

  test('openssl continues over TLS', async () => {
    const login = Buffer.from(`\0alice\0${MAIL_USERS.alice}`).toString('base64');
    const input = `EHLO client.example\nAUTH PLAIN ${login}\nMAIL FROM:<alice@${MAIL_DOMAIN}>\nNOOP\nQUIT\n`;
    const { out } = await startTls('smtp', 'smtp', input);
    expect(out).toMatch(/^235 2\.0\.0 OK\r?\n250 2\.1\.0 Ok\r?\n250 2\.0\.0 Ok\r?\n221 2\.0\.0 Bye/m);
  });
});

test.skipIf(!mailProgramsExist)("the front logs sessions in nginx's form", async () => {
  await curl('imap', 'imap', 'INBOX', { method: 'PLAIN', encryption: 'starttls' });
  await curl('pop3', 'pop3', '', { password: 'wrong' });
  await swaks('smtpLogin', 'log', ...credentials('PLAIN', 'alice', 'known here only'));
  const log = front.read('error.log').replaceAll(/(?<=127\.0\.0\.\d):\d+/g, ':PORT');
  for (const line of [
    /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d \[info\] \d+#\d+: \*\d+ client 127\.0\.0\.2:PORT connected to 127\.0\.0\.1:PORT$/m,
    /\[info\] \d+#\d+: \*\d+ client logged in, client: 127\.0\.0\.2 using starttls, server: 127\.0\.0\.1:PORT, login: "alice", upstream: 127\.0\.0\.1:PORT$/m,
    /\[info\] \d+#\d+: \*\d+ proxied session done, client: 127\.0\.0\.2 using starttls, server: /m,
    /\[info\] \d+#\d+: \*\d+ client login failed: "Invalid login or password" while in http auth state, client: 127\.0\.0\.2, server: 127\.0\.0\.1:PORT, login: "alice"$/m,
    /\[info\] \d+#\d+: \*\d+ upstream sent invalid response: "535 5\.7\.8 Error: authentication failed.*" while reading response from upstream, client: 127\.0\.0\.2, server: 127\.0\.0\.1:PORT, login: "alice", upstream: 127\.0\.0\.1:PORT$/m,
  ])
    expect(log).toMatch(line);
});
