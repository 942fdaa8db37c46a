// The functions of MovingFunctions (moving_fn) and the models of moving_avg over a window of values, oldest first.
import { present } from '../../common/present.ts';

type Window = readonly number[];

const withoutGaps = (values: Window) => values.filter((value) => !Number.isNaN(value));

const FUNCTIONS: Readonly<Record<string, (values: Window, args: readonly number[]) => number>> = {
  max: (values) => (withoutGaps(values).length > 0 ? Math.max(...withoutGaps(values)) : Number.NaN),
  min: (values) => (withoutGaps(values).length > 0 ? Math.min(...withoutGaps(values)) : Number.NaN),
  sum: (values) => withoutGaps(values).reduce((a, b) => a + b, 0),
  unweightedAvg: (values) => mean(withoutGaps(values)),
  stdDev: (values, [avg]) => {
    const list = withoutGaps(values);
    return list.length === 0 ? Number.NaN : Math.sqrt(list.reduce((sum, value) => sum + (value - avg) ** 2, 0) / list.length);
  },
  linearWeightedAvg: (values) => linear(withoutGaps(values)),
  ewma: (values, [alpha]) => exponential(withoutGaps(values), alpha),
  holt: (values, [alpha, beta]) => holt(withoutGaps(values), alpha, beta),
};
const ARGUMENTS: Readonly<Record<string, number>> = { stdDev: 1, ewma: 1, holt: 2 };

function mean(values: Window): number {
  return values.length === 0 ? Number.NaN : values.reduce((a, b) => a + b, 0) / values.length;
}

function linear(values: Window): number {
  if (values.length === 0) return Number.NaN;
  let sum = 0;
  let weights = 1;
  values.forEach((value, i) => {
    sum += value * (i + 1);
    weights += i + 1;
  });
  return sum / weights;
}

function exponential(values: Window, alpha: number): number {
  return values.length === 0 ? Number.NaN : values.reduce((average, value) => value * alpha + average * (1 - alpha));
}

function holt(values: Window, alpha: number, beta: number): number {
  if (values.length === 0) return Number.NaN;
  let level = values[0];
  let trend = 0;
  for (const value of values.slice(1)) {
    const before = level;
    level = alpha * value + (1 - alpha) * (level + trend);
    trend = beta * (level - before) + (1 - beta) * trend;
  }
  return level;
}

/** Parses `MovingFunctions.name(values, args...)`, whose arguments are numbers or such calls; null for any other script. */
export function parseMovingFunction(script: string): ((values: Window) => number) | null {
  const text = script
    .trim()
    .replace(/;$/, '')
    .replace(/^return\s+/, '');
  const match = /^MovingFunctions\.(\w+)\(\s*values\s*(?:,(.*))?\)$/s.exec(text);
  if (!match || !Object.hasOwn(FUNCTIONS, match[1])) return null;
  const run = FUNCTIONS[match[1]];
  const args = (match[2] === undefined ? [] : splitArguments(match[2])).map((arg) => {
    if (/^-?\d+(\.\d+)?$/.test(arg)) return () => Number(arg);
    return parseMovingFunction(arg);
  });
  if (args.length !== (ARGUMENTS[match[1]] ?? 0) || args.some((arg) => arg === null)) return null;
  return (values) =>
    run(
      values,
      args.map((arg) => present(arg)(values)),
    );
}

/** Splits at commas outside parentheses. */
function splitArguments(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const c of text) {
    if (c === '(') depth++;
    if (c === ')') depth--;
    if (c === ',' && depth === 0) {
      parts.push(part.trim());
      part = '';
    } else part += c;
  }
  return [...parts, part.trim()];
}

/** Models of moving_avg; null if unknown. */
export function predictorOf(model: string, settings: Readonly<Record<string, unknown>>): ((values: Window) => number) | null {
  const alpha = Number(settings.alpha ?? 0.3);
  const beta = Number(settings.beta ?? 0.1);
  if (model === 'simple') return mean;
  if (model === 'linear') return linear;
  if (model === 'ewma') return (values) => exponential(values, alpha);
  if (model === 'holt') return (values) => holt(values, alpha, beta);
  return null;
}
