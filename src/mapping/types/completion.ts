// completion: inputs with weights for the completion suggester. The term of an input is its analyzed words, joined; the binary value of a document
// is a sequence of records: weight u32, bytes of the input u16, bytes of the term u16, input, term (UTF-8, little-endian). In fields with contexts
// each record ends with bytes u32 and the contexts of the input (src/mapping/types/completion-contexts.ts).

import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { javaText } from '../../common/text/java-text.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { DocumentContext, FieldDefinition, Mapper, MapperType } from '../core/mapper.ts';
import type { MappingAnalysis } from '../core/mapping-analysis.ts';
import { analyzerParam, boolParam, intParam, META_PARAM } from '../core/params.ts';
import { utf8 } from '../values/utf8.ts';
import { BaseFieldType, NO_SPEC } from './base-field-type.ts';
import {
  CONTEXTS_PARAM,
  type ContextMapping,
  contextsOfField,
  contextValues,
  decodeContexts,
  encodeContexts,
  type InputContext,
} from './completion-contexts.ts';

const RECORD_HEADER = 8;
const MAX_RECORD_TEXT = 0xffff;

const CONTEXTS_HEADER = 4;

/** @param contexts  null in fields without contexts */
function encodeCompletion(input: Uint8Array, weight: number, term: Uint8Array, contexts: Uint8Array | null): Uint8Array {
  if (input.length > MAX_RECORD_TEXT || term.length > MAX_RECORD_TEXT)
    throw illegalArgumentError(`an input has more than ${MAX_RECORD_TEXT} bytes`);
  const record = Buffer.alloc(RECORD_HEADER + input.length + term.length);
  record.writeUInt32LE(weight, 0);
  record.writeUInt16LE(input.length, 4);
  record.writeUInt16LE(term.length, 6);
  record.set(input, RECORD_HEADER);
  record.set(term, RECORD_HEADER + input.length);
  if (contexts === null) return record;
  const size = Buffer.alloc(CONTEXTS_HEADER);
  size.writeUInt32LE(contexts.length);
  return Buffer.concat([record, size, contexts]);
}

export interface Completion {
  readonly text: string;
  readonly weight: number;
  readonly term: Uint8Array;
  readonly contexts: readonly InputContext[];
}

/** Decodes the inputs of a document from its binary value; empty for null. */
export function* readCompletions(bytes: Uint8Array | null, hasContexts: boolean): Generator<Completion> {
  if (bytes === null) return;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + RECORD_HEADER <= buffer.length; ) {
    const inputEnd = at + RECORD_HEADER + buffer.readUInt16LE(at + 4);
    const termEnd = inputEnd + buffer.readUInt16LE(at + 6);
    const end = hasContexts ? termEnd + CONTEXTS_HEADER + buffer.readUInt32LE(termEnd) : termEnd;
    yield {
      text: buffer.toString('utf8', at + RECORD_HEADER, inputEnd),
      weight: buffer.readUInt32LE(at),
      term: buffer.subarray(inputEnd, termEnd),
      contexts: hasContexts ? decodeContexts(buffer.subarray(termEnd + CONTEXTS_HEADER, end)) : NO_CONTEXTS,
    };
    at = end;
  }
}

const NO_CONTEXTS: readonly InputContext[] = [];

/** The context mappings of a completion field; null if it has none. */
export function contextMappingsOf(params: Readonly<Record<string, unknown>>): readonly ContextMapping[] | null {
  return (params['contexts'] as readonly ContextMapping[] | undefined) ?? null;
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
  readonly #contexts: readonly ContextMapping[] | null;

  constructor(
    definition: FieldDefinition,
    readonly fieldType: BaseFieldType,
    readonly field: number,
  ) {
    this.#path = utf8(fieldType.name);
    this.#analysis = definition.analysis;
    this.#analyzer = definition.get<string | undefined>('analyzer') ?? 'simple';
    this.#maxInputLength = definition.get('max_input_length');
    this.#contexts = contextMappingsOf(definition.given);
  }

  index(context: DocumentContext, value: unknown): void {
    const { inputs, weight, contexts: given } = this.#inputs(value, context.memberName);
    const contexts = this.#contexts && encodeContexts(this.#contextsOf(this.#contexts, context, given));
    for (const input of inputs) this.#write(context, input, weight, contexts);
    if (inputs.some((input) => input !== '')) context.exists(this.#path);
  }

  /** Contexts given with the input, and those from other fields of the document. */
  #contextsOf(mappings: readonly ContextMapping[], context: DocumentContext, given: JsonObject): InputContext[] {
    const found = new Map<string, InputContext>();
    mappings.forEach((one, mapping) => {
      const own = Object.hasOwn(given, one.name) ? contextValues(one, given[one.name]) : [];
      const others = one.path === undefined ? [] : contextsOfField(one, context.valuesAt(one.path));
      for (const value of [...own, ...others]) found.set(`${mapping} ${value}`, { mapping, value });
    });
    if (found.size === 0) throw illegalArgumentError(`Contexts are mandatory in context enabled completion field [${this.fieldType.name}]`);
    return [...found.values()];
  }

  #write(context: DocumentContext, input: string, weight: number, contexts: Uint8Array | null): void {
    if (input === '') return;
    if (/[\u001e\u001f\0]/.test(input)) throw illegalArgumentError(`Illegal input [${input}], contains reserved characters`);
    const tokens = this.#analysis.analyze(this.#analyzer, input.slice(0, this.#maxInputLength));
    if (tokens.length === 0) return;
    const term = Buffer.from(tokens.map((token) => token.term).join(WORD_SEPARATOR));
    context.sink.term(this.field, term);
    context.appendBinary(this.field, encodeCompletion(Buffer.from(input), weight, term, contexts));
  }

  #inputs(value: unknown, member: string | null): { inputs: string[]; weight: number; contexts: JsonObject } {
    if (typeof value === 'string') return { inputs: [value], weight: 1, contexts: {} };
    if (typeof value !== 'object' || value === null) {
      const token = typeof value === 'boolean' ? 'BOOLEAN' : 'NUMBER';
      throw new ApiError('parsing_exception', 400, `failed to parse [${member}]: expected text or object, but got VALUE_${token}`);
    }
    const inputs: string[] = [];
    let weight = 1;
    let contexts: JsonObject = {};
    for (const [key, item] of Object.entries(value)) {
      if (key === 'input') {
        for (const input of Array.isArray(item) ? item : [item]) {
          if (typeof input !== 'string')
            throw illegalArgumentError(`input must be a text or a list of texts, but was [${javaText(input)}]`);
          inputs.push(input);
        }
      } else if (key === 'weight') weight = readWeight(item);
      else if (key === 'contexts') contexts = this.#givenContexts(item);
      else throw illegalArgumentError(`unknown field name [${key}], must be one of [input, weight, contexts]`);
    }
    return { inputs, weight, contexts };
  }

  #givenContexts(value: unknown): JsonObject {
    const { name } = this.fieldType;
    if (this.#contexts === null) throw illegalArgumentError(`contexts field is not supported for field: [${name}]`);
    if (!isObject(value)) throw illegalArgumentError(`contexts must be an object or an array , but was [${tokenOf(value)}]`);
    const names = this.#contexts.map((mapping) => mapping.name);
    for (const key of Object.keys(value)) {
      if (!names.includes(key)) throw illegalArgumentError(`Unknown context name [${key}], must be one of [${names.join(', ')}]`);
    }
    return value;
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
      analyzer: { ...analyzerParam(false), shown: 'simple' },
      search_analyzer: analyzerParam(true),
      preserve_separators: { ...boolParam(true), shown: true },
      preserve_position_increments: { ...boolParam(true), shown: true },
      max_input_length: { ...intParam(50, true, 1), shown: 50 },
      contexts: CONTEXTS_PARAM,
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
