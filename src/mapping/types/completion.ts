// completion: inputs with weights for the completion suggester. The term of an input is its analyzed words, joined; the binary value of a document
// is a sequence of records: weight u32, bytes of the input u16, bytes of the term u16, input, term (UTF-8, little-endian).

import { javaText } from '../../common/java-text.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import type { DocumentContext, FieldDefinition, Mapper, MapperType } from '../mapper.ts';
import type { MappingAnalysis } from '../mapping-analysis.ts';
import { analyzerParam, boolParam, intParam, META_PARAM } from '../params.ts';
import { utf8 } from '../utf8.ts';
import { BaseFieldType, NO_SPEC } from './base-field-type.ts';

const RECORD_HEADER = 8;
const MAX_RECORD_TEXT = 0xffff;

function encodeCompletion(input: Uint8Array, weight: number, term: Uint8Array): Uint8Array {
  if (input.length > MAX_RECORD_TEXT || term.length > MAX_RECORD_TEXT)
    throw illegalArgumentError(`an input has more than ${MAX_RECORD_TEXT} bytes`);
  const record = Buffer.alloc(RECORD_HEADER + input.length + term.length);
  record.writeUInt32LE(weight, 0);
  record.writeUInt16LE(input.length, 4);
  record.writeUInt16LE(term.length, 6);
  record.set(input, RECORD_HEADER);
  record.set(term, RECORD_HEADER + input.length);
  return record;
}

export interface Completion {
  readonly text: string;
  readonly weight: number;
  readonly term: Uint8Array;
}

/** Decodes the inputs of a document from its binary value; empty for null. */
export function* readCompletions(bytes: Uint8Array | null): Generator<Completion> {
  if (bytes === null) return;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + RECORD_HEADER <= buffer.length; ) {
    const inputEnd = at + RECORD_HEADER + buffer.readUInt16LE(at + 4);
    const termEnd = inputEnd + buffer.readUInt16LE(at + 6);
    yield {
      text: buffer.toString('utf8', at + RECORD_HEADER, inputEnd),
      weight: buffer.readUInt32LE(at),
      term: buffer.subarray(inputEnd, termEnd),
    };
    at = termEnd;
  }
}

/** Separates the words of an input in its term. Source: Lucene's ConcatenateGraphFilter. */
export const WORD_SEPARATOR = '\x1f';

/** Each input is one term, which queries and suggesters find, and a record with its weight in a binary column. */
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
    const { inputs, weight } = this.#inputs(value);
    for (const input of inputs) this.#write(context, input, weight);
    if (inputs.length > 0) context.exists(this.#path);
  }

  #write(context: DocumentContext, input: string, weight: number): void {
    if (input === '') throw illegalArgumentError('value must have a length > 0');
    if (/[\u001e\u001f\0]/.test(input)) throw illegalArgumentError(`Illegal input [${input}], contains reserved characters`);
    const tokens = this.#analysis.analyze(this.#analyzer, input.slice(0, this.#maxInputLength));
    if (tokens.length === 0) return;
    const term = Buffer.from(tokens.map((token) => token.term).join(WORD_SEPARATOR));
    context.sink.term(this.field, term);
    context.appendBinary(this.field, encodeCompletion(Buffer.from(input), weight, term));
  }

  #inputs(value: unknown): { inputs: string[]; weight: number } {
    if (typeof value === 'string') return { inputs: [value], weight: 1 };
    const name = this.fieldType.name;
    if (typeof value !== 'object' || value === null) {
      const token = typeof value === 'number' ? 'NUMBER' : 'BOOLEAN';
      throw new ApiError('parsing_exception', 400, `failed to parse [${name}]: expected text or object, but got VALUE_${token}`);
    }
    const inputs: string[] = [];
    let weight = 1;
    for (const [key, item] of Object.entries(value)) {
      if (key === 'input') {
        for (const input of Array.isArray(item) ? item : [item]) {
          if (typeof input !== 'string')
            throw illegalArgumentError(`input must be a text or a list of texts, but was [${javaText(input)}]`);
          inputs.push(input);
        }
      } else if (key === 'weight') weight = readWeight(item);
      else if (key !== 'contexts') throw illegalArgumentError(`unknown field name [${key}], must be one of [input, weight, contexts]`);
    }
    return { inputs, weight };
  }
}

function readWeight(value: unknown): number {
  const weight = typeof value === 'string' && /^[+-]?\d+$/.test(value) ? Number(value) : value;
  if (typeof weight !== 'number' || !Number.isInteger(weight))
    throw illegalArgumentError(`weight must be an integer, but was [${javaText(value)}]`);
  if (weight < 0 || weight > 0x7fffffff) throw illegalArgumentError(`weight must be in the interval [0..2147483647], but was [${weight}]`);
  return weight;
}

export const COMPLETION_TYPES: Readonly<Record<string, MapperType>> = {
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
          throw mapperParsingError('[contexts] of completion fields are not supported');
        },
        fallback: undefined,
        updatable: false,
      },
    },
    create(definition) {
      const spec = { ...NO_SPEC, name: definition.path, postings: 'freqs', norms: true, column: 'binary' } as const;
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
};
