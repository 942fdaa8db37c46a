// Student's t-distribution and Fisher's F-distribution. Source: the incomplete beta function as a continued fraction (W. Press et al., Numerical Recipes, 6.4; Lentz's method)
// and Lanczos' approximation of the gamma function (g = 7, n = 9).

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
]; // prettier-ignore

function logGamma(x: number): number {
  const t = x + LANCZOS.length - 2.5;
  let sum = LANCZOS[0];
  for (let i = 1; i < LANCZOS.length; i++) sum += LANCZOS[i] / (x - 1 + i);
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

const STEPS = 10_000;
const PRECISION = 1e-16;
const TINY = 1e-300;

function continuedFraction(a: number, b: number, x: number): number {
  const away = (value: number) => (Math.abs(value) < TINY ? TINY : value);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m <= STEPS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    result *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    result *= d * c;
    if (Math.abs(d * c - 1) < PRECISION) break;
  }
  return result;
}

/** The regularized incomplete beta function. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x));
  if (x < (a + 1) / (a + b + 2)) return (front * continuedFraction(a, b, x)) / a;
  return 1 - (front * continuedFraction(b, a, 1 - x)) / b;
}

/** Probability of a value at least as far from 0 as `t`, in both directions. */
export function twoTailed(t: number, degreesOfFreedom: number): number {
  return incompleteBeta(degreesOfFreedom / (degreesOfFreedom + t * t), degreesOfFreedom / 2, 0.5);
}

/** Probability of a ratio of variances of at least `ratio`. */
export function upperTailOfF(ratio: number, numeratorFreedom: number, denominatorFreedom: number): number {
  if (ratio <= 0) return 1;
  return incompleteBeta(denominatorFreedom / (denominatorFreedom + numeratorFreedom * ratio), denominatorFreedom / 2, numeratorFreedom / 2);
}
