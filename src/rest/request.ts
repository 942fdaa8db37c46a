// A request as handlers see it: decoded path and query parameters with typed readers, and the body in the form that the route declared.
import { parseDurationMs } from '../common/time-unit.ts';
import { badBoolean, badNumberParameter, badTimeValue } from '../errors/catalog.ts';
import type { HttpReply, HttpRequest } from '../http/listener.ts';
import type { Access } from './access.ts';

export class ApiRequest {
  readonly http: HttpRequest;
  readonly reply: HttpReply;
  /** Path parameters and query parameters by name; a path parameter wins. */
  readonly params: Readonly<Record<string, string>>;
  /** Query parameters only. */
  readonly query: Readonly<Record<string, string>>;
  /** Parsed body (`json` routes), undefined if there was none. */
  readonly body: unknown;
  /** Body as UTF-8 JSON or NDJSON (`bytes` and `ndjson` routes), null if there was none. */
  readonly bytes: Buffer | null;
  /** Lines of a streamed body, without line feeds; decompressed. */
  readonly lines: AsyncIterable<Buffer> | null;
  /** What the user may do; checks by name for requests that name indices in their body. */
  readonly access: Access;

  constructor(parts: {
    http: HttpRequest;
    reply: HttpReply;
    params: Readonly<Record<string, string>>;
    query: Readonly<Record<string, string>>;
    body: unknown;
    bytes: Buffer | null;
    lines: AsyncIterable<Buffer> | null;
    access: Access;
  }) {
    this.http = parts.http;
    this.reply = parts.reply;
    this.params = parts.params;
    this.query = parts.query;
    this.body = parts.body;
    this.bytes = parts.bytes;
    this.lines = parts.lines;
    this.access = parts.access;
  }

  get method(): string {
    return this.http.method;
  }

  get path(): string {
    return this.http.path;
  }

  string(name: string): string | undefined {
    return this.params[name];
  }

  /** `?x` and `?x=` are true. @throws ApiError neither true nor false */
  boolean(name: string): boolean | undefined {
    const value = this.params[name];
    if (value === undefined) return undefined;
    if (value === '' || value === 'true') return true;
    if (value === 'false') return false;
    throw badBoolean(value);
  }

  int(name: string): number | undefined {
    const value = this.params[name];
    if (value === undefined) return undefined;
    const number = /^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= -(2 ** 31) && number < 2 ** 31)) throw badNumberParameter('int', name, value);
    return number;
  }

  long(name: string): number | undefined {
    const value = this.params[name];
    if (value === undefined) return undefined;
    if (!/^[+-]?\d{1,19}$/.test(value)) throw badNumberParameter('long', name, value);
    return Number(value);
  }

  float(name: string): number | undefined {
    const value = this.params[name];
    if (value === undefined) return undefined;
    const number = value.trim() === '' ? Number.NaN : Number(value);
    if (Number.isNaN(number)) throw badNumberParameter('float', name, value);
    return number;
  }

  timeMs(name: string): number | undefined {
    const value = this.params[name];
    if (value === undefined) return undefined;
    const ms = parseDurationMs(value);
    if (ms === null) throw badTimeValue(name, value);
    return ms;
  }

  list(name: string): string[] | undefined {
    return this.params[name]?.split(',').filter((item) => item !== '');
  }
}
