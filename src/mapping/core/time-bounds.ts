// Times between which an index of time series accepts documents, and the checks of its settings.
import { DateFormatter } from '../../dates/date-format.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { ValueFormat } from './field-type.ts';
import { isTimeSeries, ROUTING_PATH, routingPathOf } from './time-series.ts';

type Settings = Readonly<Record<string, unknown>>;

const START = 'index.time_series.start_time';
const END = 'index.time_series.end_time';
/** Settings that only time series have. */
const OWN_SETTINGS = [ROUTING_PATH, START, END];
/** Settings that time series do not have: they decide the order and the shards of documents themselves. */
const FOREIGN_SETTINGS = ['index.routing_partition_size', ...['field', 'order', 'mode', 'missing'].map((name) => `index.sort.${name}`)];
const TIME_FORMAT = DateFormatter.of('strict_date_optional_time||epoch_millis');

/** Times of the documents that an index accepts, in milliseconds: from `start`, before `end`. */
export interface TimeBounds {
  readonly start: number;
  readonly end: number;
}

/** A field whose values distinguish series. */
export interface Dimension {
  readonly name: string;
  readonly format: ValueFormat;
  readonly isI64: boolean;
  /** Full names of the dimensions of a flattened field by their keys; null for other fields. */
  readonly keys: ReadonlyMap<string, string> | null;
}

/** Fields of a mapping that determine the series of a document, by field number. */
export interface SeriesFields {
  readonly index: string;
  readonly dimensions: ReadonlyMap<number, Dimension>;
  readonly timestamp: number;
  readonly isNanos: boolean;
  readonly bounds: TimeBounds;
  readonly tsid: number;
  readonly shownDimensions: number;
}

/** @throws ApiError illegal_argument_exception: not a date */
function timeOf(settings: Settings, name: string, open: number): number {
  const value = settings[name];
  return value === undefined || value === null ? open : TIME_FORMAT.parseMs(String(value));
}

/** The first and last time that bounds can have. */
const FIRST_MS = 1;
const LAST_MS = 253_402_300_799_999;

export function timeBoundsOf(settings: Settings): TimeBounds {
  return { start: timeOf(settings, START, FIRST_MS), end: timeOf(settings, END, LAST_MS) };
}

/** Checks a bound. @throws ApiError illegal_argument_exception: not a date */
export function checkBound(_name: string, value: string): void {
  TIME_FORMAT.parseMs(value);
}

/** A time as bounds show it: milliseconds only if there are any. */
export function instantText(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** Checks the settings that concern time series. @throws ApiError illegal_argument_exception */
export function checkTimeSeriesSettings(settings: Settings, needsRoutingPath: boolean): void {
  if (!isTimeSeries(settings)) {
    for (const name of OWN_SETTINGS) {
      if (settings[name] !== undefined) throw illegalArgumentError(`[${name}] requires [index.mode=time_series]`);
    }
    return;
  }
  for (const name of FOREIGN_SETTINGS) {
    if (settings[name] !== undefined) throw illegalArgumentError(`[index.mode=time_series] is incompatible with [${name}]`);
  }
  if (needsRoutingPath && routingPathOf(settings).length === 0)
    throw illegalArgumentError(`[index.mode=time_series] requires a non-empty [${ROUTING_PATH}]`);
  const { start, end } = timeBoundsOf(settings);
  if (end < start) throw illegalArgumentError(`${END} must be larger than ${START}`);
}

/** Checks a change of the bounds of an open index. @throws ApiError illegal_argument_exception: the end moves back */
export function checkLaterEnd(before: Settings, after: Settings): void {
  if (!isTimeSeries(after) || before[END] === after[END]) return;
  const current = timeBoundsOf(before).end;
  if (before[END] !== undefined && timeBoundsOf(after).end < current)
    throw illegalArgumentError(`${END} must be larger than current value [${current}] but was [${String(after[END])}]`);
}
