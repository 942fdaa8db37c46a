// Finds how a series of values changes: a spike or dip, a step, another trend, another distribution, a lasting trend, or nothing.
// Models of the series are compared by their Bayesian information criterion: a mean, a line, two means, two lines. The best one must also improve
// on the simpler one significantly (F-test, corrected for the number of places tried). Outliers are measured by the median of absolute deviations,
// other distributions by the test of Kolmogorov and Smirnov. Types are those of Elasticsearch's reference; its p-values come from other tests.
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { kolmogorovTail } from '../metrics/kolmogorov.ts';
import { upperTailOfF } from '../metrics/student-t.ts';

/** Fewer values are not analysed. */
export const MIN_VALUES = 22;
/** Limits the time, which grows with positions times values. */
export const MAX_VALUES = 10_000;
/** Minimum number of values on either side of a change. */
const MIN_SIDE = 10;
const SIGNIFICANT = 0.01;
/** A spike must be much rarer than chance, since the median is a rough measure of spread. */
const SPIKE_SIGNIFICANT = 1e-4;

export interface Change {
  readonly type: string;
  /** Members of the type in a response, `change_point` aside. */
  readonly figures: MutableJsonObject;
  /** Place of the change; null if there is none. */
  readonly at: number | null;
}

/** A fit of a model: the sum of squared residuals and, for two parts, where the second begins. */
interface Fit {
  readonly squares: number;
  readonly at: number;
}

/** Sums over a prefix of the values; differences of them fit a line to any part in constant time. */
class Prefix {
  readonly #sums: readonly Float64Array[];

  constructor(values: readonly number[]) {
    const n = values.length;
    const [y, yy, xy] = [new Float64Array(n + 1), new Float64Array(n + 1), new Float64Array(n + 1)];
    // Subtracted, because differences of large values would lose digits.
    const base = values.reduce((sum, value) => sum + value, 0) / n;
    values.forEach((raw, i) => {
      const value = raw - base;
      y[i + 1] = y[i] + value;
      yy[i + 1] = yy[i] + value * value;
      xy[i + 1] = xy[i] + i * value;
    });
    this.#sums = [y, yy, xy];
  }

  /** Squared residuals of values `from` to `to` (exclusive) around their mean. */
  mean(from: number, to: number): number {
    const [y, yy] = this.#sums;
    const sum = y[to] - y[from];
    return Math.max(0, yy[to] - yy[from] - (sum * sum) / (to - from));
  }

  /** The covariance of values with their positions and the variance of positions, each as a sum. */
  #slopeParts(from: number, to: number): { xy: number; xx: number } {
    const [y, , xy] = this.#sums;
    const n = to - from;
    const middle = (from + to - 1) / 2;
    return { xy: xy[to] - xy[from] - middle * (y[to] - y[from]), xx: (n * (n * n - 1)) / 12 };
  }

  slope(from: number, to: number): number {
    const { xy, xx } = this.#slopeParts(from, to);
    return xy / xx;
  }

  /** Squared residuals around the line of best fit. */
  line(from: number, to: number): number {
    const { xy, xx } = this.#slopeParts(from, to);
    return Math.max(0, this.mean(from, to) - (xy * xy) / xx);
  }
}

function bestSplit(n: number, squaresAt: (at: number) => number): Fit {
  let best: Fit = { squares: Number.POSITIVE_INFINITY, at: MIN_SIDE };
  for (let at = MIN_SIDE; at <= n - MIN_SIDE; at++) {
    const squares = squaresAt(at);
    if (squares < best.squares) best = { squares, at };
  }
  return best;
}

/**
 * Probability that chance improves a fit as much. @param added number of additional parameters of the better model, of `params` in total
 */
function chance(simple: number, better: number, added: number, params: number, n: number): number {
  const rest = n - params;
  if (better <= 0) return simple <= 0 ? 1 : 0;
  return upperTailOfF((simple - better) / added / (better / rest), added, rest);
}

/** @param values  at least MIN_VALUES finite numbers */
export function findChange(values: readonly number[]): Change {
  const n = values.length;
  const outlier = findOutlier(values);
  // Excluding one extreme value keeps it from distorting the models of the rest.
  const kept = outlier === null ? values : values.map((value, i) => (i === outlier.at ? outlier.typical : value));
  const prefix = new Prefix(kept);
  const scale = Math.max(...kept.map(Math.abs), 1e-300);
  const noise = n * (scale * 1e-9) ** 2;
  const clean = (squares: number): number => (squares <= noise ? 0 : squares);
  const flat = clean(prefix.mean(0, n));
  const line = clean(prefix.line(0, n));
  const step = bestSplit(n, (at) => clean(prefix.mean(0, at) + prefix.mean(at, n)));
  const bend = bestSplit(n, (at) => clean(prefix.line(0, at) + prefix.line(at, n)));
  const places = n - 2 * MIN_SIDE + 1;
  const stepChance = Math.min(1, places * chance(flat, step.squares, 2, 3, n));
  const bendChance = Math.min(1, places * chance(line, bend.squares, 3, 5, n));
  const lineChance = chance(flat, line, 1, 2, n);
  const score = (squares: number, params: number): number => n * Math.log(Math.max(squares, noise, 1e-300) / n) + params * Math.log(n);
  const candidates = [
    { type: 'stationary', score: score(flat, 1), p: 1 },
    { type: 'non_stationary', score: score(line, 2), p: lineChance },
    { type: 'step_change', score: score(step.squares, 3), p: stepChance },
    { type: 'trend_change', score: score(bend.squares, 5), p: bendChance },
  ].filter(({ type, p }) => type === 'stationary' || p < SIGNIFICANT);
  const best = candidates.reduce((least, candidate) => (candidate.score < least.score ? candidate : least));
  if (best.type === 'step_change') return { type: 'step_change', figures: { p_value: stepChance }, at: step.at };
  if (best.type === 'trend_change') {
    const figures = { p_value: bendChance, r_value: explained(bend.squares, flat) };
    return { type: 'trend_change', figures, at: bend.at };
  }
  if (outlier !== null) return { type: outlier.type, figures: { p_value: outlier.p }, at: outlier.at };
  if (best.type === 'non_stationary') {
    const trend = prefix.slope(0, n) > 0 ? 'increasing' : 'decreasing';
    return { type: 'non_stationary', figures: { p_value: lineChance, r_value: explained(line, flat), trend }, at: null };
  }
  const distribution = findDistributionChange(values);
  if (distribution.p < SIGNIFICANT) return { type: 'distribution_change', figures: { p_value: distribution.p }, at: distribution.at };
  return { type: 'stationary', figures: {}, at: null };
}

/** Share of the variance that a model explains. */
function explained(squares: number, total: number): number {
  return total === 0 ? 0 : 1 - squares / total;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted?.((a, b) => a - b) ?? [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The most extreme value, if it is very unlikely in a normal distribution with the spread of the others. */
function findOutlier(values: readonly number[]): { type: 'spike' | 'dip'; at: number; p: number; typical: number } | null {
  // Deviations are from the neighbourhood, so that trends and steps are not outliers.
  const deviations = values.map((value, i) => value - median(values.slice(Math.max(0, i - 5), i + 6)));
  let at = 0;
  deviations.forEach((deviation, i) => {
    if (Math.abs(deviation) > Math.abs(deviations[at])) at = i;
  });
  const others = deviations.filter((_, i) => i !== at).map(Math.abs);
  // 1.4826 times this median is the deviation of normal values.
  const spread = Math.max(1.4826 * median(others), Math.max(...others) / 3);
  const deviation = deviations[at];
  if (deviation === 0) return null;
  const p = spread === 0 ? 0 : Math.min(1, values.length * normalTails(Math.abs(deviation) / spread));
  return p < SPIKE_SIGNIFICANT ? { type: deviation > 0 ? 'spike' : 'dip', at, p, typical: values[at] - deviation } : null;
}

/** Probability of a normal value at least `z` deviations from the mean. Source: Abramowitz and Stegun, 7.1.26, with the asymptotic tail. */
function normalTails(z: number): number {
  const x = z / Math.SQRT2;
  if (x > 3) return (Math.exp(-x * x) / (x * Math.sqrt(Math.PI))) * (1 - 1 / (2 * x * x) + 3 / (4 * x ** 4));
  const t = 1 / (1 + 0.3275911 * x);
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return series * Math.exp(-x * x);
}

/** Number of splits compared; more would not find other changes. */
const MAX_SPLITS = 100;

function findDistributionChange(values: readonly number[]): { p: number; at: number } {
  const n = values.length;
  const order = values.map((_, i) => i).sort((a, b) => values[a] - values[b]);
  const step = Math.max(1, Math.ceil((n - 2 * MIN_SIDE + 1) / MAX_SPLITS));
  let best = { p: 1, at: 0 };
  let tried = 0;
  for (let at = MIN_SIDE; at <= n - MIN_SIDE; at += step) {
    tried++;
    let [before, after, distance] = [0, 0, 0];
    order.forEach((i, rank) => {
      if (i < at) before++;
      else after++;
      // Equal values are one step of both distributions.
      if (rank + 1 < n && values[order[rank + 1]] === values[i]) return;
      distance = Math.max(distance, Math.abs(before / at - after / (n - at)));
    });
    const p = kolmogorovTail(distance, (at * (n - at)) / n);
    if (p < best.p) best = { p, at };
  }
  return { p: Math.min(1, best.p * tried), at: best.at };
}
