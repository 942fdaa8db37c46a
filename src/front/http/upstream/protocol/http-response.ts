// Parser of HTTP/1.x responses.
import { BodyDecoder } from '../../../../http/wire/body-decoder.ts';
import { findHeader, type HeaderField, learnField, lowerName, recallField } from '../../../../http/wire/header.ts';
import type { UpstreamHead } from './protocol.ts';
import { InvalidResponse, type ParserSink, type ResponseParser } from './protocol.ts';
import { SINGLE_FIELDS } from './response-head.ts';

/** Fields whose repetition nginx drops without a word. */
const UNREPORTED = new Set(['accept-ranges', 'content-range', 'content-encoding', 'x-accel-buffering', 'x-accel-charset']);

const BAD_NAME = /[\x00-\x20\x7f]/;

/** Parses a header line of any back end. @throws InvalidResponse */
export function parseField(line: string): HeaderField {
  const usual = learnField(line);
  if (usual) return usual;
  const colon = line.indexOf(':');
  const name = colon < 0 ? line : line.slice(0, colon);
  const lname = lowerName(name);
  let start = colon < 0 ? line.length : colon + 1;
  let end = line.length;
  while (start < end && line.charCodeAt(start) === 32) start++;
  while (end > start && line.charCodeAt(end - 1) === 32) end--;
  const value = line.slice(start, end);
  const bad = name === '' ? 0 : name.search(BAD_NAME);
  if (bad >= 0) throw invalidAt(line, bad);
  if (value.includes('\0')) throw invalidAt(line, line.indexOf('\0'));
  return { name, lname, value };
}

/** The line up to its first byte that is not allowed. */
function invalidAt(line: string, at: number): InvalidResponse {
  const code = line.charCodeAt(at).toString(16).padStart(2, '0');
  return new InvalidResponse(`upstream sent invalid header: "${line.slice(0, at)}\\x${code}..."`);
}

/** Log line for a field that repeats another. */
export const repeatedText = (field: HeaderField, previous: HeaderField): string =>
  `upstream sent duplicate header line: "${field.name}: ${field.value}", previous value: "${previous.name}: ${previous.value}"`;

/**
 * Adds a field: repeated single fields are dropped, framing fields must not repeat.
 * @returns the earlier field if this one was dropped and the log names both
 * @throws InvalidResponse
 */
export function addField(fields: HeaderField[], field: HeaderField): HeaderField | null {
  const { lname } = field;
  if (lname === 'content-length' || lname === 'transfer-encoding') {
    const previous = findHeader(fields, 'content-length') ?? findHeader(fields, 'transfer-encoding');
    if (previous?.lname === lname) throw new InvalidResponse(repeatedText(field, previous));
    if (previous) throw new InvalidResponse('upstream sent "Content-Length" and "Transfer-Encoding" headers at the same time');
    if (lname === 'content-length' && !/^\d{1,15}$/.test(field.value)) {
      throw new InvalidResponse(`upstream sent invalid "Content-Length" header: "${field.value}"`);
    }
  } else if (SINGLE_FIELDS.has(lname)) {
    const previous = findHeader(fields, lname);
    if (previous) return UNREPORTED.has(lname) ? null : previous;
  }
  fields.push(field);
  return null;
}

const STATUS_LINE = /^HTTP\/(\d+)\.(\d+) +(\d{3})(?: (.*?))?\r?$/;
const EMPTY = Buffer.alloc(0);
/** Size that covers most heads. */
const USUAL_HEAD = 1024;

export class HttpResponseParser implements ResponseParser {
  #held: Buffer = EMPTY;
  #state: 'head' | 'length' | 'chunked' | 'raw' | 'done' = 'head';
  #decoder: BodyDecoder | null = null;
  /** bytes of the body that are still to come */
  #left = 0;
  #version = 0;
  #keepalive = false;

  readonly #headOnly: boolean;
  readonly #maxHeader: number;

  readonly #sink: ParserSink;

  /**
   * @param headOnly   no body follows, whatever the header says
   * @param maxHeader  bytes
   */
  constructor(sink: ParserSink, headOnly: boolean, maxHeader: number) {
    this.#sink = sink;
    this.#headOnly = headOnly;
    this.#maxHeader = maxHeader;
  }

  feed(data: Buffer): void {
    if (this.#state === 'head') {
      const first = this.#held.length === 0;
      this.#held = first ? data : Buffer.concat([this.#held, data]);
      this.#parseHeads();
      // the next read overwrites the input
      if (first && this.#held.length > 0) this.#held = Buffer.from(this.#held);
      return;
    }
    this.#feedBody(data);
  }

  end(): boolean {
    if (this.#state === 'raw') {
      this.#state = 'done';
      return true;
    }
    return this.#state === 'done';
  }

  #parseHeads(): void {
    while (this.#state === 'head' && this.#held.length > 0) {
      const held = this.#held;
      const whole = Math.min(held.length, this.#maxHeader + 1);
      const complete =
        this.#parseHead(held.latin1Slice(0, Math.min(whole, USUAL_HEAD))) ||
        (whole > USUAL_HEAD && this.#parseHead(held.latin1Slice(0, whole)));
      if (complete) continue;
      if (held.length >= this.#maxHeader) throw new InvalidResponse('upstream sent too big header');
      return;
    }
  }

  /** Parses one head from the start of the buffered bytes. Returns false if `text` does not contain all of it. */
  #parseHead(text: string): boolean {
    let lf = text.indexOf('\n');
    if (lf < 0) {
      checkStart(text);
      return false;
    }
    const lineEnd = lf > 0 && text.charCodeAt(lf - 1) === 13 ? lf - 1 : lf;
    const head = this.#usualStatus(text, lineEnd) ?? this.#statusOf(text.slice(0, lf));
    const repeats: [HeaderField, HeaderField][] = [];
    for (;;) {
      const start = lf + 1;
      lf = text.indexOf('\n', start);
      if (lf < 0) return false;
      const end = lf > start && text.charCodeAt(lf - 1) === 13 ? lf - 1 : lf;
      if (end === start) break;
      const field = recallField(text, start, end) ?? parseField(text.slice(start, end));
      const previous = addField(head.fields, field);
      if (previous) repeats.push([field, previous]);
    }
    if (lf + 1 > this.#maxHeader) throw new InvalidResponse('upstream sent too big header');
    for (const [field, previous] of repeats) this.#sink.repeated?.(field, previous);
    this.#held = lf + 1 === this.#held.length ? EMPTY : this.#held.subarray(lf + 1);
    if (head.status === 103) this.#sink.hints?.(head.fields);
    if (head.status >= 100 && head.status < 200 && head.status !== 101) return true;
    this.#startBody(head);
    return true;
  }

  /** Parses `HTTP/1.1 200 OK`; null if the line needs a closer look. */
  #usualStatus(text: string, end: number): UpstreamHead | null {
    if (end < 14 || !text.startsWith('HTTP/1.1 ') || text.charCodeAt(12) !== 32) return null;
    const status = digit(text, 9) * 100 + digit(text, 10) * 10 + digit(text, 11);
    if (!(status >= 0)) return null;
    const statusLine = text.slice(9, end);
    if (statusLine.includes('\r')) return null;
    this.#version = 1001;
    return { status, statusLine, fields: [], contentLength: -1 };
  }

  #statusOf(line: string): UpstreamHead {
    const match = STATUS_LINE.exec(line);
    if (!match) throw new InvalidResponse('upstream sent no valid HTTP/1.0 header');
    this.#version = Number(match[1]) * 1000 + Number(match[2]);
    return { status: Number(match[3]), statusLine: match[4] ? `${match[3]} ${match[4]}` : match[3], fields: [], contentLength: -1 };
  }

  #startBody(head: UpstreamHead): void {
    const version = this.#version;
    const sink = this.#sink;
    let coding: string | null = null;
    let length: string | null = null;
    let connection: string | null = null;
    for (const { lname, value } of head.fields) {
      if (lname === 'content-length') length = value;
      else if (lname === 'transfer-encoding') coding = value;
      else if (lname === 'connection') connection = connection === null ? value : `${connection},${value}`;
    }
    this.#keepalive = version >= 1001 && !connection?.toLowerCase().includes('close');
    if (coding !== null) {
      if (coding.toLowerCase() !== 'chunked') throw new InvalidResponse(`upstream sent unknown "Transfer-Encoding": "${coding}"`);
      if (version < 1001) throw new InvalidResponse('upstream sent "Transfer-Encoding" header in HTTP/1.0 response');
    }
    if (length !== null) head.contentLength = Number(length);
    const rest = this.#held;
    if (this.#headOnly || head.status === 204 || head.status === 304) {
      this.#state = 'done';
      sink.head(head);
      if (rest.length > 0 && !this.#headOnly) sink.beside?.(rest.length, true);
      sink.complete(this.#keepalive && rest.length === 0);
      return;
    }
    this.#held = EMPTY;
    if (head.status === 101) this.#state = 'raw';
    else if (coding !== null) {
      this.#state = 'chunked';
      this.#decoder = new BodyDecoder(undefined);
    } else if (length !== null) {
      this.#left = head.contentLength;
      this.#state = this.#left > 0 ? 'length' : 'done';
    } else this.#state = 'raw';
    const empty = this.#state === 'done';
    sink.head(head);
    if (empty && rest.length > 0) sink.beside?.(rest.length, true);
    if (empty) sink.complete(this.#keepalive && rest.length === 0);
    else if (rest.length > 0) this.#feedBody(rest);
  }

  #feedBody(data: Buffer): void {
    switch (this.#state) {
      case 'raw':
        this.#sink.body(data);
        return;
      case 'length': {
        const taken = Math.min(this.#left, data.length);
        this.#left -= taken;
        const last = this.#left === 0;
        if (last) this.#state = 'done';
        this.#sink.body(taken === data.length ? data : data.subarray(0, taken), last);
        // unexpected bytes after the end: the connection is not used again
        if (taken < data.length) this.#sink.beside?.(data.length - taken, true);
        if (last) this.#sink.complete(this.#keepalive && taken === data.length);
        return;
      }
      case 'chunked': {
        const decoder = this.#decoder;
        if (!decoder) return;
        let own = 0;
        const used = decoder.feed(data, (piece) => {
          own += piece.length;
          this.#sink.body(piece);
        });
        this.#sink.beside?.(data.length - own, false);
        if (used < 0) throw new InvalidResponse('upstream sent invalid chunked response');
        if (!decoder.done) return;
        this.#state = 'done';
        if (decoder.trailers.length > 0) this.#sink.trailers(decoder.trailers);
        this.#sink.complete(this.#keepalive && used === data.length);
      }
    }
  }
}

const digit = (text: string, at: number): number => {
  const value = text.charCodeAt(at) - 48;
  return value >= 0 && value <= 9 ? value : Number.NaN;
};

/** Checks the start of a status line; anything else would be HTTP/0.9, or an error. */
function checkStart(text: string): void {
  const start = text.slice(0, 12);
  if ('HTTP/'.startsWith(start.slice(0, 5)) && (start.length < 9 || /^HTTP\/\d+\.\d+ ?/.test(start))) return;
  throw new InvalidResponse('upstream sent no valid HTTP/1.0 header');
}

/** Index after the empty line, -1 if it has not arrived. */
export function headEnd(data: Buffer): number {
  // a head may have no fields
  if (data[0] === 10) return 1;
  if (data[0] === 13 && data[1] === 10) return 2;
  for (let pos = data.indexOf(10); pos >= 0; pos = data.indexOf(10, pos + 1)) {
    if (data[pos + 1] === 10) return pos + 2;
    if (data[pos + 1] === 13 && data[pos + 2] === 10) return pos + 3;
  }
  return -1;
}
