import { describe, expect, test } from 'vitest';
import { HttpResponseParser } from '../../../../../../src/front/http/upstream/protocol/http-response.ts';

/** Feeds a response in pieces. @returns the events of the parser as a list of words */
function hear(pieces: string[], headOnly = false, maxHeader = 4096): { said: string[]; parser: HttpResponseParser } {
  const said: string[] = [];
  const parser = new HttpResponseParser(
    {
      head: (head) => said.push(`head ${head.statusLine} ${head.fields.map((f) => `${f.name}=${f.value}`).join(' ')}`.trimEnd()),
      body: (data, last) => said.push(`body ${data.latin1Slice()}${last ? ' last' : ''}`),
      trailers: (fields) => said.push(`trailers ${fields.length}`),
      complete: (keepalive) => said.push(keepalive ? 'kept' : 'closed'),
    },
    headOnly,
    maxHeader,
  );
  for (const piece of pieces) parser.feed(Buffer.from(piece, 'latin1'));
  return { said, parser };
}

describe('responses of back ends', () => {
  test('reads head and body of a length, whole and byte by byte', () => {
    const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nback';
    expect(hear([answer]).said).toEqual(['head 200 OK Content-Length=4', 'body back last', 'kept']);
    expect(hear([...answer]).said).toEqual(['head 200 OK Content-Length=4', 'body b', 'body a', 'body c', 'body k last', 'kept']);
  });

  test('bytes after the end make the connection unusable', () => {
    expect(hear(['HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab']).said.at(-1)).toBe('closed');
    expect(hear(['HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\na']).said.at(-1)).toBe('closed');
  });

  test('interim heads are skipped, HEAD and 304 have no body', () => {
    const { said } = hear(['HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n']);
    expect(said).toEqual(['head 204 No Content', 'kept']);
    expect(hear(['HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'], true).said.at(-1)).toBe('kept');
  });

  test('reads versions, reasons and Connection', () => {
    expect(hear(['HTTP/1.0 200 OK\nContent-Length: 0\n\n']).said).toEqual(['head 200 OK Content-Length=0', 'closed']);
    expect(hear(['HTTP/1.1 200\r\nContent-Length: 0\r\nConnection: a\r\nConnection: Close\r\n\r\n']).said[1]).toBe('closed');
    expect(hear(['HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n']).said[0]).toBe('head 200 Content-Length=0');
  });

  test('accepts a head longer than usual, and refuses one longer than allowed', () => {
    const long = `HTTP/1.1 200 OK\r\nX: ${'y'.repeat(2000)}\r\nContent-Length: 0\r\n\r\n`;
    expect(hear([long.slice(0, 1500), long.slice(1500)]).said.at(-1)).toBe('kept');
    expect(() => hear([long], false, 2000)).toThrow('too big header');
    expect(() => hear(['HTTP/1.1 200 OK\r\nX: ', 'y'.repeat(2000)], false, 2000)).toThrow('too big header');
  });

  test.each([
    ['HTTX/1.1 200 OK\r\n\r\n', 'no valid HTTP/1.0 header'],
    ['hello', 'no valid HTTP/1.0 header'],
    ['HTTP/1.1 2x0 OK\r\n\r\n', 'no valid HTTP/1.0 header'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n', 'duplicate header line'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 'at the same time'],
    ['HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', 'HTTP/1.0 response'],
    ['HTTP/1.1 200 OK\r\nbad name: 1\r\n\r\n', 'invalid header'],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 'invalid chunked'],
  ])('%j is refused', (answer, why) => {
    expect(() => hear([answer])).toThrow(why);
  });
});
