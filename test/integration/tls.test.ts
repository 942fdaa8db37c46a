// The REST API over TLS, with both listeners.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type tls from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isUws } from '../../src/http/uws-process.ts';
import { Certificates } from '../support/certificates.ts';
import { freePort } from '../support/free-port.ts';

const GANNET = path.resolve(import.meta.dirname, '../../bin/gannet');
const kinds = isUws('auto') ? (['uws', 'net'] as const) : (['net'] as const);

let certificates: Certificates;
let strangers: Certificates;

beforeAll(() => {
  certificates = new Certificates();
  for (const name of ['first', 'second', 'client']) certificates.issue(name);
  certificates.encrypt('first', 'encrypted', 'open sesame');
  strangers = new Certificates('stranger');
  strangers.issue('client');
});
afterAll(() => {
  for (const { folder } of [certificates, strangers]) rmSync(folder, { recursive: true });
});

interface Service {
  readonly port: number;
  readonly child: ChildProcess;
  readonly log: () => string;
}

const running: Array<{ child: ChildProcess; data: string }> = [];
afterEach(async () => {
  for (const { child, data } of running.splice(0)) {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
    rmSync(data, { recursive: true });
  }
});

function launch(flags: readonly string[], port: number): Service {
  const data = mkdtempSync(path.join(tmpdir(), 'gannet-tls-'));
  const args = ['serve', `--http.port=${port}`, `--path.data=${data}`, '--http.ssl.enabled=true', ...flags];
  const child = spawn(GANNET, args, { cwd: data, stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr?.on('data', (chunk) => {
    text += chunk;
  });
  running.push({ child, data });
  return { port, child, log: () => text };
}

/** Starts with `current.pem`, a copy of first.pem that tests replace, and waits for an answer. */
async function start(kind: string, flags: readonly string[] = [], client: https.RequestOptions = {}): Promise<Service> {
  use('first');
  const paths = [`--http.ssl.certificate=${certificates.path('current.pem')}`, `--http.ssl.key=${certificates.path('current.key')}`];
  const service = launch([...paths, `--http.listener=${kind}`, ...flags], await freePort());
  for (;;) {
    try {
      await get(service.port, client);
      return service;
    } catch (error) {
      if (service.child.exitCode !== null) throw new Error(service.log());
      // The service opens and closes its port once to check that it is free.
      if (!['ECONNREFUSED', 'ECONNRESET'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

function use(name: string): void {
  for (const suffix of ['pem', 'key']) copyFileSync(certificates.path(`${name}.${suffix}`), certificates.path(`current.${suffix}`));
}

/** The name in the certificate of each connection's server. */
const names = new WeakMap<object, string>();

/** Status and body, and the name in the certificate. */
function get(port: number, options: https.RequestOptions = {}, body?: string): Promise<{ status: number; text: string; name: string }> {
  return new Promise((resolve, reject) => {
    const request = https.request(
      { host: '127.0.0.1', port, ca: certificates.read('authority.pem'), agent: false, path: '/', ...options },
      (response) => {
        const name = names.get(response.socket) ?? '';
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text, name }));
        response.on('error', reject);
      },
    );
    request.on('socket', (socket) => {
      if (!socket.connecting) return;
      socket.once('secureConnect', () => names.set(socket, String((socket as tls.TLSSocket).getPeerCertificate().subject?.CN)));
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function nameAfterReload({ port }: Service, expected: string): Promise<void> {
  while ((await get(port)).name !== expected) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe.each(kinds)('%s', (kind) => {
  test('serves requests and large bodies, and nothing without TLS or with an old protocol', async () => {
    const { port } = await start(kind);
    expect(await get(port)).toMatchObject({ status: 200, name: 'first', text: expect.stringContaining('You Know, for Search') });
    const lines = Array.from({ length: 20_000 }, (_, i) => `{"index":{"_id":"${i}"}}\n{"text":"document number ${i} of many"}\n`).join('');
    const headers = { 'content-type': 'application/x-ndjson' };
    const bulk = await get(port, { method: 'POST', path: '/docs/_bulk?refresh=true', headers }, lines);
    expect(JSON.parse(bulk.text).errors).toBe(false);
    const found = await get(port, { path: '/docs/_search?size=10000' });
    expect(JSON.parse(found.text).hits.hits).toHaveLength(10_000);
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
    await expect(get(port, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' })).rejects.toThrow();
    expect((await get(port, { maxVersion: 'TLSv1.2' })).status).toBe(200);
  });

  test('SIGHUP replaces the certificate for new connections, and no request fails', async () => {
    const service = await start(kind);
    const { port } = service;
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1, ca: certificates.read('authority.pem') });
    await get(port, { agent });
    const failures: unknown[] = [];
    let isDone = false;
    const client = async () => {
      while (!isDone) await get(port, { agent }).catch((error) => failures.push(error));
    };
    const busy = client();
    use('second');
    service.child.kill('SIGHUP');
    await nameAfterReload(service, 'second');
    const kept = await get(port, { agent });
    isDone = true;
    await busy;
    expect([kept.name, failures]).toEqual(['first', []]);
    writeFileSync(certificates.path('current.pem'), 'broken');
    service.child.kill('SIGHUP');
    while (!service.log().includes('stay as they were')) await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await get(port)).name).toBe('second');
    use('first');
    service.child.kill('SIGHUP');
    await nameAfterReload(service, 'first');
    agent.destroy();
  });

  test('checks optional and required certificates of clients', async () => {
    const own = { key: certificates.read('client.key'), cert: certificates.read('client.pem') };
    const foreign = { key: strangers.read('client.key'), cert: strangers.read('client.pem') };
    const authorities = `--http.ssl.certificate_authorities=${certificates.path('authority.pem')}`;
    const optional = await start(kind, [authorities, '--http.ssl.client_authentication=optional']);
    expect((await get(optional.port)).status).toBe(200);
    expect((await get(optional.port, own)).status).toBe(200);
    await expect(get(optional.port, foreign)).rejects.toThrow();
    const required = await start(kind, [authorities, '--http.ssl.client_authentication=required'], own);
    expect((await get(required.port, own)).status).toBe(200);
    await expect(get(required.port, foreign)).rejects.toThrow();
    // uWebSockets ends the handshake in any case, so it refuses the request.
    const without = await get(required.port).catch(() => null);
    expect(without?.status ?? 400).toBe(400);
    expect(without?.text ?? '').not.toContain('cluster_name');
  });

  test('reads an encrypted key, and only with its passphrase', async () => {
    const key = `--http.ssl.key=${certificates.path('encrypted.key')}`;
    const service = await start(kind, [key, '--http.ssl.key_passphrase=open sesame']);
    expect((await get(service.port)).name).toBe('first');
    const refused = launch(
      [`--http.ssl.certificate=${certificates.path('first.pem')}`, key, '--http.ssl.key_passphrase=wrong', `--http.listener=${kind}`],
      await freePort(),
    );
    await once(refused.child, 'exit');
    expect(refused.log()).toContain('encrypted.key');
    expect(refused.log()).not.toContain('wrong');
  });
});

test('TLS 1.3 alone is served by node:net', async () => {
  const { port } = await start('auto', ['--http.ssl.supported_protocols=TLSv1.3']);
  expect((await get(port)).status).toBe(200);
  await expect(get(port, { maxVersion: 'TLSv1.2' })).rejects.toThrow();
});

test.each([
  [[], /http\.ssl\.certificate: is required/],
  [['--http.ssl.certificate=no.pem', '--http.ssl.key=no.key'], /cannot read \[.*no\.(pem|key)\]/],
  [['--http.ssl.certificate=a', '--http.ssl.key=b', '--http.ssl.client_authentication=required'], /certificate_authorities: is required/],
  [['--http.ssl.certificate=a', '--http.ssl.key=b', '--http.ssl.supported_protocols=SSLv3'], /supported_protocols: must be of/],
])('does not start with %j', async (flags, message) => {
  const service = launch(flags, await freePort());
  const [code] = await once(service.child, 'exit');
  expect(code).not.toBe(0);
  expect(service.log()).toMatch(message);
});
