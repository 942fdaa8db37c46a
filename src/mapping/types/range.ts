// integer_range, long_range, float_range, double_range, date_range, ip_range: a binary column of ranges (range-encoding.ts).

import { javaText } from '../../common/text/java-text.ts';
import { DateFormatter } from '../../dates/date-format.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import type { RangeBounds, RangeSpec, ValueFormat } from '../core/field-type.ts';
import type { DocumentContext, FieldDefinition, Mapper, MapperType } from '../core/mapper.ts';
import { COMMON_PARAMS, explicitParam } from '../core/params.ts';
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

/** The part of the document's parser that errors need. */
type Blame = Pick<DocumentContext, 'memberName' | 'blame'>;
const NOBODY: Blame = { memberName: null, blame: () => {} };

/** @throws ApiError mapper_parsing_exception: unknown key */
function readEnds(value: unknown, path: string, context: Blame): Ends {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw mapperParsingError(`error parsing field [${path}], expected an object but got ${context.memberName}`);
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
    else {
      context.blame(end);
      throw mapperParsingError(`error parsing field [${path}], with unknown parameter [${key}]`);
    }
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

  /** Range of a document. @param context  learns which part of the value an error is about. @throws ApiError */
  parse(value: unknown, context: Blame = NOBODY): EncodedRange {
    if (this.kind === 'ip' && typeof value === 'string') return parseCidr(value);
    const ends = readEnds(value, this.name, context);
    const whole = { ...ends, format: null, timeZone: null, nowMs: Date.now() };
    // Each end is read alone first: an error shows the end that it is about.
    for (const [end, other] of ENDS) {
      context.blame(ends[end]);
      if (this.kind === 'ip') ipEnds({ ...whole, [other]: null });
      else if (this.formatter) checkDate(ends[end], this.formatter);
      else this.rangeBounds({ ...whole, [other]: null });
    }
    context.blame(null);
    if (this.kind === 'ip') return ipEnds(ends);
    const bounds = this.rangeBounds(whole) as Exclude<RangeBounds, { kind: 'bytes' }>;
    if (bounds.empty) throw illegalArgumentError(`min value (${this.#lowest(whole)}) is greater than max value (${this.#highest(whole)})`);
    return { from: bounds.min, to: bounds.max };
  }

  /** The lower bound alone, as errors show it. */
  #lowest(range: RangeSpec): unknown {
    return (this.rangeBounds({ ...range, to: null }) as { min: unknown }).min;
  }

  #highest(range: RangeSpec): unknown {
    return (this.rangeBounds({ ...range, from: null }) as { max: unknown }).max;
  }
}

const ENDS = [
  ['from', 'to'],
  ['to', 'from'],
] as const;

/** Dates in documents do not support date math. @throws ApiError date_time_parse_exception */
function checkDate(end: unknown, formatter: DateFormatter): void {
  if (end === null || formatter.tryParse(dateText(end))) return;
  throw new ApiError('date_time_parse_exception', 400, `Text '${dateText(end)}' could not be parsed at index 0`);
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
    const range = this.fieldType.parse(value, context);
    if (this.fieldType.spec.column === 'none') context.exists(this.#path);
    else context.appendBinary(this.field, encodeRange(this.fieldType.kind, range));
  }
}

function rangeType(isDate: boolean): MapperType {
  return {
    params: {
      ...COMMON_PARAMS,
      coerce: explicitParam(true),
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
