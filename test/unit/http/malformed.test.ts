// One table of malformed heads and bodies, sent through both listeners byte by byte as written. The strict listener refuses each at once. The binary of
// uWebSockets accepts some leniently, and drops others without a response: it then closes the connection after its idle time of 10 s.
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isUws } from '../../../src/http/uws-process.ts';
import { type HttpChild, startHttpChild } from '../../support/http-child.ts';

const GET = 'GET /x HTTP/1.1\r\nHost: a\r\n';
const POST = 'POST /echo HTTP/1.1\r\nHost: a\r\n';
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`;

/** What the binary does: `refused` like the other listener, `dropped` without a response, or `lenient`: it reads the message as if it were correct. */
type Uws = 'refused' | 'dropped' | 'lenient';

const TABLE: ReadonlyArray<readonly [name: string, message: string, uws: Uws]> = [
  ['LF alone ends all lines', 'GET /x HTTP/1.1\nHost: a\n\n', 'refused'],
  ['LF alone ends the request line', 'GET /x HTTP/1.1\nHost: a\r\n\r\n', 'refused'],
  ['LF alone ends a field', `GET /x HTTP/1.1\r\nHost: a\nX: b\r\n\r\n`, 'dropped'],
  ['LF alone ends the head', `${GET}\n`, 'dropped'],
  ['CR alone ends all lines', 'GET /x HTTP/1.1\rHost: a\r\r', 'refused'],
  ['CR within a value', `${GET}X: a\rb\r\n\r\n`, 'dropped'],
  ['junk in place of LF', 'GET /x HTTP/1.1\rXHost: a\r\n\r\n', 'refused'],
  ['CR CR LF', `${GET}\r\r\n`, 'dropped'],
  ['NUL before the method', `\0${GET}\r\n`, 'refused'],
  ['NUL in the target', 'GET /x\0y HTTP/1.1\r\nHost: a\r\n\r\n', 'refused'],
  ['NUL in a name', `${GET}X\0: a\r\n\r\n`, 'dropped'],
  ['NUL in a value', `${GET}X: a\0b\r\n\r\n`, 'dropped'],
  ['a control character in a value', `${GET}X: a\x01b\r\n\r\n`, 'dropped'],
  ['a folded line', `${GET}X: a\r\n b\r\n\r\n`, 'dropped'],
  ['a folded first field', 'GET /x HTTP/1.1\r\n Host: a\r\n\r\n', 'dropped'],
  ['no Host', 'GET /x HTTP/1.1\r\n\r\n', 'dropped'],
  ['an empty Host', 'GET /x HTTP/1.1\r\nHost:\r\n\r\n', 'refused'],
  ['a space before the colon of Transfer-Encoding', `${POST}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`, 'dropped'],
  ['a tab before the colon of Content-Length', `${POST}Content-Length\t: 3\r\n\r\nabc`, 'dropped'],
  ['a space in a name', `${GET}X Y: b\r\n\r\n`, 'dropped'],
  ['an empty name', `${GET}: b\r\n\r\n`, 'lenient'],
  ['a field without a colon', `${GET}Xb\r\n\r\n`, 'dropped'],
  ['Content-Length with a sign', `${POST}Content-Length: +3\r\n\r\nabc`, 'refused'],
  ['Content-Length in hexadecimal', `${POST}Content-Length: 0x3\r\n\r\nabc`, 'refused'],
  ['a list in Content-Length', `${POST}Content-Length: 3, 3\r\n\r\nabc`, 'refused'],
  ['an empty Content-Length', `${POST}Content-Length:\r\n\r\nabc`, 'refused'],
  ['two codings', `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 'refused'],
  ['a chunk size that is no number', `${CHUNKED}zz\r\nabc\r\n0\r\n\r\n`, 'refused'],
  ['a chunk size with a prefix', `${CHUNKED}0x3\r\nabc\r\n0\r\n\r\n`, 'refused'],
  ['a negative chunk size', `${CHUNKED}-3\r\nabc\r\n0\r\n\r\n`, 'refused'],
  ['a chunk size of 18 digits', `${CHUNKED}ffffffffffffffffff\r\nabc\r\n0\r\n\r\n`, 'refused'],
  ['a chunk size after a space', `${CHUNKED} 3\r\nabc\r\n0\r\n\r\n`, 'lenient'],
  ['no chunk size', `${CHUNKED}\r\nabc\r\n0\r\n\r\n`, 'lenient'],
  ['LF alone after a chunk size', `${CHUNKED}3\nabc\r\n0\r\n\r\n`, 'lenient'],
  ['junk in place of LF after a chunk size', `${CHUNKED}3\rXabc\r\n0\r\n\r\n`, 'lenient'],
  ['junk in place of CR LF after a chunk', `${CHUNKED}3\r\nabcXX0\r\n\r\n`, 'lenient'],
  ['LF alone after a chunk', `${CHUNKED}3\r\nabc\n0\r\n\r\n`, 'lenient'],
  ['a chunk longer than its size', `${CHUNKED}3\r\nabcdef\r\n0\r\n\r\n`, 'lenient'],
  ['junk in place of the last CR LF', `${CHUNKED}3\r\nabc\r\n0\r\nXX\r\n\r\n`, 'lenient'],
  ['no version', 'GET /x\r\nHost: a\r\n\r\n', 'dropped'],
  ['a version in lower case', 'GET /x http/1.1\r\nHost: a\r\n\r\n', 'refused'],
  ['HTTP/2.0', 'GET /x HTTP/2.0\r\nHost: a\r\n\r\n', 'refused'],
  ['tabs in the request line', 'GET\t/x\tHTTP/1.1\r\nHost: a\r\n\r\n', 'refused'],
  ['a target without a slash', 'GET x HTTP/1.1\r\nHost: a\r\n\r\n', 'refused'],
  ['the start of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'refused'],
  ['the greeting of SSH', 'SSH-2.0-OpenSSH_9.2\r\n', 'dropped'],
];

/** Sends `message` and waits until the server closes. @returns all that it sent */
function untilClosed(port: number, message: string): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = net.connect(port, '127.0.0.1', () => socket.write(Buffer.from(message, 'latin1')));
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      received += chunk;
      // A correct message leaves the connection open.
      if (received.startsWith('HTTP/1.1 200')) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received));
  });
}

const kinds = isUws('auto') ? (['uws', 'net'] as const) : (['net'] as const);

describe.concurrent.each(kinds)('%s listener', (kind) => {
  let child: HttpChild;
  beforeAll(async () => {
    child = await startHttpChild(kind, [3000, 1000]);
  });
  afterAll(async () => {
    await child.stop();
  });

  test('malformed messages are refused, and the connection is closed', async () => {
    const answers = await Promise.all(TABLE.map(async ([name, message]) => [name, await untilClosed(child.port, message)] as const));
    const found = answers.map(([name, answer]) => [name, outcomeOf(answer)]);
    expect(found).toEqual(TABLE.map(([name, , uws]) => [name, kind === 'net' ? 'refused' : uws]));
  });

  test('a body that stalls and one that trickles get 408, while slow but steady ones are read', async () => {
    const [stalled, dripped, steady] = await Promise.all([
      drip(child.port, 0, 5000),
      drip(child.port, 100, 50_000),
      drip(child.port, 1000, 30_000),
    ]);
    expect(stalled).toMatch(/^HTTP\/1\.1 408 /);
    expect(dripped).toMatch(/^HTTP\/1\.1 408 /);
    expect(steady).toMatch(/^HTTP\/1\.1 200 /);
  });
});

function outcomeOf(answer: string): Uws {
  if (answer === '') return 'dropped';
  return /^HTTP\/1\.1 (?:400|505) /.test(answer) ? 'refused' : 'lenient';
}

/** Announces a body of `length` bytes and sends `perTick` of them five times a second. @returns the response */
function drip(port: number, perTick: number, length: number): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = net.connect(port, '127.0.0.1', () => socket.write(`${POST}Connection: close\r\nContent-Length: ${length}\r\n\r\nx`));
    let left = length - 1;
    const timer = setInterval(() => {
      const bytes = Math.min(perTick, left);
      if (bytes > 0) socket.write('y'.repeat(bytes));
      left -= bytes;
    }, 200);
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
      resolve(received);
    });
  });
}
