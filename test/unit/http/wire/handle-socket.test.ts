import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { HandleSocket } from '../../../../src/http/wire/handle-socket.ts';

let server: Server | null = null;
afterEach(() => {
  server?.close();
  server = null;
});

/** Opens a connection to a server of the test. @returns both ends, and the bytes that the HandleSocket has read */
async function pair(): Promise<{ near: HandleSocket; far: Socket; read: Buffer[] }> {
  server = createServer({ allowHalfOpen: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const buffer = Buffer.alloc(4096);
  const read: Buffer[] = [];
  const callback = (count: number): boolean => {
    read.push(Buffer.from(buffer.subarray(0, count)));
    return true;
  };
  const near = HandleSocket.connect('127.0.0.1', (server.address() as AddressInfo).port, { buffer, callback });
  if (!near) throw new Error('the handles of this Node are not known');
  await once(near, 'connect');
  const [far] = (await accepted) as [Socket];
  return { near, far, read };
}

test('passes bytes both ways, and closes when both sides have ended', async () => {
  const { near, far, read } = await pair();
  const ended = once(near, 'end');
  const got: Buffer[] = [];
  far.on('data', (data) => got.push(data));
  near.write(Buffer.from('ping '));
  near.write('pong', 'latin1');
  near.end();
  await once(far, 'end');
  expect(Buffer.concat(got).toString()).toBe('ping pong');
  expect(near.destroyed).toBe(false);
  const closed = once(near, 'close');
  far.end('answer');
  await ended;
  await closed;
  expect(Buffer.concat(read).toString()).toBe('answer');
  expect(near.destroyed).toBe(true);
});

test('asks for a pause while much is queued, and sends all of it before it closes', async () => {
  const { near, far } = await pair();
  const chunk = Buffer.alloc(1 << 20, 'x');
  let chunks = 1;
  while (near.write(chunk)) chunks++;
  expect(near.writableLength).toBeGreaterThan(0);
  const drained = once(near, 'drain');
  let bytes = 0;
  far.on('data', (data) => {
    bytes += data.length;
  });
  await drained;
  expect(near.writableLength).toBe(0);
  near.write(chunk);
  near.destroySoon();
  await once(far, 'end');
  expect(bytes).toBe((chunks + 1) * chunk.length);
  far.destroy();
});

test('reads nothing while it is paused', async () => {
  const { near, far, read } = await pair();
  near.pause();
  far.write('later');
  await new Promise<void>((resolve) => far.write('', () => resolve()));
  expect(read).toEqual([]);
  const ended = once(near, 'end');
  near.resume();
  far.end();
  await ended;
  expect(Buffer.concat(read).toString()).toBe('later');
  near.destroy();
});

test('reports a refused and a reset connection with their codes', async () => {
  const { near, far } = await pair();
  const { port } = server!.address() as AddressInfo;
  const reset = once(near, 'error');
  far.resetAndDestroy();
  expect((await reset)[0]).toMatchObject({ code: 'ECONNRESET', syscall: 'read' });
  server!.close();
  await once(server!, 'close');
  const refused = HandleSocket.connect('127.0.0.1', port, { buffer: Buffer.alloc(1), callback: () => true });
  const closed = new Promise<void>((resolve) => refused!.on('close', resolve));
  expect((await once(refused!, 'error'))[0]).toMatchObject({ code: 'ECONNREFUSED', syscall: 'connect' });
  await closed;
});
