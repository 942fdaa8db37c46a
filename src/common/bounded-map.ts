// A map with a limited number of entries. Caches keyed by parts of requests (scripts, formats, user names) use it, so that a client that
// keeps sending new keys cannot fill the memory.

/** Evicts the entry that was added first. Reading does not reorder entries: that would cost a deletion and an insertion per hit. */
export class BoundedMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #maxEntries: number;

  /** @param maxEntries  at least 1 */
  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  /** Adds or replaces an entry. Replacing keeps its age. */
  set(key: Key, value: Value): void {
    if (this.#entries.size >= this.#maxEntries && !this.#entries.has(key)) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    }
    this.#entries.set(key, value);
  }

  /** The value of `key`, made and stored by `make` if there is none. An entry whose value is undefined counts as missing. */
  getOrMake(key: Key, make: (key: Key) => Value): Value {
    const cached = this.#entries.get(key);
    if (cached !== undefined) return cached;
    const value = make(key);
    this.set(key, value);
    return value;
  }

  delete(key: Key): boolean {
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** Entries from the oldest to the newest. */
  entries(): IterableIterator<[Key, Value]> {
    return this.#entries.entries();
  }
}
