// Metrics that the host computes from the documents of each bucket: weighted_avg, geo_bounds, geo_centroid, matrix_stats, top_hits.

import { decodeGeoPoint } from '../../common/encoding/geo-encoding.ts';
import { jsonDouble } from '../../common/json/json-float.ts';
import { isObject, type MutableJsonObject, tokenOf } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import type { Dialect } from '../../compat/dialect.ts';
import type { AggNode } from '../../plan/agg-plan.ts';
import { illegalArgumentError, misusedError, numberFormatError, parameterError, parsingError } from '../errors.ts';
import { Params } from '../params.ts';
import { JsonOut, jsonFigures, MetricOut } from '../reduce/out.ts';
import { bindSource, doublesOf, hasNoValues, parseSource, type SourceParams, type ValuesSource } from '../source.ts';
import type { AggSpec, AggType, DocGroup, ParseContext, Slice } from '../types.ts';
import { CompensatedSums } from './numeric.ts';

const docsNode = (): AggNode => ({ op: 'docs', children: [] });

/** Documents of each merged parent, by segment. */
export function docGroups(slices: readonly Slice[], parents: number): Array<Array<DocGroup & { slice: Slice }>> {
  const groups: Array<Array<DocGroup & { slice: Slice }>> = Array.from({ length: parents }, () => []);
  for (const slice of slices) {
    if (slice.result.op !== 'docs') continue;
    const { starts, docs, scores } = slice.result;
    for (let i = 0; i + 1 < starts.length; i++) {
      const to = slice.map ? slice.map[i] : i;
      if (to < 0 || starts[i] === starts[i + 1]) continue;
      groups[to].push({
        slice,
        segment: slice.segment,
        docs: docs.subarray(starts[i], starts[i + 1]),
        scores: scores.subarray(starts[i], starts[i + 1]),
      });
    }
  }
  return groups;
}

interface WeightedParams {
  readonly value: SourceParams;
  readonly weight: SourceParams | null;
  readonly format: string | null;
  /** `value_type` was given: its numbers are not formatted. */
  readonly isPlain: boolean;
}

function parseField(typeName: string, key: string, body: unknown): SourceParams {
  const p = new Params(typeName, isObject(body) && body['missing'] === null ? { ...body, missing: undefined } : body);
  const { field, script } = p.has('script') ? { field: null, script: true } : { field: p.has('field'), script: false };
  if (!field && !script) throw parameterError(typeName, key, '[field] and [script] cannot both be null.  Please specify one or the other.');
  const source = parseSource(p);
  p.done();
  return source;
}

function severalWeightsError(dialect: Dialect): Error {
  const reason =
    'Encountered more than one weight for a single document. Use a script to combine multiple weights-per-doc into a single value.';
  return misusedError(reason, dialect);
}

export const weightedAvgType: AggType = {
  isBucket: false,
  parse(_name, typeName, body): WeightedParams {
    const p = new Params(typeName, body);
    const value = p.object('value');
    const weight = p.object('weight');
    const format = p.string('format');
    const valueType = p.string('value_type');
    p.done();
    if (!value) throw illegalArgumentError('Required [value]');
    return {
      value: parseField(typeName, 'value', value),
      weight: weight ? parseField(typeName, 'weight', weight) : null,
      format,
      isPlain: valueType !== null,
    };
  },
  bind(spec, ctx) {
    const { value, weight, format } = spec.params as WeightedParams;
    if (!weight) throw illegalArgumentError('Could not find field name [weight] in multiValuesSource');
    const numeric = ['numeric', 'date', 'boolean'] as const;
    return {
      value: bindSource('weighted_avg', { ...value, format: format ?? value.format }, ctx, numeric),
      weight: bindSource('weighted_avg', weight, ctx, numeric),
      dialect: ctx.index.mapping.dialect,
    };
  },
  plan: docsNode,
  verify(_spec, { result, bound, segment }) {
    const { value, weight, dialect } = bound as { value: ValuesSource; weight: ValuesSource; dialect: Dialect };
    if (result.op !== 'docs' || hasNoValues(value)) return;
    for (const doc of result.docs) {
      if (doublesOf(weight, segment.segment, doc).length > 1 && doublesOf(value, segment.segment, doc).length > 0)
        throw severalWeightsError(dialect);
    }
  },
  merge(spec, slices, parents) {
    const groups = docGroups(slices, parents);
    return {
      at(parent) {
        const sums = new Float64Array(2);
        const add = new CompensatedSums(sums);
        for (const { slice, docs } of parent < 0 ? [] : groups[parent]) {
          const bound = slice.bound as { value: ValuesSource; weight: ValuesSource; dialect: Dialect };
          for (const doc of docs) {
            const weights = doublesOf(bound.weight, slice.segment.segment, doc);
            const values = doublesOf(bound.value, slice.segment.segment, doc);
            if (values.length === 0 || weights.length === 0) continue;
            if (weights.length > 1) throw severalWeightsError(bound.dialect);
            for (const value of values) {
              add.add(0, value * weights[0]);
              add.add(1, weights[0]);
            }
          }
        }
        const value = sums[1] === 0 ? null : sums[0] / sums[1];
        const { isPlain } = spec.params as WeightedParams;
        const format = isPlain
          ? null
          : slices.map((slice) => (slice.bound as { value: ValuesSource }).value.format).find((f) => f !== null);
        const text = value === null ? null : (format?.keyAsString(value) ?? null);
        return new MetricOut(
          spec,
          'weighted_avg',
          { value: jsonDouble(value), ...(text === null ? {} : { value_as_string: text }) },
          { '': value, value },
        );
      },
    };
  },
};

/** Calls `visit` for every point of a bucket. */
function eachPoint(groups: ReadonlyArray<DocGroup & { slice: Slice }>, visit: (lat: number, lon: number) => void): void {
  for (const { slice, docs } of groups) {
    const bound = slice.bound as ValuesSource;
    if (!bound.type) continue;
    for (const doc of docs) {
      const values = slice.segment.segment.values(bound.field, doc);
      for (const raw of values.length === 0 && bound.missing !== null ? [bound.missing as bigint] : values) {
        const { lat, lon } = decodeGeoPoint(BigInt(raw));
        visit(lat, lon);
      }
    }
  }
}

export const geoBoundsType: AggType = {
  isBucket: false,
  parse(_name, typeName, body) {
    const p = new Params(typeName, body);
    const source = parseSource(p, { script: false, format: false });
    const wrap = p.bool('wrap_longitude') ?? true;
    p.done();
    return { source, wrap };
  },
  bind: (spec, ctx) => bindSource('geo_bounds', (spec.params as { source: SourceParams }).source, ctx, ['geo_point']),
  plan: docsNode,
  merge(spec, slices, parents) {
    const groups = docGroups(slices, parents);
    const { wrap } = spec.params as { wrap: boolean };
    return {
      at(parent) {
        let [top, bottom] = [-Infinity, Infinity];
        let [east0, east1, west0, west1] = [Infinity, -Infinity, Infinity, -Infinity];
        eachPoint(parent < 0 ? [] : groups[parent], (lat, lon) => {
          top = Math.max(top, lat);
          bottom = Math.min(bottom, lat);
          if (lon >= 0) {
            east0 = Math.min(east0, lon);
            east1 = Math.max(east1, lon);
          } else {
            west0 = Math.min(west0, lon);
            west1 = Math.max(west1, lon);
          }
        });
        if (top === -Infinity) return new MetricOut(spec, 'geo_bounds', {}, {});
        let [left, right] = [west0, east1];
        if (east0 === Infinity) right = west1;
        else if (west0 === Infinity) left = east0;
        else if (wrap && 180 - east0 + (west1 + 180) < east1 - west0) [left, right] = [east0, west1];
        const bounds = {
          top_left: { lat: jsonDouble(top), lon: jsonDouble(left) },
          bottom_right: { lat: jsonDouble(bottom), lon: jsonDouble(right) },
        };
        return new MetricOut(spec, 'geo_bounds', { bounds }, { top, bottom, left, right });
      },
    };
  },
};

export const geoCentroidType: AggType = {
  isBucket: false,
  parse(_name, typeName, body) {
    const p = new Params(typeName, body);
    const source = parseSource(p, { script: false, format: false });
    p.done();
    return { source };
  },
  bind: (spec, ctx) => bindSource('geo_centroid', (spec.params as { source: SourceParams }).source, ctx, ['geo_point']),
  plan: docsNode,
  merge(spec, slices, parents) {
    const groups = docGroups(slices, parents);
    return {
      at(parent) {
        const sums = new Float64Array(2);
        const add = new CompensatedSums(sums);
        let count = 0;
        eachPoint(parent < 0 ? [] : groups[parent], (lat, lon) => {
          add.add(0, lat);
          add.add(1, lon);
          count++;
        });
        if (count === 0) return new MetricOut(spec, 'geo_centroid', { count }, { count });
        const location = { lat: sums[0] / count, lon: sums[1] / count };
        return new MetricOut(
          spec,
          'geo_centroid',
          { location: { lat: jsonDouble(location.lat), lon: jsonDouble(location.lon) }, count },
          { count, 'location.lat': location.lat, 'location.lon': location.lon },
        );
      },
    };
  },
};

interface MatrixParams {
  readonly fields: readonly SourceParams[];
  readonly mode: string;
}

export const matrixStatsType: AggType = {
  isBucket: false,
  parse(_name, typeName, body): MatrixParams {
    const p = new Params(typeName, body);
    const fields = p.list('fields');
    const missing = p.object('missing') ?? {};
    const mode = p.string('mode') ?? 'avg';
    p.done();
    if (!fields || fields.length === 0) throw illegalArgumentError('[fields] must not be null or empty: [matrix_stats]');
    if (!['avg', 'min', 'max', 'sum', 'median'].includes(mode)) throw illegalArgumentError(`Illegal value for mode: ${mode}`);
    const sources = fields.map((field) => ({
      field: String(field),
      missing: missing[String(field)] ?? null,
      format: null,
      timeZone: null,
      valueType: null,
      script: null,
    }));
    return { fields: sources, mode };
  },
  bind: (spec, ctx) =>
    (spec.params as MatrixParams).fields.map((field) => bindSource('matrix_stats', field, ctx, ['numeric', 'date', 'boolean'])),
  plan: docsNode,
  merge(spec, slices, parents) {
    const groups = docGroups(slices, parents);
    const { fields, mode } = spec.params as MatrixParams;
    return {
      at(parent) {
        const rows: number[][] = [];
        for (const { slice, docs } of parent < 0 ? [] : groups[parent]) {
          const sources = slice.bound as ValuesSource[];
          for (const doc of docs) {
            const row = sources.map((source) => pick(doublesOf(source, slice.segment.segment, doc), mode));
            if (!row.some(Number.isNaN)) rows.push(row);
          }
        }
        if (rows.length === 0) return new MetricOut(spec, 'matrix_stats', { doc_count: 0 }, {});
        return new MetricOut(
          spec,
          'matrix_stats',
          {
            doc_count: rows.length,
            fields: matrixFields(
              fields.map((f) => f.field),
              rows,
            ),
          },
          {},
        );
      },
    };
  },
};

function pick(values: number[], mode: string): number {
  if (values.length === 0) return Number.NaN;
  if (mode === 'min') return values[0];
  if (mode === 'max') return values[values.length - 1];
  if (mode === 'median') return (values[(values.length - 1) >> 1] + values[values.length >> 1]) / 2;
  const sum = values.reduce((a, b) => a + b, 0);
  return mode === 'sum' ? sum : sum / values.length;
}

/** Moments about the mean, with sample variance and covariance. */
function matrixFields(names: readonly string[], rows: readonly number[][]): MutableJsonObject[] {
  const n = rows.length;
  const means = names.map((_, f) => rows.reduce((sum, row) => sum + row[f], 0) / n);
  const moment = (f: number, power: number) => rows.reduce((sum, row) => sum + (row[f] - means[f]) ** power, 0);
  const seconds = names.map((_, f) => moment(f, 2));
  const cross = (a: number, b: number) => rows.reduce((sum, row) => sum + (row[a] - means[a]) * (row[b] - means[b]), 0);
  return names.map((name, f) => {
    const covariance: MutableJsonObject = {};
    const correlation: MutableJsonObject = {};
    names.forEach((other, o) => {
      const product = o === f ? seconds[f] : cross(f, o);
      setOwn(covariance, other, jsonDouble(n > 1 ? product / (n - 1) : 0));
      setOwn(correlation, other, jsonDouble(o === f ? 1 : product / Math.sqrt(seconds[f] * seconds[o])));
    });
    const variance = n > 1 ? seconds[f] / (n - 1) : 0;
    const skewness = (Math.sqrt(n) * moment(f, 3)) / seconds[f] ** 1.5;
    const kurtosis = (n * moment(f, 4)) / seconds[f] ** 2;
    return { name, ...jsonFigures({ count: n, mean: means[f], variance, skewness, kurtosis }), covariance, correlation };
  });
}

const TOP_HITS_KEYS = new Set([
  'from',
  'size',
  'sort',
  '_source',
  'stored_fields',
  'docvalue_fields',
  'fields',
  'script_fields',
  'highlight',
  'explain',
  'version',
  'seq_no_primary_term',
  'track_scores',
]); // prettier-ignore

/** top_hits: the search phase selects, fetches and renders the hits of each bucket (ReduceContext.topHits). */
export const topHitsType: AggType = {
  isBucket: false,
  parse(_name, typeName, body: unknown, ctx: ParseContext): MutableJsonObject {
    const p = new Params(typeName, body);
    for (const [key, value] of Object.entries(body as MutableJsonObject)) {
      if (value === null || !TOP_HITS_KEYS.has(key)) throw parsingError(`Unknown key for a ${tokenOf(value)} in [${key}].`);
    }
    for (const key of ['from', 'size']) {
      const given = (body as MutableJsonObject)[key];
      if (typeof given === 'object') throw parsingError(`Unknown key for a ${tokenOf(given)} in [${key}].`);
      if (typeof given === 'string' && !/^\s*[+-]?\d+(\.\d*)?\s*$/.test(given)) throw numberFormatError(given);
      const value = p.integer(key);
      if (value !== null && value < 0)
        throw illegalArgumentError(`[${key}] must be greater than or equal to 0. Found [${value}] in [${_name}]`);
    }
    ctx.checkHits(body as MutableJsonObject);
    return body as MutableJsonObject;
  },
  bind(spec, ctx) {
    const body = spec.params as MutableJsonObject;
    const window = Number(body.from ?? 0) + Number(body.size ?? 3);
    const limit = ctx.index.setting('index.max_inner_result_window', 100);
    if (window > limit) {
      throw illegalArgumentError(
        `Top hits result window is too large, the top hits aggregator [${spec.name}]'s from + size must be less than or equal to: [${limit}] but was [${window}]. This limit can be set by changing the [index.max_inner_result_window] index level setting.`,
      );
    }
    return { nestedPath: ctx.nestedPath, dialect: ctx.index.mapping.dialect };
  },
  plan: docsNode,
  verify(spec, { result, bound }) {
    const body = spec.params as MutableJsonObject;
    if (result.op !== 'docs' || result.docs.length === 0 || Number(body.from ?? 0) + Number(body.size ?? 3) > 0) return;
    const { dialect } = bound as { dialect: Dialect };
    const byScore = body.sort === undefined && dialect.blamesAggregationRequests;
    const collector = byScore ? 'TotalHitCountCollectorManager' : 'TotalHitCountCollector';
    throw illegalArgumentError(`numHits must be > 0; please use ${collector} if you just need the total hit count`);
  },
  merge(spec: AggSpec, slices, parents, ctx) {
    const groups = docGroups(slices, parents);
    const nestedPath = slices.length > 0 ? (slices[0].bound as { nestedPath: string | null }).nestedPath : null;
    return {
      at: (parent) =>
        new JsonOut(spec, 'top_hits', ctx.topHits(spec.params as MutableJsonObject, parent < 0 ? [] : groups[parent], nestedPath)),
    };
  },
};
