// knn: the documents whose vectors are most similar to a given one. The same body is a query and a section of a search.

import { MAX_DIMS } from '../../common/encoding/vector-format.ts';
import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, parsingError } from '../../errors/catalog.ts';
import { numberFormatError, xContentParseError } from '../../errors/search-errors.ts';
import { parseBase16 } from '../../mapping/values/base16.ts';
import { readBase } from '../field-body.ts';
import { BASE_KINDS, ObjectParser } from '../parameters.ts';
import type { KnnQuery, Query } from '../query.ts';
import { readFloat, readInt, readList, readText } from '../read-json.ts';

/** Upper bound of `num_candidates`, and thereby of `k`. */
const MAX_CANDIDATES = 10_000;

export function shardKey(index: string, shard: number): string {
  return `${index}/${shard}`;
}

/** Documents to find in a shard, and candidates that a graph compares. */
export interface KnnCounts {
  readonly k: number;
  readonly candidates: number;
}

/** The counts of a query: without `k` it returns all its candidates. @param size  of the request @throws ApiError illegal_argument_exception */
export function countsOfQuery({ k, numCandidates }: KnnQuery, size: number): KnnCounts {
  const candidates = numCandidates ?? defaultCandidates(k ?? size);
  if (candidates < 1) throw illegalArgumentError(`k must be at least 1, got: ${candidates}`);
  return { k: k ?? candidates, candidates };
}

/** The counts of a section of a search. @throws ApiError illegal_argument_exception: the counts do not fit the size of the request */
export function countsOfSection({ k, numCandidates }: KnnQuery, size: number): KnnCounts {
  const wanted = k ?? size;
  const candidates = numCandidates ?? defaultCandidates(wanted);
  checkCounts(wanted, candidates);
  return { k: wanted, candidates };
}

function defaultCandidates(k: number): number {
  return Math.min(MAX_CANDIDATES, Math.round(1.5 * k));
}

const KNN_KINDS = {
  field: 'string',
  query_vector: 'any',
  query_vector_builder: 'object',
  k: 'number',
  num_candidates: 'number',
  filter: 'objects',
  similarity: 'number',
  ...BASE_KINDS,
} as const;
const KNN = new ObjectParser('knn', KNN_KINDS);
const KNN_SECTION = new ObjectParser('knn', { ...KNN_KINDS, inner_hits: 'object' });

/** @param inner  parses the filters @throws ApiError x_content_parse_exception, illegal_argument_exception */
export function parseKnn(body: JsonObject, inner: (body: unknown) => Query, isSection = false): KnnQuery {
  let field: string | null = null;
  let vector: KnnQuery['vector'] | null = null;
  let k: number | null = null;
  let numCandidates: number | null = null;
  let filter: readonly Query[] = [];
  let similarity: number | null = null;
  const parser = isSection ? KNN_SECTION : KNN;
  parser.check(body);
  for (const [key, value] of Object.entries(body)) {
    if (key === 'field') field = readText(value, 'knn');
    else if (key === 'query_vector') vector = parser.read(key, () => readVector(value));
    else if (key === 'query_vector_builder')
      throw illegalArgumentError('[knn] does not support [query_vector_builder]: there are no inference services');
    else if (key === 'k') k = parser.read(key, () => readInt(value, 'knn'));
    else if (key === 'num_candidates') numCandidates = parser.read(key, () => readInt(value, 'knn'));
    else if (key === 'filter') filter = readList(value).map((item) => parser.read(key, () => inner(item)));
    else if (key === 'similarity') similarity = parser.read(key, () => readFloat(value, 'knn'));
  }
  if (field === null) throw illegalArgumentError('Required [field]');
  try {
    checkCounts(k, numCandidates);
    if (vector === null) throw illegalArgumentError('either [query_vector_builder] or [query_vector] must be provided');
  } catch (error) {
    if (isSection || !(error instanceof ApiError)) throw error;
    throw xContentParseError('Failed to build [knn] after last required field arrived', error);
  }
  return { kind: 'knn', field, vector, k, numCandidates, filter, similarity, ...readBase('knn', body, parser) };
}

function checkCounts(k: number | null, numCandidates: number | null): void {
  if (k !== null && k < 1) throw illegalArgumentError('[k] must be greater than 0');
  if (numCandidates !== null && numCandidates > MAX_CANDIDATES)
    throw illegalArgumentError(`[num_candidates] cannot exceed [${MAX_CANDIDATES}]`);
  if (k !== null && numCandidates !== null && numCandidates < k) throw illegalArgumentError('[num_candidates] cannot be less than [k]');
  if (k !== null && k > MAX_CANDIDATES) throw illegalArgumentError(`[k] cannot exceed [${MAX_CANDIDATES}]`);
}

function readVector(value: unknown): Float64Array | Int8Array {
  if (typeof value === 'string') return new Int8Array(parseBase16(value));
  if (typeof value === 'number') return Float64Array.of(value);
  if (!Array.isArray(value)) throw parsingError(`Type [${tokenOf(value)}] not supported for query vector`);
  if (value.length > MAX_DIMS) throw illegalArgumentError(`[query_vector] must have at most ${MAX_DIMS} dimensions, got ${value.length}`);
  return Float64Array.from(value, readElement);
}

function readElement(value: unknown): number {
  if (value === null || typeof value === 'boolean' || isObject(value) || Array.isArray(value))
    throw parsingError(`Type [${tokenOf(value)}] not supported for query vector`);
  const number = value === '' ? Number.NaN : Number(value);
  if (Number.isNaN(number)) throw numberFormatError(String(value));
  return number;
}
