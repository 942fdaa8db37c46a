// The form of most leaf queries: `{ "field": { options } }`, or `{ "field": value }` for short.

import { isObject, type JsonObject } from '../common/json/json-value.ts';
import { getOwn } from '../common/json/own-property.ts';
import type { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError, parsingError } from '../errors/catalog.ts';
import type { ObjectParser } from './parameters.ts';
import { readBoost, readText } from './read-json.ts';

export interface FieldBody {
  readonly field: string;
  /** The options object, or the value of the short form under `valueKey`. */
  readonly options: JsonObject;
}

/** @throws ApiError parsing_exception: several fields, or an array */
export function readFieldBody(query: string, body: JsonObject, valueKey: string): FieldBody {
  let field: string | null = null;
  let options: JsonObject = {};
  for (const [key, value] of Object.entries(body)) {
    if (field !== null) throw multipleFieldsError(query, field, key);
    if (Array.isArray(value)) {
      throw STEPPING_INTO_ARRAYS.has(query)
        ? multipleFieldsError(query, key, 'null')
        : parsingError(`[${query}] query does not support array of values`);
    }
    field = key;
    options = isObject(value) ? value : { [valueKey]: value };
  }
  if (field === null || (field === '' && !ANY_NAME.has(query))) throw illegalFieldName(query);
  return { field, options };
}

/** Queries that take the brackets of an array for another field. */
const STEPPING_INTO_ARRAYS = new Set(['fuzzy', 'span_term']);

export function multipleFieldsError(query: string, field: string, other: string): ApiError {
  return parsingError(`[${query}] query doesn't support multiple fields, found [${field}] and [${other}]`);
}

/** Queries that accept an empty name, which no field has. */
const ANY_NAME = new Set(['match', 'terms_set']);

const NAME_ERRORS: Readonly<Record<string, string>> = {
  terms: 'field name cannot be null.',
  fuzzy: 'field name cannot be null or empty',
  match_phrase: '[match_phrase] requires fieldName',
  match_phrase_prefix: '[match_phrase_prefix] requires fieldName',
  match_bool_prefix: '[match_bool_prefix] requires fieldName',
};

/** The error for a query on a field without a name. */
export function illegalFieldName(query = 'term') {
  return illegalArgumentError(getOwn(NAME_ERRORS, query) ?? 'field name is null or empty');
}

/** What each query has. */
export interface QueryBase {
  readonly boost: number;
  readonly name: string | null;
}

/** Reads `boost` and `_name` from an object that also has other keys. @param parser  of a query that is read by an object parser */
export function readBase(query: string, options: JsonObject, parser: ObjectParser | null = null): QueryBase {
  const { boost, _name: name } = options;
  const read = () => readBoost(boost, query);
  return {
    boost: boost === undefined ? 1 : parser === null ? read() : parser.read('boost', read),
    name: name === undefined || name === null ? null : readText(name, query),
  };
}

/** @throws ApiError parsing_exception: the query does not support one of the options */
export function checkKeys(query: string, options: JsonObject, known: ReadonlySet<string>): void {
  for (const key of Object.keys(options)) {
    if (key !== 'boost' && key !== '_name' && !known.has(key)) throw parsingError(`[${query}] query does not support [${key}]`);
  }
}
