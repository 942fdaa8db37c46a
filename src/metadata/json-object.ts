// JSON objects in bodies of metadata requests.

import { isObject, type MutableJsonObject } from '../common/json/json-value.ts';
import { setOwn } from '../common/json/own-property.ts';
import { ApiError } from '../errors/api-error.ts';

/** The object at `key`; empty if there is none. @throws ApiError parse_exception: the value is not an object */
export function objectAt(body: MutableJsonObject, key: string): MutableJsonObject {
  const value = body[key];
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw new ApiError('parse_exception', 400, `key [${key}] must be an object`);
  return value;
}

/** A copy of `base` with `over` merged into it: objects are merged by key, other values replaced. */
export function mergeObjects(base: MutableJsonObject, over: MutableJsonObject): MutableJsonObject {
  const merged: MutableJsonObject = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const old = Object.hasOwn(merged, key) ? merged[key] : undefined;
    setOwn(merged, key, isObject(old) && isObject(value) ? mergeObjects(old, value) : value);
  }
  return merged;
}
