// Fields whose values are only in the source (binary), and `object` values that are found through `_field_names`.
import { present } from '../../common/present.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { ValueFormat } from '../core/field-type.ts';
import type { DocumentContext, Mapper, MapperType } from '../core/mapper.ts';
import { boolParam, META_PARAM } from '../core/params.ts';
import { BINARY_FORMAT } from '../values/value-formats.ts';
import { BaseFieldType, NO_SPEC } from './base-field-type.ts';
import { existsPathOf } from './exists-path.ts';
import { scalarText } from './keyword.ts';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

class BinaryFieldType extends BaseFieldType {
  override termBytes(): Uint8Array {
    throw illegalArgumentError('Binary fields do not support searching');
  }
  override format(format: string | null, timeZone: string | null): ValueFormat {
    if (format !== null || timeZone !== null) super.format(format, timeZone);
    return BINARY_FORMAT;
  }
}

class BinaryMapper implements Mapper {
  readonly takesArrays = false;
  readonly refusal = 'value';
  readonly nullValue = undefined;
  readonly ignoreMalformed = false;
  /** Path to record for the `exists` query, null to record none. */
  readonly #path: Uint8Array | null;

  constructor(
    readonly fieldType: BinaryFieldType,
    readonly field: number,
    path: Uint8Array | null,
  ) {
    this.#path = path;
  }

  index(context: DocumentContext, value: unknown): void {
    const text = scalarText(value);
    const wrong = BASE64.test(text) ? null : (text.match(/[^A-Za-z0-9+/=]/)?.[0] ?? '=');
    if (wrong !== null) {
      const code = present(wrong.codePointAt(0)).toString(16);
      throw new ApiError('stream_read_exception', 400, `Illegal character '${wrong}' (code 0x${code}) in base64 content`);
    }
    if (this.#path !== null) context.exists(this.#path);
    if (this.fieldType.spec.column === 'binary') context.appendBinary(this.field, Buffer.from(text, 'base64'));
  }
}

export const STORED_ONLY_TYPES: Readonly<Record<string, MapperType>> = {
  binary: {
    params: { doc_values: boolParam(false), store: boolParam(false), meta: META_PARAM },
    create(definition) {
      const docValues = definition.get<boolean>('doc_values');
      const spec = { ...NO_SPEC, name: definition.path, column: docValues ? 'binary' : 'none' } as const;
      const fieldType = new BinaryFieldType(definition, { spec, family: 'binary', isSearchable: false, isAggregatable: docValues });
      return new BinaryMapper(fieldType, definition.field(spec), existsPathOf(definition, spec));
    },
  },
};
