// date (epoch ms) and date_nanos (epoch ns), i64 columns. A second column has the milliseconds of date_nanos, with which aggregations compute.

import { javaText } from '../../common/text/java-text.ts';
import type { Dialect } from '../../compat/dialect.ts';
import type { DateInstant } from '../../dates/date-fields.ts';
import { DateFormatter, numberText } from '../../dates/date-format.ts';
import { parseDateMath } from '../../dates/date-math.ts';
import { UTC, zoneOf } from '../../dates/zones.ts';
import { asCause } from '../../errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import type { RangeBounds, RangeSpec, ValueFormat } from '../core/field-type.ts';
import type { DocumentContext, FieldDefinition, Mapper, MapperType } from '../core/mapper.ts';
import { boolParam, COMMON_PARAMS, NO_EFFECT_PARAMS, ON_SCRIPT_ERROR, type Param } from '../core/params.ts';
import { dateFormatOf } from '../values/value-formats.ts';
import { BaseFieldType, NO_SPEC } from './base-field-type.ts';
import { existsPathOf } from './exists-path.ts';
import { scalarText } from './keyword.ts';

export const DEFAULT_DATE_FORMAT = 'strict_date_optional_time||epoch_millis';
const NINE_DIGITS_FORMAT = 'strict_date_optional_time_nanos||epoch_millis';

/** Nanoseconds are always stored; some servers show milliseconds unless a format asks for more. */
function defaultFormat(nanos: boolean, dialect: Dialect): string {
  return nanos && dialect.printsNanos ? NINE_DIGITS_FORMAT : DEFAULT_DATE_FORMAT;
}

const NANOS_PER_MS = 1_000_000n;
const MIN_I64 = -(2n ** 63n);
const MAX_I64 = 2n ** 63n - 1n;

/** String form of a value from a query or document, to be parsed. */
export function dateText(value: unknown): string {
  return typeof value === 'number' ? numberText(value) : typeof value === 'object' ? javaText(value) : String(value);
}

function toNanos({ ms, nanos }: DateInstant): bigint {
  return BigInt(ms) * NANOS_PER_MS + BigInt(nanos);
}

/** As Instant.toString: a fraction of 0, 3, 6 or 9 digits. */
function instantText({ ms, nanos }: DateInstant): string {
  const fraction = String((((ms % 1000) + 1000) % 1000) * 1e6 + nanos)
    .padStart(9, '0')
    .replace(/(?:000)+$/, '');
  // A Date reaches the year 275,760; the calendar repeats after 400 years.
  const cycles = Math.floor(ms / MS_PER_400_YEARS);
  const [, years, rest] = /^(\d+)(.*)\.\d+Z$/.exec(new Date(ms - cycles * MS_PER_400_YEARS).toISOString()) ?? [];
  return `${yearText(Number(years) + cycles * 400)}${rest}${fraction === '' ? '' : `.${fraction}`}Z`;
}

const MS_PER_400_YEARS = 146_097 * 86_400_000;

function yearText(year: number): string {
  const sign = year < 0 ? '-' : year > 9999 ? '+' : '';
  return `${sign}${String(Math.abs(year)).padStart(4, '0')}`;
}

/** @throws ApiError illegal_argument_exception: before 1970 or after 2262 */
function checkedNanos(instant: DateInstant): bigint {
  const text = (): string => instantText(instant);
  if (instant.ms < 0)
    throw illegalArgumentError(`date[${text()}] is before the epoch in 1970 and cannot be stored in nanosecond resolution`);
  const nanos = toNanos(instant);
  if (nanos > MAX_I64) {
    throw illegalArgumentError(`date[${text()}] is after 2262-04-11T23:47:16.854775807 and cannot be stored in nanosecond resolution`);
  }
  return nanos;
}

/** Bounds in ms or ns: date math rounds up for inclusive upper and exclusive lower bounds. */
export function dateBounds(range: RangeSpec, formatter: DateFormatter, nanos: boolean): { min: bigint; max: bigint } {
  const own = range.format === null ? formatter : DateFormatter.of(range.format);
  const zone = range.timeZone === null ? UTC : zoneOf(range.timeZone);
  const raw = (value: unknown, roundUp: boolean): bigint => {
    const instant = parseDateMath(dateText(value), own, range.nowMs, roundUp, zone);
    return nanos ? checkedNanos(instant) : BigInt(instant.ms);
  };
  let min = MIN_I64;
  let max = MAX_I64;
  if (range.from !== null && range.from !== undefined) min = raw(range.from, !range.includeFrom) + (range.includeFrom ? 0n : 1n);
  if (range.to !== null && range.to !== undefined) max = raw(range.to, range.includeTo) - (range.includeTo ? 0n : 1n);
  return { min: min < MIN_I64 ? MIN_I64 : min, max: max > MAX_I64 ? MAX_I64 : max };
}

class DateFieldType extends BaseFieldType {
  readonly formatter: DateFormatter;
  readonly #nanos: boolean;

  constructor(
    definition: FieldDefinition,
    formatter: DateFormatter,
    nanos: boolean,
    options: ConstructorParameters<typeof BaseFieldType>[1],
  ) {
    super(definition, options);
    this.formatter = formatter;
    this.#nanos = nanos;
  }

  /** The instant of a value. A term query on a date is a range over its unspecified fields: use `rangeBounds` with from = to. */
  override exactValue(value: unknown): bigint {
    const instant = parseDateMath(dateText(value), this.formatter, Date.now(), false);
    return this.#nanos ? checkedNanos(instant) : BigInt(instant.ms);
  }

  override rangeBounds(range: RangeSpec): RangeBounds {
    const { min, max } = dateBounds(range, this.formatter, this.#nanos);
    return { kind: 'i64', min, max, empty: min > max };
  }

  override format(format: string | null, timeZone: string | null): ValueFormat {
    return dateFormatOf(format, this.formatter, timeZone, this.#nanos);
  }
}

class DateMapper implements Mapper {
  readonly takesArrays = false;
  readonly refusal = 'value';
  readonly ignoreMalformed: boolean;
  readonly nullValue: unknown;
  readonly #hasColumn: boolean;
  readonly #existsPath: Uint8Array | null;
  readonly #nanos: boolean;

  constructor(
    definition: FieldDefinition,
    readonly fieldType: DateFieldType,
    readonly field: number,
    nanos: boolean,
    readonly millisField: number | null,
  ) {
    this.nullValue = definition.get('null_value');
    this.ignoreMalformed = definition.get('ignore_malformed');
    this.#nanos = nanos;
    this.#hasColumn = fieldType.spec.column !== 'none';
    this.#existsPath = existsPathOf(definition, fieldType.spec);
  }

  index(context: DocumentContext, value: unknown): void {
    const raw = this.#nanos
      ? checkedNanos(this.fieldType.formatter.parse(typeof value === 'number' ? numberText(value) : scalarText(value)))
      : this.fieldType.formatter.parseMs(typeof value === 'number' ? value : scalarText(value));
    if (this.#hasColumn) context.sink.i64(this.field, raw);
    else if (this.#existsPath !== null) context.exists(this.#existsPath);
    if (this.millisField !== null) context.sink.i64(this.millisField, BigInt(raw) / NANOS_PER_MS);
  }
}

export const DATE_FORMAT_PARAM: Param = {
  parse(value, { name }) {
    const pattern = javaText(value);
    try {
      DateFormatter.of(pattern);
    } catch (error) {
      throw illegalArgumentError(`Error parsing [format] on field [${name}]: ${(error as Error).message}`, asCause(error));
    }
    return pattern;
  },
  fallback: undefined,
  updatable: false,
};

/** Names of months and weekdays are always English. */
export const LOCALE_PARAM: Param = {
  parse(value) {
    const locale = javaText(value);
    if (!/^(?:|root|en(?:[-_].*)?)$/i.test(locale))
      throw mapperParsingError(`locale [${locale}] is not supported: names in dates are English`);
    return locale;
  },
  fallback: undefined,
  updatable: false,
};

function dateType(nanos: boolean): MapperType {
  return {
    params: {
      ...COMMON_PARAMS,
      ...NO_EFFECT_PARAMS,
      format: DATE_FORMAT_PARAM,
      print_format: DATE_FORMAT_PARAM,
      locale: LOCALE_PARAM,
      ignore_malformed: boolParam(false, true),
      null_value: {
        parse: (value) => (value === null ? undefined : typeof value === 'number' ? value : javaText(value)),
        fallback: undefined,
        updatable: false,
      },
      on_script_error: ON_SCRIPT_ERROR,
    },
    validate({ given, name }) {
      if (given.null_value === undefined) return;
      const formatter = DateFormatter.of((given.format as string | undefined) ?? DEFAULT_DATE_FORMAT);
      try {
        formatter.parse(dateText(given.null_value));
      } catch (error) {
        throw mapperParsingError(`Error parsing [null_value] on field [${name}]: ${(error as Error).message}`, asCause(error));
      }
    },
    create(definition) {
      const index = definition.get<boolean>('index');
      const docValues = definition.get<boolean>('doc_values');
      const formatter = DateFormatter.of(definition.get<string | undefined>('format') ?? defaultFormat(nanos, definition.dialect));
      const spec = { ...NO_SPEC, name: definition.path, column: index || docValues ? 'i64' : 'none' } as const;
      const fieldType = new DateFieldType(definition, formatter, nanos, {
        spec,
        family: 'date',
        isSearchable: index || docValues,
        isAggregatable: docValues,
      });
      const field = definition.field(spec);
      if (!nanos || !docValues) return new DateMapper(definition, fieldType, field, nanos, null);
      const millis = { ...spec, name: `${definition.path}._millis` };
      fieldType.aggregated = new DateFieldType({ ...definition, path: millis.name }, formatter, false, {
        spec: millis,
        family: 'date',
        isSearchable: false,
        isAggregatable: true,
      });
      return new DateMapper(definition, fieldType, field, nanos, definition.field(millis));
    },
  };
}

export const DATE_TYPES: Readonly<Record<string, MapperType>> = { date: dateType(false), date_nanos: dateType(true) };
