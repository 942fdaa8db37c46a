// A mappings tree compiled for documents and queries: mappers by path, field numbers, field types by name.
import type { Dialect } from '../../compat/dialect.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import type { FieldSpec } from '../core/document-sink.ts';
import type { FieldType } from '../core/field-type.ts';
import type { FieldDefinition, Mapper } from '../core/mapper.ts';
import type { MappingAnalysis } from '../core/mapping-analysis.ts';
import { type Dynamic, type FieldNode, type MappingNode, METADATA_FIELDS, type ObjectNode, type RootMapping } from '../core/model.ts';
import { BaseFieldType, NO_SPEC } from '../types/base-field-type.ts';
import { contextMappingsOf } from '../types/completion.ts';
import { vectorFormatOf } from '../types/dense-vector.ts';
import { FlatObjectFieldType } from '../types/flat-object.ts';
import { ConstantKeywordMapper } from '../types/keyword.ts';
import { mapperTypeOf } from '../types/registry.ts';
import { checkSynthetic } from './check-synthetic.ts';
import { runtimeFieldType } from './runtime-fields.ts';

/** A field as the document parser uses it. */
export interface CompiledField {
  readonly kind: 'field';
  readonly path: string;
  readonly mapper: Mapper;
  /** Multi-fields, which also get each value of the field. */
  readonly multiFields: readonly Mapper[];
  /** copy_to targets, which also get each value; dynamic mapping handles unmapped targets. */
  readonly copyTo: readonly string[];
}

export interface CompiledObject {
  readonly kind: 'object';
  readonly path: string;
  readonly isNested: boolean;
  readonly enabled: boolean;
  readonly dynamic: Dynamic;
  /** false: children have dotted names. */
  readonly hasObjects: boolean;
  readonly includeInParent: boolean;
  readonly includeInRoot: boolean;
  /** Synthetic sources have lists of this object as they were sent. */
  readonly keepsLists: boolean;
  readonly nestedPath: string | null;
  readonly children: Map<string, CompiledField | CompiledObject | CompiledAlias>;
}

export interface CompiledAlias {
  readonly kind: 'alias';
  readonly path: string;
}

export interface CompiledMapping {
  readonly root: CompiledObject;
  readonly fields: readonly FieldSpec[];
  /** Leaf fields, multi-fields and aliases by full name. */
  readonly fieldTypes: ReadonlyMap<string, FieldType>;
  /** Names that `*` patterns match, in mapping order. */
  readonly leafNames: readonly string[];
  readonly objects: ReadonlyMap<string, CompiledObject>;
  readonly nestedPaths: readonly string[];
  readonly byPath: ReadonlyMap<string, CompiledField>;
  readonly constants: readonly ConstantKeywordMapper[];
  readonly internal: { readonly fieldNames: number; readonly ignored: number; readonly routing: number };
  /** Writes the size of the source (`_size`), null if it is not enabled. */
  readonly size: Mapper | null;
  /** True if a copy_to target is not mapped. */
  readonly copiesToUnmapped: boolean;
  /** True if the first value of a field changes its mapping. */
  readonly isIncomplete: boolean;
}

const INTERNAL_SPEC = { ...NO_SPEC, postings: 'docs' } as const;

/** What a mapping is compiled for. */
export interface MappingEnvironment {
  readonly analysis: MappingAnalysis;
  /** Flat index settings with the prefix `index.`. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly dialect: Dialect;
}

export class MappingCompiler {
  readonly #environment: MappingEnvironment;
  readonly #fields: FieldSpec[];
  readonly #numbers = new Map<string, number>();
  readonly #fieldTypes = new Map<string, FieldType>();
  readonly #leafNames: string[] = [];
  readonly #objects = new Map<string, CompiledObject>();
  readonly #nestedPaths: string[] = [];
  readonly #byPath = new Map<string, CompiledField>();
  readonly #constants: ConstantKeywordMapper[] = [];
  readonly #aliases: Array<{ path: string; target: string }> = [];

  /** @param before  fields of the previous version, which keep their numbers */
  constructor(environment: MappingEnvironment, before: readonly FieldSpec[]) {
    this.#environment = environment;
    this.#fields = [...before];
    before.forEach((spec, number) => {
      this.#numbers.set(spec.name, number);
    });
  }

  compile(mapping: RootMapping): CompiledMapping {
    const internal = {
      fieldNames: this.#field({ ...INTERNAL_SPEC, name: '_field_names' }),
      ignored: this.#field({ ...INTERNAL_SPEC, name: '_ignored' }),
      routing: this.#field({ ...INTERNAL_SPEC, name: '_routing' }),
    };
    const root = this.#object(mapping.object, null, 'true');
    for (const { path, target } of this.#aliases) {
      const fieldType = this.#fieldTypes.get(target);
      if (fieldType) this.#fieldTypes.set(path, fieldType);
    }
    for (const [name, node] of mapping.runtime) {
      if (!node) continue;
      if (!this.#fieldTypes.has(name)) this.#leafNames.push(name);
      this.#fieldTypes.set(name, runtimeFieldType(name, node, this.#environment.analysis));
    }
    this.#addMetadataFields();
    const size = String(mapping.otherMeta._size?.enabled) === 'true' ? this.#sizeMapper() : null;
    const copiesToUnmapped = [...this.#byPath.values()].some(({ copyTo }) => copyTo.some((target) => !this.#byPath.has(target)));
    return {
      root,
      fields: this.#fields,
      fieldTypes: this.#fieldTypes,
      leafNames: this.#leafNames,
      objects: this.#objects,
      nestedPaths: this.#nestedPaths,
      byPath: this.#byPath,
      constants: this.#constants,
      internal,
      size,
      copiesToUnmapped,
      isIncomplete: [...this.#byPath.values()].some(({ mapper: { fieldType } }) => vectorFormatOf(fieldType)?.dims === null),
    };
  }

  #sizeMapper(): Mapper {
    const mapper = mapperTypeOf('integer').create(this.#definition('_size', '_size', 'integer', null, {}, () => undefined));
    this.#fieldTypes.set('_size', mapper.fieldType);
    return mapper;
  }

  #field(spec: FieldSpec): number {
    const known = this.#numbers.get(spec.name);
    if (known !== undefined) {
      this.#fields[known] = spec;
      return known;
    }
    this.#numbers.set(spec.name, this.#fields.length);
    return this.#fields.push(spec) - 1;
  }

  #object(node: ObjectNode, nestedPath: string | null, dynamic: Dynamic): CompiledObject {
    const own = node.isNested ? node.path : nestedPath;
    const children: CompiledObject['children'] = new Map();
    const compiled: CompiledObject = {
      kind: 'object',
      path: node.path,
      isNested: node.isNested,
      enabled: node.enabled ?? true,
      dynamic: node.dynamic ?? dynamic,
      hasObjects: node.subobjects ?? true,
      includeInParent: node.includeInParent,
      includeInRoot: node.includeInRoot,
      keepsLists: node.keepsLists ?? false,
      nestedPath: own,
      children,
    };
    if (node.path !== '') this.#objects.set(node.path, compiled);
    if (node.isNested) this.#nestedPaths.push(node.path);
    for (const [name, child] of node.properties) {
      if (child.kind === 'object') children.set(name, this.#object(child, own, compiled.dynamic));
      else if (child.kind === 'field') children.set(name, this.#leaf(child, own));
      else {
        children.set(name, { kind: 'alias', path: child.path });
        this.#aliases.push({ path: child.path, target: child.target });
        this.#leafNames.push(child.path);
      }
    }
    return compiled;
  }

  #leaf(node: FieldNode, nestedPath: string | null): CompiledField {
    const mapper = this.#mapper(node, nestedPath);
    const multiFields = [...node.fields.values()].flatMap((field) => this.#withMultiFields(field, nestedPath));
    const compiled: CompiledField = { kind: 'field', path: node.path, mapper, multiFields, copyTo: node.copyTo };
    this.#byPath.set(node.path, compiled);
    return compiled;
  }

  #withMultiFields(node: FieldNode, nestedPath: string | null): Mapper[] {
    return [this.#mapper(node, nestedPath), ...[...node.fields.values()].flatMap((field) => this.#withMultiFields(field, nestedPath))];
  }

  #mapper(node: FieldNode, nestedPath: string | null): Mapper {
    const type = mapperTypeOf(node.type);
    const subFields: Array<[string, FieldType]> = [];
    const { name, path, given } = node;
    const definition = this.#definition(name, path, node.type, nestedPath, given, (one, fieldType) => subFields.push([one, fieldType]));
    const mapper = type.create(definition);
    this.#leafNames.push(node.path);
    this.#fieldTypes.set(node.path, mapper.fieldType);
    for (const [name, fieldType] of subFields) {
      this.#fieldTypes.set(fieldType.name, fieldType);
      if (!name.startsWith('#')) this.#leafNames.push(fieldType.name);
    }
    if (mapper instanceof ConstantKeywordMapper) this.#constants.push(mapper);
    return mapper;
  }

  #definition(
    name: string,
    path: string,
    type: string,
    nestedPath: string | null,
    given: FieldNode['given'],
    addSubField: FieldDefinition['addSubField'],
  ): FieldDefinition {
    return {
      name,
      path,
      type,
      nestedPath,
      ...this.#environment,
      given,
      get: <T>(param: string) => (given[param] ?? this.#default(type, param)) as T,
      field: (spec) => this.#field(spec),
      addSubField,
    };
  }

  /** Applies `index.mapping.coerce` and `index.mapping.ignore_malformed` as defaults of the fields with these parameters. */
  #default(type: string, param: string): unknown {
    const params = mapperTypeOf(type).params;
    if (param !== 'coerce' && param !== 'ignore_malformed') return params[param]?.fallback;
    const setting = this.#environment.settings[`index.mapping.${param}`];
    return setting === undefined || !Object.hasOwn(params, param) ? params[param]?.fallback : String(setting) === 'true';
  }

  #addMetadataFields(): void {
    const define = (name: string, postings: 'docs' | 'none', isAggregatable: boolean, isSearchable = true): void => {
      const definition = { path: name, type: name, given: {}, nestedPath: null };
      const number = this.#numbers.get(name);
      const spec = number === undefined ? { ...NO_SPEC, name, postings } : this.#fields[number];
      const fieldType = new BaseFieldType(definition, { spec, family: 'keyword', isSearchable, isAggregatable });
      this.#fieldTypes.set(name, fieldType);
    };
    define('_id', 'none', false);
    define('_index', 'none', true);
    define('_routing', 'docs', false);
    define('_ignored', 'docs', false);
    define('_field_names', 'docs', false);
    for (const name of ['_source', '_seq_no', '_version']) define(name, 'none', false, false);
  }
}

export const DEFAULT_LIMITS = { total_fields: 1000, depth: 20, nested_fields: 50, dimension_fields: 32_768 } as const;

/** Each thread has every mapping, so names are limited, too: their characters per field that a mapping may have, on average, with those of its parents. */
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
  checkSynthetic(mapping, targets);
  const isSorted = settings['index.sort.field'] !== undefined;
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

/** Field types that resolve names below them. */
export function findBelow(fieldTypes: ReadonlyMap<string, FieldType>, name: string): FieldType | null {
  for (let dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) {
    const above = fieldTypes.get(name.slice(0, dot));
    if (above instanceof FlatObjectFieldType) return above.subField(name.slice(dot + 1));
  }
  return null;
}
