// Numbers: byte, short, integer, long, unsigned_long (i64 columns), float, half_float, double (f64 columns), scaled_float (scaled i64).

import { javaDouble, javaText } from '../../common/text/java-text.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import type { RangeBounds, RangeSpec, ValueFormat } from '../core/field-type.ts';
import type { DocumentContext, FieldDefinition, Mapper, MapperType } from '../core/mapper.ts';
import {
  boolParam,
  COMMON_PARAMS,
  DIMENSION_PARAM,
  explicitParam,
  metricParam,
  NO_EFFECT_PARAMS,
  ON_SCRIPT_ERROR,
  type Param,
} from '../core/params.ts';
import {
  decimalToInteger,
  EMPTY_I64,
  type FloatType,
  floatBounds,
  type IntegerType,
  LIMITS,
  MAX_UNSIGNED,
  notNumericError,
  numberBounds,
  parseFloatValue,
  parseIntegerValue,
  parseUnsigned,
  parseWholeNumber,
  queryText,
  roundFloat,
  toDouble,
  toLong,
  UNSIGNED_SHIFT,
} from '../values/number-values.ts';
import { utf8 } from '../values/utf8.ts';
import { DOUBLE_FORMAT, decimalFormat, jsonInteger, RAW_FORMAT, scaledFormat, UNSIGNED_FORMAT } from '../values/value-formats.ts';
import { BaseFieldType, NO_SPEC } from './base-field-type.ts';
import { existsPathOf } from './exists-path.ts';

class IntegerFieldType extends BaseFieldType {
  readonly #type: IntegerType | 'unsigned_long';
  constructor(definition: FieldDefinition, type: IntegerType | 'unsigned_long', options: ConstructorParameters<typeof BaseFieldType>[1]) {
    super(definition, { ...options, unsigned: type === 'unsigned_long' });
    this.#type = type;
  }

  #limits(): { min: bigint; max: bigint } {
    return this.#type === 'unsigned_long' ? { min: 0n, max: MAX_UNSIGNED } : LIMITS[this.#type];
  }

  #raw(value: bigint): bigint {
    return this.unsigned ? value - UNSIGNED_SHIFT : value;
  }

  override termBytes(value: unknown): Uint8Array {
    return utf8(String(this.exactValue(value)));
  }

  override exactValue(value: unknown): bigint | null {
    const { value: integer, hasFraction } = decimalToInteger(queryText(value));
    const { min, max } = this.#limits();
    return hasFraction || integer < min || integer > max ? null : this.#raw(integer);
  }

  override rangeBounds(range: RangeSpec): RangeBounds {
    const bounds = numberBounds(this.#type, range);
    if (bounds.kind !== 'i64' || bounds.empty) return bounds;
    return { ...bounds, min: this.#raw(bounds.min), max: this.#raw(bounds.max) };
  }

  override format(format: string | null, timeZone: string | null): ValueFormat {
    refuseZone(this, timeZone);
    if (format === null) return this.unsigned ? UNSIGNED_FORMAT : RAW_FORMAT;
    return decimalFormat(format, this.unsigned ? (raw) => Number(typeof raw === 'bigint' ? raw + UNSIGNED_SHIFT : raw) : Number);
  }
}

function refuseZone(type: BaseFieldType, timeZone: string | null): void {
  if (timeZone !== null) throw illegalArgumentError(`Field [${type.name}] of type [${type.typeName}] does not support custom time zones`);
}

class FloatFieldType extends BaseFieldType {
  readonly #type: FloatType;
  constructor(definition: FieldDefinition, type: FloatType, options: ConstructorParameters<typeof BaseFieldType>[1]) {
    super(definition, options);
    this.#type = type;
  }

  override exactValue(value: unknown): number | null {
    const number = roundFloat(toDouble(queryText(value)), this.#type);
    if (!Number.isFinite(number)) throw illegalArgumentError(`[${this.#type}] supports only finite values, but got [${javaText(value)}]`);
    return number;
  }

  override rangeBounds(range: RangeSpec): RangeBounds {
    return floatBounds(this.#type, range);
  }

  override format(format: string | null, timeZone: string | null): ValueFormat {
    refuseZone(this, timeZone);
    return format === null ? DOUBLE_FORMAT : decimalFormat(format, Number);
  }
}

class ScaledFloatFieldType extends BaseFieldType {
  readonly #factor: number;
  constructor(definition: FieldDefinition, factor: number, options: ConstructorParameters<typeof BaseFieldType>[1]) {
    super(definition, { ...options, scale: 1 / factor });
    this.#factor = factor;
  }

  override exactValue(value: unknown): bigint {
    return toLong(Math.floor(toDouble(queryText(value)) * this.#factor + 0.5));
  }

  override rangeBounds(range: RangeSpec): RangeBounds {
    let min = LIMITS.long.min;
    let max = LIMITS.long.max;
    // Bounds are rounded as values are: 19.99 * 100 is less than 1999 in doubles.
    if (range.from !== null && range.from !== undefined) {
      min = this.exactValue(range.from);
      if (!range.includeFrom) {
        if (min === max) return EMPTY_I64;
        min++;
      }
    }
    if (range.to !== null && range.to !== undefined) {
      max = this.exactValue(range.to);
      if (!range.includeTo) {
        if (max === LIMITS.long.min) return EMPTY_I64;
        max--;
      }
    }
    return min > max ? EMPTY_I64 : { kind: 'i64', min, max, empty: false };
  }

  override format(format: string | null, timeZone: string | null): ValueFormat {
    refuseZone(this, timeZone);
    return format === null
      ? scaledFormat(this.scale)
      : decimalFormat(format, (raw) => (typeof raw === 'bigint' ? Number(raw) * this.scale : raw));
  }
}

// ---------------------------------------------------------------------------------------------------------- index

class IntegerMapper implements Mapper {
  readonly takesArrays = false;
  readonly refusal = 'value';
  readonly fieldType: BaseFieldType;
  readonly nullValue: unknown;
  readonly ignoreMalformed: boolean;
  readonly #field: number;
  readonly #type: IntegerType;
  readonly #coerce: boolean;
  readonly #min: number;
  readonly #max: number;
  readonly #hasColumn: boolean;
  readonly #existsPath: Uint8Array | null;

  constructor(definition: FieldDefinition, type: IntegerType, fieldType: BaseFieldType, field: number) {
    this.fieldType = fieldType;
    this.#field = field;
    this.#type = type;
    this.#coerce = definition.get('coerce');
    this.nullValue = definition.get('null_value');
    this.ignoreMalformed = definition.get('ignore_malformed');
    this.#min = Math.max(Number(LIMITS[type].min), Number.MIN_SAFE_INTEGER);
    this.#max = Math.min(Number(LIMITS[type].max), Number.MAX_SAFE_INTEGER);
    this.#hasColumn = fieldType.spec.column !== 'none';
    this.#existsPath = existsPathOf(definition, fieldType.spec);
  }

  index(context: DocumentContext, value: unknown): void {
    if (typeof value === 'number' && value >= this.#min && value <= this.#max && Number.isInteger(value)) {
      this.#write(context, value);
    } else if (value === '' && this.#coerce) {
      if (this.nullValue !== undefined) this.index(context, this.nullValue);
    } else {
      this.#write(context, parseIntegerValue(value, this.#type, this.#coerce));
    }
  }

  #write(context: DocumentContext, value: number | bigint): void {
    if (this.#hasColumn) context.sink.i64(this.#field, value);
    else if (this.#existsPath !== null) context.exists(this.#existsPath);
  }
}

/** Floats, scaled floats and unsigned longs: `convert` returns the raw value. */
class ConvertedMapper implements Mapper {
  readonly takesArrays = false;
  readonly refusal = 'value';
  readonly nullValue: unknown;
  readonly ignoreMalformed: boolean;
  readonly #coerce: boolean;
  readonly #isFloat: boolean;
  readonly #hasColumn: boolean;
  readonly #existsPath: Uint8Array | null;

  constructor(
    definition: FieldDefinition,
    readonly fieldType: BaseFieldType,
    readonly field: number,
    readonly convert: (value: unknown, coerce: boolean) => number | bigint,
  ) {
    this.#coerce = definition.get<boolean | undefined>('coerce') ?? true;
    this.#isFloat = fieldType.spec.column === 'f64';
    this.nullValue = definition.get('null_value');
    this.ignoreMalformed = definition.get('ignore_malformed');
    this.#hasColumn = fieldType.spec.column !== 'none';
    this.#existsPath = existsPathOf(definition, fieldType.spec);
  }

  index(context: DocumentContext, value: unknown): void {
    if (value === '' && this.#coerce) {
      if (this.nullValue !== undefined) this.index(context, this.nullValue);
      return;
    }
    const raw = this.convert(value, this.#coerce);
    if (!this.#hasColumn) {
      if (this.#existsPath !== null) context.exists(this.#existsPath);
    } else if (this.#isFloat) context.sink.f64(this.field, raw as number);
    else context.sink.i64(this.field, raw);
  }
}

/** Numeric fields are searched by their columns, so they have one if they are indexed or have doc values. */
function numericOptions(definition: FieldDefinition, column: 'i64' | 'f64'): ConstructorParameters<typeof BaseFieldType>[1] {
  const index = definition.get<boolean>('index');
  const docValues = definition.get<boolean>('doc_values');
  return {
    spec: { ...NO_SPEC, name: definition.path, column: index || docValues ? column : 'none' },
    family: 'numeric',
    isSearchable: index || docValues,
    isAggregatable: docValues,
  };
}

function numericParams(nullValue: (value: unknown) => unknown): Record<string, Param> {
  return {
    ...COMMON_PARAMS,
    ...NO_EFFECT_PARAMS,
    ...DIMENSION_PARAM,
    ...metricParam(['gauge', 'counter']),
    coerce: explicitParam(true),
    ignore_malformed: explicitParam(false),
    null_value: { parse: (value) => (value === null ? undefined : nullValue(value)), fallback: undefined, updatable: false },
    on_script_error: ON_SCRIPT_ERROR,
  };
}

function integerType(type: IntegerType): MapperType {
  return {
    params: numericParams((value) => jsonInteger(parseWholeNumber(value, type))),
    create(definition) {
      const options = numericOptions(definition, 'i64');
      const fieldType = new IntegerFieldType(definition, type, options);
      return new IntegerMapper(definition, type, fieldType, definition.field(options.spec));
    },
  };
}

function floatType(type: FloatType): MapperType {
  return {
    params: numericParams((value) => parseFloatValue(value, type, true)),
    create(definition) {
      const options = numericOptions(definition, 'f64');
      const fieldType = new FloatFieldType(definition, type, options);
      return new ConvertedMapper(definition, fieldType, definition.field(options.spec), (value, coerce) =>
        parseFloatValue(value, type, coerce),
      );
    },
  };
}

const SCALING_FACTOR: Param = {
  parse(value) {
    const factor = toDouble(value);
    if (!(factor > 0) || !Number.isFinite(factor))
      throw illegalArgumentError(`[scaling_factor] must be a positive number, got [${javaDouble(factor)}]`);
    return factor;
  },
  fallback: undefined,
  updatable: false,
};

function parseScaled(value: unknown, factor: number, coerce: boolean): bigint | number {
  if (typeof value === 'string' && !coerce) throw illegalArgumentError('Double value passed as String');
  const number = toDouble(value);
  if (!Number.isFinite(number)) throw illegalArgumentError(`[scaled_float] only supports finite values, but got [${javaText(value)}]`);
  const scaled = Math.floor(number * factor + 0.5);
  return Number.isSafeInteger(scaled) ? scaled : toLong(scaled);
}

export const NUMERIC_TYPES: Readonly<Record<string, MapperType>> = {
  byte: integerType('byte'),
  short: integerType('short'),
  integer: integerType('integer'),
  long: integerType('long'),
  float: floatType('float'),
  half_float: floatType('half_float'),
  double: floatType('double'),
  unsigned_long: {
    params: numericParams((value) => jsonInteger(parseUnsigned(value))),
    create(definition) {
      const options = numericOptions(definition, 'i64');
      const fieldType = new IntegerFieldType(definition, 'unsigned_long', options);
      return new ConvertedMapper(definition, fieldType, definition.field(options.spec), (value) => parseUnsigned(value) - UNSIGNED_SHIFT);
    },
  },
  scaled_float: {
    params: { scaling_factor: SCALING_FACTOR, ...numericParams(toDouble) },
    required: ['scaling_factor'],
    validate({ given }) {
      if (given.scaling_factor === undefined) throw illegalArgumentError('Field [scaling_factor] is required');
    },
    create(definition) {
      const factor = definition.get<number>('scaling_factor');
      const options = numericOptions(definition, 'i64');
      const fieldType = new ScaledFloatFieldType(definition, factor, options);
      return new ConvertedMapper(definition, fieldType, definition.field(options.spec), (value, coerce) =>
        parseScaled(value, factor, coerce),
      );
    },
  },
  token_count: {
    params: {
      ...numericParams((value) => jsonInteger(parseIntegerValue(value, 'integer', true))),
      analyzer: {
        parse(value, { analysis }) {
          const name = javaText(value);
          if (!analysis.hasAnalyzer(name)) throw mapperParsingError(`analyzer [${name}] has not been configured in mappings`);
          return name;
        },
        fallback: undefined,
        updatable: true,
      },
      enable_position_increments: boolParam(true, true),
    },
    validate({ given, name }) {
      if (given.analyzer === undefined) throw mapperParsingError(`Analyzer must be set for field [${name}] but wasn't.`);
    },
    create(definition) {
      const options = numericOptions(definition, 'i64');
      const fieldType = new IntegerFieldType(definition, 'integer', options);
      const analyzer = definition.get<string>('analyzer');
      const byPosition = definition.get<boolean>('enable_position_increments');
      const { analysis } = definition;
      return new ConvertedMapper(definition, fieldType, definition.field(options.spec), (value) => {
        if (typeof value === 'object') throw notNumericError(value);
        const tokens = analysis.analyze(analyzer, String(value));
        return byPosition && tokens.length > 0 ? tokens[tokens.length - 1].position + 1 : tokens.length;
      });
    },
  },
};
