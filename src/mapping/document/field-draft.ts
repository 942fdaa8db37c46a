// Fields and objects that a document would add to the mapping, collected as a tree before they become a mappings body.
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import type { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { Dynamic } from '../core/model.ts';
import type { CompiledObject } from '../definition/compiled-mapping.ts';

/** An object to add, or to add fields to. */
export interface Draft {
  readonly path: string;
  readonly dynamic: Dynamic;
  readonly isNested: boolean;
  /** The mapped object, null if it is new. */
  readonly object: CompiledObject | null;
  /** false: new fields have dotted names. */
  readonly hasObjects: boolean;
  /** New fields, and drafts of objects with new fields. */
  readonly fields: Map<string, MutableJsonObject | Draft>;
  /** Mapping of a new object. */
  readonly mapping: MutableJsonObject | null;
}

/** A template that matches the name of a new object maps it; its members are examined once the object exists. */
export function isInTemplate(draft: Draft, key: string): boolean {
  const properties = draft.mapping?.properties as MutableJsonObject | undefined;
  return properties !== undefined && Object.hasOwn(properties, key);
}

export function isDraft(value: MutableJsonObject | Draft | undefined): value is Draft {
  return value !== undefined && (value as Draft).fields instanceof Map;
}

export function draftOf(object: CompiledObject): Draft {
  const { path, dynamic, isNested, hasObjects } = object;
  return { path, dynamic, isNested, hasObjects, object, fields: new Map(), mapping: null };
}

export function pathOf(draft: Draft, key: string): string {
  return draft.path === '' ? key : `${draft.path}.${key}`;
}

/** `{ type?, properties }` of a draft. */
export function toMapping(draft: Draft): MutableJsonObject {
  const properties: MutableJsonObject = {};
  for (const [name, field] of draft.fields) setOwn(properties, name, isDraft(field) ? toMapping(field) : field);
  const json: MutableJsonObject = { ...(draft.mapping ?? {}) };
  if (!draft.hasObjects) json.subobjects = false;
  if (draft.isNested) json.type = 'nested';
  else if (draft.object === null && draft.fields.size === 0) json.type = 'object';
  // An update cannot change these, so it repeats them.
  if (draft.object?.includeInParent) json.include_in_parent = true;
  if (draft.object?.includeInRoot) json.include_in_root = true;
  if (draft.fields.size > 0) json.properties = { ...((json.properties as MutableJsonObject | undefined) ?? {}), ...properties };
  return json;
}

export function mixedError(path: string): ApiError {
  return illegalArgumentError(`can't merge a non object mapping [${path}] with an object mapping`);
}

/** @returns the error if the values of a new field would have different types */
export function typeConflict(path: string, known: Draft | MutableJsonObject, leaf: MutableJsonObject): ApiError | null {
  if (isDraft(known)) return mixedError(path);
  if (known.type === leaf.type) return null;
  return illegalArgumentError(`mapper [${path}] cannot be changed from type [${String(known.type)}] to [${String(leaf.type)}]`);
}
