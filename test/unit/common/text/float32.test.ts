import { expect, test } from 'vitest';
import { shortestFloat } from '../../../../src/common/text/float32.ts';
import { forSeeds } from '../../../support/rng.ts';

/** The least digits that read back as the float32: toPrecision is exact. */
function reference(value: number): number {
  for (let digits = 1; ; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
}

test('prints known scores', () => {
  for (const [text, shown] of [
    ['0.2876821', '0.2876821'],
    ['-17020.9375', '-17020.938'],
    ['0.1', '0.1'],
    ['0.001', '0.001'],
    ['9999999.5', '10000000'],
    ['1e-7', '1e-7'],
    ['16777216', '16777216'],
    ['1.7014126e38', '1.7014126e+38'],
  ])
    expect(String(shortestFloat(Math.fround(Number(text))))).toBe(shown);
});

test('prints as few digits as distinguish a float32 from its neighbours, within the fast range and outside', () =>
  forSeeds(2000, (rng) => {
    const size = Math.fround(rng.float() * 10 ** rng.int(-9, 12));
    const decimal = Math.fround(rng.int(1, 1 << 24) / 10 ** rng.int(0, 9));
    for (const value of [size, -size, decimal, Math.fround(10 ** rng.int(-6, 8) * (1 + rng.int(-2, 2) * 6e-8))])
      if (!Number.isInteger(value)) expect(shortestFloat(value)).toBe(reference(value));
  }));
