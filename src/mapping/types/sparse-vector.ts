// sparse_vector: weights of tokens, stored as rank features are. Source: the Elasticsearch reference, "Sparse vector field type".
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { DocumentContext, MapperType } from '../core/mapper.ts';
import { META_PARAM } from '../core/params.ts';
import { toDouble } from '../values/number-values.ts';
import { utf8 } from '../values/utf8.ts';
import { BaseFieldType, NO_SPEC } from './base-field-type.ts';
import { FeatureMapper, FeatureWriter, tokenOf } from './rank-features.ts';

class SparseVectorFieldType extends BaseFieldType {
  override termBytes(value: unknown): Uint8Array {
    return utf8(String(value));
  }
}

class SparseVectorMapper extends FeatureMapper {
  readonly takesArrays = true;
  readonly refusal = 'document';
  /** An explicit null is refused like any other value that is not an object. */
  override readonly nullValue = null;

  index(context: DocumentContext, value: unknown): void {
    if (context.countValue(this.writer.field) > 1) {
      throw illegalArgumentError(
        `[sparse_vector] fields inside lists of objects are not supported: field [${this.fieldType.name}] has several values in a document`,
      );
    }
    const weights = new Map<string, number>();
    collect(value, weights);
    for (const [token, weight] of weights) this.writer.write(context, this.fieldType.name, token, weight);
    context.exists(this.path);
  }
}

/** Of several weights of a token the greatest counts. */
function collect(value: unknown, weights: Map<string, number>): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, weights);
    return;
  }
  if (typeof value !== 'object' || value === null)
    throw illegalArgumentError(`[sparse_vector] fields must be json objects, expected a START_OBJECT but got: ${tokenOf(value)}`);
  for (const [token, item] of Object.entries(value)) {
    if (item === null) continue;
    if (token.includes('.')) throw illegalArgumentError(`[sparse_vector] fields do not support dots in feature names but found [${token}]`);
    if (typeof item === 'object' || typeof item === 'boolean') {
      throw illegalArgumentError(
        `[sparse_vector] fields take hashes that map a feature to a strictly positive float, but got unexpected token ${tokenOf(item)}`,
      );
    }
    const weight = toDouble(item);
    const before = weights.get(token);
    if (before === undefined || weight > before) weights.set(token, weight);
  }
}

export const SPARSE_VECTOR_TYPES: Readonly<Record<string, MapperType>> = {
  sparse_vector: {
    params: { meta: META_PARAM },
    create(definition) {
      const spec = { ...NO_SPEC, name: definition.path, postings: 'freqs' } as const;
      const fieldType = new SparseVectorFieldType(definition, { spec, family: 'other', isSearchable: true, isAggregatable: false });
      return new SparseVectorMapper(fieldType, new FeatureWriter(definition.field(spec), true));
    },
  },
};
