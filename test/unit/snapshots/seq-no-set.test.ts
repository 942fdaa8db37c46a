// Sets of sequence numbers: encoding round trips, and membership agrees with a plain set.
import { expect, test } from 'vitest';
import { ascendingTest, SeqNoSetBuilder, seqNoRuns } from '../../../src/snapshots/seq-no-set.ts';
import { Rng } from '../../support/rng.ts';

test('random sets are read back, and ascending tests agree with them', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const rng = new Rng(seed);
    const numbers = new Set<number>();
    const first = rng.bool(0.2) ? 2 ** 47 : rng.int(0, 300);
    for (let i = 0, at = first; i < rng.int(0, 400); i++) numbers.add((at += rng.bool(0.7) ? 1 : rng.int(1, 100_000)));
    const builder = new SeqNoSetBuilder();
    for (const number of numbers) builder.add(number);
    expect(builder.count).toBe(numbers.size);
    const encoded = builder.encode();
    const back: number[] = [];
    for (const [start, end] of seqNoRuns(encoded)) for (let number = start; number < end; number++) back.push(number);
    expect(back, `seed ${seed}`).toEqual([...numbers]);
    const isIn = ascendingTest(encoded);
    for (let number = first, i = 0; i < 500; i++, number += rng.int(1, 50)) expect(isIn(number), `seed ${seed}`).toBe(numbers.has(number));
  }
});

test('a run is a few bytes, however long', () => {
  const builder = new SeqNoSetBuilder();
  for (let number = 0; number < 100_000; number++) builder.add(number);
  expect(builder.encode().length).toBeLessThan(10);
});

test('a truncated set is refused', () => {
  expect(() => [...seqNoRuns(Buffer.from([200]).toString('base64'))]).toThrow(RangeError);
});

test('no set contains everything', () => {
  expect(ascendingTest(null)(42)).toBe(true);
});
