/** Header fields of back ends: X-Accel-Redirect, Set-Cookie, Location; and the URIs and hosts that requests carry. */

import type { Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { back, bodyOf, front, frontForEach, get, headerOf, ours, port, raw, serveRaw, statusOf } from '../support/front.ts';

frontForEach();
let server: Server | undefined;
afterEach(() => server?.close());

test('X-Accel-Redirect accepts any URI without a segment .., and keeps fields and variables of the response', async () => {
  server = await serveRaw(back, (text, socket) => {
    if (!text.includes('\r\n\r\n')) return;
    const target = decodeURIComponent(/^GET \/\?(\S*)/.exec(text)?.[1] ?? '');
    socket.end(
      `HTTP/1.0 200 OK\r\nX-Accel-Redirect: ${target}\r\nX-Kind: kept\r\nX-Lost: 1\r\nSet-Cookie: a=b\r\nContent-Type: text/own\r\n\r\nbody`,
    );
  });
  front.config(
    `server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${back}; }
       location /in/ { internal; add_header X-Seen "$upstream_http_x_kind $upstream_cookie_a"; return 200 "$uri|$args"; }
       location @name { return 200 "named $upstream_http_x_kind"; } }`,
  );
  await front.start();
  const ask = (target: string) => get(port, `/?${encodeURIComponent(target)}`);
  const kept = await ask('/in/a%20b?c=%20');
  expect(bodyOf(kept)).toBe('/in/a b|c=%20');
  expect(['X-Seen', 'Set-Cookie', 'X-Lost'].map((name) => headerOf(kept, name))).toEqual(['kept b', 'a=b', undefined]);
  expect(bodyOf(await ask('@name'))).toBe('named kept');
  for (const unsafe of ['/in/../x', '/in/%2e%2e/x', '/in/..', '..', '?x'])
    expect([unsafe, statusOf(await ask(unsafe))]).toEqual([unsafe, 404]);
  expect(front.read('error.log')).toContain('unsafe URI "/in/%2e%2e/x" was detected');
});

test.skipIf(!ours)('a Host field may contain the characters of a host name, or an address in brackets', async () => {
  front.config(`server { listen 127.0.0.1:${port}; return 200 $host; }`);
  await front.start();
  const ask = async (host: string) => {
    const answer = await raw(port, `GET / HTTP/1.0\nHost: ${host}\n\n`);
    return statusOf(answer) === 200 ? bodyOf(answer) : statusOf(answer);
  };
  const valid = { 'Up.Example.': 'up.example', "a!$&'()*+,;=~%41_": "a!$&'()*+,;=~%41_", '[::1]:80': '[::1]', 'x:': 'x' };
  for (const [text, host] of Object.entries(valid)) expect([text, await ask(text)]).toEqual([text, host]);
  for (const text of ['a@b', 'a"b', 'a..', '[::1', 'a:b', 'x:65536', '\xe9', '', '.']) expect([text, await ask(text)]).toEqual([text, 400]);
});

test('Set-Cookie is rewritten attribute by attribute, and stays unchanged where no rule applies', async () => {
  const cookies = [
    'one=1; Domain=.example.org; Path=/two/x',
    'one=1; Domain = www.example.org ; Path = /other',
    'two=2; secure; Secure; SameSite=None',
    'two=2; httponly; samesite=strict; Path=/two/',
    'three=3;Path=/x',
    'novalue; Path=/two/',
  ];
  server = await serveRaw(back, (text, socket) => {
    if (text.includes('\r\n\r\n')) socket.end(`HTTP/1.0 200 OK\r\n${cookies.map((cookie) => `Set-Cookie: ${cookie}\r\n`).join('')}\r\n`);
  });
  front.config(
    `server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${back}; proxy_cookie_path /two/ /2/;
       proxy_cookie_domain www.example.org new.example; proxy_cookie_flags one secure; proxy_cookie_flags ~^TWO nosecure httponly samesite=strict; } }`,
  );
  await front.start();
  expect([...(await get(port, '/')).matchAll(/^Set-Cookie: (.*)\r$/gm)].map((m) => m[1])).toEqual([
    'one=1; Domain=.example.org; Path=/2/x; Secure',
    'one=1; Domain=new.example; Path=/other; Secure',
    'two=2; SameSite=Strict; HttpOnly',
    'two=2; httponly; samesite=strict; Path=/2/',
    'three=3;Path=/x',
    'novalue; Path=/two/',
  ]);
});

test('after rewrite ... break the whole new URI is requested, without the URI of proxy_pass', async () => {
  server = await serveRaw(back, (text, socket) => {
    if (text.includes('\r\n\r\n')) socket.end(`HTTP/1.0 200 OK\r\nLocation: http://127.0.0.1:${back}\r\n\r\n${text.split(' ')[1]}`);
  });
  front.config(
    `server { listen 127.0.0.1:${port};
       location /a/ { rewrite ^/a/(.*) /new/$1 break; proxy_pass http://127.0.0.1:${back}/base/; }
       location /b/ { rewrite ^/b/stay/(.*) /new/$1 break; proxy_pass http://127.0.0.1:${back}/base/; }
       location /c/ { proxy_pass http://127.0.0.1:${back}; } }`,
  );
  await front.start();
  expect(bodyOf(await get(port, '/a/x%20y?z'))).toBe('/new/x%20y?z');
  expect(bodyOf(await get(port, '/b/stay/x'))).toBe('/new/x');
  expect(bodyOf(await get(port, '/b/other'))).toBe('/base/other');
  expect(headerOf(await get(port, '/c/x'), 'Location')).toBe(`http://127.0.0.1:${back}`);
});

test('log lines about the header of a response name the back end, also after X-Accel-Redirect', async () => {
  const heads: Record<string, string> = {
    '/named': 'X-Accel-Redirect: @none',
    '/unsafe': 'X-Accel-Redirect: /../x',
    '/loop': 'X-Accel-Redirect: /loop',
    '/file': 'X-Accel-Redirect: /files/none',
    '/charset': 'Content-Type: text/plain; charset=koi8-r\r\nX-Accel-Charset: other',
    '/twice': 'Content-Type: a/b\r\nContent-Type: c/d\r\nX-Accel-Buffering: no\r\nX-Accel-Buffering: yes',
    '/space': 'Bad Name: x',
    '/nul': 'X-Name: a\0b',
  };
  server = await serveRaw(back, (text, socket) => {
    if (text.includes('\r\n\r\n')) socket.end(`HTTP/1.0 200 OK\r\n${heads[text.split(' ')[1]]}\r\n\r\nbody`, 'latin1');
  });
  front.config(
    `server { listen 127.0.0.1:${port}; server_name example; charset utf-8; override_charset on; location / { proxy_pass http://127.0.0.1:${back}; }
       location /files/ { } }`,
  );
  await front.start();
  for (const uri of Object.keys(heads)) await get(port, uri);
  const log = front.read('error.log');
  const reading = ' while reading response header from upstream';
  const expected: [uri: string, message: string][] = [
    ['/named', `could not find named location "@none"${reading}`],
    ['/unsafe', `unsafe URI "/../x" was detected${reading}`],
    ['/loop', `rewrite or internal redirection cycle while internally redirecting to "/loop"${reading}`],
    ['/file', `open() "${front.folder}/files/none" failed (2: No such file or directory)`],
    ['/charset', `unknown charset "other" to override${reading}`],
    ['/twice', `upstream sent duplicate header line: "Content-Type: c/d", previous value: "Content-Type: a/b", ignored${reading}`],
    ['/space', `upstream sent invalid header: "Bad\\x20..."${reading}`],
    ['/nul', `upstream sent invalid header: "X-Name: a\\x00..."${reading}`],
  ];
  for (const [uri, message] of expected)
    expect(log).toContain(
      `${message}, client: 127.0.0.1, server: example, request: "GET ${uri} HTTP/1.0", upstream: "http://127.0.0.1:${back}${uri}", host: "localhost"`,
    );
  expect(log.match(/duplicate header line/g)).toHaveLength(1);
});

test('a parameter HTTP_... without a value removes a field of the request; others are sent empty', async () => {
  server = await serveRaw(back, (text, socket) => {
    if (text.endsWith(',')) socket.end(`Status: 200\r\n\r\n${text.replaceAll('\0', '|')}`);
  });
  front.config(
    `server { listen 127.0.0.1:${port}; location / { scgi_param HTTP_PROXY ""; scgi_param HTTP_NONE $arg_none; scgi_param OTHER "";
       scgi_pass 127.0.0.1:${back}; } }`,
  );
  await front.start();
  const answer = bodyOf(await get(port, '/', 'Proxy: http://evil.example\nNone: 1\nX-Kept: 1\n'));
  expect(answer).toContain('|HTTP_NONE||OTHER||');
  expect(answer).toContain('|HTTP_X_KEPT|1|');
  expect(answer).not.toMatch(/HTTP_PROXY|evil/);
});
