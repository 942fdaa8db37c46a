// Field types without an index: formats and values of a mapping type for values that no mapping describes (`value_type`, scripts).
import { present } from '../common/present.ts';
import type { FieldType } from './core/field-type.ts';
import type { MappingAnalysis } from './core/mapping-analysis.ts';
import { createMapping } from './create-mapping.ts';

const NO_ANALYSIS: MappingAnalysis = {
  hasAnalyzer: () => false,
  hasNormalizer: () => false,
  normalize: (_name, text) => text,
  analyze: () => [],
  normalizeTerm: (_name, text) => text,
};
const NAME = 'value';
const cache = new Map<string, FieldType>();

/** @param typeName  a type without mandatory parameters: keyword, long, double, date, boolean, ip, geo_point... */
export function standAloneField(typeName: string): FieldType {
  let type = cache.get(typeName);
  if (!type) {
    type = present(createMapping({ properties: { [NAME]: { type: typeName } } }, NO_ANALYSIS, {}).field(NAME));
    cache.set(typeName, type);
  }
  return type;
}
