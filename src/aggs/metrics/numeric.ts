// Metrics with one or few numbers per bucket: value_count, sum, avg, min, max, stats, extended_stats.

import { jsonDouble } from '../../common/json/json-float.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { javaDouble } from '../../common/text/java-text.ts';
import type { ValueFormat } from '../../mapping/core/field-type.ts';
import type { AggNode } from '../../plan/agg-plan.ts';
import { Params } from '../params.ts';
import { type Figure, jsonFigures, MetricOut } from '../reduce/out.ts';
import { bindSource, columnOf, parseSource, type SourceParams, type ValuesSource } from '../source.ts';
import type { AggSpec, AggType, Slice } from '../types.ts';
import { eachSummary, isHistogram } from './pre-aggregated.ts';

interface NumericParams {
  readonly source: SourceParams;
  readonly sigma: number;
}

/** Running totals of one bucket over the segments. */
interface Totals {
  readonly count: Float64Array;
  readonly sum: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly squares: Float64Array;
}

type Shape = (
  totals: { count: number; sum: number; min: number; max: number; squares: number },
  sigma: number,
  text: Text,
) => {
  json: MutableJsonObject;
  figures: Record<string, Figure>;
};
/** `value_as_string` fields, if the source has a format. */
type Text = (figures: Record<string, Figure>) => MutableJsonObject;

function numericMetric(typeName: string, shape: Shape): AggType {
  return {
    isBucket: false,
    parse(name, _type, body): NumericParams {
      const p = new Params(typeName, body);
      const source = parseSource(p);
      const sigma = typeName === 'extended_stats' ? p.number('sigma') : null;
      if (sigma !== null && sigma < 0)
        throw p.refusalError('sigma', `[sigma] must be greater than or equal to 0. Found [${javaDouble(sigma)}] in [${name}]`);
      p.done();
      return { source, sigma: sigma ?? 2 };
    },
    bind(spec, ctx): ValuesSource {
      const { source } = spec.params as NumericParams;
      return bindSource(typeName, source, ctx, ['numeric', 'date', 'boolean']);
    },
    plan(_spec, bound: ValuesSource, { segment }): AggNode {
      if (isHistogram(bound) || bound.counts !== undefined) return { op: 'docs', children: [] };
      return { op: 'stats', source: columnOf(bound, segment), sumOfSquares: typeName === 'extended_stats', children: [] };
    },
    merge(spec, slices, parents) {
      const totals = addStats(slices, parents);
      const format = formatOf(slices);
      const text = textOf(format, typeName === 'stats' || typeName === 'extended_stats');
      const { sigma } = spec.params as NumericParams;
      return {
        at(parent) {
          const one =
            parent < 0
              ? { count: 0, sum: 0, min: Infinity, max: -Infinity, squares: 0 }
              : {
                  count: totals.count[parent],
                  sum: totals.sum[parent],
                  min: totals.min[parent],
                  max: totals.max[parent],
                  squares: totals.squares[parent],
                };
          const { json, figures } = shape(one, sigma, text);
          return new MetricOut(spec, typeName, json, figures);
        },
      };
    },
  };
}

/** The format of the first index that has the field. */
export function formatOf(slices: readonly Slice[]): ValueFormat | null {
  for (const slice of slices) {
    const format = (slice.bound as ValuesSource).format;
    if (format) return format;
  }
  return null;
}

const PLAIN_FIGURES = new Set([
  ...['min', 'max', 'avg', 'sum', 'sum_of_squares'],
  ...['variance', 'variance_population', 'variance_sampling'],
]);

/** @param unquoted  render booleans as such, as the stats aggregations do; single metrics render their string form */
function textOf(format: ValueFormat | null, unquoted: boolean): Text {
  return (figures) => {
    const json: MutableJsonObject = {};
    if (!format) return json;
    for (const [name, value] of Object.entries(figures)) {
      const text = value === null ? null : format.keyAsString(value);
      if (text !== null) json[`${name}_as_string`] = unquoted && format.name === 'bool' && PLAIN_FIGURES.has(name) ? value !== 0 : text;
    }
    return json;
  };
}

function addStats(slices: readonly Slice[], parents: number): Totals {
  const totals = {
    count: new Float64Array(parents),
    sum: new Float64Array(parents),
    min: new Float64Array(parents).fill(Infinity),
    max: new Float64Array(parents).fill(-Infinity),
    squares: new Float64Array(parents),
  };
  const sums = new CompensatedSums(totals.sum);
  const squares = new CompensatedSums(totals.squares);
  for (const slice of slices) {
    const { result, map } = slice;
    eachSummary(slice, (to, { count, sum, min, max }) => {
      totals.count[to] += count;
      sums.add(to, sum);
      totals.min[to] = Math.min(totals.min[to], min);
      totals.max[to] = Math.max(totals.max[to], max);
    });
    if (result.op !== 'stats') continue;
    const { stats } = result;
    for (let i = 0; i < stats.count.length; i++) {
      const to = map ? map[i] : i;
      if (to < 0 || stats.count[i] === 0) continue;
      totals.count[to] += stats.count[i];
      sums.add(to, stats.sum[i]);
      squares.add(to, stats.sumOfSquares[i]);
      totals.min[to] = Math.min(totals.min[to], stats.min[i]);
      totals.max[to] = Math.max(totals.max[to], stats.max[i]);
    }
  }
  return totals;
}

/** Lucene's CompensatedSum for an array of sums. */
export class CompensatedSums {
  readonly #sums: Float64Array;
  readonly #deltas: Float64Array;

  constructor(sums: Float64Array) {
    this.#sums = sums;
    this.#deltas = new Float64Array(sums.length);
  }

  add(at: number, value: number): void {
    const sum = this.#sums[at];
    if (!Number.isFinite(value)) this.#sums[at] = value + sum;
    else if (Number.isFinite(sum)) {
      const corrected = value + this.#deltas[at];
      const updated = sum + corrected;
      this.#deltas[at] = corrected - (updated - sum);
      this.#sums[at] = updated;
    }
  }
}

/** A metric with the single figure `value`. */
function single(value: Figure, text: Text): { json: MutableJsonObject; figures: Record<string, Figure> } {
  return { json: { value: jsonDouble(value), ...text({ value }) }, figures: { '': value, value } };
}

const basic: Shape = ({ count, sum, min, max }, _sigma, text) => {
  const figures = { count, min: count ? min : null, max: count ? max : null, avg: count ? sum / count : null, sum };
  const { count: _, ...shown } = figures;
  return { json: { ...jsonFigures(figures), ...(count ? text(shown) : {}) }, figures };
};

const extended: Shape = (totals, sigma, text) => {
  const { count, sum, squares } = totals;
  const plain = basic(totals, sigma, () => ({}));
  const spread = squares - (sum * sum) / count;
  const population = count ? Math.max(spread / count, 0) : null;
  const sampling = count ? (count === 1 ? Number.NaN : Math.max(spread / (count - 1), 0)) : null;
  const root = (value: number | null) => (value === null ? null : Math.sqrt(value));
  const mean = count ? sum / count : null;
  const bound = (deviation: number | null, sign: number) => (mean === null || deviation === null ? null : mean + sign * sigma * deviation);
  const deviations = {
    std_deviation: root(population),
    std_deviation_population: root(population),
    std_deviation_sampling: root(sampling),
  };
  const figures: Record<string, Figure> = {
    ...plain.figures,
    sum_of_squares: count ? squares : null,
    variance: population,
    variance_population: population,
    variance_sampling: sampling,
    ...deviations,
  };
  const bounds: Record<string, Figure> = {
    upper: bound(deviations.std_deviation, 1),
    lower: bound(deviations.std_deviation, -1),
    upper_population: bound(deviations.std_deviation_population, 1),
    lower_population: bound(deviations.std_deviation_population, -1),
    upper_sampling: bound(deviations.std_deviation_sampling, 1),
    lower_sampling: bound(deviations.std_deviation_sampling, -1),
  };
  const json: MutableJsonObject = { ...jsonFigures(figures), std_deviation_bounds: jsonFigures(bounds) };
  if (count) {
    const { count: _, ...shown } = figures;
    Object.assign(json, text(shown));
    const texts = text(bounds);
    if (Object.keys(texts).length > 0) {
      json.std_deviation_bounds_as_string = Object.fromEntries(
        Object.entries(texts).map(([name, value]) => [name.replace('_as_string', ''), value]),
      );
    }
  }
  const named = Object.fromEntries(Object.entries(bounds).map(([name, value]) => [`std_${name}`, value]));
  return { json, figures: { ...figures, ...named } };
};

export const sumType = numericMetric('sum', ({ sum }, _sigma, text) => single(sum, text));
export const avgType = numericMetric('avg', ({ count, sum }, _sigma, text) => single(count ? sum / count : null, text));
export const minType = numericMetric('min', ({ count, min }, _sigma, text) => single(count ? min : null, text));
export const maxType = numericMetric('max', ({ count, max }, _sigma, text) => single(count ? max : null, text));
export const statsType = numericMetric('stats', basic);
export const extendedStatsType = numericMetric('extended_stats', extended);

/** Number of values; for range fields and other columns that kernels do not read, the number of documents with a value. */
export const valueCountType: AggType = {
  isBucket: false,
  parse(_name, typeName, body): NumericParams {
    const p = new Params(typeName, body);
    const source = parseSource(p);
    p.done();
    return { source, sigma: 0 };
  },
  bind: (spec, ctx) => bindSource('value_count', (spec.params as NumericParams).source, ctx, null),
  plan(_spec, bound: ValuesSource, { segment }): AggNode {
    if (bound.kind === 'binary') return { op: 'docs', children: [] };
    if (bound.counts !== undefined) return { op: 'stats', source: columnOf(bound, segment), sumOfSquares: false, children: [] };
    return { op: 'valueCount', source: columnOf(bound, segment), children: [] };
  },
  merge(spec: AggSpec, slices, parents) {
    const counts = new Float64Array(parents);
    for (const slice of slices) {
      const { result, map, bound, segment } = slice;
      if (isHistogram(bound as ValuesSource)) {
        eachSummary(slice, (to, { count }) => {
          counts[to] += count;
        });
      } else if (result.op === 'valueCount' || result.op === 'stats') {
        const found = result.op === 'stats' ? result.stats.sum : result.counts;
        found.forEach((count, i) => {
          const to = map ? map[i] : i;
          if (to >= 0) counts[to] += count;
        });
      } else if (result.op === 'docs') {
        const { field } = bound as ValuesSource;
        for (let i = 0; i + 1 < result.starts.length; i++) {
          const to = map ? map[i] : i;
          if (to < 0) continue;
          for (let d = result.starts[i]; d < result.starts[i + 1]; d++) if (segment.segment.binary(field, result.docs[d])) counts[to]++;
        }
      }
    }
    return {
      at(parent) {
        const value = parent < 0 ? 0 : counts[parent];
        return new MetricOut(spec, 'value_count', { value }, { '': value, value });
      },
    };
  },
};
