// Writes to plain sockets directly to their libuv handle, bypassing the layers of node:net, which cost more than the system call itself.
//   nothing waits in the socket -> handle -> accepted at once (nearly always), or the rest waits in libuv's queue
// What the socket writes or ends in the meantime follows in that same queue. If node:net has other internals than expected, and for TLS and
// HTTP/2 streams, nothing is written directly.
import type { Socket } from 'node:net';
import { getSystemErrorName } from 'node:util';
import { internalsOf, loadStreamBinding, type WriteWrap } from './stream-binding.ts';

/** Methods return 0 or a negative errno. */
interface StreamHandle {
  writeBuffer(req: WriteWrap, data: Buffer): number;
  writeLatin1String(req: WriteWrap, text: string): number;
  writev(req: WriteWrap, chunks: readonly unknown[], allBuffers: boolean): number;
}

const binding = loadStreamBinding();
const NewWriteWrap = binding?.WriteWrap ?? class {};
let spare: WriteWrap | undefined;

function plainHandle(socket: Socket): StreamHandle | undefined {
  const { _handle: handle, encrypted } = internalsOf<{ _handle: Partial<StreamHandle> | null; encrypted: boolean }>(socket);
  if (encrypted) return undefined;
  const known =
    typeof handle?.writeBuffer === 'function' && typeof handle.writeLatin1String === 'function' && typeof handle.writev === 'function';
  return known ? (handle as StreamHandle) : undefined;
}

function writeError(errno: number): Error {
  const code = getSystemErrorName(errno);
  return Object.assign(new Error(`write ${code}`), { errno, code, syscall: 'write' });
}

export class DirectWriter {
  /** bytes of a direct write that the system has not fully accepted */
  pending = 0;

  readonly #onWritten: (() => void) | undefined;

  readonly #socket: Socket;

  /** @param onWritten  called when pending bytes have been accepted */
  constructor(socket: Socket, onWritten?: () => void) {
    this.#socket = socket;
    this.#onWritten = onWritten;
  }

  /**
   * Writes bytes or latin1 text; errors destroy the socket, as with its own writes.
   * @returns false: nothing was done, the socket must write it
   */
  write(data: Buffer | string): boolean {
    const handle = this.#free();
    if (!handle) return false;
    const req = takeRequest();
    const errno = typeof data === 'string' ? handle.writeLatin1String(req, data) : handle.writeBuffer(req, data);
    this.#written(req, errno, data.length, typeof data === 'string' ? undefined : data);
    return true;
  }

  /** Writes latin1 text ('' for none) and the following parts in one call; otherwise like `write`. */
  writeAll(head: string, parts: readonly Buffer[], bytes: number): boolean {
    const handle = this.#free();
    if (!handle) return false;
    const req = takeRequest();
    let chunks: readonly unknown[] = parts;
    if (head !== '') {
      const mixed: unknown[] = [head, 'latin1'];
      for (const part of parts) mixed.push(part, 'buffer');
      chunks = mixed;
    }
    const errno = handle.writev(req, chunks, head === '');
    this.#written(req, errno, bytes, chunks);
    return true;
  }

  /** The handle, if nothing else is queued before it. */
  #free(): StreamHandle | undefined {
    const socket = this.#socket;
    if (!binding || this.pending > 0 || socket.writableLength > 0 || socket.writableCorked > 0) return undefined;
    return socket.writable && !socket.connecting ? plainHandle(socket) : undefined;
  }

  #written(req: WriteWrap, errno: number, bytes: number, held: WriteWrap['held']): void {
    if (errno === 0 && binding && binding.streamBaseState[binding.kLastWriteWasAsync] !== 0) {
      this.#await(req, bytes, held);
      return;
    }
    spare = req;
    if (errno !== 0) this.#socket.destroy(writeError(errno));
  }

  /** Waits until the system has accepted all bytes. */
  #await(req: WriteWrap, bytes: number, held: WriteWrap['held']): void {
    const socket = this.#socket;
    this.pending = bytes;
    req.held = held;
    req.oncomplete = (status) => {
      this.pending = 0;
      if (socket.destroyed) return;
      if (status < 0) socket.destroy(writeError(status));
      else this.#onWritten?.();
    };
  }
}

function takeRequest(): WriteWrap {
  const req = spare ?? new NewWriteWrap();
  spare = undefined;
  return req;
}
