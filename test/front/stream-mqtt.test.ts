/** MQTT in `stream { }`: names read from the CONNECT packet, and the packet modified in transit. */
import { connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { Front, ours } from '../support/front.ts';

const front = new Front();
const port = { back: 0, preread: 0, filter: 0, small: 0 };
let back: Server;
let received: Buffer = Buffer.alloc(0);

const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length >> 8, value.length & 255]), Buffer.from(value)]);
interface Fields {
  level?: number;
  client?: string;
  will?: [string, string];
  user?: string;
  password?: string;
}
/** A CONNECT packet, written by the standard rather than by our writer. */
function packet({ level = 4, client = 'c1', will, user, password }: Fields): Buffer {
  const flags = 2 | (will ? 4 : 0) | (user === undefined ? 0 : 0x80) | (password === undefined ? 0 : 0x40);
  const properties = level === 5 ? Buffer.from([5, 0x11, 0, 0, 0, 10]) : Buffer.alloc(0);
  const body = Buffer.concat([
    ...[text('MQTT'), Buffer.from([level, flags, 0, 60]), properties, text(client)],
    ...(will ? [level === 5 ? Buffer.from([0]) : Buffer.alloc(0), text(will[0]), text(will[1])] : []),
    ...(user === undefined ? [] : [text(user)]),
    ...(password === undefined ? [] : [text(password)]),
  ]);
  const length = body.length < 128 ? [body.length] : [(body.length & 127) | 128, body.length >> 7];
  return Buffer.concat([Buffer.from([0x10, ...length]), body]);
}

beforeAll(async () => {
  for (const name of ['back', 'preread', 'filter', 'small'] as const) port[name] = await freePort();
  back = createServer((socket) => socket.on('error', () => {}).on('data', (data) => (received = Buffer.concat([received, data]))));
  await new Promise<void>((resolve) => back.listen(port.back, '127.0.0.1', resolve));
  front.config(
    '',
    `stream {
      server { listen 127.0.0.1:${port.preread}; mqtt_preread on; return "$mqtt_preread_clientid|$mqtt_preread_username"; }
      server { listen 127.0.0.1:${port.filter}; mqtt on; mqtt_set_connect clientid "$remote_addr"; mqtt_set_connect username named;
        mqtt_set_connect password secret; proxy_pass 127.0.0.1:${port.back}; }
      server { listen 127.0.0.1:${port.small}; mqtt on; mqtt_buffers 1 1k; proxy_pass 127.0.0.1:${port.back}; } }`,
  );
  if (ours) await front.start();
});
afterAll(async () => {
  await front.dispose();
  back.close();
});

/** Sends parts, and returns everything received until the end. */
const ask = (to: number, ...parts: Buffer[]): Promise<string> =>
  new Promise((resolve) => {
    let out = '';
    const socket = connect({ port: to, host: '127.0.0.1', noDelay: true }, () => {
      for (const part of parts) socket.write(part);
    });
    socket.on('error', () => {}).on('data', (data) => (out += String(data)));
    socket.on('close', () => resolve(out));
  });
/** Sends parts, and waits until the back end has received this many bytes. */
async function passed(bytes: number, ...parts: Buffer[]): Promise<Buffer> {
  received = Buffer.alloc(0);
  const socket = connect({ port: port.filter, host: '127.0.0.1', noDelay: true }, () => {
    for (const part of parts) socket.write(part);
  });
  socket.on('error', () => {});
  await front.until(() => received.length >= bytes);
  socket.destroy();
  return received;
}

test.skipIf(!ours).each([4, 5])('names are read from a packet of level %i, also in pieces', async (level) => {
  const whole = packet({ level, client: 'device', user: 'someone', password: 'x', will: ['topic', 'gone'] });
  expect(await ask(port.preread, whole)).toBe('device|someone');
  expect(await ask(port.preread, whole.subarray(0, 1), whole.subarray(1, 9), whole.subarray(9))).toBe('device|someone');
  expect(await ask(port.preread, packet({ level }))).toBe('c1|');
});

test.skipIf(!ours)('data that is not MQTT has no names', async () => {
  expect(await ask(port.preread, Buffer.from('GET / HTTP/1.0\r\n\r\n'))).toBe('|');
  expect(await ask(port.preread, Buffer.from([0x10, 255, 255, 255, 255, 1]))).toBe('|');
});

test.skipIf(!ours).each([4, 5])('the packet of level %i is changed and the rest passes', async (level) => {
  const will: [string, string] = ['topic', 'x'.repeat(200)];
  const rest = Buffer.from([0xc0, 0]);
  const expected = Buffer.concat([packet({ level, client: '127.0.0.1', user: 'named', password: 'secret', will }), rest]);
  const sent = packet({ level, client: 'a', will });
  expect(await passed(expected.length, Buffer.concat([sent, rest]))).toEqual(expected);
  expect(await passed(expected.length, sent.subarray(0, 20), sent.subarray(20), rest)).toEqual(expected);
});

test.skipIf(!ours)('a session that does not begin with CONNECT, or with one that is too large, is closed', async () => {
  received = Buffer.alloc(0);
  expect(await ask(port.filter, Buffer.from('GET / HTTP/1.0\r\n\r\n'))).toBe('');
  expect(await ask(port.small, packet({ client: 'c'.repeat(1500) }).subarray(0, 1400))).toBe('');
  expect(received.length).toBe(0);
  expect(front.read('error.log')).toMatch(/client sent an invalid MQTT CONNECT packet/);
  expect(front.read('error.log')).toMatch(/client sent too large an MQTT CONNECT packet/);
});
