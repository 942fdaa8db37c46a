/** Values of variables in logs and names in request targets: compared with nginx 1.31. */
import { expect, test } from 'vitest';
import { back, bodyOf, front, frontForEach, get, ours, port, raw, serveRaw, statusOf } from '../support/front.ts';

frontForEach();

const logLines = (): string[] => front.read('own.log').trim().split('\n');

test('logs show a dash for variables without value, but nothing for those that are empty', async () => {
  front.config(`log_format own '$uid_got|$uid_set|$uid_reset|$modern_browser|$msie|$later|$arg_|$sent_trailer_x'; access_log own.log own;
    server { listen 127.0.0.1:${port}; add_trailer X done; location / { return 200 ok; } location /set { set $later 1; return 200 ok; } }`);
  await front.start();
  await get(port, '/?=1');
  await get(port, '/set');
  await front.stop();
  expect(logLines()).toEqual(['-|-|||||-|done', '-|-||||1|-|done']);
  expect(front.read('error.log')).toContain('using uninitialized "later" variable while logging request, client: 127.0.0.1');
});

test('a connection that stays open is closed in the log, but not for the response', async () => {
  front.config(`log_format own '$sent_http_connection|$sent_http_keep_alive'; access_log own.log own; keepalive_timeout 60 60;
    server { listen 127.0.0.1:${port}; add_header X "$sent_http_connection"; location / { return 200 ok; } location /x { return 200; }
    location /used { return 200 $sent_http_keep_alive; } }`);
  await front.start();
  const plain = 'GET /x HTTP/1.1\r\nHost: a\r\n\r\n';
  const answer = await raw(port, `${plain}GET /used HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  expect(answer).toMatch(/Connection: keep-alive\r\nKeep-Alive: timeout=60\r\nX: keep-alive\r\n/);
  await front.stop();
  // a value that was used before remains
  expect(logLines()).toEqual(['keep-alive|-', 'close|-']);
});

test('a field is found by its name with underscores, too, where they are allowed', async () => {
  front.config(`server { listen 127.0.0.1:${port}; underscores_in_headers on; return 200 "$http_a_b|$http_c_d"; }`);
  await front.start();
  expect(bodyOf(await get(port, '/', 'a_b: 1\na-b: 2\nC_d: 3\n'))).toBe('1, 2|3');
});

test.skipIf(!ours)('an absolute URI has a host of letters, digits, dots and hyphens, and perhaps no path', async () => {
  front.config(`log_format own '$status|$host|$request_uri|$uri'; access_log own.log own;
    server { listen 127.0.0.1:${port}; location / { return 200 "$host|$request_uri|$uri|$args"; } location = / { proxy_pass http://127.0.0.1:${back}; } }`);
  const server = await serveRaw(back, (head, socket) => void socket.end(`HTTP/1.0 200 OK\r\n\r\n${head}`));
  await front.start();
  const ask = (target: string): Promise<string> => raw(port, `GET ${target} HTTP/1.0\r\n\r\n`);
  expect(bodyOf(await ask('http://A-b.c:8080/x'))).toBe('a-b.c|/x|/x|');
  expect(bodyOf(await ask('http://[v1.a]/x?y'))).toBe('[v1.a]|/x?y|/x|y');
  expect(bodyOf(await ask('http://b?x=1'))).toMatch(/^GET \/\?x=1 HTTP/);
  for (const host of ['a_b', 'a~b', 'a%41', 'a!', "a'", 'a#', 'u@a', '', ':80'])
    expect(statusOf(await ask(`http://${host}/`)), host).toBe(400);
  // HTTP/0.9: a body alone
  expect(await raw(port, 'GET http://a/x\r\n')).toBe('a|/x|/x|');
  expect(statusOf(await raw(port, 'GET http://a\r\n'))).toBe(400);
  await front.stop();
  server.close();
  expect(logLines()[2]).toBe('200|b|?x=1|/');
  // the path is known before the host is found to be missing
  expect(logLines()).toContain('400||/|/');
});

test('a body that arrives with the head, or fits its buffer and a quarter, stays in memory', async () => {
  front.config(`log_format own '$request_body|$request_length'; access_log own.log own; client_body_buffer_size 8;
    server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${back}; } }`);
  const server = await serveRaw(back, (_, socket) => void socket.end('HTTP/1.0 200 OK\r\n\r\n'));
  await front.start();
  const head = 'POST / HTTP/1.0\r\nHost: a\r\n';
  await raw(port, `${head}Content-Length: 20\r\n\r\n01234567890123456789`);
  await raw(port, `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n012345678\r\n0\r\n\r\n`);
  // more than the buffer of a head holds
  await raw(port, `${head}Content-Length: 2000\r\n\r\n${'x'.repeat(2000)}`);
  await front.stop();
  server.close();
  expect(logLines().map((line) => line.split('|')[0])).toEqual(['01234567890123456789', '012345678', '-']);
});
