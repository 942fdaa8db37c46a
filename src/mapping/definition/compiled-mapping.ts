// A mappings tree compiled for documents and queries: mappers by path, field numbers, field types by name.
import type { Dialect } from '../../compat/dialect.ts';
import type { FieldSpec } from '../core/document-sink.ts';
import type { FieldType, RangeBounds, RangeSpec } from '../core/field-type.ts';
import type { FieldDefinition, Mapper } from '../core/mapper.ts';
import type { MappingAnalysis } from '../core/mapping-analysis.ts';
import type { Dynamic, FieldNode, ObjectNode, RootMapping } from '../core/model.ts';
import { type Dimension, type SeriesFields, timeBoundsOf } from '../core/time-bounds.ts';
import { DIMENSIONS, isTimeSeries, TIMESTAMP, TSID } from '../core/time-series.ts';
import { BaseFieldType, bytesBounds, NO_SPEC } from '../types/base-field-type.ts';
import { vectorFormatOf } from '../types/dense-vector.ts';
import { FlatObjectFieldType } from '../types/flat-object.ts';
import { ConstantKeywordMapper } from '../types/keyword.ts';
import { mapperTypeOf } from '../types/registry.ts';
import { metadataFieldType, runtimeFieldTypes } from './runtime-types.ts';

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
  /** Fields that determine the series of a document; null unless the index holds time series. */
  readonly series: SeriesFields | null;
  /** True if a copy_to target is not mapped. */
  readonly copiesToUnmapped: boolean;
  /** True if the first value of a field changes its mapping. */
  readonly isIncomplete: boolean;
}

const INTERNAL_SPEC = { ...NO_SPEC, postings: 'docs' } as const;

/** The environment for which a mapping is compiled. */
export interface MappingEnvironment {
  readonly analysis: MappingAnalysis;
  /** Flat index settings with the prefix `index.`. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly dialect: Dialect;
}

/** A metadata field whose terms have ranges. */
class RangedFieldType extends BaseFieldType {
  override rangeBounds(range: RangeSpec): RangeBounds {
    return bytesBounds(range, (value) => this.termBytes(value));
  }
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
      ignored: this.#field({
        ...INTERNAL_SPEC,
        name: '_ignored',
        column: this.#environment.dialect.aggregatesIgnored ? 'ordinals' : 'none',
      }),
      routing: this.#field({ ...INTERNAL_SPEC, name: '_routing' }),
    };
    const root = this.#object(mapping.object, null, 'true');
    for (const { path, target } of this.#aliases) {
      const fieldType = this.#fieldTypes.get(target);
      if (fieldType) this.#fieldTypes.set(path, fieldType);
    }
    for (const [name, node] of mapping.runtime) {
      if (!node) continue;
      for (const [path, type] of runtimeFieldTypes(name, node, this.#environment.analysis)) {
        if (!this.#fieldTypes.has(path)) this.#leafNames.push(path);
        this.#fieldTypes.set(path, type);
      }
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
      series: isTimeSeries(this.#environment.settings) ? this.#series() : null,
      copiesToUnmapped,
      isIncomplete: [...this.#byPath.values()].some(({ mapper: { fieldType } }) => vectorFormatOf(fieldType)?.dims === null),
    };
  }

  #sizeMapper(): Mapper {
    const mapper = mapperTypeOf('integer').create(this.#definition('_size', '_size', 'integer', null, {}, () => undefined));
    this.#fieldTypes.set('_size', mapper.fieldType);
    return mapper;
  }

  #series(): SeriesFields {
    const { settings } = this.#environment;
    const dimensions = new Map<number, Dimension>();
    for (const [name, type] of this.#fieldTypes) {
      if (name !== type.name || type.runtime) continue;
      const format = type.format(null, null);
      const isI64 = type.spec.column === 'i64';
      if (type.params['time_series_dimension'] === true) dimensions.set(this.#field(type.spec), { name, format, isI64, keys: null });
      if (type instanceof FlatObjectFieldType) {
        const keys = type.dimensions.map((key): [string, string] => [key, `${name}.${key}`]);
        if (keys.length > 0) dimensions.set(this.#field(type.keyed), { name, format, isI64, keys: new Map(keys) });
      }
    }
    const internal = (name: string): number => {
      const spec = { ...NO_SPEC, name, column: 'ordinals' } as const;
      const type = name === TSID ? TSID : 'keyword';
      const definition = { path: name, type, given: {}, nestedPath: null };
      this.#fieldTypes.set(name, new BaseFieldType(definition, { spec, family: 'keyword', isSearchable: false, isAggregatable: true }));
      return this.#field(spec);
    };
    const timestamp = this.#fieldTypes.get(TIMESTAMP);
    return {
      index: String(settings['index.provided_name'] ?? ''),
      dimensions,
      timestamp: timestamp ? this.#field(timestamp.spec) : -1,
      isNanos: timestamp?.typeName === 'date_nanos',
      bounds: timeBoundsOf(settings),
      tsid: internal(TSID),
      shownDimensions: internal(DIMENSIONS),
    };
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
    const define = (name: string, postings: 'docs' | 'none', isAggregatable: boolean, isSearchable = true, type = BaseFieldType): void => {
      const definition = { path: name, type: name, given: {}, nestedPath: null };
      const number = this.#numbers.get(name);
      const spec = number === undefined ? { ...NO_SPEC, name, postings } : this.#fields[number];
      const fieldType = new type(definition, { spec, family: 'keyword', isSearchable, isAggregatable });
      this.#fieldTypes.set(name, fieldType);
    };
    define('_index', 'none', true);
    define('_routing', 'docs', false, true, RangedFieldType);
    define('_field_names', 'docs', false);
    define('_source', 'none', false, false);
    const { analysis, dialect } = this.#environment;
    define('_ignored', 'docs', dialect.aggregatesIgnored, true, RangedFieldType);
    const aggregatable = { analysis, isAggregatable: true };
    this.#fieldTypes.set('_id', metadataFieldType('_id', 'id', aggregatable));
    this.#fieldTypes.set('_seq_no', metadataFieldType('_seq_no', 'seqNo', aggregatable));
    this.#fieldTypes.set('_version', metadataFieldType('_version', 'version', { analysis, isAggregatable: dialect.sortsByVersion }));
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
