// Memory that the event loops of a worker process share, found by name. The main thread's loop allocates it while it reads the configuration; the
// other loops are threads that receive it and find the same memory under the same names.

/** Number of this event loop in the worker process, and the number of loops. */
export const loop = { index: 0, count: 1 };

let memories = new Map<string, SharedArrayBuffer>();

/** To be called before the configuration is read. @param made  memory allocated by the main thread's loop; absent in that loop itself */
export function beginLoop(index: number, count: number, made?: Map<string, SharedArrayBuffer>): void {
  loop.index = index;
  loop.count = count;
  if (made) memories = made;
}

/** All memory by name, to be passed to other loops. */
export const sharedMemories = (): Map<string, SharedArrayBuffer> => memories;

/** Memory with this name and size, zeroed at first. To be called while the configuration is read: later it cannot be shared. */
export function sharedBytes(name: string, bytes: number): SharedArrayBuffer {
  const known = memories.get(name);
  if (known?.byteLength === bytes) return known;
  if (loop.index > 0) throw new Error(`the first event loop has no memory "${name}" of ${bytes} bytes`);
  const made = new SharedArrayBuffer(bytes);
  memories.set(name, made);
  return made;
}

/** A small value that all loops must share, such as a key. */
export function sharedValue(name: string, make: () => Buffer): Buffer {
  const known = memories.get(name);
  if (known) return Buffer.from(new Uint8Array(known));
  const value = make();
  new Uint8Array(sharedBytes(name, value.length)).set(value);
  return value;
}

const FREE = 0;
const HELD = 1;
const CONTENDED = 2;

/**
 * A lock between threads. A loop that waits for it blocks, so the code under it must be short and without I/O.
 * Source: Drepper, "Futexes Are Tricky", mutex with three states.
 */
export class Mutex {
  readonly #words: Int32Array;
  readonly #at: number;

  constructor(words: Int32Array, at: number) {
    this.#words = words;
    this.#at = at;
  }

  lock(): void {
    const words = this.#words;
    const at = this.#at;
    let state = Atomics.compareExchange(words, at, FREE, HELD);
    while (state !== FREE) {
      if (state === CONTENDED || Atomics.compareExchange(words, at, HELD, CONTENDED) !== FREE) Atomics.wait(words, at, CONTENDED);
      state = Atomics.compareExchange(words, at, FREE, CONTENDED);
    }
  }

  unlock(): void {
    const words = this.#words;
    const at = this.#at;
    if (Atomics.sub(words, at, 1) === HELD) return;
    Atomics.store(words, at, FREE);
    Atomics.notify(words, at, 1);
  }
}

/** Counters that loops increment, each in a row of its own; reading sums up the rows. */
export class Counters {
  readonly #memory: Float64Array;

  readonly #size: number;

  constructor(name: string, size: number) {
    this.#size = size;
    this.#memory = new Float64Array(sharedBytes(`counters:${name}`, size * loop.count * 8));
  }

  add(field: number, amount = 1): void {
    this.#memory[loop.index * this.#size + field] += amount;
  }

  total(field: number): number {
    const memory = this.#memory;
    let sum = 0;
    for (let at = field; at < memory.length; at += this.#size) sum += memory[at];
    return sum;
  }
}
