// Open buffers of one indexer thread. A buffer's memory stays with the process once touched, so buffers are reused, not dropped.
import { OpenBuffer } from '../arena/open-buffer.ts';

export class BufferPool {
  readonly #module: WebAssembly.Module;
  readonly #maxBytes: number;
  readonly #pages: number | undefined;
  readonly #free: OpenBuffer[] = [];

  /** @param maxBytes at which a buffer says that it is full
   *  @param pages of each buffer's memory, for tests */
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
