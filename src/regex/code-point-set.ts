// Sets of code points.

/** The code point at an index, -1 at or past the end: no set contains it. */
export function codePointAt(text: string, at: number): number {
  return text.codePointAt(at) ?? -1;
}

/** A set of code points as ascending ranges [first, last, first, last, ...]; immutable. */
export class CodePointSet {
  readonly #ascii: Uint8Array;

  private constructor(readonly ranges: Int32Array) {
    this.#ascii = new Uint8Array(128);
    for (let i = 0; i < ranges.length && ranges[i] < 128; i += 2) this.#ascii.fill(1, ranges[i], Math.min(127, ranges[i + 1]) + 1);
  }

  static readonly EMPTY = new CodePointSet(new Int32Array(0));
  static readonly ALL = new CodePointSet(Int32Array.of(0, 0x10ffff));

  static of(...ranges: readonly (readonly [number, number])[]): CodePointSet {
    const sorted = [...ranges].sort((a, b) => a[0] - b[0]);
    const out: number[] = [];
    for (const [first, last] of sorted) {
      if (last < first) continue;
      if (out.length && first <= out[out.length - 1] + 1) out[out.length - 1] = Math.max(out[out.length - 1], last);
      else out.push(first, last);
    }
    return new CodePointSet(Int32Array.from(out));
  }

  static ofChars(text: string): CodePointSet {
    return CodePointSet.of(...Array.from(text, (char): [number, number] => [codePointAt(char, 0), codePointAt(char, 0)]));
  }

  static where(test: (cp: number) => boolean): CodePointSet {
    const ranges: [number, number][] = [];
    for (let cp = 0, from = -1; cp <= 0x110000; cp++) {
      const inside = cp < 0x110000 && test(cp);
      if (inside && from < 0) from = cp;
      if (!inside && from >= 0) {
        ranges.push([from, cp - 1]);
        from = -1;
      }
    }
    return CodePointSet.of(...ranges);
  }

  /** @param cp a code point, or -1, which is in no set */
  has(cp: number): boolean {
    if (cp < 128) return this.#ascii[cp] === 1;
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

  get isEmpty(): boolean {
    return this.ranges.length === 0;
  }

  pairs(): [number, number][] {
    const out: [number, number][] = [];
    for (let i = 0; i < this.ranges.length; i += 2) out.push([this.ranges[i], this.ranges[i + 1]]);
    return out;
  }

  union(other: CodePointSet): CodePointSet {
    return CodePointSet.of(...this.pairs(), ...other.pairs());
  }

  negate(): CodePointSet {
    const out: [number, number][] = [];
    let next = 0;
    for (const [first, last] of this.pairs()) {
      out.push([next, first - 1]);
      next = last + 1;
    }
    out.push([next, 0x10ffff]);
    return CodePointSet.of(...out);
  }

  intersect(other: CodePointSet): CodePointSet {
    return this.negate().union(other.negate()).negate();
  }
}
