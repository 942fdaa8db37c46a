// Dynamic templates: choosing the one that matches a new field, and the mapping it yields.

import { BoundedMap } from '../../common/bounded-map.ts';
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { javaClass, javaText } from '../../common/text/java-text.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import { JavaPattern } from '../../regex/java-pattern.ts';
import type { DynamicTemplate } from '../core/model.ts';

/** JSON type of a new field's value. */
export type DynamicType = 'object' | 'string' | 'long' | 'double' | 'boolean' | 'date' | 'binary';

const DYNAMIC_TYPES: readonly DynamicType[] = ['object', 'string', 'long', 'double', 'boolean', 'date', 'binary'];

/** As below, for runtime fields; objects and binaries cannot be runtime fields. */
export const RUNTIME_TYPES: Readonly<Partial<Record<DynamicType, string>>> = {
  string: 'keyword',
  long: 'long',
  double: 'double',
  boolean: 'boolean',
  date: 'date',
};

/** Mapping type of a template that names none, and the value of {dynamic_type}. */
const DEFAULT_TYPES: Record<DynamicType, string> = {
  object: 'object',
  string: 'text',
  long: 'long',
  double: 'float',
  boolean: 'boolean',
  date: 'date',
  binary: 'binary',
};

const KEYS = new Set([
  'match',
  'unmatch',
  'path_match',
  'path_unmatch',
  'match_pattern',
  'match_mapping_type',
  'unmatch_mapping_type',
  'mapping',
  'runtime',
]);

function texts(value: unknown): string[] {
  return value === undefined || value === null ? [] : (Array.isArray(value) ? value : [value]).map(javaText);
}

function isRegex(body: JsonObject): boolean {
  return body.match_pattern === 'regex';
}

/** @throws ApiError mapper_parsing_exception: the template has no condition */
export function checkConditions({ body }: DynamicTemplate): void {
  if (!hasConditions(body)) {
    throw mapperParsingError(`template must have match, path_match or match_mapping_type set ${javaText(body)}`);
  }
}

/** Without these conditions a template matches no field. */
function hasConditions(body: JsonObject): boolean {
  return body.match !== undefined || body.path_match !== undefined || texts(body.match_mapping_type).length > 0;
}

/** Parsers of the definitions in templates; they throw the errors of a definition. */
export interface TemplateParsers {
  field(mapping: JsonObject): unknown;
  runtime(name: string, mapping: JsonObject): unknown;
  isRuntimeType(type: string): boolean;
}

/** True if the template adds runtime fields. */
export function isRuntimeTemplate({ body }: DynamicTemplate): boolean {
  return body.runtime !== undefined;
}

/** Validates a template of a mappings body. @throws ApiError mapper_parsing_exception, illegal_argument_exception */
export function checkTemplate(name: string, body: JsonObject, parsers: TemplateParsers): void {
  for (const key of Object.keys(body)) {
    if (!KEYS.has(key)) throw illegalArgumentError(`Illegal dynamic template parameter: [${key}]`);
  }
  const types = texts(body.match_mapping_type);
  checkDefinition(name, body);
  for (const type of [...types, ...texts(body.unmatch_mapping_type)]) {
    if (type !== '*' && !DYNAMIC_TYPES.includes(type as DynamicType)) {
      throw illegalArgumentError(`No field type matched on [${type}], possible values are [${DYNAMIC_TYPES.join(', ')}]`);
    }
  }
  if (body.match_pattern !== undefined && body.match_pattern !== 'simple' && body.match_pattern !== 'regex') {
    throw illegalArgumentError(`No matching pattern matched on [${javaText(body.match_pattern)}]`);
  }
  for (const pattern of isRegex(body)
    ? [...texts(body.match), ...texts(body.unmatch), ...texts(body.path_match), ...texts(body.path_unmatch)]
    : []) {
    try {
      compileRegex(pattern);
    } catch (error) {
      const cause = new ApiError('pattern_syntax_exception', 400, (error as Error).message);
      throw mapperParsingError(`Pattern [${pattern}] of type [regex] is invalid. Cannot create dynamic template [${name}].`, cause);
    }
  }
  checkContent(name, body, types, parsers);
}

/** @throws ApiError mapper_parsing_exception, class_cast_exception: neither a mapping nor a runtime field, or both */
function checkDefinition(name: string, { mapping, runtime }: JsonObject): void {
  if (mapping !== undefined && runtime !== undefined)
    throw mapperParsingError(`mapping and runtime cannot be both specified in the same dynamic template [${name}]`);
  const given = mapping ?? runtime;
  if (given === undefined || given === null) throw mapperParsingError(`template [${name}] must have either mapping or runtime set`);
  if (!isObject(given)) throw new ApiError('class_cast_exception', 400, `class ${javaClass(given)} cannot be cast to class java.util.Map`);
}

function checkContent(name: string, body: JsonObject, types: readonly string[], parsers: TemplateParsers): void {
  const isRuntime = body.runtime !== undefined;
  const possible = isRuntime ? DYNAMIC_TYPES.filter((type) => RUNTIME_TYPES[type] !== undefined) : DYNAMIC_TYPES;
  const tried = (types.length === 0 || types.includes('*') ? possible : types) as readonly DynamicType[];
  let failure: ApiError | null = null;
  for (const type of tried) {
    if (!possible.includes(type))
      throw mapperParsingError(`Dynamic template [${name}] defines a runtime field but type [${type}] is not supported as runtime field`);
    try {
      const mapping = mappingOf({ name, body }, '__dynamic__', type);
      if (isRuntime && !parsers.isRuntimeType(javaText(mapping.type)))
        throw illegalArgumentError(`No runtime field found for type [${javaText(mapping.type)}]`);
      if (isRuntime) parsers.runtime(`__dynamic__${name}`, mapping);
      else parsers.field(mapping);
      return;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failure ??= error;
    }
  }
  // Templates with {name} cannot be checked before a field's name is known.
  if (failure === null || writeJson(body.mapping ?? body.runtime).includes('{name}')) return;
  const reason = `dynamic template [${name}] has invalid content [${writeJson(inOrder(body))}], attempted to validate it with the following match_mapping_type: [${tried.join(', ')}]`;
  throw isRuntime ? illegalArgumentError(reason, failure) : mapperParsingError(reason, failure);
}

/** Sorts the keys of inner objects, as servers show them. */
function inOrder(body: JsonObject): JsonObject {
  const sorted = (value: unknown): unknown =>
    isObject(value)
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, item]) => [key, sorted(item)]),
        )
      : value;
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [key, sorted(value)]));
}

const patterns = new BoundedMap<string, JavaPattern>(1000);

/** @throws ApiError pattern_syntax_exception, illegal_argument_exception */
function compileRegex(source: string): JavaPattern {
  return patterns.getOrMake(source, () => new JavaPattern(source));
}

/** `*` matches any characters. */
export function matchesWildcard(pattern: string, text: string): boolean {
  const parts = pattern.split('*');
  if (parts.length === 1) return pattern === text;
  if (!text.startsWith(parts[0])) return false;
  const last = parts[parts.length - 1];
  let at = parts[0].length;
  for (let i = 1; i < parts.length - 1; i++) {
    const found = text.indexOf(parts[i], at);
    if (found < 0) return false;
    at = found + parts[i].length;
  }
  return text.length - at >= last.length && text.endsWith(last);
}

function matchesAny(patterns: readonly string[], regex: boolean, text: string): boolean {
  return patterns.some((pattern) => (regex ? compileRegex(pattern).matches(text) : matchesWildcard(pattern, text)));
}

/** The first template that matches a new field, or null. */
export function findTemplate(templates: readonly DynamicTemplate[], name: string, path: string, type: DynamicType): DynamicTemplate | null {
  return templates.find(({ body }) => fits(body, name, path, type)) ?? null;
}

function fits(body: JsonObject, name: string, path: string, type: DynamicType): boolean {
  const regex = isRegex(body);
  const types = texts(body.match_mapping_type);
  if (body.runtime !== undefined && RUNTIME_TYPES[type] === undefined) return false;
  return (
    (hasConditions(body) || body.unmatch_mapping_type !== undefined) &&
    (types.length === 0 || types.includes('*') || types.includes(type)) &&
    !texts(body.unmatch_mapping_type).some((unmatched) => unmatched === '*' || unmatched === type) &&
    (body.path_match === undefined || matchesAny(texts(body.path_match), regex, path)) &&
    !matchesAny(texts(body.path_unmatch), regex, path) &&
    (body.match === undefined || matchesAny(texts(body.match), regex, name)) &&
    !matchesAny(texts(body.unmatch), regex, name)
  );
}

/** The mapping, or the runtime field, of a template for a field: {name} and {dynamic_type} substituted, a missing type added. */
export function mappingOf(template: DynamicTemplate, name: string, type: DynamicType): JsonObject {
  const isRuntime = isRuntimeTemplate(template);
  const dynamicType = (isRuntime ? RUNTIME_TYPES[type] : undefined) ?? DEFAULT_TYPES[type];
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string')
      return value.replaceAll('{name}', name).replaceAll('{dynamic_type}', dynamicType).replaceAll('{dynamicType}', dynamicType);
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [fill(key), fill(item)]));
    return value;
  };
  const mapping = fill(isRuntime ? template.body.runtime : template.body.mapping) as JsonObject;
  return mapping.type === undefined ? { type: dynamicType, ...mapping } : mapping;
}
