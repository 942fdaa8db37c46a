// Numbers pairs (parent, key) 0, 1, 2... in the order of their first occurrence. A hash table in typed arrays, several times faster than Maps of doubles.

export class KeyTable {
  #count = 0;
  /** Two words per key. */
  #bits = new Uint32Array(128);
  #parents = new Int32Array(64);
  /** Slot of the hash table -> number + 1; 0 if free. */
  #table = new Int32Array(128);
  readonly #one = new Float64Array(1);
  readonly #oneBits = new Uint32Array(this.#one.buffer);

  get size(): number {
    return this.#count;
  }

  /** The number of a pair; a new pair gets the next one, which is `size` before the call. Keys are compared by their bits, so 0 and -0 differ. */
  numberOf(parent: number, key: number): number {
    this.#one[0] = key;
    return this.numberOfBits(parent, this.#oneBits[0], this.#oneBits[1]);
  }

  /** As `numberOf`, for a key given as two words. */
  numberOfBits(parent: number, low: number, high: number): number {
    const mask = this.#table.length - 1;
    let at = hash(parent, low, high) & mask;
    for (;;) {
      const entry = this.#table[at] - 1;
      if (entry < 0) break;
      if (this.#bits[entry * 2] === low && this.#bits[entry * 2 + 1] === high && this.#parents[entry] === parent) return entry;
      at = (at + 1) & mask;
    }
    const number = this.#count++;
    this.#table[at] = number + 1;
    this.#bits[number * 2] = low;
    this.#bits[number * 2 + 1] = high;
    this.#parents[number] = parent;
    if (this.#count === this.#parents.length) this.#grow();
    return number;
  }

  #grow(): void {
    const capacity = this.#parents.length * 2;
    const bits = new Uint32Array(capacity * 2);
    bits.set(this.#bits);
    const parents = new Int32Array(capacity);
    parents.set(this.#parents);
    this.#bits = bits;
    this.#parents = parents;
    this.#table = new Int32Array(capacity * 2);
    const mask = this.#table.length - 1;
    for (let entry = 0; entry < this.#count; entry++) {
      let at = hash(parents[entry], bits[entry * 2], bits[entry * 2 + 1]) & mask;
      while (this.#table[at] !== 0) at = (at + 1) & mask;
      this.#table[at] = entry + 1;
    }
  }
}

function hash(parent: number, low: number, high: number): number {
  let h = Math.imul(low ^ Math.imul(parent, 0x9e3779b1), 0x85ebca6b) ^ high;
  h = Math.imul(h ^ (h >>> 15), 0xc2b2ae35);
  return (h ^ (h >>> 13)) >>> 0;
}
