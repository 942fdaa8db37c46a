import { isObject, type MutableJsonObject } from '../common/json-value.ts';
import { ApiError } from '../errors/api-error.ts';

/** @throws ApiError parse_exception: the value of `key` is no object */
export function objectAt(body: MutableJsonObject, key: string): MutableJsonObject {
  const value = body[key];
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw new ApiError('parse_exception', 400, `key [${key}] must be an object`);
  return value;
}

/** A copy of `base` into which `over` is merged: objects by key, everything else replaced. */
export function mergeObjects(base: MutableJsonObject, over: MutableJsonObject): MutableJsonObject {
  const merged: MutableJsonObject = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const old = Object.hasOwn(merged, key) ? merged[key] : undefined;
    merged[key] = isObject(old) && isObject(value) ? mergeObjects(old, value) : value;
  }
  return merged;
}
