// The shared arenas as one thread uses them: the memory of each arena, and this thread's kernels over it with their own scratch region.
import type { Extent } from '../../indexing/segment-set.ts';
import { Kernels } from '../../wasm/kernels.ts';
import type { ArenaMessage } from '../messages/messages.ts';

export class ThreadArenas {
  readonly #module: WebAssembly.Module;
  readonly #arenas: ArenaMessage[] = [];
  readonly #kernels: Kernels[] = [];

  constructor(module: WebAssembly.Module) {
    this.#module = module;
  }

  add(message: ArenaMessage): void {
    this.#arenas[message.arena] = message;
  }

  /** Kernels over an arena, instantiated on first use. */
  kernels(arena: number): Kernels {
    let kernels = this.#kernels[arena];
    if (!kernels) {
      const { memory, scratch } = this.#arenas[arena];
      kernels = this.#kernels[arena] = new Kernels(this.#module, memory, scratch.ptr, scratch.bytes);
    }
    return kernels;
  }

  /** The extent's bytes in shared memory. */
  view({ arena, ptr, bytes }: Extent): Uint8Array {
    return new Uint8Array(this.#arenas[arena].memory.buffer, ptr, bytes);
  }
}
