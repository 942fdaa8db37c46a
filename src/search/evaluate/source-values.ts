// Values of a field in the source of a document.

import type { JsonObject } from '../../common/json/json-value.ts';
import { pushAll } from '../../common/large-lists.ts';
import type { MappingSnapshot } from '../../mapping/core/mapping-snapshot.ts';

/** Every value at a path of object keys. Keys of the source may contain dots themselves; arrays on the way are searched element by element. */
export function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (path.length === 0) return value === undefined ? [] : [value];
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, path));
  if (typeof value !== 'object' || value === null) return [];
  if (path.length === 1) return Object.hasOwn(value, path[0]) ? [(value as JsonObject)[path[0]]].filter((own) => own !== undefined) : [];
  const found: unknown[] = [];
  for (let length = 1; length <= path.length; length++) {
    const key = path.slice(0, length).join('.');
    if (Object.hasOwn(value, key)) pushAll(found, valuesAt((value as JsonObject)[key], path.slice(length)));
  }
  return found;
}

/** A path in the keys of a source. */
export type SourcePath = readonly string[];

/** Paths of the values of a field, of which the first one with any counts. A multi-field has none of its own, but those of its parent. */
export function sourcePathsOf(mapping: MappingSnapshot, name: string): readonly SourcePath[] {
  const paths = [name.split('.')];
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const path = name.slice(0, dot);
    const parent = mapping.field(path);
    if (!parent || parent.family === 'object' || parent.family === 'nested') break;
    paths.push(path.split('.'));
  }
  return paths;
}

/** The values at the first of the paths that has any. */
export function firstValuesAt(source: unknown, paths: readonly SourcePath[]): unknown[] {
  let values: unknown[] = [];
  for (let i = 0; i < paths.length && values.length === 0; i++) values = valuesAt(source, paths[i]);
  return values;
}

/** Values of a field. */
export function fieldValuesIn(mapping: MappingSnapshot, name: string, source: unknown): unknown[] {
  return firstValuesAt(source, sourcePathsOf(mapping, name));
}

/** Values of a field as strings, without nulls and objects. */
export function stringsIn(mapping: MappingSnapshot, name: string, source: unknown): string[] {
  return fieldValuesIn(mapping, name, source)
    .flat(Number.POSITIVE_INFINITY)
    .filter((value) => value !== null && typeof value !== 'object')
    .map(String);
}
