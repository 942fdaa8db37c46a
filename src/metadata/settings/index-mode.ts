// `index.mode`: what an index of logs has that others do not: a timestamp in each document, synthetic sources, an order by host and time.
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import type { Dialect } from '../../compat/dialect.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { isLogsMode } from '../../mapping/core/index-sort.ts';
import { timestampMark } from '../../mapping/core/timestamp-field.ts';

const MODES: readonly string[] = ['standard', 'time_series', 'logsdb'];

/** @throws ApiError illegal_argument_exception: an unknown mode, or time_series, which is not supported */
export function checkMode(_name: string, value: string): void {
  const mode = value.toLowerCase();
  if (!MODES.includes(mode)) throw illegalArgumentError(`No enum constant org.elasticsearch.index.IndexMode.${value.toUpperCase()}`);
  if (mode === 'time_series') throw illegalArgumentError('[index.mode=time_series] is not supported');
}

/** @param timestamp  type of the field `@timestamp` @throws ApiError illegal_argument_exception: an index of logs has no dates there */
export function checkTimestampType(settings: Readonly<Record<string, unknown>>, timestamp: string | undefined): void {
  if (!isLogsMode(settings) || timestamp === 'date' || timestamp === 'date_nanos') return;
  throw illegalArgumentError(`data stream timestamp field [@timestamp] is of type [${timestamp}], but [date,date_nanos] is expected`);
}

/**
 * The mapping below those of templates and of the request.
 * @throws ApiError illegal_argument_exception: the server that the dialect speaks for has no modes
 */
export function mappingOfMode(settings: Readonly<Record<string, unknown>>, { hasSourceModes }: Dialect): MutableJsonObject {
  if (settings['index.mode'] !== undefined && !hasSourceModes) throw illegalArgumentError('unknown setting [index.mode]');
  if (!isLogsMode(settings)) return {};
  return {
    _data_stream_timestamp: timestampMark('@timestamp'),
    _source: { mode: 'synthetic' },
    properties: {
      '@timestamp': { type: 'date' },
      host: { properties: { name: { type: 'keyword', ignore_above: 1024 } } },
    },
  };
}
