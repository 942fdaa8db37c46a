// HTTP/1.x messages for net-listener.ts: the request head (RFC 9112, strict) and bodies by length or in chunks, trailers dropped.
import { type BodyFlow, FlowBody } from './flow-body.ts';
import { checkFraming, type FramingHeaders } from './framing.ts';

export interface RequestHead {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly minorVersion: 0 | 1;
  readonly headers: Readonly<Record<string, string>>;
  readonly keepAlive: boolean;
  /** Bytes of the body, 0 none, null chunked. */
  readonly length: number | null;
}

export type HeadOutcome =
  | { readonly kind: 'more' }
  | { readonly kind: 'bad'; readonly status: number; readonly reason: string }
  | { readonly kind: 'head'; readonly head: RequestHead; readonly bytes: number };

const MAX_HEADERS = 100;
const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\/[^\s\0]*) HTTP\/1\.([01])$/;
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/;
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;

/** Reads a head from the beginning of `bytes`. */
export function readHead(bytes: Buffer, maxBytes: number): HeadOutcome {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return bytes.length > maxBytes ? bad(431, 'request head is too large') : { kind: 'more' };
  if (end > maxBytes) return bad(431, 'request head is too large');
  const lines = bytes.toString('latin1', 0, end).split('\r\n');
  if (lines.length - 1 > MAX_HEADERS) return bad(431, `more than ${MAX_HEADERS} headers`);
  const requestLine = REQUEST_LINE.exec(lines[0]);
  if (!requestLine) return bad(400, 'malformed request line');
  const headers: Record<string, string> = {};
  const counts: FramingHeaders = { hostCount: 0, contentLengthCount: 0, transferEncodingCount: 0 };
  for (let i = 1; i < lines.length; i++) {
    const match = HEADER_LINE.exec(lines[i]);
    if (!match || CONTROL.test(match[2])) return bad(400, 'malformed header line');
    const name = match[1].toLowerCase();
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${match[2]}` : match[2];
    if (name === 'host') counts.hostCount++;
    else if (name === 'content-length') counts.contentLengthCount++;
    else if (name === 'transfer-encoding') counts.transferEncodingCount++;
  }
  const minorVersion = requestLine[3] === '1' ? 1 : 0;
  if (minorVersion === 0 && counts.hostCount === 0) {
    counts.hostCount = 1;
    headers.host ??= '-';
  }
  const framing = checkFraming(counts, headers);
  if (!framing.ok) return bad(400, framing.reason);
  if (minorVersion === 0 && framing.length === null) return bad(400, 'HTTP/1.0 knows no Transfer-Encoding');
  const target = requestLine[2];
  const mark = target.indexOf('?');
  const tokens = (headers.connection ?? '').toLowerCase().split(/\s*,\s*/);
  return {
    kind: 'head',
    bytes: end + 4,
    head: {
      method: requestLine[1],
      path: mark < 0 ? target : target.slice(0, mark),
      query: mark < 0 ? '' : target.slice(mark + 1),
      minorVersion,
      headers,
      keepAlive: minorVersion === 1 ? !tokens.includes('close') : tokens.includes('keep-alive'),
      length: framing.length,
    },
  };
}

function bad(status: number, reason: string): HeadOutcome {
  return { kind: 'bad', status, reason };
}

export type FeedOutcome = { readonly kind: 'fed'; readonly rest: Buffer } | { readonly kind: 'bad'; readonly reason: string };

export interface BodyDecoder {
  readonly body: FlowBody;
  /** Takes what belongs to the body off the front; `rest` is to be given again with more bytes, or is the next request once complete. */
  feed(bytes: Buffer): FeedOutcome;
}

export function createBodyDecoder(length: number | null, limit: number, flow: BodyFlow): BodyDecoder {
  const body = new FlowBody(length, limit, flow);
  return length === null ? new ChunkedDecoder(body) : { body, feed: (bytes) => feedByLength(body, length, bytes) };
}

function feedByLength(body: FlowBody, length: number, bytes: Buffer): FeedOutcome {
  if (body.complete) return { kind: 'fed', rest: bytes };
  const taken = bytes.subarray(0, length - body.receivedBytes);
  if (taken.length > 0) body.push(taken);
  if (body.receivedBytes === length) body.finish();
  return { kind: 'fed', rest: bytes.subarray(taken.length) };
}

/** Longest chunk size line with extensions, and longest trailer section. */
const MAX_LINE_BYTES = 4096;
const MAX_TRAILER_BYTES = 16 * 1024;

class ChunkedDecoder implements BodyDecoder {
  readonly body: FlowBody;
  #state: 'size' | 'data' | 'dataEnd' | 'trailer' = 'size';
  #left = 0;
  #trailerBytes = 0;

  constructor(body: FlowBody) {
    this.body = body;
  }

  feed(bytes: Buffer): FeedOutcome {
    let rest = bytes;
    while (!this.body.complete) {
      if (this.#state === 'data') {
        const taken = rest.subarray(0, this.#left);
        if (taken.length === 0) return { kind: 'fed', rest };
        this.body.push(taken);
        this.#left -= taken.length;
        rest = rest.subarray(taken.length);
        if (this.#left === 0) this.#state = 'dataEnd';
        continue;
      }
      const end = rest.indexOf('\r\n');
      if (end < 0) return rest.length > MAX_LINE_BYTES ? { kind: 'bad', reason: 'chunk line is too long' } : { kind: 'fed', rest };
      const line = rest.toString('latin1', 0, end);
      rest = rest.subarray(end + 2);
      if (this.#state === 'dataEnd') {
        if (line !== '') return { kind: 'bad', reason: 'no CRLF after chunk data' };
        this.#state = 'size';
      } else if (this.#state === 'size') {
        const size = /^([0-9A-Fa-f]{1,12})(?:[ \t]*;[^\0\n]*)?$/.exec(line);
        if (!size) return { kind: 'bad', reason: 'malformed chunk size' };
        this.#left = Number.parseInt(size[1], 16);
        this.#state = this.#left === 0 ? 'trailer' : 'data';
      } else {
        this.#trailerBytes += line.length;
        if (this.#trailerBytes > MAX_TRAILER_BYTES) return { kind: 'bad', reason: 'trailer section is too long' };
        if (line === '') this.body.finish();
      }
    }
    return { kind: 'fed', rest };
  }
}
