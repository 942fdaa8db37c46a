// Dynamic templates: choosing the one that matches a new field, and the mapping it yields.

import { BoundedMap } from '../../common/bounded-map.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { javaText } from '../../common/text/java-text.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import { JavaPattern } from '../../regex/java-pattern.ts';
import type { DynamicTemplate, MappingNode } from '../core/model.ts';

/** JSON type of a new field's value. */
export type DynamicType = 'object' | 'string' | 'long' | 'double' | 'boolean' | 'date' | 'binary';

const DYNAMIC_TYPES: readonly DynamicType[] = ['object', 'string', 'long', 'double', 'boolean', 'date', 'binary'];

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
]);

function texts(value: unknown): string[] {
  return value === undefined || value === null ? [] : (Array.isArray(value) ? value : [value]).map(javaText);
}

function isRegex(body: JsonObject): boolean {
  return body.match_pattern === 'regex';
}

/** @throws ApiError mapper_parsing_exception: the template has no condition */
export function checkConditions({ body }: DynamicTemplate): void {
  if (body.match === undefined && body.path_match === undefined && texts(body.match_mapping_type).length === 0) {
    throw mapperParsingError(`template must have match, path_match or match_mapping_type set ${javaText(body)}`);
  }
}

/**
 * Validates a template of a mappings body.
 * @param parse  parses the mapping of a field; throws its errors
 * @throws ApiError mapper_parsing_exception
 */
export function checkTemplate(name: string, body: JsonObject, parse: (mapping: JsonObject) => MappingNode): void {
  for (const key of Object.keys(body)) {
    if (!KEYS.has(key)) throw illegalArgumentError(`Illegal dynamic template parameter: [${key}]`);
  }
  const types = texts(body.match_mapping_type);
  if (typeof body.mapping !== 'object' || body.mapping === null || Array.isArray(body.mapping))
    throw mapperParsingError('template must have mapping set');
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
  checkMapping(name, body, types, parse);
}

function checkMapping(name: string, body: JsonObject, types: readonly string[], parse: (mapping: JsonObject) => MappingNode): void {
  const tried = (types.length === 0 || types.includes('*') ? DYNAMIC_TYPES : types) as readonly DynamicType[];
  let failure: ApiError | null = null;
  for (const type of tried) {
    try {
      parse(mappingOf({ name, body }, '__dynamic__', type));
      return;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failure ??= error;
    }
  }
  // Templates with {name} cannot be checked before a field's name is known.
  if (failure === null || writeJson(body.mapping).includes('{name}')) return;
  throw mapperParsingError(
    `dynamic template [${name}] has invalid content [${writeJson(body)}], attempted to validate it with the following match_mapping_type: [${tried.join(', ')}]`,
    failure,
  );
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
  return (
    (types.length === 0 || types.includes('*') || types.includes(type)) &&
    !texts(body.unmatch_mapping_type).some((unmatched) => unmatched === '*' || unmatched === type) &&
    (body.path_match === undefined || matchesAny(texts(body.path_match), regex, path)) &&
    !matchesAny(texts(body.path_unmatch), regex, path) &&
    (body.match === undefined || matchesAny(texts(body.match), regex, name)) &&
    !matchesAny(texts(body.unmatch), regex, name)
  );
}

/** The mapping of a template for a field: {name} and {dynamic_type} substituted, a missing type added. */
export function mappingOf(template: DynamicTemplate, name: string, type: DynamicType): JsonObject {
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string')
      return value
        .replaceAll('{name}', name)
        .replaceAll('{dynamic_type}', DEFAULT_TYPES[type])
        .replaceAll('{dynamicType}', DEFAULT_TYPES[type]);
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [fill(key), fill(item)]));
    return value;
  };
  const mapping = fill(template.body.mapping) as JsonObject;
  return mapping.type === undefined ? { type: DEFAULT_TYPES[type], ...mapping } : mapping;
}
