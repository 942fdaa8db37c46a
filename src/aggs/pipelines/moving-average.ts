// moving_fn, moving_avg and moving_percentiles: figures of the window of buckets before each bucket.
import type { JsonObject } from '../../common/json/json-value.ts';
import { javaDouble } from '../../common/text/java-text.ts';
import { checkTurn } from '../../common/turns/turn.ts';
import { WorkCounter } from '../../common/turns/work-counter.ts';
import { ApiError } from '../../errors/api-error.ts';
import { bodyError, illegalArgumentError, parsingError, unsupportedError } from '../errors.ts';
import { PercentilesOut } from '../metrics/percentiles.ts';
import { exponentialMean, holt, holtWinters, linearMean, mean, type Window } from './moving-functions.ts';
import { movingScript } from './moving-script.ts';
import { figureOf, type Parent, putFigure } from './parent-figures.ts';

export const movingFn: Parent = (p, body) => {
  const window = p.integer('window');
  const shift = p.integer('shift') ?? 0;
  const hasScript = p.has('script');
  if (window === null) throw illegalArgumentError('Required [window]');
  if (!hasScript) throw illegalArgumentError('Required [script]');
  const call = movingScript(p);
  if (window <= 0) throw bodyError('moving_fn', '[window] must be a positive, non-zero integer.');
  return {
    run(buckets) {
      const work = new WorkCounter();
      const values: number[] = [];
      const positions: number[] = [];
      // The window ends before the current bucket.
      buckets.forEach((bucket, i) => {
        const value = figureOf(bucket, body);
        if (!Number.isNaN(value)) {
          positions.push(i);
          values.push(value);
        }
      });
      positions.forEach((at, i) => {
        const from = clamp(i - window + shift, values.length);
        const to = clamp(i + shift, values.length);
        work.add(to - from);
        putFigure(buckets[at], body, 'simple_value', call(values.slice(from, to)));
      });
      return buckets;
    },
  };
};

/** Percentiles of the values of all buckets in the window. */
export const movingPercentiles: Parent = (p, body) => {
  const window = p.integer('window');
  const shift = p.integer('shift') ?? 0;
  if (window === null) throw illegalArgumentError('Required [window]');
  if (window <= 0) throw bodyError('moving_percentiles', '[window] must be a positive, non-zero integer.');
  return {
    run(buckets) {
      const all = buckets.map((bucket) => {
        const found = bucket.aggs.get(body.path);
        if (found instanceof PercentilesOut) return found;
        throw illegalArgumentError(
          `buckets_path [${body.path}] must reference a percentiles aggregation, got: [${found?.typedName ?? 'null'}]`,
        );
      });
      buckets.forEach((bucket, i) => {
        checkTurn();
        const inside = all.slice(clamp(i - window + shift, all.length), clamp(i + shift, all.length));
        if (inside.length > 0) bucket.aggs.set(body.name, PercentilesOut.union(body, inside));
      });
      return buckets;
    },
  };
};

function clamp(index: number, length: number): number {
  return Math.max(0, Math.min(index, length));
}

interface Model {
  next(values: Window): number;
  /** Whether this many values are enough. */
  hasEnough(count: number): boolean;
}

export const movingAvg: Parent = (p, body) => {
  const window = p.integer('window') ?? 5;
  if (window <= 0)
    throw parsingError(`[window] value must be a positive, non-zero integer.  Value supplied was [${window}] in [${body.name}].`);
  const name = p.string('model') ?? 'simple';
  const given = p.object('settings') ?? {};
  if ((p.integer('predict') ?? 0) !== 0) throw unsupportedError('[predict] of [moving_avg]');
  p.bool('minimize');
  const model = modelOf(name, given);
  if (name === 'holt_winters' && window < 2 * periodOf(given)) {
    const needed = 2 * periodOf(given);
    throw illegalArgumentError(
      `Field [window] must be at least twice as large as the period when using Holt-Winters.  Value provided was [${window}], which is less than (2*period) == ${needed}`,
    );
  }
  return {
    run(buckets) {
      const work = new WorkCounter();
      const values: number[] = [];
      for (const bucket of buckets) {
        const value = figureOf(bucket, body);
        if (Number.isNaN(value)) continue;
        const recent = values.slice(-window);
        work.add(recent.length);
        if (model.hasEnough(recent.length)) putFigure(bucket, body, 'simple_value', model.next(recent));
        values.push(value);
      }
      return buckets;
    },
  };
};

const PERIOD = 1;

function periodOf(settings: JsonObject): number {
  return typeof settings.period === 'number' ? settings.period : PERIOD;
}

/** @throws ApiError parsing_exception: an unknown model or setting, or a setting out of its bounds */
function modelOf(name: string, settings: JsonObject): Model {
  const left = new Set(Object.keys(settings));
  const refused = (reason: string): ApiError =>
    new ApiError('parsing_exception', 400, `Could not parse settings for model [${name}].`, {
      causedBy: new ApiError('parse_exception', 400, reason),
    });
  const share = (key: string, fallback: number): number => {
    left.delete(key);
    const value = settings[key] ?? fallback;
    if (typeof value !== 'number')
      throw refused(
        `Parameter [${key}] must be a double, type \`${typeof value === 'string' ? 'String' : typeof value}\` provided instead`,
      );
    if (value < 0 || value > 1)
      throw refused(`Parameter [${key}] must be between 0-1 inclusive.  Providedvalue was [${javaDouble(value)}]`);
    return value;
  };
  const done = (model: Model): Model => {
    if (left.size > 0) throw refused(`Unrecognized parameter(s): [[${[...left].join(', ')}]]`);
    return model;
  };
  const hasEnough = (count: number): boolean => count > 0;
  switch (name) {
    case 'simple':
      return done({ next: mean, hasEnough });
    case 'linear':
      return done({ next: linearMean, hasEnough });
    case 'ewma': {
      const alpha = share('alpha', 0.3);
      return done({ next: (values) => exponentialMean(values, alpha), hasEnough });
    }
    case 'holt': {
      const [alpha, beta] = [share('alpha', 0.3), share('beta', 0.1)];
      return done({ next: (values) => holt(values, alpha, beta), hasEnough });
    }
    case 'holt_winters': {
      const season = {
        alpha: share('alpha', 0.3),
        beta: share('beta', 0.1),
        gamma: share('gamma', 0.3),
        period: periodOf(settings),
        isMultiplicative: settings.type === 'mult',
        padding: settings.pad === false ? 0 : undefined,
      };
      for (const key of ['period', 'type', 'pad']) left.delete(key);
      return done({ next: (values) => holtWinters(values, season), hasEnough: (count) => count >= season.period * 2 });
    }
    default:
      throw parsingError(`no [moving_avg_model] registered for [${name}]`);
  }
}
