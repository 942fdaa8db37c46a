// integer_range, long_range, float_range, double_range, date_range, ip_range: a binary column of ranges (range-encoding.ts).

import { javaText } from '../../common/text/java-text.ts';
import { DateFormatter } from '../../dates/date-format.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import type { RangeBounds, RangeSpec, ValueFormat } from '../core/field-type.ts';
import type { DocumentContext, FieldDefinition, Mapper, MapperType } from '../core/mapper.ts';
import { boolParam, COMMON_PARAMS } from '../core/params.ts';
import { neighbourIp, parseCidr, parseIp } from '../values/ip-address.ts';
import { numberBounds } from '../values/number-values.ts';
import { type EncodedRange, encodeRange, type RangeKind, rangeKindOf } from '../values/range-encoding.ts';
import { utf8 } from '../values/utf8.ts';
import { dateFormatOf, RAW_FORMAT } from '../values/value-formats.ts';
import { BaseFieldType, NO_SPEC } from './base-field-type.ts';
import { DATE_FORMAT_PARAM, DEFAULT_DATE_FORMAT, dateBounds, dateText, LOCALE_PARAM } from './date.ts';

const LOWEST_IP = new Uint8Array(16);
const HIGHEST_IP = new Uint8Array(16).fill(255);

interface Ends {
  from: unknown;
  to: unknown;
  includeFrom: boolean;
  includeTo: boolean;
}

/** @throws ApiError mapper_parsing_exception: unknown key */
function readEnds(value: unknown, path: string): Ends {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw mapperParsingError(`error parsing field [${path}], expected an object but got ${javaText(value)}`);
  }
  const ends: Ends = { from: null, to: null, includeFrom: true, includeTo: true };
  for (const [key, end] of Object.entries(value)) {
    if (key === 'gt' || key === 'gte' || key === 'from') {
      ends.from = end;
      ends.includeFrom = key !== 'gt';
    } else if (key === 'lt' || key === 'lte' || key === 'to') {
      ends.to = end;
      ends.includeTo = key !== 'lt';
    } else if (key === 'include_lower') ends.includeFrom = end === true;
    else if (key === 'include_upper') ends.includeTo = end === true;
    else throw mapperParsingError(`error parsing field [${path}], with unknown parameter [${key}]`);
  }
  return ends;
}

function ipEnds(ends: Ends): EncodedRange {
  let from: Uint8Array | null = ends.from === null ? LOWEST_IP : parseIp(javaText(ends.from));
  let to: Uint8Array | null = ends.to === null ? HIGHEST_IP : parseIp(javaText(ends.to));
  if (ends.from !== null && !ends.includeFrom) from = neighbourIp(from, 1);
  if (ends.to !== null && !ends.includeTo) to = neighbourIp(to, -1);
  if (from === null || to === null || Buffer.compare(from, to) > 0)
    throw illegalArgumentError(`min value (${javaText(ends.from)}) is greater than max value (${javaText(ends.to)})`);
  return { from, to };
}

export class RangeFieldType extends BaseFieldType {
  readonly kind: RangeKind;
  readonly formatter: DateFormatter | null;

  constructor(definition: FieldDefinition, formatter: DateFormatter | null, options: ConstructorParameters<typeof BaseFieldType>[1]) {
    super(definition, options);
    this.kind = rangeKindOf(definition.type);
    this.formatter = formatter;
  }

  /** Bounds of a query's range as values of the field: i64, f64, or bytes of addresses. */
  override rangeBounds(range: RangeSpec): RangeBounds {
    if (this.kind === 'ip') {
      const text = javaText(range.from);
      if (range.from === range.to && text.includes('/')) {
        return { kind: 'bytes', ...parseCidr(text), includeFrom: true, includeTo: true, empty: false };
      }
      const ends = ipEnds({ ...range, from: range.from ?? null, to: range.to ?? null });
      return { kind: 'bytes', from: ends.from as Uint8Array, to: ends.to as Uint8Array, includeFrom: true, includeTo: true, empty: false };
    }
    if (this.formatter) {
      const { min, max } = dateBounds(range, this.formatter, false);
      return { kind: 'i64', min, max, empty: min > max };
    }
    return numberBounds(this.typeName.replace('_range', '') as 'integer', range);
  }

  override format(format: string | null, timeZone: string | null): ValueFormat {
    return this.formatter
      ? dateFormatOf(format, this.formatter, timeZone, false)
      : format === null
        ? RAW_FORMAT
        : super.format(format, timeZone);
  }

  /** Range of a document. @throws ApiError */
  parse(value: unknown): EncodedRange {
    if (this.kind === 'ip' && typeof value === 'string') return parseCidr(value);
    const ends = readEnds(value, this.name);
    if (this.kind === 'ip') return ipEnds(ends);
    if (this.formatter) checkDates(ends, this.formatter);
    const bounds = this.rangeBounds({ ...ends, format: null, timeZone: null, nowMs: Date.now() }) as Exclude<
      RangeBounds,
      { kind: 'bytes' }
    >;
    if (bounds.empty) throw illegalArgumentError(`min value (${bounds.min}) is greater than max value (${bounds.max})`);
    return { from: bounds.min, to: bounds.max };
  }
}

/** Dates in documents do not support date math. */
function checkDates(ends: Ends, formatter: DateFormatter): void {
  for (const end of [ends.from, ends.to]) {
    if (end === null || formatter.tryParse(dateText(end))) continue;
    throw new ApiError('date_time_parse_exception', 400, `Text '${dateText(end)}' could not be parsed at index 0`);
  }
}

class RangeMapper implements Mapper {
  readonly takesArrays = false;
  readonly refusal = 'value';
  readonly nullValue = undefined;
  readonly ignoreMalformed = false;
  readonly #path: Uint8Array;

  constructor(
    readonly fieldType: RangeFieldType,
    readonly field: number,
  ) {
    this.#path = utf8(fieldType.name);
  }

  index(context: DocumentContext, value: unknown): void {
    const range = this.fieldType.parse(value);
    if (this.fieldType.spec.column === 'none') context.exists(this.#path);
    else context.appendBinary(this.field, encodeRange(this.fieldType.kind, range));
  }
}

function rangeType(isDate: boolean): MapperType {
  return {
    params: {
      ...COMMON_PARAMS,
      coerce: boolParam(true, true),
      ...(isDate ? { format: DATE_FORMAT_PARAM, locale: LOCALE_PARAM } : {}),
    },
    create(definition) {
      const index = definition.get<boolean>('index');
      const docValues = definition.get<boolean>('doc_values');
      const spec = { ...NO_SPEC, name: definition.path, column: index || docValues ? 'binary' : 'none' } as const;
      const formatter = isDate ? DateFormatter.of(definition.get<string | undefined>('format') ?? DEFAULT_DATE_FORMAT) : null;
      const fieldType = new RangeFieldType(definition, formatter, {
        spec,
        family: 'range',
        isSearchable: index || docValues,
        isAggregatable: docValues,
      });
      return new RangeMapper(fieldType, definition.field(spec));
    },
  };
}

export const RANGE_TYPES: Readonly<Record<string, MapperType>> = {
  integer_range: rangeType(false),
  long_range: rangeType(false),
  float_range: rangeType(false),
  double_range: rangeType(false),
  date_range: rangeType(true),
  ip_range: rangeType(false),
};
