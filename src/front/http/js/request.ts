// The request object of JavaScript handlers, with the names and meanings of njs. Strings are latin1 unless stated otherwise.

import { present } from '../../../common/present.ts';
import { lowerName } from '../../../http/wire/header.ts';
import { readSpan } from '../files/send-file.ts';
import type { Request } from '../model/types.ts';
import { redirectTo, redirectToNamed } from '../phases/redirect.ts';
import { sendBuffer } from '../phases/send.ts';
import { startSubrequest } from '../phases/subrequest.ts';
import { ERROR } from '../request/codes.ts';
import { type BodyFlags, isFileSpan } from '../request/pieces.ts';
import { view } from './view.ts';

interface SubrequestInput {
  args?: string;
  method?: string;
  /** Replaces the request's own body; strings are sent as UTF-8. */
  body?: string | Uint8Array;
  /** The response is discarded, and nothing is returned. */
  detached?: boolean;
}

/** Response of a subrequest. */
interface JsReply {
  status: number;
  headersOut: Record<string, string>;
  responseText: string;
  responseBuffer: Buffer;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

type HeaderValue = string | readonly string[] | undefined | null;

const readOnly = (): never => {
  throw new TypeError('read-only');
};

/** Fields that the response stores outside its list. */
function getHeaderOut({ out }: Request, name: string): HeaderValue {
  const lname = lowerName(name);
  if (lname === 'content-type') return out.contentType || undefined;
  if (lname === 'content-length') return out.contentLength < 0 ? undefined : String(out.contentLength);
  if (lname === 'location' && out.location !== null) return out.location;
  const values = out.fields.filter((field) => field.lname === lname).map((field) => field.value);
  if (lname === 'set-cookie' && values.length > 0) return values;
  return values.length === 0 ? undefined : values.join(', ');
}

function setHeaderOut({ out }: Request, name: string, value: HeaderValue): void {
  const list = value === undefined || value === null || value === '' ? [] : Array.isArray(value) ? value.map(String) : [String(value)];
  if (list.some((text) => /[\r\n\0]/.test(text)) || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    throw new TypeError(`invalid header "${name}"`);
  switch (lowerName(name)) {
    case 'content-type':
      out.contentType = list[0] ?? '';
      out.charset = '';
      return;
    case 'content-length':
      if (list.length > 0 && !/^\d{1,15}$/.test(list[0])) throw new TypeError('invalid "Content-Length"');
      out.contentLength = list.length > 0 ? Number(list[0]) : -1;
      return;
    case 'location':
      out.location = null;
  }
  out.set(name, null);
  for (const text of list) out.add(name, text);
}

export class JsRequest {
  #ended = false;
  #allowed: 'ok' | 'declined' = 'ok';
  /** Output of the body filter that is running. */
  #sink: ((data: Buffer, flags: BodyFlags) => void) | undefined;
  #filterDone = false;

  readonly #r: Request;

  constructor(r: Request) {
    this.#r = r;
  }

  get method(): string {
    return this.#r.method;
  }
  get uri(): string {
    return this.#r.uri;
  }
  get rawArgs(): string {
    return this.#r.args;
  }
  /** Query arguments, decoded. */
  get args(): Record<string, string> {
    return Object.fromEntries(new URLSearchParams(this.#r.args));
  }
  get httpVersion(): string {
    return this.#r.protocol.replace(/^HTTP\//, '');
  }
  get remoteAddress(): string {
    return this.#r.conn.remoteAddr;
  }
  get internal(): boolean {
    return this.#r.internal;
  }
  /** The request that started this subrequest. */
  get parent(): JsRequest | undefined {
    return this.#r.parent && new JsRequest(this.#r.parent);
  }

  #inView: Record<string, string> | undefined;
  #outView: Record<string, HeaderValue> | undefined;
  #variableView: Record<string, string> | undefined;

  /** Fields by case-insensitive name; repeated ones are joined. */
  get headersIn(): Record<string, string> {
    const r = this.#r;
    return (this.#inView ??= view<string>(
      (name) => r.headersJoined(lowerName(name)) ?? undefined,
      () => r.headersIn.map((h) => h.name),
      readOnly,
    ));
  }
  /** Fields as received. */
  get rawHeadersIn(): [string, string][] {
    return this.#r.headersIn.map((h) => [h.name, h.value]);
  }
  get headersOut(): Record<string, HeaderValue> {
    const r = this.#r;
    return (this.#outView ??= view<HeaderValue>(
      (name) => getHeaderOut(r, name),
      () => [
        ...(r.out.contentType ? ['Content-Type'] : []),
        ...(r.out.contentLength >= 0 ? ['Content-Length'] : []),
        ...r.out.fields.map((field) => field.name),
      ],
      (name, value) => setHeaderOut(r, name, value),
    ));
  }
  get rawHeadersOut(): [string, string][] {
    return this.#r.out.fields.map((field) => [field.name, field.value]);
  }
  /** Variables of the configuration; those of `set` and `js_var` are writable. */
  get variables(): Record<string, string> {
    return (this.#variableView ??= view<string>(
      (name) => this.variable(name),
      () => [],
      (name, value) => this.#setVariable(name, value ?? ''),
    ));
  }

  get status(): number {
    return this.#r.out.status;
  }
  set status(value: number) {
    this.#r.out.status = value;
    this.#r.out.statusLine = '';
  }
  /** The request body as UTF-8. */
  get requestText(): string {
    return this.requestBuffer.toString('utf8');
  }
  get requestBuffer(): Buffer {
    return this.#r.bodyOwner.body?.read() ?? Buffer.alloc(0);
  }

  variable(name: string): string | undefined {
    const def = this.#r.http.variables.find(name);
    return def ? (this.#r.variable(def) ?? undefined) : undefined;
  }

  #setVariable(name: string, value: string): void {
    const def = this.#r.http.variables.assignable(name);
    if (def?.set) def.set(this.#r, String(value));
    else if (def) this.#r.vars[present(def.index)] = String(value);
    else throw new TypeError(`variable "${name}" cannot be written`);
  }

  log(message: string): void {
    this.#r.log('info', `js: ${message}`);
  }
  warn(message: string): void {
    this.#r.log('warn', `js: ${message}`);
  }
  error(message: string): void {
    this.#r.log('error', `js: ${message}`);
  }

  // ---------------------------------------------------------------- responding

  /** Finishes the request with a response. A status of 300 or more without a body is subject to `error_page`. */
  return(status: number, body: string | Uint8Array = ''): void {
    if (!Number.isInteger(status) || status < 0 || status > 999) throw new TypeError(`code is out of range`);
    if (this.#ended || this.#r.done) return;
    this.#ended = true;
    const r = this.#r;
    const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : Buffer.from(body);
    if (REDIRECTS.has(status) && bytes.length > 0) {
      // As `return 302 URL`.
      r.out.location = bytes.latin1Slice();
      r.finalize(status);
      return;
    }
    if (bytes.length === 0 && status >= 300) {
      r.finalize(status);
      return;
    }
    r.out.status = status;
    r.setContentType();
    r.finalize(sendBuffer(r, bytes));
  }

  sendHeader(): void {
    if (this.#r.out.status === 0) this.#r.out.status = 200;
    this.#r.setContentType();
    if (this.#r.sendHeader() === ERROR) throw new Error('failed to send header');
  }

  /** Sends a part of the body, after `sendHeader`. */
  send(...parts: (string | Uint8Array)[]): void {
    const pieces = parts.map((part) => Buffer.from(part as string)).filter((piece) => piece.length > 0);
    if (this.#r.output(pieces, false, true) === ERROR) throw new Error('failed to send response');
  }

  /** Finishes what `send` started. */
  finish(): void {
    if (this.#ended || this.#r.done) return;
    this.#ended = true;
    this.#r.finalize(this.#r.output([], true));
  }

  /** Redirects internally to another URI of this server or to a named location. */
  internalRedirect(uri: string): void {
    if (this.#ended || this.#r.done) return;
    this.#ended = true;
    if (uri.startsWith('@')) redirectToNamed(this.#r, uri);
    else redirectTo(this.#r, uri);
  }

  /** js_access: neither refuses nor allows; the other access checks decide. */
  decline(): void {
    this.#allowed = 'declined';
  }

  /** Sends a request to this server itself; its response is buffered in memory (`subrequest_output_buffer_size`). */
  subrequest(uri: string, options: string | SubrequestInput = {}): Promise<JsReply | undefined> {
    const { args = '', method, detached = false, body: own }: SubrequestInput = typeof options === 'string' ? { args: options } : options;
    const given = own === undefined ? undefined : Buffer.from(own as string);
    if (!uri.startsWith('/')) throw new TypeError(`subrequest needs a URI, got "${uri}"`);
    const r = this.#r;
    return new Promise((resolve, reject) => {
      const sub = startSubrequest(r, uri, args, {
        ...{ method, background: detached, inMemory: !detached, body: given },
        done(request, rc) {
          const body = Buffer.concat(request.captured);
          const headersOut: Record<string, string> = {};
          if (request.out.contentType) headersOut['Content-Type'] = request.out.contentType;
          for (const { name, value } of request.out.fields) headersOut[name] = value;
          const status = rc >= 300 ? rc : request.out.status || 200;
          if (rc === ERROR) reject(new Error(`subrequest to "${uri}" failed`));
          else resolve({ status, headersOut, responseText: body.toString('utf8'), responseBuffer: body });
          // Only the status is needed, not the error page.
          return rc >= 300 ? 0 : rc;
        },
      });
      if (!sub) reject(new Error('subrequests cycle'));
      else if (detached) resolve(undefined);
    });
  }

  // ---------------------------------------------------------------- body filters

  /** js_body_filter: passes data on. */
  sendBuffer(data: string | Uint8Array, flags: { last?: boolean; flush?: boolean } = {}): void {
    if (!this.#sink) throw new TypeError('sendBuffer() is for body filters');
    this.#sink(Buffer.from(data as string), { last: flags.last ?? false, flush: flags.flush ?? false });
  }

  /** js_body_filter: the rest of the body bypasses the filter. */
  done(): void {
    this.#filterDone = true;
  }

  // ---------------------------------------------------------------- used by the module

  get finished(): boolean {
    return this.#ended;
  }
  get access(): 'ok' | 'declined' {
    return this.#allowed;
  }

  /** Makes a handler's function a body filter. @param binary  data is passed as Buffer instead of string */
  filterBody(run: (data: string | Buffer, flags: { last: boolean }) => void, binary: boolean): void {
    this.#r.needInMemory = true;
    this.#r.addBodyFilter('js', (r, pieces, flags, position) => {
      if (this.#filterDone) return r.nextBody(pieces, flags, position);
      let rc = 0;
      this.#sink = (data, own) => {
        if (rc !== ERROR) rc = r.nextBody(data.length > 0 ? [data] : [], own, position);
      };
      try {
        const list = pieces.map((piece) => (isFileSpan(piece) ? readSpan(piece) : piece));
        if (list.length === 0 && flags.last) list.push(Buffer.alloc(0));
        list.forEach((piece, n) => {
          const data = binary ? Buffer.from(piece) : piece.toString('utf8');
          const last = flags.last && n === list.length - 1;
          if (this.#filterDone) present(this.#sink)(Buffer.from(piece), { last, flush: flags.flush });
          else run(data, { last });
        });
      } catch {
        // The module has logged it.
        rc = ERROR;
      } finally {
        this.#sink = undefined;
      }
      return rc;
    });
  }
}
