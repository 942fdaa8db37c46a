// Parser of more_like_this: the strings and documents that hits should be like, or unlike.

import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { illegalArgumentError, parsingError } from '../../errors/catalog.ts';
import { parseFailureError } from '../../errors/search-errors.ts';
import { readBase } from '../field-body.ts';
import type { LikeItem, MoreLikeThisQuery } from '../leaf-query.ts';
import { withoutNulls } from '../parameters.ts';
import type { Query } from '../query.ts';
import { readBoolean, readFloat, readInt, readList, readText, readTextOrNull } from '../read-json.ts';

const NAME = 'more_like_this';
type Numbers = 'maxQueryTerms' | 'minTermFreq' | 'minDocFreq' | 'maxDocFreq' | 'minWordLength' | 'maxWordLength';
const NUMBERS: Readonly<Record<string, Numbers>> = {
  max_query_terms: 'maxQueryTerms',
  min_term_freq: 'minTermFreq',
  min_doc_freq: 'minDocFreq',
  max_doc_freq: 'maxDocFreq',
  min_word_length: 'minWordLength',
  max_word_length: 'maxWordLength',
};

/** The parameters that may be lists; items may be objects as well. */
const LISTS = new Set(['fields', 'stop_words', 'like', 'unlike']);

export function parseMoreLikeThis(given: JsonObject): Query {
  const body = withoutNulls(given);
  for (const key of ['fields', 'stop_words'])
    if (key in body && !Array.isArray(body[key])) throw parsingError(`[mlt] query does not support [${key}]`);
  for (const [key, value] of Object.entries(body))
    if (typeof value === 'object' && !(LISTS.has(key) && (Array.isArray(value) || key.endsWith('like'))))
      throw parsingError(`[mlt] query does not support [${key}]`);
  const query: { -readonly [K in keyof MoreLikeThisQuery]: MoreLikeThisQuery[K] } = {
    kind: NAME,
    fields: null,
    like: [],
    unlike: [],
    maxQueryTerms: 25,
    minTermFreq: 2,
    minDocFreq: 5,
    maxDocFreq: Number.MAX_SAFE_INTEGER,
    minWordLength: 0,
    maxWordLength: 0,
    stopWords: [],
    analyzer: null,
    minimumShouldMatch: '30%',
    boostTerms: 0,
    include: false,
    failOnUnsupportedField: true,
    ...readBase(NAME, body),
  };
  for (const [key, value] of Object.entries(body)) {
    const number = Object.hasOwn(NUMBERS, key) ? NUMBERS[key] : undefined;
    if (number) query[number] = readInt(value, NAME);
    else if (key === 'fields') query.fields = readList(value).map((field) => readText(field, NAME));
    else if (key === 'like') query.like = readList(value).map(readItem);
    else if (key === 'unlike') query.unlike = readList(value).map(readItem);
    else if (key === 'stop_words') query.stopWords = readList(value).map((word) => readText(word, NAME));
    else if (key === 'analyzer') query.analyzer = readTextOrNull(value, NAME);
    else if (key === 'minimum_should_match') query.minimumShouldMatch = readText(value, NAME);
    else if (key === 'boost_terms') query.boostTerms = readFloat(value, NAME);
    else if (key === 'include') query.include = readBoolean(value, NAME);
    else if (key === 'fail_on_unsupported_field') query.failOnUnsupportedField = readBoolean(value, NAME);
    else if (key !== 'boost' && key !== '_name') throw parsingError(`[mlt] query does not support [${key}]`);
  }
  if (query.like.length === 0) throw parsingError(`${NAME} requires 'like' to be specified`);
  if (query.fields?.length === 0) throw parsingError(`[${NAME}] requires 'fields' to be non-empty`);
  if (query.maxQueryTerms <= 0) throw illegalArgumentError("requires 'maxQueryTerms' to be greater than 0");
  return query;
}

const ITEM_KEYS = new Set([
  '_index',
  '_id',
  'doc',
  'fields',
  'routing',
  '_routing',
  'version',
  '_version',
  'version_type',
  'per_field_analyzer',
]);

function readItem(value: unknown): LikeItem {
  if (!isObject(value)) return readText(value, NAME);
  for (const key of Object.keys(value))
    if (!ITEM_KEYS.has(key)) throw parseFailureError(`failed to parse More Like This item. unknown field [${key}]`);
  const analyzers = readAnalyzers(value['per_field_analyzer']);
  const fields = value['fields'] === undefined ? null : readList(value['fields']).map((field) => readText(field, NAME));
  const index = value['_index'] === undefined ? null : readText(value['_index'], NAME);
  const { _id: id, doc } = value;
  if (id !== undefined && doc !== undefined)
    throw parsingError('failed to parse More Like This item. either [id] or [doc] can be specified, but not both!');
  if (doc !== undefined) {
    if (!isObject(doc)) throw parsingError('failed to parse More Like This item. [doc] must be an object');
    return { kind: 'like_source', index, id: null, source: doc, fields, analyzers };
  }
  if (id === undefined) throw parsingError('failed to parse More Like This item. neither [id] nor [doc] is specified!');
  const routing = value['routing'] ?? value['_routing'];
  return { kind: 'like_document', index, id: String(id), routing: routing === undefined ? null : String(routing), fields, analyzers };
}

/** The analyzers of an item by field; what is not an object is overlooked. @throws ApiError parse_exception */
function readAnalyzers(value: unknown): ReadonlyMap<string, string> {
  const analyzers = new Map<string, string>();
  for (const [field, name] of isObject(value) ? Object.entries(value) : []) {
    if (typeof name !== 'string')
      throw parseFailureError(`expecting the analyzer at [${field}] to be a String, but found [${tokenOf(name)}] instead`);
    analyzers.set(field, name);
  }
  return analyzers;
}
