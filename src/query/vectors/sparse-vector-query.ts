// sparse_vector and weighted_tokens: documents with any of the given tokens, scored by the products of their weights.
import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { illegalArgumentError, parsingError } from '../../errors/catalog.ts';
import { readBase } from '../field-body.ts';
import type { QueryBase } from '../leaf-query.ts';
import { readBoolean, readFloat, readText } from '../read-json.ts';

/** Tokens that are frequent and light count little; they are left out. */
export interface TokenPruning {
  /** A token is frequent if it is in so many times as many documents as the average one. */
  readonly frequencyRatio: number;
  /** A token is light if its weight is below this part of the greatest. */
  readonly weight: number;
  /** Only the tokens that would be left out are scored: for rescoring. */
  readonly isInverted: boolean;
}

export interface SparseVectorQuery extends QueryBase {
  readonly kind: 'sparse_vector';
  readonly field: string;
  readonly tokens: ReadonlyArray<{ readonly token: string; readonly weight: number }>;
  readonly pruning: TokenPruning | null;
}

const DEFAULT_PRUNING: TokenPruning = { frequencyRatio: 5, weight: 0.4, isInverted: false };
const MAX_FREQUENCY_RATIO = 100;

/** @throws ApiError parsing_exception, illegal_argument_exception */
export function parseSparseVector(body: JsonObject): SparseVectorQuery {
  const { field, query_vector: vector, prune, pruning_config: config } = body;
  for (const key of Object.keys(body)) {
    if (key === 'inference_id' || key === 'query')
      throw illegalArgumentError(`[sparse_vector] does not support [${key}]: there are no inference services`);
    if (!['field', 'query_vector', 'prune', 'pruning_config', 'boost', '_name'].includes(key))
      throw parsingError(`[sparse_vector] unknown token [${key}]`);
  }
  if (field === undefined) throw illegalArgumentError('[sparse_vector] requires a [field]');
  if (vector === undefined) throw illegalArgumentError('[sparse_vector] requires one of [query_vector] or [inference_id]');
  const isPruned = prune === undefined ? config !== undefined : readBoolean(prune, 'sparse_vector');
  return {
    kind: 'sparse_vector',
    field: readText(field, 'sparse_vector'),
    tokens: readTokens('sparse_vector', vector),
    pruning: isPruned ? readPruning('sparse_vector', config) : null,
    ...readBase('sparse_vector', body),
  };
}

/** `{ field: { tokens, pruning_config } }`. @throws ApiError parsing_exception, illegal_argument_exception */
export function parseWeightedTokens(body: JsonObject): SparseVectorQuery {
  const names = Object.keys(body);
  const options = body[names[0] ?? ''];
  if (names.length !== 1 || !isObject(options)) throw parsingError('[weighted_tokens] expects one field with an object');
  const { tokens, pruning_config: config } = options;
  if (tokens === undefined) throw parsingError("[weighted_tokens] requires 'tokens' to be specified");
  for (const key of Object.keys(options))
    if (!['tokens', 'pruning_config', 'boost', '_name'].includes(key)) throw parsingError(`[weighted_tokens] unknown token [${key}]`);
  return {
    kind: 'sparse_vector',
    field: names[0],
    tokens: readTokens('weighted_tokens', tokens),
    pruning: config === undefined ? null : readPruning('weighted_tokens', config),
    ...readBase('weighted_tokens', options),
  };
}

/** An object of weights by token, or a list of such objects. */
function readTokens(query: string, value: unknown): SparseVectorQuery['tokens'] {
  const objects = Array.isArray(value) ? value : [value];
  return objects.flatMap((object) => {
    if (!isObject(object)) throw parsingError(`[${query}] expects tokens and weights, but found [${tokenOf(object)}]`);
    return Object.entries(object).map(([token, given]) => {
      const weight = readFloat(given, query);
      if (!(weight >= 0)) throw illegalArgumentError(`[${query}] weight of token [${token}] must be non-negative, got [${weight}]`);
      return { token, weight };
    });
  });
}

function readPruning(query: string, value: unknown): TokenPruning {
  if (value === undefined) return DEFAULT_PRUNING;
  if (!isObject(value)) throw parsingError(`[${query}] [pruning_config] expects an object, but found [${tokenOf(value)}]`);
  let { frequencyRatio, weight, isInverted } = DEFAULT_PRUNING;
  for (const [key, item] of Object.entries(value)) {
    if (key === 'tokens_freq_ratio_threshold') frequencyRatio = readFloat(item, key);
    else if (key === 'tokens_weight_threshold') weight = readFloat(item, key);
    else if (key === 'only_score_pruned_tokens') isInverted = readBoolean(item, key);
    else throw parsingError(`[pruning_config] unknown token [${key}]`);
  }
  if (frequencyRatio < 1 || frequencyRatio > MAX_FREQUENCY_RATIO)
    throw illegalArgumentError(`[tokens_freq_ratio_threshold] must be between [1] and [${MAX_FREQUENCY_RATIO}], got [${frequencyRatio}]`);
  if (weight < 0 || weight > 1) throw illegalArgumentError('[tokens_weight_threshold] must be between 0 and 1');
  return { frequencyRatio, weight, isInverted };
}
