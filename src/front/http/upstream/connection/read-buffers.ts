// Memory that plain connections read into. While nothing large is expected, all of them read heads and small messages into one shared buffer;
// the rest of a larger body is read into a buffer of the connection, and passed from there to the other side without a copy.

const SHARED_BYTES = 32 * 1024;
const sharedBuffer = Buffer.allocUnsafeSlow(SHARED_BYTES);
/** buffers for copies of bytes in the shared one */
const spareCopies: Buffer[] = [];
const LARGE_READ = 128 * 1024;
const spareBuffers: Buffer[] = [];
const SPARE_BUFFERS = 16;

/**
 * Copies bytes of the shared buffer into a reused one: allocating for each larger response would burden the garbage collector.
 * @param use  gets the copy; returns whether it is still in use
 */
export function withCopy(shared: Buffer, use: (copy: Buffer) => boolean): void {
  const copy = spareCopies.pop() ?? Buffer.allocUnsafeSlow(SHARED_BYTES);
  const held = use(copy.subarray(0, shared.copy(copy)));
  if (!held && spareCopies.length < SPARE_BUFFERS) spareCopies.push(copy);
}

/** Chooses the buffers of one connection. */
export class ReadBuffers {
  /** more than fits into the shared buffer is expected */
  expectsMore = false;
  /** bytes of the last read are still to be written from the connection's own buffer */
  retained = false;
  #own: Buffer | null = null;

  /** of the connection's own buffer */
  get ownMemory(): ArrayBufferLike | null {
    return this.#own?.buffer ?? null;
  }

  static isShared(buffer: Uint8Array): boolean {
    return buffer === sharedBuffer;
  }

  /** Buffer for the next read; called after each read. @param ended  nothing more is expected */
  next(ended: boolean): Buffer {
    if (this.retained) {
      this.#own = null;
      this.retained = false;
    }
    if (this.expectsMore && !ended) return (this.#own ??= spareBuffers.pop() ?? Buffer.allocUnsafeSlow(LARGE_READ));
    if (this.#own && spareBuffers.length < SPARE_BUFFERS) spareBuffers.push(this.#own);
    this.#own = null;
    return sharedBuffer;
  }
}
