/** Corners that nginx's own suite has found: the way to a location without a path, names in redirects, lengths known late. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Front, freePort, get, raw } from './support.ts';

let front: Front;
let port = 0;
let back = 0;
beforeEach(async () => {
  front = new Front();
  port = await freePort();
  back = await freePort();
});
afterEach(() => front.dispose());

test('CONNECT finds the location of the root', async () => {
  front.config(`server { listen 127.0.0.1:${port}; location / { if ($request_method = CONNECT) { tunnel_pass; break; } return 200 plain; } }
    server { listen 127.0.0.1:${back}; return 200 "through the tunnel"; }`);
  await front.start();
  expect(await get(port, '/')).toMatch(/plain$/);
  const target = `127.0.0.1:${back}`;
  expect(await raw(port, `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\nGET / HTTP/1.0\r\n\r\n`)).toMatch(
    / 200 .*through the tunnel$/s,
  );
});

test('a redirect to the name with a slash escapes what a URI may not hold', async () => {
  front.config(
    `absolute_redirect off; server { listen 127.0.0.1:${port}; location "/a <b>^{c}/" { proxy_pass http://127.0.0.1:${back}; } }`,
  );
  await front.start();
  expect(await get(port, '/a%20%3Cb%3E%5E%7Bc%7D?x=1')).toMatch(/ 301 .*Location: \/a%20%3Cb%3E%5E%7Bc%7D\/\?x=1\r/s);
});

test('$content_length of a body in chunks is there once it was read, even if it was asked for before', async () => {
  front.config(`server { listen 127.0.0.1:${port}; set $early "$content_length"; location / { proxy_pass http://127.0.0.1:${back}; proxy_set_header X-Length "$early|$content_length"; } }
    server { listen 127.0.0.1:${back}; return 200 "$http_x_length"; }`);
  await front.start();
  const answer = await raw(
    port,
    'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  );
  expect(answer).toMatch(/\|3$/);
});

test('a body of unknown length is read whole for a back end that needs its length first', async () => {
  front.config(`server { listen 127.0.0.1:${port}; location / { proxy_request_buffering off; proxy_http_version 1.0; proxy_pass http://127.0.0.1:${back}; } }
    server { listen 127.0.0.1:${back}; return 200 "$content_length;"; }`);
  await front.start();
  const answer = await raw(
    port,
    'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  );
  expect(answer).toMatch(/3;/);
});

test('a large answer to a slow client is whole: its temporary file lives until it is sent', async () => {
  front.write('big.bin', Buffer.alloc(3_000_000, 'abcdefgh'));
  front.config(`server { listen 127.0.0.1:${port}; location / { limit_rate 1500k; proxy_buffers 2 4k; proxy_pass http://127.0.0.1:${back}; } }
    server { listen 127.0.0.1:${back}; }`);
  await front.start();
  const answer = await get(port, '/big.bin');
  expect(answer.length - answer.indexOf('\r\n\r\n') - 4).toBe(3_000_000);
  expect(front.read('error.log')).toMatch(/buffered to a temporary file/);
});
