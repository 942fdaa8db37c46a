/** TLS of clients: handshakes that arrive in pieces, fail or never arrive, requests on one connection, and tickets. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { Front } from '../support/front.ts';

const front = new Front();
let port = 0;
let proxied = 0;
let asking = 0;
let missing = 0;
const versions = ['TLSv1.2', 'TLSv1.3'] as const;

function configure(ticketKeys: string[]): void {
  const keys = ticketKeys.map((file) => `ssl_session_ticket_key ${file};`).join(' ');
  front.config(`

    client_header_timeout 2s;
    ssl_certificate c.pem; ssl_certificate_key k.pem; ssl_protocols TLSv1.2 TLSv1.3; ${keys}
    server { listen 127.0.0.1:${asking} ssl; ssl_verify_client optional_no_ca; return 200 "$ssl_client_verify $ssl_session_reused"; }
    server { listen 127.0.0.1:${missing} ssl; ssl_certificate $ssl_server_name.pem; ssl_certificate_key $ssl_server_name.key; }
    server { listen 127.0.0.1:${port} ssl; listen 127.0.0.1:${proxied} ssl proxy_protocol; default_type text/plain;
      location = /reused { return 200 "$ssl_session_reused"; }
      location = /client { return 200 "$remote_addr $proxy_protocol_addr"; }
    }`);
}

beforeAll(async () => {
  port = await freePort();
  proxied = await freePort();
  asking = await freePort();
  missing = await freePort();
  const openssl = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-days', '2'];
  execFileSync('openssl', [...openssl, '-keyout', `${front.folder}/k.pem`, '-out', `${front.folder}/c.pem`], { stdio: 'ignore' });
  for (const name of ['old.key', 'new.key']) front.write(name, randomBytes(48));
  front.write('small.txt', 'small');
  front.write('large.txt', 'large '.repeat(500_000));
  configure(['old.key']);
  await front.start();
});
afterAll(() => front.dispose());

interface Heard {
  socket: tls.TLSSocket;
  text(): string;
}
function secure(options: tls.ConnectionOptions = {}): Promise<Heard> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options }, () =>
      resolve({ socket, text: () => text }),
    );
    socket.on('data', (data) => (text += data.toString('latin1')));
    socket.on('error', reject);
  });
}

/** One request over a new connection, to its end. @returns the answer's body and the newest session */
async function ask(uri: string, options: tls.ConnectionOptions = {}): Promise<{ body: string; session: Buffer }> {
  const { socket, text } = await secure(options);
  let session = socket.getSession()!;
  socket.on('session', (newer) => (session = newer));
  const ended = once(socket, 'end');
  socket.write(`GET ${uri} HTTP/1.0\r\nHost: localhost\r\n\r\n`);
  await ended;
  socket.destroy();
  return { body: text().slice(text().indexOf('\r\n\r\n') + 4), session };
}

test.each(versions)('%s: each connection resumes the session of the one before it', async (version) => {
  const only = { minVersion: version, maxVersion: version };
  let { body, session } = await ask('/reused', only);
  const reused = [body];
  for (let n = 0; n < 4; n++) {
    ({ body, session } = await ask('/reused', { ...only, session }));
    reused.push(body);
  }
  expect(reused).toEqual(['.', 'r', 'r', 'r', 'r']);
});

test.each(versions)('%s: a certificate problem is also reported for the next connection', async (version) => {
  const [cert, key] = [front.read('c.pem'), front.read('k.pem')];
  const own = { port: asking, minVersion: version, maxVersion: version, cert, key };
  const first = await ask('/', own);
  const second = await ask('/', { ...own, session: first.session });
  expect(first.body).toMatch(/^FAILED:.* \.$/);
  expect(second.body).toBe(first.body.replace(/\.$/, 'r'));
});

test.each(versions)('%s: tickets of an older key are accepted once more, and replaced', async (version) => {
  const only = { minVersion: version, maxVersion: version };
  const reload = async (keys: string[]) => {
    configure(keys);
    const said = () => front.read('error.log').split('gracefully shutting down').length;
    const before = said();
    front.signal('SIGHUP');
    await front.until(() => said() > before);
  };
  const first = await ask('/reused', only);
  await reload(['new.key', 'old.key']);
  const second = await ask('/reused', { ...only, session: first.session });
  await reload(['new.key']);
  expect((await ask('/reused', { ...only, session: first.session })).body).toBe('.');
  const third = await ask('/reused', { ...only, session: second.session });
  await reload(['old.key']);
  expect([first.body, second.body, third.body]).toEqual(['.', 'r', 'r']);
});

/** A connection below TLS whose bytes the test sees: sent one by one, received as they arrive. */
async function tapped(received: Buffer[]): Promise<Duplex> {
  const raw = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(raw, 'connect');
  const tap = new Duplex({
    read() {},
    write(data: Buffer, _, done) {
      void (async () => {
        for (const byte of data) {
          raw.write(Buffer.from([byte]));
          await new Promise((turn) => setImmediate(turn));
        }
        done();
      })();
    },
    destroy(error, done) {
      raw.destroy();
      done(error);
    },
  });
  raw.on('data', (data) => {
    received.push(data);
    tap.push(data);
  });
  raw.on('end', () => tap.push(null));
  return tap;
}

test('serves a client that sends byte by byte, and signals the end of the connection in TLS', async () => {
  const received: Buffer[] = [];
  // the records of TLS 1.3 do not show what is in them
  const { socket, text } = await secure({ socket: (await tapped(received)) as Socket, maxVersion: 'TLSv1.2' });
  const ended = once(socket, 'end');
  socket.write('GET /small.txt HTTP/1.0\r\n\r\n');
  await ended;
  socket.destroy();
  expect(text().endsWith('small')).toBe(true);
  const bytes = Buffer.concat(received);
  const records: number[] = [];
  for (let at = 0; at < bytes.length; at += 5 + bytes.readUInt16BE(at + 3)) records.push(bytes[at]);
  expect(records.slice(-2)).toEqual([23, 21]);
});

test('serves many requests on one connection, pipelined, with large responses and slow readers', async () => {
  const { socket, text } = await secure();
  let requests = '';
  for (let n = 0; n < 20; n++) requests += `GET /${n % 7 === 3 ? 'large' : 'small'}.txt HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  socket.write(`${requests}GET /small.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  socket.pause();
  await new Promise((turn) => setTimeout(turn, 50));
  socket.resume();
  await once(socket, 'end');
  expect(text().match(/HTTP\/1\.1 200/g)).toHaveLength(21);
  expect(
    text()
      .match(/(?:large )+/g)!
      .map((body) => body.length),
  ).toEqual([3_000_000, 3_000_000, 3_000_000]);
});

test('refuses plain HTTP and garbage on a port of TLS', async () => {
  const heard = async (bytes: string) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (data) => (text += data.toString('latin1')));
    socket.on('error', () => {});
    socket.write(bytes, 'latin1');
    await once(socket, 'close');
    return text;
  };
  expect(await heard('GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 .*plain HTTP request was sent to HTTPS port/s);
  // an invalid handshake record: an alert, then the end
  expect((await heard(`\x16\x03\x01\x00\x2e\x01\x00\x00\x2a\x03\x03${'\0'.repeat(42)}`)).charCodeAt(0)).toBe(21);
});

test('a certificate that cannot be loaded ends the handshake with an alert, and the log says why', async () => {
  front.write('key.pem', 'no certificate');
  const failure = (servername: string): Promise<string | undefined> =>
    new Promise((resolve) => {
      const socket = tls.connect({ port: missing, host: '127.0.0.1', servername, rejectUnauthorized: false });
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    });
  for (const name of ['absent', 'key']) expect(await failure(name)).toBe('ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR');
  const log = front.read('error.log');
  const file = (name: string): string => `${front.folder}/${name}.pem`;
  const tail = ` while SSL handshaking, client: 127.0.0.1, server: 127.0.0.1:${missing}`;
  expect(log).toContain(
    `cannot load certificate "${file('absent')}": BIO_new_file() failed (SSL: error:80000002:system library::No such file or directory:calling fopen(${file('absent')}, r) error:10000080:BIO routines::no such file)${tail}`,
  );
  expect(log).toContain(
    `cannot load certificate "${file('key')}": PEM_read_bio_X509_AUX() failed (SSL: error:0480006C:PEM routines::no start line:Expecting: TRUSTED CERTIFICATE)${tail}`,
  );
  expect(log).toContain(`SSL_do_handshake() failed (SSL: error:0A000179:SSL routines::cert cb error)${tail}`);
});

test('clients that do not finish the handshake are cut off, those that disconnect during it leave nothing behind', async () => {
  const silent = connect(port, '127.0.0.1');
  const closed = once(silent, 'close');
  silent.write('\x16\x03\x01', 'latin1');
  silent.resume();
  const left = connect(port, '127.0.0.1');
  await once(left, 'connect');
  left.end('\x16\x03\x01', 'latin1');
  left.resume();
  await once(left, 'close');
  await closed;
  expect((await ask('/small.txt')).body).toBe('small');
  expect(front.read('error.log')).not.toContain('uncaught');
});

test('works with the PROXY protocol', async () => {
  const raw = connect(proxied, '127.0.0.1');
  await once(raw, 'connect');
  raw.write('PROXY TCP4 192.0.2.1 192.0.2.2 123 456\r\n');
  expect((await ask('/client', { socket: raw })).body).toBe('127.0.0.1 192.0.2.1');
});
