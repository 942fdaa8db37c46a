/**
 * Memory that the event loops of a worker process share, found by name. The loop of the main thread makes it while it reads the
 * configuration; the other loops are threads, are given what was made, and find the same memory under the same names.
 */

/** Which event loop of the worker process this is, and how many there are. */
export const loop = { index: 0, count: 1 };

let memories = new Map<string, SharedArrayBuffer>();

/** To be called before the configuration is read. @param made  what the main thread's loop made; none in that loop itself */
export function beginLoop(index: number, count: number, made?: Map<string, SharedArrayBuffer>): void {
  loop.index = index;
  loop.count = count;
  if (made) memories = made;
}

/** All memory by name, to be given to further loops. */
export const sharedMemories = (): Map<string, SharedArrayBuffer> => memories;

/** Memory of that name and size, zeros at first. To be asked for while the configuration is read: later is too late to share it. */
export function sharedBytes(name: string, bytes: number): SharedArrayBuffer {
  const known = memories.get(name);
  if (known?.byteLength === bytes) return known;
  if (loop.index > 0) throw new Error(`the first event loop has no memory "${name}" of ${bytes} bytes`);
  const made = new SharedArrayBuffer(bytes);
  memories.set(name, made);
  return made;
}

/** A small value that all loops must have in common, such as a key. */
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
 * A lock between threads; a loop that has to wait blocks, so what runs under it is short and does no I/O.
 * Source: Drepper, "Futexes Are Tricky", mutex with three states.
 */
export class Mutex {
  constructor(
    private readonly words: Int32Array,
    private readonly at: number,
  ) {}

  lock(): void {
    const { words, at } = this;
    let state = Atomics.compareExchange(words, at, FREE, HELD);
    while (state !== FREE) {
      if (state === CONTENDED || Atomics.compareExchange(words, at, HELD, CONTENDED) !== FREE) Atomics.wait(words, at, CONTENDED);
      state = Atomics.compareExchange(words, at, FREE, CONTENDED);
    }
  }

  unlock(): void {
    const { words, at } = this;
    if (Atomics.sub(words, at, 1) === HELD) return;
    Atomics.store(words, at, FREE);
    Atomics.notify(words, at, 1);
  }
}

/** Numbers that loops add to, each in a row of its own; reading adds the rows up. */
export class Counters {
  private readonly memory: Float64Array;

  constructor(
    name: string,
    private readonly size: number,
  ) {
    this.memory = new Float64Array(sharedBytes(`counters:${name}`, size * loop.count * 8));
  }

  add(field: number, amount = 1): void {
    this.memory[loop.index * this.size + field] += amount;
  }

  total(field: number): number {
    const { memory } = this;
    let sum = 0;
    for (let at = field; at < memory.length; at += this.size) sum += memory[at];
    return sum;
  }
}
