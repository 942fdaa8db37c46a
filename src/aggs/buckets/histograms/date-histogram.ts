// date_histogram: buckets by calendar and fixed intervals in a time zone.
import { present } from '../../../common/present.ts';
import { asCause } from '../../../errors/api-error.ts';
import type { AggNode } from '../../../plan/agg-plan.ts';
import { calendarRounding, calendarUnit, intervalRounding, type Rounding, startsBetween, timeValue } from '../../dates/rounding.ts';
import { timeZone, UTC } from '../../dates/time-zone.ts';
import { illegalArgumentError, xContentError } from '../../errors.ts';
import { Params } from '../../params.ts';
import { columnOf, millisecondsOf, type ValuesSource } from '../../source.ts';
import type { AggSpec, AggType, SegmentScope, Slice } from '../../types.ts';
import { rangeSlices } from '../range-buckets.ts';
import {
  type BoundHistogram,
  bindHistogram,
  type Grid,
  type HistogramParams,
  LAST_DATE,
  limitsOfSlices,
  MOST_STARTS,
  mergeGrid,
  parseCommon,
} from './histogram.ts';

/** Reads `calendar_interval`, `fixed_interval`, the deprecated `interval`, `offset` and `time_zone`; null without an interval. */
export function parseRounding(p: Params, zoneId: string | null, name: string): Rounding | null {
  const calendar = p.string('calendar_interval');
  const fixed = p.string('fixed_interval');
  const old = p.string('interval');
  if (calendar !== null && fixed !== null)
    throw p.refusalError('fixed_interval', 'Cannot use [fixed_interval] with [calendar_interval] configuration option.');
  if (old !== null && (calendar ?? fixed) !== null)
    throw p.refusalError('interval', 'Cannot use [interval] with [fixed_interval] or [calendar_interval] configuration options.');
  const offset = parseOffset(p);
  let zone = UTC;
  try {
    if (zoneId !== null) zone = timeZone(zoneId);
  } catch (error) {
    throw xContentError(`[${p.typeName}] failed to parse field [time_zone]`, asCause(error));
  }
  const unit = calendarUnit(calendar ?? old ?? '');
  if (calendar !== null && unit === null) {
    throw p.refusalError('calendar_interval', `The supplied interval [${calendar}] could not be parsed as a calendar interval.`);
  }
  if (unit !== null) return calendarRounding(unit, zone, offset);
  const text = fixed ?? old;
  if (text === null) return null;
  const interval = /^\d+(ms|[smhd])$/.test(text) ? timeValue(text) : null;
  if (interval === null) {
    throw p.refusalError(
      'fixed_interval',
      `failed to parse setting [date_histogram.fixedInterval] with value [${text}] as a time value: unit is missing or unrecognized`,
    );
  }
  if (interval < 1) throw p.refusalError('fixed_interval', `Zero or negative time interval not supported in [${name}]`);
  return intervalRounding(interval, zone, offset);
}

/** `offset` in milliseconds: a number, or a duration with a sign. @throws ApiError x_content_parse_exception */
function parseOffset(p: Params): number {
  const given = p.take('offset');
  if (typeof given === 'number') return Math.trunc(given);
  const text = p.string('offset');
  const offset = text === null ? 0 : timeValue(text);
  if (offset !== null) return offset;
  throw p.refusalError(
    'offset',
    `failed to parse setting [DateHistogramAggregationBuilder.parseOffset] with value [${text}] as a time value: unit is missing or unrecognized`,
  );
}

/** The error for a date_histogram without an interval. */
export function noIntervalError(): Error {
  return illegalArgumentError('Invalid interval specified, must be non-null and non-empty');
}

/** A rounding in the form that kernels execute, for the column of a segment. */
export function dateNode(source: ValuesSource, { segment }: SegmentScope, rounding: Rounding, children: readonly AggNode[]): AggNode {
  if (source.kind === 'binary') return { op: 'docs', children: [] };
  const column = columnOf(source, segment);
  if (source.kind === 'f64') return { op: 'termsNumeric', source: column, perValue: false, children };
  if (rounding.fixed) {
    return { op: 'dateFixed', source: column, interval: rounding.fixed.interval, offset: rounding.fixed.offset, children };
  }
  const ends = [column.column?.min, column.column?.max, column.missing]
    .filter((end) => end !== null && end !== undefined)
    .map((end) => millisecondsOf(end));
  if (ends.length === 0) return { op: 'dateStarts', source: column, starts: new BigInt64Array(0), children };
  const starts = startsBetween(rounding, Math.min(...ends), Math.max(...ends), MOST_STARTS);
  if (!starts) return { op: 'termsNumeric', source: column, perValue: false, children };
  const raw = starts.map((start) => BigInt(start));
  const last = raw.length - 1;
  // The end of the last bucket may be after the last date that fits into 64 bits. It is exclusive, so that date has no bucket then.
  if (raw[last] > LAST_DATE && ends.some((end) => end === millisecondsOf(LAST_DATE)))
    return { op: 'termsNumeric', source: column, perValue: false, children };
  if (raw[last] > LAST_DATE) raw[last] = LAST_DATE;
  return { op: 'dateStarts', source: column, starts: BigInt64Array.from(raw), children };
}

/** @throws ApiError x_content_parse_exception */
export function refusePlainInterval(p: Params): void {
  if (p.has('interval')) throw xContentError(`[${p.typeName}] unknown field [interval] did you mean [fixed_interval]?`);
}

export const dateHistogramType: AggType = {
  isBucket: true,
  parse(name, typeName, body, { dialect }): HistogramParams {
    const p = new Params(typeName, body);
    if (dialect.refusesPlainInterval) refusePlainInterval(p);
    const common = parseCommon(p, name);
    const rounding = parseRounding(p, common.source.timeZone, name);
    const offset = parseOffset(p);
    p.done();
    const refusal = rounding === null ? noIntervalError() : null;
    return { ...common, interval: 0, offset, rounding, refusal };
  },
  bind: bindHistogram,
  plan: (spec, bound: BoundHistogram, scope, children) =>
    dateNode(bound, scope, present((spec.params as HistogramParams).rounding), children),
  merge(spec, given, parents, ctx) {
    const { rounding, offset, minDocCount } = spec.params as HistogramParams;
    const round = present(rounding);
    const limits = limitsOfSlices(given);
    const hard = limits?.hardLimits ?? { min: -Infinity, max: Infinity };
    const steps = { at: (ms: number) => round.round(ms), next: (start: number) => round.next(start) };
    const ranges = rangeSlices(spec, given, parents, { steps, bounds: hard }, ctx);
    const slices = [...given.filter((slice) => slice.result.op !== 'docs'), ...ranges];
    const typical = round.next(round.round(0)) - round.round(0);
    const grid: Grid = {
      repeatsKeys: (slice) => isRawCached(spec, slice),
      keyOf: (slice, raw) => {
        const ms = millisecondsOf(raw);
        return isRawCached(spec, slice) ? round.round(ms) : ms;
      },
      value: (key) => key,
      next: (key) => Math.max(round.next(key), key + 1),
      spread: (first, last) => Math.floor((last - first) / typical) + 1,
      extend: limits?.extendedLimits ?? null,
      // The bounds are rounded as if there were no offset, which is added afterwards.
      keyFor: (value) => round.round(value + offset),
      // Ranges are cut at the bounds; their first bucket may begin before.
      isInside: (key) => ranges.length > 0 || (key >= hard.min && key < hard.max),
    };
    return mergeGrid(spec, slices, parents, ctx, grid, minDocCount);
  },
};

const rawSlices = new WeakMap<Slice, boolean>();

function isRawCached(spec: AggSpec, slice: Slice): boolean {
  let raw = rawSlices.get(slice);
  if (raw === undefined) {
    raw = isRaw(spec, slice);
    rawSlices.set(slice, raw);
  }
  return raw;
}

/** True if the slice holds raw times instead of starts of buckets. */
function isRaw(spec: AggSpec, slice: Slice): boolean {
  const { rounding } = spec.params as HistogramParams;
  const source = slice.bound as ValuesSource;
  return rounding !== null && source.kind !== 'binary' && dateNode(source, slice.segment, rounding, []).op === 'termsNumeric';
}
