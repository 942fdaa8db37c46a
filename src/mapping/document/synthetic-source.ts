// Synthetic sources: rebuilds a document from doc values as Elasticsearch 8 does. Names are sorted; objects in lists become one object with
// lists of values; values are converted to the type of the field, sorted, and for terms distinct. Fields without doc values, and those
// that are not mapped, stay as they were sent. The result is stored in place of the source, so that code that reads sources is the same for all.
import { isObject, type JsonObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import type { CompiledField, CompiledObject } from '../definition/compiled-mapping.ts';
import { fieldValue } from './synthetic-values.ts';

/** The parts of one object of the document: values of fields as sent, inner objects, nested documents. */
interface Part {
  readonly object: CompiledObject;
  readonly fields: Map<string, { readonly field: CompiledField; readonly values: unknown[] }>;
  readonly parts: Map<string, Part>;
  readonly nested: Map<string, unknown[]>;
  /** Kept as sent. */
  readonly kept: Map<string, unknown[]>;
}

/** @param source  of a document that the mapping accepts */
export function synthesize(root: CompiledObject, source: JsonObject): JsonObject {
  if (!root.enabled) return source;
  const part = newPart(root);
  collect(part, source, '');
  return build(part) ?? {};
}

function newPart(object: CompiledObject): Part {
  return { object, fields: new Map(), parts: new Map(), nested: new Map(), kept: new Map() };
}

function addTo(lists: Map<string, unknown[]>, name: string, value: unknown): void {
  const list = lists.get(name);
  if (list) list.push(value);
  else lists.set(name, [value]);
}

/** @param prefix  names of the objects around the value, in an object without objects */
function collect(part: Part, source: JsonObject, prefix: string): void {
  for (const [key, value] of Object.entries(source)) collectMember(part, prefix + key, value);
}

function collectMember(part: Part, name: string, value: unknown): void {
  const { object } = part;
  const child = object.children.get(name);
  if (child?.kind === 'field') {
    const known = part.fields.get(name);
    if (known) known.values.push(value);
    else part.fields.set(name, { field: child, values: [value] });
    return;
  }
  if (child?.kind === 'object') {
    collectObject(part, name, child, value);
    return;
  }
  if (child?.kind === 'alias') return;
  if (!object.hasObjects) {
    if (isObject(value)) collect(part, value, `${name}.`);
    else addTo(part.kept, name, value);
    return;
  }
  const dot = name.indexOf('.');
  const outer = dot > 0 ? object.children.get(name.slice(0, dot)) : undefined;
  if (outer?.kind === 'object') collectObject(part, name.slice(0, dot), outer, { [name.slice(dot + 1)]: value });
  else if (!isVoid(value)) addTo(part.kept, name, value);
}

function isVoid(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

function collectObject(part: Part, name: string, child: CompiledObject, value: unknown): void {
  const isList = Array.isArray(value);
  if (!child.enabled || (child.keepsLists && (isList || child.isNested)) || (isList && value.length > 0 && child.dynamic === 'false')) {
    addTo(part.kept, name, value);
    return;
  }
  for (const item of isList ? value.flat(Number.POSITIVE_INFINITY) : [value]) {
    if (!isObject(item)) continue;
    if (child.isNested) addTo(part.nested, name, synthesize(child, item));
    else {
      let inner = part.parts.get(name);
      if (!inner) part.parts.set(name, (inner = newPart(child)));
      collect(inner, item, '');
    }
  }
}

function build({ fields, parts, nested, kept }: Part): JsonObject | null {
  const members = new Map<string, unknown>();
  for (const [name, { field, values }] of fields) {
    const value = fieldValue(field, values);
    if (value !== undefined) members.set(name, value);
  }
  for (const [name, part] of parts) {
    const value = build(part);
    if (value !== null) members.set(name, value);
  }
  for (const [name, documents] of nested) members.set(name, oneOrList(documents));
  for (const [name, values] of kept) members.set(name, values.length === 1 ? values[0] : values.flat());
  if (members.size === 0) return null;
  const json: MutableJsonObject = {};
  for (const name of [...members.keys()].sort()) setOwn(json, name, members.get(name));
  return json;
}

function oneOrList(values: readonly unknown[]): unknown {
  return values.length === 1 ? values[0] : values;
}
