// Finds passages that documents share, such as forwarded mails and boilerplate, by sequences of words.

/** Length of a repeated sequence, in words. */
const PASSAGE_WORDS = 6;

/** Finds the words of a document that are not part of a passage seen in earlier documents. */
export class DuplicateSpotter {
  readonly #seen = new Set<string>();

  /** @returns the words outside of known passages; the passages of these words are known from now on */
  filter(words: readonly string[]): string[] {
    const isOld = new Uint8Array(words.length);
    for (let at = 0; at + PASSAGE_WORDS <= words.length; at++) {
      const passage = words.slice(at, at + PASSAGE_WORDS).join('\0');
      if (this.#seen.has(passage)) isOld.fill(1, at, at + PASSAGE_WORDS);
      else this.#seen.add(passage);
    }
    return words.filter((_, i) => isOld[i] === 0);
  }
}
