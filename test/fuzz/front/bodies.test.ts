/**
 * Clients that read slowly, disconnect early, send several requests at once or use HTTP/2, with back ends that abort responses,
 * on every path that a body can take, while the configuration is reloaded: each byte that arrives must be the one of that request at
 * that position. BODIES_ROUNDS (12) clients one after the other in each of 24 lanes, BODIES_SEED; a longer run: BODIES_ROUNDS=400 and
 * --testTimeout=900000.
 */
import { execFileSync } from 'node:child_process';
import { connect as connectHttp2 } from 'node:http2';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { Front } from '../../support/front.ts';
import { random } from './random.ts';

const ROUNDS = Number(process.env.BODIES_ROUNDS ?? 12);
const SEED = Number(process.env.BODIES_SEED ?? 1);
const LANES = 24;

const front = new Front();
let plain = 0;
let secure = 0;
let back: Server;

// ---------------------------------------------------------------- contents of bodies

/** `seed:position` in words of 16 bytes: each byte identifies its request and position, and compresses badly enough. */
function bodyFor(seed: number, bytes: number): Buffer {
  const known = bodies.get(`${seed}/${bytes}`);
  if (known) return known;
  const out = Buffer.allocUnsafe(Math.ceil(bytes / 16) * 16);
  for (let at = 0; at < out.length; at += 16) {
    out.writeUInt32LE(seed, at);
    out.writeUInt32LE(at, at + 4);
    out.writeUInt32LE(Math.imul(at + seed, 2654435761) >>> 0, at + 8);
    out.writeUInt32LE(Math.imul(at ^ seed, 2246822519) >>> 0, at + 12);
  }
  const body = out.subarray(0, bytes);
  if (bodies.size > 200) bodies.clear();
  bodies.set(`${seed}/${bytes}`, body);
  return body;
}
const bodies = new Map<string, Buffer>();

const SIZES = [0, 1, 700, 1500, 4000, 9000, 31_000, 33_000, 70_000, 140_000, 400_000];
const FILES = { small: 900, middle: 60_000, kept: 900_000, hot: 2_500_000, open: 8_500_000 };
const fileSeed = (name: string): number => 1_000_000 + Object.keys(FILES).indexOf(name);

// ---------------------------------------------------------------- the back end

/** `/framing/seed/bytes`: length, chunked or close; with `reset` the connection breaks off before the end of the body. */
function answer(socket: Socket, uri: string): void {
  const [, , framing, seed, bytes] = uri.split('?')[0].split('/');
  const next = random(Number(seed));
  const body = bodyFor(Number(seed), Number(bytes));
  const breaks = framing === 'reset' ? next(body.length + 1) : Infinity;
  const chunked = framing === 'chunked' || (framing === 'reset' && next(2) === 0);
  // an aborted response is never complete, or the connection would carry the next response when it breaks
  const bytesTold = body.length + (framing === 'reset' ? 1 : 0);
  const length = chunked ? 'Transfer-Encoding: chunked' : framing === 'close' ? 'Connection: close' : `Content-Length: ${bytesTold}`;
  socket.write(`HTTP/1.1 200 OK\r\nCache-Control: max-age=2\r\nContent-Type: text/plain\r\n${length}\r\n\r\n`);
  const step = (at: number): void => {
    if (socket.destroyed) return;
    if (at >= breaks) {
      socket.resetAndDestroy();
      return;
    }
    if (at >= body.length) {
      if (chunked) socket.write('0\r\n\r\n');
      if (framing === 'close') socket.end();
      return;
    }
    const piece = body.subarray(at, at + [100, 5000, 16_000, 50_000, 200_000][next(5)]);
    if (chunked) socket.write(`${piece.length.toString(16)}\r\n`);
    socket.write(piece);
    if (chunked) socket.write('\r\n');
    if (next(3) === 0) setImmediate(step, at + piece.length);
    else step(at + piece.length);
  };
  step(0);
}

function serveBack(port: number): Promise<Server> {
  const server = createServer({ noDelay: true }, (socket) => {
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (data) => {
      text += data.toString('latin1');
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const uri = text.slice(text.indexOf(' ') + 1, text.indexOf(' HTTP/'));
        text = text.slice(end + 4);
        answer(socket, uri);
      }
    });
  });
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
}

// ---------------------------------------------------------------- requests

interface Asked {
  uri: string;
  body: Buffer;
  gzip: boolean;
  /** the back end aborts the response: the front may do so, too */
  mayBreak: boolean;
}

const WAYS = ['proxy', 'unbuffered', 'spool', 'cache', 'packed', 'changed', 'slow', 'file', 'page'] as const;

function choose(next: (below: number) => number): Asked {
  // pages have large buffers
  const way = WAYS[next(WAYS.length * 4 - 3) >> 2];
  if (way === 'file') {
    const name = Object.keys(FILES)[next(5)] as keyof typeof FILES;
    return { uri: `/files/${name}`, body: bodyFor(fileSeed(name), FILES[name]), gzip: false, mayBreak: false };
  }
  const bytes = SIZES[next(way === 'slow' ? 7 : SIZES.length)];
  // few seeds behind the cache, so that there are hits
  const seed = way === 'cache' || way === 'packed' ? next(12) : next(100_000);
  const framing = ['length', 'chunked', 'close', 'reset'][next(4)];
  const body = bodyFor(seed, bytes);
  const mayBreak = framing === 'reset';
  if (way === 'page') {
    const parts = [`/proxy/length/${seed}/${bytes}`, '/files/open', `/proxy/chunked/${seed + 1}/${bytes}`];
    const whole = Buffer.concat([body, bodyFor(fileSeed('open'), FILES.open), bodyFor(seed + 1, bytes)]);
    return { uri: `/page?a=${parts[0]}&b=${parts[1]}&c=${parts[2]}`, body: whole, gzip: false, mayBreak: false };
  }
  return { uri: `/${way}/${framing}/${seed}/${bytes}`, body, gzip: way === 'packed', mayBreak };
}

/** Whether the part of a body that arrived belongs to the request. */
function checkBody(asked: Asked, got: Buffer, whole: boolean, coded: boolean): void {
  if (coded) {
    // a truncated body cannot be decoded to its end
    if (!whole) return;
    try {
      expect(gunzipSync(got).equals(asked.body), asked.uri).toBe(true);
    } catch (error) {
      throw new Error(`${asked.uri}: ${got.length} bytes, ${(error as Error).message}`);
    }
    return;
  }
  if (!got.equals(asked.body.subarray(0, got.length))) {
    const at = got.findIndex((byte, n) => byte !== asked.body[n]);
    throw new Error(`${asked.uri}: foreign byte at ${at} of ${got.length}: ${got.subarray(at, at + 32).toString('hex')}`);
  }
  if (whole) expect(got.length, asked.uri).toBe(asked.body.length);
}

/** Reads one answer from the start of `data`. @returns its end, -1 if it is incomplete */
function readAnswer(asked: Asked, data: Buffer, ended: boolean): number {
  const headEnd = data.indexOf('\r\n\r\n');
  if (headEnd < 0) return -1;
  const head = data.latin1Slice(0, headEnd);
  const status = Number(head.slice(9, 12));
  if (status !== 200) {
    expect([200, 502], `${asked.uri}: ${head}`).toContain(asked.mayBreak ? status : 0);
    const length = Number(/content-length: (\d+)/i.exec(head)![1]);
    return data.length >= headEnd + 4 + length ? headEnd + 4 + length : -1;
  }
  const coded = /content-encoding: gzip/i.test(head);
  const start = headEnd + 4;
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  if (length !== undefined) {
    const end = start + Number(length);
    const whole = data.length >= end;
    checkBody(asked, data.subarray(start, Math.min(end, data.length)), whole, coded);
    return whole ? end : -1;
  }
  if (!/transfer-encoding: chunked/i.test(head)) {
    checkBody(asked, data.subarray(start), ended && !asked.mayBreak, coded);
    return ended ? data.length : -1;
  }
  const pieces: Buffer[] = [];
  for (let at = start; ; ) {
    const line = data.indexOf('\r\n', at);
    const size = line < 0 ? -1 : Number.parseInt(data.latin1Slice(at, line), 16);
    if (size < 0 || line + 2 + size + 2 > data.length) {
      if (size > 0) pieces.push(data.subarray(line + 2, line + 2 + size));
      checkBody(asked, Buffer.concat(pieces), false, coded);
      return -1;
    }
    expect(Number.isNaN(size), `${asked.uri}: size of a chunk`).toBe(false);
    if (size === 0) {
      checkBody(asked, Buffer.concat(pieces), true, coded);
      return line + 4;
    }
    pieces.push(data.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}

/** Counts of events, to check that each kind occurs. */
const seen = { whole: 0, cut: 0, aborted: 0, http2: 0 };

// ---------------------------------------------------------------- clients

/** One connection with some requests at once, perhaps read slowly, perhaps closed early. */
function run(next: (below: number) => number): Promise<void> {
  const list = Array.from({ length: 1 + next(4) }, () => choose(next));
  const leaveAt = next(4) === 0 ? next(300_000) : Infinity;
  const pauses = next(3) === 0;
  const tls = next(4) === 0;
  const text = list
    .map(({ uri, gzip }, n) => {
      const last = n === list.length - 1;
      return `GET ${uri} HTTP/1.1\r\nHost: localhost\r\n${gzip ? 'Accept-Encoding: gzip\r\n' : ''}${last ? 'Connection: close\r\n' : ''}\r\n`;
    })
    .join('');
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    let left = false;
    const options = { port: tls ? secure : plain, host: '127.0.0.1', rejectUnauthorized: false };
    const socket: Socket = tls ? connectTls(options) : connect(options);
    socket.once(tls ? 'secureConnect' : 'connect', () => socket.write(text));
    socket.on('data', (data) => {
      pieces.push(data);
      bytes += data.length;
      if (bytes >= leaveAt) {
        left = true;
        socket.destroy();
      } else if (pauses && pieces.length % 4 === 0) {
        socket.pause();
        setTimeout(() => socket.resume(), next(3));
      }
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      try {
        const all = Buffer.concat(pieces);
        let at = 0;
        for (const asked of list) {
          const end = readAnswer(asked, all.subarray(at), !left);
          if (end >= 0) {
            seen.whole++;
            at += end;
            continue;
          }
          // after the last complete one only a back end, this client or a reload may have aborted
          if (!left && !asked.mayBreak && all.length > at) throw new Error(`${asked.uri}: ${all.length - at} bytes, cut`);
          if (left) seen.aborted++;
          else seen.cut++;
          break;
        }
        resolve();
      } catch (error) {
        reject(error);
      }
    });
  });
}

/** Concurrent streams on one connection of HTTP/2, some of them reset. */
function runHttp2(next: (below: number) => number): Promise<void> {
  const list = Array.from({ length: 1 + next(5) }, () => choose(next));
  const session = connectHttp2(`http://127.0.0.1:${plain}`);
  session.on('error', () => {});
  const streams = list.map(
    (asked) =>
      new Promise<void>((resolve, reject) => {
        const leaveAt = next(4) === 0 ? next(300_000) : Infinity;
        const stream = session.request({ ':path': asked.uri, ...(asked.gzip && { 'accept-encoding': 'gzip' }) });
        const pieces: Buffer[] = [];
        let bytes = 0;
        let ended = false;
        let status = 0;
        let coded = false;
        stream.on('response', (head) => {
          status = head[':status']!;
          coded = head['content-encoding'] === 'gzip';
        });
        stream.on('data', (data: Buffer) => {
          pieces.push(data);
          bytes += data.length;
          if (bytes >= leaveAt) stream.close();
        });
        stream.on('end', () => (ended = true));
        stream.on('error', () => {});
        stream.on('close', () => {
          try {
            if (status === 200)
              checkBody(
                { ...asked, uri: `HTTP/2 ${asked.uri}` },
                Buffer.concat(pieces),
                ended && bytes < leaveAt && stream.rstCode === 0,
                coded,
              );
            seen.http2++;
            resolve();
          } catch (error) {
            reject(error);
          }
        });
      }),
  );
  return Promise.all(streams).then(() => session.destroy());
}

/** Fails if an answer never ends. */
async function within(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(new Error('no end after a minute')), 60_000)));
  await Promise.race([work, late]);
  clearTimeout(timer);
}

// ---------------------------------------------------------------- the test

beforeAll(async () => {
  plain = await freePort();
  secure = await freePort();
  const backPort = await freePort();
  back = await serveBack(backPort);
  const openssl = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-days', '2'];
  execFileSync('openssl', [...openssl, '-keyout', `${front.folder}/k.pem`, '-out', `${front.folder}/c.pem`], { stdio: 'ignore' });
  const page = '<!--#include virtual="$arg_a" --><!--#include virtual="$arg_b" --><!--#include virtual="$arg_c" -->';
  front.config(
    `
    upstream back { server 127.0.0.1:${backPort}; keepalive 4; }
    proxy_cache_path cache keys_zone=kept:1m;
    proxy_http_version 1.1; proxy_set_header Connection ""; keepalive_requests 1000; send_timeout 5s;
    ssl_certificate c.pem; ssl_certificate_key k.pem;
    server { listen 127.0.0.1:${plain}; listen 127.0.0.1:${secure} ssl; http2 on; default_type text/plain;
      location /proxy { proxy_pass http://back; proxy_max_temp_file_size 0; }
      location /unbuffered { proxy_pass http://back; proxy_buffering off; }
      location /spool { proxy_pass http://back; proxy_buffers 4 4k; proxy_busy_buffers_size 8k; }
      location /cache { proxy_pass http://back; proxy_cache kept; proxy_cache_use_stale updating; proxy_cache_background_update on; }
      location /packed { proxy_pass http://back; proxy_cache kept; proxy_cache_lock on; gzip on; gzip_types *; gzip_min_length 1; }
      location /changed { proxy_pass http://back; sub_filter nothing-of-it x; sub_filter_types *; }
      location /slow { proxy_pass http://back; limit_rate 300k; }
      location /page { ssi on; ssi_types *; alias ${front.folder}/page; }
      location /files/ { alias ${front.folder}/; }
    }`,
    'worker_processes 2;',
  );
  front.write('page', page);
  for (const [name, bytes] of Object.entries(FILES)) front.write(name, bodyFor(fileSeed(name), bytes));
  await front.start();
});
afterAll(async () => {
  await front.dispose();
  back.close();
});

test('every byte belongs to the response of its request', async () => {
  let rounds = 0;
  await Promise.all(
    Array.from({ length: LANES }, async (_, lane) => {
      for (let round = 0; round < ROUNDS; round++) {
        const seed = SEED * 1_000_003 + lane * 100_000 + round;
        const next = random(seed);
        try {
          await within(next(6) === 0 ? runHttp2(next) : run(next));
        } catch (error) {
          throw new Error(`seed ${seed}: ${(error as Error).message}`);
        }
        if (++rounds % (LANES * 15) === 0) front.signal('SIGHUP');
      }
    }),
  );
  expect(
    Object.values(seen).every((count) => count > 0),
    JSON.stringify(seen),
  ).toBe(true);
  expect(front.read('error.log')).not.toMatch(/\[(alert|emerg)\]/);
});
