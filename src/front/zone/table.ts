// A hash table in shared memory: records of a few numbers by a string key; a full table evicts the least recently used record.
//   words  ├ lock ┬ seed ┬ seed ┬ used ┬ free ┬ newest ┬ oldest ┬ made ┤ buckets ┤ records: hash, hash, next, newer, older ┤
//   data   ├ record 0: fields f64 ┬ record 1 ┬ ···
// Links are record number + 1; 0 is none, so that zeroed memory is an empty table. Keys are identified by 64 bits of a hash with a random seed, so
// clients cannot construct collisions.
import { randomInt } from 'node:crypto';
import { Mutex, sharedBytes } from './memory.ts';

const [LOCK, SEED_1, SEED_2, USED, FREE, NEWEST, OLDEST, MADE, HEAD] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const [HASH_1, HASH_2, NEXT, NEWER, OLDER, LINKS] = [0, 1, 2, 3, 4, 5];

export class SharedTable {
  /** `fields` numbers per record: those of record n start at n * fields. */
  readonly data: Float64Array;
  readonly #words: Int32Array;
  readonly #mutex: Mutex;
  readonly #mask: number;
  readonly #records: number;
  readonly #memory: SharedArrayBuffer;
  #hash1 = 0;
  #hash2 = 0;

  readonly #evicts: boolean;

  /** @param evicts  a full table evicts its oldest record for a new one */
  constructor(
    name: string,
    readonly capacity: number,
    readonly fields: number,
    evicts = true,
  ) {
    this.#evicts = evicts;
    let buckets = 16;
    while (buckets < capacity) buckets *= 2;
    this.#mask = buckets - 1;
    this.#records = HEAD + buckets;
    const dataOff = (this.#records + capacity * LINKS + 1) & ~1;
    this.#memory = sharedBytes(name, dataOff * 4 + capacity * fields * 8);
    this.#words = new Int32Array(this.#memory, 0, dataOff);
    this.data = new Float64Array(this.#memory, dataOff * 4);
    this.#mutex = new Mutex(this.#words, LOCK);
    this.locked(() => {
      if (this.#words[MADE]) return;
      this.#words[MADE] = 1;
      this.#words[SEED_1] = randomInt(2 ** 32) | 0;
      this.#words[SEED_2] = randomInt(2 ** 32) | 0;
    });
  }

  get size(): number {
    return this.#words[USED];
  }

  lock(): void {
    this.#mutex.lock();
  }

  unlock(): void {
    this.#mutex.unlock();
  }

  locked<T>(work: () => T): T {
    this.#mutex.lock();
    try {
      return work();
    } finally {
      this.#mutex.unlock();
    }
  }

  #hash(text: string): void {
    let a = this.#words[SEED_1];
    let b = this.#words[SEED_2];
    for (let n = 0; n < text.length; n++) {
      const c = text.charCodeAt(n);
      a = Math.imul(a ^ c, 0x85ebca6b);
      a ^= a >>> 15;
      b = Math.imul(b + c, 0xc2b2ae35);
      b ^= b >>> 13;
    }
    a = Math.imul(a ^ (a >>> 16) ^ text.length, 0x9e3779b1);
    b = Math.imul(b ^ (b >>> 16), 0x27d4eb2f);
    this.#hash1 = a ^ (a >>> 15);
    this.#hash2 = b ^ (b >>> 15);
  }

  /** Number of the record of `text`, which counts as a use; -1 if there is none. The caller holds the lock. */
  find(text: string): number {
    this.#hash(text);
    const words = this.#words;
    for (let link = words[HEAD + (this.#hash1 & this.#mask)]; link !== 0; ) {
      const at = this.#records + (link - 1) * LINKS;
      if (words[at + HASH_1] === this.#hash1 && words[at + HASH_2] === this.#hash2) {
        this.#unlink(link);
        this.#linkNewest(link);
        return link - 1;
      }
      link = words[at + NEXT];
    }
    return -1;
  }

  /** The record of `text`, zeroed if it is new; -1 if the table is full and does not evict. The caller holds the lock. */
  take(text: string): number {
    const known = this.find(text);
    if (known >= 0) return known;
    const words = this.#words;
    let link = words[FREE];
    if (link !== 0) words[FREE] = words[this.#records + (link - 1) * LINKS + NEXT];
    else if (words[USED] < this.capacity) link = words[USED] + 1;
    else {
      if (!this.#evicts) return -1;
      const oldest = words[OLDEST] - 1;
      this.remove(oldest);
      link = words[FREE];
      words[FREE] = words[this.#records + (link - 1) * LINKS + NEXT];
    }
    words[USED]++;
    const at = this.#records + (link - 1) * LINKS;
    const bucket = HEAD + (this.#hash1 & this.#mask);
    words[at + HASH_1] = this.#hash1;
    words[at + HASH_2] = this.#hash2;
    words[at + NEXT] = words[bucket];
    words[bucket] = link;
    this.#linkNewest(link);
    this.data.fill(0, (link - 1) * this.fields, link * this.fields);
    return link - 1;
  }

  /** The caller holds the lock. */
  remove(record: number): void {
    const words = this.#words;
    const link = record + 1;
    const at = this.#records + record * LINKS;
    let from = HEAD + (words[at + HASH_1] & this.#mask);
    while (words[from] !== link) from = this.#records + (words[from] - 1) * LINKS + NEXT;
    words[from] = words[at + NEXT];
    this.#unlink(link);
    words[at + NEXT] = words[FREE];
    words[FREE] = link;
    words[USED]--;
  }

  #unlink(link: number): void {
    const words = this.#words;
    const records = this.#records;
    const at = records + (link - 1) * LINKS;
    const newer = words[at + NEWER];
    const older = words[at + OLDER];
    if (newer === 0) words[NEWEST] = older;
    else words[records + (newer - 1) * LINKS + OLDER] = older;
    if (older === 0) words[OLDEST] = newer;
    else words[records + (older - 1) * LINKS + NEWER] = newer;
  }

  #linkNewest(link: number): void {
    const words = this.#words;
    const records = this.#records;
    const at = records + (link - 1) * LINKS;
    const before = words[NEWEST];
    words[at + NEWER] = 0;
    words[at + OLDER] = before;
    if (before === 0) words[OLDEST] = link;
    else words[records + (before - 1) * LINKS + NEWER] = link;
    words[NEWEST] = link;
  }

  /** A copy of the whole table, for the workers of the next configuration. */
  exportState(): Uint8Array {
    return this.locked(() => Uint8Array.from(new Uint8Array(this.#memory)));
  }

  /** Restores an exported table; one of another size is ignored. */
  importState(state: unknown): void {
    if (!(state instanceof Uint8Array) || state.length !== this.#memory.byteLength) return;
    new Uint8Array(this.#memory).set(state);
    Atomics.store(this.#words, LOCK, 0);
  }
}
