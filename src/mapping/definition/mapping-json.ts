// Renders a mappings tree for the API: names sorted, parameters as specified if they differ from their defaults.

import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { isSame } from '../../common/text/java-text.ts';
import type { Dialect } from '../../compat/dialect.ts';
import type { FieldNode, MappingNode, ObjectNode, RootMapping } from '../core/model.ts';
import { mapperTypeOf } from '../types/registry.ts';
import { runtimeToJson } from './runtime-fields.ts';
import { shownDefault, shownScript } from './shown-defaults.ts';

export function mappingToJson(root: RootMapping): MutableJsonObject {
  const json: MutableJsonObject = {};
  if (root.object.dynamic !== null) json.dynamic = root.object.dynamic;
  if (root.object.enabled !== null) json.enabled = root.object.enabled;
  if (root.object.subobjects === false) json.subobjects = false;
  if (root.meta !== null) json._meta = root.meta;
  if (root.routing?.required) json._routing = root.routing;
  if (root.source !== null) {
    const { mode, enabled, includes, excludes } = root.source;
    const source: MutableJsonObject = {};
    if (mode !== undefined) source.mode = mode;
    if (enabled === false) source.enabled = false;
    if (includes?.length) source.includes = includes;
    if (excludes?.length) source.excludes = excludes;
    if (Object.keys(source).length > 0) json._source = source;
  }
  Object.assign(json, root.otherMeta);
  if (root.dynamicDateFormats !== null) json.dynamic_date_formats = root.dynamicDateFormats;
  if (root.dynamicTemplates !== null && root.dynamicTemplates.length > 0) {
    json.dynamic_templates = root.dynamicTemplates.map(({ name, body }) => ({ [name]: body }));
  }
  if (root.dateDetection !== null) json.date_detection = root.dateDetection;
  if (root.numericDetection !== null) json.numeric_detection = root.numericDetection;
  const runtime = runtimeToJson(root.runtime);
  if (Object.keys(runtime).length > 0) json.runtime = runtime;
  const properties = propertiesToJson(root.object);
  if (properties) json.properties = properties;
  return json;
}

function propertiesToJson(object: ObjectNode): MutableJsonObject | null {
  if (object.properties.size === 0) return null;
  return Object.fromEntries(sortedByName(object.properties).map(([name, node]) => [name, nodeToJson(node, null)]));
}

/** Mapping of one field or object. @param defaults  all parameters are shown, as this server does; null: only those that differ from their defaults */
export function nodeToJson(node: MappingNode, defaults: Dialect | null): MutableJsonObject {
  if (node.kind === 'alias') return { type: 'alias', path: node.target };
  if (node.kind === 'field') return fieldToJson(node, defaults);
  const json: MutableJsonObject = {};
  const properties = propertiesToJson(node);
  if (node.isNested) json.type = 'nested';
  else if (!properties || defaults !== null) json.type = 'object';
  if (node.dynamic !== null) json.dynamic = node.dynamic;
  if (node.enabled === false) json.enabled = false;
  if (node.subobjects === false) json.subobjects = false;
  if (node.includeInParent) json.include_in_parent = true;
  if (node.includeInRoot) json.include_in_root = true;
  if (node.keepsLists !== null) json.store_array_source = node.keepsLists;
  if (properties) json.properties = properties;
  return json;
}

function fieldToJson(field: FieldNode, defaults: Dialect | null): MutableJsonObject {
  const json: MutableJsonObject = { type: field.type };
  const { params } = mapperTypeOf(field.type);
  for (const [name, param] of Object.entries(params)) {
    const value = field.given[name] ?? param.shown;
    const isShown =
      value !== undefined &&
      (param.shown !== undefined || param.showsDefault === true || !isSame(value, param.fallback) || defaults !== null);
    const shown = isShown ? value : defaults === null ? undefined : shownDefault(field, name, param, defaults);
    if (shown !== undefined) setOwn(json, name, shown);
  }
  if (defaults !== null) Object.assign(json, shownScript(params, defaults));
  if (field.fields.size > 0) {
    json.fields = Object.fromEntries(sortedByName(field.fields).map(([name, multiField]) => [name, fieldToJson(multiField, null)]));
  }
  if (field.copyTo.length > 0) json.copy_to = field.copyTo;
  return json;
}

function sortedByName<T>(nodes: ReadonlyMap<string, T>): [string, T][] {
  return [...nodes].sort(([a], [b]) => (a < b ? -1 : 1));
}
