// Field types of runtime fields: those of mapped fields, but without storage in segments.
import { DEFAULT_DIALECT } from '../../compat/dialect.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { MetadataValue, ValueFormat } from '../core/field-type.ts';
import type { MappingAnalysis } from '../core/mapping-analysis.ts';
import type { RuntimeNode } from '../core/model.ts';
import { BaseFieldType, NO_SPEC } from '../types/base-field-type.ts';
import { mapperTypeOf } from '../types/registry.ts';

/** Shown by `fields` only: neither queries nor aggregations can use it. */
class LookupFieldType extends BaseFieldType {
  override format(): ValueFormat {
    throw illegalArgumentError(`Fielddata is not supported on field [${this.name}] of type [lookup]`);
  }
}

/** The types of a runtime field by full name: its own, or those of the fields of a composite. */
export function runtimeFieldTypes(name: string, node: RuntimeNode, analysis: MappingAnalysis): Array<[string, BaseFieldType]> {
  const { type, script, given, parts } = node;
  const ignoresErrors = given['on_script_error'] === 'continue';
  if (parts !== null)
    return [...parts].map(([part, inner]) => {
      const path = `${name}.${part}`;
      const made = fieldTypeWithoutStorage(path, inner, analysis);
      made.runtime = { script, part, ignoresErrors, lookup: null, metadata: null };
      return [path, made];
    });
  const made = type === 'lookup' ? lookupType(name, node) : fieldTypeWithoutStorage(name, node, analysis);
  made.runtime ??= { script, part: null, ignoresErrors, lookup: null, metadata: null };
  return [[name, made]];
}

function lookupType(name: string, { type, given }: RuntimeNode): BaseFieldType {
  const made = new LookupFieldType(
    { path: name, type, given, nestedPath: null },
    { spec: { ...NO_SPEC, name }, family: 'lookup', isSearchable: false, isAggregatable: false },
  );
  const lookup = {
    targetIndex: String(given['target_index']),
    inputField: String(given['input_field']),
    targetField: String(given['target_field']),
    fetchFields: given['fetch_fields'] as ReadonlyArray<Readonly<Record<string, unknown>>>,
  };
  made.runtime = { script: null, part: null, ignoresErrors: false, lookup, metadata: null };
  return made;
}

/** The type of a metadata field whose values are those of a property of documents. */
export function metadataFieldType(
  name: string,
  metadata: MetadataValue,
  { analysis, isAggregatable }: { readonly analysis: MappingAnalysis; readonly isAggregatable: boolean },
): BaseFieldType {
  const made =
    metadata === 'id'
      ? new BaseFieldType(
          { path: name, type: name, given: {}, nestedPath: null },
          { spec: { ...NO_SPEC, name, column: 'ordinals' }, family: 'keyword', isSearchable: true, isAggregatable },
        )
      : fieldTypeWithoutStorage(name, { type: 'long', given: { doc_values: isAggregatable } }, analysis, name);
  made.runtime = { script: null, part: null, ignoresErrors: false, lookup: null, metadata };
  return made;
}

/** The type of a field that no segment contains. @param given  its parameters @param typeName  the name that errors call the type by */
export function fieldTypeWithoutStorage(
  name: string,
  { type, given }: Pick<RuntimeNode, 'type' | 'given'>,
  analysis: MappingAnalysis,
  typeName = type,
): BaseFieldType {
  const mapperType = mapperTypeOf(type);
  const { fieldType } = mapperType.create({
    name,
    path: name,
    type: typeName,
    nestedPath: null,
    analysis,
    dialect: DEFAULT_DIALECT,
    settings: {},
    given,
    get: <T>(param: string) => (given[param] ?? mapperType.params[param]?.fallback) as T,
    field: () => -1,
    addSubField: () => undefined,
  });
  return fieldType as BaseFieldType;
}
