/** Certificates of clients: which authorities a server names, and which it trusts without naming them. */
import { execFileSync, spawn } from 'node:child_process';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { Front } from '../support/front.ts';

const front = new Front();
const ports = { http: 0, stream: 0, unnamed: 0, names: 0 };

beforeAll(async () => {
  for (const name of ['server', 'named', 'trusted', 'stranger']) {
    const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', `/CN=${name}`, '-days', '2'];
    execFileSync('openssl', [...args, '-keyout', `${name}.key`, '-out', `${name}.crt`], { cwd: front.folder, stdio: 'ignore' });
  }
  for (const name of ['http', 'stream', 'unnamed', 'names'] as const) ports[name] = await freePort();
  const certificate = 'ssl_certificate server.crt; ssl_certificate_key server.key;';
  const clients = 'ssl_verify_client optional; ssl_client_certificate named.crt; ssl_trusted_certificate trusted.crt;';
  front.config(
    `${certificate} ${clients} server { listen 127.0.0.1:${ports.http} ssl; return 200 $ssl_client_verify; }
     server { listen 127.0.0.1:${ports.names} ssl; server_name one *.wild.test; error_page 495 496 /page; location = /page { return 200 "page $status"; }
       location / { return 200 ok; } }
     server { listen 127.0.0.1:${ports.names} ssl; server_name open; ssl_verify_client off; return 200 open; }`,
    `stream { ${certificate}
      server { listen 127.0.0.1:${ports.stream} ssl; ${clients} return $ssl_client_verify; }
      server { listen 127.0.0.1:${ports.unnamed} ssl; ssl_verify_client on; ssl_trusted_certificate trusted.crt; return $ssl_client_verify; }
    }`,
  );
  await front.start();
});
afterAll(() => front.dispose());

/** Response of a server to a client with this certificate. */
function ask(port: number, name: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const own = { cert: front.read(`${name}.crt`), key: front.read(`${name}.key`) };
    const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...own }, () => {
      if (port === ports.http) socket.write('GET / HTTP/1.0\r\n\r\n');
    });
    socket.on('data', (data) => (text += String(data)));
    socket.on('error', () => {});
    socket.on('close', () => resolve(text.slice(text.indexOf('\r\n\r\n') + 1).trim()));
  });
}

/** Names of the authorities in the server's request for a certificate. */
async function named(port: number, version: string): Promise<string> {
  const child = spawn('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, version], { stdio: ['pipe', 'pipe', 'ignore'] });
  let out = '';
  child.stdout.on('data', (data) => (out += String(data)));
  child.stdin.on('error', () => {}).end('GET / HTTP/1.0\r\n\r\n');
  await new Promise((resolve) => child.once('close', resolve));
  return /Acceptable client certificate CA names\n((?:.*CN = .*\n)+)/.exec(out)?.[1].trim() ?? 'none';
}

describe.each(['http', 'stream'] as const)('%s', (block) => {
  test.each(['-tls1_2', '-tls1_3'])('names the authorities of ssl_client_certificate only (%s)', async (version) => {
    expect(await named(ports[block], version)).toBe('CN = named');
  });

  test('trusts those of both files', async () => {
    expect(await ask(ports[block], 'named')).toMatch(/SUCCESS$/);
    expect(await ask(ports[block], 'trusted')).toMatch(/SUCCESS$/);
  });

  test('trusts no other', async () => {
    expect(await ask(ports[block], 'stranger')).not.toMatch(/SUCCESS$/);
  });
});

test('ssl_trusted_certificate alone announces no authority', async () => {
  expect(await named(ports.unnamed, '-tls1_3')).toBe('none');
  expect(await ask(ports.unnamed, 'trusted')).toBe('SUCCESS');
  expect(await ask(ports.unnamed, 'stranger')).toBe('');
});

/** Status and body of a request to `host` over a connection that was negotiated for `servername`. */
function askFor(servername: string, host: string, name?: string): Promise<string> {
  const own = name ? { cert: front.read(`${name}.crt`), key: front.read(`${name}.key`) } : {};
  return new Promise((resolve) => {
    let text = '';
    const socket = tls.connect({ port: ports.names, host: '127.0.0.1', servername, rejectUnauthorized: false, ...own }, () =>
      socket.write(`GET / HTTP/1.0\r\n${host === '' ? '' : `Host: ${host}\r\n`}\r\n`),
    );
    socket.on('data', (data) => (text += String(data)));
    socket.on('error', () => {});
    socket.on('close', () => resolve(`${text.slice(9, 12)} ${text.slice(text.indexOf('\r\n\r\n') + 4)}`));
  });
}

test('a server that verifies clients answers only for the name that was negotiated', async () => {
  expect(await askFor('one', 'one')).toBe('200 ok');
  for (const [servername, host] of [
    ['one', 'a.wild.test'],
    ['a.wild.test', 'b.wild.test'],
    ['one', 'unknown'],
    ['open', 'one'],
    ['one', ''],
  ])
    expect([servername, host, (await askFor(servername, host)).slice(0, 3)]).toEqual([servername, host, '421']);
  expect(await askFor('one', 'open')).toBe('200 open');
  expect(front.read('error.log')).toContain(
    'client attempted to request the server name different from the one that was negotiated while reading',
  );
});

test('a page for a certificate that is not trusted has status 400', async () => {
  expect(await askFor('one', 'one', 'stranger')).toBe('400 page 400');
});
