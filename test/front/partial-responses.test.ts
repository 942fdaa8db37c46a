/** Responses that are assembled, decoded or fetched in parts: slices, gunzip of damaged bodies, copies of requests, locks of the cache. */

import type { Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { back, bodyOf, front, frontForEach, get, headerOf, port, raw, serveRaw, statusOf } from '../support/front.ts';

frontForEach();
let servers: Server[] = [];
afterEach(() => {
  for (const server of servers) server.close();
  servers = [];
});

const serve = async (at: number, handler: Parameters<typeof serveRaw>[1]) => servers.push(await serveRaw(at, handler));

test('a sliced response begins with the slice that holds the requested start', async () => {
  front.write('whole', '0123456789abcdef0');
  front.config(`log_format ranges '$http_range';
    server { listen 127.0.0.1:${back}; location / { root ${front.folder}; access_log ${front.folder}/ranges.log ranges; } }
    server { listen 127.0.0.1:${port}; location / { slice 4; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:${back}; } }`);
  await front.start();
  const ask = async (headers: string) => {
    const before = front.read('ranges.log').length;
    const answer = await get(port, '/whole', headers);
    const first = front.read('ranges.log').slice(before).split('\n', 1)[0];
    return [statusOf(answer), first, bodyOf(answer)];
  };
  expect(await ask('Range: bytes=9-10\n')).toEqual([206, 'bytes=8-11', '9a']);
  expect(await ask('Range: bytes= 9-10\n')).toEqual([206, 'bytes=8-11', '9a']);
  // A condition may not hold, so that the whole is sent; of several ranges any may come first.
  expect(await ask('If-Range: "other"\nRange: bytes=9-10\n')).toEqual([200, 'bytes=0-3', '0123456789abcdef0']);
  expect(await ask('Range: bytes=9-10,0-1\n')).toEqual([200, 'bytes=0-3', '0123456789abcdef0']);
  expect(await ask('Range: bytes=-2\n')).toEqual([206, 'bytes=0-3', 'f0']);
});

test('further slices are requested in the same location, with the same method and rewritten URI', async () => {
  front.write('whole', '0123456789abcdef0');
  front.config(`log_format seen '$request $http_range $http_x_own'; log_format range '[$slice_range]';
    server { listen 127.0.0.1:${back}; location / { root ${front.folder}; error_page 405 =200 $uri; access_log ${front.folder}/seen.log seen; } }
    server { listen 127.0.0.1:${port};
      location /short/ { rewrite ^/short/(.*) /$1 break; slice 8; proxy_set_header Range $slice_range; proxy_set_header X-Own $1; proxy_http_version 1.0;
        proxy_pass http://127.0.0.1:${back}; access_log ${front.folder}/range.log range; }
      location / { return 500; } }`);
  await front.start();
  expect(bodyOf(await get(port, '/short/whole'))).toBe('0123456789abcdef0');
  expect(front.read('seen.log')).toBe(
    ['bytes=0-7', 'bytes=8-15', 'bytes=16-23'].map((range) => `GET /whole HTTP/1.0 ${range} whole\n`).join(''),
  );
  expect(front.read('range.log')).toBe('[-]\n');
  await raw(port, 'POST /short/whole HTTP/1.0\nHost: x\nContent-Length: 0\n\n');
  expect(front.read('seen.log').split('\n')[3]).toMatch(/^POST /);
});

test('an error page does not carry the date of the response that it replaces', async () => {
  await serve(back, (text, socket) => {
    if (text.includes('\r\n\r\n'))
      socket.end(
        'HTTP/1.1 200 OK\r\nLast-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\nContent-Length: 5\r\nAccept-Ranges: bytes\r\n\r\nwhole',
      );
  });
  front.config(`server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${back}; proxy_force_ranges on; } }`);
  await front.start();
  expect(headerOf(await get(port, '/'), 'Last-Modified')).toBe('Mon, 01 Jan 2024 00:00:00 GMT');
  const answer = await get(port, '/', 'Range: bytes=9-\n');
  expect([statusOf(answer), headerOf(answer, 'Content-Range'), headerOf(answer, 'Last-Modified')]).toEqual([416, 'bytes */5', undefined]);
});

test('a gzip body that ends early is not given a proper end', async () => {
  const whole = gzipSync('gzipped text '.repeat(40)).toString('latin1');
  const bodies: Record<string, string> = {
    whole,
    cut: whole.slice(0, 30),
    trailer: whole.slice(0, -3),
    empty: '',
    junk: `${whole}junk`,
    twice: whole + whole,
  };
  await serve(back, (text, socket) => {
    const name = /^GET \/(\w+).*\r\n\r\n/s.exec(text)?.[1];
    if (name)
      socket.end(
        Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bodies[name].length}\r\n\r\n${bodies[name]}`, 'latin1'),
      );
  });
  front.config(`server { listen 127.0.0.1:${port}; gunzip on; location / { proxy_pass http://127.0.0.1:${back}; } }`);
  await front.start();
  const ask = (name: string) => raw(port, `GET /${name} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  const isWhole = async (name: string) => (await ask(name)).endsWith('\r\n0\r\n\r\n');
  expect(await isWhole('whole')).toBe(true);
  expect(await isWhole('twice')).toBe(true);
  for (const name of ['cut', 'trailer', 'empty', 'junk']) expect([name, await isWhole(name)]).toEqual([name, false]);
  expect(bodyOf(await ask('cut'))).toContain('gzipped');
  expect(front.read('error.log')).toMatch(/\[error\].* inflate\(\) returned -5 on response end/);
  expect(front.read('error.log')).toMatch(/\[error\].* inflate\(\) failed: \d, -3/);
});

test('mirror_request_body off keeps the body from the copy', async () => {
  const copies: string[] = [];
  await serve(back, (text, socket) => {
    if (!text.includes('\r\n\r\n')) return;
    const isCopy = text.startsWith('POST /copy');
    if (!isCopy && !text.endsWith('body')) return;
    if (isCopy) copies.push(text);
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  });
  front.config(`server { listen 127.0.0.1:${port};
    location / { mirror /copy; mirror_request_body off; proxy_pass http://127.0.0.1:${back}; }
    location = /copy { internal; proxy_pass_request_body off; proxy_set_header Content-Length ""; proxy_pass http://127.0.0.1:${back}; } }`);
  await front.start();
  expect(bodyOf(await raw(port, 'POST / HTTP/1.0\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody'))).toBe('ok');
  await front.until(() => copies.length === 1);
  expect(copies[0]).not.toMatch(/content-length|transfer-encoding/i);
  expect(copies[0].slice(copies[0].indexOf('\r\n\r\n') + 4)).toBe('');
});

test('a request for the header alone gives the lock of the cache back', async () => {
  await serve(back, (text, socket) => {
    if (text.includes('\r\n\r\n')) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nunstored');
  });
  front.config(`proxy_cache_path cache keys_zone=kept:1m;
    server { listen 127.0.0.1:${port}; location / { proxy_cache kept; proxy_cache_lock on; proxy_cache_lock_age 1h; proxy_cache_lock_timeout 1h;
      proxy_pass http://127.0.0.1:${back}; } }`);
  await front.start();
  expect(statusOf(await raw(port, 'HEAD / HTTP/1.0\r\nHost: x\r\n\r\n'))).toBe(200);
  expect(bodyOf(await get(port, '/'))).toBe('unstored');
});

test('upstream_cache_etag and upstream_cache_last_modified are set while an expired entry is revalidated', async () => {
  const seen: string[] = [];
  await serve(back, (text, socket) => {
    if (!text.includes('\r\n\r\n')) return;
    seen.push(/^X-Valid: (.*)\r$/m.exec(text)![1]);
    socket.end(
      'HTTP/1.1 200 OK\r\nETag: "tag"\r\nLast-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\nCache-Control: max-age=1\r\nContent-Length: 2\r\n\r\nok',
    );
  });
  front.config(`proxy_cache_path cache keys_zone=kept:1m;
    server { listen 127.0.0.1:${port}; location / { proxy_cache kept; proxy_cache_revalidate on; proxy_pass http://127.0.0.1:${back};
      proxy_set_header X-Valid "$upstream_cache_etag|$upstream_cache_last_modified"; add_header X-Cache $upstream_cache_status; } }`);
  await front.start();
  await get(port, '/');
  let status = '';
  while (status !== 'EXPIRED') status = headerOf(await get(port, '/'), 'X-Cache')!;
  expect(seen).toEqual(['|', '"tag"|Mon, 01 Jan 2024 00:00:00 GMT']);
});

test('msie_refresh replaces redirects of error_page, too', async () => {
  front.config(`server { listen 127.0.0.1:${port}; msie_refresh on; error_page 404 = http://other.test/; location /x { return 404; } }`);
  await front.start();
  const old = await get(port, '/x', 'User-Agent: Mozilla/4.0 (compatible; MSIE 6.0)\n');
  expect([statusOf(old), headerOf(old, 'Location')]).toEqual([200, undefined]);
  expect(bodyOf(old)).toContain('URL=http://other.test/"');
  expect(statusOf(await get(port, '/x'))).toBe(302);
});

test('a request of HTTP/1.1 without Host gets the error page of the server without a name', async () => {
  front.config(`server { listen 127.0.0.1:${port}; server_name localhost; }
    server { listen 127.0.0.1:${port}; server_name ""; error_page 400 /page; location = /page { return 200 unnamed; } }`);
  await front.start();
  const answer = await raw(port, 'GET / HTTP/1.1\r\n\r\n');
  expect([statusOf(answer), bodyOf(answer)]).toEqual([400, 'unnamed']);
});

test('log lines of requests that cannot be read have no method and no URI', async () => {
  front.config(`log_format parts '$request|$request_method|$request_uri|$request_length|$status|$http_|$arg_';
    server { listen 127.0.0.1:${port}; access_log ${front.folder}/parts.log parts; return 200; }`);
  await front.start();
  await raw(port, 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n');
  await raw(port, 'GET /%00 HTTP/1.1\r\nHost: x\r\n\r\n');
  await front.stop();
  expect(front.read('parts.log')).toBe('OPTIONS * HTTP/1.1|-|-|0|400|-|-\nGET /%00 HTTP/1.1|GET|-|19|400|-|-\n');
});
