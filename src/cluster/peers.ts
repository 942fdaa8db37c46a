// Requests between nodes over HTTP on a separate listener: POST /_internal/<name>, MessagePack bodies, signed in both directions.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Packr } from 'msgpackr';
import { ApiError, type ApiErrorData } from '../errors/api-error.ts';
import { toApiError } from '../errors/error-body.ts';
import { isReplySigned, RequestVerifier, SIGNATURE_HEADER, signReply, signRequest } from './signature.ts';

const PATH = '/_internal/shard';
const TYPE = 'application/vnd.msgpack';
/** A request that takes longer is abandoned; its outcome is unknown. */
const REQUEST_MS = 60_000;
const IDLE_MS = 30_000;
const MAX_SOCKETS = 64;

const packr = new Packr({ int64AsType: 'number', useRecords: false });

/** The request was not sent, because there is no connection. */
export const NOT_SENT = 'connect_transport_exception';

/** Answers requests of other nodes. */
export class PeerServer {
  readonly #server: http.Server;
  readonly #secret: string;
  readonly #verifier: RequestVerifier;
  readonly #maxBytes: number;
  readonly #handle: (request: unknown) => Promise<unknown>;

  /** @param handle  computes the reply: its result, or the error that it throws */
  constructor(secret: string, maxBytes: number, handle: (request: unknown) => Promise<unknown>) {
    this.#secret = secret;
    this.#verifier = new RequestVerifier(secret);
    this.#maxBytes = maxBytes;
    this.#handle = handle;
    this.#server = http.createServer({ keepAliveTimeout: 2 * IDLE_MS, requestTimeout: REQUEST_MS }, (request, response) => {
      this.#onRequest(request, response).catch(() => response.destroy());
    });
  }

  /** @returns the port @throws Error it is in use */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  async close(): Promise<void> {
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeAllConnections();
    });
  }

  async #onRequest(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    // A sender without the secret gets no details.
    if (request.method !== 'POST' || request.url !== PATH || Number(request.headers['content-length'] ?? 0) > this.#maxBytes)
      return void request.destroy();
    const body = await readBody(request, this.#maxBytes);
    const nonce = this.#verifier.verify(PATH, body, String(request.headers[SIGNATURE_HEADER] ?? ''));
    if (nonce === null) return void response.writeHead(403).end();
    let status = 200;
    let reply: Uint8Array;
    try {
      reply = packr.pack(await this.#handle(packr.unpack(body)));
    } catch (error) {
      status = 500;
      reply = packr.pack(toApiError(error).toData());
    }
    response.writeHead(status, {
      'content-type': TYPE,
      'content-length': reply.length,
      [SIGNATURE_HEADER]: signReply(this.#secret, nonce, status, reply),
    });
    response.end(reply);
  }
}

/** Sends requests to other nodes. */
export class PeerClient {
  readonly #secret: string;
  readonly #maxBytes: number;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS, timeout: IDLE_MS });

  constructor(secret: string, maxBytes: number) {
    this.#secret = secret;
    this.#maxBytes = maxBytes;
  }

  /** @throws ApiError the error of the other node; connect_transport_exception: not sent; node_disconnected_exception: no reply */
  async ask(address: string, request: unknown): Promise<unknown> {
    const body = packr.pack(request);
    const { header, nonce } = signRequest(this.#secret, PATH, body);
    const reply = await this.#send(address, body, header);
    const { status, signature, bytes } = reply;
    if (!isReplySigned(this.#secret, nonce, status, bytes, signature))
      throw new ApiError(NOT_SENT, 503, `[${address}] refused the request: the nodes differ in cluster.secret, or their clocks by minutes`);
    if (status === 200) return packr.unpack(bytes);
    throw ApiError.fromData(packr.unpack(bytes) as ApiErrorData);
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(address: string, body: Uint8Array, header: string): Promise<{ status: number; signature: string; bytes: Buffer }> {
    const { hostname, port } = new URL(`http://${address}`);
    return new Promise((resolve, reject) => {
      let isConnected = false;
      const fail = (error: Error) => {
        const [type, what] = isConnected ? ['node_disconnected_exception', 'disconnected'] : [NOT_SENT, 'connect_exception'];
        reject(new ApiError(type, 503, `[${address}] ${what}: ${error.message}`));
      };
      const request = http.request(
        {
          hostname,
          port,
          path: PATH,
          method: 'POST',
          agent: this.#agent,
          timeout: REQUEST_MS,
          headers: { 'content-type': TYPE, 'content-length': body.length, [SIGNATURE_HEADER]: header },
        },
        (response) => {
          readBody(response, this.#maxBytes).then(
            (bytes) => resolve({ status: response.statusCode ?? 0, signature: String(response.headers[SIGNATURE_HEADER] ?? ''), bytes }),
            fail,
          );
        },
      );
      request.on('socket', (socket) => {
        if (!socket.connecting) isConnected = true;
        else socket.once('connect', () => (isConnected = true));
      });
      request.on('timeout', () => request.destroy(new Error(`no reply within ${REQUEST_MS} ms`)));
      request.on('error', fail);
      request.end(body);
    });
  }
}

async function readBody(stream: http.IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      stream.destroy();
      throw new Error(`a body may have at most ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
