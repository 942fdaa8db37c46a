// Writes that bypass node:net keep its order, its backpressure and its errors.
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DirectWriter } from '../../../../src/http/wire/direct-writer.ts';

let server: Server;
let near: Socket;
let far: Socket;

beforeEach(async () => {
  server = createServer({ pauseOnConnect: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  near = connect((server.address() as { port: number }).port, '127.0.0.1');
  [far] = (await accepted) as [Socket];
  if (near.connecting) await once(near, 'connect');
});
afterEach(() => {
  near.destroy();
  far.destroy();
  server.close();
});

async function readAll(): Promise<Buffer> {
  const parts: Buffer[] = [];
  far.on('data', (data: Buffer) => parts.push(data));
  far.resume();
  await once(far, 'end');
  return Buffer.concat(parts);
}

test('writes strings as latin1; what the system accepts at once never reaches the socket', async () => {
  const writer = new DirectWriter(near);
  expect(writer.write('caf\xe9 ')).toBe(true);
  expect(writer.write(Buffer.from('bytes'))).toBe(true);
  expect([writer.pending, near.writableLength]).toEqual([0, 0]);
  near.end();
  expect((await readAll()).toString('latin1')).toBe('caf\xe9 bytes');
});

test.each(['text', 'bytes'])(
  'the part of %s that a full socket does not accept waits, and later writes and the end follow it',
  async (kind) => {
    const writer = new DirectWriter(near);
    let sent = '';
    for (let n = 0; writer.pending === 0 && n < 5000; n++) {
      const part = String.fromCharCode(65 + (n % 26)).repeat(16_000);
      expect(writer.write(kind === 'text' ? part : Buffer.from(part))).toBe(true);
      sent += part;
    }
    expect(writer.pending).toBe(16_000);
    expect(writer.write('refused')).toBe(false);
    near.write('after');
    near.end('the end');
    const got = (await readAll()).toString('latin1');
    expect(got.length).toBe(sent.length + 12);
    expect(got === `${sent}afterthe end`).toBe(true);
    expect(writer.pending).toBe(0);
  },
);

test('reports the end of a write that the system does not accept at once', async () => {
  const large = [Buffer.alloc(9_000_000, 'a'), Buffer.alloc(1_000_000, 'b')];
  let written = 0;
  const writer = new DirectWriter(near, () => written++);
  expect(writer.writeAll('caf\xe9', large, 10_000_004)).toBe(true);
  expect([writer.pending, written]).toEqual([10_000_004, 0]);
  expect(writer.writeAll('', large, 10_000_000)).toBe(false);
  far.resume();
  const got = await new Promise<Buffer>((resolve) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    far.on('data', (data: Buffer) => {
      parts.push(data);
      bytes += data.length;
      if (bytes === 10_000_004) resolve(Buffer.concat(parts));
    });
  });
  while (written === 0) await sleep(1);
  expect([writer.pending, written]).toEqual([0, 1]);
  expect(got.equals(Buffer.concat([Buffer.from('caf\xe9', 'latin1'), ...large]))).toBe(true);
  expect(writer.writeAll('', [Buffer.from('one, '), Buffer.from('two')], 8)).toBe(true);
  expect(writer.pending).toBe(0);
  near.end();
  expect((await readAll()).toString()).toBe('one, two');
});

test("direct writes wait for corked data, and follow the socket's own writes and its end", () => {
  const writer = new DirectWriter(near);
  near.cork();
  expect(writer.write('x')).toBe(false);
  near.uncork();
  while (near.writableLength === 0) near.write(Buffer.alloc(256 * 1024));
  expect(writer.write('x')).toBe(false);
  near.end();
  expect(writer.write('x')).toBe(false);
});

test('a disconnected peer is an error of the socket', async () => {
  const writer = new DirectWriter(near);
  const failed = once(near, 'error').catch((error: unknown) => [error]);
  near.pause();
  far.resetAndDestroy();
  for (let n = 0; !near.destroyed && n < 100; n++) {
    writer.write('x');
    await sleep(5);
  }
  const [error] = (await failed) as [NodeJS.ErrnoException];
  expect(['EPIPE', 'ECONNRESET']).toContain(error.code);
  expect(near.destroyed).toBe(true);
});

test('bytes that wait when the socket is destroyed are dropped', async () => {
  const writer = new DirectWriter(near);
  for (let n = 0; writer.pending === 0 && n < 5000; n++) writer.write(Buffer.alloc(16_000));
  expect(writer.pending).toBeGreaterThan(0);
  near.destroy();
  await once(near, 'close');
  await sleep(5);
  expect(writer.pending).toBe(0);
});
