// Compares the times of two runs. They alternate, so that other load on the machine slows both, until the ratio of their times is precise
// enough or a limit is reached. The ratio is that of paired runs: the trimmed mean of ln(b / a), whose confidence interval follows from the
// winsorized variance. Outliers, of which a machine with other work has many, move neither.
// Source: Yuen, "The two-sample trimmed t for unequal population variances" (1974), for one sample of differences; Tukey, McLaughlin (1963).

/** Limits of a comparison. */
export interface PairLimits {
  /** Half the width of the interval, as a share of the ratio, at which to stop. */
  readonly precision: number;
  readonly maxMs: number;
  readonly maxRounds: number;
}

/** Time of b divided by that of a, and its 95 % confidence interval. */
export interface Ratio {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

export interface PairedTimes {
  readonly rounds: number;
  /** Null if there were too few rounds for an interval. */
  readonly ratio: Ratio | null;
  readonly stoppedBy: 'precision' | 'time' | 'rounds';
  /** Milliseconds of each run, in order. */
  readonly aMs: readonly number[];
  readonly bMs: readonly number[];
}

/** Reads a clock in milliseconds. */
export type Clock = () => number;

/** Fewer rounds give no interval: two or three equal times would suggest false precision. */
const MIN_ROUNDS = 20;
/** Share of the differences that is cut off at each end. */
const TRIM = 0.1;
/** 97.5th percentile of the normal distribution. */
const Z = 1.96;

/**
 * Runs a and b in turns; the order within a round alternates, too.
 * @param pause  awaited before each round, to let other work run; may throw
 */
export async function runInPairs(
  a: () => Promise<unknown>,
  b: () => Promise<unknown>,
  limits: PairLimits,
  pause: () => Promise<void> | void = () => {},
  clock: Clock = () => performance.now(),
): Promise<PairedTimes> {
  const aMs: number[] = [];
  const bMs: number[] = [];
  const end = clock() + limits.maxMs;
  const timed = async (run: () => Promise<unknown>, into: number[]): Promise<void> => {
    const started = clock();
    await run();
    into.push(clock() - started);
  };
  let nextCheck = MIN_ROUNDS;
  const done = (stoppedBy: PairedTimes['stoppedBy']): PairedTimes => ({
    rounds: aMs.length,
    ratio: ratioOf(aMs, bMs),
    stoppedBy,
    aMs,
    bMs,
  });
  for (let round = 0; ; round++) {
    if (round >= limits.maxRounds) return done('rounds');
    if (round > 0 && clock() >= end) return done('time');
    if (round === nextCheck) {
      const ratio = ratioOf(aMs, bMs);
      if (ratio && (ratio.high - ratio.low) / 2 <= limits.precision * ratio.ratio) return done('precision');
      nextCheck = Math.ceil(round * 1.2);
    }
    await pause();
    if (round % 2 === 0) {
      await timed(a, aMs);
      await timed(b, bMs);
    } else {
      await timed(b, bMs);
      await timed(a, aMs);
    }
  }
}

/** @param aMs, bMs  parallel; null for fewer than MIN_ROUNDS pairs */
export function ratioOf(aMs: readonly number[], bMs: readonly number[]): Ratio | null {
  const n = aMs.length;
  if (n < MIN_ROUNDS) return null;
  // A clock that is too coarse may show no time at all.
  const logs = aMs.map((ms, i) => Math.log(Math.max(bMs[i], 1e-6) / Math.max(ms, 1e-6))).sort((x, y) => x - y);
  const cut = Math.floor(n * TRIM);
  const kept = logs.slice(cut, n - cut);
  const mean = kept.reduce((sum, log) => sum + log, 0) / kept.length;
  const winsorized = logs.map((log) => Math.min(Math.max(log, logs[cut]), logs[n - 1 - cut]));
  const center = winsorized.reduce((sum, log) => sum + log, 0) / n;
  const variance = winsorized.reduce((sum, log) => sum + (log - center) ** 2, 0) / (n - 1);
  const error = (Z * Math.sqrt(variance)) / ((1 - 2 * TRIM) * Math.sqrt(n));
  return { ratio: Math.exp(mean), low: Math.exp(mean - error), high: Math.exp(mean + error) };
}

/** The middle value; the mean of the two middle ones. NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((x, y) => x - y);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}
