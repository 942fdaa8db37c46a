// Shared memories and the extents inside them. One thread (the main thread) owns the ArenaSet; other threads receive the memories by message
// and access only the extents assigned to them.
import { createMemory, PAGE_BYTES, staticBytes } from '../wasm/kernels.ts';

/** A range of an arena: 64-byte aligned, followed by at least 64 bytes of slack so that wide loads at its end stay inside. */
export interface Extent {
  readonly arena: number;
  readonly ptr: number;
  readonly bytes: number;
}

export interface ArenaSetOptions {
  /** Pages of 64 KiB per arena: 65536 (4 GiB, the default) cost nothing until used. */
  readonly pages?: number;
  /** Maximum number of open arenas. */
  readonly maxArenas?: number;
  /** Called for every new arena, before an extent of it is assigned. */
  readonly onArena?: (arena: number, memory: WebAssembly.Memory) => void;
}

const ALIGN = 64;

/** Free space of one arena: disjoint [start, end) ranges in ascending order, never adjacent. */
class FreeRanges {
  readonly #starts: number[];
  readonly #ends: number[];

  constructor(start: number, end: number) {
    this.#starts = [start];
    this.#ends = [end];
  }

  /** First fit. @returns the address, or -1 */
  take(bytes: number): number {
    for (let i = 0; i < this.#starts.length; i++) {
      const start = this.#starts[i];
      if (this.#ends[i] - start < bytes) continue;
      if (this.#ends[i] - start === bytes) {
        this.#starts.splice(i, 1);
        this.#ends.splice(i, 1);
      } else this.#starts[i] = start + bytes;
      return start;
    }
    return -1;
  }

  put(start: number, end: number): void {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#starts[middle] < start) low = middle + 1;
      else high = middle;
    }
    const joinsLeft = low > 0 && this.#ends[low - 1] === start;
    const joinsRight = low < this.#starts.length && this.#starts[low] === end;
    if (joinsLeft && joinsRight) {
      this.#ends[low - 1] = this.#ends[low];
      this.#starts.splice(low, 1);
      this.#ends.splice(low, 1);
    } else if (joinsLeft) this.#ends[low - 1] = end;
    else if (joinsRight) this.#starts[low] = start;
    else {
      this.#starts.splice(low, 0, start);
      this.#ends.splice(low, 0, end);
    }
  }
}

export class ArenaSet {
  readonly memories: WebAssembly.Memory[] = [];
  readonly #free: FreeRanges[] = [];
  readonly #live = new Map<string, number>();
  readonly #module: WebAssembly.Module;
  readonly #pages: number;
  readonly #maxArenas: number;
  readonly #onArena: (arena: number, memory: WebAssembly.Memory) => void;
  #used = 0;

  constructor(module: WebAssembly.Module, options: ArenaSetOptions = {}) {
    this.#module = module;
    this.#pages = options.pages ?? 65536;
    this.#maxArenas = options.maxArenas ?? 1024;
    this.#onArena = options.onArena ?? (() => undefined);
  }

  /** Bytes in assigned extents, including alignment and slack. */
  get usedBytes(): number {
    return this.#used;
  }

  /** Largest extent that an empty arena can hold. */
  get maxExtentBytes(): number {
    return this.#pages * PAGE_BYTES - staticBytes(this.#module) - 2 * ALIGN;
  }

  /**
   * @param wanted the arena to use
   * @throws RangeError the extent is larger than an arena, no further arena may be opened, or the requested arena is full
   */
  allocate(bytes: number, wanted?: number): Extent {
    const size = Math.ceil(bytes / ALIGN) * ALIGN + ALIGN;
    if (bytes > this.maxExtentBytes) throw new RangeError(`an extent of ${bytes} bytes does not fit into an arena`);
    for (let arena = wanted ?? 0; ; arena++) {
      if (wanted !== undefined && arena > wanted) throw new RangeError(`arena ${wanted} has no room for ${bytes} bytes`);
      if (arena === this.memories.length) this.#open();
      const ptr = this.#free[arena].take(size);
      if (ptr < 0) continue;
      this.#live.set(`${arena}:${ptr}`, size);
      this.#used += size;
      return { arena, ptr, bytes };
    }
  }

  /** Keeps the first `bytes` of an extent and frees the rest. */
  shrink(extent: Extent, bytes: number): Extent {
    const key = `${extent.arena}:${extent.ptr}`;
    const size = this.#live.get(key);
    const kept = Math.ceil(bytes / ALIGN) * ALIGN + ALIGN;
    if (size === undefined || kept > size) throw new Error(`extent ${key} cannot shrink to ${bytes} bytes`);
    if (kept < size) this.#free[extent.arena].put(extent.ptr + kept, extent.ptr + size);
    this.#live.set(key, kept);
    this.#used -= size - kept;
    return { ...extent, bytes };
  }

  /** Frees an extent; its bytes may be assigned again at once. @throws Error it is not in use */
  release(extent: Extent): void {
    const key = `${extent.arena}:${extent.ptr}`;
    const size = this.#live.get(key);
    if (size === undefined) throw new Error(`extent ${key} is not in use`);
    this.#live.delete(key);
    this.#used -= size;
    this.#free[extent.arena].put(extent.ptr, extent.ptr + size);
  }

  #open(): void {
    if (this.memories.length >= this.#maxArenas) throw new RangeError(`all ${this.#maxArenas} arenas are full`);
    const memory = createMemory(this.#pages);
    const arena = this.memories.push(memory) - 1;
    this.#free.push(new FreeRanges(staticBytes(this.#module), this.#pages * PAGE_BYTES - ALIGN));
    this.#onArena(arena, memory);
  }
}
