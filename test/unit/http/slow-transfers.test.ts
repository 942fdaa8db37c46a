// Guard 10 of src/http/uws-guards.ts: transfers that are slower than the idle time of uWebSockets, 10 s, are not cut. Both listeners wait at the same time.
import net from 'node:net';
import { expect, test } from 'vitest';
import { isUws } from '../../../src/http/uws-process.ts';
import { startHttpChild } from '../../support/http-child.ts';

const KINDS = isUws('auto') ? (['uws', 'net'] as const) : (['net'] as const);

test.concurrent.each(KINDS)('%s listener: an upload of a few bytes a second and a reader that stops for 12 s are not cut', async (kind) => {
  const child = await startHttpChild(kind);
  const slowUpload = new Promise<string>((resolve) => {
    const socket = net.connect(child.port, '127.0.0.1');
    let answer = '';
    socket.write(`POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 26\r\nConnection: close\r\n\r\n`);
    let sent = 0;
    const timer = setInterval(() => {
      if (sent++ < 26) socket.write('x');
      else clearInterval(timer);
    }, 500);
    socket.on('data', (chunk) => (answer += chunk));
    socket.on('close', () => {
      clearInterval(timer);
      resolve(answer);
    });
  });
  const slowReader = new Promise<number>((resolve) => {
    const socket = net.connect(child.port, '127.0.0.1');
    let bytes = 0;
    socket.write('GET /stream?30000000 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    socket.once('data', () => {
      socket.pause();
      setTimeout(() => socket.resume(), 12_000);
    });
    socket.on('data', (chunk) => (bytes += chunk.length));
    socket.on('close', () => resolve(bytes));
  });
  expect(await slowUpload).toContain('"length":26');
  expect(await slowReader).toBeGreaterThan(30_000_000);
  expect(await child.stop()).toBe(0);
});
