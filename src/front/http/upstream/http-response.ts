/** Parser of HTTP/1.x responses. */
import { BodyDecoder } from '../body.ts';
import { findHeader, type HeaderField, joinHeader, lowerName } from '../header.ts';
import { InvalidResponse, type ParserSink, type ResponseParser } from './protocol.ts';
import { SINGLE_FIELDS, type UpstreamHead } from './response-head.ts';

const BAD_NAME = /[\x00-\x20\x7f]/;

/** Parses header lines of any back end. @throws InvalidResponse */
export function parseField(line: string): HeaderField {
  const colon = line.indexOf(':');
  const name = colon < 0 ? line : line.slice(0, colon);
  const lname = lowerName(name);
  let start = colon < 0 ? line.length : colon + 1;
  let end = line.length;
  while (start < end && line.charCodeAt(start) === 32) start++;
  while (end > start && line.charCodeAt(end - 1) === 32) end--;
  const value = line.slice(start, end);
  if (name === '' || BAD_NAME.test(name) || value.includes('\0'))
    throw new InvalidResponse(`upstream sent invalid header: "${line.slice(0, 80)}"`);
  return { name, lname, value };
}

/** Adds a field: repeats of single fields are dropped, framing fields must not repeat. @throws InvalidResponse */
export function addField(fields: HeaderField[], field: HeaderField): void {
  const { lname } = field;
  if (lname === 'content-length' || lname === 'transfer-encoding') {
    const previous = findHeader(fields, 'content-length') ?? findHeader(fields, 'transfer-encoding');
    if (previous?.lname === lname) throw new InvalidResponse(`upstream sent duplicate header line: "${field.name}: ${field.value}"`);
    if (previous) throw new InvalidResponse('upstream sent "Content-Length" and "Transfer-Encoding" headers at the same time');
    if (lname === 'content-length' && !/^\d{1,15}$/.test(field.value)) {
      throw new InvalidResponse(`upstream sent invalid "Content-Length" header: "${field.value}"`);
    }
  } else if (SINGLE_FIELDS.has(lname) && findHeader(fields, lname)) return;
  fields.push(field);
}

const STATUS_LINE = /^HTTP\/(\d+)\.(\d+) +(\d{3})(?: (.*?))?\r?$/;
const EMPTY = Buffer.alloc(0);

export class HttpResponseParser implements ResponseParser {
  private held: Buffer = EMPTY;
  private state: 'head' | 'body' | 'raw' | 'done' = 'head';
  private decoder: BodyDecoder | undefined;
  private keepalive = false;
  private started = false;

  constructor(
    private readonly sink: ParserSink,
    private readonly options: { head: boolean; maxHeader: number; allow09: boolean; passEarlyHints: boolean },
  ) {}

  feed(data: Buffer): void {
    if (this.state === 'head') {
      const first = this.held.length === 0;
      this.held = first ? data : Buffer.concat([this.held, data]);
      this.parseHeads();
      // what is fed is read over by the next piece
      if (first && this.held.length > 0) this.held = Buffer.from(this.held);
      return;
    }
    this.feedBody(data);
  }

  end(): boolean {
    if (this.state === 'raw') {
      this.state = 'done';
      return true;
    }
    return this.state === 'done';
  }

  private parseHeads(): void {
    while (this.state === 'head') {
      const { held } = this;
      if (!this.started && held.length > 0) this.checkStart(held);
      if (this.state !== 'head') return;
      const end = headEnd(held);
      if (end < 0) {
        if (held.length >= this.options.maxHeader) throw new InvalidResponse('upstream sent too big header');
        return;
      }
      const text = held.latin1Slice(0, end);
      if (end > this.options.maxHeader) throw new InvalidResponse('upstream sent too big header');
      this.held = held.subarray(end);
      this.started = false;
      this.takeHead(text);
    }
  }

  /** Something that is no status line: an answer of HTTP/0.9, or an error. */
  private checkStart(held: Buffer): void {
    const start = held.latin1Slice(0, Math.min(held.length, 12));
    if ('HTTP/'.startsWith(start.slice(0, 5)) && (start.length < 9 || /^HTTP\/\d+\.\d+ ?/.test(start))) {
      if (held.indexOf(10) >= 0) this.started = true;
      return;
    }
    throw new InvalidResponse('upstream sent no valid HTTP/1.0 header');
  }

  private takeHead(text: string): void {
    let lf = text.indexOf('\n');
    const status = STATUS_LINE.exec(text.slice(0, lf));
    if (!status) throw new InvalidResponse('upstream sent no valid HTTP/1.0 header');
    const code = Number(status[3]);
    const version = Number(status[1]) * 1000 + Number(status[2]);
    const fields: HeaderField[] = [];
    for (let pos = lf + 1; pos < text.length; pos = lf + 1) {
      lf = text.indexOf('\n', pos);
      const end = text.charCodeAt(lf - 1) === 13 ? lf - 1 : lf;
      if (end > pos) addField(fields, parseField(text.slice(pos, end)));
    }
    if (code >= 100 && code < 200 && code !== 101) return;
    const head: UpstreamHead = {
      status: code,
      statusLine: status[4] ? `${status[3]} ${status[4]}` : status[3],
      fields,
      contentLength: -1,
    };
    this.startBody(head, version);
  }

  private startBody(head: UpstreamHead, version: number): void {
    const coding = findHeader(head.fields, 'transfer-encoding')?.value;
    const length = findHeader(head.fields, 'content-length')?.value;
    this.keepalive = version >= 1001 && !joinHeader(head.fields, 'connection', ',')?.toLowerCase().includes('close');
    if (coding !== undefined) {
      if (coding.toLowerCase() !== 'chunked') throw new InvalidResponse(`upstream sent unknown "Transfer-Encoding": "${coding}"`);
      if (version < 1001) throw new InvalidResponse('upstream sent "Transfer-Encoding" header in HTTP/1.0 response');
    }
    if (length !== undefined) head.contentLength = Number(length);
    if (head.status === 101) {
      this.state = 'raw';
      this.sink.head(head);
    } else if (this.options.head || head.status === 204 || head.status === 304) {
      this.state = 'done';
      this.sink.head(head);
      this.sink.complete(this.keepalive && this.held.length === 0);
      return;
    } else {
      if (coding !== undefined) this.decoder = new BodyDecoder(undefined);
      else if (length !== undefined) this.decoder = new BodyDecoder(Number(length));
      this.state = this.decoder ? 'body' : 'raw';
      this.sink.head(head);
    }
    const rest = this.held;
    this.held = EMPTY;
    if (this.decoder?.done) {
      this.state = 'done';
      this.sink.complete(this.keepalive && rest.length === 0);
    } else if (rest.length > 0) this.feedBody(rest);
  }

  private feedBody(data: Buffer): void {
    if (this.state === 'raw') {
      this.sink.body(data);
      return;
    }
    if (this.state === 'done') return;
    const decoder = this.decoder!;
    const used = decoder.feed(data, (piece) => this.sink.body(piece));
    if (used < 0) throw new InvalidResponse('upstream sent invalid chunked response');
    if (!decoder.done) return;
    this.state = 'done';
    if (decoder.trailers.length > 0) this.sink.trailers(decoder.trailers);
    // bytes after the end belong to nothing: the connection is not used again
    this.sink.complete(this.keepalive && used === data.length);
  }
}

/** Index after the empty line, -1 if it is not there yet. */
export function headEnd(data: Buffer): number {
  for (let pos = data.indexOf(10); pos >= 0; pos = data.indexOf(10, pos + 1)) {
    if (data[pos + 1] === 10) return pos + 2;
    if (data[pos + 1] === 13 && data[pos + 2] === 10) return pos + 3;
  }
  return -1;
}
