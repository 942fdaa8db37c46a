// A handler may be busy for longer than the 10 s after which uWebSockets closes an idle socket: neither a body that is paused meanwhile nor the response
// is lost (guard 10). The wait is that of the binary, and cannot be shortened.
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isUws } from '../../../src/http/uws-process.ts';
import { type HttpChild, startHttpChild } from '../../support/http-child.ts';

/** Beyond the idle time of 10 s and the four seconds by which its timers may be late. */
const HOLD_MS = 15_000;
/** More than the buffers of the sockets and of the listener take: most of it waits in the sender while the handler is busy. */
const LARGE = 16 << 20;

const kinds = isUws('auto') ? (['uws', 'net'] as const) : (['net'] as const);

describe.concurrent.each(kinds)('%s listener', (kind) => {
  let child: HttpChild;
  beforeAll(async () => {
    child = await startHttpChild(kind);
  });
  afterAll(() => child.stop());

  /** Sends a head and `bytes`, of which the socket takes as much as it can. @returns the response */
  function exchange(method: string, bytes: number): Promise<string> {
    return new Promise((resolve) => {
      let received = '';
      const length = bytes === 0 ? '' : `Content-Length: ${bytes}\r\n`;
      const socket = net.connect(child.port, '127.0.0.1', () => {
        socket.write(`${method} /hold?${HOLD_MS} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${length}\r\n`);
        if (bytes > 0) socket.write(Buffer.alloc(bytes, 'x'));
      });
      socket.setEncoding('latin1');
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(received));
    });
  }

  test('requests are answered after a long pause: without a body, with one that has arrived, and with one that is paused', async () => {
    const answers = await Promise.all([exchange('GET', 0), exchange('POST', 5), exchange('POST', LARGE)]);
    expect(answers.map((answer) => [answer.slice(9, 12), answer.split('\r\n\r\n')[1]])).toEqual([
      ['200', '0'],
      ['200', '5'],
      ['200', String(LARGE)],
    ]);
  });
});
