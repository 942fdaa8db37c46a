// true and false: terms T and F (scored like terms) and an i64 column of 1 and 0.

import { javaText } from '../../common/text/java-text.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { RangeBounds, RangeSpec, ValueFormat } from '../core/field-type.ts';
import type { DocumentContext, FieldDefinition, Mapper, MapperType } from '../core/mapper.ts';
import { boolParam, COMMON_PARAMS, NO_EFFECT_PARAMS, ON_SCRIPT_ERROR, parseBoolean } from '../core/params.ts';
import { utf8 } from '../values/utf8.ts';
import { BOOLEAN_FORMAT } from '../values/value-formats.ts';
import { BaseFieldType, NO_SPEC } from './base-field-type.ts';
import { existsPathOf } from './exists-path.ts';
import { postingsOf } from './keyword.ts';

const TRUE = utf8('T');
const FALSE = utf8('F');

/** Value of a query. @throws ApiError illegal_argument_exception */
function queryBoolean(value: unknown): boolean {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw illegalArgumentError(`Can't parse boolean value [${javaText(value)}], expected [true] or [false]`);
}

class BooleanFieldType extends BaseFieldType {
  override termBytes(value: unknown): Uint8Array {
    return queryBoolean(value) ? TRUE : FALSE;
  }
  override exactValue(value: unknown): bigint {
    return queryBoolean(value) ? 1n : 0n;
  }
  override rangeBounds(range: RangeSpec): RangeBounds {
    let min = range.from === null || range.from === undefined ? 0n : this.exactValue(range.from);
    let max = range.to === null || range.to === undefined ? 1n : this.exactValue(range.to);
    if (range.from !== null && range.from !== undefined && !range.includeFrom) min++;
    if (range.to !== null && range.to !== undefined && !range.includeTo) max--;
    return { kind: 'i64', min, max, empty: min > max };
  }
  override format(format: string | null, timeZone: string | null): ValueFormat {
    if (format !== null || timeZone !== null) super.format(format, timeZone);
    return BOOLEAN_FORMAT;
  }
}

class BooleanMapper implements Mapper {
  readonly takesArrays = false;
  readonly refusal = 'value';
  readonly ignoreMalformed: boolean;
  readonly nullValue: unknown;
  readonly #existsPath: Uint8Array | null;
  readonly #isIndexed: boolean;
  readonly #hasColumn: boolean;

  constructor(
    definition: FieldDefinition,
    readonly fieldType: BooleanFieldType,
    readonly field: number,
  ) {
    this.nullValue = definition.get('null_value');
    this.ignoreMalformed = definition.get('ignore_malformed');
    this.#isIndexed = fieldType.spec.postings !== 'none';
    this.#hasColumn = fieldType.spec.column !== 'none';
    this.#existsPath = existsPathOf(definition, fieldType.spec);
  }

  index(context: DocumentContext, value: unknown): void {
    if (typeof value === 'object') throw new ApiError('input_coercion_exception', 400, 'Current token (START_OBJECT) not of boolean type');
    if (typeof value === 'number' || typeof value === 'bigint') {
      const kind = typeof value === 'bigint' || Number.isSafeInteger(value) ? 'INT' : 'FLOAT';
      throw new ApiError('input_coercion_exception', 400, `Current token (VALUE_NUMBER_${kind}) not of boolean type`);
    }
    const boolean = value === '' ? false : parseBoolean(value);
    if (this.#isIndexed) context.sink.term(this.field, boolean ? TRUE : FALSE);
    if (this.#hasColumn) context.sink.i64(this.field, boolean ? 1 : 0);
    if (this.#existsPath) context.exists(this.#existsPath);
  }
}

export const BOOLEAN_TYPES: Readonly<Record<string, MapperType>> = {
  boolean: {
    params: {
      ...COMMON_PARAMS,
      ...NO_EFFECT_PARAMS,
      null_value: { parse: (value) => (value === null ? undefined : parseBoolean(value)), fallback: undefined, updatable: false },
      ignore_malformed: boolParam(false, true),
      on_script_error: ON_SCRIPT_ERROR,
    },
    create(definition) {
      const index = definition.get<boolean>('index');
      const docValues = definition.get<boolean>('doc_values');
      // Postings serve term queries, the column serves ranges; the mapping may enable either.
      const isSearchable = index || docValues;
      const spec = {
        ...NO_SPEC,
        name: definition.path,
        postings: postingsOf(isSearchable),
        column: isSearchable ? 'i64' : 'none',
      } as const;
      const fieldType = new BooleanFieldType(definition, {
        spec,
        family: 'boolean',
        isSearchable,
        isAggregatable: docValues,
      });
      return new BooleanMapper(definition, fieldType, definition.field(spec));
    },
  },
};
