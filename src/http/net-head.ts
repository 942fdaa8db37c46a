// The head of a REST request: checks the requirements of HTTP/1.1 (RFC 9112) and framing.ts.
import { checkFraming, type FramingHeaders } from './framing.ts';
import type { HeadHandler, HeadRules } from './wire/head-scanner.ts';
import { type HeaderField, joinHeader, parseHeaderLine } from './wire/header.ts';
import { parseRequestLine } from './wire/request-line.ts';

const MAX_FIELDS = 100;
/** Control characters other than tabs (RFC 9110, 5.5). */
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;

/** Strict: ambiguous heads are refused. */
export const headRules = (maxHeadBytes: number): HeadRules => ({
  methods: 'any token',
  lineBytes: maxHeadBytes,
  headBytes: maxHeadBytes,
  isStrict: true,
});

export class NetHead implements HeadHandler {
  method = '';
  path = '';
  query = '';
  /** 1000 or 1001 */
  version = 0;
  readonly fields: HeaderField[] = [];
  /** why the head is refused */
  reason = '';
  /** bytes of the body; 0: none, null: chunked */
  length: number | null = 0;
  keepAlive = false;
  expectsContinue = false;
  #joined: Readonly<Record<string, string>> | null = null;

  requestLine(line: string): number {
    const parsed = parseRequestLine(line, 'any token');
    if (parsed === 'version') return this.#refuse(505, 'only HTTP/1.0 and HTTP/1.1 are supported');
    if (typeof parsed === 'string' || parsed.version < 1000 || parsed.method === 'CONNECT')
      return this.#refuse(400, 'malformed request line');
    const { rawUri } = parsed;
    const mark = rawUri.indexOf('?');
    this.method = parsed.method;
    this.version = parsed.version;
    // an absolute URI may have no path
    this.path = (mark < 0 ? rawUri : rawUri.slice(0, mark)) || '/';
    this.query = mark < 0 ? '' : rawUri.slice(mark + 1);
    return 0;
  }

  field(field: HeaderField): number {
    if (this.fields.length >= MAX_FIELDS) return this.#refuse(431, `more than ${MAX_FIELDS} headers`);
    this.fields.push(field);
    return 0;
  }

  unusualField(line: string): number {
    const field = parseHeaderLine(line, true, false);
    // Without a colon, the whole line would be a name.
    return typeof field === 'string' || !line.includes(':') || CONTROL.test(field.value)
      ? this.#refuse(400, 'malformed header line')
      : this.field(field);
  }

  #refuse(status: number, reason: string): number {
    this.reason = reason;
    return status;
  }

  /** Checks the complete head. Returns 0, or the status that refuses it. */
  finish(): number {
    const counts: FramingHeaders = { hostCount: 0, contentLengthCount: 0, transferEncodingCount: 0 };
    const framing: Record<string, string> = {};
    let connection = '';
    for (const { lname, value } of this.fields) {
      if (lname === 'host') counts.hostCount++;
      else if (lname === 'content-length') counts.contentLengthCount++;
      else if (lname === 'transfer-encoding') counts.transferEncodingCount++;
      else {
        if (lname === 'connection') connection = connection === '' ? value : `${connection},${value}`;
        else if (lname === 'expect') this.expectsContinue = this.version > 1000 && value.toLowerCase() === '100-continue';
        continue;
      }
      framing[lname] = value;
    }
    // Host was introduced by HTTP/1.1.
    if (this.version === 1000 && counts.hostCount === 0) counts.hostCount = 1;
    const result = checkFraming(counts, framing);
    if (!result.ok) return this.#refuse(400, result.reason);
    if (this.version === 1000 && result.length === null) return this.#refuse(400, 'HTTP/1.0 has no Transfer-Encoding');
    this.length = result.length;
    this.keepAlive = keepsAlive(connection, this.version);
    return 0;
  }

  header(name: string): string | undefined {
    return joinHeader(this.fields, name);
  }

  headers(): Readonly<Record<string, string>> {
    if (!this.#joined) {
      const joined: Record<string, string> = {};
      for (const { lname } of this.fields) joined[lname] ??= joinHeader(this.fields, lname) ?? '';
      this.#joined = joined;
    }
    return this.#joined;
  }
}

/** HTTP/1.1 keeps a connection unless asked to close it, HTTP/1.0 only if asked to keep it. */
function keepsAlive(connection: string, version: number): boolean {
  if (connection === '') return version > 1000;
  const tokens = connection.toLowerCase().split(/\s*,\s*/);
  return version > 1000 ? !tokens.includes('close') : tokens.includes('keep-alive') && !tokens.includes('close');
}
