// Operations on lists whose length a request decides. Spreading such a list into the arguments of a call overflows the stack from about 100,000
// items on.

/** Appends all items. */
export function pushAll<T>(target: T[], items: Iterable<T>): void {
  for (const item of items) target.push(item);
}

/** The smallest value, Infinity without values, NaN if one is NaN. */
export function minOf(values: Iterable<number>): number {
  let min = Number.POSITIVE_INFINITY;
  for (const value of values) min = Math.min(min, value);
  return min;
}

/** The largest value, -Infinity without values, NaN if one is NaN. */
export function maxOf(values: Iterable<number>): number {
  let max = Number.NEGATIVE_INFINITY;
  for (const value of values) max = Math.max(max, value);
  return max;
}
