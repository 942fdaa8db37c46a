// A reply of net-listener.ts: whole, in one write, or as a stream.
import type { Socket } from 'node:net';
import type { FlowBody } from './flow-body.ts';
import { checkHeaderValue, closesConnection, type HttpHeaders, type HttpReply, type ReplyStream } from './listener.ts';
import type { NetHead } from './net-head.ts';
import { REASON_PHRASES } from './reason-phrases.ts';
import { nowSeconds } from './wire/clock.ts';
import type { DirectWriter } from './wire/direct-writer.ts';

/** The connection that replies are sent on. */
export interface ReplyOwner {
  readonly socket: Socket;
  readonly writer: DirectWriter;
  readonly isDraining: boolean;
  /** The reply is complete. */
  finished(reply: NetReply, shouldClose: boolean): void;
}

/** Head and body up to this size are joined, since a gathered write costs more than the copy. */
const JOIN_BYTES = 32 * 1024;
let joinBuffer = Buffer.allocUnsafeSlow(JOIN_BYTES);
/** Bytes that a code unit of a string takes in UTF-8, at most. */
const MAX_UTF8_BYTES = 3;

let dateSecond = -1;
let dateLine = '';
function currentDateLine(): string {
  const second = nowSeconds();
  if (second !== dateSecond) {
    dateSecond = second;
    dateLine = `date: ${new Date(second * 1000).toUTCString()}\r\n`;
  }
  return dateLine;
}

const NO_STREAM: ReplyStream = { write: () => true, drained: () => Promise.resolve(), end: () => undefined };

export class NetReply implements HttpReply {
  aborted = false;
  sent = false;
  isStreaming = false;
  readonly #owner: ReplyOwner;
  readonly #head: NetHead;
  readonly #body: FlowBody;
  #abortCalls: Array<() => void> | null = null;
  /** Woken by an abort, too: a socket that was destroyed does not drain. */
  readonly #drainWaiters = new Set<() => void>();

  constructor(owner: ReplyOwner, head: NetHead, body: FlowBody) {
    this.#owner = owner;
    this.#head = head;
    this.#body = body;
  }

  get #shouldClose(): boolean {
    return !this.#head.keepAlive || this.#owner.isDraining;
  }

  send(status: number, headers: HttpHeaders, body: string | Uint8Array = ''): void {
    const shouldClose = this.#shouldClose || closesConnection(status);
    const hasLength = status !== 204 && status !== 304;
    const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    const head = this.#headText(status, headers, shouldClose, hasLength ? `content-length: ${bytes}\r\n` : '');
    if (!this.#body.complete) this.#body.discard();
    if (this.aborted) return;
    this.#write(head, this.#head.method !== 'HEAD' && hasLength ? body : '');
    this.#owner.finished(this, shouldClose);
  }

  /** Writes head and body, in one write if they are small. */
  #write(head: string, body: string | Uint8Array): void {
    const { writer, socket } = this.#owner;
    const most = typeof body === 'string' ? body.length * MAX_UTF8_BYTES : body.length;
    if (head.length + most > JOIN_BYTES) {
      socket.cork();
      socket.write(head, 'latin1');
      socket.write(body);
      socket.uncork();
      return;
    }
    let end = joinBuffer.latin1Write(head, 0);
    if (typeof body === 'string') end += joinBuffer.write(body, end);
    else {
      joinBuffer.set(body, end);
      end += body.length;
    }
    const joined = joinBuffer.subarray(0, end);
    if (!writer.write(joined)) socket.write(Buffer.from(joined));
    // the system has nearly always taken everything when write() returns; otherwise the memory is still in use
    else if (writer.pending > 0) joinBuffer = Buffer.allocUnsafeSlow(JOIN_BYTES);
  }

  stream(status: number, headers: HttpHeaders, length?: number): ReplyStream {
    // HTTP/1.0 has no chunks: the end of the connection ends the body.
    const isChunked = length === undefined && this.#head.version > 1000;
    const shouldClose = this.#shouldClose || (length === undefined && !isChunked);
    const framing = length !== undefined ? `content-length: ${length}\r\n` : isChunked ? 'transfer-encoding: chunked\r\n' : '';
    const head = this.#headText(status, headers, shouldClose, framing);
    this.#body.discard();
    const { socket } = this.#owner;
    if (!this.aborted) socket.write(head, 'latin1');
    if (this.#head.method === 'HEAD') {
      if (!this.aborted) this.#owner.finished(this, shouldClose);
      return NO_STREAM;
    }
    this.isStreaming = true;
    let written = 0;
    return {
      write: (chunk) => {
        if (this.aborted) return true;
        const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
        if (bytes.length === 0) return true;
        written += bytes.length;
        return isChunked ? writeChunk(socket, bytes) : socket.write(bytes);
      },
      drained: () => this.#drained(),
      end: () => {
        this.isStreaming = false;
        if (this.aborted) return;
        if (isChunked) socket.write('0\r\n\r\n');
        // a body shorter or longer than announced cannot be corrected
        this.#owner.finished(this, shouldClose || (length !== undefined && written !== length));
      },
    };
  }

  #drained(): Promise<void> {
    const { socket } = this.#owner;
    if (this.aborted || !socket.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        socket.off('drain', wake);
        this.#drainWaiters.delete(wake);
        resolve();
      };
      socket.once('drain', wake);
      this.#drainWaiters.add(wake);
    });
  }

  #headText(status: number, headers: HttpHeaders, shouldClose: boolean, framing: string): string {
    if (this.sent) throw new Error('a reply was sent already');
    let text = `HTTP/1.1 ${status} ${REASON_PHRASES[status] ?? ''}\r\n${currentDateLine()}`;
    for (const name in headers) {
      const value = headers[name];
      for (const line of typeof value === 'string' ? [value] : value) {
        checkHeaderValue(name, line);
        text += `${name.toLowerCase()}: ${line}\r\n`;
      }
    }
    this.sent = true;
    if (shouldClose) text += 'connection: close\r\n';
    else if (this.#head.version === 1000) text += 'connection: keep-alive\r\n';
    return `${text}${framing}\r\n`;
  }

  onAbort(call: () => void): void {
    if (this.aborted) call();
    else (this.#abortCalls ??= []).push(call);
  }

  /** The client has disconnected. */
  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.isStreaming = false;
    for (const call of this.#abortCalls ?? []) call();
    for (const wake of this.#drainWaiters) wake();
  }
}

function writeChunk(socket: Socket, bytes: Uint8Array): boolean {
  socket.cork();
  socket.write(`${bytes.length.toString(16)}\r\n`);
  socket.write(bytes);
  const hasRoom = socket.write('\r\n');
  socket.uncork();
  return hasRoom;
}
