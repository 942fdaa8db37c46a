// The functions of MovingFunctions (moving_fn), on which the models of moving_avg are built, over a window of values, oldest first.
// Source: MovingFunctions of Elasticsearch 7.10 (Apache License 2.0), written anew.
import { illegalArgumentError } from '../errors.ts';

/** Values of a window; NaN for gaps. */
export type Window = ArrayLike<number>;

function withoutGaps(values: Window): number[] {
  return Array.from(values).filter((value) => !Number.isNaN(value));
}

export function highest(values: Window): number {
  return withoutGaps(values).reduce((a, b) => (Number.isNaN(a) ? b : Math.max(a, b)), Number.NaN);
}

export function lowest(values: Window): number {
  return withoutGaps(values).reduce((a, b) => (Number.isNaN(a) ? b : Math.min(a, b)), Number.NaN);
}

export function sum(values: Window): number {
  return withoutGaps(values).reduce((a, b) => a + b, 0);
}

export function mean(values: Window): number {
  const list = withoutGaps(values);
  return list.length === 0 ? Number.NaN : sum(list) / list.length;
}

export function deviation(values: Window, average: number): number {
  if (Number.isNaN(average)) return Number.NaN;
  const list = withoutGaps(values);
  return list.length === 0 ? Number.NaN : Math.sqrt(list.reduce((total, value) => total + (value - average) ** 2, 0) / list.length);
}

export function linearMean(values: Window): number {
  const list = withoutGaps(values);
  let total = 0;
  let weights = 1;
  list.forEach((value, i) => {
    total += value * (i + 1);
    weights += i + 1;
  });
  return list.length === 0 ? Number.NaN : total / weights;
}

export function exponentialMean(values: Window, alpha: number): number {
  const list = withoutGaps(values);
  return list.length === 0 ? Number.NaN : list.reduce((average, value) => value * alpha + average * (1 - alpha));
}

export function holt(values: Window, alpha: number, beta: number): number {
  const list = withoutGaps(values);
  if (list.length === 0) return Number.NaN;
  let level = list[0];
  let trend = 0;
  for (const value of list.slice(1)) {
    const before = level;
    level = alpha * value + (1 - alpha) * (level + trend);
    trend = beta * (level - before) + (1 - beta) * trend;
  }
  return level;
}

/** Added to the values of a multiplicative season, in which zeros would be divided by. */
const PADDING = 1e-10;

export interface Season {
  readonly alpha: number;
  readonly beta: number;
  readonly gamma: number;
  /** Values of a season. */
  readonly period: number;
  readonly isMultiplicative: boolean;
  readonly padding?: number;
}

/** The next value by triple exponential smoothing. @throws ApiError illegal_argument_exception: less than two seasons of values */
export function holtWinters(values: Window, season: Season): number {
  const { alpha, beta, gamma, period, isMultiplicative } = season;
  const length = values.length;
  if (length === 0) return Number.NaN;
  const needed = period * 2;
  if (period < 1 || length < needed)
    throw illegalArgumentError(
      `Holt-Winters aggregation requires at least (2 * period == 2 * ${period} == ${needed}) data-points to function.  Only [${length}] were provided.`,
    );
  const padding = isMultiplicative ? (season.padding ?? PADDING) : 0;
  const list = new Float64Array(length);
  const found = withoutGaps(values);
  if (found.length === 0) return Number.NaN;
  found.forEach((value, i) => {
    list[i] = value + padding;
  });
  let level = 0;
  let trend = 0;
  for (let i = 0; i < period; i++) {
    level += list[i];
    trend += (list[i + period] - list[i]) / period;
  }
  level /= period;
  trend /= period;
  let [lastLevel, lastTrend] = [level, 0];
  const seasonal = new Float64Array(length);
  if (level !== 0) for (let i = 0; i < period; i++) seasonal[i] = list[i] / level;
  for (let i = period; i < length; i++) {
    const before = seasonal[i - period];
    level = alpha * (isMultiplicative ? list[i] / before : list[i] - before) + (1 - alpha) * (lastLevel + lastTrend);
    trend = beta * (level - lastLevel) + (1 - beta) * lastTrend;
    const now = isMultiplicative ? list[i] / (lastLevel + lastTrend) : list[i] - (lastLevel - lastTrend);
    seasonal[i] = gamma * now + (1 - gamma) * before;
    [lastLevel, lastTrend] = [level, trend];
  }
  const next = seasonal[length - period];
  return isMultiplicative ? (level + trend) * next : level + trend + next;
}
