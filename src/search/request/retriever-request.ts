// `retriever` and `rank` of a search. Retrievers are a second notation: `standard` and `knn` correspond to keys of the body, `rrf` and
// `linear` to a combination of searches. Source: the Elasticsearch reference, "Retrievers" and "Reciprocal rank fusion".

import { isObject, type JsonObject, type MutableJsonObject, tokenOf } from '../../common/json/json-value.ts';
import { didYouMean } from '../../common/text/nearest-name.ts';
import { illegalArgumentError, parsingError } from '../../errors/catalog.ts';
import { xContentParseError } from '../../errors/search-errors.ts';
import { readFloat, readInt, readList, readText } from '../../query/read-json.ts';

/** How the hits of several searches become one list: by their ranks, or by weighted scores. */
export interface RankRule {
  readonly kind: 'rrf' | 'linear';
  /** Of rrf: added to each rank. */
  readonly constant: number;
  /** Hits of each search that count; null for the size of the request. */
  readonly window: number | null;
}

export type Normalizer = 'none' | 'minmax' | 'l2_norm';

/** One of the searches that are combined: its body. */
export interface RankedBody {
  readonly body: JsonObject;
  /** Of linear: factor of its scores, and how they are normalized before. */
  readonly weight: number;
  readonly normalizer: Normalizer;
}

/** The meaning of a retriever: keys of a search's body, or a combination of searches. */
export type Retriever =
  | { readonly rank: null; readonly body: JsonObject }
  | { readonly rank: RankRule; readonly children: readonly RankedBody[] };

const DEFAULT_CONSTANT = 60;
const MAX_WINDOW = 10_000;
/** Searches that one request may combine, and how deep combinations may be nested. */
const MAX_SEARCHES = 64;
const MAX_DEPTH = 8;
const STANDARD_KEYS = new Set(['query', 'filter', 'search_after', 'terminate_after', 'sort', 'min_score', 'collapse', '_name']);
const KNN_KEYS = new Set(['field', 'query_vector', 'query_vector_builder', 'k', 'num_candidates', 'filter', 'similarity', '_name']);
const NORMALIZERS: readonly Normalizer[] = ['none', 'minmax', 'l2_norm'];
/** Keys of a body that a retriever replaces. */
const REPLACED = ['query', 'knn', 'search_after', 'terminate_after', 'sort', 'rescore', 'min_score', 'rank'];

const READERS: Readonly<Record<string, (body: JsonObject) => Retriever>> = {
  standard: readStandard,
  knn: readKnn,
  rrf: readRrf,
  linear: readLinear,
};

/** @param given  the body around it @throws ApiError parsing_exception, illegal_argument_exception */
export function parseRetriever(value: unknown, given: JsonObject): Retriever {
  const replaced = REPLACED.filter((key) => Object.hasOwn(given, key));
  if (replaced.length > 0) throw illegalArgumentError(`cannot specify [retriever] and [${replaced.join(', ')}]`);
  if (countSearches(value, 0) > MAX_SEARCHES) throw illegalArgumentError(`[retriever] combines more than [${MAX_SEARCHES}] searches`);
  return readRetriever(value);
}

function readRetriever(value: unknown): Retriever {
  if (!isObject(value)) throw parsingError(`Unknown key for a ${tokenOf(value)} in [retriever].`);
  const [name, ...others] = Object.keys(value);
  if (name === undefined) throw parsingError('retriever malformed, empty clause found');
  if (!Object.hasOwn(READERS, name)) throw parsingError(`unknown retriever [${name}]${didYouMean(name, Object.keys(READERS))}`);
  const body = value[name];
  if (!isObject(body)) throw parsingError(`[${name}] malformed retriever, expected [START_OBJECT] but found [${tokenOf(body)}]`);
  if (others.length > 0) throw parsingError(`[${name}] malformed retriever, expected [END_OBJECT] but found [FIELD_NAME]`);
  return READERS[name](body);
}

function countSearches(value: unknown, depth: number): number {
  if (!isObject(value)) return 1;
  if (depth > MAX_DEPTH) throw illegalArgumentError(`[retriever] is nested deeper than [${MAX_DEPTH}]`);
  let count = 0;
  for (const body of Object.values(value)) {
    const children = isObject(body) ? readList(body['retrievers'] ?? []) : [];
    for (const child of children)
      count += countSearches(isObject(child) && isObject(child['retriever']) ? child['retriever'] : child, depth + 1);
  }
  return Math.max(1, count);
}

function checkKeys(name: string, body: JsonObject, known: ReadonlySet<string>): void {
  for (const key of Object.keys(body)) if (!known.has(key)) throw xContentParseError(`[${name}] unknown field [${key}]`);
}

function readStandard(given: JsonObject): Retriever {
  checkKeys('standard', given, STANDARD_KEYS);
  const { query, filter, _name: _, ...rest } = given as MutableJsonObject;
  if (filter === undefined) return { rank: null, body: query === undefined ? rest : { ...rest, query } };
  const filters = readList(filter);
  return { rank: null, body: { ...rest, query: { bool: { filter: filters, ...(query === undefined ? {} : { must: [query] }) } } } };
}

function readKnn(given: JsonObject): Retriever {
  checkKeys('knn', given, KNN_KEYS);
  const missing = ['field', 'k', 'num_candidates'].filter((key) => given[key] === undefined);
  if (missing.length > 0) throw illegalArgumentError(`Required [${missing.join(', ')}]`);
  return { rank: null, body: { knn: given } };
}

const COMBINED_KEYS = new Set(['retrievers', 'rank_window_size', 'filter', 'min_score', '_name']);

/** The bodies of the searches, each with the filters of the combination. */
function readChildren(name: string, body: JsonObject, bodyOf: (child: unknown) => unknown): JsonObject[] {
  const list = body['retrievers'];
  if (!Array.isArray(list)) throw illegalArgumentError('Required [retrievers]');
  if (body['min_score'] !== undefined) throw illegalArgumentError(`[${name}] does not support [min_score]`);
  if (list.length === 0) throw illegalArgumentError(`[${name}] requires at least one retriever`);
  const filters = body['filter'] === undefined ? [] : readList(body['filter']);
  return list.map((child) => ({ retriever: filters.length === 0 ? bodyOf(child) : withFilters(bodyOf(child), filters) }));
}

function withFilters(retriever: unknown, filters: readonly unknown[]): unknown {
  if (!isObject(retriever)) return retriever;
  return Object.fromEntries(
    Object.entries(retriever).map(([name, body]) => {
      if (!isObject(body)) return [name, body];
      const own = body['filter'] === undefined ? [] : readList(body['filter']);
      return [name, { ...body, filter: [...own, ...filters] }];
    }),
  );
}

function readRrf(body: JsonObject): Retriever {
  checkKeys('rrf', body, new Set([...COMBINED_KEYS, 'rank_constant']));
  const children = readChildren('rrf', body, (child) => child);
  return { rank: readRrfRule(body), children: children.map((child) => ({ body: child, weight: 1, normalizer: 'none' })) };
}

function readRrfRule(body: JsonObject): RankRule {
  const constant = body['rank_constant'] === undefined ? DEFAULT_CONSTANT : readInt(body['rank_constant'], 'rrf');
  if (constant < 1) throw illegalArgumentError('[rank_constant] must be greater or equal to [1] for [rrf]');
  return { kind: 'rrf', constant, window: readWindow(body, 'rrf') };
}

function readWindow(body: JsonObject, name: string): number | null {
  if (body['rank_window_size'] === undefined) return null;
  const window = readInt(body['rank_window_size'], name);
  if (window < 1) throw illegalArgumentError(`[rank_window_size] must be greater or equal to [1] for [${name}]`);
  if (window > MAX_WINDOW) throw illegalArgumentError(`[rank_window_size] must be at most [${MAX_WINDOW}], got [${window}]`);
  return window;
}

function readLinear(body: JsonObject): Retriever {
  checkKeys('linear', body, new Set([...COMBINED_KEYS, 'normalizer']));
  const fallback = body['normalizer'];
  const bodies = readChildren('linear', body, (child) => (isObject(child) ? child['retriever'] : child));
  const children = readList(body['retrievers']).map((child, i) => {
    const { retriever: _, weight = 1, normalizer = fallback ?? 'none', ...rest } = (isObject(child) ? child : {}) as MutableJsonObject;
    for (const key of Object.keys(rest)) throw xContentParseError(`[linear] unknown field [${key}]`);
    return { body: bodies[i], weight: readWeight(weight), normalizer: readNormalizer(normalizer) };
  });
  return { rank: { kind: 'linear', constant: 0, window: readWindow(body, 'linear') }, children };
}

function readWeight(value: unknown): number {
  const weight = readFloat(value, 'weight');
  if (!(weight >= 0)) throw illegalArgumentError(`[weight] must be non-negative, got [${weight}]`);
  return weight;
}

function readNormalizer(value: unknown): Normalizer {
  const text = readText(value, 'normalizer');
  const found = NORMALIZERS.find((name) => name === text);
  if (found === undefined) throw illegalArgumentError(`Unknown normalizer [${text}], supported are [${NORMALIZERS.join(', ')}]`);
  return found;
}

/** `rank` of a search with a query and `knn` sections. @throws ApiError x_content_parse_exception, illegal_argument_exception */
export function parseRank(value: JsonObject): RankRule {
  const [name, ...others] = Object.keys(value);
  if (name !== 'rrf' || others.length > 0) throw xContentParseError(`[rank] supports [rrf], found [${[name, ...others].join(', ')}]`);
  const body = value[name];
  if (!isObject(body)) throw xContentParseError(`[rrf] doesn't support values of type: ${tokenOf(body)}`);
  checkKeys('rrf', body, new Set(['rank_constant', 'rank_window_size']));
  return readRrfRule(body);
}
