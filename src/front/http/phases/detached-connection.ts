// A connection without a client, for requests that the server makes itself: they exist to evaluate variables or to run a handler.
import type { Connection, ListenSocket, Output, TlsInfo } from '../model/types.ts';
import { OK } from '../request/codes.ts';

/** Accepts a response and drops it. */
const NO_OUTPUT: Output = {
  sent: 0,
  bytesSent: 0,
  buffered: false,
  blocked: false,
  holding: false,
  startResponse() {},
  sendBody: () => OK,
  copiesWhole: () => false,
  whenWritable() {},
};

export class DetachedConnection implements Connection {
  readonly id = 0;
  readonly startMs = Date.now();
  readonly requests = 0;
  remoteAddr = '';
  remotePort = 0;
  readonly localAddr = '';
  readonly localPort: number;
  readonly listen: Pick<ListenSocket, 'path'>;
  readonly proxy = null;
  readonly tls: TlsInfo | null;
  readonly http2 = null;
  readonly debugLogs = null;
  readonly error = false;
  readonly exiting = false;
  readonly output = NO_OUTPUT;
  active = null;
  tunnel = null;
  tunnelEnd = null;

  /** @param listen  the socket that the server would have accepted it on */
  constructor(listen: Pick<ListenSocket, 'path'>, from: { remoteAddr?: string; localPort?: number; tls?: TlsInfo } = {}) {
    this.listen = listen;
    this.remoteAddr = from.remoteAddr ?? '';
    this.localPort = from.localPort ?? 0;
    this.tls = from.tls ?? null;
  }

  localHostText(): string {
    return '';
  }

  readBody(_r: unknown, onEnd: (rc: number) => void): void {
    onEnd(OK);
  }

  discardBody(): number {
    return OK;
  }

  takeInput(): Buffer {
    return Buffer.alloc(0);
  }

  pauseReading(): void {}
  resumeReading(): void {}
  clearTimer(): void {}
  sendInterim(): void {}
  post(): void {}
  requestDone(): void {}
  cut(): void {}
  abandon(): void {}
  destroy(): void {}
}
