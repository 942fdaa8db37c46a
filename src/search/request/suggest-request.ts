// `suggest` of a search body: suggesters by name, with the text that each works on.
import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, parsingError } from '../../errors/catalog.ts';
import { xContentParseError } from '../../errors/search-errors.ts';
import { readBoolean, readText } from '../../query/read-json.ts';
import { AUTO_FUZZINESS, type Fuzziness, parseFuzziness } from '../../query/text/fuzziness.ts';
import { type PhraseSuggestion, parsePhrase } from './phrase-suggest-request.ts';
import { atLeast, parseSpelling, type Spelling, spellingDefaults } from './spelling-request.ts';

export interface TermSuggestion extends Spelling {
  readonly kind: 'term';
  readonly name: string;
  readonly text: string;
  readonly field: string;
  readonly analyzer: string | null;
  readonly size: number;
  readonly shardSize: number;
}

export interface CompletionSuggestion {
  readonly kind: 'completion';
  readonly name: string;
  readonly text: string;
  readonly field: string;
  readonly size: number;
  readonly skipDuplicates: boolean;
  /** What inputs begin with, or the regular expression that they match. */
  readonly wanted: string;
  /** Contexts by name as given, whose form depends on the mapping; null if the request has none. */
  readonly contexts: JsonObject | null;
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

export type Suggestion = TermSuggestion | PhraseSuggestion | CompletionSuggestion;

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
  const texts: Partial<Record<'text' | 'prefix' | 'regex', string>> = {};
  let kind: string | null = null;
  let options: JsonObject = {};
  for (const [key, value] of Object.entries(body)) {
    if (key === 'text' || key === 'prefix' || key === 'regex') {
      texts[key] = readText(value, key);
    } else if (isObject(value)) {
      kind = key;
      options = value;
    } else throw parsingError(`[suggestion] does not support [${key}]`);
  }
  if (kind === null) throw illegalArgumentError('missing suggestion object');
  if (kind !== 'term' && kind !== 'phrase' && kind !== 'completion')
    throw new ApiError('named_object_not_found_exception', 400, `unknown field [${kind}]`);
  const { field } = options;
  if (field === undefined) throw new ApiError('parse_exception', 400, 'the required field option [field] is missing');
  const given = texts.text ?? texts.prefix ?? texts.regex ?? globalText;
  if (given === null) throw illegalArgumentError('The required text option is missing');
  const base = { name, text: given, field: readText(field, 'field') };
  if (kind === 'phrase') return parsePhrase(base, options);
  return kind === 'term'
    ? parseTerm(base, options)
    : parseCompletion(base, options, texts.prefix ?? texts.text ?? null, texts.regex ?? null);
}

type Base = { readonly name: string; readonly text: string; readonly field: string };

function parseTerm(base: Base, options: JsonObject): TermSuggestion {
  const draft: { -readonly [K in keyof TermSuggestion]: TermSuggestion[K] } = {
    ...base,
    kind: 'term',
    analyzer: null,
    size: 5,
    shardSize: -1,
    ...spellingDefaults(),
  };
  for (const [key, value] of Object.entries(options)) {
    switch (key) {
      case 'field':
        break;
      case 'analyzer':
        draft.analyzer = readText(value, key);
        break;
      case 'size':
        draft.size = atLeast(key, value, 1);
        break;
      case 'shard_size':
        draft.shardSize = atLeast(key, value, 1);
        break;
      case 'lowercase_terms':
        readBoolean(value, key);
        break;
      default:
        if (parseSpelling(key, value, draft)) break;
        throw new ApiError('parse_exception', 400, `suggester[term] doesn't support field [${key}]`);
    }
  }
  if (draft.shardSize < 0) draft.shardSize = Math.max(draft.size, 5);
  return draft;
}

/** @param prefix  what inputs begin with; null for `regex` or, without one, the text of all suggestions */
function parseCompletion(base: Base, options: JsonObject, prefix: string | null, regex: string | null): CompletionSuggestion {
  const isRegex = prefix === null && regex !== null;
  const draft: { -readonly [K in keyof CompletionSuggestion]: CompletionSuggestion[K] } = {
    ...base,
    wanted: prefix ?? regex ?? base.text,
    kind: 'completion',
    size: 5,
    skipDuplicates: false,
    contexts: null,
    match: isRegex ? { by: 'regex', maxStates: 10_000 } : { by: 'prefix' },
  };
  for (const [key, value] of Object.entries(options)) {
    switch (key) {
      case 'field':
      case 'analyzer':
      case 'shard_size':
        break;
      case 'size':
        draft.size = atLeast(key, value, 1);
        break;
      case 'skip_duplicates':
        draft.skipDuplicates = readBoolean(value, key);
        break;
      case 'fuzzy':
        if (value !== false && !isRegex) draft.match = fuzzyOf(isObject(value) ? value : {});
        break;
      case 'regex':
        if (isObject(value) && value['max_determinized_states'] !== undefined)
          draft.match = { by: 'regex', maxStates: atLeast('maxDeterminizedStates', value['max_determinized_states'], 1) };
        break;
      case 'contexts':
        if (!isObject(value)) throw xContentParseError(`[completion] contexts doesn't support values of type: ${tokenOf(value)}`);
        draft.contexts = value;
        break;
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
    minLength: body['min_length'] === undefined ? 3 : atLeast('fuzzyMinLength', body['min_length'], 0),
    prefixLength: body['prefix_length'] === undefined ? 1 : atLeast('fuzzyPrefixLength', body['prefix_length'], 0),
  };
}
