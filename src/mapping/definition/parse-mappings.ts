// Parses a mappings body to a tree. Invalid bodies are refused with Elasticsearch's messages, wrapped by `parseMappings` as Elasticsearch does.

import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { javaClass, javaText } from '../../common/text/java-text.ts';
import { checkTurn } from '../../common/turns/turn.ts';
import { DEFAULT_DIALECT, type Dialect } from '../../compat/dialect.ts';
import { DateFormatter } from '../../dates/date-format.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import type { MappingAnalysis } from '../core/mapping-analysis.ts';
import {
  type AliasNode,
  type Dynamic,
  type DynamicTemplate,
  EMPTY_OBJECT,
  type FieldNode,
  type MappingNode,
  METADATA_FIELDS,
  type ObjectNode,
  type RootMapping,
  type SourceMode,
} from '../core/model.ts';
import { checkSeriesParams, parseBoolean } from '../core/params.ts';
import { MAPPER_TYPES, mapperTypeOf } from '../types/registry.ts';
import { checkConditions, checkTemplate } from './dynamic-templates.ts';
import { isRuntimeType, parseRuntime, parseRuntimeNode } from './runtime-fields.ts';

/**
 * @param isStored  the mapping was accepted before, perhaps by a node that answered as another server
 * @throws ApiError mapper_parsing_exception: "Failed to parse mapping: ..." around the cause
 */
export function parseMappings(
  body: JsonObject,
  analysis: MappingAnalysis,
  dialect: Dialect = DEFAULT_DIALECT,
  isStored = false,
): RootMapping {
  if (isObject(body._doc) && Object.keys(body).length === 1) {
    throw illegalArgumentError('The mapping definition cannot be nested under a type');
  }
  try {
    const root = parseRoot(body, { analysis, dialect, isStored });
    if (!dialect.templateMayMatchAnything && !isStored) for (const template of root.dynamicTemplates ?? []) checkConditions(template);
    return root;
  } catch (error) {
    if (error instanceof CopyToInMultiField) throw illegalArgumentError(error.message);
    if (!(error instanceof ApiError)) throw error;
    throw mapperParsingError(`${dialect.mappingError}: ${error.reason}`, error);
  }
}

const ROOT_KEYS = new Set([
  'properties',
  'dynamic',
  'enabled',
  'subobjects',
  'dynamic_templates',
  'dynamic_date_formats',
  'date_detection',
  'numeric_detection',
  'runtime',
]);
/** Metadata fields with parameters. */
const META_PARAMS: Record<string, readonly string[]> = {
  _field_names: ['enabled'],
  _size: ['enabled'],
  _data_stream_timestamp: ['enabled', 'timestamp_field'],
};

/** What the parsers of a mapping need to know of its index. */
interface MappingContext {
  readonly analysis: MappingAnalysis;
  readonly dialect: Dialect;
  readonly isStored: boolean;
}

function parseRoot(body: JsonObject, context: MappingContext): RootMapping {
  const unknown: string[] = [];
  const otherMeta: Record<string, JsonObject> = {};
  for (const [key, value] of Object.entries(body)) {
    if (ROOT_KEYS.has(key) || key === '_meta' || key === '_source' || key === '_routing') continue;
    if (Object.hasOwn(META_PARAMS, key) && isObject(value)) {
      refuseUnknown(value, META_PARAMS[key], key);
      setOwn(otherMeta, key, value);
    } else unknown.push(`${key} : ${javaText(value)}`);
    checkTurn();
  }
  if (unknown.length > 0) throw mapperParsingError(`Root mapping definition has unsupported parameters:  [${unknown.join('] [')}]`);
  return {
    object: {
      ...EMPTY_OBJECT,
      dynamic: body.dynamic === undefined ? null : parseDynamic(body.dynamic, context),
      enabled: body.enabled === undefined ? null : parseBoolean(body.enabled),
      subobjects: parseSubobjects(body, '_doc', false),
      properties: parseProperties(body.properties, '', context, body.subobjects === undefined || parseBoolean(body.subobjects)),
    },
    dynamicTemplates: body.dynamic_templates === undefined ? null : parseTemplates(body.dynamic_templates, context),
    dynamicDateFormats: body.dynamic_date_formats === undefined ? null : parseDateFormats(body.dynamic_date_formats),
    dateDetection: body.date_detection === undefined ? null : parseBoolean(body.date_detection),
    numericDetection: body.numeric_detection === undefined ? null : parseBoolean(body.numeric_detection),
    meta: parseMeta(body._meta),
    source: parseSourceOptions(body._source, context),
    routing: parseRouting(body._routing),
    otherMeta,
    runtime: parseRuntime(body.runtime, context.analysis),
  };
}

function parseMeta(value: unknown): JsonObject | null {
  if (value === undefined) return null;
  if (isObject(value)) return value;
  throw new ApiError(
    'class_cast_exception',
    400,
    `class ${javaClass(value)} cannot be cast to class java.util.Map (${javaClass(value)} and java.util.Map are in module java.base of loader 'bootstrap')`,
  );
}

function refuseUnknown(value: JsonObject, known: readonly string[], field: string): void {
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) throw mapperParsingError(`unknown parameter [${key}] on mapper [${field}] of type [null]`);
  }
}

function stringList(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map(javaText);
}

function parseSourceOptions(value: unknown, { dialect, isStored }: MappingContext): RootMapping['source'] {
  if (value === undefined) return null;
  if (!isObject(value)) throw mapperParsingError(`Expected map for [_source] but got a class ${javaClass(value)}`);
  const known = ['enabled', 'includes', 'excludes', 'compress', 'compress_threshold', 'recovery_source_enabled'];
  refuseUnknown(value, dialect.hasSourceModes || isStored ? [...known, 'mode'] : known, '_source');
  if (value.mode !== undefined) {
    if (value.enabled !== undefined) throw mapperParsingError('Cannot set both [mode] and [enabled] parameters');
    const isFiltered = [value.includes, value.excludes].some((names) => names !== undefined && stringList(names).length > 0);
    if (value.mode === 'synthetic' && isFiltered)
      throw mapperParsingError('filtering the stored _source is incompatible with synthetic source');
  }
  return {
    ...(value.mode === undefined ? {} : { mode: parseSourceMode(value.mode) }),
    ...(value.enabled === undefined ? {} : { enabled: parseBoolean(value.enabled) }),
    ...(value.includes === undefined ? {} : { includes: stringList(value.includes) }),
    ...(value.excludes === undefined ? {} : { excludes: stringList(value.excludes) }),
  };
}

function parseSourceMode(value: unknown): SourceMode {
  const mode = javaText(value).toLowerCase();
  if (mode === 'stored' || mode === 'synthetic' || mode === 'disabled') return mode;
  throw mapperParsingError(`No enum constant org.elasticsearch.index.mapper.SourceFieldMapper.Mode.${mode.toUpperCase()}`);
}

function parseRouting(value: unknown): RootMapping['routing'] {
  if (value === undefined) return null;
  if (!isObject(value)) throw mapperParsingError(`Expected map for [_routing] but got a class ${javaClass(value)}`);
  refuseUnknown(value, ['required'], '_routing');
  return value.required === undefined ? {} : { required: parseBoolean(value.required) };
}

function parseDynamic(value: unknown, { dialect, isStored }: MappingContext): Dynamic {
  const text = javaText(value);
  if (text === 'true' || text === 'false') return text;
  const word = text.toLowerCase();
  if (word === 'strict') return word;
  if ((word === 'runtime' || word === 'strict_allow_templates') && (word === dialect.furtherDynamic || isStored)) return word;
  throw illegalArgumentError('Could not convert [dynamic.dynamic] to boolean');
}

function parseDateFormats(value: unknown): string[] {
  if (!Array.isArray(value) && typeof value !== 'string') throw mapperParsingError('[dynamic_date_formats] must be a list of formats');
  const formats = stringList(value);
  for (const format of formats) {
    if (format.startsWith('epoch_')) throw mapperParsingError(`Epoch [${format}] is not supported as dynamic date format`);
    DateFormatter.of(format);
  }
  return formats;
}

function parseTemplates(value: unknown, context: MappingContext): DynamicTemplate[] {
  if (!Array.isArray(value)) throw mapperParsingError('Dynamic template syntax error. An array of named objects is expected.');
  return value.map((entry) => {
    const entries = isObject(entry) ? Object.entries(entry) : [];
    if (entries.length !== 1) throw mapperParsingError('A dynamic template must be defined with a name');
    const [name, body] = entries[0];
    if (!isObject(body)) throw mapperParsingError('Dynamic template syntax error. An array of named objects is expected.');
    checkTemplate(name, body, {
      field: (mapping) => parseNode('__dynamic__', '__dynamic__', mapping, context),
      runtime: (field, mapping) => parseRuntimeNode(field, mapping, context.analysis),
      isRuntimeType,
    });
    return { name, body };
  });
}

/** @throws ApiError mapper_parsing_exception */
function parseSubobjects({ subobjects }: JsonObject, name: string, isNested: boolean): boolean | null {
  if (subobjects === undefined) return null;
  if (isNested) throw mapperParsingError(`Nested type [${name}] does not support [subobjects] parameter`);
  try {
    return parseBoolean(subobjects);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError('illegal_argument_exception', 400, 'Could not convert [subobjects.subobjects] to boolean', { causedBy: error });
  }
}

/** @param hasObjects  false: members of objects become members with dotted names */
function parseProperties(value: unknown, parent: string, context: MappingContext, hasObjects = true): ReadonlyMap<string, MappingNode> {
  const nodes = new Map<string, MappingNode>();
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return nodes;
  if (!isObject(value)) throw new ApiError('parse_exception', 400, 'properties must be a map type');
  for (const [name, body] of Object.entries(value)) {
    if (hasObjects) addProperty(nodes, name, body, parent, context);
    else addDotted(nodes, parseNode(name, parent === '' ? name : `${parent}.${name}`, body, context), parent);
  }
  return nodes;
}

/** Adds a field under its name below `parent`, and the fields of objects likewise. @throws ApiError mapper_parsing_exception */
export function addDotted(nodes: Map<string, MappingNode>, node: MappingNode, parent: string): void {
  if (node.kind === 'object') {
    if (node.isNested) {
      const owner = parent === '' ? '_doc' : parent;
      throw mapperParsingError(`Tried to add nested object [${node.name}] to object [${owner}] which does not support subobjects`);
    }
    for (const inner of node.properties.values()) addDotted(nodes, inner, parent);
    return;
  }
  const name = parent === '' ? node.path : node.path.slice(parent.length + 1);
  nodes.set(name, { ...node, name });
}

/** A dotted name creates the objects on its path. */
function addProperty(nodes: Map<string, MappingNode>, name: string, body: unknown, parent: string, context: MappingContext): void {
  if (name === '')
    throw illegalArgumentError(context.dialect.refusesBlankNames ? 'field name cannot be an empty string' : 'name cannot be empty string');
  const { refusesBlankNames } = context.dialect;
  if (name.trim() === '' && refusesBlankNames) throw illegalArgumentError('field name cannot contain only whitespaces');
  if (/^\.+$/.test(name)) throw mapperParsingError(`Invalid field name ${name}`);
  if (parent === '' && METADATA_FIELDS.has(name)) throw mapperParsingError(`Field [${name}] is defined more than once`);
  const dot = name.indexOf('.');
  if (dot < 0) {
    const path = parent === '' ? name : `${parent}.${name}`;
    const node = parseNode(name, path, body, context);
    const before = nodes.get(name);
    nodes.set(
      name,
      before?.kind === 'object' && node.kind === 'object'
        ? { ...node, properties: new Map([...before.properties, ...node.properties]) }
        : node,
    );
    return;
  }
  const head = name.slice(0, dot);
  const rest = name.slice(dot + 1);
  if (head === '' || rest === '')
    throw illegalArgumentError(`field name starting or ending with a [.] makes object resolution ambiguous: [${name}]`);
  const path = parent === '' ? head : `${parent}.${head}`;
  const before = nodes.get(head);
  const children = new Map(before?.kind === 'object' ? before.properties : []);
  addProperty(children, rest, body, path, context);
  nodes.set(head, { ...EMPTY_OBJECT, ...(before?.kind === 'object' ? before : {}), name: head, path, properties: children });
}

function parseNode(name: string, path: string, body: unknown, context: MappingContext): MappingNode {
  if (!isObject(body)) throw mapperParsingError(`Expected map for property [fields] on field [${name}] but got a class ${javaClass(body)}`);
  const type =
    body.type ??
    (body.properties !== undefined || (body.enabled !== undefined && Object.keys(body).length >= 1) || body.dynamic !== undefined
      ? 'object'
      : undefined);
  if (type === undefined) throw mapperParsingError(`No type specified for field [${name}]`);
  const typeName = javaText(type);
  if (typeName === 'object' || typeName === 'nested') return parseObjectNode(name, path, body, typeName === 'nested', context);
  if (typeName === 'alias') return parseAlias(name, path, body);
  if (!MAPPER_TYPES.has(typeName)) throw mapperParsingError(`No handler for type [${typeName}] declared on field [${name}]`);
  return parseField(name, path, typeName, body, context, null);
}

const OBJECT_KEYS = ['type', 'properties', 'dynamic', 'enabled', 'subobjects', 'store_array_source'];
const NESTED_KEYS = [...OBJECT_KEYS, 'include_in_parent', 'include_in_root'];

function parseObjectNode(name: string, path: string, body: JsonObject, isNested: boolean, context: MappingContext): ObjectNode {
  const known = isNested ? NESTED_KEYS : OBJECT_KEYS;
  const unknown = Object.entries(body).filter(([key]) => !known.includes(key));
  if (unknown.length > 0) {
    throw mapperParsingError(
      `Mapping definition for [${name}] has unsupported parameters:  ${unknown.map(([key, value]) => `[${key} : ${javaText(value)}]`).join(' ')}`,
    );
  }
  const subobjects = parseSubobjects(body, name, isNested);
  return {
    kind: 'object',
    name,
    path,
    isNested,
    dynamic: body.dynamic === undefined ? null : parseDynamic(body.dynamic, context),
    enabled: body.enabled === undefined ? null : parseBoolean(body.enabled),
    includeInParent: body.include_in_parent === undefined ? false : parseBoolean(body.include_in_parent),
    includeInRoot: body.include_in_root === undefined ? false : parseBoolean(body.include_in_root),
    keepsLists: body.store_array_source === undefined ? null : parseBoolean(body.store_array_source),
    subobjects,
    properties: parseProperties(body.properties, path, context, subobjects ?? true),
  };
}

function parseAlias(name: string, path: string, body: JsonObject): AliasNode {
  if (typeof body.path !== 'string') throw mapperParsingError(`The [path] property must be specified for field [${name}].`);
  for (const key of Object.keys(body)) {
    if (key !== 'type' && key !== 'path')
      throw mapperParsingError(`Mapping definition for [${name}] has unsupported parameters:  [${key} : ${javaText(body[key])}]`);
  }
  return { kind: 'alias', name, path, target: body.path };
}

/** Parameters that fields of all types once had; without effect on types that do not declare them. */
const COMMON_TO_ALL_TYPES = new Set(['store', 'meta', 'index', 'doc_values', 'boost', 'index_options', 'similarity']);

/** Types that interpret `boost`, which is refused instead of being ignored. */
const BOOSTED_TYPES = new Set(['text', 'keyword']);

/** `multiFieldOf`: simple name of the field that contains this multi-field, else null. */
function parseField(
  name: string,
  path: string,
  type: string,
  body: JsonObject,
  context: MappingContext,
  multiFieldOf: string | null,
): FieldNode {
  const { params, validate, complete, isMultiField, isLeaf } = mapperTypeOf(type);
  if (multiFieldOf !== null && isMultiField === false)
    throw mapperParsingError(`Field [${name}] of type [${type}] can't be used in multifields`);
  const given: Record<string, unknown> = {};
  let copyTo: readonly string[] = [];
  let fields: ReadonlyMap<string, FieldNode> = new Map();
  for (const [key, value] of Object.entries(body)) {
    if (key === 'type') continue;
    if (isLeaf && (key === 'fields' || key === 'copy_to')) {
      const reason = `${type} field [${path}] does not support [${key}]`;
      throw mapperParsingError(`Failed to parse mapping: ${reason}`, illegalArgumentError(reason));
    }
    if (key === 'fields') fields = parseMultiFields(name, path, value, context);
    else if (key === 'copy_to') {
      if (value === null) throw mapperParsingError(`[copy_to] on mapper [${name}] of type [${type}] must not have a [null] value`);
      copyTo = stringList(value);
      if (multiFieldOf !== null && copyTo.length > 0) throw new CopyToInMultiField(path);
    } else {
      const param = Object.hasOwn(params, key) ? params[key] : undefined;
      if (!param && context.dialect.ignoresCommonParams && COMMON_TO_ALL_TYPES.has(key) && !(key === 'boost' && BOOSTED_TYPES.has(type)))
        continue;
      if (!param) throw mapperParsingError(`unknown parameter [${key}] on mapper [${name}] of type [${type}]`);
      if (value === null && param.fallback !== undefined && param.acceptsNull !== true) {
        throw mapperParsingError(`[${key}] on mapper [${name}] of type [${type}] must not have a [null] value`);
      }
      const parsed = param.parse(value, { name, type, ...context });
      if (parsed !== undefined) setOwn(given, key, parsed);
    }
  }
  validate?.({ name, path, given, analysis: context.analysis });
  checkSeriesParams(given);
  return { kind: 'field', name, path, type, given: complete ? complete(given, context.analysis) : given, copyTo, fields };
}

/** Not wrapped by `parseMappings`: the reference checks it when mappings are merged. */
class CopyToInMultiField extends Error {
  constructor(readonly path: string) {
    super(`[copy_to] may not be used to copy from a multi-field: [${path}]`);
  }
}

function parseMultiFields(parentName: string, parentPath: string, value: unknown, context: MappingContext): ReadonlyMap<string, FieldNode> {
  const fields = new Map<string, FieldNode>();
  if (Array.isArray(value) && value.length === 0) return fields;
  if (!isObject(value))
    throw mapperParsingError(`expected map for property [fields] on field [${parentName}] but got a class ${javaClass(value)}`);
  for (const [name, body] of Object.entries(value)) {
    if (name.includes('.')) throw mapperParsingError(`Field name [${name}] which is a multi field of [${parentName}] cannot contain '.'`);
    if (name === '') throw illegalArgumentError('name cannot be empty string');
    if (!isObject(body)) throw mapperParsingError(`illegal field [${name}], only fields can be specified inside fields`);
    if (body.type === undefined) throw mapperParsingError(`no type specified for property [${name}]`);
    const type = javaText(body.type);
    if (type === 'object' || type === 'nested' || type === 'alias' || type === 'join')
      throw mapperParsingError(`Type [${type}] cannot be used in multi field`);
    if (!MAPPER_TYPES.has(type)) throw mapperParsingError(`no handler for type [${type}] declared on field [${name}]`);
    fields.set(name, parseField(name, `${parentPath}.${name}`, type, body, context, parentName));
  }
  return fields;
}
