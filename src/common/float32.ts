// Shortest decimals of float32 values: scores are float32 and are shown with as many digits as tell them apart, as Java shows floats.

const COMMON_DIGITS = 8;
const MAX_DIGITS = 9;

/** The double whose shortest decimal is the shortest one of this float32. */
export function shortestFloat(value: number): number {
  if (Number.isInteger(value) || !Number.isFinite(value)) return value;
  // Most scores need eight digits: fewer are tried only when eight are enough.
  let best = Number(value.toPrecision(COMMON_DIGITS));
  if (Math.fround(best) !== value) return Number(value.toPrecision(MAX_DIGITS));
  for (let digits = COMMON_DIGITS - 1; digits > 0; digits--) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) !== value) break;
    best = shorter;
  }
  return best;
}
