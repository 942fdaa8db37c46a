/**
 * Back ends of both servers: HTTP, FastCGI, SCGI, uwsgi and memcached on ports of their own. An answer is raw text
 * from the case's table, selected by the request's field `X-Answer`; `{SEEN}` in it is replaced by the request that the back end received.
 */
import { createServer, type Server, type Socket } from 'node:net';

export type Protocol = 'http' | 'fastcgi' | 'scgi' | 'uwsgi' | 'memcached';

/** A request as one string. */
type Answer = (seen: string, index: string | undefined) => Buffer | 'close';

const latin = (bytes: Buffer): string => bytes.toString('latin1');

/** Starts a back end on a free port of 127.0.0.1. @param closed  connections are closed as soon as data arrives */
export async function startBackend(protocol: Protocol, answer: Answer): Promise<{ port: number; server: Server }> {
  const read = READERS[protocol];
  const server = createServer((socket) => {
    let input = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (data) => {
      input = Buffer.concat([input, data]);
      for (;;) {
        const used = read(input, socket, answer);
        if (used === 0) return;
        input = input.subarray(used);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as { port: number }).port, server };
}

/** Sends an answer, with a pause at each mark `<<MS>>` in it. */
function reply(socket: Socket, text: Buffer | 'close', keep: boolean): void {
  if (text === 'close') {
    socket.destroy();
    return;
  }
  const [first, ms, ...rest] = latin(text).split(/<<(\d+)>>/);
  if (ms === undefined) {
    if (keep) socket.write(text);
    else socket.end(text);
    return;
  }
  socket.write(Buffer.from(first, 'latin1'));
  setTimeout(
    () => reply(socket, Buffer.from(rest.map((part, n) => (n % 2 === 0 ? part : `<<${part}>>`)).join(''), 'latin1'), keep),
    Number(ms),
  );
}

/** @returns bytes consumed; 0: more are needed */
type Reader = (input: Buffer, socket: Socket, answer: Answer) => number;

const readHttp: Reader = (input, socket, answer) => {
  const text = latin(input);
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return 0;
  const length = Number(/^content-length: (\d+)/im.exec(text.slice(0, head + 2))?.[1] ?? 0);
  let end = head + 4 + length;
  if (/^transfer-encoding: chunked/im.test(text.slice(0, head + 2))) {
    const last = text.indexOf('0\r\n\r\n', head + 4);
    if (last < 0) return 0;
    end = last + 5;
  }
  if (input.length < end) return 0;
  reply(socket, answer(text.slice(0, end), /^x-answer: (\S+)/im.exec(text)?.[1]), /\r\nConnection: keep-alive/i.test(text));
  return end;
};

/** Parameters as `name=value` lines. */
function cgiSeen(params: [string, string][], body: string): string {
  // their order does not matter, and depends on the version
  return `${params
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('\n')}\n\n${body}`;
}
const cgiIndex = (params: [string, string][]): string | undefined => params.find(([name]) => name === 'HTTP_X_ANSWER')?.[1];

const readFastcgi: Reader = (input, socket, answer) => {
  const params: [string, string][] = [];
  let stream = Buffer.alloc(0);
  let body = '';
  let at = 0;
  let ended = false;
  let id = 1;
  let keep = false;
  while (at + 8 <= input.length && !ended) {
    const type = input[at + 1];
    id = input.readUInt16BE(at + 2);
    const length = input.readUInt16BE(at + 4);
    const end = at + 8 + length + input[at + 6];
    if (end > input.length) return 0;
    const content = input.subarray(at + 8, at + 8 + length);
    if (type === 1) keep = (content[2] & 1) === 1;
    if (type === 4) stream = Buffer.concat([stream, content]);
    if (type === 5) {
      body += latin(content);
      ended = length === 0;
    }
    at = end;
  }
  if (!ended) return 0;
  for (let n = 0; n < stream.length; ) {
    const size = (): number => {
      if (stream[n] < 128) return stream[n++];
      n += 4;
      return stream.readUInt32BE(n - 4) & 0x7fffffff;
    };
    const name = size();
    const value = size();
    params.push([latin(stream.subarray(n, n + name)), latin(stream.subarray(n + name, n + name + value))]);
    n += name + value;
  }
  const text = answer(cgiSeen(params, body), cgiIndex(params));
  if (text === 'close') {
    socket.destroy();
    return at;
  }
  const record = (type: number, content: Buffer): Buffer => {
    const head = Buffer.from([1, type, id >> 8, id & 255, content.length >> 8, content.length & 255, 0, 0]);
    return Buffer.concat([head, content]);
  };
  const out = [record(6, text.subarray(0, 60000)), record(6, text.subarray(60000)), record(3, Buffer.alloc(8))];
  reply(socket, Buffer.concat(out.filter((_, n) => n !== 1 || text.length > 60000)), keep);
  return at;
};

const readScgi: Reader = (input, socket, answer) => {
  const colon = input.indexOf(58);
  if (colon < 0) return 0;
  const length = Number(latin(input.subarray(0, colon)));
  const start = colon + 1 + length + 1;
  if (input.length < start) return 0;
  const parts = latin(input.subarray(colon + 1, colon + 1 + length)).split('\0');
  const params: [string, string][] = [];
  for (let n = 0; n + 1 < parts.length; n += 2) params.push([parts[n], parts[n + 1]]);
  const size = Number(params.find(([name]) => name === 'CONTENT_LENGTH')?.[1] || 0);
  if (input.length < start + size) return 0;
  reply(socket, answer(cgiSeen(params, latin(input.subarray(start, start + size))), cgiIndex(params)), false);
  return start + size;
};

const readUwsgi: Reader = (input, socket, answer) => {
  if (input.length < 4 || input.length < 4 + input.readUInt16LE(1)) return 0;
  const end = 4 + input.readUInt16LE(1);
  const params: [string, string][] = [];
  for (let n = 4; n < end; ) {
    const text = (): string => {
      const length = input.readUInt16LE(n);
      n += 2 + length;
      return latin(input.subarray(n - length, n));
    };
    params.push([text(), text()]);
  }
  const size = Number(params.find(([name]) => name === 'CONTENT_LENGTH')?.[1] || 0);
  if (input.length < end + size) return 0;
  const modifiers = `modifiers=${input[0]},${input[3]}\n`;
  reply(socket, answer(modifiers + cgiSeen(params, latin(input.subarray(end, end + size))), cgiIndex(params)), false);
  return end + size;
};

/** Keys are indices of the table, so that the answers are raw replies. */
const readMemcached: Reader = (input, socket, answer) => {
  const end = input.indexOf('\r\n');
  if (end < 0) return 0;
  const line = latin(input.subarray(0, end));
  reply(socket, answer(line, /(\d+)$/.exec(line)?.[1]), true);
  return end + 2;
};

const READERS: Record<Protocol, Reader> = {
  http: readHttp,
  fastcgi: readFastcgi,
  scgi: readScgi,
  uwsgi: readUwsgi,
  memcached: readMemcached,
};
