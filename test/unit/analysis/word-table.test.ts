// Lookups in the packed words of a Hunspell dictionary return the same as in a map.
import { expect, test } from 'vitest';
import { type Entry, WordTable } from '../../../src/analysis/hunspell/word-table.ts';
import { forSeeds } from '../../support/rng.ts';

test('returns the entries of words, and none for unknown words', () =>
  forSeeds(50, (rng) => {
    const word = (): string => Array.from({ length: rng.int(0, 5) }, () => rng.pick(['a', 'b', 'é', '\ud83d', '😀', '\0'])).join('');
    const entry = (): Entry => ({ flags: rng.pick(['', 'A', 'AB']), stem: rng.pick([null, '', 'x', 'y']) });
    const map = new Map(Array.from({ length: rng.pick([0, 1, 30, 400]) }, () => [word(), Array.from({ length: rng.int(1, 3) }, entry)]));
    const table = new WordTable([...map.keys()], (key) => map.get(key)!);
    for (const key of [...map.keys(), ...Array.from({ length: 200 }, word)]) expect(table.lookup(key)).toEqual(map.get(key) ?? []);
  }));
