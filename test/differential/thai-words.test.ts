// Words in runs of Thai letters beside the host's: dictionary words, pieces of them, signs and letters at random.
import { expect, test } from 'vitest';
import { thaiDictionary } from '../../src/analysis/generated/thai-dictionary.ts';
import { addThaiWords } from '../../src/analysis/tokenizers/thai-words.ts';
import { thaiWords } from '../reference/thai-words.ts';
import { forSeeds, type Rng } from '../support/rng.ts';

const LETTERS = Array.from({ length: 0x4e }, (_, i) => String.fromCharCode(0x0e01 + i)).filter((c) => c < '\u0e3b' || c > '\u0e3f');
/** Starts and ends of words: what the front-coded list spells out. */
const PIECES = thaiDictionary().split(/[A-Z]/).filter(Boolean);

function run(rng: Rng): string {
  const share = rng.pick([0, 0.5, 0.9, 1]);
  let text = '';
  for (let i = rng.int(1, 12); i > 0; i--) {
    if (rng.bool(share)) text += rng.pick(PIECES);
    else text += rng.pick(['ๆ', 'ฯ', ...LETTERS.slice(rng.int(0, 60))]);
  }
  return text;
}

test('runs are cut as ICU cuts them', () => {
  forSeeds(400, (rng) => {
    for (let i = 0; i < 10; i++) {
      const text = run(rng);
      const found: number[] = [];
      addThaiWords(` ${text}`, 1, text.length + 1, found);
      expect(
        found.map((at) => at - 1),
        text,
      ).toEqual(thaiWords(text));
    }
  });
});

test('the rules of leftovers, signs and short runs', () => {
  const words = (text: string): string[] => {
    const found: number[] = [];
    addThaiWords(text, 0, text.length, found);
    return found.flatMap((start, i) => (i % 2 ? [] : [text.slice(start, found[i + 1])]));
  };
  expect(words('การทดลอง')).toEqual(['การ', 'ทดลอง']);
  expect(words('มาตากลม')).toEqual(thaiSegments('มาตากลม'));
  expect(words('กขคง')).toEqual(['กขคง']);
  expect(words('ต่างๆนานา')).toEqual(thaiSegments('ต่างๆนานา'));
  expect(words('\u0e34\u0e34กา')).toEqual(['กา']);
  expect(words('\u0e34')).toEqual([]);
  expect(words('')).toEqual([]);
  // Longer than the first buffer, and nothing of one run stays for the next.
  expect(words('การ'.repeat(1000))).toHaveLength(1000);
  expect(words('กากา')).toEqual(['กากา']);
});

function thaiSegments(text: string): string[] {
  const bounds = thaiWords(text);
  return bounds.flatMap((start, i) => (i % 2 ? [] : [text.slice(start, bounds[i + 1])]));
}
