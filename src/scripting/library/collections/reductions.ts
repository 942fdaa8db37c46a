// Common parts of streams and collectors: extremes and reductions of items.
import { DOUBLE, INT, LONG, type Type } from '../../java/class-info.ts';
import type { Value } from '../../java/values.ts';
import type { Compare, Run } from './callbacks.ts';
import { type JavaOptional, type MakeOptional, none, some } from './optionals.ts';

export const PLAIN_TYPES: Readonly<Record<string, Type>> = { Int: INT, Long: LONG, Double: DOUBLE };

/** The greatest item by a comparator, the first of equal ones. */
export function extreme(items: readonly Value[], compare: Compare, sign: 1 | -1): Value {
  return items.reduce((best, item) => (compare(item, best) * sign > 0 ? item : best));
}

export function reduceAll(items: readonly Value[], run: Run, Kind: MakeOptional): JavaOptional {
  return items.length
    ? some(
        Kind,
        items.reduce((a, b) => run(a, b)),
      )
    : none(Kind);
}
