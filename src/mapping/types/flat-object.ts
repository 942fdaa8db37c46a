// flat_object and flattened: a whole object as keywords. `name` holds all leaf values, `name._keyed` "path NUL value" for subfields.

import { javaText } from '../../common/text/java-text.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import type { FieldSpec } from '../core/document-sink.ts';
import type { RangeBounds, RangeSpec, ValueFormat } from '../core/field-type.ts';
import type { DocumentContext, FieldDefinition, Mapper, MapperType } from '../core/mapper.ts';
import { boolParam, COMMON_PARAMS, enumParam, NO_EFFECT_PARAMS, ORDINALS_PARAMS, parseInteger } from '../core/params.ts';
import { similarityOf } from '../core/similarity.ts';
import { scratchUtf8, utf8 } from '../values/utf8.ts';
import { RAW_FORMAT } from '../values/value-formats.ts';
import { BaseFieldType, bytesBounds } from './base-field-type.ts';
import { immenseTermError, MAX_TERM_BYTES, termSpec } from './keyword.ts';

/** The whole object: matches any leaf value. `subField` resolves a path inside. */
export class FlatObjectFieldType extends BaseFieldType {
  readonly #definition: FieldDefinition;
  readonly keyed: FieldSpec;
  /** Keys whose values are dimensions of a time series. */
  readonly dimensions: readonly string[];

  constructor(definition: FieldDefinition, keyed: FieldSpec, options: ConstructorParameters<typeof BaseFieldType>[1]) {
    super(definition, options);
    this.#definition = definition;
    this.keyed = keyed;
    this.dimensions = definition.get<readonly string[] | undefined>('time_series_dimensions') ?? [];
  }

  override rangeBounds(range: RangeSpec): RangeBounds {
    return bytesBounds(range, (value) => this.termBytes(value));
  }

  subField(key: string): KeyedFieldType {
    return new KeyedFieldType({ ...this.#definition, path: `${this.name}.${key}` }, key, {
      spec: this.keyed,
      family: 'keyword',
      isSearchable: this.isSearchable,
      isAggregatable: this.isAggregatable,
      keyPrefix: utf8(`${key}\0`),
    });
  }
}

/** One path inside: its terms start with `keyPrefix`, which formats remove. An open range covers the whole path, for exists. */
class KeyedFieldType extends BaseFieldType {
  readonly #key: string;

  constructor(
    definition: Pick<FieldDefinition, 'path' | 'type' | 'given' | 'nestedPath'>,
    key: string,
    options: ConstructorParameters<typeof BaseFieldType>[1],
  ) {
    super(definition, options);
    this.#key = key;
  }

  override termBytes(value: unknown): Uint8Array {
    return utf8(`${this.#key}\0${javaText(value)}`);
  }

  override rangeBounds(range: RangeSpec): RangeBounds {
    const bounds = bytesBounds(range, (value) => this.termBytes(value));
    if (bounds.kind !== 'bytes') return bounds;
    if (this.typeName === 'flattened' && (bounds.from === null) !== (bounds.to === null))
      throw illegalArgumentError('[range] queries on keyed [flattened] fields must include both an upper and a lower bound.');
    return {
      ...bounds,
      from: bounds.from ?? utf8(`${this.#key}\0`),
      includeFrom: bounds.from === null || bounds.includeFrom,
      to: bounds.to ?? utf8(`${this.#key}\x01`),
      includeTo: bounds.to !== null && bounds.includeTo,
    };
  }

  override format(format: string | null, timeZone: string | null): ValueFormat {
    super.format(format, timeZone);
    const skip = this.keyPrefix?.length ?? 0;
    return { ...RAW_FORMAT, formatBytes: (bytes) => RAW_FORMAT.formatBytes(bytes.subarray(skip)) };
  }
}

class FlatObjectMapper implements Mapper {
  readonly takesArrays = true;
  readonly refusal = 'value';
  readonly nullValue: unknown;
  readonly ignoreMalformed = false;
  readonly #depthLimit: number;
  readonly #ignoreAbove: number;
  readonly #existsPath: Uint8Array | null;

  constructor(
    definition: FieldDefinition,
    readonly fieldType: FlatObjectFieldType,
    readonly field: number,
    readonly keyedField: number,
  ) {
    this.nullValue = definition.get('null_value');
    this.#depthLimit = definition.get('depth_limit');
    this.#ignoreAbove = definition.get<number | undefined>('ignore_above') ?? Number.POSITIVE_INFINITY;
    this.#existsPath = fieldType.spec.column === 'none' ? utf8(definition.path) : null;
  }

  index(context: DocumentContext, value: unknown): void {
    if (this.fieldType.typeName === 'flattened') requireObjects(value);
    else if (typeof value !== 'object') {
      const reason = `[${this.fieldType.name}] unexpected token [${valueToken(value)}] in flat_object field value`;
      throw new ApiError('parsing_exception', 400, reason);
    }
    this.#walk(context, value, '', 1);
    if (this.#existsPath) context.exists(this.#existsPath);
  }

  #walk(context: DocumentContext, value: unknown, path: string, depth: number): void {
    if (value === null) {
      if (this.nullValue !== undefined) this.#leaf(context, path, String(this.nullValue));
    } else if (Array.isArray(value)) {
      if (depth > this.#depthLimit) this.#refuseDepth();
      for (const item of value) this.#walk(context, item, path, depth + 1);
    } else if (typeof value === 'object') {
      if (depth > this.#depthLimit) this.#refuseDepth();
      for (const [key, item] of Object.entries(value)) {
        if (key.includes('\0')) throw this.#reservedKeyError(key);
        this.#walk(context, item, path === '' ? key : `${path}.${key}`, depth + 1);
      }
    } else this.#leaf(context, path, String(value));
  }

  #reservedKeyError(key: string): ApiError {
    return illegalArgumentError(
      this.fieldType.typeName === 'flattened'
        ? `Keys in [flattened] fields cannot contain the reserved character \\0. Offending key: [${key}].`
        : 'Do not include the null character (\\0) in keys',
    );
  }

  #refuseDepth(): never {
    throw illegalArgumentError(
      `The provided [flattened] field [${this.fieldType.name}] exceeds the maximum depth limit of [${this.#depthLimit}].`,
    );
  }

  #leaf(context: DocumentContext, path: string, text: string): void {
    if (text.length > this.#ignoreAbove) return;
    const bytes = scratchUtf8(text);
    if (bytes.length > MAX_TERM_BYTES) throw immenseTermError(this.fieldType.name, bytes);
    context.sink.keyword(this.field, bytes);
    const keyed = scratchUtf8(`${path}\0${text}`);
    if (keyed.length > MAX_TERM_BYTES) throw immenseTermError(`${this.fieldType.name}._keyed`, keyed);
    context.sink.keyword(this.keyedField, keyed);
  }
}

/** @throws ApiError parsing_exception: a value is not an object, nor a list of objects */
function requireObjects(value: unknown): void {
  if (Array.isArray(value)) for (const item of value) requireObjects(item);
  else if (typeof value !== 'object')
    throw new ApiError(
      'parsing_exception',
      400,
      `Failed to parse object: expecting token of type [START_OBJECT] but found [${valueToken(value)}]`,
    );
}

function valueToken(value: unknown): string {
  return typeof value === 'string' ? 'VALUE_STRING' : typeof value === 'boolean' ? 'VALUE_BOOLEAN' : 'VALUE_NUMBER';
}

const FLAT_OBJECT: MapperType = {
  params: {
    ...COMMON_PARAMS,
    ...NO_EFFECT_PARAMS,
    ...ORDINALS_PARAMS,
    depth_limit: {
      parse(value) {
        const limit = parseInteger(value);
        if (limit < 0) throw illegalArgumentError(`[depth_limit] must be positive, got [${limit}]`);
        return limit;
      },
      fallback: 20,
      updatable: true,
    },
    ignore_above: { parse: parseInteger, fallback: undefined, updatable: true },
    null_value: { parse: (value) => (value === null ? undefined : javaText(value)), fallback: undefined, updatable: false },
    split_queries_on_whitespace: boolParam(false, true),
    time_series_dimensions: {
      parse(value) {
        if (Array.isArray(value)) return value.map((key) => javaText(key));
        throw mapperParsingError(`[time_series_dimensions] must be a list of keys, got [${javaText(value)}]`);
      },
      fallback: undefined,
      updatable: false,
      isHidden: true,
    },
  },
  create(definition) {
    const index = definition.get<boolean>('index');
    const docValues = definition.get<boolean>('doc_values');
    const isFlattened = definition.type === 'flattened';
    // The similarity is checked, but terms of objects are scored by BM25.
    if (isFlattened) similarityOf(definition.settings, definition.given.similarity as string | undefined, definition.name);
    const isSearchable = index || (docValues && !isFlattened);
    const spec = termSpec(definition.path, isSearchable, docValues);
    const keyed = { ...spec, name: `${definition.path}._keyed` };
    const fieldType = new FlatObjectFieldType(definition, keyed, {
      spec,
      family: 'keyword',
      isSearchable,
      isAggregatable: docValues,
    });
    return new FlatObjectMapper(definition, fieldType, definition.field(spec), definition.field(keyed));
  },
};

const { store: _store, ...FLAT_PARAMS } = FLAT_OBJECT.params;

const FLATTENED: MapperType = {
  ...FLAT_OBJECT,
  params: {
    ...FLAT_PARAMS,
    similarity: { parse: javaText, fallback: undefined, updatable: false },
    index_options: enumParam(
      ['docs', 'freqs'],
      'docs',
      (value) => `Unknown value [${value}] for field [index_options] - accepted values are [docs, freqs]`,
    ),
  },
  isLeaf: true,
};

export const FLAT_OBJECT_TYPES: Readonly<Record<string, MapperType>> = { flat_object: FLAT_OBJECT, flattened: FLATTENED };
