// Passages that texts share: forwarded mails, boilerplate. Words of a passage that was seen before are told apart.

/** Words of a passage that make it one seen before. */
const PASSAGE_WORDS = 6;

/** Tells the words of a text that stand in no passage of earlier texts. */
export class DuplicateSpotter {
  readonly #seen = new Set<string>();

  /** @returns the text's words that are new; its passages are seen from now on */
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
