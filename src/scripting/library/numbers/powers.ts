// Powers with whole exponents, correctly rounded: the engine's own are one unit off for one in five powers of ten. They are computed as unevaluated sums
// of two doubles (T. J. Dekker, A floating-point technique for extending the available precision, 1971).

type Pair = readonly [high: number, low: number];

const SPLIT = 2 ** 27 + 1;

function product(a: number, b: number): Pair {
  const high = a * b;
  const [p, q] = [a * SPLIT, b * SPLIT];
  const [aHigh, bHigh] = [p - (p - a), q - (q - b)];
  const [aLow, bLow] = [a - aHigh, b - bHigh];
  return [high, aLow * bLow - (high - aHigh * bHigh - aLow * bHigh - aHigh * bLow)];
}

function times([a, aLow]: Pair, [b, bLow]: Pair): Pair {
  const [high, low] = product(a, b);
  const rest = low + (a * bLow + aLow * b);
  const sum = high + rest;
  return [sum, rest - (sum - high)];
}

function inverse([value, low]: Pair): number {
  const guess = 1 / value;
  const [high, rest] = product(guess, value);
  return guess + guess * (1 - high - rest - guess * low);
}

/** Results within which no intermediate value overflows or loses digits. */
const [LEAST, MOST] = [1e-270, 1e270];
const MOST_STEPS = 2048;

/** Math.pow of Java. */
export function power(base: number, exponent: number): number {
  if (Math.abs(base) === 1 && Math.abs(exponent) === Number.POSITIVE_INFINITY) return Number.NaN;
  const near = base ** exponent;
  const size = Math.abs(near);
  if (!Number.isInteger(exponent) || !(size > LEAST && size < MOST) || Math.abs(exponent) > MOST_STEPS || base === 0) return near;
  let result: Pair = [1, 0];
  let square: Pair = [base, 0];
  for (let left = Math.abs(exponent); ; square = times(square, square)) {
    if (left % 2 === 1) result = times(result, square);
    left = Math.floor(left / 2);
    if (left === 0) break;
  }
  return exponent < 0 ? inverse(result) : result[0] + result[1];
}
