// `index.mode`: what indices of logs and of time series have that others do not: a timestamp in each document, synthetic sources, an order by host
// or series and time.
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import type { Dialect } from '../../compat/dialect.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { isLogsMode } from '../../mapping/core/index-sort.ts';
import { checkTimeSeriesSettings } from '../../mapping/core/time-bounds.ts';
import { isTimeSeries } from '../../mapping/core/time-series.ts';
import { timestampMark } from '../../mapping/core/timestamp-field.ts';

const MODES: readonly string[] = ['standard', 'time_series', 'logsdb'];

/** @throws ApiError illegal_argument_exception: an unknown mode */
export function checkMode(_name: string, value: string): void {
  const mode = value.toLowerCase();
  if (!MODES.includes(mode)) throw illegalArgumentError(`No enum constant org.elasticsearch.index.IndexMode.${value.toUpperCase()}`);
}

/** @param timestamp  type of the field `@timestamp` @throws ApiError illegal_argument_exception: an index of logs or time series has no dates there */
export function checkTimestampType(settings: Readonly<Record<string, unknown>>, timestamp: string | undefined): void {
  if (!(isLogsMode(settings) || isTimeSeries(settings)) || timestamp === 'date' || timestamp === 'date_nanos') return;
  throw illegalArgumentError(`data stream timestamp field [@timestamp] is of type [${timestamp}], but [date,date_nanos] is expected`);
}

/**
 * The mapping below those of templates and of the request.
 * @param needsRoutingPath  false if the routing path follows from the mapping, as in data streams
 * @throws ApiError illegal_argument_exception: the server that the dialect speaks for has no modes
 */
export function mappingOfMode(
  settings: Readonly<Record<string, unknown>>,
  { hasSourceModes }: Dialect,
  needsRoutingPath: boolean,
): MutableJsonObject {
  if (settings['index.mode'] !== undefined && !hasSourceModes) throw illegalArgumentError('unknown setting [index.mode]');
  checkTimeSeriesSettings(settings, needsRoutingPath);
  const timed = { _data_stream_timestamp: timestampMark('@timestamp'), _source: { mode: 'synthetic' } };
  if (isTimeSeries(settings)) return { ...timed, properties: { '@timestamp': { type: 'date' } } };
  if (!isLogsMode(settings)) return {};
  return {
    ...timed,
    properties: {
      '@timestamp': { type: 'date' },
      host: { properties: { name: { type: 'keyword', ignore_above: 1024 } } },
    },
  };
}
