// Exact strings: keyword, wildcard (same postings and ordinals), constant_keyword (one value, written for every document).

import { javaText } from '../../common/text/java-text.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import type { FieldSpec } from '../core/document-sink.ts';
import type { RangeBounds, RangeSpec } from '../core/field-type.ts';
import type { DocumentContext, FieldDefinition, Mapper, MapperType } from '../core/mapper.ts';
import type { MappingAnalysis } from '../core/mapping-analysis.ts';
import {
  boolParam,
  COMMON_PARAMS,
  DIMENSION_PARAM,
  META_PARAM,
  NO_EFFECT_PARAMS,
  ON_SCRIPT_ERROR,
  ORDINALS_PARAMS,
  type Param,
  parseInteger,
  SIMILARITY_PARAM,
} from '../core/params.ts';
import { similarityOf } from '../core/similarity.ts';
import { scratchUtf8, utf8 } from '../values/utf8.ts';
import { BaseFieldType, bytesBounds, NO_SPEC } from './base-field-type.ts';
import { existsPathOf } from './exists-path.ts';

/** Lucene's limit for the length of a term, in bytes. */
export const MAX_TERM_BYTES = 32_766;

/** String form of a scalar value. @throws ApiError illegal_state_exception: an object */
export function scalarText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return String(value);
  throw new ApiError('illegal_state_exception', 400, `Can't get text on a ${Array.isArray(value) ? 'START_ARRAY' : 'START_OBJECT'}`);
}

export function immenseTermError(field: string, bytes: Uint8Array): ApiError {
  const prefix = Array.from(bytes.subarray(0, 30), (byte) => (byte << 24) >> 24).join(', ');
  const cause = new ApiError(
    'max_bytes_length_exceeded_exception',
    400,
    `bytes can be at most ${MAX_TERM_BYTES} in length; got ${bytes.length}`,
  );
  return illegalArgumentError(
    `Document contains at least one immense term in field="${field}" (whose UTF8 encoding is longer than the max length ${MAX_TERM_BYTES}), all of which were skipped.  Please correct the analyzer to not produce such terms.  The prefix of the first immense term is: '[${prefix}]...', original message: ${cause.reason}`,
    cause,
  );
}

export class KeywordFieldType extends BaseFieldType {
  readonly #analysis: MappingAnalysis;
  readonly #normalizer: string | null;

  constructor(definition: FieldDefinition, normalizer: string | null, options: ConstructorParameters<typeof BaseFieldType>[1]) {
    super(definition, options);
    this.#analysis = definition.analysis;
    this.#normalizer = normalizer;
  }

  override termBytes(value: unknown): Uint8Array {
    const text = javaText(value);
    return utf8(this.#normalizer === null ? text : this.#analysis.normalize(this.#normalizer, text));
  }

  override rangeBounds(range: RangeSpec): RangeBounds {
    return bytesBounds(range, (value) => this.termBytes(value));
  }
}

const NORMALIZER: Param = {
  parse(value, { analysis, name }) {
    if (value === null) return undefined;
    const normalizer = javaText(value);
    if (normalizer !== 'default' && !analysis.hasNormalizer(normalizer))
      throw mapperParsingError(`normalizer [${normalizer}] not found for field [${name}]`);
    return normalizer;
  },
  fallback: undefined,
  updatable: false,
  missingText: 'default',
};

const IGNORE_ABOVE: Param = {
  // Every value is longer than a negative limit.
  parse: parseInteger,
  fallback: undefined,
  updatable: true,
};

const NULL_VALUE: Param = { parse: (value) => (value === null ? undefined : javaText(value)), fallback: undefined, updatable: false };

class KeywordMapper implements Mapper {
  readonly takesArrays = false;
  readonly refusal = 'value';
  readonly ignoreMalformed = false;
  readonly fieldType: KeywordFieldType;
  readonly nullValue: unknown;
  readonly #field: number;
  readonly #ignoreAbove: number;
  /** Whether `_ignored` names the field if a value is longer than that. */
  readonly #namesIgnored: boolean;
  readonly #normalizer: string | null;
  readonly #analysis: MappingAnalysis;
  readonly #existsPath: Uint8Array | null;
  readonly #isStored: boolean;

  constructor(definition: FieldDefinition, fieldType: KeywordFieldType, field: number, normalizer: string | null) {
    this.fieldType = fieldType;
    this.#field = field;
    this.#normalizer = normalizer;
    this.#analysis = definition.analysis;
    this.#ignoreAbove = definition.get<number | undefined>('ignore_above') ?? Number.POSITIVE_INFINITY;
    this.#namesIgnored = definition.dialect.namesValuesAboveLimit;
    this.nullValue = definition.get('null_value');
    this.#existsPath = existsPathOf(definition, fieldType.spec);
    this.#isStored = fieldType.spec.postings !== 'none' || fieldType.spec.column !== 'none';
  }

  index(context: DocumentContext, value: unknown): void {
    let text = typeof value === 'string' ? value : scalarText(value);
    if (text.length > this.#ignoreAbove) {
      if (this.#namesIgnored) context.ignore(this.fieldType.name);
      return;
    }
    if (this.#normalizer !== null) text = this.#analysis.normalize(this.#normalizer, text);
    if (this.#existsPath !== null) context.exists(this.#existsPath);
    if (!this.#isStored) return;
    const bytes = scratchUtf8(text);
    if (bytes.length > MAX_TERM_BYTES) throw immenseTermError(this.fieldType.name, bytes);
    context.sink.keyword(this.#field, bytes);
  }
}

/** Fields with doc values only are searchable, too: they have a term dictionary anyway, and its postings make searches fast. */
export function postingsOf(isSearchable: boolean): 'docs' | 'none' {
  return isSearchable ? 'docs' : 'none';
}

/** Spec of a field whose terms are searched as a whole and have ordinals as doc values. */
export function termSpec(path: string, isSearchable: boolean, hasDocValues: boolean): FieldSpec {
  return { ...NO_SPEC, name: path, postings: postingsOf(isSearchable), column: hasDocValues ? 'ordinals' : 'none' };
}

function createKeyword(definition: FieldDefinition): Mapper {
  const index = definition.get<boolean | undefined>('index') ?? true;
  const docValues = definition.get<boolean | undefined>('doc_values') ?? true;
  const given = definition.get<string | undefined>('normalizer') ?? null;
  const normalizer = given === 'default' ? null : given;
  const spec = termSpec(definition.path, index || docValues, docValues);
  const fieldType = new KeywordFieldType(definition, normalizer, {
    spec,
    family: 'keyword',
    isSearchable: index || docValues,
    isAggregatable: docValues,
    similarity: similarityOf(definition.settings, definition.given.similarity as string | undefined, definition.name),
    // Queries on keywords are analyzed as a single token, or split at white space on request.
    searchAnalyzer: definition.get<boolean | undefined>('split_queries_on_whitespace') ? 'whitespace' : null,
  });
  return new KeywordMapper(definition, fieldType, definition.field(spec), normalizer);
}

export const KEYWORD_TYPES: Readonly<Record<string, MapperType>> = {
  keyword: {
    params: {
      ...COMMON_PARAMS,
      ...NO_EFFECT_PARAMS,
      ...ORDINALS_PARAMS,
      ...DIMENSION_PARAM,
      null_value: NULL_VALUE,
      ignore_above: IGNORE_ABOVE,
      normalizer: NORMALIZER,
      norms: boolParam(false, true),
      split_queries_on_whitespace: boolParam(false, true),
      similarity: SIMILARITY_PARAM,
      index_options: {
        parse(value) {
          const option = javaText(value);
          if (option !== 'docs' && option !== 'freqs') {
            throw mapperParsingError(`Unknown value [${option}] for field [index_options] - accepted values are [docs, freqs]`);
          }
          return option;
        },
        fallback: 'docs',
        updatable: false,
      },
      on_script_error: ON_SCRIPT_ERROR,
    },
    create: createKeyword,
  },
  wildcard: {
    params: { meta: META_PARAM, null_value: NULL_VALUE, ignore_above: IGNORE_ABOVE, normalizer: NORMALIZER, doc_values: boolParam(true) },
    create: createKeyword,
  },
  constant_keyword: {
    params: {
      meta: META_PARAM,
      value: {
        parse(value) {
          if (typeof value === 'object') throw mapperParsingError(`Property [value] on constant_keyword must be a number or a string`);
          return String(value);
        },
        fallback: undefined,
        updatable: false,
      },
    },
    create(definition) {
      const spec = { ...NO_SPEC, name: definition.path, postings: 'docs', column: 'ordinals' } as const;
      const fieldType = new KeywordFieldType(definition, null, { spec, family: 'keyword', isSearchable: true, isAggregatable: true });
      return new ConstantKeywordMapper(fieldType, definition.field(spec), definition.get('value'));
    },
  },
};

/** The parser calls `indexConstant` for every root document; values in sources are only compared with the constant. */
export class ConstantKeywordMapper implements Mapper {
  readonly takesArrays = false;
  readonly refusal = 'value';
  readonly ignoreMalformed = false;
  readonly nullValue = undefined;
  readonly #bytes: Uint8Array | null;

  constructor(
    readonly fieldType: KeywordFieldType,
    readonly field: number,
    readonly value: string | undefined,
  ) {
    this.#bytes = value === undefined ? null : utf8(value);
  }

  indexConstant(context: DocumentContext): void {
    if (this.#bytes) context.sink.keyword(this.field, this.#bytes);
  }

  index(_context: DocumentContext, value: unknown): void {
    const text = scalarText(value);
    if (text === this.value) return;
    throw illegalArgumentError(
      `[constant_keyword] field [${this.fieldType.name}] only accepts values that are equal to the value defined in the mappings [${this.value}], but got [${text}]`,
    );
  }
}
