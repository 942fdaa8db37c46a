// dense_vector: a vector of floats, bytes or bits per document, in a binary column. Source: the Elasticsearch reference, "Dense vector field type".

import {
  encodeVector,
  MAX_DIMS,
  squaredMagnitude,
  type Vector,
  type VectorElement,
  type VectorFormat,
  type VectorIndex,
  type VectorSimilarity,
} from '../../common/encoding/vector-format.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { javaClass, javaDouble, javaText } from '../../common/text/java-text.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import type { FieldType } from '../core/field-type.ts';
import type { DocumentContext, FieldDefinition, Mapper, MapperType } from '../core/mapper.ts';
import { META_PARAM, type Param, parseBoolean, parseInteger } from '../core/params.ts';
import { parseBase16 } from '../values/base16.ts';
import { utf8 } from '../values/utf8.ts';
import { BaseFieldType, NO_SPEC } from './base-field-type.ts';

const ELEMENTS = ['bit', 'float', 'byte'];
const SIMILARITIES = ['l2_norm', 'cosine', 'dot_product', 'max_inner_product'];
const DEFAULT_M = 16;
const DEFAULT_EF = 100;
/** Bounds of the graph's parameters: more costs memory and time without benefit. */
const MAX_M = 512;
const MAX_EF = 3200;
/** Permitted deviation of a unit vector's squared length from 1. */
const UNIT_TOLERANCE = 1e-3;
const PREVIEW_DIMS = 5;

class DenseVectorFieldType extends BaseFieldType {
  readonly vector: VectorFormat;

  constructor(definition: FieldDefinition, vector: VectorFormat) {
    const spec = { ...NO_SPEC, name: definition.path, column: 'binary' } as const;
    super(definition, { spec, family: 'other', isSearchable: vector.similarity !== null, isAggregatable: false });
    this.vector = vector;
  }

  override termBytes(): Uint8Array {
    throw illegalArgumentError(`Field [${this.name}] of type [${this.typeName}] doesn't support term queries`);
  }
}

/** The vectors of a field, null if it is not a dense_vector. */
export function vectorFormatOf(field: FieldType): VectorFormat | null {
  return field instanceof DenseVectorFieldType ? field.vector : null;
}

class DenseVectorMapper implements Mapper {
  readonly takesArrays = true;
  readonly refusal = 'document';
  readonly nullValue = undefined;
  readonly ignoreMalformed = false;
  readonly #field: number;
  readonly #path: Uint8Array;
  readonly #given: Readonly<Record<string, unknown>>;
  readonly #readsPacked: boolean;

  constructor(
    readonly fieldType: DenseVectorFieldType,
    definition: FieldDefinition,
  ) {
    this.#field = definition.field(fieldType.spec);
    this.#path = utf8(fieldType.name);
    this.#given = definition.given;
    this.#readsPacked = definition.dialect.readsPackedVectors;
  }

  /** Sets the dimensions of a field without them. */
  complete(value: unknown): MutableJsonObject | null {
    if (this.fieldType.vector.dims !== null) return null;
    const { element } = this.fieldType.vector;
    const count = Array.isArray(value) ? value.length : typeof value === 'string' ? this.#countOf(value, element) : 0;
    return count === 0 ? null : { type: 'dense_vector', ...this.#given, dims: element === 'bit' ? count * 8 : count };
  }

  /** Number of values in a string: of floats in base64, of bytes in hexadecimal digits. */
  #countOf(text: string, element: VectorElement): number {
    if (element !== 'float') return Math.floor(text.length / 2);
    return this.#readsPacked ? (unpackFloats(text)?.length ?? 0) : 0;
  }

  index(context: DocumentContext, value: unknown): void {
    const { name, vector: format } = this.fieldType;
    if (context.countValue(this.#field) > 1) {
      throw illegalArgumentError(
        `Field [${name}] of type [dense_vector] doesn't support indexing multiple values for the same field in the same document`,
      );
    }
    const vector = format.element === 'float' ? this.#floats(context, value) : this.#bytes(context, value, format.element);
    checkMagnitude(vector, format);
    context.sink.binary(this.#field, encodeVector(vector));
    context.exists(this.#path);
  }

  #floats(context: DocumentContext, given: unknown): Float32Array {
    const value = this.#readsPacked && typeof given === 'string' ? unpackFloats(given) : given;
    if (!Array.isArray(value)) throw unexpectedTokenError(given);
    const dims = this.fieldType.vector.dims ?? 0;
    const vector = new Float32Array(Math.min(dims, value.length));
    value.forEach((item, i) => {
      if (typeof item !== 'number' && typeof item !== 'bigint') throw unexpectedTokenError(item);
      if (i >= dims) throw this.#tooLongError(context);
      vector[i] = Number(item);
    });
    const odd = vector.findIndex((item) => !Number.isFinite(item));
    if (odd >= 0) {
      const kind = Number.isNaN(vector[odd]) ? 'NaN' : 'infinite';
      throw illegalArgumentError(
        `element_type [float] vectors do not support ${kind} values but found [${javaDouble(vector[odd])}] at dim [${odd}];${preview(vector)}`,
      );
    }
    if (vector.length !== dims) throw this.#otherLengthError(context, vector.length);
    return vector;
  }

  #bytes(context: DocumentContext, value: unknown, element: 'byte' | 'bit'): Int8Array {
    const dims = this.fieldType.vector.dims ?? 0;
    const perByte = element === 'bit' ? 8 : 1;
    if (typeof value === 'string') {
      const vector = new Int8Array(parseBase16(value));
      if (vector.length * perByte !== dims) throw this.#otherLengthError(context, vector.length * perByte);
      return vector;
    }
    if (!Array.isArray(value)) throw unexpectedTokenError(value);
    const vector = new Int8Array(Math.min(value.length, dims / perByte));
    value.forEach((item, i) => {
      if (typeof item !== 'number' && typeof item !== 'bigint') throw unexpectedTokenError(item);
      const number = Number(item);
      checkByte(number, i, element);
      if (i < vector.length) vector[i] = number;
      else if (element === 'byte') throw this.#tooLongError(context);
    });
    if (element === 'bit' && value.length * 8 > dims)
      throw illegalArgumentError(
        `The number of dimensions for field [${this.fieldType.name}] should be [${dims}] but found [${value.length * 8}]`,
      );
    if (value.length * perByte !== dims) throw this.#otherLengthError(context, value.length * perByte);
    return vector;
  }

  #tooLongError({ id }: DocumentContext): ApiError {
    const { name, vector } = this.fieldType;
    return illegalArgumentError(
      `The [dense_vector] field [${name}] in doc [document with id '${id}'] has more dimensions than defined in the mapping [${vector.dims}]`,
    );
  }

  #otherLengthError({ id }: DocumentContext, length: number): ApiError {
    const { name, vector } = this.fieldType;
    return illegalArgumentError(
      `The [dense_vector] field [${name}] in doc [document with id '${id}'] has a different number of dimensions [${length}] than defined in the mapping [${vector.dims}]`,
    );
  }
}

/** Big-endian floats of 4 bytes from base64; null if the string is not base64 of whole floats. */
function unpackFloats(text: string): number[] | null {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.length % 4 !== 0 || bytes.toString('base64') !== text) return null;
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatBE(i * 4));
}

/** @param whole  the vector, for messages about vectors of queries @throws ApiError illegal_argument_exception: not an integer from -128 to 127 */
export function checkByte(value: number, dim: number, element: VectorElement, whole: Float32Array | null = null): void {
  const shown = (): string => (whole === null ? '' : preview(whole));
  if (!Number.isInteger(value))
    throw illegalArgumentError(
      `element_type [${element}] vectors only support non-decimal values but found decimal value [${javaDouble(value)}] at dim [${dim}];${shown()}`,
    );
  if (value < -128 || value > 127)
    throw illegalArgumentError(
      `element_type [${element}] vectors only support integers between [-128, 127] but found [${whole === null ? value : javaDouble(value)}] at dim [${dim}];${shown()}`,
    );
}

/** @throws ApiError illegal_argument_exception: the similarity is not defined for a vector of this length */
export function checkMagnitude(vector: Vector, { element, similarity }: VectorFormat): void {
  if (element === 'bit' || (similarity !== 'cosine' && (similarity !== 'dot_product' || element === 'byte'))) return;
  const squared = squaredMagnitude(vector);
  if (similarity === 'cosine' && squared === 0)
    throw illegalArgumentError(`The [cosine] similarity does not support vectors with zero magnitude.${preview(vector)}`);
  if (similarity === 'dot_product' && Math.abs(squared - 1) > UNIT_TOLERANCE)
    throw illegalArgumentError(`The [dot_product] similarity can only be used with unit-length vectors.${preview(vector)}`);
}

function preview(vector: Vector): string {
  const shown = Array.from(vector.subarray(0, PREVIEW_DIMS), (item) =>
    vector instanceof Float32Array ? javaDouble(Number(Math.fround(item).toPrecision(7))) : String(item),
  );
  return ` Preview of invalid vector: [${shown.join(', ')}${vector.length > PREVIEW_DIMS ? ', ...' : ''}]`;
}

function unexpectedTokenError(value: unknown): ApiError {
  const token = Array.isArray(value) ? 'START_ARRAY' : typeof value === 'object' && value !== null ? 'START_OBJECT' : tokenOf(value);
  return new ApiError('parsing_exception', 400, `Failed to parse object: expecting token of type [VALUE_NUMBER] but found [${token}]`);
}

function tokenOf(value: unknown): string {
  if (value === null) return 'VALUE_NULL';
  return typeof value === 'string' ? 'VALUE_STRING' : typeof value === 'boolean' ? 'VALUE_BOOLEAN' : 'END_OBJECT';
}

// ------------------------------------------------------------------------------------------------------- parameters

const DIMS: Param = {
  parse(value, { name, type }) {
    if (value === null) throw mapperParsingError(`[dims] on mapper [${name}] of type [${type}] must not have a [null] value`);
    if (typeof value !== 'number' || !Number.isInteger(value))
      throw mapperParsingError(`Property [dims] on field [${name}] must be an integer but got [${javaText(value)}]`);
    if (value < 1 || value > MAX_DIMS)
      throw mapperParsingError(`The number of dimensions for field [${name}] should be in the range [1, ${MAX_DIMS}] but was [${value}]`);
    return value;
  },
  fallback: undefined,
  updatable: false,
  allows: (before) => before === undefined,
};

const ELEMENT_TYPE: Param = {
  parse(value) {
    const text = javaText(value);
    if (!ELEMENTS.includes(text)) throw mapperParsingError(`invalid element_type [${text}]; available types are [bit, float, byte]`);
    return text;
  },
  fallback: 'float',
  updatable: false,
};

const SIMILARITY: Param = {
  parse(value) {
    if (value === null) return undefined;
    const text = javaText(value);
    if (!SIMILARITIES.includes(text))
      throw mapperParsingError(`Unknown value [${text}] for field [similarity] - accepted values are [${SIMILARITIES.join(', ')}]`);
    return text;
  },
  fallback: undefined,
  updatable: false,
  isHidden: true,
};

/** Options by type, in the order in which the mapping shows them. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  hnsw: ['m', 'ef_construction'],
  int8_hnsw: ['m', 'ef_construction', 'confidence_interval'],
  flat: [],
  int8_flat: ['confidence_interval'],
};
const UNSUPPORTED = new Set(['int4_hnsw', 'int4_flat', 'bbq_hnsw', 'bbq_flat']);

const INDEX_OPTIONS: Param = {
  parse(value, { name }) {
    if (value === null) return undefined;
    if (typeof value !== 'object' || Array.isArray(value))
      throw new ApiError('class_cast_exception', 400, `class ${javaClass(value)} cannot be cast to class java.util.Map`);
    const { type, ...rest } = value as Record<string, unknown>;
    if (type === undefined || type === null) throw mapperParsingError('[index_options] requires field [type] to be configured');
    const typeName = javaText(type);
    if (UNSUPPORTED.has(typeName)) throw illegalArgumentError(`[index_options] of type [${typeName}] are not supported on field [${name}]`);
    const known = Object.hasOwn(OPTIONS, typeName) ? OPTIONS[typeName] : null;
    if (known === null) throw mapperParsingError(`Unknown vector index options type [${typeName}] for field [${name}]`);
    const unknown = Object.entries(rest).filter(([key]) => !known.includes(key));
    if (unknown.length > 0)
      throw mapperParsingError(
        `Mapping definition for [${name}] has unsupported parameters:  ${unknown.map(([key, item]) => `[${key} : ${javaText(item)}]`).join(' ')}`,
      );
    const options: Record<string, unknown> = { type: typeName };
    if (known.includes('m')) {
      options.m = bounded('m', rest.m, DEFAULT_M, 1, MAX_M);
      options.ef_construction = bounded('ef_construction', rest.ef_construction, DEFAULT_EF, 1, MAX_EF);
    }
    if (rest.confidence_interval !== undefined && rest.confidence_interval !== null)
      options.confidence_interval = confidence(rest.confidence_interval);
    return options;
  },
  fallback: undefined,
  updatable: false,
  isHidden: true,
  allows: (before, after) => mayReplace(before as Options | undefined, after as Options | undefined),
};

function bounded(name: string, value: unknown, fallback: number, min: number, max: number): number {
  if (value === undefined || value === null) return fallback;
  const number = parseInteger(value);
  if (number < min || number > max) throw illegalArgumentError(`[${name}] must be between ${min} and ${max}, got [${number}]`);
  return number;
}

/** Accepted for compatibility; vectors are quantized by their own extremes. */
function confidence(value: unknown): number {
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number))
    throw new ApiError('number_format_exception', 400, `For input string: "${javaText(value)}"`);
  return number;
}

interface Options {
  readonly type: string;
  readonly m?: number;
}

const SUCCESSORS: Readonly<Record<string, readonly string[]>> = {
  flat: ['flat', 'int8_flat', 'hnsw', 'int8_hnsw'],
  int8_flat: ['int8_flat', 'hnsw', 'int8_hnsw'],
  hnsw: ['hnsw', 'int8_hnsw'],
  int8_hnsw: ['int8_hnsw'],
};

/** Options may gain a graph, quantization or connections, not lose them. */
function mayReplace(before: Options | undefined, after: Options | undefined): boolean {
  if (before === undefined) return true;
  return after !== undefined && SUCCESSORS[before.type].includes(after.type) && (after.m ?? 0) >= (before.m ?? 0);
}

/** Checks the parameters together and adds those that the mapping shows although they were not given. */
function completeParams(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const element = (given.element_type ?? 'float') as VectorElement;
  const dims = given.dims as number | undefined;
  const isIndexed = (given.index ?? true) as boolean;
  const options = given.index_options as Options | undefined;
  if (element === 'bit' && dims !== undefined && dims % 8 !== 0)
    throw mapperParsingError(`[dims] of a field with element_type [bit] must be a multiple of 8, got [${dims}]`);
  if (!isIndexed) {
    for (const name of ['similarity', 'index_options']) {
      if (given[name] === undefined) continue;
      throw illegalArgumentError(`Field [${name}] can only be specified for a field of type [dense_vector] when it is indexed`);
    }
    return { ...given, index: false };
  }
  const similarity = given.similarity ?? (element === 'bit' ? 'l2_norm' : 'cosine');
  if (element === 'bit' && similarity !== 'l2_norm')
    throw illegalArgumentError('The [l2_norm] similarity is the only supported similarity for bit vectors');
  if (element !== 'float' && options?.type.startsWith('int8'))
    throw illegalArgumentError(`[element_type] cannot be [${element}] when using index type [${options.type}]`);
  const defaults = element === 'float' ? { type: 'int8_hnsw', m: DEFAULT_M, ef_construction: DEFAULT_EF } : undefined;
  const shown = options ?? defaults;
  return { ...given, index: true, similarity, ...(shown === undefined ? {} : { index_options: shown }) };
}

function formatOf(definition: FieldDefinition): VectorFormat {
  const { given } = definition;
  const dims = (given.dims as number | undefined) ?? null;
  const element = definition.get<VectorElement>('element_type');
  if (given.index === false) return { element, dims, similarity: null, index: null };
  return { element, dims, similarity: given.similarity as VectorSimilarity, index: indexOf(given.index_options as Options | undefined) };
}

function indexOf(options: (Options & { readonly ef_construction?: number }) | undefined): VectorIndex {
  if (options === undefined) return { type: 'hnsw', m: DEFAULT_M, efConstruction: DEFAULT_EF };
  return { type: options.type as VectorIndex['type'], m: options.m ?? 0, efConstruction: options.ef_construction ?? 0 };
}

export const DENSE_VECTOR_TYPES: Readonly<Record<string, MapperType>> = {
  dense_vector: {
    isMultiField: false,
    params: {
      element_type: ELEMENT_TYPE,
      dims: DIMS,
      index: { parse: parseBoolean, fallback: undefined, updatable: false },
      similarity: SIMILARITY,
      index_options: INDEX_OPTIONS,
      meta: META_PARAM,
    },
    complete: completeParams,
    create: (definition) => new DenseVectorMapper(new DenseVectorFieldType(definition, formatOf(definition)), definition),
  },
};
