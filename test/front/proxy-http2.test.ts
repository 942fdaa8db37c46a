/** `proxy_http_version 2`: an HTTP/2 back end behind proxy_pass. */
import http2, { type Http2Server, type IncomingHttpHeaders, type ServerHttp2Session } from 'node:http2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { bodyOf, Front, get, headerOf, ours, raw, statusOf } from '../support/front.ts';

const front = new Front();
let port = 0;
let server: Http2Server;
const sessions: ServerHttp2Session[] = [];

/** Returns the received request, in the form that the path selects. */
function answer(stream: http2.ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  let body = '';
  stream.on('error', () => {});
  stream.on('data', (data) => (body += data));
  stream.on('end', () => {
    const path = String(headers[':path']);
    if (path === '/reset') return stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
    if (path === '/redirect')
      return stream.respond({ ':status': 302, location: `http://${headers[':authority']}/there` }, { endStream: true });
    if (path === '/cached') stream.respond({ ':status': 200, 'cache-control': 'max-age=100', 'x-count': String(sessions.length) });
    else stream.respond({ ':status': 200, 'content-type': 'text/plain' });
    if (headers[':method'] === 'HEAD') return stream.end();
    const shown = [':method', ':path', ':authority', ':scheme', 'content-length', 'x-a', 'x-set', 'connection', 'te']
      .filter((name) => headers[name] !== undefined)
      .map((name) => `${name}=${headers[name]}`);
    stream.end(path === '/big' ? 'b'.repeat(500_000) : `${shown.join(' ')} body=${body}`);
  });
  stream.resume();
}

beforeAll(async () => {
  const [at, dead] = [await freePort(), await freePort()];
  port = await freePort();
  server = http2.createServer();
  server.on('session', (session) => {
    sessions.push(session);
    session.on('error', () => {});
  });
  server.on('stream', answer);
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  front.config(`
    proxy_cache_path cache keys_zone=c:1m;
    upstream pool { server 127.0.0.1:${at}; keepalive 4; }
    upstream spare { server 127.0.0.1:${dead}; server 127.0.0.1:${at}; }
    server { listen 127.0.0.1:${port}; proxy_http_version 2;
      location / { proxy_pass http://pool; proxy_set_header X-Set $arg_s; proxy_set_header Connection close; }
      location /stream { proxy_pass http://pool/; proxy_request_buffering off; proxy_set_header Host named.test; }
      location /own { proxy_pass http://pool; proxy_set_body "own $uri"; proxy_method PUT; }
      location /next { proxy_pass http://spare/next; }
      location /cached { proxy_pass http://pool; proxy_cache c; add_header X-C $upstream_cache_status; }
    }`);
  if (ours) await front.start();
});
afterAll(async () => {
  await front.dispose();
  for (const session of sessions) session.destroy();
  server.close();
});

const ask = (text: string) => raw(port, text);

describe.skipIf(!ours)('proxy_http_version 2', () => {
  test('sends the request as HTTP/2 without the fields of a connection', async () => {
    const reply = await get(port, '/x?s=1', 'X-A: 1\nX-A: 2\nConnection: keep-alive\nTE: trailers\n');
    expect(statusOf(reply)).toBe(200);
    expect(bodyOf(reply)).toBe(':method=GET :path=/x?s=1 :authority=pool :scheme=http x-a=1, 2 x-set=1 body=');
  });

  test('passes bodies of known and unknown length', async () => {
    const known = await ask('POST /p HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello');
    expect(bodyOf(known)).toContain('content-length=5 body=hello');
    const chunked = await ask(
      'POST /stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    );
    expect(bodyOf(chunked)).toContain(':authority=named.test');
    expect(bodyOf(chunked)).toContain('body=abc');
    expect(bodyOf(await get(port, '/own'))).toContain(':method=PUT :path=/own :authority=pool :scheme=http content-length=8 body=own /own');
  });

  test('handles HEAD, redirects, large responses and caching as over HTTP/1.1', async () => {
    expect(statusOf(await ask('HEAD /h HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'))).toBe(200);
    expect(headerOf(await get(port, '/redirect'), 'Location')).toMatch(/\/there$/);
    expect(bodyOf(await get(port, '/big')).length).toBe(500_000);
    expect(headerOf(await get(port, '/cached'), 'X-C')).toBe('MISS');
    expect(headerOf(await get(port, '/cached'), 'X-C')).toBe('HIT');
  });

  test('answers 502 for a reset stream, skips a dead peer, and keeps connections', async () => {
    const before = sessions.length;
    expect(statusOf(await get(port, '/reset'))).toBe(502);
    expect(statusOf(await get(port, '/next'))).toBe(200);
    for (let n = 0; n < 5; n++) expect(statusOf(await get(port, '/k'))).toBe(200);
    expect(sessions.length).toBeLessThanOrEqual(before + 3);
  });
});
