// Writes new segments in the order of an index sort. One memory serves all segments of a thread, because pages that a memory has used are
// returned only when the thread ends. It is created when the first sorted index is written.
import { createMemory } from '../wasm/kernels.ts';
import { type DocumentOrder, mergeSegments } from './merge.ts';

const MAX_PAGES = 65536;

export class SegmentSorter {
  readonly #module: WebAssembly.Module;
  #memory: WebAssembly.Memory | null = null;

  constructor(module: WebAssembly.Module) {
    this.#module = module;
  }

  /** @returns the image in that order: a copy, since another shard of the thread may sort while the caller waits for room for it */
  sort(image: Uint8Array, order: readonly DocumentOrder[]): Uint8Array {
    this.#memory ??= createMemory(MAX_PAGES);
    return mergeSegments(this.#module, [{ image, liveDocs: null, file: 'new segment' }], {
      memory: this.#memory,
      sort: order,
    }).image.slice();
  }
}
