// bucket_count_ks_test: whether the documents of a bucket are spread over the buckets below it as all documents are (Kolmogorov-Smirnov).
import { illegalArgumentError } from '../errors.ts';
import { kolmogorovTail, oneSidedTail } from '../metrics/kolmogorov.ts';
import type { Params } from '../params.ts';

const ALTERNATIVES = ['less', 'greater', 'two_sided'] as const;
type Alternative = (typeof ALTERNATIVES)[number];
const SAMPLING = ['upper_tail', 'uniform', 'lower_tail'];

/** Reads the parameters. @returns the probability by alternative, for the counts of the buckets @throws ApiError illegal_argument_exception */
export function parseCountTest(p: Params): (counts: readonly number[]) => Partial<Record<Alternative, number>> {
  const given = p.list('alternative')?.map(String) ?? ALTERNATIVES;
  const wrong = given.find((name) => !(ALTERNATIVES as readonly string[]).includes(name));
  if (wrong !== undefined || given.length === 0)
    throw illegalArgumentError(`unknown alternative [${wrong ?? ''}]; expected one of [${ALTERNATIVES.join(', ')}]`);
  const fractions = p.numbers('fractions');
  if (fractions !== null && (fractions.length < 2 || fractions.some((value) => value < 0) || !(total(fractions) > 0)))
    throw illegalArgumentError('[fractions] must have at least [2] values, none of them negative and one of them positive');
  const sampling = p.string('sampling_method') ?? 'upper_tail';
  if (!SAMPLING.includes(sampling))
    throw illegalArgumentError(`Unknown sampling_method [${sampling}]; expected one of [${SAMPLING.join(', ')}]`);
  return (counts) => {
    const expected = fractions ?? counts.map(() => 1);
    if (expected.length !== counts.length)
      throw illegalArgumentError(`number of [fractions] [${expected.length}] differs from the number of buckets [${counts.length}]`);
    const { above, below } = distances(counts, expected, sampling);
    const size = total(counts);
    const tails: Record<Alternative, () => number> = {
      less: () => oneSidedTail(below, size),
      greater: () => oneSidedTail(above, size),
      two_sided: () => kolmogorovTail(Math.max(above, below), size),
    };
    return Object.fromEntries(ALTERNATIVES.filter((name) => given.includes(name)).map((name) => [name, size === 0 ? 1 : tails[name]()]));
  };
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/**
 * The largest distances of the cumulative share of documents above and below the expected one.
 * @param sampling  where they are compared: at the buckets of the upper half of the expectation, of the lower half, or at all of them
 */
function distances(counts: readonly number[], expected: readonly number[], sampling: string): { above: number; below: number } {
  const [all, whole] = [total(counts) || 1, total(expected)];
  let [share, reference, above, below] = [0, 0, 0, 0];
  counts.forEach((count, i) => {
    share += count / all;
    reference += expected[i] / whole;
    if ((sampling === 'upper_tail' && reference < 0.5) || (sampling === 'lower_tail' && reference > 0.5)) return;
    above = Math.max(above, share - reference);
    below = Math.max(below, reference - share);
  });
  return { above, below };
}
