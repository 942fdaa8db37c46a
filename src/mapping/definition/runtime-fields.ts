// Runtime fields: `runtime` of a mapping and `runtime_mappings` of a search. Their values are computed by a script, or read from the source, when a
// query, a sort or an aggregation needs them; nothing of them is indexed.

import { isObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { javaClass, javaText } from '../../common/text/java-text.ts';
import { DEFAULT_DIALECT } from '../../compat/dialect.ts';
import { mapperParsingError } from '../../errors/catalog.ts';
import type { MappingAnalysis } from '../core/mapping-analysis.ts';
import { METADATA_FIELDS, type RuntimeNode } from '../core/model.ts';
import type { BaseFieldType } from '../types/base-field-type.ts';
import { mapperTypeOf } from '../types/registry.ts';

const TYPES: ReadonlySet<string> = new Set(['boolean', 'date', 'double', 'geo_point', 'ip', 'keyword', 'long']);
const KEYS: ReadonlySet<string> = new Set(['type', 'script', 'meta']);

/** @throws ApiError mapper_parsing_exception */
export function parseRuntime(value: unknown, analysis: MappingAnalysis): ReadonlyMap<string, RuntimeNode | null> {
  const nodes = new Map<string, RuntimeNode | null>();
  if (value === undefined) return nodes;
  if (!isObject(value)) throw mapperParsingError(`Expected map for [runtime] but got a class ${javaClass(value)}`);
  for (const [name, body] of Object.entries(value)) {
    if (name === '' || METADATA_FIELDS.has(name)) throw mapperParsingError(`Invalid runtime field name [${name}]`);
    nodes.set(name, body === null ? null : parseNode(name, body, analysis));
  }
  return nodes;
}

function parseNode(name: string, body: unknown, analysis: MappingAnalysis): RuntimeNode {
  if (!isObject(body)) throw mapperParsingError(`Expected map for runtime field [${name}] definition but got a ${javaClass(body)}`);
  if (body.type === undefined) throw mapperParsingError(`No type specified for runtime field [${name}]`);
  const type = javaText(body.type);
  if (!TYPES.has(type)) throw mapperParsingError(`No handler for type [${type}] declared on runtime field [${name}]`);
  const given: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(body)) {
    if (KEYS.has(key)) continue;
    const param = type === 'date' && (key === 'format' || key === 'locale') ? mapperTypeOf(type).params[key] : undefined;
    if (!param) throw mapperParsingError(`unknown parameter [${key}] on runtime field [${name}] of type [${type}]`);
    setOwn(given, key, param.parse(value, { name, type, analysis }));
  }
  return { type, script: body.script === undefined ? null : parseScript(name, body.script), given };
}

function parseScript(name: string, value: unknown): MutableJsonObject {
  if (typeof value === 'string') return { source: value, lang: 'painless' };
  if (!isObject(value)) throw mapperParsingError(`Failed to parse script of runtime field [${name}]`);
  if (value.id !== undefined) throw mapperParsingError(`stored scripts are not supported for runtime field [${name}]`);
  if (typeof value.source !== 'string') throw mapperParsingError(`script of runtime field [${name}] has no source`);
  return { ...value, lang: value.lang ?? 'painless' };
}

/** Renders runtime fields for the API. */
export function runtimeToJson(nodes: ReadonlyMap<string, RuntimeNode | null>): MutableJsonObject {
  const json: MutableJsonObject = {};
  for (const [name, node] of [...nodes].sort(([a], [b]) => (a < b ? -1 : 1)))
    if (node) setOwn(json, name, { type: node.type, ...node.given, ...(node.script ? { script: node.script } : {}) });
  return json;
}

/** Merges `update` into `before`; null removes a field. @returns the same map if nothing changes */
export function mergeRuntime(
  before: ReadonlyMap<string, RuntimeNode | null>,
  update: ReadonlyMap<string, RuntimeNode | null>,
): ReadonlyMap<string, RuntimeNode | null> {
  if (update.size === 0) return before;
  return new Map([...before, ...update].filter(([name]) => (update.has(name) ? update.get(name) : before.get(name)) !== null));
}

/** The type of the field: like that of a mapped field, but without storage in segments. */
export function runtimeFieldType(name: string, { type, script, given }: RuntimeNode, analysis: MappingAnalysis): BaseFieldType {
  const mapperType = mapperTypeOf(type);
  const { fieldType } = mapperType.create({
    name,
    path: name,
    type,
    nestedPath: null,
    analysis,
    dialect: DEFAULT_DIALECT,
    settings: {},
    given,
    get: <T>(param: string) => (given[param] ?? mapperType.params[param]?.fallback) as T,
    field: () => -1,
    addSubField: () => undefined,
  });
  const made = fieldType as BaseFieldType;
  made.runtime = { script };
  return made;
}
