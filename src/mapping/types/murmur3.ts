// murmur3: the hashes of strings, for cardinality aggregations. Source: the mapper-murmur3 plugin of Elasticsearch (behaviour).
import { murmur3 } from '../../common/encoding/murmur3.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { DocumentContext, Mapper, MapperType } from '../core/mapper.ts';
import { boolParam, META_PARAM } from '../core/params.ts';
import { utf8 } from '../values/utf8.ts';
import { BaseFieldType, NO_SPEC } from './base-field-type.ts';
import { scalarText } from './keyword.ts';

class Murmur3FieldType extends BaseFieldType {
  override exactValue(): never {
    throw illegalArgumentError(`Murmur3 fields are not searchable: [${this.name}]`);
  }
}

class Murmur3Mapper implements Mapper {
  readonly takesArrays = false;
  readonly refusal = 'value';
  readonly nullValue = undefined;
  readonly ignoreMalformed = false;

  constructor(
    readonly fieldType: Murmur3FieldType,
    readonly field: number,
  ) {}

  index(context: DocumentContext, value: unknown): void {
    context.sink.i64(this.field, murmur3(utf8(scalarText(value))));
  }
}

export const MURMUR3_TYPES: Readonly<Record<string, MapperType>> = {
  murmur3: {
    params: { meta: META_PARAM, store: boolParam(false) },
    create(definition) {
      const spec = { ...NO_SPEC, name: definition.path, column: 'i64' } as const;
      const type = new Murmur3FieldType(definition, { spec, family: 'numeric', isSearchable: false, isAggregatable: true });
      return new Murmur3Mapper(type, definition.field(spec));
    },
  },
};
