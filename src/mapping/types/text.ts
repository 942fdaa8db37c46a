// Analyzed text: text, match_only_text, search_as_you_type.

import { javaText } from '../../common/text/java-text.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import type { FieldSpec } from '../core/document-sink.ts';
import type { RangeBounds, RangeSpec } from '../core/field-type.ts';
import type { DocumentContext, FieldDefinition, Mapper, MapperType } from '../core/mapper.ts';
import type { MappingAnalysis } from '../core/mapping-analysis.ts';
import {
  analyzerParam,
  boolParam,
  enumParam,
  META_PARAM,
  NO_EFFECT_PARAMS,
  ORDINALS_PARAMS,
  type Param,
  parseInteger,
  SIMILARITY_PARAM,
} from '../core/params.ts';
import { DEFAULT_BM25, type Similarity, similarityOf } from '../core/similarity.ts';
import { utf8 } from '../values/utf8.ts';
import { BaseFieldType, bytesBounds } from './base-field-type.ts';
import { existsPathOf } from './exists-path.ts';
import { scalarText } from './keyword.ts';

const DEFAULT_POSITION_GAP = 100;

class TextFieldType extends BaseFieldType {
  readonly #analysis: MappingAnalysis;

  constructor(definition: FieldDefinition, options: ConstructorParameters<typeof BaseFieldType>[1]) {
    super(definition, options);
    this.#analysis = definition.analysis;
  }

  /** The term after the analyzer's normalization, without tokenizing. */
  override termBytes(value: unknown): Uint8Array {
    return utf8(javaText(value));
  }

  override rangeBounds(range: RangeSpec): RangeBounds {
    return bytesBounds(range, (value) => utf8(this.#analysis.normalizeTerm(this.searchAnalyzer ?? 'default', javaText(value))));
  }
}

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

class TextMapper implements Mapper {
  readonly takesArrays = false;
  readonly refusal = 'value';
  readonly ignoreMalformed = false;
  readonly nullValue = undefined;
  readonly #existsPath: Uint8Array | null;
  readonly #hasNorms: boolean;
  readonly #isIndexed: boolean;

  constructor(
    definition: FieldDefinition,
    readonly fieldType: TextFieldType,
    readonly fields: readonly number[],
  ) {
    this.#existsPath = existsPathOf(definition, { ...fieldType.spec, column: 'none' });
    this.#hasNorms = fieldType.spec.norms;
    this.#isIndexed = fieldType.spec.postings !== 'none';
  }

  index(context: DocumentContext, value: unknown): void {
    const text = typeof value === 'string' ? value : scalarText(value);
    if (this.#isIndexed) for (const field of this.fields) context.sink.text(field, text);
    // A text without tokens has no norm, so the field's existence is recorded.
    if (this.#existsPath !== null && (!this.#hasNorms || !hasPlainLetter(text))) context.exists(this.#existsPath);
  }
}

/** Checks the first characters before the whole string. */
function hasPlainLetter(text: string): boolean {
  for (let i = 0; i < text.length && i < 16; i++) {
    const code = text.charCodeAt(i) | 32;
    if (code >= 97 && code <= 122) return true;
  }
  return LETTER_OR_DIGIT.test(text);
}

const POSTINGS: Record<string, FieldSpec['postings']> = { docs: 'docs', freqs: 'freqs', positions: 'positions', offsets: 'offsets' };

const TERM_VECTORS = [
  'no',
  'yes',
  'with_positions',
  'with_offsets',
  'with_positions_offsets',
  'with_positions_payloads',
  'with_positions_offsets_payloads',
];

const POSITION_GAP: Param = {
  parse(value) {
    const gap = parseInteger(value);
    if (gap < 0) throw illegalArgumentError(`[position_increment_gap] must be positive, got [${gap}]`);
    return gap;
  },
  fallback: DEFAULT_POSITION_GAP,
  updatable: false,
};

const FREQUENCY_FILTER: Param = {
  parse(value, { name }) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw mapperParsingError(`[fielddata_frequency_filter] must be an object on field [${name}]`);
    return value;
  },
  fallback: undefined,
  updatable: true,
};

const INDEX_PREFIXES: Param = {
  parse(value) {
    if (value === null) return undefined;
    const { min_chars = 2, max_chars = 5, ...rest } = value as Record<string, unknown>;
    if (Object.keys(rest).length > 0) throw mapperParsingError(`[index_prefixes] has unsupported parameters: ${javaText(rest)}`);
    const min = parseInteger(min_chars);
    const max = parseInteger(max_chars);
    if (min > max) throw illegalArgumentError(`min_chars [${min}] must be less than max_chars [${max}]`);
    if (min < 1) throw illegalArgumentError(`min_chars [${min}] must be greater than zero`);
    if (max >= 20) throw illegalArgumentError(`max_chars [${max}] must be less than 20`);
    return { min_chars: min, max_chars: max };
  },
  fallback: undefined,
  updatable: false,
};

const indexOptionsMessage = (value: string): string =>
  `Unknown value [${value}] for field [index_options] - accepted values are [positions, docs, freqs, offsets]`;

const TEXT_PARAMS: Readonly<Record<string, Param>> = {
  index: boolParam(true),
  store: boolParam(false),
  meta: META_PARAM,
  ...NO_EFFECT_PARAMS,
  ...ORDINALS_PARAMS,
  analyzer: analyzerParam(false),
  search_analyzer: analyzerParam(true),
  search_quote_analyzer: analyzerParam(true),
  similarity: SIMILARITY_PARAM,
  index_options: enumParam(['docs', 'freqs', 'positions', 'offsets'], 'positions', indexOptionsMessage),
  norms: boolParam(true),
  term_vector: enumParam(
    TERM_VECTORS,
    'no',
    (value) => `Unknown value [${value}] for field [term_vector] - accepted values are [${TERM_VECTORS.join(', ')}]`,
  ),
};

const TEXT_ONLY_PARAMS: Readonly<Record<string, Param>> = {
  position_increment_gap: POSITION_GAP,
  // Segments have a column for it, so the setting of an existing field cannot change.
  fielddata: boolParam(false),
  fielddata_frequency_filter: FREQUENCY_FILTER,
  index_prefixes: INDEX_PREFIXES,
  index_phrases: boolParam(false),
};

/** A parameter that accepts only its default. */
function refused(param: Param, message: string): Param {
  return {
    ...param,
    parse(value, context) {
      if (param.parse(value, context) !== param.fallback) throw mapperParsingError(message);
      return param.fallback;
    },
  };
}

function similarityOfField({ settings, given, name }: FieldDefinition): Similarity {
  return similarityOf(settings, given.similarity as string | undefined, name);
}

/** Names of index and search analyzers, by default the index's `default` and `default_search`. */
function analyzers(definition: FieldDefinition): { index: string; search: string; quote: string } {
  const { analysis } = definition;
  const given = definition.get<string | undefined>('analyzer');
  const index = given ?? 'default';
  const search =
    definition.get<string | undefined>('search_analyzer') ??
    (given === undefined && analysis.hasAnalyzer('default_search') ? 'default_search' : index);
  return { index, search, quote: definition.get<string | undefined>('search_quote_analyzer') ?? search };
}

/** A quote analyzer of its own is shown together with the other two; one that equals the search analyzer is not kept. */
function completeAnalyzers(given: Readonly<Record<string, unknown>>, analysis: MappingAnalysis): Readonly<Record<string, unknown>> {
  const { search_quote_analyzer: quote, ...rest } = given;
  if (quote === undefined) return given;
  const index = given.analyzer ?? 'default';
  const usual = given.analyzer === undefined && analysis.hasAnalyzer('default_search') ? 'default_search' : index;
  const search = given.search_analyzer ?? usual;
  return quote === search ? rest : { ...rest, analyzer: index, search_analyzer: search, search_quote_analyzer: quote };
}

function validateAnalyzers({ given, name }: { given: Readonly<Record<string, unknown>>; name: string }): void {
  if (given.search_analyzer !== undefined && given.search_analyzer !== 'default' && given.analyzer === undefined) {
    throw mapperParsingError(`analyzer on field [${name}] must be set when search_analyzer is set`);
  }
  if (given.index_prefixes !== undefined && given.index === false)
    throw illegalArgumentError(`Cannot set index_prefixes on unindexed field [${name}]`);
  if (given.index_phrases === true && given.index === false)
    throw illegalArgumentError(`Cannot set index_phrases on unindexed field [${name}]`);
  if (given.index_phrases === true && (given.index_options === 'docs' || given.index_options === 'freqs')) {
    throw illegalArgumentError(`Cannot set index_phrases on field [${name}] if positions are not enabled`);
  }
  if (given.position_increment_gap !== undefined && (given.index_options === 'docs' || given.index_options === 'freqs')) {
    throw illegalArgumentError(`Cannot set position_increment_gap on field [${name}] without positions enabled`);
  }
}

function textSpec(definition: FieldDefinition, name: string, analyzer: string, fielddata: boolean): FieldSpec {
  const isIndexed = definition.get<boolean>('index');
  return {
    name,
    postings: isIndexed ? POSTINGS[definition.get<string>('index_options')] : 'none',
    norms: isIndexed && definition.get<boolean>('norms'),
    analyzer,
    positionIncrementGap: definition.get<number | undefined>('position_increment_gap') ?? DEFAULT_POSITION_GAP,
    column: fielddata && isIndexed ? 'ordinals' : 'none',
  };
}

export const TEXT_TYPES: Readonly<Record<string, MapperType>> = {
  text: {
    params: { ...TEXT_PARAMS, ...TEXT_ONLY_PARAMS },
    validate: validateAnalyzers,
    complete: completeAnalyzers,
    create(definition) {
      const { index, search, quote } = analyzers(definition);
      const fielddata = definition.get<boolean>('fielddata');
      const spec = textSpec(definition, definition.path, index, fielddata);
      const fieldType = new TextFieldType(definition, {
        spec,
        family: 'text',
        isSearchable: spec.postings !== 'none',
        isAggregatable: fielddata,
        searchAnalyzer: search,
        searchQuoteAnalyzer: quote,
        similarity: similarityOfField(definition),
      });
      return new TextMapper(definition, fieldType, [definition.field(spec)]);
    },
  },
  match_only_text: {
    params: {
      ...TEXT_PARAMS,
      ...TEXT_ONLY_PARAMS,
      norms: refused(boolParam(false), 'Norms cannot be enabled on for match_only_text field'),
      index_options: refused(enumParam(['docs'], 'docs', indexOptionsMessage), 'docs is the only index_options of match_only_text fields'),
    },
    validate: validateAnalyzers,
    complete: completeAnalyzers,
    create(definition) {
      const { index, search, quote } = analyzers(definition);
      const fielddata = definition.get<boolean>('fielddata');
      // Phrases are searched by positions, which are cheaper here than reading sources.
      const spec: FieldSpec = { ...textSpec(definition, definition.path, index, fielddata), norms: false };
      const indexed: FieldSpec = spec.postings === 'none' ? spec : { ...spec, postings: 'positions' };
      const fieldType = new TextFieldType(definition, {
        spec: indexed,
        family: 'text',
        isSearchable: indexed.postings !== 'none',
        isAggregatable: fielddata,
        searchAnalyzer: search,
        searchQuoteAnalyzer: quote,
        similarity: { kind: 'boolean', bm25: DEFAULT_BM25, model: null },
      });
      return new TextMapper(definition, fieldType, [definition.field(indexed)]);
    },
  },
  search_as_you_type: {
    params: {
      ...TEXT_PARAMS,
      doc_values: boolParam(false),
      max_shingle_size: {
        parse(value) {
          const size = parseInteger(value);
          if (size < 2 || size > 4) throw mapperParsingError(`[max_shingle_size] must be at least [2] and at most [4], got [${size}]`);
          return size;
        },
        fallback: 3,
        updatable: false,
      },
    },
    validate: validateAnalyzers,
    complete: completeAnalyzers,
    create(definition) {
      const { index, search, quote } = analyzers(definition);
      const spec = textSpec(definition, definition.path, index, false);
      const options = {
        family: 'text',
        isSearchable: spec.postings !== 'none',
        isAggregatable: false,
        similarity: similarityOfField(definition),
      } as const;
      const fieldType = new TextFieldType(definition, { ...options, spec, searchAnalyzer: search, searchQuoteAnalyzer: quote });
      const fields = [definition.field(spec)];
      const size = definition.get<number>('max_shingle_size');
      // Shingles of 2..size words, and their prefixes: AnalysisRegistry derives the analyzers from these names.
      for (const suffix of [...Array.from({ length: size - 1 }, (_, i) => `_${i + 2}gram`), '_index_prefix']) {
        const derived = suffix === '_index_prefix' ? `#prefix${size}gram` : suffix.replace('_', '#');
        const path = `${definition.path}.${suffix}`;
        const subAnalyzer = `${index}${derived}`;
        const subSpec = { ...textSpec(definition, path, subAnalyzer, false), norms: suffix !== '_index_prefix' && spec.norms };
        const searchDerived = suffix === '_index_prefix' ? `#${size}gram` : suffix.replace('_', '#');
        if (!definition.analysis.hasAnalyzer(subAnalyzer) || !definition.analysis.hasAnalyzer(`${search}${searchDerived}`)) continue;
        definition.addSubField(
          suffix,
          new TextFieldType({ ...definition, path }, { ...options, spec: subSpec, searchAnalyzer: `${search}${searchDerived}` }),
        );
        fields.push(definition.field(subSpec));
      }
      return new TextMapper(definition, fieldType, fields);
    },
  },
};
