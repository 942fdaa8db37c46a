// The open buffers of an indexer thread. A WebAssembly memory never shrinks: buffers are reused while there are writes, and dropped when there are none.
import { OpenBuffer } from '../arena/open-buffer.ts';

export class BufferPool {
  readonly #module: WebAssembly.Module;
  readonly #maxBytes: number;
  readonly #pages: number | undefined;
  readonly #free: OpenBuffer[] = [];
  #lastUseMs = 0;
  /** Memory of dropped buffers waits for a collection of garbage. */
  #hasGarbage = false;
  #lastCollectionMs = Number.NEGATIVE_INFINITY;

  /**
   * @param maxBytes  size at which a buffer reports that it is full
   * @param pages     size of each buffer's memory in pages of 64 KiB, for tests
   */
  constructor(module: WebAssembly.Module, maxBytes: number, pages?: number) {
    this.#module = module;
    this.#maxBytes = maxBytes;
    this.#pages = pages;
  }

  /** An empty buffer. */
  take(): OpenBuffer {
    this.#lastUseMs = Date.now();
    return this.#free.pop() ?? new OpenBuffer(this.#module, this.#maxBytes, this.#pages);
  }

  give(buffer: OpenBuffer): void {
    buffer.reset();
    this.#free.push(buffer);
  }

  /**
   * Drops the free buffers if none was taken for `idleMs`. Their memory, up to `memory.limit` / 8 and the same again for a flush, returns to the system with
   * the next collection of garbage. A collection takes up to half a second with a thousand shards, whose flushes return one buffer after another, so there
   * is at most one in `idleMs`.
   * @returns whether garbage is to be collected
   */
  dropUnused(idleMs: number): boolean {
    const now = Date.now();
    if (this.#free.length > 0 && now - this.#lastUseMs >= idleMs) {
      this.#free.length = 0;
      this.#hasGarbage = true;
    }
    if (!this.#hasGarbage || now - this.#lastCollectionMs < idleMs) return false;
    this.#hasGarbage = false;
    this.#lastCollectionMs = now;
    return true;
  }
}
