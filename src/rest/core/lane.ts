// The interface between a thread with a listener and a lane: a thread without one, which runs work that would block the event loop for
// long, and which can be terminated. A lane has its own dispatcher, so it receives the request as from a listener and returns the rendered
// response.
import type { JsonObject } from '../../common/json/json-value.ts';
import { type BodyFormat, isBinary } from '../../common/json/media-type.ts';
import { parseDurationMs } from '../../common/text/time-unit.ts';
import { BodyTooLarge, type HttpHeaders, type HttpReply, type HttpRequest, type ReplyStream } from '../../http/listener.ts';
import type { CallerRef } from '../../security/caller.ts';
import { parseQueryParams } from './query-params.ts';

/** A request as plain data. */
export interface LaneRequest {
  /** Unique within the sending thread. */
  readonly id: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly remoteAddress: string;
  /** Decompressed; null without a body. */
  readonly body: Uint8Array | null;
  /** The authenticated caller; null if authentication is not required. Credentials are not passed on. */
  readonly caller: CallerRef | null;
  /** That of its API, under which its task is listed. */
  readonly action: string | null;
  /** The part of the request that is to run (lane-parts.ts); null: the whole request. */
  readonly part: JsonObject | null;
  /** Lanes serve senders in turn. */
  readonly sender: string;
  /** How many nodes have passed the request on to this one; absent for none. */
  readonly forwards?: number;
  /** Time that the request allows for its response; null if it states none outside its body. */
  readonly timeoutMs: number | null;
}

export interface LaneAnswer {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: Uint8Array;
  /** Time for which the lane ran. */
  readonly ranMs: number;
}

/** The result of a lane's dispatcher. */
export type LaneResponse = Omit<LaneAnswer, 'ranMs'>;

/** The other nodes of the cluster. */
export interface Peers {
  /** The response of another node. @throws ApiError it cannot be reached, or has not answered */
  forward(node: string, request: LaneRequest): Promise<LaneResponse>;
}

/** The lanes, as seen by a thread with a listener. */
export interface Lanes {
  /** @throws ApiError es_rejected_execution_exception: the queue is full; circuit_breaking_exception: the lane ran out of time or memory; task_cancelled_exception */
  run(request: LaneRequest): Promise<LaneAnswer>;
  /** A request would have to wait. */
  areBusy(): boolean;
  /** Ends a request whose client has disconnected. */
  cancel(id: number): void;
}

/**
 * Runs a part of a request in a lane (lane-parts.ts).
 * @param isCancelled  polled; a part that does not end soon after cancellation is terminated
 * @returns the outcome of the part; null if it was cancelled
 * @throws ApiError of the part; es_rejected_execution_exception, circuit_breaking_exception, as Lanes.run
 */
export type RunPart = (part: JsonObject, isCancelled: () => boolean) => Promise<unknown>;

/** Lanes that are idle, as seen by a lane. */
export interface Helpers {
  /** The responses of all idle lanes to a request of which they run a part, without those that failed; none if no lane is idle. */
  help(request: LaneRequest): Promise<readonly LaneAnswer[]>;
}

/** Runs a part of a request in all idle lanes. @returns the bodies of their responses, without those that failed */
export type AskHelpers = (part: JsonObject) => Promise<readonly Uint8Array[]>;

/** Bodies above these sizes are parsed in a lane: each takes 5 to 10 ms. */
const LARGE_JSON = 512 << 10;
const LARGE_BINARY = 256 << 10;
const LARGE_YAML = 16 << 10;

/** Even bodies that are only passed on hold the thread: copying 10 MB takes 10 ms. */
const LARGE_COPY = 1 << 20;

/** Parsing a name in an object takes as long as this many bytes of a string: 20,000 names in 400 KB take 20 ms. */
const BYTES_PER_NAME = 40;
/** An item of a list takes no longer to parse, but is worked on afterwards. */
const BYTES_PER_ITEM = 10;
const COLON = 0x3a;
const COMMA = 0x2c;

/** @param isParsed  false if the body is only passed on to an indexer */
export function isLargeBody(body: Uint8Array, format: BodyFormat | null, isParsed: boolean): boolean {
  const bytes = body.length;
  if (bytes <= LARGE_YAML) return false;
  if (!isParsed) return bytes > LARGE_COPY;
  if (format === 'yaml') return true;
  if (isBinary(format)) return bytes > LARGE_BINARY;
  return bytes > LARGE_JSON || weightOf(body) > LARGE_JSON;
}

/** Size of a JSON text with what its names and items add. Colons and commas in strings count as well. */
function weightOf(text: Uint8Array): number {
  let weight = text.length;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === COLON) weight += BYTES_PER_NAME;
    else if (text[i] === COMMA) weight += BYTES_PER_ITEM;
  }
  return weight;
}

/** @param body  the decompressed body, which is not used any more on the sending side */
export function laneRequest(
  id: number,
  http: HttpRequest,
  body: Uint8Array | null,
  { caller, action }: Pick<LaneRequest, 'caller' | 'action'>,
): LaneRequest {
  const { method, path, query, remoteAddress } = http;
  const { 'content-encoding': _, 'content-length': __, authorization: ___, ...headers } = http.headers();
  const { timeout } = parseQueryParams(query);
  const timeoutMs = timeout === undefined ? null : parseDurationMs(timeout);
  const sender = `${caller?.user ?? ''} ${remoteAddress}`;
  return { id, method, path, query, headers, remoteAddress, body, caller, action, part: null, sender, timeoutMs };
}

/** The request for the dispatcher of a lane. */
export function asHttpRequest(request: LaneRequest): HttpRequest {
  const { body, headers } = request;
  const bytes = body === null ? Buffer.alloc(0) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return {
    ...request,
    header: (name) => headers[name],
    headers: () => headers,
    body: {
      length: bytes.length,
      bytes: async (limit) => {
        if (bytes.length > limit) throw new BodyTooLarge(limit);
        return bytes;
      },
      async *[Symbol.asyncIterator]() {
        yield bytes;
      },
    },
  };
}

/** Collects a response, which is not sent in pieces in a lane. */
export class LaneReply implements HttpReply {
  /** Set when the client disconnected; the dispatcher of the sending thread then drops the response. */
  aborted = false;
  sent = false;
  readonly answer: Promise<LaneResponse>;
  #resolve: (answer: LaneResponse) => void = () => undefined;

  constructor() {
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  send(status: number, headers: HttpHeaders, body: string | Uint8Array = ''): void {
    if (this.sent) throw new Error('a second reply');
    this.sent = true;
    // Copied only if the bytes are a part of a larger buffer, which cannot be transferred to another thread.
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
    this.#resolve({ status, headers: { ...headers }, body: own });
  }

  stream(_status: number, _headers: HttpHeaders): ReplyStream {
    throw new Error('a lane sends responses as a whole');
  }

  onAbort(): void {}
}
