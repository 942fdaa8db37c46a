// `{ "field": { options } }` or `{ "field": value }`: the frame of most leaf queries.
import { isObject, type JsonObject } from '../common/json-value.ts';
import { illegalArgument, parsingError } from '../errors/catalog.ts';
import { readBoost, readText } from './read-json.ts';

export interface FieldBody {
  readonly field: string;
  /** Options object, or the short form's value under `valueKey`. */
  readonly options: JsonObject;
}

/**
 * Splits the frame; `boost` and `_name` may stand beside the field where `outerOptions` allows.
 * @throws ApiError parsing_exception: two fields, lists
 */
export function readFieldBody(query: string, body: JsonObject, valueKey: string): FieldBody & { outer: JsonObject } {
  let field: string | null = null;
  let options: JsonObject = {};
  const outer: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(body)) {
    if (isObject(value) || (key !== 'boost' && key !== '_name')) {
      if (field !== null) throw parsingError(`[${query}] query doesn't support multiple fields, found [${field}] and [${key}]`);
      if (Array.isArray(value)) throw parsingError(`[${query}] query does not support array of values`);
      field = key;
      options = isObject(value) ? value : { [valueKey]: value };
    } else {
      outer[key] = value;
    }
  }
  if (field === null) throw illegalFieldName();
  return { field, options, outer };
}

export function illegalFieldName() {
  return illegalArgument('field name is null or empty');
}

/** Boost and name out of options that other keys stand in too. */
export function readBase(query: string, options: JsonObject, outer: JsonObject = {}): { boost: number; name: string | null } {
  const boost = options['boost'] ?? outer['boost'];
  const name = options['_name'] ?? outer['_name'];
  return {
    boost: boost === undefined ? 1 : readBoost(boost, query),
    name: name === undefined || name === null ? null : readText(name, query),
  };
}

/** @throws ApiError parsing_exception: an option that the query does not have */
export function checkKeys(query: string, options: JsonObject, known: ReadonlySet<string>): void {
  for (const key of Object.keys(options)) {
    if (key !== 'boost' && key !== '_name' && !known.has(key)) throw parsingError(`[${query}] query does not support [${key}]`);
  }
}
