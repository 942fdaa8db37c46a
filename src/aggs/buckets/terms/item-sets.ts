// Closed frequent item sets: sets of items that occur together in many transactions, and that no further item always accompanies.
// Source: T. Uno, M. Kiyomi, H. Arimura, "LCM ver. 2: Efficient Mining Algorithms for Frequent/Closed/Maximal Itemsets" (2004), on bitsets.
import { checkTurn } from '../../../common/turns/turn.ts';
import { illegalArgumentError } from '../../errors.ts';

/** Transactions as a bitset. */
type Bits = Uint32Array;

export interface ItemSet {
  /** Ascending numbers of items. */
  readonly items: readonly number[];
  readonly count: number;
}

export interface SearchLimits {
  /** Minimum number of transactions that contain the set. */
  readonly minCount: number;
  /** Minimum number of items of a set. */
  readonly minSize: number;
  /** Number of sets requested. */
  readonly size: number;
}

/** Limit of compared bitset words, which takes about ten seconds. */
const MAX_WORDS = 10_000_000_000;

/**
 * The most frequent closed sets, larger ones first among those of equal counts.
 * @param itemsOf  distinct items of each transaction, as numbers below `itemCount`
 * @throws ApiError illegal_argument_exception: there are too many sets to compare
 */
export function closedItemSets(itemsOf: ReadonlyArray<readonly number[]>, itemCount: number, limits: SearchLimits): ItemSet[] {
  return new Miner(itemsOf, itemCount, limits).run();
}

class Miner {
  readonly #limits: SearchLimits;
  readonly #words: number;
  readonly #total: number;
  /** Frequent items, the most frequent first, and their transactions. */
  readonly #items: readonly number[];
  readonly #bits: readonly Bits[];
  #found: ItemSet[] = [];
  #minCount: number;
  #spent = 0;

  constructor(itemsOf: ReadonlyArray<readonly number[]>, itemCount: number, limits: SearchLimits) {
    this.#limits = limits;
    this.#minCount = limits.minCount;
    this.#total = itemsOf.length;
    this.#words = Math.ceil(itemsOf.length / 32);
    const counts = new Uint32Array(itemCount);
    for (const items of itemsOf) for (const item of items) counts[item]++;
    const frequent = Array.from(counts.keys()).filter((item) => counts[item] >= limits.minCount);
    this.#items = frequent.sort((a, b) => counts[b] - counts[a] || a - b);
    const rank = new Map(this.#items.map((item, i) => [item, i]));
    if (this.#items.length * this.#words > 1 << 26)
      throw illegalArgumentError(`[${this.#items.length}] items are frequent in [${this.#total}] documents: raise [minimum_support]`);
    const bits = this.#items.map(() => new Uint32Array(this.#words));
    itemsOf.forEach((items, t) => {
      for (const item of items) {
        const at = rank.get(item);
        if (at !== undefined) bits[at][t >> 5] |= 1 << (t & 31);
      }
    });
    this.#bits = bits;
  }

  run(): ItemSet[] {
    const all = new Uint32Array(this.#words);
    for (let t = 0; t < this.#total; t++) all[t >> 5] |= 1 << (t & 31);
    if (this.#total >= this.#minCount && this.#items.length > 0) {
      const root = this.#closure(all);
      this.#report(root, this.#total);
      this.#extend(root, all, -1);
    }
    return this.#sorted();
  }

  /** Extends a closed set by each item after `core`; a set is reached only from the one that its first items generate. */
  #extend(set: ReadonlySet<number>, transactions: Bits, core: number): void {
    for (let item = core + 1; item < this.#items.length; item++) {
      if (set.has(item)) continue;
      const both = this.#and(transactions, this.#bits[item]);
      const count = countOf(both);
      if (count < this.#minCount) continue;
      const closed = this.#closure(both);
      // The items before the new one must be the same: otherwise the set is reached by another path.
      let isOwn = true;
      for (const other of closed) if (other < item && !set.has(other)) isOwn = false;
      if (!isOwn) continue;
      this.#report(closed, count);
      this.#extend(closed, both, item);
    }
  }

  /** Items that occur in all of the transactions. */
  #closure(transactions: Bits): ReadonlySet<number> {
    const items = new Set<number>();
    this.#bits.forEach((bits, item) => {
      this.#spend(this.#words);
      for (let w = 0; w < transactions.length; w++) if ((transactions[w] & ~bits[w]) !== 0) return;
      items.add(item);
    });
    return items;
  }

  #and(a: Bits, b: Bits): Bits {
    this.#spend(a.length);
    const both = new Uint32Array(a.length);
    for (let w = 0; w < a.length; w++) both[w] = a[w] & b[w];
    return both;
  }

  #spend(words: number): void {
    checkTurn();
    this.#spent += words;
    if (this.#spent > MAX_WORDS) throw illegalArgumentError('there are too many item sets to compare: raise [minimum_support]');
  }

  #report(set: ReadonlySet<number>, count: number): void {
    if (set.size < this.#limits.minSize || set.size === 0) return;
    this.#found.push({ items: [...set].map((item) => this.#items[item]).sort((a, b) => a - b), count });
    // Sets with fewer transactions than the last requested one can be skipped.
    if (this.#found.length >= 2 * this.#limits.size + 100) {
      this.#found = this.#sorted();
      this.#minCount = Math.max(this.#minCount, this.#found[this.#found.length - 1].count);
    }
  }

  #sorted(): ItemSet[] {
    return this.#found
      .sort((a, b) => b.count - a.count || b.items.length - a.items.length || compare(a.items, b.items))
      .slice(0, this.#limits.size);
  }
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((item, i) => item !== b[i]);
  return at < 0 ? 0 : a[at] - b[at];
}

function countOf(bits: Bits): number {
  let count = 0;
  for (let word of bits) {
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}
