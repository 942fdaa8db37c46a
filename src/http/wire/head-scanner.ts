// Scans the head of an HTTP/1.x request line by line as its bytes arrive. A HeadHandler interprets the lines.
//   "GET / HTTP/1.1\r\n" -> requestLine      "Host: a\r\n" -> field      "\r\n" -> end
import { type HeaderField, learnField, recallField } from './header.ts';
import { canBeginRequest, type Methods } from './request-line.ts';

/** Receives a head. Each method returns 0, or the status with which the request is refused. */
export interface HeadHandler {
  /** the line without its line end */
  requestLine(line: string): number;
  /** A field whose name and value are usual. It is shared with other requests and must not be changed. */
  field(field: HeaderField): number;
  /** A field line that needs a closer look (see parseHeaderLine). */
  unusualField(line: string): number;
}

export interface HeadRules {
  methods: Methods;
  /** longest line, its line end included */
  lineBytes: number;
  /** longest head */
  headBytes: number;
  /** a line that does not end in CR LF refuses the request; otherwise LF alone is accepted */
  isStrict: boolean;
}

/** `more`: the head is incomplete; `end`: complete; a number: status of a handler that refused the request. */
export type ScanResult = 'more' | 'end' | 'long line' | 'long head' | 'bad method' | 'bad line end' | number;

/** Characters of an incomplete request line that are checked. */
const METHOD_START = 64;

export class HeadScanner {
  /** characters consumed by the last scan */
  position = 0;
  #bytes = 0;
  #lines = 0;

  /** Prepares for the first line of a head. */
  reset(): void {
    this.#bytes = 0;
    this.#lines = 0;
  }

  /** Scans complete lines of `text` (latin1) from `start` on. An incomplete line is to be passed again with what follows it. */
  scan(text: string, start: number, rules: HeadRules, handler: HeadHandler): ScanResult {
    let pos = start;
    for (;;) {
      this.position = pos;
      const lf = text.indexOf('\n', pos);
      if (lf < 0) return this.#checkPartial(text, pos, rules);
      const from = pos;
      const hasCr = lf > pos && text.charCodeAt(lf - 1) === 13;
      const end = hasCr ? lf - 1 : lf;
      const lineBytes = lf + 1 - pos;
      pos = lf + 1;
      this.position = pos;
      this.#bytes += lineBytes;
      if (rules.isStrict && !hasCr) return 'bad line end';
      if (this.#lines++ === 0) {
        if (lineBytes > rules.lineBytes) return 'long line';
        const status = handler.requestLine(text.slice(from, end));
        if (status !== 0) return status;
        continue;
      }
      if (end === from) return 'end';
      if (lineBytes > rules.lineBytes || this.#bytes > rules.headBytes) return 'long head';
      const status = this.#takeField(text, from, end, handler);
      if (status !== 0) return status;
    }
  }

  #takeField(text: string, from: number, end: number, handler: HeadHandler): number {
    const known = recallField(text, from, end);
    if (known) return handler.field(known);
    const line = text.slice(from, end);
    const field = learnField(line);
    return field ? handler.field(field) : handler.unusualField(line);
  }

  /** Checks a line whose end has not arrived: one that is already too long, or cannot become valid, is rejected at once. */
  #checkPartial(text: string, pos: number, rules: HeadRules): ScanResult {
    const partial = text.length - pos;
    if (rules.isStrict && hasBareCr(text, pos)) return 'bad line end';
    if (this.#lines > 0) return partial >= rules.lineBytes || this.#bytes + partial > rules.headBytes ? 'long head' : 'more';
    if (partial >= rules.lineBytes) return 'long line';
    return partial > 0 && !canBeginRequest(text.slice(pos, pos + METHOD_START), rules.methods) ? 'bad method' : 'more';
  }
}

/** Whether a CR in the incomplete line from `pos` on is followed by something other than LF. */
function hasBareCr(text: string, pos: number): boolean {
  const cr = text.indexOf('\r', pos);
  return cr >= 0 && cr < text.length - 1;
}
