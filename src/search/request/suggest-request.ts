// `suggest` of a search body: suggesters by name, with the text that each works on.
import { isObject, type JsonObject, tokenOf } from '../../common/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, parsingError } from '../../errors/catalog.ts';
import { AUTO_FUZZINESS, type Fuzziness, parseFuzziness } from '../../query/fuzziness.ts';
import { readBoolean, readFloat, readInt, readText } from '../../query/read-json.ts';
import { STRING_DISTANCES, type StringDistance } from '../matchers/string-distance.ts';

export interface TermSuggestion {
  readonly kind: 'term';
  readonly name: string;
  readonly text: string;
  readonly field: string;
  readonly analyzer: string | null;
  readonly size: number;
  readonly shardSize: number;
  readonly mode: 'missing' | 'popular' | 'always';
  readonly sort: 'score' | 'frequency';
  readonly maxEdits: number;
  readonly prefixLength: number;
  readonly minWordLength: number;
  /** Below 1: a fraction of the documents; otherwise a number of documents. */
  readonly minDocFreq: number;
  readonly maxTermFreq: number;
  readonly accuracy: number;
  readonly distance: StringDistance;
}

export interface CompletionSuggestion {
  readonly kind: 'completion';
  readonly name: string;
  readonly text: string;
  readonly field: string;
  readonly size: number;
  readonly skipDuplicates: boolean;
  /** How the text must match the beginning of an input. */
  readonly match:
    | { readonly by: 'prefix' }
    | { readonly by: 'regex'; readonly maxStates: number }
    | {
        readonly by: 'fuzzy';
        readonly fuzziness: Fuzziness;
        readonly transpositions: boolean;
        readonly minLength: number;
        readonly prefixLength: number;
      };
}

export type Suggestion = TermSuggestion | CompletionSuggestion;

/** @throws ApiError parse_exception, named_object_not_found_exception, illegal_argument_exception */
export function parseSuggest(body: JsonObject): Suggestion[] {
  const globalText = body['text'] === undefined ? null : readText(body['text'], 'text');
  const suggestions: Suggestion[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (name === 'text') continue;
    if (!isObject(value)) throw parsingError(`Expected [START_OBJECT] in [suggest] but found [${tokenOf(value)}]`);
    suggestions.push(parseOne(name, value, globalText));
  }
  return suggestions;
}

function parseOne(name: string, body: JsonObject, globalText: string | null): Suggestion {
  let text: string | null = null;
  let isRegex = false;
  let kind: string | null = null;
  let options: JsonObject = {};
  for (const [key, value] of Object.entries(body)) {
    if (key === 'text' || key === 'prefix' || key === 'regex') {
      text = readText(value, key);
      isRegex = key === 'regex';
    } else if (isObject(value)) {
      kind = key;
      options = value;
    } else throw parsingError(`[suggestion] does not support [${key}]`);
  }
  if (kind === null) throw illegalArgumentError('missing suggestion object');
  if (kind === 'phrase') throw illegalArgumentError('the suggester [phrase] is not supported');
  if (kind !== 'term' && kind !== 'completion')
    throw new ApiError('named_object_not_found_exception', 400, `[1:1] unknown field [${kind}]`);
  const { field } = options;
  if (field === undefined) throw new ApiError('parse_exception', 400, 'the required field option [field] is missing');
  const given = text ?? globalText;
  if (given === null) throw illegalArgumentError('The required text option is missing');
  const base = { name, text: given, field: readText(field, 'field') };
  return kind === 'term' ? parseTerm(base, options) : parseCompletion(base, options, isRegex);
}

type Base = { readonly name: string; readonly text: string; readonly field: string };

function positive(key: string, value: unknown, least: number): number {
  const number = readInt(value, key);
  if (number < least) throw illegalArgumentError(`${key} must be ${least > 0 ? 'positive' : 'at least 0'}`);
  return number;
}

function parseTerm(base: Base, options: JsonObject): TermSuggestion {
  const draft: { -readonly [K in keyof TermSuggestion]: TermSuggestion[K] } = {
    ...base,
    kind: 'term',
    analyzer: null,
    size: 5,
    shardSize: -1,
    mode: 'missing',
    sort: 'score',
    maxEdits: 2,
    prefixLength: 1,
    minWordLength: 4,
    minDocFreq: 0,
    maxTermFreq: Math.fround(0.01),
    accuracy: 0.5,
    distance: STRING_DISTANCES['internal'],
  };
  for (const [key, value] of Object.entries(options)) {
    switch (key) {
      case 'field':
        break;
      case 'analyzer':
        draft.analyzer = readText(value, key);
        break;
      case 'size':
        draft.size = positive(key, value, 1);
        break;
      case 'shard_size':
        draft.shardSize = positive(key, value, 1);
        break;
      case 'suggest_mode': {
        const mode = readText(value, key).toLowerCase();
        if (mode !== 'missing' && mode !== 'popular' && mode !== 'always')
          throw illegalArgumentError(`No enum constant SuggestMode.${mode.toUpperCase()}`);
        draft.mode = mode;
        break;
      }
      case 'sort': {
        const sort = readText(value, key).toLowerCase();
        if (sort !== 'score' && sort !== 'frequency') throw illegalArgumentError(`No enum constant SortBy.${sort.toUpperCase()}`);
        draft.sort = sort;
        break;
      }
      case 'max_edits':
        draft.maxEdits = readInt(value, key);
        if (draft.maxEdits < 1 || draft.maxEdits > 2) throw illegalArgumentError('maxEdits must be between 1 and 2');
        break;
      case 'prefix_length':
      case 'prefix_len':
        draft.prefixLength = positive('prefixLength', value, 0);
        break;
      case 'min_word_length':
      case 'min_word_len':
        draft.minWordLength = positive('minWordLength', value, 1);
        break;
      case 'min_doc_freq':
        draft.minDocFreq = readFloat(value, key);
        if (draft.minDocFreq < 0) throw illegalArgumentError('minDocFreq must be at least 0');
        break;
      case 'max_term_freq':
        draft.maxTermFreq = readFloat(value, key);
        if (draft.maxTermFreq < 0) throw illegalArgumentError('maxTermFreq must be positive');
        break;
      case 'max_inspections':
        positive('maxInspections', value, 0);
        break;
      case 'accuracy':
        draft.accuracy = readFloat(value, key);
        break;
      case 'string_distance': {
        const name = readText(value, key).toLowerCase();
        if (!Object.hasOwn(STRING_DISTANCES, name)) throw illegalArgumentError(`Illegal distance option ${name}`);
        draft.distance = STRING_DISTANCES[name];
        break;
      }
      case 'lowercase_terms':
        readBoolean(value, key);
        break;
      default:
        throw new ApiError('parse_exception', 400, `suggester[term] doesn't support field [${key}]`);
    }
  }
  if (draft.shardSize < 0) draft.shardSize = Math.max(draft.size, 5);
  return draft;
}

function parseCompletion(base: Base, options: JsonObject, isRegex: boolean): CompletionSuggestion {
  const draft: { -readonly [K in keyof CompletionSuggestion]: CompletionSuggestion[K] } = {
    ...base,
    kind: 'completion',
    size: 5,
    skipDuplicates: false,
    match: isRegex ? { by: 'regex', maxStates: 10_000 } : { by: 'prefix' },
  };
  for (const [key, value] of Object.entries(options)) {
    switch (key) {
      case 'field':
      case 'analyzer':
      case 'shard_size':
        break;
      case 'size':
        draft.size = positive(key, value, 1);
        break;
      case 'skip_duplicates':
        draft.skipDuplicates = readBoolean(value, key);
        break;
      case 'fuzzy':
        if (value !== false && !isRegex) draft.match = fuzzyOf(isObject(value) ? value : {});
        break;
      case 'regex':
        if (isObject(value) && value['max_determinized_states'] !== undefined)
          draft.match = { by: 'regex', maxStates: positive('maxDeterminizedStates', value['max_determinized_states'], 1) };
        break;
      case 'contexts':
        throw illegalArgumentError('[contexts] of completion suggesters are not supported');
      default:
        throw new ApiError('parse_exception', 400, `[completion] unknown field [${key}]`);
    }
  }
  return draft;
}

function fuzzyOf(body: JsonObject): CompletionSuggestion['match'] {
  return {
    by: 'fuzzy',
    fuzziness: body['fuzziness'] === undefined ? AUTO_FUZZINESS : parseFuzziness(body['fuzziness']),
    transpositions: body['transpositions'] === undefined || readBoolean(body['transpositions'], 'transpositions'),
    minLength: body['min_length'] === undefined ? 3 : positive('fuzzyMinLength', body['min_length'], 0),
    prefixLength: body['prefix_length'] === undefined ? 1 : positive('fuzzyPrefixLength', body['prefix_length'], 0),
  };
}
