/** acme_certificate: a certificate from an ACME server of the test, which signs with openssl, over HTTPS. */
import { execFileSync } from 'node:child_process';
import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import path from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { bodyOf, Front, get, ours, statusOf } from '../support/front.ts';

const front = new Front();
let port = 0;
let tlsPort = 0;
let base = '';
let authority: Server;

type Json = Record<string, unknown>;
interface Message {
  path: string;
  header: Json & { jwk?: JsonWebKey };
  payload: Json;
}
/** Requests with a correct signature, and the problems of others. */
const seen: Message[] = [];
const wrong: string[] = [];
let accountKey: JsonWebKey | null = null;
let nonces = 0;
const known = new Set<string>();
let refusedOnce = false;
let challengeDone = false;
let chain = '';

const inFolder = (name: string): string => path.join(front.folder, name);
const openssl = (...args: string[]): string => execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** Checks the signature of a request (RFC 8555, section 6.2). */
function readMessage(url: string, body: string): Message {
  const { protected: header64, payload: payload64, signature } = JSON.parse(body) as Record<'protected' | 'payload' | 'signature', string>;
  const header = JSON.parse(Buffer.from(header64, 'base64url').toString()) as Message['header'];
  accountKey ??= header.jwk ?? null;
  const key = createPublicKey({ key: accountKey!, format: 'jwk' });
  const isRight = verify(
    'sha256',
    Buffer.from(`${header64}.${payload64}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isRight || header.url !== base + url || !known.delete(String(header.nonce))) wrong.push(url);
  return { path: url, header, payload: payload64 === '' ? {} : (JSON.parse(Buffer.from(payload64, 'base64url').toString()) as Json) };
}

/** Signs the certificate that the request asks for, with its names. */
function issue(csr: string): string {
  writeFileSync(inFolder('order.csr'), Buffer.from(csr, 'base64url'));
  const text = openssl('req', '-inform', 'DER', '-in', inFolder('order.csr'), '-noout', '-text', '-verify');
  expect(text).toContain('DNS:one.example.test, DNS:two.example.test, IP Address:127.0.0.1');
  openssl(
    ...[
      'x509',
      '-req',
      '-inform',
      'DER',
      '-in',
      inFolder('order.csr'),
      '-CA',
      inFolder('c.pem'),
      '-CAkey',
      inFolder('k.pem'),
      '-CAcreateserial',
    ],
    ...['-copy_extensions', 'copy', '-days', '30', '-out', inFolder('issued.pem')],
  );
  return readFileSync(inFolder('issued.pem'), 'latin1') + readFileSync(inFolder('c.pem'), 'latin1');
}

const thumbprint = (): string => {
  const { crv, kty, x, y } = accountKey!;
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
};

async function answer(url: string, body: string): Promise<{ status: number; body: Json | string; location?: string }> {
  if (url === '/dir') {
    const urls = { newNonce: `${base}/nonce`, newAccount: `${base}/account`, newOrder: `${base}/order` };
    return { status: 200, body: { ...urls, meta: { termsOfService: `${base}/terms` } } };
  }
  if (url === '/nonce') return { status: 200, body: '' };
  const message = readMessage(url, body);
  if (url === '/order' && !refusedOnce) {
    refusedOnce = true;
    return { status: 400, body: { type: 'urn:ietf:params:acme:error:badNonce' } };
  }
  seen.push(message);
  const state = chain !== '' ? 'valid' : challengeDone ? 'ready' : 'pending';
  const order = { status: state, authorizations: [`${base}/authz`], finalize: `${base}/finalize`, certificate: `${base}/cert` };
  switch (url) {
    case '/account':
      return { status: 201, body: { status: 'valid' }, location: `${base}/account/1` };
    case '/order':
      return { status: 201, body: order, location: `${base}/order/1` };
    case '/order/1':
      return { status: 200, body: order };
    case '/authz': {
      const challenges = [{ type: 'dns-01' }, { type: 'http-01', url: `${base}/challenge`, token: 'a-token' }];
      return { status: 200, body: { status: challengeDone ? 'valid' : 'pending', challenges } };
    }
    case '/challenge': {
      const proof = await get(port, '/.well-known/acme-challenge/a-token');
      challengeDone = statusOf(proof) === 200 && bodyOf(proof) === `a-token.${thumbprint()}`;
      return { status: 200, body: { status: 'processing' } };
    }
    case '/finalize':
      chain = issue(String(message.payload.csr));
      return { status: 200, body: { ...order, status: 'processing' } };
    default:
      return { status: 200, body: chain };
  }
}

beforeAll(async () => {
  port = await freePort();
  tlsPort = await freePort();
  openssl(
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2'],
    ...['-keyout', inFolder('k.pem'), '-out', inFolder('c.pem')],
  );
  authority = createServer({ key: readFileSync(inFolder('k.pem')), cert: readFileSync(inFolder('c.pem')) }, (request, response) => {
    let body = '';
    request.on('data', (data) => {
      body += data;
    });
    request.on('end', async () => {
      const result = await answer(request.url ?? '', body);
      const nonce = `nonce-${nonces++}`;
      known.add(nonce);
      const location = result.location === undefined ? {} : { location: result.location };
      response.writeHead(result.status, { 'replay-nonce': nonce, ...location });
      response.end(typeof result.body === 'string' ? result.body : JSON.stringify(result.body));
    });
  });
  await new Promise<void>((resolve) => authority.listen(0, resolve));
  base = `https://localhost:${(authority.address() as { port: number }).port}`;
  front.config(`
    acme_issuer test { uri ${base}/dir; ssl_trusted_certificate c.pem; contact admin@example.test; accept_terms_of_service; state_path state; }
    server { listen 127.0.0.1:${tlsPort} ssl; server_name one.example.test two.example.test;
      acme_certificate test one.example.test two.example.test 127.0.0.1; ssl_certificate $acme_certificate; ssl_certificate_key $acme_certificate_key;
      return 200 secure; }
    server { listen 127.0.0.1:${port}; return 404; }`);
});
afterAll(async () => {
  await front.dispose();
  authority.closeAllConnections();
  await new Promise((resolve) => authority.close(resolve));
});

/** The certificate of the TLS server; null if the handshake fails. */
function certificate(): Promise<PeerCertificate | null> {
  return new Promise((resolve) => {
    const socket = connect({ port: tlsPort, host: '127.0.0.1', servername: 'one.example.test', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate());
      socket.destroy();
    });
    socket.on('error', () => resolve(null));
  });
}

async function issued(): Promise<PeerCertificate> {
  for (;;) {
    const found = await certificate();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe.skipIf(!ours)('acme', () => {
  test('orders a certificate, answers the challenge and serves it', async () => {
    await front.start();
    const { subjectaltname, issuer } = await issued();
    expect(subjectaltname).toBe('DNS:one.example.test, DNS:two.example.test, IP Address:127.0.0.1');
    expect(issuer.CN).toBe('localhost');
    expect(wrong).toEqual([]);
    expect(seen.find(({ path: url }) => url === '/account')!.payload).toEqual({
      termsOfServiceAgreed: true,
      contact: ['mailto:admin@example.test'],
    });
    expect(seen.find(({ path: url }) => url === '/order')!.payload.identifiers).toEqual([
      { type: 'dns', value: 'one.example.test' },
      { type: 'dns', value: 'two.example.test' },
      { type: 'ip', value: '127.0.0.1' },
    ]);
    expect(statusOf(await get(port, '/.well-known/acme-challenge/a-token'))).toBe(404);
  });

  test('keeps account, key and certificate for the next start', async () => {
    expect(statSync(inFolder('state')).mode & 0o077).toBe(0);
    for (const name of readdirSync(inFolder('state'))) expect(statSync(inFolder(`state/${name}`)).mode & 0o077).toBe(0);
    expect(existsSync(inFolder('state/account.key'))).toBe(true);
    const requests = seen.length;
    const before = (await issued()).fingerprint256;
    await front.stop();
    await front.start();
    expect((await issued()).fingerprint256).toBe(before);
    expect(seen.length).toBe(requests);
  });

  test.each([
    ['acme_issuer a { contact x; }', '"uri" of acme_issuer "a" must be an https URL'],
    ['acme_issuer a { uri https://x; challenge tls-alpn-01; }', 'challenge "tls-alpn-01" is not supported'],
    ['acme_issuer a { uri https://x; nonsense; }', 'unknown directive "nonsense"'],
    ['server { listen 127.0.0.1:1; acme_certificate a x.test; }', 'acme issuer "a" is not found'],
    ['acme_issuer a { uri https://x; } server { listen 127.0.0.1:1; acme_certificate a *.x.test; }', 'invalid identifier "*.x.test"'],
    ['acme_issuer a { uri https://x; } server { listen 127.0.0.1:1; acme_certificate a x key=dsa; }', 'invalid value "key=dsa"'],
  ])('%s is refused', async (text, message) => {
    const other = new Front();
    other.config(`${text} server { listen 127.0.0.1:2; }`);
    await expect(other.start()).rejects.toThrow(message);
    await other.dispose();
  });
});
