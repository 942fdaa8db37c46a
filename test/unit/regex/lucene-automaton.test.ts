import { describe, expect, test } from 'vitest';
import { REGEXP_ALL } from '../../../src/common/text/regexp-flags.ts';
import { regexpMatcher } from '../../../src/regex/lucene-automaton.ts';
import { forSeeds, type Rng } from '../../support/rng.ts';

const utf8 = new TextEncoder();
const DEFAULT_STATES = 10_000;
const UNLIMITED = 2 ** 31 - 1;

function matcher(pattern: string, states = DEFAULT_STATES): (term: string) => boolean {
  const { matches } = regexpMatcher(pattern, REGEXP_ALL, false, states);
  return (term) => matches(utf8.encode(term));
}

/** An expression whose syntax means the same to Lucene and to JavaScript. */
function expression(rng: Rng, depth: number): string {
  if (depth === 0) return rng.pick(['a', 'b', 'é', '.', '[ab]', '[^a]', '[a-é]']);
  const inner = (): string => expression(rng, depth - 1);
  return rng.pick([
    () => `${inner()}${inner()}`,
    () => `(${inner()}|${inner()})`,
    () => `(${inner()})*`,
    () => `(${inner()})?`,
    () => `(${inner()}){1,3}`,
    inner,
  ])();
}

test('accepts the terms that JavaScript accepts', () =>
  forSeeds(300, (rng) => {
    const pattern = expression(rng, rng.int(1, 4));
    const own = matcher(pattern, UNLIMITED);
    const other = new RegExp(`^(?:${pattern})$`, 'su');
    for (let i = 0; i < 20; i++) {
      const term = Array.from({ length: rng.int(0, 6) }, () => rng.pick(['a', 'b', 'c', 'é', '😀'])).join('');
      expect(own(term), `${pattern} on ${term}`).toBe(other.test(term));
    }
  }));

describe('the effort of an expression is limited', () => {
  const term = 'abcdefgh'.repeat(7);

  test.each(['(k|[a-z0-9]{0,60}){0,300}', '(a?){0,1000}b', '((a?){0,1000}){0,1000}', '((([a-z]{0,90}){0,90}){0,90}){0,90}'])(
    '%s is refused',
    (pattern) => {
      for (const states of [DEFAULT_STATES, UNLIMITED]) {
        expect(() => matcher(pattern, states)(term)).toThrow(
          expect.objectContaining({
            type: 'too_complex_to_determinize_exception',
            status: 400,
            message: `Determinizing ${pattern} would require more than ${states} effort.`,
          }),
        );
      }
    },
  );

  test('an expression that was refused for one term is refused for the next', () => {
    const matches = matcher('(k|[a-z0-9]{0,60}){0,300}');
    for (let i = 0; i < 3; i++) expect(() => matches(term)).toThrow('effort');
  });

  test.each(['.*a.{0,40}b.*', '.{0,1000}', '[a-z]{1,900}', '~(.*a.{0,40}b.*)&.{5,90}', '<1-99999999>.*'])('%s is not', (pattern) => {
    expect(() => matcher(pattern)(term)).not.toThrow();
  });
});
