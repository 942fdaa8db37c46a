/** What stream logs and sends at the edges of a session: before a connection is open, after a handshake that fails. Compared with nginx 1.31. */
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { Front, raw, serveRaw } from '../support/front.ts';

const front = new Front();
const NAMES = ['tls', 'missing', 'named', 'passed', 'proxied', 'back', 'refused', 'returned', 'datagram', 'closed'] as const;
const ports = {} as Record<(typeof NAMES)[number], number>;

const CERTIFICATE = createCertificate();

const TLS_VARIABLES =
  '$ssl_protocol|$ssl_cipher|$ssl_curve|$ssl_session_reused|$ssl_session_id|$ssl_alpn_protocol|$ssl_client_verify|$ssl_client_s_dn|$ssl_client_v_remain';

/** A certificate of `localhost` and its key. */
function createCertificate(): { cert: Buffer; key: Buffer } {
  const folder = mkdtempSync(path.join(tmpdir(), 'gannet-stream-logs-'));
  const options = { cwd: folder, stdio: 'ignore' as const };
  execFileSync(
    'openssl',
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost'.split(
      ' ',
    ),
    options,
  );
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => readFileSync(path.join(folder, name)));
  rmSync(folder, { recursive: true });
  return { cert, key };
}

beforeAll(async () => {
  for (const name of NAMES) ports[name] = await freePort();
  front.write('cert.pem', CERTIFICATE.cert);
  front.write('key.pem', CERTIFICATE.key);
  const at = (name: (typeof NAMES)[number], kind: string, rest: string): string =>
    `server { listen 127.0.0.1:${ports[name]} ${kind}; ${rest} }\n`;
  front.config(
    '',
    `stream { ssl_certificate_key key.pem;
      log_format tls '$status ${TLS_VARIABLES}'; log_format names '$ssl_preread_server_name'; log_format status '$status';
      log_format bytes '$server_port $bytes_received $upstream_bytes_sent';
      ${at('tls', 'ssl', 'ssl_certificate cert.pem; ssl_alpn h2; ssl_verify_client optional_no_ca; return ok; access_log tls.log tls;')}
      ${at('missing', 'ssl', `ssl_certificate ${front.folder}/$ssl_server_name.pem; return never; access_log tls.log tls;`)}
      ${at('named', 'ssl', 'ssl_certificate cert.pem; server_name a.example; return "a $ssl_server_name";')}
      ${at('named', 'ssl default_server', 'ssl_certificate cert.pem; return "other";')}
      ${at('passed', '', `ssl_preread on; proxy_pass 127.0.0.1:${ports.named}; access_log names.log names;`)}
      ${at('proxied', 'proxy_protocol', `set_real_ip_from 127.0.0.1; proxy_protocol on; proxy_pass 127.0.0.1:${ports.back};`)}
      ${at('refused', '', 'proxy_pass 127.0.0.1:1; access_log bytes.log bytes;')}
      ${at('returned', '', 'return text; access_log bytes.log bytes;')}
      ${at('datagram', 'udp', `proxy_pass 127.0.0.1:${ports.closed}; proxy_responses 1; access_log datagram.log status;`)} }`,
  );
  await front.start();
});
afterAll(() => front.dispose());

/** Lines of a log once it has as many. */
async function logged(file: string, count: number): Promise<string[]> {
  const lines = (): string[] => front.read(file).split('\n').slice(0, -1);
  await front.until(() => lines().length >= count);
  return lines();
}

/** The body that a TLS client receives, or its error. */
const secure = (to: number, options: tls.ConnectionOptions): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    const socket = tls.connect({ port: to, host: '127.0.0.1', rejectUnauthorized: false, ...options });
    socket.on('data', (data) => (text += data.toString()));
    socket.on('error', (error: NodeJS.ErrnoException) => (text += error.code));
    socket.on('close', () => resolve(text));
  });

test('a handshake that fails is logged with all TLS variables', async () => {
  expect(await secure(ports.tls, { ALPNProtocols: ['other'] })).toContain('NO_APPLICATION_PROTOCOL');
  await raw(ports.tls, 'no handshake at all').catch(() => '');
  expect(await secure(ports.missing, { servername: 'absent' })).toBe('ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR');
  expect(await secure(ports.tls, { ALPNProtocols: ['h2'] })).toBe('ok');
  const lines = await logged('tls.log', 4);
  expect(lines.map((line) => line.slice(0, 3))).toEqual(['500', '500', '500', '200']);
  const missing = `${front.folder}/absent.pem`;
  expect(front.read('error.log')).toContain(
    `cannot load certificate "${missing}": BIO_new_file() failed (SSL: error:80000002:system library::No such file or directory:calling fopen(${missing}, r) error:10000080:BIO routines::no such file) while SSL handshaking, client: 127.0.0.1, server: 127.0.0.1:${ports.missing}`,
  );
  expect(front.read('error.log')).not.toContain('[crit]');
});

test('names of TLS clients are logged as sent, and compared without case', async () => {
  expect(await secure(ports.passed, { servername: 'A.Example' })).toBe('a A.Example');
  expect(await logged('names.log', 1)).toEqual(['A.Example']);
});

test('the header of the PROXY protocol arrives together with the first bytes, and names the family of the client', async () => {
  const seen: string[] = [];
  const server = await serveRaw(ports.back, (text, socket) => {
    seen.push(text);
    socket.end('ok');
  });
  expect(await raw(ports.proxied, 'PROXY TCP6 ::1 ::2 11 22\r\nfirst')).toBe('ok');
  server.close();
  expect(seen).toEqual([`PROXY TCP6 ::1 127.0.0.1 11 ${ports.proxied}\r\nfirst`]);
});

test('bytes of the client count when the connection to the back end is open', async () => {
  await raw(ports.refused, 'hello');
  expect(await raw(ports.returned, 'hello').catch(() => 'text')).toBe('text');
  expect(await logged('bytes.log', 2)).toEqual([`${ports.refused} 0 0`, `${ports.returned} 0 -`]);
  expect(front.read('error.log')).toContain('bytes from/to client:0/0, bytes from/to upstream:0/0');
});

test('a datagram that nobody receives ends its session as a success, and is logged', async () => {
  const client = createSocket('udp4');
  client.send('x', ports.datagram, '127.0.0.1');
  await front.until(() =>
    front.read('error.log').includes('recv() failed (111: Connection refused) while proxying and reading from upstream, udp client'),
  );
  client.close();
  expect(await logged('datagram.log', 1)).toEqual(['200']);
});

test('sessions of these kinds do not keep the worker from exiting', async () => expect(await front.stop()).toBe(0));
