// `index.sort.*`: the order of the documents in a segment.
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { FieldType } from './field-type.ts';
import { isTimeSeries, TIMESTAMP, TSID } from './time-series.ts';

/** One sort key. */
export interface IndexSortKey {
  readonly field: string;
  readonly descending: boolean;
  /** The greatest of several values counts; if false, the least. */
  readonly greatest: boolean;
  readonly missingFirst: boolean;
}

type Settings = Readonly<Record<string, unknown>>;

function listOf(settings: Settings, name: string): string[] {
  const value = settings[`index.sort.${name}`];
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value.map(String) : String(value).split(',');
}

/** Whether an index holds logs (`index.mode`). */
export function isLogsMode(settings: Settings): boolean {
  return String(settings['index.mode'] ?? '').toLowerCase() === 'logsdb';
}

/** The order of logs, unless the index has another: the documents of a host together, the newest first. */
const LOGS_SORT: readonly IndexSortKey[] = ['host.name', '@timestamp'].map((field) => ({
  field,
  descending: true,
  greatest: false,
  missingFirst: true,
}));

/** The order of time series: the documents of a series together, the newest first. */
const SERIES_SORT: readonly IndexSortKey[] = [
  { field: TSID, descending: false, greatest: false, missingFirst: false },
  { field: TIMESTAMP, descending: true, greatest: true, missingFirst: false },
];

/** Whether segments are sorted. */
export function hasIndexSort(settings: Settings): boolean {
  return settings['index.sort.field'] !== undefined || isLogsMode(settings) || isTimeSeries(settings);
}

/** Sort keys of an index with valid settings; empty for the order of indexing. */
export function readIndexSort(settings: Settings): readonly IndexSortKey[] {
  if (settings['index.sort.field'] === undefined && isLogsMode(settings)) return LOGS_SORT;
  if (isTimeSeries(settings)) return SERIES_SORT;
  const orders = listOf(settings, 'order');
  const modes = listOf(settings, 'mode');
  const missing = listOf(settings, 'missing');
  return listOf(settings, 'field').map((field, i) => {
    const descending = orders[i] === 'desc';
    return { field, descending, greatest: (modes[i] ?? (descending ? 'max' : 'min')) === 'max', missingFirst: missing[i] === '_first' };
  });
}

/** Types with sortable columns; others have no plain order of values (half_float and unsigned_long are not supported by Elasticsearch either). */
const SORTED_TYPES = new Set([
  ...['keyword', TSID, 'ip', 'boolean', 'date', 'date_nanos', 'byte', 'short', 'integer', 'long', 'float', 'double', 'scaled_float'],
]);

/**
 * @param field  name of a mapped field
 * @throws ApiError illegal_argument_exception
 */
export function checkIndexSort(settings: Settings, field: (name: string) => FieldType | null): void {
  const given = listOf(settings, 'field');
  const fields = given.length > 0 ? given : readIndexSort(settings).map((key) => key.field);
  const check = (name: string, allowed: readonly string[], message: (value: string) => string): void => {
    const values = listOf(settings, name);
    if (values.length > 0 && given.length === 0)
      throw illegalArgumentError(`setting [index.sort.${name}] requires that [index.sort.field] is set`);
    if (values.length > 0 && values.length !== fields.length)
      throw illegalArgumentError(`index.sort.field:[${fields.join(', ')}] index.sort.${name}:[${values.join(', ')}], size mismatch`);
    for (const value of values) if (!allowed.includes(value)) throw illegalArgumentError(message(value));
  };
  check('order', ['asc', 'desc'], (value) => `Illegal sort order:${value}`);
  check('mode', ['min', 'max'], (value) => `Illegal sort mode: ${value}`);
  check('missing', ['_first', '_last'], (value) => `Illegal missing value:[${value}], must be one of [_last, _first]`);
  for (const name of fields) {
    const type = field(name);
    if (type === null) throw illegalArgumentError(`unknown index sort field:[${name}]`);
    if (!type.isAggregatable || type.spec.column === 'none')
      throw illegalArgumentError(`docvalues not found for index sort field:[${name}]`);
    if (type.name !== name || !SORTED_TYPES.has(type.typeName)) throw illegalArgumentError(`invalid index sort field:[${name}]`);
  }
}
