// How often a shard was searched and read, in memory that all threads share: each adds without locks, and any thread can read the sums for
// `_stats`.
//   words: KINDS counters, then MAX_GROUPS slots of: length of the name (0: free, TAKEN: being written), name in UTF-8, KINDS counters
//   a counter: two words, low before high

const READ_COUNTS = [
  'queries',
  'queryMicros',
  'fetches',
  'fetchMicros',
  'scrolls',
  'suggests',
  'cacheHits',
  'cacheMisses',
  'gets',
  'getMicros',
  'getsFound',
] as const;
type ReadCount = (typeof READ_COUNTS)[number];
const NUMBERS = Object.fromEntries(READ_COUNTS.map((kind, i) => [kind, i])) as Record<ReadCount, number>;

/** Searches of further groups (`stats` of a request) are counted only in the totals, because clients choose the names. */
const MAX_GROUPS = 8;
const MAX_NAME_BYTES = 64;
const COUNTER_WORDS = 2;
const COUNTS_WORDS = READ_COUNTS.length * COUNTER_WORDS;
const NAME_AT = 1;
const GROUP_COUNTS_AT = NAME_AT + MAX_NAME_BYTES / 4;
const GROUP_WORDS = GROUP_COUNTS_AT + COUNTS_WORDS;
const TAKEN = 0xffff_ffff;

export const READ_COUNTERS_BYTES = (COUNTS_WORDS + MAX_GROUPS * GROUP_WORDS) * 4;

export class ReadCounters {
  readonly #words: Uint32Array;
  readonly #bytes: Uint8Array;

  /** @param memory  READ_COUNTERS_BYTES, zero at first */
  constructor(memory: SharedArrayBuffer) {
    this.#words = new Uint32Array(memory);
    this.#bytes = new Uint8Array(memory);
  }

  /** @param groups  names in the request's `stats`, each counted separately as well */
  add(amounts: Partial<Record<ReadCount, number>>, groups: readonly string[] = []): void {
    this.#addAll(0, amounts);
    for (const group of groups) {
      const slot = this.#slotOf(group);
      if (slot !== null) this.#addAll(slot + GROUP_COUNTS_AT, amounts);
    }
  }

  totals(): Record<ReadCount, number> {
    return this.#read(0);
  }

  /** By the name of the group. */
  groups(): Map<string, Record<ReadCount, number>> {
    const found = new Map<string, Record<ReadCount, number>>();
    for (const slot of slots()) {
      const name = this.#nameAt(slot);
      if (name === null) continue;
      // A group that two threads saw first at the same time has two slots.
      found.set(name, sumOf(found.get(name), this.#read(slot + GROUP_COUNTS_AT)));
    }
    return found;
  }

  #addAll(at: number, amounts: Partial<Record<ReadCount, number>>): void {
    // Hot path of every search and get: no entry arrays, no closures.
    for (const key in amounts) {
      const kind = key as ReadCount;
      const amount = Math.round(amounts[kind] ?? 0);
      if (amount === 0) continue;
      const low = at + NUMBERS[kind] * COUNTER_WORDS;
      if (Atomics.add(this.#words, low, amount) + amount > 0xffff_ffff) Atomics.add(this.#words, low + 1, 1);
    }
  }

  #read(at: number): Record<ReadCount, number> {
    const value = (i: number): number => this.#words[at + i] + this.#words[at + i + 1] * 2 ** 32;
    return Object.fromEntries(READ_COUNTS.map((kind, i) => [kind, value(i * COUNTER_WORDS)])) as Record<ReadCount, number>;
  }

  #slotOf(group: string): number | null {
    const name = Buffer.from(group);
    if (name.length === 0 || name.length > MAX_NAME_BYTES) return null;
    for (const slot of slots()) {
      const length = Atomics.compareExchange(this.#words, slot, 0, TAKEN);
      if (length === 0) {
        this.#bytes.set(name, (slot + NAME_AT) * 4);
        Atomics.store(this.#words, slot, name.length);
        return slot;
      }
      if (this.#nameAt(slot) === group) return slot;
    }
    return null;
  }

  #nameAt(slot: number): string | null {
    const length = Atomics.load(this.#words, slot);
    if (length === 0 || length === TAKEN) return null;
    const start = (slot + NAME_AT) * 4;
    return Buffer.from(this.#bytes.slice(start, start + length)).toString();
  }
}

function* slots(): Generator<number> {
  for (let i = 0; i < MAX_GROUPS; i++) yield COUNTS_WORDS + i * GROUP_WORDS;
}

/** Sum of two sets of counters. */
export function sumOf<K extends string>(a: Readonly<Record<K, number>> | undefined, b: Readonly<Record<K, number>>): Record<K, number> {
  const sum: Record<K, number> = { ...b };
  if (a) for (const key of Object.keys(a) as K[]) sum[key] = (sum[key] ?? 0) + a[key];
  return sum;
}
