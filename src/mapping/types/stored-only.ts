// Fields whose values stay in the source: binary, completion, percolator; and `object` values that are found through `_field_names`.
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgument, mapperParsing } from '../../errors/catalog.ts';
import type { ValueFormat } from '../field-type.ts';
import { javaText } from '../java-text.ts';
import type { DocumentContext, FieldDefinition, Mapper, MapperType } from '../mapper.ts';
import type { MappingAnalysis } from '../mapping-analysis.ts';
import { analyzerParam, boolParam, intParam, META_PARAM } from '../params.ts';
import { scratchUtf8, utf8 } from '../utf8.ts';
import { BINARY_FORMAT } from '../value-formats.ts';
import { BaseFieldType, NO_SPEC } from './base-field-type.ts';
import { scalarText } from './keyword.ts';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

class BinaryFieldType extends BaseFieldType {
  override termBytes(): Uint8Array {
    throw illegalArgument('Binary fields do not support searching');
  }
  override format(format: string | null, timeZone: string | null): ValueFormat {
    if (format !== null || timeZone !== null) super.format(format, timeZone);
    return BINARY_FORMAT;
  }
}

class BinaryMapper implements Mapper {
  readonly takesArrays = false;
  readonly refusal = 'value';
  readonly nullValue = undefined;
  readonly ignoreMalformed = false;
  readonly #path: Uint8Array;

  constructor(
    readonly fieldType: BinaryFieldType,
    readonly field: number,
  ) {
    this.#path = utf8(fieldType.name);
  }

  index(context: DocumentContext, value: unknown): void {
    const text = scalarText(value);
    const wrong = BASE64.test(text) ? null : (text.match(/[^A-Za-z0-9+/=]/)?.[0] ?? '=');
    if (wrong !== null) {
      const code = wrong.codePointAt(0)!.toString(16);
      throw new ApiError('stream_read_exception', 400, `Illegal character '${wrong}' (code 0x${code}) in base64 content`);
    }
    if (this.fieldType.spec.column === 'none') context.exists(this.#path);
    else context.appendBinary(this.field, Buffer.from(text, 'base64'));
  }
}

class UnindexedFieldType extends BaseFieldType {
  override termBytes(): Uint8Array {
    throw illegalArgument(`Field [${this.name}] of type [${this.typeName}] does not support term queries`);
  }
}

/** Between the words of an input in its term. Source: Lucene's ConcatenateGraphFilter. */
const WORD_SEPARATOR = '\x1f';

/** Inputs are kept as one term each, so that term and match queries find them; weights stay in the source. */
class CompletionMapper implements Mapper {
  readonly takesArrays = false;
  readonly refusal = 'document';
  readonly nullValue = undefined;
  readonly ignoreMalformed = false;
  readonly #path: Uint8Array;
  readonly #analysis: MappingAnalysis;
  readonly #analyzer: string;
  readonly #maxInputLength: number;

  constructor(
    definition: FieldDefinition,
    readonly fieldType: BaseFieldType,
    readonly field: number,
  ) {
    this.#path = utf8(fieldType.name);
    this.#analysis = definition.analysis;
    this.#analyzer = definition.get<string | undefined>('analyzer') ?? 'simple';
    this.#maxInputLength = definition.get('max_input_length');
  }

  index(context: DocumentContext, value: unknown): void {
    const inputs = this.#inputs(value);
    for (const input of inputs) this.#write(context, input);
    if (inputs.length > 0) context.exists(this.#path);
  }

  #write(context: DocumentContext, input: string): void {
    if (input === '') throw illegalArgument('value must have a length > 0');
    if (/[\u001e\u001f\0]/.test(input)) throw illegalArgument(`Illegal input [${input}], contains reserved characters`);
    const tokens = this.#analysis.analyze(this.#analyzer, input.slice(0, this.#maxInputLength));
    if (tokens.length > 0) context.sink.term(this.field, scratchUtf8(tokens.map(({ term }) => term).join(WORD_SEPARATOR)));
  }

  #inputs(value: unknown): string[] {
    if (typeof value === 'string') return [value];
    const name = this.fieldType.name;
    if (typeof value !== 'object' || value === null) {
      const token = typeof value === 'number' ? 'NUMBER' : 'BOOLEAN';
      throw new ApiError('parsing_exception', 400, `failed to parse [${name}]: expected text or object, but got VALUE_${token}`);
    }
    const inputs: string[] = [];
    for (const [key, item] of Object.entries(value)) {
      if (key === 'input') {
        for (const input of Array.isArray(item) ? item : [item]) {
          if (typeof input !== 'string') throw illegalArgument(`input must be a text or a list of texts, but was [${javaText(input)}]`);
          inputs.push(input);
        }
      } else if (key === 'weight') checkWeight(item);
      else if (key !== 'contexts') throw illegalArgument(`unknown field name [${key}], must be one of [input, weight, contexts]`);
    }
    return inputs;
  }
}

function checkWeight(value: unknown): void {
  const weight = typeof value === 'string' && /^[+-]?\d+$/.test(value) ? Number(value) : value;
  if (typeof weight !== 'number' || !Number.isInteger(weight))
    throw illegalArgument(`weight must be an integer, but was [${javaText(value)}]`);
  if (weight < 0 || weight > 0x7fffffff) throw illegalArgument(`weight must be in the interval [0..2147483647], but was [${weight}]`);
}

class PercolatorMapper implements Mapper {
  readonly takesArrays = false;
  readonly refusal = 'value';
  readonly nullValue = undefined;
  readonly ignoreMalformed = false;
  readonly #path: Uint8Array;

  constructor(readonly fieldType: BaseFieldType) {
    this.#path = utf8(fieldType.name);
  }

  index(context: DocumentContext, value: unknown): void {
    if (typeof value !== 'object' || value === null)
      throw new ApiError('parsing_exception', 400, 'query malformed, must start with start_object');
    if (Object.keys(value).length === 0) throw illegalArgument('query malformed, empty clause found');
    if (context.countValue(-1) > 1) throw illegalArgument('a document can only contain one percolator query');
    context.exists(this.#path);
  }
}

function unindexed(definition: FieldDefinition): BaseFieldType {
  return new UnindexedFieldType(definition, {
    spec: { ...NO_SPEC, name: definition.path },
    family: 'other',
    isSearchable: true,
    isAggregatable: false,
  });
}

export const STORED_ONLY_TYPES: Readonly<Record<string, MapperType>> = {
  binary: {
    params: { doc_values: boolParam(false), store: boolParam(false), meta: META_PARAM },
    create(definition) {
      const docValues = definition.get<boolean>('doc_values');
      const spec = { ...NO_SPEC, name: definition.path, column: docValues ? 'binary' : 'none' } as const;
      const fieldType = new BinaryFieldType(definition, { spec, family: 'binary', isSearchable: false, isAggregatable: docValues });
      return new BinaryMapper(fieldType, definition.field(spec));
    },
  },
  completion: {
    params: {
      meta: META_PARAM,
      analyzer: analyzerParam(false),
      search_analyzer: analyzerParam(true),
      preserve_separators: boolParam(true),
      preserve_position_increments: boolParam(true),
      max_input_length: intParam(50, true, 1),
      contexts: {
        parse() {
          throw mapperParsing('[contexts] of completion fields are not supported');
        },
        fallback: undefined,
        updatable: false,
      },
    },
    create(definition) {
      const spec = { ...NO_SPEC, name: definition.path, postings: 'freqs', norms: true } as const;
      const analyzer = definition.get<string | undefined>('analyzer') ?? 'simple';
      const fieldType = new BaseFieldType(definition, {
        spec,
        family: 'other',
        isSearchable: true,
        isAggregatable: false,
        searchAnalyzer: definition.get<string | undefined>('search_analyzer') ?? analyzer,
      });
      return new CompletionMapper(definition, fieldType, definition.field(spec));
    },
  },
  percolator: {
    params: { meta: META_PARAM },
    create: (definition) => new PercolatorMapper(unindexed(definition)),
  },
};
