// Boundaries of sentences and words in highlighted texts, as the JDK's BreakIterator finds them.
/** Boundaries of a text, including its start and end. Computed on demand, because segmenting a long text can take seconds. */
export class Boundaries {
  readonly #length: number;
  readonly #segments: Intl.Segments;

  constructor(text: string, granularity: 'sentence' | 'word', locale: string) {
    let segmenter: Intl.Segmenter;
    try {
      segmenter = new Intl.Segmenter(locale, { granularity });
    } catch {
      segmenter = new Intl.Segmenter('en', { granularity });
    }
    this.#length = text.length;
    this.#segments = segmenter.segment(text);
  }

  /** The last boundary before `offset`, 0 if there is none. */
  preceding(offset: number): number {
    if (offset > this.#length) return this.#length;
    return offset <= 0 ? 0 : (this.#segments.containing(offset - 1)?.index ?? 0);
  }

  /** The first boundary after `offset`, which must not be negative; null if there is none. */
  following(offset: number): number | null {
    if (offset >= this.#length) return null;
    const found = this.#segments.containing(offset);
    return found ? found.index + found.segment.length : null;
  }

  /** All boundaries, the start and the end included. */
  all(): number[] {
    return [...this.#segments].map(({ index }) => index).concat(this.#length);
  }
}

/** Punctuation that joins the words on its sides for java.text's BreakIterator; ICU breaks at dashes. */
const WORD_JOINER = /^[\p{Pd}\u00ad\u2027"'.]$/u;
const LETTER = /^\p{L}$/u;

/** Boundaries of words as the JDK places them: `storm-force` is one word. */
export class Words {
  readonly #text: string;
  readonly #boundaries: Boundaries;

  constructor(text: string, locale: string) {
    this.#text = text;
    this.#boundaries = new Boundaries(text, 'word', locale);
  }

  preceding(offset: number): number {
    let found = this.#boundaries.preceding(offset);
    while (this.#isJoined(found)) found = this.#boundaries.preceding(found);
    return found;
  }

  following(offset: number): number | null {
    let found = this.#boundaries.following(offset);
    while (found !== null && this.#isJoined(found)) found = this.#boundaries.following(found);
    return found;
  }

  /** All boundaries, the start and the end included. */
  all(): number[] {
    return this.#boundaries.all().filter((at) => !this.#isJoined(at));
  }

  /** Whether a boundary is next to punctuation that joins letters. */
  #isJoined(at: number): boolean {
    return this.#joins(at) || this.#joins(at - 1);
  }

  #joins(at: number): boolean {
    const [before, joiner, after] = [this.#text.charAt(at - 1), this.#text.charAt(at), this.#text.charAt(at + 1)];
    return WORD_JOINER.test(joiner) && LETTER.test(before) && LETTER.test(after);
  }
}
