// One table of raw requests through both listeners; allowed differences are named. The numbers are the guards of src/http/uws-guards.ts.
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canSharePort } from '../../../src/http/net-listener.ts';
import { isUws, probePort } from '../../../src/http/uws-process.ts';
import { freePort } from '../../support/free-port.ts';
import { type HttpChild, rawExchange, startHttpChild } from '../../support/http-child.ts';

const POST = 'POST /echo HTTP/1.1\r\nHost: a\r\n';

/** Node 24 and newer have no binary of uWebSockets. */
const hasUws = isUws('auto');

describe.each(hasUws ? (['uws', 'net'] as const) : (['net'] as const))('%s listener', (kind) => {
  let child: HttpChild;
  beforeAll(async () => {
    child = await startHttpChild(kind);
  });
  afterAll(async () => {
    expect(await child.stop()).toBe(0); // guard 5: neither 134 nor 139
  });
  const send = (data: string, until?: RegExp): Promise<string> => rawExchange(child.port, data, { until });

  test.each([
    [
      'two Content-Length, different',
      `${POST}Content-Length: 37\r\nContent-Length: 5\r\n\r\nhelloGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n`,
    ],
    ['two Content-Length, equal', `${POST}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello`],
    ['Content-Length and Transfer-Encoding', `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['Transfer-Encoding xchunked', `${POST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['Transfer-Encoding identity', `${POST}Transfer-Encoding: identity\r\n\r\n`],
    ['Content-Length abc', `${POST}Content-Length: abc\r\n\r\n`],
    ['Content-Length -1', `${POST}Content-Length: -1\r\n\r\n`],
    ['Content-Length of 16 digits', `${POST}Content-Length: 1000000000000000\r\n\r\n`],
    ['no Host', 'GET / HTTP/1.1\r\nX: y\r\n\r\n'],
    ['empty Host', 'GET / HTTP/1.1\r\nHost: \r\n\r\n'],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
  ])('guards 1, 2: %s is refused once, then closed', async (_name, request) => {
    const answer = await send(request);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(answer).not.toContain('smuggled');
    expect(await send('GET /alive HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toContain('GET /alive');
  });

  test('guard 3: HEAD reports the length and keeps the connection', async () => {
    const answer = await send('HEAD /x HTTP/1.1\r\nHost: a\r\n\r\nGET /second HTTP/1.1\r\nHost: a\r\n\r\n', /GET \/second/);
    expect(answer).toMatch(/content-length: 7\r\n/i);
    expect(answer).toContain('GET /second');
  });

  test('guard 3: 204 has no length and keeps the connection', async () => {
    const answer = await send('GET /no-content HTTP/1.1\r\nHost: a\r\n\r\nGET /second HTTP/1.1\r\nHost: a\r\n\r\n', /GET \/second/);
    expect(answer.split('\r\n\r\n')[0]).not.toMatch(/content-length/i);
    expect(answer).toContain('GET /second');
  });

  test('guard 4: CR and LF in a response header are refused', async () => {
    const answer = await send('GET /bad-header HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 500 /);
    expect(answer).not.toMatch(/^x-b:/im);
  });

  test('guard 6: a handler that throws causes a 500, and other requests are unaffected', async () => {
    expect(await send('GET /throw HTTP/1.1\r\nHost: a\r\n\r\n', /500/)).toMatch(/^HTTP\/1\.1 500 /);
    expect(await send('GET /alive HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toContain('GET /alive');
  });

  test.each(['/stream', '/stream-sized'])('guard 7: %s is exact for a reader that stops and starts', async (path) => {
    const total = 20_000_003;
    const socket = net.connect(child.port, '127.0.0.1');
    socket.write(`GET ${path}?${total} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    const parts: Buffer[] = [];
    let sinceStop = 0;
    socket.on('data', (chunk) => {
      parts.push(chunk);
      sinceStop += chunk.length;
      if (sinceStop > 3_000_000) {
        sinceStop = 0;
        socket.pause();
        setTimeout(() => socket.resume(), 20);
      }
    });
    await once(socket, 'close');
    const whole = Buffer.concat(parts);
    const headEnd = whole.indexOf('\r\n\r\n') + 4;
    let body: Buffer = whole.subarray(headEnd);
    if (path === '/stream') body = dechunk(body);
    expect(body.length).toBe(total);
    expect(body.every((byte, i) => byte === i % 251)).toBe(true);
  });

  test('guard 8: reads bodies whole, streamed to a slow reader, and chunked', async () => {
    const text = 'x'.repeat(700_000);
    const echo = await request(child.port, '/echo?a=%20b', text);
    expect(JSON.parse(echo.body)).toMatchObject({ method: 'POST', query: 'a=%20b', length: 700_000 });
    expect((await request(child.port, '/count?slow', Buffer.alloc(30_000_000))).body).toBe('30000000');
    // One after the other on a connection: the end of a body may come while the socket is paused.
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    for (let i = 0; i < 4; i++) expect((await request(child.port, '/count?slow', Buffer.alloc(20_000_000), agent)).body).toBe('20000000');
    agent.destroy();
    const chunked = await send(`${POST}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n`, /hello world/);
    expect(chunked).toContain('"text":"hello world"');
  });

  test('guard 8: an abort while the body arrives ends the read', async () => {
    const socket = net.connect(child.port, '127.0.0.1');
    socket.write(`${POST}Content-Length: 100\r\n\r\nhalf`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    expect(await send('GET /alive HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toContain('GET /alive');
  });

  test('guard 9: answers 413 at once by Content-Length, and during a chunked body', async () => {
    expect(await send('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 50000001\r\n\r\n')).toMatch(/^HTTP\/1\.1 413 /);
    expect(await send('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000001\r\n\r\n', /413/)).toMatch(/^HTTP\/1\.1 413 /);
    const chunk = `10000\r\n${'y'.repeat(0x10000)}\r\n`.repeat(16);
    expect(await send(`${POST}Transfer-Encoding: chunked\r\n\r\n${chunk}`)).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('guard 11: Connection: close is answered with the header', async () => {
    expect(await send('GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toMatch(/\r\nconnection: close\r\n/i);
  });

  test('guard 13: methods keep their case, and there is one Date', async () => {
    expect(await send('get /x HTTP/1.1\r\nHost: a\r\n\r\n', /\/x/)).toContain('get /x');
    const answer = await send('PURGE /x HTTP/1.1\r\nHost: a\r\n\r\n', /\/x/);
    expect(answer).toContain('PURGE /x');
    expect((answer.match(/^date:/gim) ?? []).length).toBeLessThanOrEqual(1);
  });

  test('a reply before the body is read leaves the connection in order', async () => {
    const body = 'z'.repeat(300_000);
    const answer = await send(`POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`, /early/);
    expect(answer).toContain('early');
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    for (let i = 0; i < 3; i++) expect((await request(child.port, '/unread', body, agent)).body).toBe('early');
    agent.destroy();
  });

  test('a header sent twice is joined; 40 headers arrive', async () => {
    const many = Array.from({ length: 40 }, (_, i) => `x-${i}: ${i}\r\n`).join('');
    const answer = await send(`GET /echo HTTP/1.1\r\nHost: a\r\nAccept: a\r\nAccept: b\r\n${many}Connection: close\r\n\r\n`);
    expect(answer).toContain('"accept":"a, b"');
    expect(answer).toContain('"x-39":"39"');
  });

  test('the handler learns that the client has disconnected', async () => {
    const socket = net.connect(child.port, '127.0.0.1');
    socket.write('GET /abort HTTP/1.1\r\nHost: a\r\n\r\n');
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    await child.line('aborted');
  });
});

test.skipIf(!hasUws)('guard 5: draining responds with 503 and Connection: close, and waits for requests in flight', async () => {
  const child = await startHttpChild('uws');
  child.process.stdin!.write('drain\n');
  await child.line('drained');
  const answer = await rawExchange(child.port, 'GET /x HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 503 /);
  expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  expect(await child.stop()).toBe(0);
});

describe('the net listener', () => {
  let child: HttpChild;
  beforeAll(async () => {
    child = await startHttpChild('net');
  });
  afterAll(async () => {
    expect(await child.stop()).toBe(0);
  });
  const send = (data: string, until?: RegExp): Promise<string> => rawExchange(child.port, data, { until });

  test('HTTP/1.0 closes unless keep-alive is requested, and needs no Host', async () => {
    const closed = await send('GET /x HTTP/1.0\r\n\r\n');
    expect(closed).toMatch(/^HTTP\/1\.1 200 .*\r\nconnection: close\r\ncontent-length: 6\r\n\r\nGET \/x$/s);
    const kept = await send('GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /second HTTP/1.0\r\n\r\n', /GET \/second/);
    expect(kept).toMatch(/connection: keep-alive\r\n.*GET \/x.*connection: close\r\n.*GET \/second$/s);
  });

  test('a stream for HTTP/1.0 has no chunks and ends with the connection', async () => {
    const [head, body] = (await send('GET /stream?10 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')).split('\r\n\r\n');
    expect(head).not.toMatch(/transfer-encoding/i);
    expect(head).toMatch(/connection: close/i);
    expect(body).toHaveLength(10);
  });

  test('HEAD of a stream has the framing of GET and no body', async () => {
    const answer = await send(
      'HEAD /stream-sized?10 HTTP/1.1\r\nHost: a\r\n\r\nHEAD /stream?10 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );
    const [sized, chunked, rest] = answer.split('\r\n\r\n');
    expect(sized).toMatch(/content-length: 10/);
    expect(chunked).toMatch(/transfer-encoding: chunked/);
    expect(rest).toBe('');
  });

  test('pipelined requests are answered in order, however they are split', async () => {
    const requests = Array.from({ length: 40 }, (_, n) =>
      n % 2
        ? `GET /${n} HTTP/1.1\r\nHost: a\r\n\r\n`
        : `POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n${String(n).padStart(2, '0')}`,
    ).join('');
    for (const size of [1, 7, 61, requests.length]) {
      const socket = net.connect(child.port, '127.0.0.1');
      let answer = '';
      socket.on('data', (chunk) => (answer += chunk));
      socket.setNoDelay(true);
      for (let at = 0; at < requests.length; at += size) {
        socket.write(requests.slice(at, at + size));
        if (size < 61 && at % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      while (!answer.includes('GET /39')) await once(socket, 'data');
      socket.destroy();
      const order = [...answer.matchAll(/"text":"(\d\d)"|GET \/(\d+)/g)].map((m) => Number(m[1] ?? m[2]));
      expect(order).toEqual(Array.from({ length: 40 }, (_, n) => n));
    }
  });

  test('100-continue is sent before the body is read', async () => {
    const socket = net.connect(child.port, '127.0.0.1');
    socket.write(`${POST}Content-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`);
    const [interim] = (await once(socket, 'data')) as [Buffer];
    expect(interim.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write('ok');
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    expect(answer).toContain('"text":"ok"');
  });

  test.each([
    ['a bare LF in the head', 'GET / HTTP/1.1\nHost: a\r\n\r\n'],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n'],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost: a\r\nX : b\r\n\r\n'],
    ['HTTP/0.9', 'GET /\r\n\r\n'],
    ['CONNECT', 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a chunk that ends in a bare LF', `${POST}Transfer-Encoding: chunked\r\n\r\n2\nok\r\n0\r\n\r\n`],
    ['chunked in HTTP/1.0', 'POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ])('refuses %s', async (_name, request) => {
    expect(await send(request)).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('refuses HTTP/2.0 and heads above the limit', async () => {
    expect(await send('GET / HTTP/2.0\r\nHost: a\r\n\r\n')).toMatch(/^HTTP\/1\.1 505 /);
    expect(await send(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
    expect(await send(`GET /${'y'.repeat(20_000)}`)).toMatch(/^HTTP\/1\.1 431 /);
  });
});

test('several threads share the port of the net listener where Node offers SO_REUSEPORT', () => {
  expect(isUws('net')).toBe(false);
  expect(isUws('uws')).toBe(true);
  expect(['20.20.2', '22.11.0', '22.12.0', '23.0.0', '24.1.0'].map((version) => canSharePort(version, 'linux'))).toEqual([
    ...[false, false, true, false, true],
  ]);
  expect(canSharePort('24.1.0', 'darwin')).toBe(false);
});

test('guard 12: a port in use is found before listening', async () => {
  const port = await freePort();
  const other = net.createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  await expect(probePort('127.0.0.1', port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  other.close();
  await once(other, 'close');
  expect(await probePort('127.0.0.1', port)).toBe(port);
  expect(await probePort('127.0.0.1', 0)).toBeGreaterThan(0);
});

test.skipIf(!hasUws)('the private members of hyper-express that the guards use exist', async () => {
  const { missingPrivateMembers } = await import('../../../src/http/uws-guards.ts');
  expect(missingPrivateMembers()).toEqual([]);
});

async function request(port: number, path: string, body: string | Buffer, agent?: http.Agent): Promise<{ status: number; body: string }> {
  const outgoing = http.request({
    host: '127.0.0.1',
    port,
    path,
    method: 'POST',
    agent,
    headers: { 'content-length': Buffer.byteLength(body) },
  });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [http.IncomingMessage];
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode ?? 0, body: text };
}

function dechunk(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (size === 0) return Buffer.concat(parts);
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
