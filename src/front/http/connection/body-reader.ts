// Reads a request's body from its connection: stores it, passes it on, or drops it.

import type { Socket } from 'node:net';
import { BodyDecoder } from '../../../http/wire/body-decoder.ts';
import { core } from '../config/core.ts';
import type { Connection, Loc, Request } from '../model/types.ts';
import { RequestBody } from '../request/body.ts';
import { OK } from '../request/codes.ts';

const EMPTY = Buffer.alloc(0);
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

/** The connection whose bodies are read. */
interface BodyReaderOwner extends Pick<Connection, 'http2' | 'output' | 'resumeReading' | 'clearTimer' | 'destroy'> {
  readonly socket: Socket;
  readonly request: Request | null;
  /** configuration of the default server */
  readonly rootLoc: Loc;
  /** bytes read but not parsed yet */
  input: Buffer;
  /** `process` is running */
  readonly processing: boolean;
  /** Parses as much of `input` as possible. */
  process(): void;
  setTimer(ms: number, onDeadline: () => void): void;
  log(level: 'info', message: string): void;
  runPosted(): void;
  /** The request is done, its body included. */
  afterRequest(r: Request): void;
}

export class BodyReader {
  /** the body is being read and dropped */
  discarding = false;

  readonly #conn: BodyReaderOwner;

  constructor(conn: BodyReaderOwner) {
    this.#conn = conn;
  }

  /** Starts reading the body; `onEnd` gets 0 or a status. With `consumer`, data is passed on instead of being stored. */
  read(r: Request, onEnd: (rc: number) => void, consumer?: (data: Buffer) => void): void {
    const { main } = r;
    // a subrequest uses the body that was read before it
    if (r !== main || main.body) {
      onEnd(OK);
      return;
    }
    if (main.contentLength < 0 && !main.chunkedIn) {
      this.#sendContinue(main);
      onEnd(OK);
      return;
    }
    const body = this.#start(main);
    body.consumer = consumer ?? null;
    body.started = true;
    this.#sendContinue(main);
    if (body.decoder.done) {
      this.#completed(main, body);
      onEnd(OK);
      return;
    }
    body.onEnd = onEnd;
    this.#armTimer(main);
    this.#conn.resumeReading();
    if (this.#conn.processing) {
      // the loop in process() continues with the body when the phases return
      this.#feedNow(main, body);
    } else this.#conn.process();
  }

  #feedNow(r: Request, body: RequestBody): void {
    if (this.#conn.input.length > 0 && !body.complete) this.feed(r, body);
  }

  #start(r: Request): RequestBody {
    const c = core.conf(r.loc);
    // the end of an HTTP/2 stream ends a body of unknown length
    const unknown = this.#conn.http2 ? Infinity : null;
    r.body = new RequestBody(new BodyDecoder(r.chunkedIn ? (unknown ?? undefined) : Math.max(0, r.contentLength)), {
      memoryBytes: this.#memoryBytes(r),
      maxBytes: c.client_max_body_size,
      tempFolder: c.client_body_temp_path,
      inFile: c.client_body_in_file_only,
      onFile: (path) =>
        r.log(c.client_body_in_file_only === 'off' ? 'warn' : 'notice', `a client request body is buffered to a temporary file ${path}`),
    });
    const { body } = r;
    r.cleanups.push(() => body.release(c.client_body_in_file_only === 'on'));
    return r.body;
  }

  /**
   * Bytes of a body that stay in memory, as in nginx: what arrives in the buffer of the head does not count, and a buffer may be a quarter larger
   * if the whole rest fits into it.
   */
  #memoryBytes(r: Request): number {
    const bufferBytes = core.conf(r.loc).client_body_buffer_size;
    if (this.#conn.http2) return bufferBytes;
    const room = Math.max(0, core.conf(this.#conn.rootLoc).client_header_buffer_size - r.requestLength);
    const early = Math.min(this.#conn.input.length, room);
    if (!r.chunkedIn && r.contentLength - early < bufferBytes * 1.25) return r.contentLength;
    return early + bufferBytes;
  }

  #sendContinue(r: Request): void {
    if (r.expectTested || r.version < 1001) return;
    r.expectTested = true;
    if (r.headerIn('expect')?.toLowerCase() !== '100-continue' || this.#conn.http2) return;
    this.#conn.output.sent += CONTINUE.length;
    this.#conn.socket.write(CONTINUE);
  }

  #armTimer(r: Request): void {
    this.#conn.setTimer(core.conf(r.loc).client_body_timeout, () => {
      const { body } = r;
      this.#conn.log('info', 'client timed out (110: Connection timed out) while reading client request body');
      const end = body?.onEnd;
      if (body) body.onEnd = null;
      r.keepalive = false;
      if (end) end(408);
      else this.#conn.destroy();
    });
  }

  feed(r: Request, body: RequestBody): void {
    const { maxBytes } = body.limits;
    const used = body.decoder.feed(this.#conn.input, (data) => {
      if (this.discarding) return;
      if (maxBytes > 0 && body.size + data.length > maxBytes && r.chunkedIn) {
        r.log('error', `client intended to send too large chunked body: ${body.size + data.length} bytes`);
        this.#fail(r, body, 413);
        return;
      }
      if (body.onEnd) this.#keep(r, body, data);
    });
    if (used < 0) {
      r.log('error', 'client sent invalid chunked body');
      this.#conn.input = EMPTY;
      this.#fail(r, body, 400);
      return;
    }
    if (!this.discarding) r.requestLength += used;
    this.#conn.input = used >= this.#conn.input.length ? EMPTY : this.#conn.input.subarray(used);
    if (body.decoder.done) {
      this.#ended(r, body);
      return;
    }
    if (this.discarding) this.#conn.setTimer(core.conf(r.loc).lingering_timeout, () => this.#conn.destroy());
    else if (body.onEnd) this.#armTimer(r);
  }

  #ended(r: Request, body: RequestBody): void {
    body.trailers = body.decoder.trailers;
    this.#completed(r, body);
    const end = body.onEnd;
    body.onEnd = null;
    if (this.discarding) {
      this.discarding = false;
      // a response that is still being sent starts the next request when it ends
      if (!this.#conn.request?.done) return;
      this.#conn.afterRequest(r);
    } else end?.(OK);
    this.#conn.runPosted();
  }

  /** The stream has ended: a body of unknown length is complete. */
  endOfStream(): void {
    const r = this.#conn.request;
    const body = r?.body;
    if (!r || !body?.started || body.complete) return;
    body.decoder.done = true;
    this.#ended(r, body);
  }

  #keep(r: Request, body: RequestBody, data: Buffer): void {
    try {
      body.take(data);
    } catch (error) {
      r.log('crit', `open() temporary file failed: ${(error as Error).message}`);
      this.#fail(r, body, 500);
    }
  }

  #fail(r: Request, body: RequestBody, status: number): void {
    const end = body.onEnd;
    body.onEnd = null;
    body.complete = true;
    r.keepalive = false;
    r.lingeringClose = true;
    this.#conn.clearTimer();
    if (end) end(status);
    else if (this.discarding) this.#conn.destroy();
    this.#conn.runPosted();
  }

  #completed(r: Request, body: RequestBody): void {
    body.complete = true;
    this.#conn.clearTimer();
    if (core.conf(r.loc).client_body_in_file_only !== 'off' && body.size > 0 && !body.consumer) body.toFile();
  }

  /** Reads the body and drops it, after the response if necessary. Returns OK, or 400 for a malformed body. */
  discard(r: Request): number {
    const { main } = r;
    if (r !== main || main.body || this.discarding) return OK;
    this.#sendContinue(main);
    if (main.contentLength <= 0 && !main.chunkedIn) return OK;
    const body = this.#start(main);
    body.started = true;
    this.discarding = true;
    if (this.#conn.input.length > 0) {
      const used = body.decoder.feed(this.#conn.input, () => {});
      if (used < 0) {
        this.#conn.input = EMPTY;
        body.complete = true;
        this.discarding = false;
        main.keepalive = false;
        main.lingeringClose = true;
        return 400;
      }
      this.#conn.input = used >= this.#conn.input.length ? EMPTY : this.#conn.input.subarray(used);
    }
    if (body.decoder.done) {
      body.complete = true;
      this.discarding = false;
    } else main.lingeringClose = true;
    this.#conn.resumeReading();
    return OK;
  }
}
