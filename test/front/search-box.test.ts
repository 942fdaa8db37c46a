/** examples/front/search.conf unchanged, except for its ports: read-only methods, limits, cache, CORS, TLS. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { request as secureRequest } from 'node:https';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { bodyOf, Front, get, headerOf, ours, raw, statusOf } from '../support/front.ts';

const example = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../examples/front/search.conf');
const front = new Front();
let engine: Server;
let [box, secure, operators] = [0, 0, 0];
const seen: string[] = [];

beforeAll(async () => {
  [box, secure, operators] = [await freePort(), await freePort(), await freePort()];
  const enginePort = await freePort();
  engine = createServer((req, res) => {
    let body = '';
    req.on('data', (data) => (body += data));
    req.on('end', () => {
      seen.push(`${req.method} ${req.url} ${body} ${req.headers.authorization ?? '-'}`);
      res.setHeader('Content-Type', 'application/json');
      res.end(`{"took":${seen.length}}`);
    });
  });
  await new Promise<void>((resolve) => engine.listen(enginePort, '127.0.0.1', resolve));
  const made = spawnSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
      '-keyout',
      'search.key',
      '-out',
      'search.crt',
    ],
    { cwd: front.folder },
  );
  if (made.status !== 0) throw new Error(`openssl: ${made.stderr}`);
  const text = readFileSync(example, 'utf8')
    .replace('pid front.pid;', 'pid nginx.pid; user root;')
    .replaceAll('127.0.0.1:9200', `127.0.0.1:${enginePort}`)
    .replace('listen 127.0.0.1:8080;', `listen 127.0.0.1:${box};`)
    .replace('listen 127.0.0.1:8081;', `listen 127.0.0.1:${operators};`)
    .replace('# listen 8443 ssl;', `listen 127.0.0.1:${secure} ssl;`)
    .replace('# ssl_certificate     search.crt;', 'ssl_certificate search.crt;')
    .replace('# ssl_certificate_key search.key;', 'ssl_certificate_key search.key;');
  front.write('nginx.conf', text);
  if (ours) await front.start();
});
afterAll(async () => {
  engine.close();
  await front.dispose();
});

const post = (uri: string, body: string, fields = '') =>
  raw(
    box,
    `POST ${uri} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`,
  );
const query = (word: string) => JSON.stringify({ query: { match: { title: word } } });

describe.skipIf(!ours)('the search box of examples', () => {
  test('searches are answered once by the engine, then from the cache; the body is part of the key', async () => {
    const first = await post('/birds/_search', query('gannet'), 'Authorization: Basic x\r\n');
    expect(statusOf(first)).toBe(200);
    expect(headerOf(first, 'X-Cache')).toBe('MISS');
    expect(headerOf(first, 'Server')).toBe('nginx');
    expect(seen).toEqual([`POST /birds/_search ${query('gannet')} -`]);
    const second = await post('/birds/_search', query('gannet'));
    expect(headerOf(second, 'X-Cache')).toBe('HIT');
    expect(bodyOf(second)).toBe(bodyOf(first));
    expect(headerOf(await post('/birds/_search', query('herring')), 'X-Cache')).toBe('MISS');
    expect(statusOf(await get(box, '/birds/_doc/1'))).toBe(200);
    expect(statusOf(await get(box, '/'))).toBe(200);
  });

  test.each([
    ['DELETE', '/birds'],
    ['PUT', '/birds/_doc/1'],
    ['POST', '/birds/_doc'],
    ['POST', '/_bulk'],
    ['POST', '/birds/_search/../_delete_by_query'],
    ['POST', '/birds/_delete_by_query'],
    ['GET', '/_cluster/state'],
    ['GET', '/_search'],
    ['POST', '/birds%2f_doc'],
  ])('writes and reads of other indices are refused: %s %s', async (method, uri) => {
    const before = seen.length;
    const reply = await raw(box, `${method} ${uri} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    expect(statusOf(reply)).toBe(403);
    expect(JSON.parse(bodyOf(reply))).toMatchObject({ status: 403, error: { type: 'security_exception' } });
    expect(seen).toHaveLength(before);
  });

  test('CORS: known origins are allowed, preflights answered, others get no fields', async () => {
    const known = await post('/birds/_search', query('gannet'), 'Origin: https://shop.example.com\r\n');
    expect(headerOf(known, 'Access-Control-Allow-Origin')).toBe('https://shop.example.com');
    expect(headerOf(known, 'Vary')).toContain('Origin');
    expect(
      headerOf(await post('/birds/_search', query('gannet'), 'Origin: https://evil.com\r\n'), 'Access-Control-Allow-Origin'),
    ).toBeUndefined();
    expect(
      headerOf(await post('/birds/_search', query('gannet'), 'Origin: https://example.com.evil.com\r\n'), 'Access-Control-Allow-Origin'),
    ).toBeUndefined();
    const preflight = await raw(
      box,
      'OPTIONS /birds/_search HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost:3000\r\nConnection: close\r\n\r\n',
    );
    expect(statusOf(preflight)).toBe(204);
    expect(headerOf(preflight, 'Access-Control-Allow-Origin')).toBe('http://localhost:3000');
    expect(headerOf(preflight, 'Access-Control-Allow-Methods')).toBe('GET, POST');
  });

  test('works over TLS', async () => {
    const body = await new Promise<string>((resolve, reject) => {
      const req = secureRequest({ port: secure, host: '127.0.0.1', path: '/birds/_search?q=tls', rejectUnauthorized: false }, (res) => {
        let text = '';
        res.on('data', (data) => (text += data)).on('end', () => resolve(text));
      });
      req.on('error', reject).end();
    });
    expect(JSON.parse(body)).toMatchObject({ took: seen.length });
  });

  test('a large body is refused, a burst is limited, and metrics show both', async () => {
    expect(statusOf(await post('/birds/_search', 'x'.repeat(70_000)))).toBe(413);
    const answers = await Promise.all(Array.from({ length: 45 }, (_, n) => get(box, `/birds/_search?q=${n}`)));
    const busy = answers.filter((answer) => statusOf(answer) === 429);
    expect(busy.length).toBeGreaterThan(0);
    expect(answers.filter((answer) => statusOf(answer) === 200).length).toBeGreaterThan(0);
    expect(headerOf(busy[0], 'Retry-After')).toBe('1');
    expect(JSON.parse(bodyOf(busy[0]))).toMatchObject({ status: 429 });
    for (const line of front.read('access.log').trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('seconds');
    expect(bodyOf(await get(operators, '/metrics'))).toMatch(/gannet_front_upstream_requests_total\{upstream="engine".*\} \d+/);
    expect(JSON.parse(bodyOf(await get(operators, '/api/upstreams')))).toHaveProperty('engine.peers');
    expect(bodyOf(await get(operators, '/status'))).toMatch(/^Active connections: /);
  });
});
