// A connection of the net listener: one reply per request whatever its body contains, empty lines before requests, readers that stop.
import { once } from 'node:events';
import net from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Handler, HttpReply } from '../../../src/http/listener.ts';
import { type ConnectionOwner, NetConnection } from '../../../src/http/net-connection.ts';

const CHUNKED = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
const MALFORMED = '5\r\nhello\r\nnot a chunk\r\n';
const CLOSING = 'GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

let handler: Handler;
/** Called after the handler. */
let whenHandled: () => void = () => undefined;
let sockets: net.Socket[] = [];
const owner: ConnectionOwner = {
  options: {
    host: '127.0.0.1',
    port: 0,
    maxContentLength: 1 << 20,
    maxHeaderSize: 16_384,
    readTimeoutMs: 30_000,
    minBodyRate: 0,
    isShared: false,
    tls: null,
  },
  handler(request, reply) {
    const done = handler(request, reply);
    whenHandled();
    return done;
  },
  isDraining: false,
  inFlight: 0,
  requestDone() {
    owner.inFlight--;
  },
  closed: () => undefined,
};
const server = net.createServer({ noDelay: true }, (socket) => {
  const connection = new NetConnection(owner, socket);
  sockets.push(socket);
  socket.on('data', (chunk) => connection.onData(chunk));
});
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});
beforeEach(() => {
  sockets = [];
  handler = ({ method, path }, reply) => reply.send(200, {}, `${method} ${path}`);
});

const connect = (): net.Socket => net.connect((server.address() as net.AddressInfo).port, '127.0.0.1');

const HANDLED = Symbol('the handler has been called');

/** Sends pieces in writes of their own, those after HANDLED when it is true; resolves to everything received until the server closes. */
async function exchange(...pieces: ReadonlyArray<string | typeof HANDLED>): Promise<string> {
  const handled = new Promise<void>((resolve) => {
    whenHandled = resolve;
  });
  const socket = connect();
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk) => (received += chunk));
  const closed = once(socket, 'close');
  for (const piece of pieces) {
    if (piece === HANDLED) await handled;
    else {
      socket.write(piece, 'latin1');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  await closed;
  return received;
}

const statuses = (text: string): string[] => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1]);

describe('a malformed chunked body', () => {
  test('is refused once if the handler waits for it', async () => {
    const late: Array<Promise<void>> = [];
    handler = (request, reply) => {
      const answer = request.body.bytes(1000).then(
        () => expect.fail('the body is malformed'),
        (error: Error) => reply.send(400, {}, error.message),
      );
      late.push(answer);
    };
    const received = await exchange(CHUNKED, HANDLED, MALFORMED, CLOSING);
    await Promise.all(late);
    expect(statuses(received)).toEqual(['400']);
    expect(received).toContain('malformed chunked body');
    expect(owner.inFlight).toBe(0);
  });

  test('is refused once if it arrives with the head', async () => {
    handler = async (request, reply) => reply.send(200, {}, await request.body.bytes(1000));
    expect(statuses(await exchange(CHUNKED + MALFORMED + CLOSING))).toEqual(['400']);
    expect(owner.inFlight).toBe(0);
  });

  test('ends the connection without a second reply if the handler has replied already', async () => {
    handler = (_request, reply) => reply.send(200, {}, 'early');
    const received = await exchange(CHUNKED, HANDLED, MALFORMED, CLOSING);
    expect(statuses(received)).toEqual(['200']);
    expect(received.endsWith('early')).toBe(true);
    expect(owner.inFlight).toBe(0);
  });

  test('ends a reply that is being streamed, without another status line', async () => {
    let reply: HttpReply | null = null;
    handler = (_request, given) => {
      reply = given;
      given.stream(200, {}).write('part');
    };
    const received = await exchange(CHUNKED, HANDLED, MALFORMED, CLOSING);
    expect(statuses(received)).toEqual(['200']);
    expect(received).toContain('part');
    expect(received.endsWith('0\r\n\r\n')).toBe(false);
    expect(reply).toMatchObject({ aborted: true });
    expect(owner.inFlight).toBe(0);
  });
});

describe('empty lines before a request', () => {
  test.each([1, 2, 8])('%d are skipped, wherever the bytes are split', async (count) => {
    const bytes = '\r\n'.repeat(count) + CLOSING;
    expect(await exchange(bytes)).toMatch(/GET \/last$/);
    for (const at of [1, 2, 3, count * 2 - 1, count * 2]) {
      expect(await exchange(bytes.slice(0, at), bytes.slice(at)), `cut at ${at}`).toMatch(/GET \/last$/);
    }
  });

  test('are skipped between requests', async () => {
    const received = await exchange('GET /first HTTP/1.1\r\nHost: a\r\n\r\n\r\n\r', '\n', CLOSING);
    expect(received).toMatch(/GET \/first.*GET \/last$/s);
  });

  test('too many at once are refused', async () => {
    expect(statuses(await exchange('\r\n'.repeat(9) + CLOSING))).toEqual(['400']);
  });

  test.each(['\n', '\r', '\r\r\n'])('%j is not an empty line', async (text) => {
    expect(statuses(await exchange(text + CLOSING))).toEqual(['400']);
  });
});

describe('a reader that stops', () => {
  /** Streams until the socket is full; `drained` is the promise of the reply's stream. */
  async function fill(): Promise<{ socket: net.Socket; drained: Promise<void>; reply: HttpReply; end(): void }> {
    const socket = connect().pause();
    const filled = new Promise<{ drained: Promise<void>; reply: HttpReply; end(): void }>((resolve) => {
      handler = (_request, reply) => {
        const stream = reply.stream(200, {});
        const chunk = Buffer.alloc(1 << 20);
        // More than the buffers of both sockets can hold.
        for (let n = 0; n < 32; n++) stream.write(chunk);
        resolve({ drained: stream.drained(), reply, end: () => stream.end() });
      };
    });
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    return { socket, ...(await filled) };
  }

  test('drained() waits until it reads again', async () => {
    const { socket, drained, end } = await fill();
    let isDrained = false;
    const waiting = drained.then(() => (isDrained = true));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isDrained).toBe(false);
    let bytes = 0;
    socket.on('data', (chunk) => (bytes += chunk.length)).resume();
    await waiting;
    end();
    await once(socket, 'close');
    expect(bytes).toBeGreaterThan(1 << 20);
    expect(owner.inFlight).toBe(0);
  });

  test('drained() ends when the client disconnects, and at once afterwards', async () => {
    const { socket, drained, reply, end } = await fill();
    socket.destroy();
    await drained;
    expect(reply.aborted).toBe(true);
    end();
    expect(owner.inFlight).toBe(0);
  });
});
