import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { HandleSocket, type SocketOwner } from '../../../../src/http/wire/handle-socket.ts';

let server: Server | null = null;
afterEach(() => {
  server?.close();
  server = null;
});

/** Re-emits the events of its socket. */
class Owner extends EventEmitter implements SocketOwner {
  readonly read: Buffer[] = [];
  readonly #buffer = Buffer.alloc(4096);
  readInto(): Buffer {
    return this.#buffer;
  }
  onRead(buffer: Buffer, count: number): void {
    this.read.push(Buffer.from(buffer.subarray(0, count)));
  }
  onSocketOpen(): void {
    this.emit('open');
  }
  onSocketEnd(): void {
    this.emit('end');
  }
  onSocketError(error: Error): void {
    this.emit('error', error);
  }
  onSocketDrain(): void {
    this.emit('drain');
  }
}

/** Opens a connection to a server of the test. @returns both ends, and the owner of the near one */
async function pair(): Promise<{ near: HandleSocket; far: Socket; owner: Owner }> {
  server = createServer({ allowHalfOpen: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const owner = new Owner();
  const near = HandleSocket.connect('127.0.0.1', (server.address() as AddressInfo).port, owner);
  if (!near) throw new Error('the handles of this Node are not known');
  await once(owner, 'open');
  const [far] = (await accepted) as [Socket];
  return { near, far, owner };
}

test('passes bytes both ways, and closes when both sides have ended', async () => {
  const { near, far, owner } = await pair();
  const ended = once(owner, 'end');
  const got: Buffer[] = [];
  far.on('data', (data) => got.push(data));
  near.write(Buffer.from('ping '));
  near.write('pong', 'latin1');
  near.end();
  await once(far, 'end');
  expect(Buffer.concat(got).toString()).toBe('ping pong');
  expect(near.destroyed).toBe(false);
  far.end('answer');
  await ended;
  expect(Buffer.concat(owner.read).toString()).toBe('answer');
  expect(near.destroyed).toBe(true);
});

test('requests a pause while its queue is full, and sends all of it before it closes', async () => {
  const { near, far, owner } = await pair();
  const chunk = Buffer.alloc(1 << 20, 'x');
  let chunks = 1;
  while (near.write(chunk)) chunks++;
  expect(near.writableLength).toBeGreaterThan(0);
  const drained = once(owner, 'drain');
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
  const { near, far, owner } = await pair();
  near.pause();
  far.write('later');
  await new Promise<void>((resolve) => far.write('', () => resolve()));
  expect(owner.read).toEqual([]);
  const ended = once(owner, 'end');
  near.resume();
  far.end();
  await ended;
  expect(Buffer.concat(owner.read).toString()).toBe('later');
  near.destroy();
});

test('reports a refused and a reset connection with their codes', async () => {
  const { far, owner } = await pair();
  const { port } = server!.address() as AddressInfo;
  const reset = once(owner, 'error');
  far.resetAndDestroy();
  expect((await reset)[0]).toMatchObject({ code: 'ECONNRESET', syscall: 'read' });
  server!.close();
  await once(server!, 'close');
  const caller = new Owner();
  const refused = HandleSocket.connect('127.0.0.1', port, caller);
  expect((await once(caller, 'error'))[0]).toMatchObject({ code: 'ECONNREFUSED', syscall: 'connect' });
  expect(refused?.destroyed).toBe(true);
});
