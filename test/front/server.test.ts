/** The built server end to end: responses, logs, reload and graceful shutdown. */
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { back, front, frontForEach, get, port, raw } from '../support/front.ts';

frontForEach();

const serve = async (inner: string, http = '') => {
  front.config(`${http} server { listen 127.0.0.1:${port}; server_name localhost; ${inner} }`);
  await front.start();
};

describe('front', () => {
  test('serves static files with type, validators, ranges and conditions', async () => {
    front.write('a.html', 'hello world');
    await serve('');
    const whole = await get(port, '/a.html');
    expect(whole).toMatch(/^HTTP\/1\.1 200 OK\r\nServer: nginx.*Content-Type: text\/html\r\nContent-Length: 11\r\n.*\r\n\r\nhello world$/s);
    const etag = /ETag: (.*)\r/.exec(whole)![1];
    expect(await get(port, '/a.html', `If-None-Match: ${etag}\n`)).toMatch(/^HTTP\/1\.1 304 /);
    expect(await get(port, '/a.html', 'Range: bytes=6-\n')).toMatch(/206 Partial.*Content-Range: bytes 6-10\/11.*\r\n\r\nworld$/s);
    expect(await get(port, '/a.html', 'Range: bytes=0-1,-2\n')).toMatch(
      /multipart\/byteranges.*bytes 0-1\/11\r\n\r\nhe\r\n.*bytes 9-10\/11\r\n\r\nld/s,
    );
    expect(await get(port, '/a.html', 'Range: bytes=20-\n')).toMatch(/^HTTP\/1\.1 416 /);
    expect(await get(port, '/none')).toMatch(/^HTTP\/1\.1 404 /);
    expect(await get(port, '/../etc/passwd')).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('supports pipelining, chunked bodies and keep-alive on one connection', async () => {
    await serve(
      `proxy_ignore_client_abort on; location / { client_body_buffer_size 1k; proxy_pass http://127.0.0.1:${back}; }`,
      `server { listen 127.0.0.1:${back}; return 200 "$request_method $uri $content_length;"; }`,
    );
    const answer = await raw(
      port,
      'POST /one HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nGET /two HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/POST \/one 3;.*GET \/two ;/s);
    // the client may have closed its side by then; an incomplete request is not answered
    const half = (text: string) =>
      new Promise<string>((resolve) => {
        let out = '';
        const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.end(text));
        socket.on('data', (data) => (out += data)).on('close', () => resolve(out));
      });
    const line = (uri: string) => `GET ${uri} HTTP/1.1\r\nHost: x\r\n`;
    expect(await half(`${line('/three')}\r\n${line('/four')}\r\n`)).toMatch(/GET \/three ;.*GET \/four ;$/s);
    expect(await half(`${line('/five')}\r\n${line('/six')}`)).toMatch(/GET \/five ;$/);
  });

  test.each([
    ['both framings', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc'],
    ['two hosts', 'GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n'],
    ['no host', 'GET / HTTP/1.1\r\n\r\n'],
    ['space in a name', 'GET / HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n'],
    ['negative length', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    ['a body with 1.0 chunks', 'POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ])('ambiguous requests are refused: %s', async (_, text) => {
    await serve('return 200 ok;');
    expect(await raw(port, text)).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('supports rewrite, named locations, error pages and variables', async () => {
    front.write('sorry.html', 'sorry');
    await serve(`
      location /old { rewrite ^/old/(.*)$ /new/$1?from=old last; }
      location /new { return 200 "$uri $arg_from $args"; }
      location /gone { error_page 410 = @gone; return 410; }
      location @gone { return 203 "named"; }
      location /err { error_page 404 /sorry.html; }
      location /if { if ($arg_a = 1) { return 200 one; } return 200 other; }
      location /unset { if ($arg_v) { set $unset x; } return 200 "[$unset]"; }
      location ~ ^/re/(?<id>\\d+) { return 200 "id $id"; }`);
    expect(await get(port, '/old/x?y=1')).toMatch(/\/new\/x old from=old&y=1$/);
    expect(await get(port, '/gone')).toMatch(/ 203 .*named$/s);
    expect(await get(port, '/err')).toMatch(/^HTTP\/1\.1 404 .*sorry$/s);
    expect(await get(port, '/if?a=1')).toMatch(/one$/);
    expect(await get(port, '/if')).toMatch(/other$/);
    expect(await get(port, '/re/42')).toMatch(/id 42$/);
    expect(await get(port, '/unset')).toMatch(/\[\]$/);
    expect(front.read('error.log')).toMatch(/\[warn\].*using uninitialized "unset" variable/);
  });

  test('a failing peer is passed over, and the log names both', async () => {
    const dead = await freePort();
    await serve(
      'location / { proxy_pass http://u; add_header X-Tries $upstream_status; }',
      `upstream u { server 127.0.0.1:${dead}; server 127.0.0.1:${back}; } server { listen 127.0.0.1:${back}; return 200 alive; }`,
    );
    expect(await get(port, '/')).toMatch(/X-Tries: (502, )?200.*alive$/s);
    expect(await get(port, '/')).toMatch(/alive$/);
  });

  test('caches responses, by Vary, and revalidates expired ones', async () => {
    await serve(
      'location / { proxy_cache c; proxy_cache_valid 1h; proxy_pass http://127.0.0.1:' +
        back +
        '; add_header X-Cache $upstream_cache_status; }',
      `proxy_cache_path cache keys_zone=c:1m levels=1:2;
       server { listen 127.0.0.1:${back}; location / { add_header Vary Accept; return 200 "$request_id $http_accept"; } location /private { add_header Cache-Control private; return 200 $request_id; } }`,
    );
    const first = await get(port, '/a', 'Accept: x\n');
    expect(first).toMatch(/X-Cache: MISS/);
    const second = await get(port, '/a', 'Accept: x\n');
    expect(second).toMatch(/X-Cache: HIT/);
    expect(second.split('\r\n\r\n')[1]).toBe(first.split('\r\n\r\n')[1]);
    expect(await get(port, '/a', 'Accept: y\n')).toMatch(/X-Cache: MISS/);
    expect(await get(port, '/private')).toMatch(/X-Cache: MISS/);
    expect(await get(port, '/private')).toMatch(/X-Cache: MISS/);
  });

  test('gzip, ssi and sub_filter process responses of a back end', async () => {
    front.write('part.html', '<i>part</i>');
    front.write('page.html', `<!--#include virtual="/part.html" --> ${'text '.repeat(50)}`);
    await serve('location / { ssi on; gzip on; gzip_http_version 1.0; gzip_min_length 0; sub_filter "<i>" "<b>"; sub_filter_once off; }');
    expect(await get(port, '/page.html')).toMatch(/<b>part<\/i> text text/);
    const packed = Buffer.from(await get(port, '/page.html', 'Accept-Encoding: gzip\n'), 'latin1');
    expect(packed.toString('latin1')).toMatch(/Content-Encoding: gzip/);
    expect(gunzipSync(packed.subarray(packed.indexOf('\r\n\r\n') + 4)).toString()).toMatch(/<b>part<\/i>/);
  });

  test('limits rates with bursts, and applies address rules and passwords', async () => {
    front.write('users', 'joe:{PLAIN}secret\nann:$apr1$Zxm1cNkw$MS6WZd5A8vMKaZE7kVQPr0\n');
    await serve(
      `location /l { limit_req zone=z; return 200 x; } location /file { limit_req zone=z burst=1 nodelay; }
       location /deny { deny all; } location /auth { auth_basic "closed"; auth_basic_user_file users; }`,
      'limit_req_zone $binary_remote_addr zone=z:1m rate=1r/m;',
    );
    front.write('file', 'x');
    front.write('auth', 'in');
    expect(await get(port, '/file')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await get(port, '/file')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await get(port, '/file')).toMatch(/^HTTP\/1\.1 503 /);
    expect(await get(port, '/deny')).toMatch(/^HTTP\/1\.1 403 /);
    expect(await get(port, '/auth')).toMatch(/401 .*WWW-Authenticate: Basic realm="closed"/s);
    const auth = (text: string) => `Authorization: Basic ${Buffer.from(text).toString('base64')}\n`;
    expect(await get(port, '/auth', auth('joe:secret'))).toMatch(/in$/);
    expect(await get(port, '/auth', auth('joe:Secret'))).toMatch(/ 401 /);
  });

  test('a reload keeps the socket, and a graceful shutdown finishes requests under way', async () => {
    await serve('return 200 before;');
    expect(await get(port, '/')).toMatch(/before$/);
    front.config(`server { listen 127.0.0.1:${port}; return 200 after; }`);
    front.signal('SIGHUP');
    await front.until(() => /exited with code 0/.test(front.read('error.log')));
    expect(await get(port, '/')).toMatch(/after$/);
    front.config('server { listen 127.0.0.1:1; bogus; }');
    front.signal('SIGHUP');
    await front.until(() => /unknown directive "bogus"/.test(front.read('error.log')));
    expect(await get(port, '/')).toMatch(/after$/);
    expect(await front.stop()).toBe(0);
    expect(front.read('access.log').split('\n').filter(Boolean)).toHaveLength(3);
    expect(front.read('error.log')).not.toMatch(/\[(alert|crit)\]/);
  });

  test.each([
    ['server { bogus on; }', /unknown directive "bogus" in .*nginx\.conf:2/],
    ['server { listen 80 81 }', /unexpected "}"/],
    ['server { location / { listen 80; } }', /"listen" directive is not allowed here/],
    ['server { tcp_nodelay; }', /invalid number of arguments in "tcp_nodelay" directive/],
    ['server { tcp_nodelay maybe; }', /it must be "on" or "off"/],
    ['server { return 200 $nobody; }', /unknown "nobody" variable/],
    ['server { location ~ ( { } }', /missing closing parenthesis/],
    ['server { location / { proxy_bind 127.0.0.1 transparent; } }', /"transparent" parameter is not supported/],
    ['server { location / { xslt_stylesheet a.xsl; } }', /XSLT/],
    [
      'proxy_buffers 2 4k;',
      /"proxy_busy_buffers_size" must be less than the size of all "proxy_buffers" minus one buffer in .*nginx\.conf:2/,
    ],
    ['fastcgi_buffer_size 8k; fastcgi_busy_buffers_size 4k;', /"fastcgi_busy_buffers_size" must be equal to or greater than the maximum/],
    ['scgi_max_temp_file_size 1k;', /"scgi_max_temp_file_size" must be equal to zero to disable temporary files usage or must be/],
  ])('a bad configuration stops the start: %s', async (text, message) => {
    front.config(text);
    await expect(front.start()).rejects.toThrow(message);
  });

  test('unsupported directives are refused by name', async () => {
    front.config('', 'ssl_engine some;');
    await expect(front.start()).rejects.toThrow(/"ssl_engine" directive: .*not/);
  });
});
