// `index.mode: time_series`: which fields tell the series of a document, and between which times documents are accepted.
import { DateFormatter } from '../../dates/date-format.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { ValueFormat } from './field-type.ts';
import { END_TIME, ROUTING_PATH, START_TIME } from './time-series-settings.ts';

type Settings = Readonly<Record<string, unknown>>;

/** Column with the identity of the series of each document. */
export const TSID = '_tsid';
/** Column with the dimensions of the series of each document as JSON. */
export const DIMENSIONS = '_tsid._dimensions';
export const TIMESTAMP = '@timestamp';

/** Settings that only time series have. */
const OWN_SETTINGS = [ROUTING_PATH, START_TIME, END_TIME];
/** Settings that time series do not have: they decide the order and the shards of documents themselves. */
const FOREIGN_SETTINGS = ['index.routing_partition_size', ...['field', 'order', 'mode', 'missing'].map((name) => `index.sort.${name}`)];
const TIME_FORMAT = DateFormatter.of('strict_date_optional_time||epoch_millis');

export function isTimeSeries(settings: Settings): boolean {
  return String(settings['index.mode'] ?? '').toLowerCase() === 'time_series';
}

/** Patterns of the fields that decide the shard of a document. */
export function routingPathOf(settings: Settings): readonly string[] {
  const value = settings[ROUTING_PATH];
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value.map(String) : String(value).split(',')).map((path) => path.trim()).filter((path) => path !== '');
}

/** Times of the documents that an index accepts, in milliseconds: from `start`, before `end`. */
export interface TimeBounds {
  readonly start: number;
  readonly end: number;
}

/** A field whose values tell series apart. */
export interface Dimension {
  readonly name: string;
  readonly format: ValueFormat;
  readonly isI64: boolean;
  /** Full names of the dimensions of a flattened field by their keys; null for other fields. */
  readonly keys: ReadonlyMap<string, string> | null;
}

/** Fields of a mapping that the series of a document follows from, by field number. */
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

/** The first and last time that the bounds can name. */
const FIRST_MS = 1;
const LAST_MS = 253_402_300_799_999;

export function timeBoundsOf(settings: Settings): TimeBounds {
  return { start: timeOf(settings, START_TIME, FIRST_MS), end: timeOf(settings, END_TIME, LAST_MS) };
}

/** Checks a bound. @throws ApiError illegal_argument_exception: not a date */
export function checkBound(_name: string, value: string): void {
  TIME_FORMAT.parseMs(value);
}

/** A time as bounds show it: milliseconds only if there are any. */
export function instantText(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** Checks the settings that have to do with time series. @throws ApiError illegal_argument_exception */
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
  if (end < start) throw illegalArgumentError(`${END_TIME} must be larger than ${START_TIME}`);
}

/** Checks a change of the bounds of an open index. @throws ApiError illegal_argument_exception: the end moves back */
export function checkLaterEnd(before: Settings, after: Settings): void {
  if (!isTimeSeries(after) || before[END_TIME] === after[END_TIME]) return;
  const current = timeBoundsOf(before).end;
  if (before[END_TIME] !== undefined && timeBoundsOf(after).end < current)
    throw illegalArgumentError(`${END_TIME} must be larger than current value [${current}] but was [${String(after[END_TIME])}]`);
}
