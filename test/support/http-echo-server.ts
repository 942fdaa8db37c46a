// A listener with test routes, run as a child process: uWebSockets may not share a process with the test runner.
//   tsx test/support/http-echo-server.ts PORT KIND [READ_TIMEOUT_MS [MIN_BODY_RATE]]    prints `ready` when it listens; a line `stop` on stdin ends it by guard 5
import { createInterface } from 'node:readline';
import { createListener } from '../../src/http/create-listener.ts';
import { BodyTooLarge, BodyTooSlow, type Handler } from '../../src/http/listener.ts';

const LIMIT = 1_000_000;

const handler: Handler = async (request, reply) => {
  const { path } = request;
  if (path === '/echo') {
    try {
      const body = await request.body.bytes(LIMIT);
      reply.send(
        200,
        { 'content-type': 'application/json' },
        JSON.stringify({
          method: request.method,
          query: request.query,
          length: body.length,
          text: body.toString('latin1').slice(0, 200),
          headers: request.headers(),
        }),
      );
    } catch (error) {
      reply.send(error instanceof BodyTooLarge ? 413 : error instanceof BodyTooSlow ? 408 : 400, {}, (error as Error).message);
    }
  } else if (path === '/count') {
    let bytes = 0;
    for await (const chunk of request.body) {
      bytes += chunk.length;
      if (request.query === 'slow') await new Promise((resolve) => setTimeout(resolve, 1));
    }
    reply.send(200, {}, String(bytes));
  } else if (path === '/hold') {
    // The handler is busy for longer than uWebSockets lets a socket be idle; meanwhile a large body is paused.
    let bytes = 0;
    let isHeld = false;
    const hold = () => new Promise((resolve) => setTimeout(resolve, Number(request.query)));
    for await (const chunk of request.body) {
      bytes += chunk.length;
      if (!isHeld) await hold();
      isHeld = true;
    }
    if (!isHeld) await hold();
    reply.send(200, {}, String(bytes));
  } else if (path === '/unread') {
    reply.send(200, {}, 'early');
  } else if (path === '/no-content') {
    reply.send(204, {});
  } else if (path === '/bad-header') {
    try {
      reply.send(200, { 'x-a': 'a\r\nx-b: b' });
    } catch (error) {
      reply.send(500, {}, (error as Error).message);
    }
  } else if (path.startsWith('/stream')) {
    const total = Number(request.query);
    const out = reply.stream(200, { 'content-type': 'application/octet-stream' }, path === '/stream-sized' ? total : undefined);
    let left = total;
    let at = 0;
    while (left > 0 && !reply.aborted) {
      const chunk = Buffer.alloc(Math.min(left, 70_000));
      for (let i = 0; i < chunk.length; i++) chunk[i] = (at + i) % 251;
      at += chunk.length;
      left -= chunk.length;
      if (!out.write(chunk)) await out.drained();
    }
    out.end();
  } else if (path === '/abort') {
    reply.onAbort(() => process.stdout.write('aborted\n'));
  } else if (path === '/throw') {
    throw new Error('on purpose');
  } else {
    reply.send(200, { 'content-type': 'text/plain' }, `${request.method} ${path}`);
  }
};

const [port, kind, timeout = '30000', rate = '0'] = process.argv.slice(2);
const listener = await createListener(
  {
    host: '127.0.0.1',
    port: Number(port),
    maxContentLength: 50_000_000,
    maxHeaderSize: 16_384,
    readTimeoutMs: Number(timeout),
    minBodyRate: Number(rate),
    isShared: false,
    tls: null,
  },
  handler,
  kind as 'uws' | 'net',
);
await listener.listen();
process.stdout.write('ready\n');
createInterface({ input: process.stdin }).on('line', async (line) => {
  if (line === 'drain') {
    await listener.drain();
    process.stdout.write('drained\n');
  }
  if (line === 'stop') listener.stop(0);
});
