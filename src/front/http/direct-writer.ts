/**
 * Small writes to a plain socket go to its libuv handle, past the layers of node:net, which cost more than the system call itself.
 *   nothing waits in the socket -> handle -> taken at once (nearly always), or the rest waits in libuv's queue
 * What is written or ended by the socket meanwhile comes after it in that same queue. Where node:net has other insides, for TLS and
 * streams of HTTP/2, and for larger writes the socket's own way is kept.
 */
import type { Socket } from 'node:net';
import { getSystemErrorName } from 'node:util';

/** Request object of one write; used again when the system took all at once. */
interface WriteWrap {
  oncomplete?: (status: number) => void;
  /** keeps the memory until it is written */
  buffer?: Buffer;
}
interface StreamBinding {
  WriteWrap: new () => WriteWrap;
  streamBaseState: Int32Array;
  kLastWriteWasAsync: number;
}
/** Handles give 0 or a negative errno. */
interface StreamHandle {
  writeBuffer(req: WriteWrap, data: Buffer): number;
  writeLatin1String(req: WriteWrap, text: string): number;
}

/** Bytes; a sender that stays below it is never told by a socket to wait (its high-water mark). */
const DIRECT_MAX = 16 * 1024;

const binding = loadBinding();
let spare: WriteWrap | undefined;

function loadBinding(): StreamBinding | undefined {
  try {
    const found = (process as unknown as { binding(name: string): Partial<StreamBinding> }).binding('stream_wrap');
    const known = typeof found.WriteWrap === 'function' && found.streamBaseState && typeof found.kLastWriteWasAsync === 'number';
    return known ? (found as StreamBinding) : undefined;
  } catch {
    return undefined;
  }
}

function plainHandle(socket: Socket): StreamHandle | undefined {
  const handle = (socket as unknown as { _handle?: Partial<StreamHandle> | null })._handle;
  return typeof handle?.writeBuffer === 'function' && typeof handle.writeLatin1String === 'function' ? (handle as StreamHandle) : undefined;
}

function writeError(errno: number): Error {
  const code = getSystemErrorName(errno);
  return Object.assign(new Error(`write ${code}`), { errno, code, syscall: 'write' });
}

export class DirectWriter {
  /** bytes of a direct write that the system has not taken whole */
  pending = 0;

  constructor(private readonly socket: Socket) {}

  /**
   * Writes bytes or latin1 text; errors destroy the socket with them, as its own writes do.
   * @returns false: nothing was done, the socket must write it
   */
  write(data: Buffer | string): boolean {
    const { socket } = this;
    if (!binding || data.length >= DIRECT_MAX || this.pending > 0 || socket.writableLength > 0 || socket.writableCorked > 0) return false;
    if (!socket.writable || socket.connecting) return false;
    const handle = plainHandle(socket);
    if (!handle) return false;
    const req = spare ?? new binding.WriteWrap();
    spare = undefined;
    const errno = typeof data === 'string' ? handle.writeLatin1String(req, data) : handle.writeBuffer(req, data);
    if (errno === 0 && binding.streamBaseState[binding.kLastWriteWasAsync] !== 0) {
      this.await(req, data);
      return true;
    }
    spare = req;
    if (errno !== 0) socket.destroy(writeError(errno));
    return true;
  }

  /** The system has not taken all of it yet. */
  private await(req: WriteWrap, data: Buffer | string): void {
    const { socket } = this;
    this.pending = data.length;
    if (typeof data !== 'string') req.buffer = data;
    req.oncomplete = (status) => {
      this.pending = 0;
      if (status < 0 && !socket.destroyed) socket.destroy(writeError(status));
    };
  }
}
