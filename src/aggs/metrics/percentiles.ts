// percentiles, percentile_ranks and median_absolute_deviation. Digests return the same results as those of the emulated server; `hdr`
// rounds exact values like its histogram; `exact` uses the values themselves.

import { jsonDouble } from '../../common/json/json-float.ts';
import { isObject, type JsonObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { javaDouble } from '../../common/text/java-text.ts';
import { ApiError } from '../../errors/api-error.ts';
import { bodyError, illegalArgumentError } from '../errors.ts';
import { Params } from '../params.ts';
import { type Figure, MetricOut } from '../reduce/out.ts';
import { bindSource, parseSource, type SourceParams } from '../source.ts';
import type { AggSpec, AggType, Slice } from '../types.ts';
import type { Distribution } from './distribution.ts';
import { fitsHdr, hdrPercentile, hdrRank } from './hdr.ts';
import { formatOf } from './numeric.ts';
import type { Quantiles } from './t-digest/digest.ts';
import { accuracyHint, parseSketch } from './t-digest/parse-sketch.ts';
import {
  AllValues,
  type BoundSketch,
  bindSketch,
  DEFAULT_COMPRESSION,
  type Sketches,
  type SketchParams,
  sketches,
  sketchNode,
} from './t-digest/sketch.ts';
import { distributions, lowestValue, ranked } from './value-counts.ts';

interface PercentParams {
  readonly source: SourceParams;
  readonly points: readonly number[];
  readonly keyed: boolean;
  /** Significant digits of `hdr`; null for a digest. */
  readonly digits: number | null;
  readonly sketch: SketchParams;
}

const DEFAULT_PERCENTS = [1, 5, 25, 50, 75, 95, 99];

/** The method: significant digits of `hdr`, or the parameters of a digest. */
function methodOf(p: Params, typeName: string): { digits: number | null; sketch: SketchParams } {
  const tdigest = p.object('tdigest');
  const hdr = p.object('hdr');
  const isExact = p.bool('exact') ?? false;
  if (tdigest && hdr) throw bodyError(typeName, 'Only one percentiles method should be declared.');
  const inner = new Params('tdigest', tdigest ?? {});
  if (tdigest) refuseNull(inner, tdigest, 'compression');
  const compression = inner.number('compression') ?? DEFAULT_COMPRESSION;
  if (compression < 0)
    throw p.refusalError('tdigest', `[compression] must be greater than or equal to 0. Found [${javaDouble(compression)}]`);
  const isAccurate = accuracyHint(inner);
  inner.done();
  return { digits: hdr ? hdrDigits(p, hdr) : null, sketch: { compression, isAccurate, isExact } };
}

function hdrDigits(p: Params, hdr: JsonObject): number {
  const inner = new Params('hdr', hdr);
  refuseNull(inner, hdr, 'number_of_significant_value_digits');
  const digits = inner.integer('number_of_significant_value_digits');
  if (digits !== null && (digits < 0 || digits > 5))
    throw p.refusalError('hdr', '[numberOfSignificantValueDigits] must be between 0 and 5');
  inner.done();
  return digits ?? 3;
}

/** @throws ApiError x_content_parse_exception: null instead of a number */
function refuseNull(p: Params, body: unknown, key: string): void {
  if (isObject(body) && body[key] === null) throw p.wrongTypeError(key, null);
}

/** The figure of a point: a percentile, or the rank of a value. */
interface PointFigure {
  read(values: Quantiles, point: number): number;
  hdr(values: Distribution, point: number, digits: number): number;
}

function percentType(typeName: string, pointsKey: string, figure: PointFigure): AggType {
  return {
    isBucket: false,
    parse(name, _type, body, { dialect }): PercentParams {
      const p = new Params(typeName, body);
      const source = parseSource(p);
      refuseNull(p, body, pointsKey);
      const points = p.numbers(pointsKey);
      const keyed = p.bool('keyed') ?? true;
      const method = methodOf(p, typeName);
      p.done();
      if (points?.length === 0) throw bodyError(typeName, `[${pointsKey}] must not be an empty array: [${name}]`);
      if (pointsKey === 'values' && !points) throw illegalArgumentError(`Required [values]`);
      if (pointsKey === 'percents') {
        for (const percent of points ?? []) {
          if (percent < 0 || percent > 100)
            throw bodyError(typeName, `percent must be in [0,100], got [${javaDouble(percent)}]: [${name}]`);
        }
        const repeated = points?.find((percent, i) => points.indexOf(percent) < i);
        if (repeated !== undefined && dialect.refusesRepeatedPercents)
          throw bodyError(typeName, `percent [${javaDouble(repeated)}] has been specified twice: [${name}]`);
      }
      const sorted = (points ?? DEFAULT_PERCENTS).slice().sort((a, b) => a - b);
      return { source, points: sorted, keyed, ...method };
    },
    bind(spec, ctx): BoundSketch {
      const { source, sketch, digits } = spec.params as PercentParams;
      const bound = bindSource(typeName, source, ctx, ['numeric', 'date', 'boolean']);
      return bindSketch(bound, digits === null ? sketch : { ...sketch, isExact: true }, ctx.index.mapping.dialect);
    },
    plan: (_spec, bound: BoundSketch, scope) => sketchNode(bound, scope),
    verify(spec, slice) {
      if ((spec.params as PercentParams).digits !== null) refuseNegative(slice);
    },
    merge(spec, slices, parents, { dialect }) {
      const { points, keyed, digits, sketch } = spec.params as PercentParams;
      const of = digits === null ? digested(slices, parents, sketch, figure) : recorded(slices, parents, digits, figure);
      const format = formatOf(slices);
      const typedName = `${digits === null ? 'tdigest' : 'hdr'}_${typeName}`;
      const show = (values: Percentiled): Shown => {
        const figures: Record<string, Figure> = {};
        const keyedJson: MutableJsonObject = {};
        const list: MutableJsonObject[] = [];
        for (const point of points) {
          const value = values.figure(point);
          const name = javaDouble(point);
          figures[name] = value;
          figures[String(point)] = value;
          const text = value === null ? null : (format?.keyAsString(value) ?? null);
          keyedJson[name] = jsonDouble(value);
          if (text !== null) keyedJson[`${name}_as_string`] = text;
          list.push({ key: jsonDouble(point), value: jsonDouble(value), ...(text === null ? {} : { value_as_string: text }) });
        }
        if (points.length === 1 && dialect.readsSinglePercentiles) figures[''] = values.figure(points[0]);
        return { json: { values: keyed ? keyedJson : list }, figures };
      };
      return {
        at: (parent) => new PercentilesOut(spec, typedName, of.at(parent), (values, weights) => show(of.of(values, weights)), show),
      };
    },
  };
}

interface Shown {
  readonly json: MutableJsonObject;
  readonly figures: Readonly<Record<string, Figure>>;
}

/** Percentiles that can be recomputed for several buckets together. */
export class PercentilesOut extends MetricOut {
  readonly #values: Percentiled;
  readonly #show: (values: readonly number[], weights: readonly number[]) => Shown;

  constructor(
    owner: Pick<AggSpec, 'meta'>,
    typedName: string,
    values: Percentiled,
    showOthers: (values: readonly number[], weights: readonly number[]) => Shown,
    show: (values: Percentiled) => Shown,
  ) {
    const { json, figures } = show(values);
    super(owner, typedName, json, figures);
    this.#values = values;
    this.#show = showOthers;
  }

  /** The percentiles of all values together, in the form of the first one. @param all  of one aggregation, at least one */
  static union(owner: Pick<AggSpec, 'meta'>, all: readonly PercentilesOut[]): MetricOut {
    const values: number[] = [];
    const weights: number[] = [];
    for (const one of all) {
      one.#values.each((value, weight) => {
        values.push(value);
        weights.push(weight);
      });
    }
    const { json, figures } = all[0].#show(values, weights);
    return new MetricOut(owner, all[0].typedName, json, figures);
  }
}

/** A histogram holds no negative values. @throws ApiError array_index_out_of_bounds_exception */
function refuseNegative(slice: Slice): void {
  const lowest = lowestValue(slice);
  if (lowest < 0)
    throw new ApiError(
      'array_index_out_of_bounds_exception',
      400,
      `The value ${javaDouble(lowest)} is out of bounds for histogram: negative values cannot be recorded`,
    );
}

/** The distribution of a bucket, read by points. */
interface Percentiled {
  /** null without values. */
  figure(point: number): number | null;
  each(visit: (value: number, weight: number) => void): void;
}

interface AllPercentiled {
  at(parent: number): Percentiled;
  of(values: readonly number[], weights: readonly number[]): Percentiled;
}

function digested(slices: readonly Slice[], parents: number, params: SketchParams, figure: PointFigure): AllPercentiled {
  const of = sketches(slices, parents, params, true);
  const read = (values: Quantiles): Percentiled => ({
    figure: (point) => (values.size === 0 ? null : figure.read(values, point)),
    each: (visit) => values.each(visit),
  });
  return { at: (parent) => read(of.at(parent)), of: (values, weights) => read(of.of(values, weights)) };
}

function recorded(slices: readonly Slice[], parents: number, digits: number, figure: PointFigure): AllPercentiled {
  const of = distributions(slices, parents);
  const read = (values: Distribution): Percentiled => {
    const all = new AllValues(values, false);
    return {
      figure: (point) => (values.total === 0 ? null : fitsHdr(values) ? figure.hdr(values, point, digits) : figure.read(all, point)),
      each: (visit) => all.each(visit),
    };
  };
  return { at: (parent) => read(of(parent)), of: (values, weights) => read(ranked(values, weights)) };
}

export const percentilesType = percentType('percentiles', 'percents', {
  read: (values, percent) => values.quantile(percent / 100),
  hdr: hdrPercentile,
});
export const percentileRanksType = percentType('percentile_ranks', 'values', {
  read: (values, value) => values.cdf(value) * 100,
  hdr: hdrRank,
});

/** Compression unless the request names one: the median of deviations needs a finer digest than percentiles. */
const DEVIATION_COMPRESSION = 1000;

interface DeviationParams {
  readonly source: SourceParams;
  readonly sketch: SketchParams;
}

export const medianAbsoluteDeviationType: AggType = {
  isBucket: false,
  parse(name, typeName, body): DeviationParams {
    const p = new Params(typeName, body);
    const source = parseSource(p);
    const sketch = parseSketch(p, name, DEVIATION_COMPRESSION, false);
    p.done();
    return { source, sketch };
  },
  bind(spec, ctx): BoundSketch {
    const { source, sketch } = spec.params as DeviationParams;
    return bindSketch(bindSource('median_absolute_deviation', source, ctx, ['numeric']), sketch, ctx.index.mapping.dialect);
  },
  plan: (_spec, bound: BoundSketch, scope) => sketchNode(bound, scope),
  merge(spec, slices, parents) {
    const { sketch } = spec.params as DeviationParams;
    const of = sketches(slices, parents, sketch, false);
    const format = formatOf(slices);
    return {
      at(parent) {
        const values = of.at(parent);
        const value = values.size === 0 ? null : medianDeviation(values, of);
        const text = value === null ? null : (format?.keyAsString(value) ?? null);
        const json = { value: jsonDouble(value), ...(text === null ? {} : { value_as_string: text }) };
        return new MetricOut(spec, 'median_absolute_deviation', json, { '': value, value });
      },
    };
  },
};

function medianDeviation(values: Quantiles, of: Sketches): number {
  const median = values.quantile(0.5);
  const distances: number[] = [];
  const weights: number[] = [];
  values.each((mean, weight) => {
    distances.push(Math.abs(median - mean));
    weights.push(weight);
  });
  return of.of(distances, weights).quantile(0.5);
}
