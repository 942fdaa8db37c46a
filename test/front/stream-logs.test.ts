/** What stream logs and sends at the edges of a session: before a connection is open, after a handshake that fails. Compared with nginx 1.31. */
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { beforeEach, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { back, front, frontForEach, port, raw, serveRaw } from '../support/front.ts';

frontForEach();

const CERTIFICATE = createCertificate();

const TLS_VARIABLES =
  '$ssl_protocol|$ssl_cipher|$ssl_curve|$ssl_session_reused|$ssl_session_id|$ssl_alpn_protocol|$ssl_client_verify|$ssl_client_s_dn|$ssl_client_v_remain';

/** A certificate of `localhost` and its key. */
function createCertificate(): { cert: Buffer; key: Buffer } {
  const folder = mkdtempSync(path.join(tmpdir(), 'gannet-stream-logs-'));
  const options = { cwd: folder, stdio: 'ignore' as const };
  execFileSync(
    'openssl',
    'req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost'.split(' '),
    options,
  );
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => readFileSync(path.join(folder, name)));
  rmSync(folder, { recursive: true });
  return { cert, key };
}

beforeEach(() => {
  front.write('cert.pem', CERTIFICATE.cert);
  front.write('key.pem', CERTIFICATE.key);
});

/** The body that a TLS client receives, or its error. */
const secure = (to: number, options: tls.ConnectionOptions): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    const socket = tls.connect({ port: to, host: '127.0.0.1', rejectUnauthorized: false, ...options });
    socket.on('data', (data) => (text += data.toString()));
    socket.on('error', (error: NodeJS.ErrnoException) => (text += error.code));
    socket.on('close', () => resolve(text));
  });

test('a handshake that fails is logged with all TLS variables, and does not keep the worker from exiting', async () => {
  const missing = await freePort();
  front.config(
    '',
    `stream { log_format own '$status ${TLS_VARIABLES}'; access_log own.log own; ssl_certificate_key key.pem;
      server { listen 127.0.0.1:${port} ssl; ssl_certificate cert.pem; ssl_alpn h2; ssl_verify_client optional_no_ca; return ok; }
      server { listen 127.0.0.1:${missing} ssl; ssl_certificate ${front.folder}/$ssl_server_name.pem; return never; } }`,
  );
  await front.start();
  expect(await secure(port, { ALPNProtocols: ['other'] })).toContain('NO_APPLICATION_PROTOCOL');
  await raw(port, 'no handshake at all').catch(() => '');
  expect(await secure(missing, { servername: 'absent' })).not.toBe('never');
  expect(await secure(port, { ALPNProtocols: ['h2'] })).toBe('ok');
  expect(await front.stop()).toBe(0);
  const lines = front.read('own.log').trim().split('\n');
  expect(lines.map((line) => line.slice(0, 3))).toEqual(['500', '500', '500', '200']);
  expect(front.read('error.log')).toContain('cannot load certificate');
  expect(front.read('error.log')).not.toContain('[crit]');
});

test('names of TLS clients are logged as sent, and compared without case', async () => {
  const passed = await freePort();
  front.config(
    '',
    `stream { ssl_certificate cert.pem; ssl_certificate_key key.pem;
      server { listen 127.0.0.1:${port} ssl; server_name a.example; return "a $ssl_server_name"; }
      server { listen 127.0.0.1:${port} ssl default_server; return "other"; }
      log_format own '$ssl_preread_server_name';
      server { listen 127.0.0.1:${passed}; ssl_preread on; proxy_pass 127.0.0.1:${port}; access_log own.log own; } }`,
  );
  await front.start();
  expect(await secure(passed, { servername: 'A.Example' })).toBe('a A.Example');
  await front.stop();
  expect(front.read('own.log')).toBe('A.Example\n');
});

test('the header of the PROXY protocol arrives together with the first bytes, and names the family of the client', async () => {
  const seen: string[] = [];
  const server = await serveRaw(back, (text, socket) => {
    seen.push(text);
    socket.end('ok');
  });
  front.config(
    '',
    `stream { server { listen 127.0.0.1:${port} proxy_protocol; set_real_ip_from 127.0.0.1; proxy_protocol on; proxy_pass 127.0.0.1:${back}; } }`,
  );
  await front.start();
  expect(await raw(port, 'PROXY TCP6 ::1 ::2 11 22\r\nfirst')).toBe('ok');
  server.close();
  expect(seen).toEqual([`PROXY TCP6 ::1 127.0.0.1 11 ${port}\r\nfirst`]);
});

test('bytes of the client count when the connection to the back end is open', async () => {
  const returned = await freePort();
  front.config(
    '',
    `stream { log_format own '$server_port $bytes_received $upstream_bytes_sent'; access_log own.log own;
      server { listen 127.0.0.1:${port}; proxy_pass 127.0.0.1:1; } server { listen 127.0.0.1:${returned}; return text; } }`,
  );
  await front.start();
  await raw(port, 'hello');
  expect(await raw(returned, 'hello').catch(() => 'text')).toBe('text');
  await front.stop();
  expect(front.read('own.log')).toBe(`${port} 0 0\n${returned} 0 -\n`);
  expect(front.read('error.log')).toContain('bytes from/to client:0/0, bytes from/to upstream:0/0');
});

test('a datagram that nobody receives ends its session as a success, and is logged', async () => {
  front.config(
    '',
    `stream { log_format own '$status'; access_log own.log own; server { listen 127.0.0.1:${port} udp; proxy_pass 127.0.0.1:${back}; proxy_responses 1; } }`,
  );
  await front.start();
  const client = createSocket('udp4');
  client.send('x', port, '127.0.0.1');
  await front.until(() =>
    front.read('error.log').includes('recv() failed (111: Connection refused) while proxying and reading from upstream, udp client'),
  );
  client.close();
  await front.stop();
  expect(front.read('own.log')).toBe('200\n');
});
