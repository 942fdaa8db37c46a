// Any affix and dictionary files: read or refused as an ApiError, and any word is stemmed in bounded work.
import { expect, test } from 'vitest';
import { HunspellDictionary } from '../../src/analysis/hunspell/dictionary.ts';
import { HunspellStemmer } from '../../src/analysis/hunspell/stemmer.ts';
import { ApiError } from '../../src/errors/api-error.ts';
import { forSeeds, type Rng } from '../support/rng.ts';

const COMMANDS = [
  'SET UTF-8',
  'FLAG num',
  'FLAG long',
  'AF 2',
  'AF AB',
  'AM 1',
  'NEEDAFFIX A',
  'CIRCUMFIX B',
  'FULLSTRIP',
  'COMPLEXPREFIXES',
];
const MORE_COMMANDS = ['CHECKSHARPS', 'IGNORE a', 'ICONV 1', 'ICONV a b', 'OCONV 1', 'OCONV b ', 'LANG tr', 'ONLYINCOMPOUND C', '', '#'];
const PARTS = [
  'a',
  'b',
  'ss',
  'ß',
  'İ',
  '0',
  '/',
  '/A',
  '/1,2',
  '[',
  ']',
  '[^a]',
  '.',
  '-',
  '\\',
  '\t',
  ' ',
  'st:x',
  '\ud83d',
  '\u0000',
  '999999999999',
];

function text(rng: Rng, most: number): string {
  return Array.from({ length: rng.int(0, most) }, () => rng.pick(PARTS)).join('');
}

function affixLines(rng: Rng): string[] {
  return Array.from({ length: rng.int(0, 12) }, () => {
    if (rng.int(0, 2) === 0) return rng.pick([...COMMANDS, ...MORE_COMMANDS]);
    const name = `${rng.pick(['PFX', 'SFX'])} ${rng.pick(['A', 'B', '1', 'AB'])}`;
    if (rng.int(0, 3) === 0) return `${name} ${text(rng, 3)} ${text(rng, 3)}`;
    const count = rng.int(0, 3);
    const rules = Array.from(
      { length: count },
      () => `${name} ${rng.pick(['0', 'a', 'ss'])} ${rng.pick(['0', 'a', 'b/AB', 'ss/1'])} ${text(rng, 2)}`,
    );
    return [`${name} Y ${rng.int(0, 20) ? count : 1e9}`, ...rules].join('\n');
  });
}

test('reads or refuses random files, and stems any words', () =>
  forSeeds(300, (rng) => {
    const affix = affixLines(rng).join('\n');
    const dictionary = ['1', ...Array.from({ length: rng.int(0, 20) }, () => text(rng, 5))].join('\n');
    const encoder = new TextEncoder();
    const asBytes = rng.int(0, 1) === 0;
    try {
      const made = HunspellDictionary.read({
        affix: asBytes ? encoder.encode(affix) : affix,
        dictionaries: [asBytes ? encoder.encode(dictionary) : dictionary],
        ignoreCase: rng.int(0, 3) === 0,
      });
      const stemmer = new HunspellStemmer(made);
      for (let i = 0; i < 20; i++) for (const stem of stemmer.stem(text(rng, 8))) expect(typeof stem).toBe('string');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }));

test('limits the work of rules that match endlessly', () => {
  const rules = Array.from({ length: 60 }, () => 'PFX A 0 0/A .\nPFX A 0 a/A .').join('\n');
  const affix = `COMPLEXPREFIXES\nFULLSTRIP\nPFX A Y 120\n${rules}`;
  const stemmer = new HunspellStemmer(HunspellDictionary.read({ affix, dictionaries: ['1\nb/A'] }));
  expect(stemmer.stem(`${'a'.repeat(200)}b`).length).toBeLessThanOrEqual(200_000);
});
