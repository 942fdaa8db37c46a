// The interface between listeners and request handlers. Implementations: hyper-express-listener.ts (uWebSockets) and net-listener.ts
// (node:net). Date, Connection, Content-Length and Transfer-Encoding belong to the listener; a handler never sets them.

export type HttpHeaders = Readonly<Record<string, string | readonly string[]>>;

/** Called once per request, in the turn in which its head arrived. A thrown error or a rejection becomes an empty 500. */
export type Handler = (request: HttpRequest, reply: HttpReply) => void | Promise<void>;

export interface HttpRequest {
  /** As sent, in its case: `GET`. */
  readonly method: string;
  /** Undecoded, begins with `/`, without the query. */
  readonly path: string;
  /** Undecoded, without the `?`; empty if there is none. */
  readonly query: string;
  readonly remoteAddress: string;
  /** Value of a header by its lower-case name; several lines are joined by `, `. */
  header(name: string): string | undefined;
  /** All headers by lower-case name. */
  headers(): Readonly<Record<string, string>>;
  readonly body: HttpBody;
}

/**
 * The request body, read once: either by `bytes` or as an async iterable, which slows the sender down while the reader is busy.
 * Both fail with BodyTooLarge above the listener's limit, with BodyTooSlow when it stalls or drips, and with BodyAborted when the client disconnects.
 */
export interface HttpBody extends AsyncIterable<Buffer> {
  /** Bytes announced; 0 without a body, null when chunked. */
  readonly length: number | null;
  bytes(limit: number): Promise<Buffer>;
}

export interface HttpReply {
  /** The client disconnected; whatever is sent now is dropped. */
  readonly aborted: boolean;
  /** A reply was started. */
  readonly sent: boolean;
  /** The whole reply at once. @throws Error a header value with CR, LF or NUL, or a second reply */
  send(status: number, headers: HttpHeaders, body?: string | Uint8Array): void;
  /** A reply in parts; without `length` it is sent chunked. */
  stream(status: number, headers: HttpHeaders, length?: number): ReplyStream;
  /** Runs `call` when the client disconnects before the reply is complete; at once if it already has. */
  onAbort(call: () => void): void;
}

export interface ReplyStream {
  /** @returns false: wait for `drained()` before the next write (otherwise nothing is lost, but memory grows) */
  write(chunk: string | Uint8Array): boolean;
  drained(): Promise<void>;
  end(): void;
}

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly maxContentLength: number;
  readonly maxHeaderSize: number;
  /** Time after which a stalled body or reader is cut off; -1: never. */
  readonly readTimeoutMs: number;
  /** Bodies that arrive with fewer bytes per second are cut off; 0: none. */
  readonly minBodyRate: number;
  /** Other threads listen on the same port. */
  readonly isShared: boolean;
  /** null for plain HTTP. */
  readonly tls: TlsOptions | null;
}

/** TLS of a listener. The files are read when it opens and by `reloadTls`. */
export interface TlsOptions {
  /** PEM files: the certificate with its chain, and its private key. */
  readonly certificate: string;
  readonly key: string;
  /** null if the key is not encrypted. */
  readonly passphrase: string | null;
  /** PEM files of the authorities that sign certificates of clients; empty without client authentication. */
  readonly authorities: readonly string[];
  /** `optional`: clients may send a certificate, which must be valid; `required`: they must. */
  readonly clientAuthentication: 'none' | 'optional' | 'required';
  readonly protocols: readonly TlsProtocol[];
}

export const TLS_PROTOCOLS = ['TLSv1.2', 'TLSv1.3'] as const;
export type TlsProtocol = (typeof TLS_PROTOCOLS)[number];

export interface HttpListener {
  readonly kind: 'uws' | 'net';
  listen(): Promise<{ port: number }>;
  /**
   * Reads the certificate files again: new connections use them, open ones are not affected. @throws Error a file is unusable; nothing has
   * changed then
   */
  reloadTls(): Promise<void>;
  /** New requests get 503 and `Connection: close`; resolves when none is in flight. The listen socket stays open. */
  drain(): Promise<void>;
  /** Closes everything and ends this thread in the same turn: uWebSockets must not outlive its listener by a turn. */
  stop(exitCode: number): never;
  readonly inFlight: number;
}

export class BodyTooLarge extends Error {
  readonly limit: number;

  constructor(limit: number) {
    super(`request body is larger than ${limit} bytes`);
    this.name = 'BodyTooLarge';
    this.limit = limit;
  }
}

export class BodyTooSlow extends Error {
  constructor() {
    super('the request body did not arrive in time');
    this.name = 'BodyTooSlow';
  }
}

/** Statuses after which the connection is closed: the rest of the body is not waited for. */
export function closesConnection(status: number): boolean {
  return status === 413 || status === 408;
}

export class BodyAborted extends Error {
  constructor() {
    super('the client closed the connection before the request was complete');
    this.name = 'BodyAborted';
  }
}

const BAD_HEADER_VALUE = /[\r\n\0]/;

/** @throws Error a value that would end the header line or the head */
export function checkHeaderValue(name: string, value: string): void {
  if (BAD_HEADER_VALUE.test(value)) throw new Error(`response header ${name} holds CR, LF or NUL`);
}

/** Body of a refusal by the listener itself, in the service's error form. */
export function refusalBody(status: number, reason: string): string {
  const type = status === 413 ? 'content_too_large_exception' : status === 503 ? 'unavailable_exception' : 'illegal_argument_exception';
  return JSON.stringify({ error: { root_cause: [{ type, reason }], type, reason }, status });
}
