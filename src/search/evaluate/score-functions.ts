// Functions of function_score for a document: field values with modifiers, decays by distance from an origin, random numbers.

import { decodeGeoPoint } from '../../common/encoding/geo-encoding.ts';
import { maxOf, minOf } from '../../common/large-lists.ts';
import { javaDouble } from '../../common/text/java-text.ts';
import { parseDurationMs } from '../../common/text/time-unit.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, parsingError, timeValueError } from '../../errors/catalog.ts';
import { parseFailureError } from '../../errors/search-errors.ts';
import type { FieldType } from '../../mapping/core/field-type.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import { parseDistance, parseGeoPoint } from '../../query/geo/geo-point.ts';
import { readNumber } from '../../query/read-json.ts';
import type { Modifier, ScoreFunction } from '../../query/scores/score-function.ts';
import type { DocFunction } from '../index-query/index-query.ts';
import { floatText } from '../index-query/query-text.ts';
import { fieldOf, type RewriteContext, rewriteError } from '../shard/rewrite-context.ts';
import { randomScore } from './random-score.ts';
import { curveOf, curveText, distanceMeters } from './score-math.ts';
import { scoreScript } from './score-script.ts';

const MODIFIERS: Readonly<Record<Modifier, (value: number) => number>> = {
  none: (value) => value,
  log: Math.log10,
  log1p: (value) => Math.log10(value + 1),
  log2p: (value) => Math.log10(value + 2),
  ln: Math.log,
  ln1p: Math.log1p,
  ln2p: (value) => Math.log1p(value + 1),
  square: (value) => value * value,
  sqrt: Math.sqrt,
  reciprocal: (value) => 1 / value,
};

/** @throws ApiError: the field or a parameter is invalid */
export function docFunction(spec: ScoreFunction, context: RewriteContext): DocFunction {
  switch (spec.kind) {
    case 'weight':
      return () => 1;
    case 'field':
      return fieldValue(spec, context);
    case 'random':
      return randomScore(spec, context);
    case 'decay':
      return decayFunction(spec, context);
    case 'script':
      return Object.assign(
        scoreScript(spec.script, context, (score) =>
          illegalArgumentError(`script score function must not produce negative scores, but got: [${score}]`),
        ),
        { describe: () => [`script score function, computed with script:"${spec.script.source}"`] },
      );
  }
}

/** Values of a field as numbers in the unit of the API. */
function numbersOf(type: FieldType, segment: SegmentReader, docId: number): number[] {
  const name = type.spec.name;
  if (!segment.column(name)) return [];
  return segment.values(name, docId).map((raw) => (type.unsigned ? Number(BigInt(raw) + 2n ** 63n) : Number(raw) * type.scale));
}

function fieldValue(spec: Extract<ScoreFunction, { kind: 'field' }>, context: RewriteContext): DocFunction {
  const type = fieldOf(context, spec.field);
  if (!type && spec.missing === null) {
    throw new ApiError('exception', 400, `Unable to find a field mapper for field [${spec.field}]. No 'missing' value defined.`);
  }
  if (type && !['numeric', 'date', 'boolean'].includes(type.family)) {
    throw illegalArgumentError(`Field [${spec.field}] of type [${type.typeName}] has no numeric values`);
  }
  const modify = MODIFIERS[spec.modifier];
  const isNanos = type?.typeName === 'date_nanos';
  const valueOf = (segment: SegmentReader, docId: number): number => {
    const [first] = type ? numbersOf(type, segment, docId) : [];
    const value = (isNanos && first !== undefined ? Math.floor(first / 1e6) : first) ?? spec.missing;
    if (value === null) throw new ApiError('exception', 400, `Missing value for field [${spec.field}]`);
    const result = modify(value * spec.factor);
    if (!(result >= 0) || !Number.isFinite(result)) {
      const hint =
        spec.modifier === 'ln' || spec.modifier === 'log'
          ? `; consider using ${spec.modifier}1p or ${spec.modifier}2p instead of ${spec.modifier} to avoid negative scores`
          : '';
      throw illegalArgumentError(
        `field value function must not produce negative scores, but got: [${result}] for field value: [${javaDouble(value)}]${hint}`,
      );
    }
    return result;
  };
  const missing = spec.missing === null ? '' : `?:${javaDouble(spec.missing)}`;
  const text = `field value function: ${spec.modifier}(doc['${spec.field}'].value${missing} * factor=${floatText(spec.factor)})`;
  return Object.assign(valueOf, { describe: () => [text] });
}

type DecaySpec = Extract<ScoreFunction, { kind: 'decay' }>;

function decayFunction(spec: DecaySpec, context: RewriteContext): DocFunction {
  const type = fieldOf(context, spec.field);
  if (!type) throw parsingError(`unknown field [${spec.field}]`);
  if (spec.unsupported !== null) throw parseFailureError(`parameter [${spec.unsupported}] not supported!`);
  const { distances, scale, offset, textOf } = measure(spec, type, context);
  if (!(scale > 0)) throw illegalArgumentError('function_score : scale must be > 0.0.');
  const decay = numberOf(spec.decay, context);
  if (!(decay > 0 && decay < 1)) throw illegalArgumentError('function_score : decay must be in the range [0..1].');
  if (offset < 0) throw illegalArgumentError('function_score : offset must be > 0.0');
  const curve = curveOf(spec.shape, scale, decay);
  const describe = (segment: SegmentReader, docId: number): string[] => [
    `Function for field ${spec.field}:`,
    curveText(spec.shape, scale, decay, textOf(segment, docId, javaDouble(offset))),
  ];
  const valueOf = (segment: SegmentReader, docId: number): number => {
    const values = distances(segment, docId);
    if (values.length === 0) return 1;
    return curve(
      choose(
        values.map((value) => Math.max(0, value - offset)),
        spec.mode,
      ),
    );
  };
  return Object.assign(valueOf, { describe });
}

function choose(values: readonly number[], mode: DecaySpec['mode']): number {
  const sum = values.reduce((a, b) => a + b, 0);
  return mode === 'min' ? minOf(values) : mode === 'max' ? maxOf(values) : mode === 'sum' ? sum : sum / values.length;
}

interface Measure {
  readonly distances: (segment: SegmentReader, docId: number) => number[];
  readonly scale: number;
  readonly offset: number;
  /** The distances of a document as explanations show them. */
  readonly textOf: (segment: SegmentReader, docId: number, offset: string) => string;
}

/** Distances along a line: of numbers and dates. */
function lineText(values: readonly number[], origin: number, offset: string, mode: DecaySpec['mode']): string {
  const of = javaDouble(origin);
  const texts = values.map((value) => `Math.max(Math.abs(${javaDouble(value)}(=doc value) - ${of}(=origin))) - ${offset}(=offset), 0)`);
  return `${mode.toUpperCase()}[${texts.join(', ')}]`;
}

function measure(spec: DecaySpec, type: FieldType, context: RewriteContext): Measure {
  if (type.family === 'geo_point') return measureGeo(spec, type);
  if (type.family === 'date') return measureDate(spec, type, context);
  if (type.family !== 'numeric' || type.typeName === 'scaled_float') {
    const reason = `field [${spec.field}] is of type [${type.typeName}], but only numeric types are supported.`;
    throw context.dialect.decayFieldError === 'query_shard_exception'
      ? rewriteError(context, `failed to create query: ${reason}`, illegalArgumentError(reason))
      : parsingError(reason);
  }
  if (spec.origin === null || spec.scale === null) throw parseFailureError('both [scale] and [origin] must be set for numeric fields.');
  const origin = numberOf(spec.origin, context);
  return {
    distances: (segment, docId) => numbersOf(type, segment, docId).map((value) => Math.abs(value - origin)),
    textOf: (segment, docId, offset) => lineText(numbersOf(type, segment, docId), origin, offset, spec.mode),
    scale: numberOf(spec.scale, context),
    offset: spec.offset === null ? 0 : numberOf(spec.offset, context),
  };
}

/** A parameter of a decay, which is read when the query meets an index. @throws ApiError query_shard_exception: it is no number */
function numberOf(value: unknown, context: RewriteContext): number {
  try {
    return readNumber(value, 'decay');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw rewriteError(context, `failed to create query: ${error.reason}`, new ApiError('x_content_parse_exception', 400, error.reason));
  }
}

function measureDate(spec: DecaySpec, type: FieldType, context: RewriteContext): Measure {
  if (spec.scale === null) throw parseFailureError('[scale] must be set for date fields.');
  const isNanos = type.typeName === 'date_nanos';
  const toMs = (raw: bigint | number): number => (isNanos ? Number(BigInt(raw) / 1_000_000n) : Number(raw));
  let origin = context.nowMs;
  if (spec.origin !== null) {
    const bounds = type.rangeBounds({
      from: spec.origin,
      to: null,
      includeFrom: true,
      includeTo: true,
      format: null,
      timeZone: null,
      nowMs: context.nowMs,
    });
    if (bounds.kind === 'i64') origin = toMs(bounds.min);
  }
  const name = type.spec.name;
  const datesOf = (segment: SegmentReader, docId: number): number[] => (segment.column(name) ? segment.values(name, docId).map(toMs) : []);
  return {
    distances: (segment, docId) => datesOf(segment, docId).map((ms) => Math.abs(ms - origin)),
    textOf: (segment, docId, offset) => lineText(datesOf(segment, docId), origin, offset, spec.mode),
    scale: duration('DecayFunctionParser.scale', spec.scale),
    offset: spec.offset === null ? 0 : duration('DecayFunctionParser.offset', spec.offset),
  };
}

function duration(name: string, value: unknown): number {
  const ms = parseDurationMs(String(value));
  if (ms === null) throw timeValueError(name, String(value));
  return ms;
}

function measureGeo(spec: DecaySpec, type: FieldType): Measure {
  if (spec.origin === null || spec.scale === null) throw parseFailureError('[origin] and [scale] must be set for geo fields.');
  const origin = parseGeoPoint(spec.origin);
  const name = type.spec.name;
  const pointsOf = (segment: SegmentReader, docId: number) =>
    segment.column(name) ? segment.values(name, docId).map((raw) => decodeGeoPoint(BigInt(raw))) : [];
  const pointText = ({ lat, lon }: { lat: number; lon: number }): string => `${javaDouble(lat)}, ${javaDouble(lon)}`;
  return {
    distances: (segment, docId) => pointsOf(segment, docId).map((point) => distanceMeters(origin, point)),
    textOf: (segment, docId, offset) => {
      const texts = pointsOf(segment, docId).map(
        (point) => `Math.max(arcDistance(${pointText(point)}(=doc value),${pointText(origin)}(=origin)) - ${offset}(=offset), 0)`,
      );
      return `${spec.mode.toUpperCase()} of: [${texts.join(', ')}]`;
    },
    scale: parseDistance(spec.scale, 1),
    offset: spec.offset === null ? 0 : parseDistance(spec.offset, 1),
  };
}
