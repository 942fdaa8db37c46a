// OCSP end to end: a response from OpenSSL's responder is stapled to handshakes.
import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { type ConnectionOptions, connect, type TLSSocketOptions } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { Front } from '../support/front.ts';

const front = new Front();
const openssl = (...args: string[]): Buffer => execFileSync('openssl', args, { cwd: front.folder, stdio: ['ignore', 'pipe', 'pipe'] });
const ports = { http: 0, stream: 0 };
let responder: Server;

beforeAll(async () => {
  ports.http = await freePort();
  ports.stream = await freePort();
  const responderPort = await freePort();
  front.write(
    'openssl.conf',
    `[req]\ndistinguished_name=dn\nx509_extensions=ca\n[dn]\n[ca]\nbasicConstraints=critical,CA:TRUE\n[leaf]\nauthorityInfoAccess=OCSP;URI:http://127.0.0.1:${responderPort}/\n`,
  );
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-config', 'openssl.conf'];
  openssl('req', '-x509', ...key, '-subj', '/CN=ca', '-keyout', 'ca.key', '-out', 'ca.crt');
  openssl('req', '-new', ...key, '-subj', '/CN=leaf', '-keyout', 'leaf.key', '-out', 'leaf.csr');
  openssl(
    ...['x509', '-req', '-in', 'leaf.csr', '-CA', 'ca.crt', '-CAkey', 'ca.key', '-set_serial', '0xF001', '-days', '2'],
    ...['-extfile', 'openssl.conf', '-extensions', 'leaf', '-out', 'leaf.crt'],
  );
  front.write('index', 'V\t351231235959Z\t\tF001\tunknown\t/CN=leaf\n');
  responder = createServer((request, response) => {
    front.write('request.der', Buffer.from(decodeURIComponent((request.url ?? '').slice(1)), 'base64'));
    const signer = ['-rsigner', 'ca.crt', '-rkey', 'ca.key', '-ndays', '1'];
    openssl('ocsp', '-index', 'index', '-CA', 'ca.crt', ...signer, '-reqin', 'request.der', '-respout', 'response.der');
    response.setHeader('Content-Type', 'application/ocsp-response').end(front.read('response.der'), 'latin1');
  });
  await new Promise<void>((resolve) => responder.listen(responderPort, '127.0.0.1', resolve));
  const file = (name: string): string => path.join(front.folder, name);
  const settings = `ssl_certificate ${file('leaf.crt')}; ssl_certificate_key ${file('leaf.key')};
    ssl_trusted_certificate ${file('ca.crt')}; ssl_stapling on; ssl_stapling_verify on;`;
  front.config(
    `server { listen 127.0.0.1:${ports.http} ssl; ${settings} return 200 x; }`,
    `stream { server { listen 127.0.0.1:${ports.stream} ssl; ${settings} return x; } }`,
  );
  await front.start();
});
afterAll(async () => {
  responder.close();
  await front.dispose();
});

/** The response stapled to a handshake, null if there is none. */
function stapled(port: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const options: ConnectionOptions & TLSSocketOptions = { port, host: '127.0.0.1', requestOCSP: true, rejectUnauthorized: false };
    const socket = connect(options);
    socket.on('OCSPResponse', (response: Buffer | null) => {
      resolve(response && response.length > 0 ? response : null);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

test.each(['http', 'stream'] as const)('a response is stapled once the responder has sent it (%s)', async (block) => {
  let response: Buffer | null = null;
  while (response === null) response = await stapled(ports[block]);
  expect(response.equals(Buffer.from(front.read('response.der'), 'latin1'))).toBe(true);
  expect(front.read('error.log')).not.toMatch(/certificate status/);
});
