// A request for Perl handlers: performs the operations of `$r` and answers its queries. Messages and the order of checks are nginx's.
import { present } from '../../../common/present.ts';
import { systemError } from '../../system-error.ts';
import { openFile } from '../files/open-files.ts';
import { mapUri } from '../files/paths.ts';
import { readSpan } from '../files/send-file.ts';
import type { Request } from '../model/types.ts';
import { ERROR, OK } from '../request/codes.ts';
import type { Items } from './frame.ts';
import type { CallHost } from './interpreter.ts';

/** Bytes of a file that are read at once if filters need them in memory. */
const FILE_BYTES = 65536;

/** What remains to be done after a call. */
type Next = { kind: 'sleep'; ms: number } | { kind: 'body' };

export class PerlRequest implements CallHost {
  readonly r: Request;
  /** receives the output: the request itself, or the subrequest of an SSI command */
  readonly #out: Request;
  /** an operation failed: the result of the call does not count */
  hasFailed = false;
  /** status of the failure, OK: none */
  failedStatus = OK;
  headerSent: boolean;
  redirectUri = '';
  next: Next | null = null;
  /** variables that the configuration does not define */
  readonly #variables = new Map<string, string>();

  constructor(r: Request, out = r) {
    this.r = r;
    this.#out = out;
    this.headerSent = out !== r;
  }

  /** State of a call that begins, as `run_call` expects it. */
  flags(isVariable: boolean): string {
    this.hasFailed = false;
    this.failedStatus = OK;
    return [isVariable, this.headerSent, this.r.headerOnly].map((flag) => (flag ? '1' : '0')).join('');
  }

  perform(operations: readonly (readonly (string | null)[])[]): void {
    for (const [name, ...args] of operations) {
      const words = args.map((arg) => arg ?? '');
      this.#perform(name ?? '', words[0] ?? '', words[1] ?? '');
    }
  }

  #perform(name: string, first: string, second: string): void {
    const { r } = this;
    switch (name) {
      case 'print':
        this.#output(Buffer.from(first, 'latin1'));
        return;
      case 'flush':
        if (this.#out.output([], false, true) === ERROR) this.#fail('ngx_http_perl_output() failed');
        return;
      case 'status':
        r.out.status = Number(first);
        r.out.statusLine = '';
        return;
      case 'header_out':
        this.#addHeader(first, second);
        return;
      case 'allow_ranges':
        r.allowRanges = true;
        return;
      case 'internal_redirect':
        this.redirectUri = first;
        return;
      case 'sleep':
        this.next = { kind: 'sleep', ms: Math.max(0, Number(first)) };
        return;
      case 'read_body':
        this.next = { kind: 'body' };
        return;
      case 'set_variable':
        this.#setVariable(first, second);
        return;
      case 'log_error':
        r.log('error', `perl: ${first}${second === '0' ? '' : ` (${systemError(Number(second))})`}`);
        return;
      case 'warn':
        r.log('warn', `perl: ${first}`);
    }
  }

  ask(method: string, args: readonly (string | null)[]): Items {
    const { r } = this;
    const first = args[0] ?? '';
    switch (method) {
      case 'pass_on':
        return [];
      case 'headers_in': {
        const names = new Set(r.headersIn.map(({ lname }) => lname));
        return [...names].flatMap((name) => [name, present(r.headersJoined(name, name === 'cookie' ? '; ' : ', '))]);
      }
      case 'send_http_header':
        return [this.#sendHeader(args.length > 0 ? first : null)];
      case 'sendfile':
        this.#sendFile(first, Number(args[1]), Number(args[2]));
        return [];
      case 'filename':
        return [mapUri(r)];
      case 'has_request_body':
        return [r.main.contentLength > 0 || r.main.chunkedIn || r.conn.http2?.bodyFollows ? '1' : null];
      case 'request_body': {
        const body = r.bodyOwner.body;
        return [!body || body.file || body.size === 0 ? null : body.read().latin1Slice()];
      }
      case 'request_body_file':
        return [r.bodyOwner.body?.file?.path ?? null];
      case 'discard_request_body': {
        const rc = r.conn.discardBody(r.main);
        if (rc !== OK) this.#fail('ngx_http_discard_request_body() failed', rc);
        return [];
      }
      case 'variable':
        return [this.#variable(first)];
      default:
        throw new Error(`unknown method "${method}"`);
    }
  }

  #fail(message: string, status = OK): never {
    this.hasFailed = true;
    this.failedStatus = status;
    throw new Error(message);
  }

  #sendHeader(type: string | null): string {
    const { r } = this;
    if (this.hasFailed) throw new Error('send_http_header(): called after error');
    if (r.out.status === 0) r.out.status = 200;
    if (type !== null) r.out.setContentType(type);
    else r.setContentType();
    this.headerSent = true;
    r.disableNotModified = true;
    const rc = r.sendHeader();
    if (rc === ERROR || rc > OK) this.#fail('ngx_http_send_header() failed', rc);
    return r.headerOnly ? '1' : '0';
  }

  #output(data: Buffer): void {
    if (this.#out.output([data], false) === ERROR) this.#fail('ngx_http_perl_output() failed');
  }

  #addHeader(name: string, value: string): void {
    const { out } = this.r;
    const lname = name.toLowerCase();
    if (lname === 'content-length') out.contentLength = /^\d{1,15}/.test(value) ? Number.parseInt(value, 10) : 0;
    else if (lname === 'content-type') out.setContentType(value);
    else out.add(name, value);
  }

  #sendFile(name: string, offset: number, bytes: number): void {
    if (this.hasFailed) throw new Error('sendfile(): called after error');
    const out = this.#out;
    let file: ReturnType<typeof openFile>;
    try {
      file = openFile(this.r, name);
      if (!file.stat.isFile()) throw Object.assign(new Error(), { code: 'EISDIR' });
    } catch (error) {
      this.r.log('crit', `open() "${name}" failed (${systemError(error)})`);
      return this.#fail('ngx_open_cached_file() failed');
    }
    const start = Math.min(Math.max(0, offset), file.stat.size);
    const end = bytes > 0 ? Math.min(start + bytes, file.stat.size) : file.stat.size;
    if (start === end) return;
    const { fd } = file;
    if (file.body) this.#output(file.body.subarray(start, end));
    else if (fd === undefined) this.#fail('ngx_open_cached_file() failed');
    else if (!out.needInMemory) {
      if (out.output([{ fd, start, end }], false) === ERROR) this.#fail('ngx_http_perl_output() failed');
    } else {
      for (let at = start; at < end; at += FILE_BYTES) this.#output(readSpan({ fd, start: at, end: Math.min(at + FILE_BYTES, end) }));
    }
  }

  #variable(name: string): string | null {
    const def = this.r.http.variables.find(name);
    const value = def ? this.r.variable(def) : null;
    return value ?? this.#variables.get(name.toLowerCase()) ?? null;
  }

  #setVariable(name: string, value: string): void {
    const def = this.r.http.variables.find(name);
    if (def?.index === undefined) this.#variables.set(name.toLowerCase(), value);
    else this.r.vars[def.index] = value;
  }
}
