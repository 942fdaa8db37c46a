// Members of the bodies of snapshot requests, with Elasticsearch's messages.
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { booleanValueError, illegalArgumentError } from '../../errors/catalog.ts';

/** A list of names, or a string with commas. */
export function nameList(value: unknown, what: string): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return value.split(',').filter((name) => name !== '');
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string'))
    throw illegalArgumentError(`malformed ${what} section, should be an array of strings`);
  return value as string[];
}

export function flag(value: unknown, fallback: boolean): boolean {
  if (value === undefined || value === null) return fallback;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw booleanValueError(String(value));
}

export function objectOrNull(value: unknown, message: string): JsonObject | null {
  if (value === undefined || value === null) return null;
  if (!isObject(value)) throw illegalArgumentError(message);
  return value;
}
