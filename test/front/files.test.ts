/** Files as responses: changes on disk show in the next response, and opened files are closed, neither too late nor too early. */
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
} from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { bodyOf, Front, get, headerOf, ours, raw, statusOf } from '../support/front.ts';

const front = new Front();
let port = 0;
const LARGE = 12 << 20;
/** seconds */
const TIME = 1_000_000_000;
/** a file whose reported size exceeds its content */
const SHORT_FILE = '/sys/kernel/mm/transparent_hugepage/enabled';

beforeAll(async () => {
  port = await freePort();
  front.config(
    `server { listen 127.0.0.1:${port}; default_type text/plain; subrequest_output_buffer_size 16m;
      location /after/ { alias ${front.folder}/; add_after_body /large.bin; addition_types *; }
      location /parts/ { alias ${front.folder}/; ssi on; ssi_types *; }
      location /sys/ { alias /sys/; }
      location /films/ { alias ${front.folder}/; flv; }
      location /packed/ { alias ${front.folder}/; gzip_static always; }
    }`,
    'worker_processes 1;',
  );
  chmodSync(front.folder, 0o755);
  front.write('large.bin', Buffer.alloc(LARGE, 'L'));
  front.write('large.gz', Buffer.alloc(LARGE, 'L'));
  front.write('other.bin', Buffer.alloc(LARGE, 'x'));
  front.write('small.txt', 'small');
  front.write('set.html', '<!--#include virtual="/large.bin" set="all" --><!--#if expr="$all = /LLL/" -->set<!--#endif -->');
  await front.start();
});
afterAll(() => front.dispose());

/** Large files that the workers have open. */
function openLarge(): number {
  const children = (pid: string): string[] => {
    const found = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean);
    return found.flatMap((child) => [child, ...children(child)]);
  };
  const master = front.read('nginx.pid').trim();
  return children(master)
    .flatMap((pid) => readdirSync(`/proc/${pid}/fd`).map((fd) => `/proc/${pid}/fd/${fd}`))
    .filter((link) => statSync(link, { throwIfNoEntry: false })?.size === LARGE).length;
}

test.each([
  [
    'in place, its time put back',
    (name: string) => {
      front.write('page.txt', 'second');
      utimesSync(name, TIME, TIME);
    },
    'second',
  ],
  [
    'replaced by one of the same size and time',
    (name: string) => {
      front.write('next.txt', 'secund');
      utimesSync(`${front.folder}/next.txt`, TIME, TIME);
      renameSync(`${front.folder}/next.txt`, name);
    },
    'secund',
  ],
  ['truncated', (name: string) => truncateSync(name, 3), 'fir'],
  ['emptied', (name: string) => truncateSync(name, 0), ''],
  ['removed', (name: string) => unlinkSync(name), undefined],
  [
    'made a link to another',
    (name: string) => {
      front.write('target.txt', 'target');
      unlinkSync(name);
      symlinkSync('target.txt', name);
    },
    'target',
  ],
])('a file in memory is %s', async (_how, change, body) => {
  const name = `${front.folder}/page.txt`;
  if (existsSync(name)) unlinkSync(name);
  front.write('page.txt', 'first!');
  utimesSync(name, TIME, TIME);
  for (let n = 0; n < 3; n++) expect(bodyOf(await get(port, '/page.txt'))).toBe('first!');
  change(name);
  for (let n = 0; n < 3; n++) {
    const answer = await get(port, '/page.txt');
    if (body === undefined) expect(statusOf(answer)).toBe(404);
    else expect(bodyOf(answer)).toBe(body);
  }
});

test('a file in memory whose permissions were taken away is refused', async () => {
  const own = new Front();
  const ownPort = await freePort();
  const temp = 'client_body_temp_path t; proxy_temp_path t; fastcgi_temp_path t; uwsgi_temp_path t; scgi_temp_path t;';
  own.write(
    'nginx.conf',
    `user nobody root; pid nginx.pid; daemon off; error_log error.log; events { }
    http { access_log off; ${temp} root ${own.folder}; server { listen 127.0.0.1:${ownPort}; } }`,
  );
  chmodSync(own.folder, 0o755);
  own.write('page.txt', 'page');
  await own.start();
  try {
    expect(bodyOf(await get(ownPort, '/page.txt'))).toBe('page');
    chmodSync(`${own.folder}/page.txt`, 0);
    expect(statusOf(await get(ownPort, '/page.txt'))).toBe(403);
    chmodSync(`${own.folder}/page.txt`, 0o644);
    expect(bodyOf(await get(ownPort, '/page.txt'))).toBe('page');
    chmodSync(own.folder, 0);
    expect(statusOf(await get(ownPort, '/page.txt'))).toBe(403);
  } finally {
    chmodSync(own.folder, 0o755);
    await own.dispose();
  }
});

test('a file that is rewritten continually is never served with old content', async () => {
  for (let n = 100; n < 400; n++) {
    front.write('busy.txt', String(n));
    expect(bodyOf(await get(port, '/busy.txt'))).toBe(String(n));
  }
});

test('a large file in a subrequest is read to its end, though the subrequest ended before the client took it', async () => {
  const body = await new Promise<Buffer>((resolve, reject) => {
    const pieces: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('GET /after/small.txt HTTP/1.0\r\nHost: localhost\r\n\r\n');
      socket.once('data', (first) => {
        pieces.push(first);
        socket.pause();
        // other requests open files meanwhile, which get the lowest free descriptor
        const others = Array.from({ length: 5 }, () => {
          const other = connect(port, '127.0.0.1', () => other.write('GET /other.bin HTTP/1.0\r\nHost: localhost\r\n\r\n'));
          other.on('error', () => {});
          return new Promise<void>((started) =>
            other.once('data', () => {
              other.pause();
              started();
            }),
          ).then(() => other);
        });
        void Promise.all(others).then((list) => {
          socket.on('data', (data) => pieces.push(data));
          socket.resume();
          socket.on('end', () => {
            for (const other of list) other.destroy();
            resolve(Buffer.concat(pieces));
          });
        });
      });
    });
    socket.on('error', reject);
  });
  const text = bodyOf(body.toString('latin1'));
  expect(text.length).toBe('small'.length + LARGE);
  expect(text.slice(0, 5)).toBe('small');
  expect(text.slice(5) === 'L'.repeat(LARGE)).toBe(true);
});

test('a large file can be the value of a variable of SSI', async () => {
  expect(bodyOf(await get(port, '/parts/set.html'))).toBe('set');
});

// nginx closes before it has sent the head
test.skipIf(!ours || !existsSync(SHORT_FILE))('a file that is shorter than its size ends the connection', async () => {
  const text = readFileSync(SHORT_FILE, 'latin1');
  const asked = `GET ${SHORT_FILE} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  for (let n = 0; n < 2; n++) {
    const answer = await raw(port, asked + asked);
    expect(Number(headerOf(answer, 'Content-Length'))).toBe(statSync(SHORT_FILE).size);
    expect(bodyOf(answer)).toBe(text);
  }
});

test.each(['/large.bin', '/films/large.bin', '/packed/large'])('a malformed body leaves no file open: %s', async (uri) => {
  const answer = await raw(port, `GET ${uri} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`);
  expect(statusOf(answer)).toBe(400);
  await front.until(() => openLarge() === 0);
});

test.skipIf(!ours)('a client that disconnects leaves no file open', async () => {
  for (let n = 0; n < 4; n++) {
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write('GET /after/small.txt HTTP/1.1\r\nHost: localhost\r\n\r\n'));
      socket.once('data', () => {
        socket.destroy();
        resolve();
      });
    });
  }
  await front.until(() => openLarge() === 0);
});
