// Types and guard of parsed JSON.

/** A JSON object that its holder only reads. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A JSON object under construction. */
export type MutableJsonObject = Record<string, unknown>;

/** True for a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is MutableJsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Name of the first JSON token of a value, as Elasticsearch's error messages show it. */
export function tokenOf(value: unknown): string {
  if (value === null || value === undefined) return 'VALUE_NULL';
  if (Array.isArray(value)) return 'START_ARRAY';
  switch (typeof value) {
    case 'string':
      return 'VALUE_STRING';
    case 'number':
    case 'bigint':
      return 'VALUE_NUMBER';
    case 'boolean':
      return 'VALUE_BOOLEAN';
    default:
      return 'START_OBJECT';
  }
}
