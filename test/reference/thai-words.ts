// Twin of assembly/analysis/tokenizers/thai-words.ts: the host's own words of a run of Thai letters, from the same dictionary in ICU.
const segmenter = new Intl.Segmenter('th', { granularity: 'word' });

/** Start and end of each word that begins with a letter. */
export function thaiWords(text: string): number[] {
  return [...segmenter.segment(text)]
    .filter(({ segment }) => /^\p{L}/u.test(segment))
    .flatMap(({ index, segment }) => [index, index + segment.length]);
}
