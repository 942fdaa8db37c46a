// Hyphenation points from patterns. Source: Liang, "Word Hy-phen-a-tion by Com-put-er" (1983); files in the XML format of Apache FOP.

/** Maximum size of a file in characters. */
const MAX_FILE = 16 * 1024 * 1024;

export class Hyphenator {
  /** Canonical character of each character that may occur in words. */
  readonly #classes = new Map<string, string>();
  /** Letters of a pattern (dots for the ends of the word), and the values between them. */
  readonly #patterns = new Map<string, number[]>();
  readonly #exceptions = new Map<string, number[]>();
  #longest = 0;

  /** @throws Error: the file is too large or has no patterns */
  constructor(xml: string) {
    if (xml.length > MAX_FILE) throw new Error('hyphenation file is too large');
    const text = xml.replace(/<!--[\s\S]*?-->/g, '');
    const section = (name: string): string => new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(text)?.[1] ?? '';
    for (const group of section('classes').split(/\s+/).filter(Boolean)) {
      for (const char of group) this.#classes.set(char, group[0]);
    }
    for (const word of section('exceptions').split(/\s+/).filter(Boolean)) {
      const points: number[] = [];
      let plain = '';
      for (const char of word) {
        if (char === '-') points.push(plain.length);
        else plain += char;
      }
      this.#exceptions.set(plain, points);
    }
    for (const pattern of section('patterns').split(/\s+/).filter(Boolean)) this.#addPattern(pattern);
    if (!this.#patterns.size) throw new Error('hyphenation file has no patterns');
  }

  #addPattern(pattern: string): void {
    let letters = '';
    const values = [0];
    for (const char of pattern) {
      if (char >= '0' && char <= '9') values[values.length - 1] = Number(char);
      else {
        letters += char;
        values.push(0);
      }
    }
    this.#patterns.set(letters, values);
    this.#longest = Math.max(this.#longest, letters.length);
  }

  /**
   * Positions where a word may be cut, including 0 and the number of its letters (as in Lucene, even if characters without a class precede them); null if
   * it may not be cut or has characters without a class between letters. At least one letter remains on each side, two after the cut of an exception.
   */
  points(word: string): number[] | null {
    let lower = '';
    let leading = 0;
    let hasEnded = false;
    for (const char of word) {
      const base = this.#classes.get(char);
      if (base !== undefined) {
        if (hasEnded) return null;
        lower += base;
      } else if (lower) hasEnded = true;
      else leading += char.length;
    }
    if (lower.length < 2) return null;
    const cuts = this.#exceptions.get(lower)?.filter((cut) => cut >= 1 && cut < lower.length - 1) ?? this.#cuts(lower);
    if (!cuts.length) return null;
    return [0, ...cuts.map((cut) => cut + leading), lower.length];
  }

  #cuts(word: string): number[] {
    const dotted = `.${word}.`;
    const values = new Array<number>(dotted.length + 1).fill(0);
    for (let at = 0; at < dotted.length; at++) {
      for (let size = 1; size <= this.#longest && at + size <= dotted.length; size++) {
        const pattern = this.#patterns.get(dotted.slice(at, at + size));
        if (!pattern) continue;
        pattern.forEach((value, k) => {
          values[at + k] = Math.max(values[at + k], value);
        });
      }
    }
    const cuts: number[] = [];
    for (let cut = 1; cut < word.length; cut++) if (values[cut + 1] % 2) cuts.push(cut);
    return cuts;
  }
}
