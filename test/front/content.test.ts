/** Modules that generate or change content, compared with nginx's answers; one server for all. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { bodyOf, Front, get, headerOf as header, ours, raw, statusOf } from '../support/front.ts';

const front = new Front();
let port = 0;
let back = 0;

const send = (method: string, uri: string, headers = '', body = '') =>
  raw(port, `${method} ${uri} HTTP/1.0\r\nHost: localhost\r\n${headers}${body ? `Content-Length: ${body.length}\r\n` : ''}\r\n${body}`);
const hash = (text: string) => createHash('md5').update(text).digest('base64url');

beforeAll(async () => {
  port = await freePort();
  back = await freePort();
  for (const folder of ['random', 'empty', 'dav', 'dav/sub', 'list', 'list/inner', 'ranges', 'charset', 'addition', 'ssi'])
    mkdirSync(path.join(front.folder, folder));
  for (const name of ['one', 'two', 'three']) front.write(`random/${name}.html`, `random ${name}`);
  front.write('random/.hidden', 'hidden');
  front.write('list/a b.txt', 'abc');
  front.write('list/inner/x', '');
  utimesSync(path.join(front.folder, 'list/a b.txt'), 1_000_000_000, 1_000_000_000);
  front.write('ranges/big', Array.from({ length: 2500 }, (_, n) => String(n % 10)).join(''));
  front.write('charset/koi.html', Buffer.from([0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4]));
  front.write('sub.html', 'AbA aba <title>x</title> ABA');
  front.write('addition/page.html', 'page');
  front.write('before', 'before-');
  front.write('after', '-after');
  front.write('plain.txt', 'plain '.repeat(200));
  front.write('ready.txt', 'unpacked');
  front.write('ready.txt.gz', gzipSync('packed beforehand'));
  front.write('packed.gz', gzipSync('only packed'));
  front.write(
    'ssi/all.html',
    [
      '<!--#set var="a" value="x<y" --><!--#echo var="a" -->|<!--#echo var="a" encoding="none" -->|<!--#echo var="none" default="nothing" -->',
      '<!--#if expr="$arg_q = one" -->first<!--#elif expr="$arg_q = /^t(w.)/" -->second <!--#echo var="1" --><!--#else -->other<!--#endif -->',
      '<!--#include virtual="/ssi/part.txt?x=1" -->|<!--#include file="part.txt" -->|<!--#include virtual="/ssi/missing" stub="none" -->',
      '<!--#block name="none" -->stub text<!--#endblock --><!--#include virtual="/ssi/missing" stub="none" -->',
      '<!--#config timefmt="%Y" --><!--#echo var="date_gmt" -->|<!--#include virtual="/ssi/part.txt" set="got" --><!--#echo var="got" -->',
      '<!--#config errmsg="oops" --><!--#unknown x="y" -->',
    ].join('\n'),
  );
  front.write('ssi/part.txt', 'part');
  front.write('video.flv', 'FLVheader'.padEnd(100, '.') + 'tail of the film');
  front.config(`
    server { listen 127.0.0.1:${back}; root ${front.folder};
      location = /auth { if ($http_x_user = joe) { return 204; } if ($http_x_user = bad) { return 403; } if ($http_x_user = odd) { return 302 /x; }
        add_header WWW-Authenticate 'Basic realm="x"' always; return 401; }
      location /seen { access_log mirrored.log; return 200; }
      location /gz { gzip on; gzip_types *; gzip_min_length 0; gzip_http_version 1.0; alias ${front.folder}/plain.txt; }
      location /html { default_type text/html; return 200 "AbA aba <title>x</title> ABA"; }
      location / { add_header X-Range $http_range; }
    }
    split_clients $arg_id $variant { 20% a; 30% b; * c; }
    map $arg_host $mapped { hostnames; default none; .example.com dot; *.wild.org wild; www.* www; ~^re(?<rest>.+)$ regex-$rest; }
    geo $arg_ip $zone { default elsewhere; 10.0.0.0/8 ten; 10.1.0.0/16 ten-one; 127.0.0.1 local; ::1 six; delete 10.1.2.0/24; }
    charset_map koi8-r windows-1251 { F0 CF; D2 F0; C9 E8; D7 E2; C5 E5; D4 F2; }
    server { listen 127.0.0.1:${port}; server_name localhost;
      location /random/ { random_index on; }
      location /empty/ { random_index on; }
      location = /pixel { empty_gif; }
      location /list/ { autoindex on; }
      location /list-json/ { alias ${front.folder}/list/; autoindex on; autoindex_format json; }
      location /list-xml/ { alias ${front.folder}/list/; autoindex on; autoindex_format xml; }
      location /list-jsonp/ { alias ${front.folder}/list/; autoindex on; autoindex_format jsonp; }
      location /charset/ { charset windows-1251; source_charset koi8-r; override_charset on; }
      location /sub.html { sub_filter aba X; sub_filter "<title>" "<title>$arg_t"; }
      location /sub-all { alias ${front.folder}/sub.html; default_type text/html; sub_filter_once off; sub_filter aba X; sub_filter_last_modified on; }
      location /sub-proxied/ { proxy_pass http://127.0.0.1:${back}/html; sub_filter_once off; sub_filter "aba aba" Y; }
      location /sub-types { alias ${front.folder}/plain.txt; default_type text/plain; sub_filter plain x; }
      location /addition/ { add_before_body /before; add_after_body /after; addition_types text/html; }
      location /ssi/ { ssi on; ssi_types text/html; }
      location /slice/ { slice 1000; proxy_pass http://127.0.0.1:${back}/ranges/; proxy_set_header Range $slice_range; add_header X-Slice $slice_range; }
      location /dav/ { dav_methods PUT DELETE MKCOL COPY MOVE; create_full_put_path on; dav_access group:rw all:r; min_delete_depth 2; client_body_buffer_size 1k; }
      location /mirrored { mirror /copy; proxy_pass http://127.0.0.1:${back}/html; }
      location = /copy { internal; proxy_pass http://127.0.0.1:${back}/seen$request_uri; }
      location /guarded/ { auth_request /check; auth_request_set $who $upstream_status; add_header X-Who $who always; alias ${front.folder}/random/; }
      location /guarded-off/ { auth_request off; alias ${front.folder}/random/; }
      location = /check { internal; proxy_pass http://127.0.0.1:${back}/auth; proxy_pass_request_body off; proxy_set_header Content-Length ""; }
      location /any/ { satisfy any; deny all; auth_request /check; alias ${front.folder}/random/; }
      location /secure/ { secure_link $arg_h,$arg_e; secure_link_md5 "$secure_link_expires$uri k";
        if ($secure_link = "") { return 403; } if ($secure_link = 0) { return 410; } return 200 "open $secure_link $secure_link_expires"; }
      location /p/ { secure_link_secret word; if ($secure_link = "") { return 403; } return 200 "link $secure_link"; }
      location /split { return 200 $variant; }
      location /map { return 200 "$mapped $zone"; }
      location /geo { return 200 "$zone"; }
      location /real { set_real_ip_from 127.0.0.0/8; real_ip_header X-Forwarded-For; add_header X-Real "$remote_addr $realip_remote_addr"; alias ${front.folder}/before; }
      location /real-deep { set_real_ip_from 127.0.0.0/8; set_real_ip_from 10.0.0.0/8; real_ip_recursive on; real_ip_header X-Forwarded-For; add_header X-Real $remote_addr; alias ${front.folder}/before; }
      location /uid { userid on; userid_name u; userid_expires max; userid_path /x; userid_domain example.com; userid_flags httponly samesite=lax; userid_p3p "policyref"; return 200 "got=$uid_got set=$uid_set"; }
      location /flv/ { flv; alias ${front.folder}/; }
      location /static-gz/ { gzip_http_version 1.0; gzip_static on; gunzip on; alias ${front.folder}/; }
      location /always-gz { gzip_static always; gunzip on; alias ${front.folder}/packed; }
      location /gunzip/ { gunzip on; proxy_pass http://127.0.0.1:${back}/gz; proxy_set_header Accept-Encoding gzip; }
      location /gz/ { gzip on; gzip_types text/plain; gzip_min_length 10; gzip_http_version 1.0; gzip_vary on; alias ${front.folder}/; }
      location /proxied-gz/ { gzip on; gzip_types text/plain; gzip_min_length 10; gzip_http_version 1.0; gzip_proxied no-cache; alias ${front.folder}/; }
      location /referer { valid_referers none blocked server_names *.example.org ~\\.google\\.; if ($invalid_referer) { return 403; } return 200 ok; }
      location /expires { expires 1h; add_header X-A a; add_header X-B b always; return 200 ok; }
      location /expires/map { expires $expire; set $expire -1; if ($arg_m) { set $expire max; } return 200 ok; }
      location /limit { limit_except GET { deny all; } alias ${front.folder}/plain.txt; }
      location /try { try_files $uri /random/one.html =404; }
      location /trynone { try_files $uri =418; }
      location /trailer { add_trailer X-T $request_id; proxy_http_version 1.1; proxy_pass http://127.0.0.1:${back}/html; }
      location /brotli/ { ${ours ? 'brotli on; brotli_types text/plain; brotli_min_length 10;' : ''} alias ${front.folder}/; }
    }`);
  await front.start();
});
afterAll(() => front.dispose());

describe('content', () => {
  test('random_index picks every file but hidden ones, and only from folders', async () => {
    const seen = new Set<string>();
    for (let n = 0; n < 60 && seen.size < 3; n++) seen.add(bodyOf(await get(port, '/random/')));
    expect([...seen].sort()).toEqual(['random one', 'random three', 'random two']);
    expect(statusOf(await get(port, '/empty/'))).toBe(403);
  });

  test('empty_gif responds with a GIF of one pixel', async () => {
    const gif = await get(port, '/pixel');
    expect(header(gif, 'Content-Type')).toBe('image/gif');
    expect(bodyOf(gif)).toMatch(/^GIF89a/);
    expect(bodyOf(gif)).toHaveLength(43);
    expect(header(gif, 'Last-Modified')).toBe('Mon, 28 Sep 1970 06:00:00 GMT');
    expect(statusOf(await send('POST', '/pixel', '', 'x'))).toBe(405);
  });

  test('autoindex lists folders as html, json, xml and jsonp', async () => {
    expect(bodyOf(await get(port, '/list/'))).toContain('<a href="inner/">inner/</a>                                             ');
    expect(bodyOf(await get(port, '/list/'))).toMatch(/<a href="a%20b.txt">a b.txt<\/a> +09-Sep-2001 01:46 +3\r?\n/);
    expect(JSON.parse(bodyOf(await get(port, '/list-json/')))).toEqual([
      expect.objectContaining({ name: 'inner', type: 'directory' }),
      { name: 'a b.txt', type: 'file', mtime: 'Sun, 09 Sep 2001 01:46:40 GMT', size: 3 },
    ]);
    expect(bodyOf(await get(port, '/list-xml/'))).toContain('<file mtime="2001-09-09T01:46:40Z" size="3">a b.txt</file>');
    expect(bodyOf(await get(port, '/list-jsonp/?callback=f'))).toMatch(/^\/\* callback \*\/\r\nf\(\[\r\n.*\]\);$/s);
  });

  test('charset converts between maps', async () => {
    const answer = await get(port, '/charset/koi.html');
    expect(header(answer, 'Content-Type')).toBe('text/html; charset=windows-1251');
    expect(Buffer.from(bodyOf(answer), 'latin1')).toEqual(Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]));
  });

  test('sub_filter replaces without case, once or often, with variables, across buffers, in its types only', async () => {
    expect(bodyOf(await get(port, '/sub.html?t=1'))).toBe('X aba <title>1x</title> ABA');
    expect(bodyOf(await get(port, '/sub-all'))).toBe('X X <title>x</title> X');
    expect(header(await get(port, '/sub-all'), 'Last-Modified')).toBeDefined();
    expect(header(await get(port, '/sub.html'), 'Last-Modified')).toBeUndefined();
    expect(bodyOf(await get(port, '/sub-proxied/'))).toBe('Y <title>x</title> ABA');
    expect(bodyOf(await get(port, '/sub-types'))).toMatch(/^plain plain/);
  });

  test('addition adds subrequests before and after a body', async () => {
    const answer = await get(port, '/addition/page.html');
    expect(bodyOf(answer)).toBe('before-page-after');
    expect(header(answer, 'Content-Length')).toBeUndefined();
  });

  test('ssi supports set, echo, if, include, block and config', async () => {
    const before = new Date().getUTCFullYear();
    const lines = bodyOf(await get(port, '/ssi/all.html?q=two')).split('\n');
    expect(lines[0]).toBe('x&lt;y|x<y|nothing');
    expect(lines[1]).toBe('second wo');
    expect(lines[2]).toMatch(/^part\|part\|/);
    expect(lines[3]).toBe('stub text');
    expect([before, new Date().getUTCFullYear()].map((year) => `${year}|part`)).toContain(lines[4]);
    expect(lines[5]).toBe('oops');
    expect(bodyOf(await get(port, '/ssi/all.html?q=one')).split('\n')[1]).toBe('first');
    expect(bodyOf(await get(port, '/ssi/all.html')).split('\n')[1]).toBe('other');
  });

  test('slice requests pieces and joins them; a range needs only its pieces', async () => {
    const whole = Array.from({ length: 2500 }, (_, n) => String(n % 10)).join('');
    const answer = await get(port, '/slice/big');
    expect(statusOf(answer)).toBe(200);
    expect(bodyOf(answer)).toBe(whole);
    const part = await get(port, '/slice/big', 'Range: bytes=995-1004\n');
    expect(statusOf(part)).toBe(206);
    expect(bodyOf(part)).toBe(whole.slice(995, 1005));
    expect(header(part, 'Content-Range')).toBe('bytes 995-1004/2500');
    expect(bodyOf(await get(port, '/slice/big', 'Range: bytes=1500-2100\n'))).toBe(whole.slice(1500, 2101));
    expect(bodyOf(await get(port, '/slice/big', 'Range: bytes=-7\n'))).toBe(whole.slice(-7));
    expect(statusOf(await get(port, '/slice/big', 'Range: bytes=2500-\n'))).toBe(416);
  });

  test('dav supports PUT, MKCOL, COPY, MOVE and DELETE', async () => {
    const big = 'x'.repeat(5000);
    expect(statusOf(await send('PUT', '/dav/new/deep.txt', '', big))).toBe(201);
    expect(front.read('dav/new/deep.txt')).toBe(big);
    expect(statusOf(await send('PUT', '/dav/new/deep.txt', '', 'again'))).toBe(204);
    expect(front.read('dav/new/deep.txt')).toBe('again');
    // from memory and from the file that it was spooled to, under a name that is not ASCII, with the client's time
    for (const body of ['small', big]) {
      expect(statusOf(await send('PUT', `/dav/new/%C3%A4${body.length}.txt`, 'Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n', body))).toBe(201);
      const reply = await get(port, `/dav/new/%C3%A4${body.length}.txt`);
      expect(bodyOf(reply)).toBe(body);
      expect(header(reply, 'Last-Modified')).toBe('Sun, 06 Nov 1994 08:49:37 GMT');
    }
    expect(statusOf(await send('PUT', '/dav/new/', '', 'x'))).toBe(409);
    expect(statusOf(await send('PUT', '/dav/part', 'Content-Range: bytes 0-1/2\r\n', 'ab'))).toBe(501);
    expect(statusOf(await send('MKCOL', '/dav/col/'))).toBe(201);
    expect(statusOf(await send('MKCOL', '/dav/col/'))).toBe(405);
    expect(statusOf(await send('MKCOL', '/dav/none/col/'))).toBe(409);
    expect(statusOf(await send('MKCOL', '/dav/col2/', '', 'x'))).toBe(415);
    expect(statusOf(await send('COPY', '/dav/new/deep.txt', 'Destination: /dav/copy.txt\r\n'))).toBe(204);
    expect(front.read('dav/copy.txt')).toBe('again');
    expect(statusOf(await send('COPY', '/dav/new/', 'Destination: http://localhost/dav/tree/\r\n'))).toBe(201);
    expect(front.read('dav/tree/deep.txt')).toBe('again');
    expect(statusOf(await send('MOVE', '/dav/copy.txt', 'Destination: /dav/tree/deep.txt\r\nOverwrite: F\r\n'))).toBe(412);
    expect(statusOf(await send('MOVE', '/dav/copy.txt', 'Destination: /dav/moved.txt\r\n'))).toBe(204);
    expect(front.read('dav/moved.txt')).toBe('again');
    expect(statusOf(await send('MOVE', '/dav/moved.txt', 'Destination: http://elsewhere/dav/x\r\n'))).toBe(400);
    expect(statusOf(await send('MOVE', '/dav/moved.txt'))).toBe(400);
    expect(statusOf(await send('DELETE', '/dav/tree/'))).toBe(204);
    expect(statusOf(await send('DELETE', '/dav/none'))).toBe(404);
    expect(statusOf(await send('DELETE', '/dav/'))).toBe(409);
    expect(statusOf(await send('DELETE', '/dav/new', 'Depth: infinity\r\n'))).toBe(409);
    expect(readdirSync(path.join(front.folder, 'dav')).sort()).toEqual(['col', 'moved.txt', 'new', 'sub']);
  });

  test('mirror sends a copy and the client sees only the original', async () => {
    expect(bodyOf(await get(port, '/mirrored?x=1'))).toMatch(/^AbA/);
    await front.until(() => front.read('mirrored.log').includes('/seen/mirrored?x=1'));
  });

  test('auth_request allows, refuses and challenges, fails on errors, and works with satisfy', async () => {
    const user = (name: string) => `X-User: ${name}\n`;
    const allowed = await get(port, '/guarded/one.html', user('joe'));
    expect(bodyOf(allowed)).toBe('random one');
    expect(header(allowed, 'X-Who')).toBe('204');
    expect(statusOf(await get(port, '/guarded/one.html', user('bad')))).toBe(403);
    const challenged = await get(port, '/guarded/one.html');
    expect(statusOf(challenged)).toBe(401);
    expect(header(challenged, 'WWW-Authenticate')).toBe('Basic realm="x"');
    expect(statusOf(await get(port, '/guarded/one.html', user('odd')))).toBe(500);
    expect(statusOf(await get(port, '/guarded-off/one.html'))).toBe(200);
    expect(statusOf(await get(port, '/any/one.html', user('joe')))).toBe(200);
    expect(statusOf(await get(port, '/any/one.html', user('bad')))).toBe(403);
    expect(statusOf(await send('POST', '/guarded/one.html', 'X-User: joe\r\n', 'body'))).toBe(405);
  });

  test('secure_link checks digests with an expiry time, and secrets', async () => {
    const soon = Math.floor(Date.now() / 1000) + 100;
    expect(bodyOf(await get(port, `/secure/x?h=${hash(`${soon}/secure/x k`)}&e=${soon}`))).toBe(`open 1 ${soon}`);
    expect(statusOf(await get(port, `/secure/y?h=${hash(`${soon}/secure/x k`)}&e=${soon}`))).toBe(403);
    expect(statusOf(await get(port, `/secure/x?h=${hash('1000/secure/x k')}&e=1000`))).toBe(410);
    expect(statusOf(await get(port, '/secure/x'))).toBe(403);
    const hex = createHash('md5').update('doc/aword').digest('hex');
    expect(bodyOf(await get(port, `/p/${hex}/doc/a`))).toBe('link doc/a');
    expect(statusOf(await get(port, `/p/${hex}/doc/b`))).toBe(403);
  });

  test('split_clients, map and geo set variables', async () => {
    const counts: Record<string, number> = {};
    for (let n = 0; n < 60; n++) {
      const variant = bodyOf(await get(port, `/split?id=${n}`));
      counts[variant] = (counts[variant] ?? 0) + 1;
    }
    // MurmurHash2 of the numbers 0 to 59, as nginx distributes them
    expect(counts).toEqual({ a: 11, b: 23, c: 26 });
    const mapped = async (host: string) => bodyOf(await get(port, `/map?host=${host}`)).split(' ')[0];
    expect(await mapped('example.com')).toBe('dot');
    expect(await mapped('a.b.EXAMPLE.com')).toBe('dot');
    expect(await mapped('x.wild.org')).toBe('wild');
    expect(await mapped('wild.org')).toBe('none');
    expect(await mapped('www.anything')).toBe('www');
    expect(await mapped('rest')).toBe('regex-st');
    const zone = async (ip: string) => bodyOf(await get(port, `/geo?ip=${ip}`));
    expect(await zone('10.2.0.1')).toBe('ten');
    expect(await zone('10.1.0.1')).toBe('ten-one');
    expect(await zone('127.0.0.1')).toBe('local');
    expect(await zone('::1')).toBe('six');
    expect(await zone('11.0.0.1')).toBe('elsewhere');
    expect(await zone('')).toBe('elsewhere');
  });

  test('realip uses the last address, or the last that is not trusted', async () => {
    expect(header(await get(port, '/real', 'X-Forwarded-For: 1.2.3.4, 10.0.0.1\n'), 'X-Real')).toBe('10.0.0.1 127.0.0.1');
    expect(header(await get(port, '/real-deep', 'X-Forwarded-For: 9.9.9.9, 1.2.3.4, 10.0.0.1\n'), 'X-Real')).toBe('1.2.3.4');
    expect(header(await get(port, '/real', 'X-Forwarded-For: nonsense\n'), 'X-Real')).toBe('127.0.0.1 127.0.0.1');
  });

  test('userid sets a cookie and recognizes it', async () => {
    const first = await get(port, '/uid');
    const cookie = header(first, 'Set-Cookie')!;
    expect(cookie).toMatch(
      /^u=[A-Za-z0-9+/]{22}==; expires=Thu, 31-Dec-37 23:55:55 GMT; domain=example\.com; path=\/x; httponly; samesite=lax$/,
    );
    expect(header(first, 'P3P')).toBe('policyref');
    const id = /set=u=([0-9A-F]{32})/.exec(bodyOf(first))![1];
    const second = await get(port, '/uid', `Cookie: a=b; ${cookie.split(';')[0]}\n`);
    expect(bodyOf(second)).toBe(`got=u=${id} set=`);
    expect(header(second, 'Set-Cookie')).toBeUndefined();
  });

  test('flv starts anywhere after its header', async () => {
    const answer = await get(port, '/flv/video.flv?start=108');
    expect(Buffer.from(bodyOf(answer), 'latin1')).toEqual(Buffer.from('FLV\x01\x05\0\0\0\x09\0\0\0\0the film', 'latin1'));
    expect(bodyOf(await get(port, '/flv/video.flv'))).toMatch(/^FLVheader.*film$/);
    expect(bodyOf(await get(port, '/flv/video.flv?start=9999'))).toMatch(/^FLVheader/);
  });

  test('gzip, gzip_static and gunzip convert bodies', async () => {
    const unpacked = (answer: string) => gunzipSync(Buffer.from(bodyOf(answer), 'latin1')).toString();
    const gz = 'Accept-Encoding: gzip\n';
    expect(unpacked(await get(port, '/static-gz/ready.txt', gz))).toBe('packed beforehand');
    expect(bodyOf(await get(port, '/static-gz/ready.txt'))).toBe('unpacked');
    expect(bodyOf(await get(port, '/always-gz'))).toBe('only packed');
    expect(bodyOf(await get(port, '/gunzip/'))).toBe('plain '.repeat(200));
    const packed = await get(port, '/gz/plain.txt', gz);
    expect(unpacked(packed)).toBe('plain '.repeat(200));
    expect(header(packed, 'Vary')).toBe('Accept-Encoding');
    expect(header(packed, 'ETag')).toMatch(/^W\//);
    expect(header(await get(port, '/gz/plain.txt', 'Accept-Encoding: gzip;q=0\n'), 'Content-Encoding')).toBeUndefined();
    expect(header(await get(port, '/gz/plain.txt', 'Accept-Encoding: br, gzip;q=0.5\n'), 'Content-Encoding')).toBe('gzip');
    expect(header(await get(port, '/proxied-gz/plain.txt', `${gz}Via: x\n`), 'Content-Encoding')).toBe('gzip');
    expect(header(await get(port, '/gz/plain.txt', `${gz}Via: x\n`), 'Content-Encoding')).toBeUndefined();
  });

  test.skipIf(!ours)('brotli compresses bodies', async () => {
    const answer = await get(port, '/brotli/plain.txt', 'Accept-Encoding: gzip, br\n');
    expect(header(answer, 'Content-Encoding')).toBe('br');
    expect(brotliDecompressSync(Buffer.from(bodyOf(answer), 'latin1')).toString()).toBe('plain '.repeat(200));
    expect(header(await get(port, '/brotli/plain.txt', 'Accept-Encoding: gzip, br;q=0\n'), 'Content-Encoding')).toBeUndefined();
    expect(header(await get(port, '/brotli/sub.html', 'Accept-Encoding: br\n'), 'Content-Encoding')).toBe('br');
  });

  test('referer refuses unlisted sites', async () => {
    const from = async (referer: string) => statusOf(await get(port, '/referer', referer && `Referer: ${referer}\n`));
    expect(await from('')).toBe(200);
    expect(await from('hidden')).toBe(200);
    expect(await from('http://localhost/x')).toBe(200);
    expect(await from('https://a.example.org/x')).toBe(200);
    expect(await from('http://www.google.com/')).toBe(200);
    expect(await from('http://example.org/')).toBe(403);
    expect(await from('http://evil.com/?localhost')).toBe(403);
  });

  test('expires and add_header set fields', async () => {
    const answer = await get(port, '/expires');
    expect(header(answer, 'Cache-Control')).toBe('max-age=3600');
    expect(header(answer, 'X-A')).toBe('a');
    expect(Date.parse(header(answer, 'Expires')!) - Date.parse(header(answer, 'Date')!)).toBe(3_600_000);
    expect(header(await get(port, '/expires/map'), 'Cache-Control')).toBe('no-cache');
    expect(header(await get(port, '/expires/map?m=1'), 'Cache-Control')).toBe('max-age=315360000');
    const chunked = await raw(port, 'GET /trailer HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(chunked).toMatch(/\r\n0\r\nX-T: [0-9a-f]{32}\r\n\r\n$/);
  });

  test('limit_except restricts methods, try_files finds the first existing file', async () => {
    expect(statusOf(await send('HEAD', '/limit'))).toBe(200);
    expect(statusOf(await send('DELETE', '/limit'))).toBe(403);
    expect(bodyOf(await get(port, '/try/none'))).toBe('random one');
    expect(statusOf(await get(port, '/trynone'))).toBe(418);
  });
});
