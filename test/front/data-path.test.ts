/** Shared read buffers, joined writes and cached files must not change a byte, whichever side is slow. */
import { createHash } from 'node:crypto';
import { mkdirSync, renameSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { bodyOf, Front, get, headerOf, raw, statusOf } from '../support/front.ts';

const front = new Front();
let port = 0;
let back: Server;
const BYTES = 6 * 1024 * 1024;

/** Bytes that differ by position and by seed. */
function pattern(seed: number, bytes: number): Buffer {
  const out = Buffer.allocUnsafe(bytes);
  for (let n = 0, x = seed + 1; n < bytes; n++) {
    x = (Math.imul(x, 1_103_515_245) + 12_345) >>> 0;
    out[n] = x >>> 24;
  }
  return out;
}
const sum = (data: Buffer): string => createHash('sha1').update(data).digest('hex');

/** Sends one request and reads with pauses. @returns the body */
function readSlowly(uri: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(`GET ${uri} HTTP/1.0\r\nHost: localhost\r\n\r\n`));
    socket.on('data', (data) => {
      pieces.push(data);
      socket.pause();
      setImmediate(() => socket.resume());
    });
    socket.on('error', reject);
    socket.on('end', () => {
      const all = Buffer.concat(pieces);
      resolve(all.subarray(all.indexOf('\r\n\r\n') + 4));
    });
  });
}

beforeAll(async () => {
  port = await freePort();
  const backPort = await freePort();
  back = createServer((req, res) => {
    if (req.method === 'POST') {
      const hash = createHash('sha1');
      req.on('data', (data) => hash.update(data));
      req.on('end', () => res.end(hash.digest('hex')));
      return;
    }
    const seed = Number(/seed=(\d+)/.exec(req.url!)?.[1] ?? 0);
    const body = pattern(seed, req.url!.includes('small') ? 5 : BYTES);
    if (req.url!.includes('length')) res.setHeader('Content-Length', body.length);
    for (let at = 0; at < body.length; at += 100_000) res.write(body.subarray(at, at + 100_000));
    res.end();
  });
  await new Promise<void>((resolve) => back.listen(backPort, '127.0.0.1', resolve));
  front.config(`
    upstream back { server 127.0.0.1:${backPort}; keepalive 8; }
    proxy_cache_path cache keys_zone=packed:1m;
    proxy_http_version 1.1; proxy_set_header Connection ""; client_max_body_size 100m;
    server { listen 127.0.0.1:${port}; default_type text/plain;
      location /proxy { proxy_pass http://back; proxy_max_temp_file_size 0; }
      location /spool { proxy_pass http://back; }
      location /unbuffered { proxy_pass http://back; proxy_buffering off; proxy_request_buffering off; }
      location /ok { return 200 ok; }
      location /kept/ { open_file_cache max=10; open_file_cache_errors on; }
      location /packed/ { alias ${front.folder}/; gzip on; gzip_types *; gzip_http_version 1.0; }
      location /packed-more/ { alias ${front.folder}/; gzip on; gzip_types *; gzip_http_version 1.0; gzip_comp_level 9; }
      location /packed-changed/ { alias ${front.folder}/; gzip on; gzip_types *; gzip_http_version 1.0; sub_filter b X; sub_filter_types *; sub_filter_once off; }
      location /packed-cache/ { proxy_pass http://127.0.0.1:${port}/packed-source/; proxy_cache packed; proxy_cache_valid 1h;
        gzip on; gzip_types *; gzip_http_version 1.0; }
      location /packed-source/ { alias ${front.folder}/; }
    }`);
  front.write('large.bin', pattern(99, BYTES));
  await front.start();
  mkdirSync(`${front.folder}/kept`);
  front.write('kept/page.txt', 'first');
  front.write('page.txt', 'first');
});
afterAll(async () => {
  await front.dispose();
  back.close();
});

test.each(['/proxy/length', '/proxy/chunked', '/unbuffered/chunked', '/spool/length'])(
  'large responses of one peer reach several slow clients unmixed: %s',
  async (uri) => {
    const seeds = [1, 2, 3, 4];
    const bodies = await Promise.all(seeds.map((seed) => readSlowly(`${uri}?seed=${seed}`)));
    expect(bodies.map(sum)).toEqual(seeds.map((seed) => sum(pattern(seed, BYTES))));
  },
);

test('small responses use the connections that carried large ones', async () => {
  for (let seed = 0; seed < 20; seed++) {
    const answer = await get(port, `/proxy/${seed % 5 === 0 ? 'length' : 'small'}?seed=${seed}`);
    expect(sum(Buffer.from(bodyOf(answer), 'latin1'))).toBe(sum(pattern(seed, seed % 5 === 0 ? BYTES : 5)));
  }
});

test('a large file reaches slow clients whole', async () => {
  const bodies = await Promise.all([readSlowly('/large.bin'), readSlowly('/large.bin')]);
  expect(bodies.map(sum)).toEqual([sum(pattern(99, BYTES)), sum(pattern(99, BYTES))]);
});

test.each(['', 'kept/'])(
  'a large file that many clients request is complete before and after it is in memory, and when it is replaced: /%s',
  async (folder) => {
    const name = `${folder}hot.bin`;
    front.write(name, pattern(7, BYTES));
    const bodyOfFile = async () => sum(Buffer.from(bodyOf(await get(port, `/${name}`)), 'latin1'));
    const before = sum(pattern(7, BYTES));
    for (let n = 0; n < 24; n++) expect(await bodyOfFile()).toBe(before);
    expect(await Promise.all([readSlowly(`/${name}`), readSlowly(`/${name}`)]).then((bodies) => bodies.map(sum))).toEqual([before, before]);
    expect(bodyOf(await get(port, `/${name}`, 'Range: bytes=3000000-3000009\n'))).toBe(
      pattern(7, BYTES).subarray(3_000_000, 3_000_010).toString('latin1'),
    );
    front.write('next.bin', pattern(8, BYTES));
    renameSync(`${front.folder}/next.bin`, `${front.folder}/${name}`);
    // an open file counts for open_file_cache_valid
    expect(await bodyOfFile()).toBe(folder === '' ? sum(pattern(8, BYTES)) : before);
  },
);

test.each(['/proxy', '/unbuffered'])('concurrent uploads in many pieces arrive whole: %s', async (uri) => {
  const upload = async (seed: number): Promise<string> => {
    const body = pattern(seed, 300_000);
    return new Promise((resolve, reject) => {
      let out = '';
      const socket = connect({ port, host: '127.0.0.1' }, async () => {
        socket.write(`POST ${uri} HTTP/1.0\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`);
        for (let at = 0; at < body.length; at += 7000) {
          socket.write(body.subarray(at, at + 7000));
          await new Promise((turn) => setImmediate(turn));
        }
      });
      socket.on('data', (data) => (out += data.toString('latin1')));
      socket.on('error', reject);
      socket.on('end', () => resolve(bodyOf(out)));
    });
  };
  const seeds = [11, 12, 13, 14, 15];
  expect(await Promise.all(seeds.map(upload))).toEqual(seeds.map((seed) => sum(pattern(seed, 300_000))));
});

test('accepts a request whose head arrives byte by byte while others are served', async () => {
  const head = 'GET /ok HTTP/1.0\r\nHost: localhost\r\nX-Long: abcdefghijklmnopqrstuvwxyz\r\n\r\n';
  const slow = new Promise<string>((resolve, reject) => {
    let out = '';
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, async () => {
      for (const ch of head) {
        socket.write(ch);
        await new Promise((turn) => setImmediate(turn));
      }
    });
    socket.on('data', (data) => (out += data.toString('latin1')));
    socket.on('error', reject);
    socket.on('end', () => resolve(out));
  });
  for (let n = 0; n < 50; n++) expect(statusOf(await get(port, '/none-of-these'))).toBe(404);
  expect(bodyOf(await slow)).toBe('ok');
});

test('pipelined requests are answered in order, the last by its own framing', async () => {
  const one = 'GET /ok HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const post = 'POST /proxy HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n';
  const answer = await raw(port, `${one}${post}hello${one}${one.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')}`);
  expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(4);
  expect(answer).toContain(sum(Buffer.from('hello')));
  expect(answer.endsWith('ok')).toBe(true);
});

test('a changed file is served at once, with open_file_cache after its time', async () => {
  for (const uri of ['/page.txt', '/kept/page.txt']) {
    expect(bodyOf(await get(port, uri))).toBe('first');
    expect(bodyOf(await get(port, uri))).toBe('first');
  }
  // a new file takes the name: nginx keeps the previous one open
  for (const name of ['page.txt', 'kept/page.txt']) {
    front.write('new.txt', 'second text');
    renameSync(`${front.folder}/new.txt`, `${front.folder}/${name}`);
  }
  expect(bodyOf(await get(port, '/page.txt'))).toBe('second text');
  expect(bodyOf(await get(port, '/kept/page.txt'))).toBe('first');
});

test('with open_file_cache a large file stays open with its old content until others take its place', async () => {
  const large = (letter: string) => letter.repeat(3 << 20);
  for (const name of ['big', 'kept/big']) front.write(name, large('a'));
  for (const uri of ['/big', '/kept/big', '/kept/big'])
    expect(sum(Buffer.from(bodyOf(await get(port, uri))))).toBe(sum(Buffer.from(large('a'))));
  for (const name of ['big', 'kept/big']) {
    front.write('new.txt', large('b'));
    renameSync(`${front.folder}/new.txt`, `${front.folder}/${name}`);
  }
  expect(bodyOf(await get(port, '/big'))[0]).toBe('b');
  expect(bodyOf(await get(port, '/kept/big'))[0]).toBe('a');
  // max=10
  for (let n = 0; n < 10; n++) {
    front.write(`kept/big${n}`, large('c'));
    expect(bodyOf(await get(port, `/kept/big${n}`)).length).toBe(3 << 20);
  }
  expect(bodyOf(await get(port, '/kept/big'))[0]).toBe('b');
});

test('open_file_cache_errors remembers that a file was missing', async () => {
  expect(statusOf(await get(port, '/later.txt'))).toBe(404);
  expect(statusOf(await get(port, '/kept/later.txt'))).toBe(404);
  front.write('later.txt', 'here');
  front.write('kept/later.txt', 'here');
  expect(statusOf(await get(port, '/later.txt'))).toBe(200);
  expect(statusOf(await get(port, '/kept/later.txt'))).toBe(404);
});

test('keeps compressed bodies in memory for each level, and renews them for filtered, cached and replaced bodies', async () => {
  const size = 40_000;
  const text = 'ab'.repeat(size / 4) + 'bc'.repeat(size / 4);
  front.write('form.txt', text);
  const form = async (uri: string) => {
    const answer = await get(port, uri, 'Accept-Encoding: gzip\n');
    expect(headerOf(answer, 'Content-Encoding')).toBe('gzip');
    return Buffer.from(bodyOf(answer), 'latin1');
  };
  const fast = await form('/packed/form.txt');
  expect(gunzipSync(fast).toString()).toBe(text);
  expect(await form('/packed/form.txt')).toEqual(fast);
  const best = await form('/packed-more/form.txt');
  expect(gunzipSync(best).toString()).toBe(text);
  expect(best.length).toBeLessThan(fast.length);
  expect(await form('/packed/form.txt')).toEqual(fast);
  expect(gunzipSync(await form('/packed-changed/form.txt')).toString()).toBe(text.replaceAll('b', 'X'));
  for (let n = 0; n < 3; n++) expect(gunzipSync(await form('/packed-cache/form.txt')).toString()).toBe(text);
  expect(bodyOf(await get(port, '/packed/form.txt'))).toBe(text);
  front.write('next.txt', text.replaceAll('b', 'd'));
  renameSync(`${front.folder}/next.txt`, `${front.folder}/form.txt`);
  expect(gunzipSync(await form('/packed/form.txt')).toString()).toBe(text.replaceAll('b', 'd'));
});
