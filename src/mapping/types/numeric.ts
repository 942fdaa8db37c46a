// Numbers: byte, short, integer, long, unsigned_long (i64 columns), float, half_float, double (f64 columns), scaled_float (scaled i64).
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgument, mapperParsing } from '../../errors/catalog.ts';
import type { RangeBounds, RangeSpec, ValueFormat } from '../field-type.ts';
import { javaDouble, javaText } from '../java-text.ts';
import type { DocumentContext, FieldDefinition, Mapper, MapperType } from '../mapper.ts';
import { boolParam, COMMON_PARAMS, NO_EFFECT_PARAMS, ON_SCRIPT_ERROR, type Param, TIME_SERIES_PARAMS } from '../params.ts';
import { utf8 } from '../utf8.ts';
import { decimalFormat, jsonInteger, RAW_FORMAT, scaledFormat, UNSIGNED_FORMAT } from '../value-formats.ts';
import { BaseFieldType, NO_SPEC } from './base-field-type.ts';

type IntegerType = 'byte' | 'short' | 'integer' | 'long';
type FloatType = 'float' | 'half_float' | 'double';

const LIMITS: Record<IntegerType, { min: bigint; max: bigint; java: string; className: string; article: string }> = {
  byte: { min: -128n, max: 127n, java: 'byte', className: 'Byte', article: 'a byte' },
  short: { min: -32_768n, max: 32_767n, java: 'short', className: 'Short', article: 'a short' },
  integer: { min: -(2n ** 31n), max: 2n ** 31n - 1n, java: 'int', className: 'Integer', article: 'an integer' },
  long: { min: -(2n ** 63n), max: 2n ** 63n - 1n, java: 'long', className: 'Long', article: 'a long' },
};
const MAX_UNSIGNED = 2n ** 64n - 1n;
const UNSIGNED_SHIFT = 2n ** 63n;

function numberFormatError(text: string): ApiError {
  return new ApiError('number_format_exception', 400, text.trim() === '' ? 'empty String' : `For input string: "${text}"`);
}

function notNumeric(value: unknown): ApiError {
  const token = typeof value === 'boolean' ? `VALUE_${String(value).toUpperCase()}` : Array.isArray(value) ? 'START_ARRAY' : 'START_OBJECT';
  return new ApiError('input_coercion_exception', 400, `Current token (${token}) not numeric, cannot use numeric value accessors`);
}

/** A decimal text as an integer, its fraction cut off, and whether there was one. */
function decimalToInteger(text: string): { value: bigint; hasFraction: boolean; positive: boolean } {
  if (/^[+-]?\d+$/.test(text)) return { value: BigInt(text.replace(/^\+/, '')), hasFraction: false, positive: !text.startsWith('-') };
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text);
  if (!match || (match[2] === '' && !match[3])) throw numberFormatError(text);
  const [, sign, whole, fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  const integer = point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0');
  const rest = point < 0 ? digits : digits.slice(Math.max(0, point));
  const value = BigInt(integer || '0');
  return { value: sign === '-' ? -value : value, hasFraction: /[1-9]/.test(rest), positive: sign !== '-' };
}

function integerText(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return String(value);
  throw notNumeric(value);
}

/** A document's or null_value's integer. @throws ApiError */
function parseIntegerValue(value: unknown, type: IntegerType, coerce: boolean): bigint {
  const { min, max, java, className, article } = LIMITS[type];
  const text = integerText(value);
  if (typeof value === 'string' && !coerce) throw illegalArgument(`${className} value passed as String`);
  const { value: integer, hasFraction } = decimalToInteger(text);
  if (hasFraction && !coerce) throw illegalArgument(`${text} cannot be converted to ${className} without data loss`);
  if (integer < min || integer > max) {
    if (typeof value === 'string' || type === 'byte') throw illegalArgument(`Value [${text}] is out of range for ${article}`);
    throw new ApiError('input_coercion_exception', 400, `Numeric value (${text}) out of range of \`${java}\` (${min} - ${max})`);
  }
  return integer;
}

function parseUnsigned(value: unknown): bigint {
  const text = integerText(value);
  const { value: integer } = decimalToInteger(text);
  if (integer < 0n || integer > MAX_UNSIGNED) throw illegalArgument(`Value [${text}] is out of range for an unsigned long`);
  return integer;
}

/** A text or number as a double. @throws ApiError number_format_exception */
export function toDouble(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'string') throw notNumeric(value);
  const text = value.trim();
  const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[dfDF]?$/.test(text) ? Number.parseFloat(text) : JAVA_SPECIALS[text];
  if (number === undefined) throw numberFormatError(value);
  return number;
}
const JAVA_SPECIALS: Record<string, number | undefined> = Object.assign(Object.create(null), {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '+Infinity': Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
});

const f32 = new Float32Array(1);
const u32 = new Uint32Array(f32.buffer);

/** Nearest half-precision number, as a double; ties to even. */
export function toHalf(value: number): number {
  const single = Math.fround(value);
  const abs = Math.abs(single);
  if (!(abs < 65_520)) return single > 0 ? Number.POSITIVE_INFINITY : single < 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  // The unit in the last place: 2^-24 below the smallest normal number, else 2^(exponent - 10).
  const exponent = abs < 2 ** -14 ? -14 : Math.floor(Math.log2(abs));
  const unit = 2 ** ((abs >= 2 ** (exponent + 1) ? exponent + 1 : exponent) - 10);
  const scaled = abs / unit;
  const floor = Math.floor(scaled);
  const rest = scaled - floor;
  const rounded = rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
  return Math.sign(single) * rounded * unit;
}

const f64 = new Float64Array(1);
const i64 = new BigInt64Array(f64.buffer);

/** The next double, float or half in a direction. */
function neighbour(value: number, type: FloatType, up: boolean): number {
  if (value === (up ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY)) return value;
  if (type === 'double') {
    if (value === 0) return up ? Number.MIN_VALUE : -Number.MIN_VALUE;
    f64[0] = value;
    i64[0] += value > 0 === up ? 1n : -1n;
    return f64[0];
  }
  if (type === 'half_float') {
    const abs = Math.abs(value);
    const exponent = abs < 2 ** -14 ? -14 : Math.floor(Math.log2(abs));
    const shrinking = value !== 0 && value > 0 !== up;
    const unit = 2 ** ((shrinking && abs === 2 ** exponent && exponent > -14 ? exponent - 1 : exponent) - 10);
    return toHalf(up ? value + unit : value - unit);
  }
  if (value === 0) return up ? 2 ** -149 : -(2 ** -149);
  f32[0] = value;
  u32[0] += value > 0 === up ? 1 : -1;
  return f32[0];
}

function roundFloat(value: number, type: FloatType): number {
  return type === 'double' ? value : type === 'float' ? Math.fround(value) : toHalf(value);
}

function parseFloatValue(value: unknown, type: FloatType, coerce: boolean): number {
  if (typeof value === 'string' && !coerce) throw illegalArgument(`${type === 'double' ? 'Double' : 'Float'} value passed as String`);
  const number = roundFloat(toDouble(value), type);
  if (!Number.isFinite(number)) throw illegalArgument(`[${type}] supports only finite values, but got [${javaText(value)}]`);
  return number;
}

// ---------------------------------------------------------------------------------------------------------- search

const EMPTY_I64: RangeBounds = { kind: 'i64', min: 0n, max: -1n, empty: true };

/** Bounds of a range in a type's values, both included. @throws ApiError number_format_exception */
export function numberBounds(type: IntegerType | 'unsigned_long' | FloatType, range: RangeSpec): RangeBounds {
  if (type === 'float' || type === 'half_float' || type === 'double') return floatBounds(type, range);
  return integerBounds(type === 'unsigned_long' ? { min: 0n, max: MAX_UNSIGNED } : LIMITS[type], range);
}

function isGiven(end: unknown): boolean {
  return end !== null && end !== undefined;
}

function integerBounds(limits: { min: bigint; max: bigint }, range: RangeSpec): RangeBounds {
  let { min, max } = limits;
  if (isGiven(range.from)) {
    const from = decimalToInteger(queryText(range.from));
    min = from.value;
    // A positive bound with a fraction was cut downwards, a negative one upwards.
    if (from.hasFraction ? from.positive : !range.includeFrom) min++;
  }
  if (isGiven(range.to)) {
    const to = decimalToInteger(queryText(range.to));
    max = to.value;
    if (to.hasFraction ? !to.positive : !range.includeTo) max--;
  }
  if (min < limits.min) min = limits.min;
  if (max > limits.max) max = limits.max;
  return min > max ? EMPTY_I64 : { kind: 'i64', min, max, empty: false };
}

function floatBounds(type: FloatType, range: RangeSpec): RangeBounds {
  let min = Number.NEGATIVE_INFINITY;
  let max = Number.POSITIVE_INFINITY;
  if (isGiven(range.from)) {
    min = roundFloat(toDouble(queryText(range.from)), type);
    if (!range.includeFrom) min = neighbour(min, type, true);
  }
  if (isGiven(range.to)) {
    max = roundFloat(toDouble(queryText(range.to)), type);
    if (!range.includeTo) max = neighbour(max, type, false);
  }
  return { kind: 'f64', min, max, empty: !(min <= max) };
}

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

function queryText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value === 'boolean') throw numberFormatError(String(value));
  throw numberFormatError(javaText(value));
}

function refuseZone(type: BaseFieldType, timeZone: string | null): void {
  if (timeZone !== null) throw illegalArgument(`Field [${type.name}] of type [${type.typeName}] does not support custom time zones`);
}

class FloatFieldType extends BaseFieldType {
  readonly #type: FloatType;
  constructor(definition: FieldDefinition, type: FloatType, options: ConstructorParameters<typeof BaseFieldType>[1]) {
    super(definition, options);
    this.#type = type;
  }

  override exactValue(value: unknown): number | null {
    const number = roundFloat(toDouble(queryText(value)), this.#type);
    if (!Number.isFinite(number)) throw illegalArgument(`[${this.#type}] supports only finite values, but got [${javaText(value)}]`);
    return number;
  }

  override rangeBounds(range: RangeSpec): RangeBounds {
    return floatBounds(this.#type, range);
  }

  override format(format: string | null, timeZone: string | null): ValueFormat {
    refuseZone(this, timeZone);
    return format === null ? RAW_FORMAT : decimalFormat(format, Number);
  }
}

const MIN_LONG = -(2 ** 63);
const MAX_LONG_TEXT = LIMITS.long.max;

/** Java's Math.round and double-to-long cast: saturating. */
function toLong(value: number): bigint {
  if (value >= 2 ** 63) return MAX_LONG_TEXT;
  return value <= MIN_LONG ? LIMITS.long.min : BigInt(Math.trunc(value));
}

class ScaledFloatFieldType extends BaseFieldType {
  readonly #factor: number;
  constructor(definition: FieldDefinition, factor: number, options: ConstructorParameters<typeof BaseFieldType>[1]) {
    super(definition, { ...options, scale: 1 / factor });
    this.#factor = factor;
  }

  override exactValue(value: unknown): bigint | null {
    return toLong(Math.floor(toDouble(queryText(value)) * this.#factor + 0.5));
  }

  override rangeBounds(range: RangeSpec): RangeBounds {
    let min = LIMITS.long.min;
    let max = LIMITS.long.max;
    if (range.from !== null && range.from !== undefined) {
      let scaled = toDouble(queryText(range.from)) * this.#factor;
      if (!range.includeFrom) scaled = neighbour(scaled, 'double', true);
      min = toLong(Math.ceil(scaled));
    }
    if (range.to !== null && range.to !== undefined) {
      let scaled = toDouble(queryText(range.to)) * this.#factor;
      if (!range.includeTo) scaled = neighbour(scaled, 'double', false);
      max = toLong(Math.floor(scaled));
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
    this.#existsPath = fieldType.spec.column === 'none' ? utf8(definition.path) : null;
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
    if (this.#existsPath === null) context.sink.i64(this.#field, value);
    else context.exists(this.#existsPath);
  }
}

/** Floats, scaled floats and unsigned longs: `convert` makes the raw value. */
class ConvertedMapper implements Mapper {
  readonly takesArrays = false;
  readonly refusal = 'value';
  readonly nullValue: unknown;
  readonly ignoreMalformed: boolean;
  readonly #coerce: boolean;
  readonly #isFloat: boolean;
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
    this.#existsPath = fieldType.spec.column === 'none' ? utf8(definition.path) : null;
  }

  index(context: DocumentContext, value: unknown): void {
    if (value === '' && this.#coerce) {
      if (this.nullValue !== undefined) this.index(context, this.nullValue);
      return;
    }
    const raw = this.convert(value, this.#coerce);
    if (this.#existsPath !== null) context.exists(this.#existsPath);
    else if (this.#isFloat) context.sink.f64(this.field, raw as number);
    else context.sink.i64(this.field, raw);
  }
}

/** A numeric field is searched by its column: it has one when it is indexed or has doc values. */
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
    ...TIME_SERIES_PARAMS,
    coerce: boolParam(true, true),
    ignore_malformed: boolParam(false, true),
    null_value: { parse: (value) => (value === null ? undefined : nullValue(value)), fallback: undefined, updatable: false },
    on_script_error: ON_SCRIPT_ERROR,
  };
}

function integerType(type: IntegerType): MapperType {
  return {
    params: numericParams((value) => jsonInteger(parseIntegerValue(value, type, true))),
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
      throw illegalArgument(`[scaling_factor] must be a positive number, got [${javaDouble(factor)}]`);
    return factor;
  },
  fallback: undefined,
  updatable: false,
};

function parseScaled(value: unknown, factor: number, coerce: boolean): bigint | number {
  if (typeof value === 'string' && !coerce) throw illegalArgument('Double value passed as String');
  const number = toDouble(value);
  if (!Number.isFinite(number)) throw illegalArgument(`[scaled_float] only supports finite values, but got [${javaText(value)}]`);
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
      if (given.scaling_factor === undefined) throw illegalArgument('Field [scaling_factor] is required');
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
          if (!analysis.hasAnalyzer(name)) throw mapperParsing(`analyzer [${name}] has not been configured in mappings`);
          return name;
        },
        fallback: undefined,
        updatable: true,
      },
      enable_position_increments: boolParam(true, true),
    },
    validate({ given, name }) {
      if (given.analyzer === undefined) throw mapperParsing(`Analyzer must be set for field [${name}] but wasn't.`);
    },
    create(definition) {
      const options = numericOptions(definition, 'i64');
      const fieldType = new IntegerFieldType(definition, 'integer', options);
      const analyzer = definition.get<string>('analyzer');
      const byPosition = definition.get<boolean>('enable_position_increments');
      const { analysis } = definition;
      return new ConvertedMapper(definition, fieldType, definition.field(options.spec), (value) => {
        if (typeof value === 'object') throw notNumeric(value);
        const tokens = analysis.analyze(analyzer, String(value));
        return byPosition && tokens.length > 0 ? tokens[tokens.length - 1].position + 1 : tokens.length;
      });
    },
  },
};
