// The phrase suggester of a search body.

import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, parsingError } from '../../errors/catalog.ts';
import { readBoolean, readFloat, readInt, readText } from '../../query/read-json.ts';
import { parseSpelling, type Spelling, spellingDefaults } from './spelling-request.ts';

/** How frequencies of word sequences become probabilities. */
export type Smoothing =
  | { readonly by: 'stupid_backoff'; readonly discount: number }
  | { readonly by: 'laplace'; readonly alpha: number }
  | { readonly by: 'linear'; readonly trigram: number; readonly bigram: number; readonly unigram: number };

/** Proposes words in place of each word of the text. */
export interface CandidateGenerator {
  readonly field: string;
  /** Candidates for one word. */
  readonly size: number;
  readonly spelling: Spelling;
  /** Analyzers for the word before, and for the candidates after the search. */
  readonly preFilter: string | null;
  readonly postFilter: string | null;
}

/** Default number of candidates for a word. */
const GENERATED = 5;

export interface PhraseSuggestion {
  readonly kind: 'phrase';
  readonly name: string;
  readonly text: string;
  readonly field: string;
  readonly analyzer: string | null;
  readonly size: number;
  readonly shardSize: number;
  /** Probability that a word that exists is spelled correctly. */
  readonly likelihood: number;
  /** Suggestions must score above the score of the text times this factor. */
  readonly confidence: number;
  /** Below 1: a share of the words; otherwise a number of words. */
  readonly maxErrors: number;
  /** Longest sequence of words that is looked up; null takes it from the analyzer. */
  readonly gramSize: number | null;
  readonly separator: string;
  readonly forceUnigrams: boolean;
  readonly tokenLimit: number;
  readonly smoothing: Smoothing;
  /** If empty, one generator for the field itself. */
  readonly generators: readonly CandidateGenerator[];
  readonly highlight: { readonly pre: string; readonly post: string } | null;
  readonly collate: { readonly template: string; readonly params: JsonObject; readonly prunes: boolean } | null;
}

type Draft = { -readonly [K in keyof PhraseSuggestion]: PhraseSuggestion[K] };

/** Sets an option. @throws ApiError */
type Option = (value: unknown, draft: Draft) => void;

function number(
  name: keyof Draft,
  read: (value: unknown, key: string) => number,
  isValid: (value: number) => boolean,
  rule: string,
): Option {
  return (value, draft) => {
    const found = read(value, name);
    if (!isValid(found)) throw illegalArgumentError(rule);
    Object.assign(draft, { [name]: found });
  };
}

const OPTIONS: Readonly<Record<string, Option>> = {
  field: () => undefined,
  analyzer: (value, draft) => {
    draft.analyzer = readText(value, 'analyzer');
  },
  size: number('size', readInt, (size) => size > 0, 'size must be positive'),
  shard_size: number('shardSize', readInt, (size) => size > 0, 'shardSize must be positive'),
  real_word_error_likelihood: number('likelihood', readFloat, (value) => value > 0, 'real_word_error_likelihood must be > 0.0'),
  confidence: number('confidence', readFloat, (value) => value >= 0, 'confidence must be >= 0.0'),
  max_errors: number('maxErrors', readFloat, (value) => value > 0, 'max_error must be > 0.0'),
  gram_size: number('gramSize', readInt, (value) => value >= 1, 'gramSize must be >= 1'),
  token_limit: number('tokenLimit', readInt, (value) => value > 0, 'token_limit must be >= 1'),
  separator: (value, draft) => {
    draft.separator = readText(value, 'separator');
  },
  force_unigrams: (value, draft) => {
    draft.forceUnigrams = readBoolean(value, 'force_unigrams');
  },
  smoothing: (value, draft) => {
    draft.smoothing = parseSmoothing(objectOf('smoothing', value));
  },
  highlight: (value, draft) => {
    draft.highlight = parseHighlight(objectOf('highlight', value));
  },
  collate: (value, draft) => {
    draft.collate = parseCollate(objectOf('collate', value));
  },
  direct_generator: (value, draft) => {
    if (!Array.isArray(value)) throw parsingError("suggester[phrase] doesn't support field [direct_generator]");
    draft.generators = value.map((generator) => parseGenerator(objectOf('direct_generator', generator)));
  },
};

export function parsePhrase(
  base: { readonly name: string; readonly text: string; readonly field: string },
  options: JsonObject,
): PhraseSuggestion {
  const draft: Draft = {
    ...base,
    kind: 'phrase',
    analyzer: null,
    size: 5,
    shardSize: -1,
    likelihood: Math.fround(0.95),
    confidence: 1,
    maxErrors: 0.5,
    gramSize: null,
    separator: ' ',
    forceUnigrams: true,
    tokenLimit: 10,
    smoothing: { by: 'stupid_backoff', discount: Math.fround(0.4) },
    generators: [],
    highlight: null,
    collate: null,
  };
  for (const [key, value] of Object.entries(options)) {
    if (!Object.hasOwn(OPTIONS, key)) throw parsingError(`suggester[phrase] doesn't support field [${key}]`);
    OPTIONS[key](value, draft);
  }
  if (draft.shardSize < 0) draft.shardSize = Math.max(draft.size, 5);
  return draft;
}

function objectOf(key: string, value: unknown): JsonObject {
  if (!isObject(value)) throw parsingError(`suggester[phrase] doesn't support field [${key}]`);
  return value;
}

function parseSmoothing(body: JsonObject): Smoothing {
  const [[name, value] = ['', {}], ...others] = Object.entries(body);
  if (others.length > 0) throw parsingError('only one smoothing model supported');
  const model = isObject(value) ? value : {};
  const read = (key: string, fallback: number): number => (model[key] === undefined ? fallback : readFloat(model[key], key));
  const allow = (...keys: string[]): void => {
    const unknown = Object.keys(model).find((key) => !keys.includes(key));
    if (unknown !== undefined) throw illegalArgumentError(`suggester[phrase][smoothing][${name}] doesn't support field [${unknown}]`);
  };
  if (name === 'stupid_backoff') {
    allow('discount');
    return { by: name, discount: read('discount', 0.4) };
  }
  if (name === 'laplace') {
    allow('alpha');
    return { by: name, alpha: read('alpha', 0.5) };
  }
  if (name === 'linear' || name === 'linear_interpolation') {
    allow('trigram_lambda', 'bigram_lambda', 'unigram_lambda');
    const smoothing: Smoothing = {
      by: 'linear',
      trigram: read('trigram_lambda', 0),
      bigram: read('bigram_lambda', 0),
      unigram: read('unigram_lambda', 0),
    };
    for (const key of ['trigram', 'bigram', 'unigram'] as const)
      if (smoothing[key] < 0) throw illegalArgumentError(`${key}_lambda must be positive`);
    if (Math.abs(smoothing.trigram + smoothing.bigram + smoothing.unigram - 1) > 0.001)
      throw illegalArgumentError('linear smoothing lambdas must sum to 1');
    return smoothing;
  }
  throw illegalArgumentError(`suggester[phrase] doesn't support object field [${name}]`);
}

function parseHighlight(body: JsonObject): PhraseSuggestion['highlight'] {
  const unknown = Object.keys(body).find((key) => key !== 'pre_tag' && key !== 'post_tag');
  if (unknown !== undefined) throw parsingError(`suggester[phrase][highlight] doesn't support field [${unknown}]`);
  const { pre_tag: pre, post_tag: post } = body;
  if ((pre === undefined) !== (post === undefined)) throw illegalArgumentError('Pre and post tag must both be null or both not be null.');
  return pre === undefined ? null : { pre: readText(pre, 'pre_tag'), post: readText(post, 'post_tag') };
}

function parseCollate(body: JsonObject): PhraseSuggestion['collate'] {
  const unknown = Object.keys(body).find((key) => !['query', 'params', 'prune'].includes(key));
  if (unknown !== undefined) throw parsingError(`suggester[phrase][collate] doesn't support field [${unknown}]`);
  const { query, params, prune } = body;
  if (prune !== undefined && typeof prune !== 'boolean')
    throw parsingError("suggester[phrase][collate] prune must be either 'true' or 'false'");
  if (query === undefined) return null;
  const source = isObject(query) ? (query['source'] ?? query['inline']) : query;
  if (source === undefined) throw illegalArgumentError('a stored script in [collate] is not supported');
  const template = isObject(source) ? writeJson(source) : readText(source, 'source');
  const given = isObject(query) && isObject(query['params']) ? query['params'] : {};
  return { template, params: { ...given, ...(isObject(params) ? params : {}) }, prunes: prune ?? false };
}

/** The generator of a request that names none. */
export function defaultGenerator(field: string): CandidateGenerator {
  return { field, size: GENERATED, spelling: spellingDefaults(), preFilter: null, postFilter: null };
}

function parseGenerator(body: JsonObject): CandidateGenerator {
  let field: string | null = null;
  let size = GENERATED;
  let preFilter: string | null = null;
  let postFilter: string | null = null;
  const spelling = spellingDefaults();
  for (const [key, value] of Object.entries(body)) {
    if (key === 'field') field = readText(value, key);
    else if (key === 'size') size = readInt(value, key);
    else if (key === 'pre_filter') preFilter = readText(value, key);
    else if (key === 'post_filter') postFilter = readText(value, key);
    else if (!parseSpelling(key, value, spelling))
      throw new ApiError('x_content_parse_exception', 400, `[direct_generator] unknown field [${key}]`);
  }
  if (field === null) throw illegalArgumentError(`Required [field], but found [${tokenOf(body)}] without it`);
  if (size <= 0) throw illegalArgumentError('Size must be positive');
  return { field, size, spelling, preFilter, postFilter };
}
