// Connections before their handshake: the first bytes decide whether a TLS socket or a plain one is made.

import { Socket, type SocketConstructorOpts } from 'node:net';
import { TLSSocket, type TLSSocketOptions } from 'node:tls';
import { type ClientHandle, peerOf, type SharedReads } from '../../../http/wire/client-handle.ts';
import { setDeadline, type Timed, unwatch, watch } from '../../../http/wire/deadlines.ts';
import { internalsOf, loadStreamBinding } from '../../../http/wire/stream-binding.ts';

export interface Incoming {
  /** address of the client and our port */
  readonly peer: { remoteAddr: string; localPort: number };
  /** its TLS socket can read into a shared buffer */
  readonly sharesReads: boolean;
  /** called when the connection is closed before a TLS socket was made */
  onDestroy: (() => void) | null;
  /** Reads until `take` returns true; gives up at the end of input, on errors and after the timeout. @param take  gets all bytes so far */
  read(timeoutMs: number, take: (held: Buffer) => boolean): void;
  /** The TLS socket, which gets the bytes already read. @param reads  shared buffer to read into; otherwise it emits `data` events */
  secure(options: TLSSocketOptions, reads: SharedReads | null): TLSSocket;
  /** The plain socket, which gets the bytes already read. */
  plain(): Socket;
  destroy(): void;
}

const EMPTY: Buffer = Buffer.alloc(0);

/** A connection for which node:net made a socket. */
export class SocketIncoming implements Incoming {
  readonly sharesReads = false;
  onDestroy: (() => void) | null = null;
  #held = EMPTY;

  readonly #raw: Socket;

  constructor(raw: Socket) {
    this.#raw = raw;
    raw.once('close', () => this.onDestroy?.());
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

/** Internals of TLSSocket that a subclass sees. */
interface Insides {
  _wrapHandle(wrap: Socket | null, handle: ClientHandle, hasWrites: boolean): unknown;
  _handle: { receive(data: Buffer): void } | null;
  connecting: boolean;
}
type HandleOptions = TLSSocketOptions & { clientHandle: ClientHandle; allowHalfOpen: boolean; onread: SharedReads['options'] | null };

/** TLS directly on a handle, as TLSSocket does for outgoing connections; otherwise it needs a socket below, which doubles the cost. */
class HandleTlsSocket extends TLSSocket {
  constructor(options: HandleOptions) {
    // biome-ignore lint/plugin: the type demands a socket, which _wrapHandle makes unnecessary
    super(undefined as unknown as Socket, options);
    internalsOf<Insides>(this).connecting = false;
  }

  /** Called by the constructor, which would otherwise create a handle. */
  protected _wrapHandle(): unknown {
    const { clientHandle } = internalsOf<{ _tlsOptions: HandleOptions }>(this)._tlsOptions ?? {};
    if (!clientHandle) return undefined;
    return internalsOf<Insides>(TLSSocket.prototype)._wrapHandle?.call(this, null, clientHandle, false);
  }
}

const binding = loadStreamBinding();

/** Whether TLS sockets can be made on handles with this Node. */
export const handlesTakeTls: boolean = binding !== undefined && typeof internalsOf<Insides>(TLSSocket.prototype)._wrapHandle === 'function';

/** A connection that is still a handle. */
export class HandleIncoming implements Incoming, Timed {
  readonly sharesReads = true;
  onDestroy: (() => void) | null = null;
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
      if (!binding) return;
      const { streamBaseState: state, kReadBytesOrError, kArrayBufferOffset } = binding;
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

  secure(options: TLSSocketOptions, reads: SharedReads | null): TLSSocket {
    this.#end();
    const socket = new HandleTlsSocket({ ...options, clientHandle: this.#handle, allowHalfOpen: true, onread: reads?.options ?? null });
    // as in TLSSocket: listeners are attached first
    process.nextTick(() => internalsOf<Insides>(socket)._handle?.receive(this.#held));
    return socket;
  }

  plain(): Socket {
    this.#end();
    const socket = new Socket({ handle: this.#handle, allowHalfOpen: true, pauseOnCreate: true } as SocketConstructorOpts);
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
    this.onDestroy?.();
  }

  /** The handle now belongs to a socket, or is closed. */
  #end(): void {
    this.#over = true;
    unwatch(this);
  }
}
