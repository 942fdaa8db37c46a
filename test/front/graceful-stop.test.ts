/** Effect of a graceful stop on connections between two states: their protocol is not known yet, or HTTP/2 has ended with an error. */
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { bodyOf, front, frontForEach, get, port, back as proxied } from '../support/front.ts';

frontForEach();

const opened = (to: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(to, '127.0.0.1', () => resolve(socket));
    socket.on('error', reject);
  });

const refused = (to: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = connect(to, '127.0.0.1', () => {
      probe.destroy();
      resolve(false);
    });
    probe.on('error', () => resolve(true));
  });

/** All that a client receives until the connection closes. */
const rest = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    socket.on('data', (data) => (text += data.toString('latin1')));
    socket.on('close', () => resolve(text));
  });

/** Type, flags, stream and content as in RFC 9113, section 4.1. */
function frame(type: number, flags: number, stream: number, content: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(content.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, content]);
}
const DATA = 0;
const HEADERS = 1;
const SETTINGS = 4;
const GOAWAY = 7;
const END_STREAM = 1;
const END_HEADERS = 4;
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const field = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)]);

/** Whether the bytes contain a frame of a type. */
function hasFrame(bytes: Buffer, type: number): boolean {
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) if (bytes[at + 3] === type) return true;
  return false;
}

test('connections whose protocol is not known yet are served', async () => {
  front.config(
    `server { listen 127.0.0.1:${port}; http2 on; return 200 served; } server { listen 127.0.0.1:${proxied} proxy_protocol; return 200 $proxy_protocol_addr; }`,
    'worker_processes 1;',
  );
  await front.start();
  const plain = await opened(port);
  const behind = await opened(proxied);
  // later connections that were served show that these were accepted
  expect(bodyOf(await get(port, '/'))).toBe('served');
  const later = await opened(proxied);
  const answered = rest(later);
  later.write('PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\nGET / HTTP/1.0\r\n\r\n');
  expect(bodyOf(await answered)).toBe('192.0.2.1');
  const ended = front.stop();
  while (!(await refused(port))) await new Promise((resolve) => setTimeout(resolve, 20));
  const answers = Promise.all([rest(plain), rest(behind)]);
  plain.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  behind.write('PROXY TCP4 192.0.2.7 192.0.2.2 1 2\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [first, second] = await answers;
  expect(first).toMatch(/^HTTP\/1\.1 200 OK.*Connection: close.*served$/s);
  expect(second).toMatch(/^HTTP\/1\.1 200 OK.*Connection: close.*192\.0\.2\.7$/s);
  expect(await ended).toBe(0);
});

test('an HTTP/2 connection that ended with an error, and whose client left, keeps no worker', async () => {
  front.config(`server { listen 127.0.0.1:${port}; http2 on; return 200 served; }`);
  await front.start();
  const client = await opened(port);
  let received = Buffer.alloc(0);
  const goneAway = new Promise<void>((resolve) =>
    client.on('data', (data) => {
      received = Buffer.concat([received, data]);
      if (hasFrame(received, GOAWAY)) resolve();
    }),
  );
  const request = Buffer.concat([field(':method', 'GET'), field(':scheme', 'http'), field(':path', '/'), field(':authority', 'x')]);
  client.write(
    Buffer.concat([
      PREFACE,
      frame(SETTINGS, 0, 0, Buffer.alloc(0)),
      frame(HEADERS, END_STREAM | END_HEADERS, 1, request),
      // a frame of a stream that the client has closed
      frame(DATA, 0, 1, Buffer.from('more')),
    ]),
  );
  await goneAway;
  client.destroy();
  expect(await front.stop()).toBe(0);
});

test('an HTTP/2 connection closes with its client', async () => {
  front.config(
    `server { listen 127.0.0.1:${port}; http2 on; keepalive_timeout 1h; return 200 served; }
     server { listen 127.0.0.1:${proxied}; location / { stub_status; } }`,
    'worker_processes 1;',
  );
  await front.start();
  const active = async (): Promise<string> => /Active connections: (\d+)/.exec(await get(proxied, '/'))?.[1] ?? '';
  const client = await opened(port);
  const settled = new Promise((resolve) => client.once('data', resolve));
  client.write(Buffer.concat([PREFACE, frame(SETTINGS, 0, 0, Buffer.alloc(0))]));
  await settled;
  expect(await active()).toBe('2');
  client.destroy();
  await expect.poll(active, { timeout: 30_000 }).toBe('1');
});
