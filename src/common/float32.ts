// Shortest decimals of float32 values: scores are float32 and are shown with as many digits as tell them apart, as Java shows floats.

const MIN_DIGITS = 6;
const MAX_DIGITS = 9;

/** The double whose shortest decimal is the shortest one of this float32. */
export function shortestFloat(value: number): number {
  if (Number.isInteger(value) || !Number.isFinite(value)) return value;
  for (let digits = MIN_DIGITS; digits < MAX_DIGITS; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(MAX_DIGITS));
}
