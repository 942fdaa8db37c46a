// A request for handlers: decoded path and query parameters with typed readers, and the body in the form that the route declares.
import type { JsonObject } from '../../common/json/json-value.ts';
import type { Mobility } from '../../common/turns/turn.ts';
import type { HttpReply, HttpRequest } from '../../http/listener.ts';
import type { Caller } from '../../security/caller.ts';
import type { AskHelpers, RunPart } from './lane.ts';
import { readBoolean, readFloat, readInt, readLong, readTime } from './param-kinds.ts';

export class ApiRequest {
  readonly http: HttpRequest;
  readonly reply: HttpReply;
  /** Path and query parameters by name. Path parameters override query parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** Query parameters only. */
  readonly query: Readonly<Record<string, string>>;
  /** Parsed body of `json` routes; undefined if there was none. */
  readonly body: unknown;
  /** Body of `bytes` and `ndjson` routes as UTF-8 JSON or NDJSON; null if there was none. */
  readonly bytes: Buffer | null;
  /** Body of `stream` routes as it arrives, decompressed. */
  readonly stream: AsyncIterable<Buffer> | null;
  /** The sender; null if authentication is not required. */
  readonly caller: Caller | null;
  /** Other than STAYS if the request is repeated when its handler fails with TooHeavy, so the handler must have changed nothing by then. */
  readonly mobility: Mobility;
  /** In a lane: the part of the request that is to run. null: the whole request. */
  readonly part: JsonObject | null;
  /** In a lane that helps another one: what that lane asks for. null: nothing. */
  readonly help: JsonObject | null;
  /** Runs a part of this request in a lane; null where there are none, and in a lane. */
  readonly runPart: RunPart | null;
  /** In a lane: sends a part of this request to idle lanes. */
  readonly askHelpers: AskHelpers | null;

  constructor(parts: {
    http: HttpRequest;
    reply: HttpReply;
    params: Readonly<Record<string, string>>;
    query: Readonly<Record<string, string>>;
    body: unknown;
    bytes: Buffer | null;
    stream: AsyncIterable<Buffer> | null;
    caller: Caller | null;
    mobility: Mobility;
    part: JsonObject | null;
    help: JsonObject | null;
    runPart: RunPart | null;
    askHelpers: AskHelpers | null;
  }) {
    this.http = parts.http;
    this.reply = parts.reply;
    this.params = parts.params;
    this.query = parts.query;
    this.body = parts.body;
    this.bytes = parts.bytes;
    this.stream = parts.stream;
    this.caller = parts.caller;
    this.mobility = parts.mobility;
    this.part = parts.part;
    this.help = parts.help;
    this.runPart = parts.runPart;
    this.askHelpers = parts.askHelpers;
  }

  get method(): string {
    return this.http.method;
  }

  get path(): string {
    return this.http.path;
  }

  /** The body of a `bytes` or `ndjson` route as text; empty if there was none. */
  get text(): string {
    return this.bytes?.toString('utf8') ?? '';
  }

  string(name: string): string | undefined {
    return this.params[name];
  }

  /** `?x` and `?x=` are true. */
  boolean(name: string): boolean | undefined {
    const value = this.params[name];
    return value === undefined ? undefined : readBoolean(value);
  }

  int(name: string): number | undefined {
    const value = this.params[name];
    return value === undefined ? undefined : readInt(name, value);
  }

  long(name: string): number | undefined {
    const value = this.params[name];
    return value === undefined ? undefined : readLong(name, value);
  }

  float(name: string): number | undefined {
    const value = this.params[name];
    return value === undefined ? undefined : readFloat(name, value);
  }

  timeMs(name: string): number | undefined {
    const value = this.params[name];
    return value === undefined ? undefined : readTime(name, value);
  }

  /** `expand_wildcards`; undefined for the default of the API. An empty one expands nothing. */
  wildcardStates(): string[] | undefined {
    return this.list('expand_wildcards');
  }

  list(name: string): string[] | undefined {
    return this.params[name]?.split(',').filter((item) => item !== '');
  }
}
