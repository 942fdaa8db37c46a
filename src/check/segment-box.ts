// Opens segment files one after the other in a memory of this command's own.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { openSegment, type SegmentImageReader } from '../arena/segment-reader.ts';
import { compileEngine, createMemory, Kernels, PAGE_BYTES, staticBytes } from '../wasm/kernels.ts';

const SCRATCH_BYTES = 8 << 20;
const CHUNK_BYTES = 16 << 20;

export class SegmentBox {
  readonly #module = compileEngine();
  #kernels: Kernels | null = null;
  #capacity = 0;

  /**
   * The segment is valid until the next call.
   * @param verify  compare all checksums
   * @throws ApiError corrupt_index_exception; Error the file cannot be read
   */
  open(file: string, verify: boolean): SegmentImageReader {
    const handle = openSync(file, 'r');
    try {
      const { size } = fstatSync(handle);
      const kernels = this.#reserve(size);
      const start = staticBytes(this.#module) + SCRATCH_BYTES;
      const target = kernels.u8.subarray(start, start + size);
      // Read through a buffer, because files are not read into shared memory everywhere.
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(size, 1)));
      for (let at = 0; at < size; ) {
        const count = readSync(handle, chunk, 0, Math.min(chunk.length, size - at), at);
        if (count === 0) break;
        target.set(chunk.subarray(0, count), at);
        at += count;
      }
      return openSegment(kernels, start, size, { id: 0, file, verify });
    } finally {
      closeSync(handle);
    }
  }

  #reserve(bytes: number): Kernels {
    if (this.#kernels === null || bytes > this.#capacity) {
      this.#capacity = Math.max(bytes, 2 * this.#capacity);
      const start = staticBytes(this.#module);
      const memory = createMemory(Math.ceil((start + SCRATCH_BYTES + this.#capacity) / PAGE_BYTES) + 32);
      this.#kernels = new Kernels(this.#module, memory, start, SCRATCH_BYTES);
    }
    return this.#kernels;
  }
}
