// Sets of code points.

/** The code point at an index, -1 at or past the end: no set contains it. */
export function codePointAt(text: string, at: number): number {
  return text.codePointAt(at) ?? -1;
}

/** Sets of one code point below this are made once. */
const MAX_SINGLES = 128;

/** A set of code points as ascending ranges [first, last, first, last, ...]; immutable. */
export class CodePointSet {
  /** 1 for each ASCII character in the set; null until it is needed. */
  #ascii: Uint8Array | null = null;

  private constructor(readonly ranges: Int32Array) {}

  static readonly EMPTY = new CodePointSet(new Int32Array(0));
  static readonly ALL = new CodePointSet(Int32Array.of(0, 0x10ffff));

  static of(...ranges: readonly (readonly [number, number])[]): CodePointSet {
    return CodePointSet.ofRanges([...ranges]);
  }

  /** @param ranges  in any order; sorted in place */
  static ofRanges(ranges: (readonly [number, number])[]): CodePointSet {
    ranges.sort((a, b) => a[0] - b[0]);
    const out: number[] = [];
    for (const [first, last] of ranges) {
      if (last < first) continue;
      if (out.length && first <= out[out.length - 1] + 1) out[out.length - 1] = Math.max(out[out.length - 1], last);
      else out.push(first, last);
    }
    return new CodePointSet(Int32Array.from(out));
  }

  /** The set of one code point. */
  static single(cp: number): CodePointSet {
    if (cp >= MAX_SINGLES) return new CodePointSet(Int32Array.of(cp, cp));
    return (singles[cp] ??= new CodePointSet(Int32Array.of(cp, cp)));
  }

  /** All sets together, in time that does not depend on how the union grows. */
  static unionOf(sets: Iterable<CodePointSet>): CodePointSet {
    const distinct = [...new Set(sets)];
    if (distinct.length === 0) return CodePointSet.EMPTY;
    return distinct.length === 1 ? distinct[0] : CodePointSet.ofRanges(distinct.flatMap((set) => set.pairs()));
  }

  static ofChars(text: string): CodePointSet {
    return CodePointSet.ofRanges(Array.from(text, (char): [number, number] => [codePointAt(char, 0), codePointAt(char, 0)]));
  }

  /** @param cp a code point, or -1, which is in no set */
  has(cp: number): boolean {
    if (cp < 128) return (this.#ascii ?? this.#makeAscii())[cp] === 1;
    const { ranges } = this;
    let low = 0;
    let high = ranges.length >> 1;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (ranges[mid * 2 + 1] < cp) low = mid + 1;
      else high = mid;
    }
    return low * 2 < ranges.length && ranges[low * 2] <= cp;
  }

  #makeAscii(): Uint8Array {
    const { ranges } = this;
    const ascii = new Uint8Array(128);
    for (let i = 0; i < ranges.length && ranges[i] < 128; i += 2) ascii.fill(1, ranges[i], Math.min(127, ranges[i + 1]) + 1);
    this.#ascii = ascii;
    return ascii;
  }

  get isEmpty(): boolean {
    return this.ranges.length === 0;
  }

  pairs(): [number, number][] {
    const out: [number, number][] = [];
    for (let i = 0; i < this.ranges.length; i += 2) out.push([this.ranges[i], this.ranges[i + 1]]);
    return out;
  }

  union(other: CodePointSet): CodePointSet {
    return CodePointSet.unionOf([this, other]);
  }

  negate(): CodePointSet {
    const out: [number, number][] = [];
    let next = 0;
    for (const [first, last] of this.pairs()) {
      out.push([next, first - 1]);
      next = last + 1;
    }
    out.push([next, 0x10ffff]);
    return CodePointSet.ofRanges(out);
  }

  intersect(other: CodePointSet): CodePointSet {
    const [a, b] = [this.ranges, other.ranges];
    const out: number[] = [];
    for (let i = 0, j = 0; i < a.length && j < b.length; ) {
      const first = Math.max(a[i], b[j]);
      const last = Math.min(a[i + 1], b[j + 1]);
      if (first <= last) out.push(first, last);
      if (a[i + 1] < b[j + 1]) i += 2;
      else j += 2;
    }
    return new CodePointSet(Int32Array.from(out));
  }
}

const singles: CodePointSet[] = [];
