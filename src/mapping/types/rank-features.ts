// rank_feature and rank_features: a float per feature, stored as the frequency of the feature's term. Source: Lucene's FeatureField.

import { javaDouble, javaText } from '../../common/text/java-text.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { DocumentContext, FieldDefinition, Mapper, MapperType } from '../core/mapper.ts';
import { boolParam, META_PARAM } from '../core/params.ts';
import { toDouble } from '../values/number-values.ts';
import { scratchUtf8, utf8 } from '../values/utf8.ts';
import { BaseFieldType, NO_SPEC } from './base-field-type.ts';

const MIN_NORMAL = 2 ** -126;
const f32 = new Float32Array(1);
const u32 = new Uint32Array(f32.buffer);

/** The upper 17 bits of the float: FeatureField stores 8 bits of exponent and 9 of mantissa. */
function featureFreq(value: number): number {
  f32[0] = value;
  return u32[0] >>> 15;
}

/** The value encoded by a term frequency. */
export function featureValue(freq: number): number {
  u32[0] = freq << 15;
  return f32[0];
}

/** Writes features of a field as terms whose frequencies are their values. */
export class FeatureWriter {
  constructor(
    readonly field: number,
    readonly isPositive: boolean,
  ) {}

  write(context: DocumentContext, fieldName: string, feature: string, value: unknown): void {
    let number = Math.fround(toDouble(value));
    if (!Number.isFinite(number))
      throw illegalArgumentError(`featureValue must be finite, got: ${javaText(value)} for feature ${feature} on field ${fieldName}`);
    if (!this.isPositive) number = Math.fround(1 / number);
    if (!(number >= MIN_NORMAL)) {
      throw illegalArgumentError(
        `featureValue must be a positive normal float, got: ${javaDouble(number)} for feature ${feature} on field ${fieldName} which is less than the minimum positive normal float: 1.1754944E-38`,
      );
    }
    context.sink.feature(this.field, scratchUtf8(feature), featureFreq(number));
  }
}

/** What the mappers of features have in common: a writer, and neither null values nor malformed ones to skip. */
export abstract class FeatureMapper implements Mapper {
  abstract readonly takesArrays: boolean;
  abstract readonly refusal: Mapper['refusal'];
  readonly nullValue: Mapper['nullValue'] = undefined;
  readonly ignoreMalformed = false;
  protected readonly path: Uint8Array;

  constructor(
    readonly fieldType: BaseFieldType,
    protected readonly writer: FeatureWriter,
  ) {
    this.path = utf8(fieldType.name);
  }

  abstract index(context: DocumentContext, value: unknown): void;
}

class RankFeatureMapper extends FeatureMapper {
  readonly takesArrays = false;
  readonly refusal = 'value';

  index(context: DocumentContext, value: unknown): void {
    if (context.countValue(this.writer.field) > 1) {
      throw illegalArgumentError(
        `[rank_feature] fields do not support indexing multiple values for the same field [${this.fieldType.name}] in the same document`,
      );
    }
    this.writer.write(context, '_feature', this.fieldType.name, value);
    context.exists(this.path);
  }
}

class RankFeaturesMapper extends FeatureMapper {
  readonly takesArrays = true;
  readonly refusal = 'document';

  index(context: DocumentContext, value: unknown): void {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw illegalArgumentError(`[rank_features] fields must be json objects, expected a START_OBJECT but got: ${tokenOf(value)}`);
    for (const [feature, item] of Object.entries(value)) {
      if (item === null) continue;
      if (typeof item === 'object') {
        throw illegalArgumentError(
          `[rank_features] fields take hashes that map a feature to a strictly positive float, but got unexpected token ${tokenOf(item)}`,
        );
      }
      if (feature.includes('.'))
        throw illegalArgumentError(
          `[rank_features] fields do not support dots in feature names, but found [${feature}] in field [${this.fieldType.name}]`,
        );
      this.writer.write(context, this.fieldType.name, feature, item);
    }
  }
}

/** Name of the JSON token that a value starts with, as error messages have it. */
export function tokenOf(value: unknown): string {
  if (Array.isArray(value)) return 'START_ARRAY';
  if (value === null) return 'VALUE_NULL';
  if (typeof value === 'object') return 'START_OBJECT';
  return typeof value === 'number' ? 'VALUE_NUMBER' : typeof value === 'string' ? 'VALUE_STRING' : 'VALUE_BOOLEAN';
}

class FeatureFieldType extends BaseFieldType {
  override termBytes(): Uint8Array {
    throw illegalArgumentError(`Queries on [${this.typeName}] fields are not supported`);
  }
}

function featureType(create: (fieldType: BaseFieldType, writer: FeatureWriter) => Mapper): MapperType {
  return {
    params: { positive_score_impact: boolParam(true), meta: META_PARAM },
    create(definition: FieldDefinition) {
      const spec = { ...NO_SPEC, name: definition.path, postings: 'freqs' } as const;
      const fieldType = new FeatureFieldType(definition, { spec, family: 'other', isSearchable: true, isAggregatable: false });
      return create(fieldType, new FeatureWriter(definition.field(spec), definition.get('positive_score_impact')));
    },
  };
}

export const FEATURE_TYPES: Readonly<Record<string, MapperType>> = {
  rank_feature: featureType((fieldType, writer) => new RankFeatureMapper(fieldType, writer)),
  rank_features: featureType((fieldType, writer) => new RankFeaturesMapper(fieldType, writer)),
};
