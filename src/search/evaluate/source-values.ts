// Values of a field in the source of a document.

import type { JsonObject } from '../../common/json/json-value.ts';
import { pushAll } from '../../common/large-lists.ts';
import type { MappingSnapshot } from '../../mapping/core/mapping-snapshot.ts';

/** Every value at a path of object keys. Keys of the source may contain dots themselves; arrays on the way are searched element by element. */
export function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (path.length === 0) return value === undefined ? [] : [value];
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, path));
  if (typeof value !== 'object' || value === null) return [];
  const found: unknown[] = [];
  for (let length = 1; length <= path.length; length++) {
    const key = path.slice(0, length).join('.');
    if (Object.hasOwn(value, key)) pushAll(found, valuesAt((value as JsonObject)[key], path.slice(length)));
  }
  return found;
}

/** Values of a field. A multi-field has none of its own: its parent's are returned. */
export function fieldValuesIn(mapping: MappingSnapshot, name: string, source: unknown): unknown[] {
  let path = name;
  let values = valuesAt(source, path.split('.'));
  while (values.length === 0 && path.includes('.')) {
    path = path.slice(0, path.lastIndexOf('.'));
    const parent = mapping.field(path);
    if (!parent || parent.family === 'object' || parent.family === 'nested') break;
    values = valuesAt(source, path.split('.'));
  }
  return values;
}

/** Values of a field as strings, without nulls and objects. */
export function stringsIn(mapping: MappingSnapshot, name: string, source: unknown): string[] {
  return fieldValuesIn(mapping, name, source)
    .flat(Number.POSITIVE_INFINITY)
    .filter((value) => value !== null && typeof value !== 'object')
    .map(String);
}
