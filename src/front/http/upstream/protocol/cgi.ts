// What FastCGI, SCGI and uwsgi share: parameters from the request, and CGI response headers.
import { findHeader, type HeaderField } from '../../../../http/wire/header.ts';
import { custom, HSL } from '../../../config/directive.ts';
import type { HttpFrame } from '../../config/module.ts';
import { parseValue, type Value } from '../../config/value.ts';
import type { Request, VariableDef } from '../../model/types.ts';
import { addField, headEnd, parseField } from './http-response.ts';
import type { UpstreamHead } from './protocol.ts';
import { type Exchange, InvalidResponse, type ParserSink, type ResponseParser } from './protocol.ts';

export interface Param {
  name: string;
  value: Value;
  ifNotEmpty: boolean;
}

export const paramDirective = () =>
  custom<Param[] | null>(
    HSL,
    [2, 3],
    null,
    (f: HttpFrame, previous = []) => {
      if (f.args[2] !== undefined && f.args[2] !== 'if_not_empty') f.fail(`invalid parameter "${f.args[2]}"`);
      return [...previous, { name: f.args[0], value: f.scope.value(f.args[1]), ifNotEmpty: f.args[2] === 'if_not_empty' }];
    },
    { repeats: true },
  );

const CACHE_DROPPED = new Set([
  'HTTP_IF_MODIFIED_SINCE',
  'HTTP_IF_UNMODIFIED_SINCE',
  'HTTP_IF_NONE_MATCH',
  'HTTP_IF_MATCH',
  'HTTP_RANGE',
  'HTTP_IF_RANGE',
]);

export function hostParam(lookup: (name: string) => VariableDef): Param {
  return { name: 'HTTP_HOST', value: parseValue('$host$is_request_port$request_port', lookup), ifNotEmpty: true };
}

/** `fastcgi_param HTTP_PROXY ""` removes a field of the request. */
const dropsHeader = ({ name, value }: Param): boolean => value.constant === '' && name.startsWith('HTTP_');

/** All parameters of a request: the configured ones, then its header fields as HTTP_*. */
export function requestParams(x: Exchange, params: readonly Param[], passHeaders: boolean): [string, string][] {
  const { r, caching, conditional } = x;
  const out: [string, string][] = [];
  const own = new Set<string>();
  for (const param of params) {
    const value = param.value.eval(r);
    if (param.name.startsWith('HTTP_')) own.add(param.name);
    if (value === '' && (param.ifNotEmpty || dropsHeader(param))) continue;
    out.push([param.name, value]);
  }
  if (!passHeaders) return out;
  const merged = new Map<string, string>();
  for (const field of r.headersIn) {
    const name = `HTTP_${field.name.toUpperCase().replace(/-/g, '_')}`;
    if (own.has(name)) continue;
    if (caching && CACHE_DROPPED.has(name)) continue;
    const before = merged.get(name);
    merged.set(name, before === undefined ? field.value : before + (name === 'HTTP_COOKIE' ? '; ' : ', ') + field.value);
  }
  for (const pair of merged) out.push(pair);
  if (caching) {
    for (const line of conditional.split('\r\n').filter(Boolean)) {
      const colon = line.indexOf(':');
      out.push([`HTTP_${line.slice(0, colon).toUpperCase().replace(/-/g, '_')}`, line.slice(colon + 2)]);
    }
  }
  return out;
}

export function contentLength(r: Request): number {
  const { body } = r.bodyOwner;
  if (body && !body.consumer) return body.size;
  return Math.max(0, r.bodyOwner.contentLength);
}

/** Parses the header of a CGI response. @throws InvalidResponse */
function cgiHead(text: string, sink: ParserSink): UpstreamHead {
  const fields: HeaderField[] = [];
  let status = 0;
  let statusLine = '';
  for (const [n, raw] of text.split('\n').entries()) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (line === '') continue;
    const http = n === 0 ? /^HTTP\/\d+\.\d+ +(\d{3})(?: (.*))?$/.exec(line) : null;
    if (http) {
      status = Number(http[1]);
      statusLine = http[2] ? `${http[1]} ${http[2]}` : http[1];
      continue;
    }
    const field = parseField(line);
    if (field.lname === 'status') {
      const previous = findHeader(fields, 'status');
      if (previous) sink.repeated?.(field, previous);
      fields.push(field);
      if (status) continue;
      const m = /^\d{3}/.exec(field.value);
      if (!m) throw new InvalidResponse(`upstream sent invalid status "${field.value}"`);
      status = Number(m[0]);
      // a bare code gets its usual reason
      if (field.value.length > 3) statusLine = field.value;
      continue;
    }
    const previous = addField(fields, field);
    if (previous) sink.repeated?.(field, previous);
  }
  const value = (lname: string) => fields.find((f) => f.lname === lname)?.value;
  if (!status) status = value('location') !== undefined ? 302 : 200;
  const length = value('content-length');
  return { status, statusLine, fields, contentLength: length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : -1 };
}

/** A response of header, empty line, and body up to the end of the connection. */
export class CgiParser implements ResponseParser {
  #held: Buffer = Buffer.alloc(0);
  #head: UpstreamHead | null = null;
  #left = Infinity;
  #complete = false;

  readonly #sink: ParserSink;
  readonly #options: { maxHeader: number; bodyless: boolean };

  constructor(sink: ParserSink, options: { maxHeader: number; bodyless: boolean }) {
    this.#sink = sink;
    this.#options = options;
  }

  feed(data: Buffer): void {
    if (this.#head) {
      this.#body(data);
      return;
    }
    this.#held = this.#held.length === 0 ? data : Buffer.concat([this.#held, data]);
    const end = headEnd(this.#held);
    if (end < 0) {
      if (this.#held.length >= this.#options.maxHeader) throw new InvalidResponse('upstream sent too big header');
      return;
    }
    const head = cgiHead(this.#held.latin1Slice(0, end), this.#sink);
    this.#head = head;
    const rest = this.#held.subarray(end);
    if (head.contentLength >= 0) this.#left = head.contentLength;
    if (this.#options.bodyless || head.status === 204 || head.status === 304) this.#left = 0;
    this.#sink.head(head);
    if (rest.length > 0) this.#body(rest);
    else this.#checkEnd();
  }

  #body(data: Buffer): void {
    if (this.#complete) return;
    const take = data.length > this.#left ? data.subarray(0, this.#left) : data;
    if (take.length > 0) this.#sink.body(take);
    this.#left -= take.length;
    this.#checkEnd();
  }

  #checkEnd(): void {
    if (this.#left > 0 || this.#complete) return;
    this.#complete = true;
    if (this.atEnd) this.#sink.complete(false);
  }

  /** false if the protocol marks the end itself (FastCGI) */
  atEnd = true;

  end(): boolean {
    return this.#head !== null && (this.#left === Infinity || this.#left <= 0);
  }

  get started(): boolean {
    return this.#head !== null;
  }
}
