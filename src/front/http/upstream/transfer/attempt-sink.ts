// Passes on what the parser of one attempt reads; once the attempt is abandoned, the rest is ignored.
import type { HeaderField } from '../../../../http/wire/header.ts';
import type { Request } from '../../model/types.ts';
import type { UpstreamState } from '../../model/upstream-state.ts';
import { repeatedText } from '../protocol/http-response.ts';
import type { ParserSink, UpstreamHead } from '../protocol/protocol.ts';
import { READING_HEAD } from '../protocol/response-head.ts';

/** The exchange that the attempt belongs to. */
interface AttemptOwner {
  readonly r: Request;
  readonly state: UpstreamState;
  readonly ended: boolean;
  /** number of the current attempt */
  readonly attempt: number;
  trailers: readonly HeaderField[];
  gotHead(head: UpstreamHead): void;
  gotHints(fields: HeaderField[]): void;
  gotBody(data: Buffer, last: boolean): void;
  complete(keepalive: boolean): void;
}

export class AttemptSink implements ParserSink {
  readonly #u: AttemptOwner;
  readonly #attempt: number;

  constructor(u: AttemptOwner, attempt: number) {
    this.#u = u;
    this.#attempt = attempt;
  }

  get #isCurrent(): boolean {
    return this.#attempt === this.#u.attempt && !this.#u.ended;
  }

  head(head: UpstreamHead): void {
    if (this.#isCurrent) this.#u.gotHead(head);
  }

  repeated(field: HeaderField, previous: HeaderField): void {
    if (this.#isCurrent) this.#u.r.log('warn', `${repeatedText(field, previous)}, ignored${READING_HEAD}`);
  }

  hints(fields: HeaderField[]): void {
    if (this.#isCurrent) this.#u.gotHints(fields);
  }

  body(data: Buffer, last = false): void {
    if (this.#isCurrent) this.#u.gotBody(data, last);
  }

  trailers(fields: HeaderField[]): void {
    if (this.#isCurrent) this.#u.trailers = fields;
  }

  beside(count: number, isExcess: boolean): void {
    if (!this.#isCurrent) return;
    this.#u.state.besideBytes += count;
    if (isExcess) this.#u.r.log('warn', 'upstream sent more data than specified in "Content-Length" header while reading upstream');
  }

  complete(keepalive: boolean): void {
    if (this.#isCurrent) this.#u.complete(keepalive);
  }
}
