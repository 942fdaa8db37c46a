import { expect, test } from 'vitest';
import { Boundaries } from '../../../../src/search/highlight/boundaries.ts';
import { forSeeds } from '../../../support/rng.ts';

const PIECES = ['abc', 'é', ' ', '. ', 'Mr. X', '\n', '中文', '!', '😀', "don't", '3.14', 'ก็', ''];

test('boundaries around an offset equal those of the whole text', () => {
  forSeeds(100, (rng) => {
    const text = Array.from({ length: rng.int(1, 20) }, () => rng.pick(PIECES)).join('');
    for (const granularity of ['sentence', 'word'] as const) {
      const all = [...new Intl.Segmenter('en', { granularity }).segment(text)].map(({ index }) => index);
      all.push(text.length);
      const bounds = new Boundaries(text, granularity, 'en');
      for (let offset = 0; offset <= text.length + 1; offset++) {
        expect(bounds.preceding(offset)).toBe(all.findLast((bound) => bound < offset) ?? 0);
        expect(bounds.following(offset)).toBe(all.find((bound) => bound > offset) ?? null);
      }
    }
  });
});
