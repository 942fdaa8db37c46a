// Typed readers for the fields of request bodies, with the messages of Elasticsearch.
import { ApiError } from '../../errors/api-error.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The fields of a body. @throws ApiError parse_exception: not an object, or a field of another name */
export function fieldsOf(body: unknown, what: string, known: readonly string[]): Fields {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw parseError(`failed to parse ${what}. expected an object`);
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown !== undefined) throw parseError(`failed to parse ${what}. unexpected field [${unknown}]`);
  return body as Fields;
}

/** Null if the field is missing or null. @throws ApiError parse_exception */
export function stringField(fields: Fields, name: string): string | null {
  const value = own(fields, name);
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw wrongTypeError(name, 'string', value);
  return value;
}

/** Null if the field is missing. @throws ApiError parse_exception */
export function booleanField(fields: Fields, name: string): boolean | null {
  const value = own(fields, name);
  if (value === undefined) return null;
  if (typeof value !== 'boolean') throw wrongTypeError(name, 'boolean', value);
  return value;
}

/** Null if the field is missing or null. @throws ApiError parse_exception */
export function objectField(fields: Fields, name: string): Fields | null {
  const value = own(fields, name);
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value)) throw wrongTypeError(name, 'object', value);
  return value as Fields;
}

/** A list of strings; a string may contain several, separated by commas. Null if the field is missing. @throws ApiError parse_exception */
export function namesField(fields: Fields, name: string): string[] | null {
  const value = own(fields, name);
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value.split(',').filter((item) => item !== '');
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string'))
    throw wrongTypeError(name, 'string or array of strings', value);
  return value;
}

export function parseError(reason: string): ApiError {
  return new ApiError('parse_exception', 400, reason);
}

function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function wrongTypeError(name: string, wanted: string, value: unknown): ApiError {
  return parseError(`expected field [${name}] to be of type ${wanted}, but found [${tokenOf(value)}] instead`);
}

function tokenOf(value: unknown): string {
  if (value === null) return 'VALUE_NULL';
  if (Array.isArray(value)) return 'START_ARRAY';
  if (typeof value === 'object') return 'START_OBJECT';
  return `VALUE_${(typeof value === 'bigint' ? 'number' : typeof value).toUpperCase()}`;
}
