// TCP sockets directly on handles of libuv, for connections whose bytes are only passed on: without the stream classes of node:net, opening
// and closing one costs half. They have the members of net.Socket that such connections use, and read into buffers that their owner chooses.
// If node:net has other internals than expected, none are created.
import type { Socket } from 'node:net';
import { getSystemErrorName } from 'node:util';
import type { ClientHandle } from './client-handle.ts';
import { holdingClock } from './clock.ts';
import { internalsOf, loadStreamBinding, type WriteWrap } from './stream-binding.ts';

/** Bytes that wait in a socket before `write` asks for a pause, as in node:net. */
const HIGH_WATER = 16 * 1024;
const UV_EOF = -4095;

interface ShutdownWrap {
  oncomplete?: (status: number) => void;
}
interface ConnectWrap {
  oncomplete?: (status: number) => void;
}

/** A TCPWrap. Methods return 0 or a negative errno. */
export interface TcpHandle extends ClientHandle {
  useUserBuffer(buffer: Uint8Array): void;
  readStop(): number;
  writeBuffer(req: WriteWrap, data: Buffer): number;
  writeLatin1String(req: WriteWrap, text: string): number;
  shutdown(req: ShutdownWrap): number;
  close(): void;
  connect(req: ConnectWrap, host: string, port: number): number;
  connect6(req: ConnectWrap, host: string, port: number): number;
}

interface TcpBinding {
  TCP: new (type: number) => TcpHandle;
  TCPConnectWrap: new () => ConnectWrap;
  constants: { SOCKET: number };
}

const streams = loadStreamBinding();

function loadTcpBinding(): TcpBinding | null {
  try {
    const found = internalsOf<{ binding(name: string): Partial<TcpBinding> }>(process).binding?.('tcp_wrap');
    const known = typeof found?.TCP === 'function' && typeof found.TCPConnectWrap === 'function' && found.constants !== undefined;
    return known && streams?.ShutdownWrap ? (found as TcpBinding) : null;
  } catch {
    return null;
  }
}
const tcp = loadTcpBinding();
export const HANDLES_KNOWN = tcp !== null;

const METHODS: readonly (keyof TcpHandle)[] = ['useUserBuffer', 'readStart', 'readStop', 'writeBuffer', 'writeLatin1String', 'shutdown'];

/** The handle has everything that a HandleSocket needs; those of unix domain sockets have no addresses. */
export const isTcpHandle = (handle: ClientHandle): handle is TcpHandle =>
  tcp !== null && handle.getpeername !== undefined && METHODS.every((name) => typeof internalsOf<TcpHandle>(handle)[name] === 'function');

function systemCallError(syscall: string, errno: number): Error {
  const code = getSystemErrorName(errno);
  return Object.assign(new Error(`${syscall} ${code}`), { errno, code, syscall });
}

let spare: WriteWrap | null = null;
const open = (owner: SocketOwner | null): void => owner?.onSocketOpen?.();

/** Owner of a HandleSocket. A method call costs less than an event and the closures that listen for it. */
export interface SocketOwner {
  /** Memory for the next read. */
  readInto(): Buffer;
  /** @param buffer  as `readInto` returned it */
  onRead(buffer: Buffer, count: number): void;
  /** the connection that was opened is ready */
  onSocketOpen?(): void;
  /** the other side sends no more */
  onSocketEnd(): void;
  /** the connection broke or cannot be opened, and is destroyed; called on a later turn of the event loop */
  onSocketError(error: Error): void;
  /** everything written was accepted by the system after `write` asked for a pause */
  onSocketDrain(): void;
}

/**
 * Has the members of a net.Socket with `allowHalfOpen` that concern bytes, and tells its owner what those emit. Starts paused. An owner that
 * destroys it is not told.
 */
export class HandleSocket {
  /** set before the first `resume` */
  owner: SocketOwner | null = null;
  connecting = false;
  destroyed = false;
  readableEnded = false;
  writableEnded = false;
  readonly writableCorked = 0;
  /** bytes that the system has not accepted yet */
  writableLength = 0;

  readonly #handle: TcpHandle;
  #paused = true;
  #buffer: Buffer | null = null;
  #needsDrain = false;
  #flushed: (() => void)[] = [];
  #shutDown = false;
  #closesWhenShutDown = false;
  #far: { address?: string; port?: number } | null = null;
  #near: { address?: string; port?: number } | null = null;

  constructor(handle: TcpHandle) {
    this.#handle = handle;
    handle.onread = () => this.#onRead();
  }

  // ---------------------------------------------------------------- reading

  resume(): this {
    if (!this.#paused || this.destroyed || this.readableEnded) return this;
    this.#paused = false;
    this.#startReading();
    return this;
  }

  pause(): this {
    if (this.#paused) return this;
    this.#paused = true;
    if (!this.destroyed) this.#handle.readStop();
    return this;
  }

  isPaused(): boolean {
    return this.#paused;
  }

  #startReading(): void {
    this.#chooseBuffer();
    const errno = this.#handle.readStart();
    if (errno !== 0) this.destroy(systemCallError('read', errno));
  }

  #chooseBuffer(): void {
    const buffer = this.owner?.readInto();
    if (!buffer || buffer === this.#buffer) return;
    this.#buffer = buffer;
    this.#handle.useUserBuffer(buffer);
  }

  #onRead(): void {
    const count = streams?.streamBaseState[streams.kReadBytesOrError] ?? UV_EOF;
    if (this.destroyed || count === 0) return;
    if (count > 0) {
      if (this.#buffer) this.owner?.onRead(this.#buffer, count);
      if (!this.destroyed) this.#chooseBuffer();
      return;
    }
    if (count !== UV_EOF) {
      this.destroy(systemCallError('read', count));
      return;
    }
    this.readableEnded = true;
    this.#handle.readStop();
    this.owner?.onSocketEnd();
    if (this.#shutDown) this.destroy();
  }

  // ---------------------------------------------------------------- writing

  get writable(): boolean {
    return !this.writableEnded && !this.destroyed;
  }

  /** @param flushed  called when everything up to here was accepted by the system @returns false: wait for `drain` */
  write(data: Buffer | string, encodingOrFlushed?: 'latin1' | (() => void)): boolean {
    if (!this.writable) return false;
    if (data.length > 0) this.#send(data);
    if (typeof encodingOrFlushed === 'function') {
      if (this.writableLength > 0) this.#flushed.push(encodingOrFlushed);
      else setImmediate(encodingOrFlushed);
    }
    if (this.writableLength < HIGH_WATER) return true;
    this.#needsDrain = true;
    return false;
  }

  #send(data: Buffer | string): void {
    if (!streams) return;
    const req = spare ?? new streams.WriteWrap();
    spare = null;
    const errno = typeof data === 'string' ? this.#handle.writeLatin1String(req, data) : this.#handle.writeBuffer(req, data);
    if (errno !== 0) {
      this.destroy(systemCallError('write', errno));
      return;
    }
    if (streams.streamBaseState[streams.kLastWriteWasAsync] === 0) {
      spare = req;
      return;
    }
    const { length } = data;
    this.writableLength += length;
    if (typeof data !== 'string') req.held = data;
    req.oncomplete = (status) => {
      this.writableLength -= length;
      if (this.destroyed) return;
      if (status < 0) this.destroy(systemCallError('write', status));
      else if (this.writableLength === 0) this.#onFlushed();
    };
  }

  #onFlushed(): void {
    for (const flushed of this.#flushed.splice(0)) flushed();
    if (!this.#needsDrain || this.destroyed) return;
    this.#needsDrain = false;
    this.owner?.onSocketDrain();
  }

  /** Closes the sending side once everything is sent. */
  end(): void {
    if (this.writableEnded || this.destroyed) return;
    this.writableEnded = true;
    if (this.connecting || !streams?.ShutdownWrap) {
      this.destroy();
      return;
    }
    const req: ShutdownWrap = new streams.ShutdownWrap();
    req.oncomplete = () => {
      this.#shutDown = true;
      if (this.#closesWhenShutDown || this.readableEnded) this.destroy();
    };
    const errno = this.#handle.shutdown(req);
    if (errno !== 0) this.destroy(systemCallError('shutdown', errno));
  }

  /** Closes once everything is sent, and the end of the stream after it. */
  destroySoon(): void {
    this.#closesWhenShutDown = true;
    this.end();
    if (this.#shutDown) this.destroy();
  }

  destroy(error?: Error): this {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.#flushed = [];
    this.#handle.close();
    if (error) process.nextTick(() => this.owner?.onSocketError(error));
    return this;
  }

  // ---------------------------------------------------------------- properties

  setNoDelay(on: boolean): this {
    this.#handle.setNoDelay?.(on);
    return this;
  }

  setKeepAlive(on: boolean, idleMs = 0): this {
    this.#handle.setKeepAlive?.(on, Math.floor(idleMs / 1000));
    return this;
  }

  #peer(): { address?: string; port?: number } {
    if (!this.#far) {
      this.#far = {};
      this.#handle.getpeername?.(this.#far);
    }
    return this.#far;
  }

  #own(): { address?: string; port?: number } {
    if (!this.#near) {
      this.#near = {};
      this.#handle.getsockname?.(this.#near);
    }
    return this.#near;
  }

  get remoteAddress(): string | undefined {
    return this.#peer().address;
  }
  get remotePort(): number | undefined {
    return this.#peer().port;
  }
  get localAddress(): string | undefined {
    return this.#own().address;
  }
  get localPort(): number | undefined {
    return this.#own().port;
  }

  /** Opens a connection to an IP address, and reads from it; null if this Node has no known handles. */
  static connect(host: string, port: number, owner: SocketOwner): HandleSocket | null {
    if (!tcp) return null;
    const handle = new tcp.TCP(tcp.constants.SOCKET);
    if (!isTcpHandle(handle)) return null;
    const socket = new HandleSocket(handle);
    socket.owner = owner;
    socket.#connect(host, port, new tcp.TCPConnectWrap());
    return socket;
  }

  #connect(host: string, port: number, req: ConnectWrap): void {
    this.connecting = true;
    this.#paused = false;
    req.oncomplete = (status) => {
      if (this.destroyed) return;
      this.connecting = false;
      if (status < 0) {
        this.destroy(systemCallError('connect', status));
        return;
      }
      this.#handle.setNoDelay?.(true);
      holdingClock(open, this.owner, undefined);
    };
    const errno = host.includes(':') ? this.#handle.connect6(req, host, port) : this.#handle.connect(req, host, port);
    if (errno !== 0) this.destroy(systemCallError('connect', errno));
    // a handle that waits for nothing but the connection would leave the event loop and be added to it again
    else this.#startReading();
  }
}

/** For code that takes either kind of socket, and listens for no events. */
// biome-ignore lint/plugin: a HandleSocket has the members of Socket that its header names; a common interface would have to list them again
export const asSocket = (socket: HandleSocket): Socket => socket as unknown as Socket;

/** The socket as HandleSocket, null if it is one of node:net. */
export const handleOf = (socket: object): HandleSocket | null => (socket instanceof HandleSocket ? socket : null);
