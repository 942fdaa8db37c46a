// The open buffers of an indexer thread. A WebAssembly memory never shrinks, so buffers are reused instead of dropped.
import { OpenBuffer } from '../arena/open-buffer.ts';

export class BufferPool {
  readonly #module: WebAssembly.Module;
  readonly #maxBytes: number;
  readonly #pages: number | undefined;
  readonly #free: OpenBuffer[] = [];

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
    return this.#free.pop() ?? new OpenBuffer(this.#module, this.#maxBytes, this.#pages);
  }

  give(buffer: OpenBuffer): void {
    buffer.reset();
    this.#free.push(buffer);
  }
}
