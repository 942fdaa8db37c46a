// Connections before their handshake: the first bytes are looked at, then the TLS socket is made, or a plain one after all.
import { Socket } from 'node:net';
import { TLSSocket, type TLSSocketOptions } from 'node:tls';
import { type ClientHandle, peerOf, type SharedReads } from '../../../http/wire/client-handle.ts';
import { setDeadline, type Timed, unwatch, watch } from '../../../http/wire/deadlines.ts';
import { loadStreamBinding } from '../../../http/wire/stream-binding.ts';

export interface Incoming {
  /** address of the client and our port */
  readonly peer: { remoteAddr: string; localPort: number };
  /** its TLS socket can read where it is told to */
  readonly sharesReads: boolean;
  /** Reads until `take` says true; gives up at the end of input, on errors, and after a time. @param take  gets all that came so far */
  read(timeoutMs: number, take: (held: Buffer) => boolean): void;
  /** The TLS socket, to which what was read is given back. @param reads  where it reads to, else it has `data` events */
  secure(options: TLSSocketOptions, reads: SharedReads | undefined): TLSSocket;
  /** The plain socket, to which what was read is given back. */
  plain(): Socket;
  destroy(): void;
}

const EMPTY: Buffer = Buffer.alloc(0);

/** A connection of which node:net made a socket. */
export class SocketIncoming implements Incoming {
  readonly sharesReads = false;
  #held = EMPTY;

  readonly #raw: Socket;

  constructor(raw: Socket) {
    this.#raw = raw;
  }

  get peer(): Incoming['peer'] {
    return { remoteAddr: this.#raw.remoteAddress ?? '', localPort: this.#raw.localPort ?? 0 };
  }

  read(timeoutMs: number, take: (held: Buffer) => boolean): void {
    const raw = this.#raw;
    const giveUp = () => raw.destroy();
    raw.setTimeout(timeoutMs, giveUp);
    raw.on('error', giveUp);
    raw.on('end', giveUp);
    const onData = (data: Buffer) => {
      this.#held = this.#held.length === 0 ? data : Buffer.concat([this.#held, data]);
      if (!take(this.#held)) return;
      raw.off('data', onData);
      raw.off('end', giveUp);
      raw.setTimeout(0);
    };
    raw.on('data', onData);
  }

  secure(options: TLSSocketOptions): TLSSocket {
    return new TLSSocket(this.plain(), options);
  }

  plain(): Socket {
    this.#raw.pause();
    this.#raw.unshift(this.#held);
    return this.#raw;
  }

  destroy(): void {
    this.#raw.destroy();
  }
}

/** What TLSSocket's own methods are to a class that extends it. */
interface Insides {
  _wrapHandle(wrap: Socket | null, handle: ClientHandle, hasWrites: boolean): unknown;
  _handle: { receive(data: Buffer): void } | null;
  connecting: boolean;
}
type HandleOptions = TLSSocketOptions & { clientHandle: ClientHandle; allowHalfOpen: boolean; onread: SharedReads['options'] | undefined };

/** TLS on a handle itself: TLSSocket does so for connections it makes, and for others asks for a socket below, which costs as much again. */
class HandleTlsSocket extends TLSSocket {
  constructor(options: HandleOptions) {
    super(undefined as unknown as Socket, options);
    (this as unknown as Insides).connecting = false;
  }

  /** Called by the constructor, which would make a handle. */
  protected _wrapHandle(): unknown {
    const { clientHandle } = (this as unknown as { _tlsOptions: HandleOptions })._tlsOptions;
    return (TLSSocket.prototype as unknown as Insides)._wrapHandle.call(this, null, clientHandle, false);
  }
}

const binding = loadStreamBinding();

/** TLS sockets can be made on handles here. */
export const handlesTakeTls: boolean =
  binding !== undefined && typeof (TLSSocket.prototype as unknown as Partial<Insides>)._wrapHandle === 'function';

/** A connection that is a handle still. */
export class HandleIncoming implements Incoming, Timed {
  readonly sharesReads = true;
  deadlineMs = Infinity;
  #held = EMPTY;
  #over = false;

  readonly #handle: ClientHandle;

  constructor(handle: ClientHandle) {
    this.#handle = handle;
  }

  get peer(): Incoming['peer'] {
    return peerOf(this.#handle);
  }

  read(timeoutMs: number, take: (held: Buffer) => boolean): void {
    const handle = this.#handle;
    watch(this);
    setDeadline(this, timeoutMs);
    handle.onread = (data) => {
      const { streamBaseState: state, kReadBytesOrError, kArrayBufferOffset } = binding!;
      const count = state[kReadBytesOrError];
      if (this.#over || count === 0) return;
      if (count < 0 || !data) {
        this.destroy();
        return;
      }
      const bytes = Buffer.from(data, state[kArrayBufferOffset], count);
      this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
      if (take(this.#held)) this.#end();
    };
    handle.reading = true;
    if (handle.readStart() !== 0) this.destroy();
  }

  secure(options: TLSSocketOptions, reads: SharedReads | undefined): TLSSocket {
    this.#end();
    const socket = new HandleTlsSocket({ ...options, clientHandle: this.#handle, allowHalfOpen: true, onread: reads?.options });
    // as TLSSocket does: its owner listens first
    process.nextTick(() => (socket as unknown as Insides)._handle?.receive(this.#held));
    return socket;
  }

  plain(): Socket {
    this.#end();
    const socket = new Socket({ handle: this.#handle, allowHalfOpen: true, pauseOnCreate: true } as never);
    socket.unshift(this.#held);
    return socket;
  }

  timedOut(): void {
    this.destroy();
  }

  destroy(): void {
    if (this.#over) return;
    this.#end();
    this.#handle.close();
  }

  /** It is a socket now, or closed. */
  #end(): void {
    this.#over = true;
    unwatch(this);
  }
}
