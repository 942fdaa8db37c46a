// Processors of dates: date parses a string by the first matching format, date_index_name derives an index name from a date.

import type { DateInstant } from '../../dates/date-fields.ts';
import { DateFormatter } from '../../dates/date-format.ts';
import { type TimeZone, UTC, zoneOf } from '../../dates/zones.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { IngestDocument } from '../ingest-document.ts';
import type { ProcessorConfig } from '../processor-config.ts';
import type { ProcessorFactory } from './processor.ts';

const DEFAULT_OUTPUT = "yyyy-MM-dd'T'HH:mm:ss.SSSXXX";
/** TAI64 label of 1970-01-01, in seconds. Leap seconds are ignored except for the initial 10. */
const TAI64_OFFSET = 1n << 62n;
const TAI_AHEAD_SECONDS = 10n;

/** Parses a string; null if it does not match the format. */
type DateParser = (text: string, zone: TimeZone) => DateInstant | null;

function parserOf(format: string): DateParser {
  switch (format) {
    case 'ISO8601': {
      const formatter = DateFormatter.of('strict_date_optional_time');
      const lenient = DateFormatter.of('iso8601');
      return (text, zone) => formatter.tryParse(text, zone) ?? lenient.tryParse(text, zone);
    }
    case 'UNIX':
      return (text) => numeric(text, 1000);
    case 'UNIX_MS':
      return (text) => (/^[+-]?\d+$/.test(text) ? instant(Number(text)) : null);
    case 'TAI64N':
      return parseTai64n;
    default:
      return patternParser(format);
  }
}

function instant(ms: number, nanos = 0): DateInstant {
  return { ms, nanos };
}

function numeric(text: string, factor: number): DateInstant | null {
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? instant(Math.trunc(Number(text) * factor)) : null;
}

/** `@4000000037c219bf2ef02e94`: 16 digits of seconds, 8 of nanoseconds. */
function parseTai64n(text: string): DateInstant | null {
  const match = /^@?([0-9a-fA-F]{16})([0-9a-fA-F]{8})$/.exec(text);
  if (!match) return null;
  const seconds = BigInt(`0x${match[1]}`) - TAI64_OFFSET - TAI_AHEAD_SECONDS;
  const nanos = Number.parseInt(match[2], 16);
  return instant(Number(seconds) * 1000 + Math.floor(nanos / 1e6), nanos % 1e6);
}

/** A pattern without a year means the current one. */
function patternParser(pattern: string): DateParser {
  const formatter = DateFormatter.of(pattern);
  const letters = pattern.replace(/'[^']*'/g, '');
  const hasYear =
    /[yuY]/.test(letters) || /^[a-z0-9]+_/.test(pattern) || pattern.includes('||') || /^(?:iso8601|basic|epoch)/.test(pattern);
  if (hasYear) return (text, zone) => formatter.tryParse(text, zone);
  const withYear = DateFormatter.of(`yyyy ${pattern}`);
  return (text, zone) => withYear.tryParse(`${new Date().getUTCFullYear()} ${text}`, zone);
}

/** Only English names of months and days are supported. */
function checkLocale(config: ProcessorConfig, text: string | null): void {
  if (text !== null && !text.includes('{{') && !/^(?:en|root)\b/i.test(text.replace(/_/g, '-')) && text !== '')
    throw config.error('locale', `locale [${text}] is not supported: dates are read in English`);
}

function formatsOf(config: ProcessorConfig, names: readonly string[]): DateParser[] {
  return names.map((name) => {
    try {
      return parserOf(name);
    } catch (error) {
      if (error instanceof ApiError) throw config.error('formats', `Invalid date format [${name}]: ${error.reason}`);
      throw error;
    }
  });
}

function parseDate(document: IngestDocument, field: string, parsers: readonly DateParser[], zone: TimeZone): DateInstant {
  const value = document.get(field);
  const text = value === null ? '' : String(value);
  for (const parse of parsers) {
    const found = parse(text, zone);
    if (found) return found;
  }
  throw illegalArgumentError(`unable to parse date [${text}]`);
}

function zoneFor(document: IngestDocument, timezone: string | null): TimeZone {
  const id = timezone === null ? '' : document.render(timezone);
  return id === '' ? UTC : zoneOf(id);
}

const date: ProcessorFactory = (config) => {
  const field = config.text('field');
  const target = config.text('target_field', '@timestamp');
  const timezone = config.optionalText('timezone');
  checkLocale(config, config.optionalText('locale'));
  const parsers = formatsOf(config, config.texts('formats'));
  const outputName = config.text('output_format', DEFAULT_OUTPUT);
  let output: DateFormatter;
  try {
    output = DateFormatter.of(outputName);
  } catch {
    throw config.error('output_format', `invalid output format [${outputName}]`);
  }
  if (timezone !== null && !timezone.includes('{{')) zoneOf(timezone);
  return (document) => {
    const zone = zoneFor(document, timezone);
    const { ms, nanos } = parseDate(document, field, parsers, zone);
    document.set(target, output.print(ms, zone, nanos));
  };
};

const ROUNDINGS = ['y', 'M', 'w', 'd', 'h', 'm', 's'];

const dateIndexName: ProcessorFactory = (config) => {
  const field = config.text('field');
  const prefix = config.template('index_name_prefix', '');
  const rounding = config.template('date_rounding');
  const timezone = config.text('timezone', 'UTC');
  checkLocale(config, config.optionalText('locale'));
  const names = config.optionalList('date_formats')?.map(String) ?? ["yyyy-MM-dd'T'HH:mm:ss.SSSXX"];
  const parsers = formatsOf(config, names);
  const format = config.template('index_name_format', 'yyyy-MM-dd');
  const zone = zoneOf(timezone);
  return (document) => {
    const unit = document.render(rounding);
    if (!ROUNDINGS.includes(unit)) throw illegalArgumentError(`rounding unit [${unit}] is not supported: one of ${ROUNDINGS.join(', ')}`);
    const pattern = document.render(format);
    const day = DateFormatter.of(pattern).print(parseDate(document, field, parsers, zone).ms, zone);
    document.set('_index', `<${document.render(prefix)}{${day}||/${unit}{${pattern}|${timezone}}}>`);
  };
};

export const DATE_PROCESSORS: Readonly<Record<string, ProcessorFactory>> = { date, date_index_name: dateIndexName };
