// Limits and references that concern a mapping as a whole: numbers and names of fields, depth, aliases, copy_to, join fields, contexts.
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import { hasIndexSort } from '../core/index-sort.ts';
import { type FieldNode, type MappingNode, METADATA_FIELDS, type ObjectNode, type RootMapping } from '../core/model.ts';
import { isTimeSeries } from '../core/time-series.ts';
import { contextMappingsOf } from '../types/completion.ts';
import { checkSeries } from './check-series.ts';
import { checkSynthetic } from './check-synthetic.ts';

export const DEFAULT_LIMITS = { total_fields: 1000, depth: 20, nested_fields: 50, dimension_fields: 32_768 } as const;

/**
 * Every thread holds every mapping, so the length of names is limited, too: to this many characters per
 * field that a mapping may have, on average, including the names of its parents.
 */
const NAME_CHARS_PER_FIELD = 512;

/** Most characters of the names of all fields. */
export function nameCharsLimit(totalFieldsLimit: number): number {
  return totalFieldsLimit * NAME_CHARS_PER_FIELD;
}

/** @returns illegal_argument_exception 400 */
export function longNamesError(limit: number): ApiError {
  return illegalArgumentError(`Limit of [${limit}] characters in the names of all fields has been exceeded`);
}

function checkNames(nodes: ReadonlyMap<string, MappingNode>, before: ReadonlyMap<string, MappingNode>, limit: number): void {
  const charsOf = (some: ReadonlyMap<string, MappingNode>): number => [...some.keys()].reduce((chars, { length }) => chars + length, 0);
  const chars = charsOf(nodes);
  if (chars > limit && chars > charsOf(before)) throw longNamesError(limit);
}

function nodesOf(mapping: RootMapping): Map<string, MappingNode> {
  const nodes = new Map<string, MappingNode>();
  collect(mapping.object, nodes);
  return nodes;
}

/**
 * Checks limits and references that concern the mapping as a whole. A mapping may stay above a limit that was lowered later, but not grow.
 * @throws ApiError illegal_argument_exception, mapper_parsing_exception
 */
export function checkMapping(mapping: RootMapping, settings: Readonly<Record<string, unknown>>, before: RootMapping | null): void {
  const limit = (name: string, fallback: number): number => Number(settings[`index.mapping.${name}.limit`] ?? fallback);
  const targets = nodesOf(mapping);
  const known = before ? nodesOf(before) : new Map<string, MappingNode>();
  const nameLimit = limit('field_name_length', Number.POSITIVE_INFINITY);
  const depthLimit = limit('depth', DEFAULT_LIMITS.depth);
  for (const node of targets.values()) {
    if (known.has(node.path)) continue;
    if (node.name.length > nameLimit)
      throw illegalArgumentError(`Field name [${node.name}] is longer than the limit of [${nameLimit}] characters`);
    if (node.kind === 'object' && node.path.split('.').length + 1 > depthLimit) {
      throw illegalArgumentError(`Limit of mapping depth [${depthLimit}] has been exceeded due to object field [${node.path}]`);
    }
  }
  const checkCount = (
    name: 'total_fields' | 'nested_fields' | 'dimension_fields',
    text: string,
    counts: (node: MappingNode) => boolean,
    countsOf: (root: RootMapping) => number = () => 0,
  ): void => {
    const count = (nodes: ReadonlyMap<string, MappingNode>): number => [...nodes.values()].filter(counts).length;
    const most = limit(name, DEFAULT_LIMITS[name]);
    const now = count(targets) + countsOf(mapping);
    const then = before ? count(known) + countsOf(before) : 0;
    if (now > most && now > then) throw illegalArgumentError(`Limit of ${text} fields [${most}] has been exceeded`);
  };
  checkCount(
    'total_fields',
    'total',
    () => true,
    ({ runtime }) => runtime.size,
  );
  checkNames(targets, known, nameCharsLimit(limit('total_fields', DEFAULT_LIMITS.total_fields)));
  checkCount('nested_fields', 'nested', (node) => node.kind === 'object' && node.isNested);
  checkCount('dimension_fields', 'dimension', (node) => node.kind === 'field' && node.given.time_series_dimension === true);
  checkSynthetic(mapping, targets, settings);
  if (isTimeSeries(settings)) checkSeries(mapping, targets, settings);
  const isSorted = hasIndexSort(settings);
  let joins = 0;
  for (const [path, node] of targets) {
    if (isSorted && node.kind === 'object' && node.isNested)
      throw illegalArgumentError('cannot have nested fields when index sort is activated');
    if (node.kind === 'alias') checkAlias(path, node.target, targets);
    if (node.kind === 'field' && node.type === 'join' && ++joins > 1) {
      throw mapperParsingError(
        'Failed to parse mapping [_doc]: Field [_parent_join] is defined more than once',
        mapperParsingError('Field [_parent_join] is defined more than once'),
      );
    }
    if (node.kind === 'field') for (const target of node.copyTo) checkCopyTo(target, targets);
    if (node.kind === 'field') checkContextPaths(node, targets);
  }
}

/** Fields, objects and runtime fields of a mapping, as `index.mapping.total_fields.limit` counts them. */
export function fieldCount(mapping: RootMapping): number {
  return nodesOf(mapping).size + mapping.runtime.size;
}

function collect(object: ObjectNode, out: Map<string, MappingNode>): void {
  for (const node of object.properties.values()) {
    out.set(node.path, node);
    if (node.kind === 'object') collect(node, out);
    else if (node.kind === 'field') collectFields(node, out);
  }
}

function collectFields(node: FieldNode, out: Map<string, MappingNode>): void {
  for (const field of node.fields.values()) {
    out.set(field.path, field);
    collectFields(field, out);
  }
}

function checkAlias(path: string, target: string, nodes: ReadonlyMap<string, MappingNode>): void {
  const wrong = (why: string): never => {
    throw mapperParsingError(`Invalid [path] value [${target}] for field alias [${path}]: ${why}`);
  };
  if (target === path) wrong('an alias cannot refer to itself.');
  const node = nodes.get(target);
  if (node?.kind === 'alias') wrong('an alias cannot refer to another alias.');
  if (node?.kind !== 'field') wrong('an alias must refer to an existing field in the mappings.');
  const scope = (name: string): string => nestedScope(name, nodes);
  if (scope(path) !== scope(target)) {
    throw illegalArgumentError(
      `Invalid [path] value [${target}] for field alias [${path}]: an alias must have the same nested scope as its target. ${scope(path) === '' ? 'The alias is not nested' : `The alias's nested scope is [${scope(path)}]`}, but the target's nested scope is [${scope(target)}].`,
    );
  }
}

function nestedScope(path: string, nodes: ReadonlyMap<string, MappingNode>): string {
  let scope = '';
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const node = nodes.get(path.slice(0, dot));
    if (node?.kind === 'object' && node.isNested) scope = node.path;
  }
  return scope;
}

/** @throws ApiError parse_exception: contexts of a completion field come from a field that cannot give any */
function checkContextPaths({ given }: FieldNode, nodes: ReadonlyMap<string, MappingNode>): void {
  for (const { name, type, path } of contextMappingsOf(given) ?? []) {
    if (path === undefined || type !== 'GEO') continue;
    const target = nodes.get(path);
    const refuse = (reason: string) => new ApiError('parse_exception', 400, `field [${path}] referenced in context [${name}] ${reason}`);
    if (target?.kind !== 'field') throw refuse('is not defined in the mapping');
    if (target.type !== 'geo_point') throw refuse(`must be mapped to geo_point, found [${target.type}]`);
  }
}

function checkCopyTo(target: string, nodes: ReadonlyMap<string, MappingNode>): void {
  if (nodes.get(target)?.kind === 'object') throw illegalArgumentError(`Cannot copy to field [${target}] since it is mapped as an object`);
  if (METADATA_FIELDS.has(target)) throw illegalArgumentError(`Cannot copy to field [${target}] since it is a metadata field`);
  for (let dot = target.lastIndexOf('.'); dot > 0; dot = target.lastIndexOf('.', dot - 1)) {
    const parent = nodes.get(target.slice(0, dot));
    if (parent?.kind === 'field') throw illegalArgumentError(`[copy_to] may not be used to copy to a multi-field: [${target}]`);
  }
}
