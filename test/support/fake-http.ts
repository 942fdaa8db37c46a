// A request and a reply without a socket, for tests of the layers above src/http.
import {
  BodyTooLarge,
  type Handler,
  type HttpHeaders,
  type HttpReply,
  type HttpRequest,
  type ReplyStream,
} from '../../src/http/listener.ts';

export interface FakeAnswer {
  status: number;
  headers: Record<string, string | readonly string[]>;
  bytes: Buffer;
  readonly text: string;
  readonly json: any;
}

/** Sends one request to a handler. `body` is split into chunks of `chunkBytes`. */
export async function fakeRequest(
  handler: Handler,
  line: string,
  options: { headers?: Record<string, string>; body?: string | Buffer; chunkBytes?: number } = {},
): Promise<FakeAnswer> {
  const [method, target] = line.split(' ');
  const [path, query = ''] = target.split('?');
  const bytes = Buffer.from(options.body ?? '');
  const headers: Record<string, string> = { host: 'localhost', ...options.headers };
  if (bytes.length > 0 && headers['content-type'] === undefined) headers['content-type'] = 'application/json';
  if (headers['content-type'] === '-') delete headers['content-type'];
  const chunkBytes = options.chunkBytes ?? 64 * 1024;
  const request: HttpRequest = {
    method,
    path,
    query,
    remoteAddress: '127.0.0.1',
    header: (name) => headers[name],
    headers: () => headers,
    body: {
      length: bytes.length,
      bytes: async (limit) => {
        if (bytes.length > limit) throw new BodyTooLarge(limit);
        return bytes;
      },
      async *[Symbol.asyncIterator]() {
        for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
      },
    },
  };
  return new Promise((resolve, reject) => {
    const reply: HttpReply = {
      aborted: false,
      sent: false,
      send(this: { sent: boolean }, status: number, sentHeaders: HttpHeaders, body: string | Uint8Array = '') {
        if (this.sent) throw new Error('sent twice');
        this.sent = true;
        resolve(answerOf(status, sentHeaders, Buffer.from(body as string)));
      },
      stream(this: { sent: boolean }, status: number, sentHeaders: HttpHeaders): ReplyStream {
        if (this.sent) throw new Error('sent twice');
        this.sent = true;
        const chunks: Buffer[] = [];
        return {
          write(chunk) {
            chunks.push(Buffer.from(chunk as string));
            return true;
          },
          drained: async () => undefined,
          end: () => resolve(answerOf(status, sentHeaders, Buffer.concat(chunks))),
        };
      },
      onAbort() {},
    };
    Promise.resolve(handler(request, reply)).catch(reject);
  });
}

function answerOf(status: number, headers: HttpHeaders, bytes: Buffer): FakeAnswer {
  return {
    status,
    headers: { ...headers },
    bytes,
    get text() {
      return bytes.toString('utf8');
    },
    get json() {
      return JSON.parse(bytes.toString('utf8'));
    },
  };
}
