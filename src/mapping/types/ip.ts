// IPv4 and IPv6 addresses as 16-byte terms and ordinals, so that the order of terms is that of the addresses.

import { javaText } from '../../common/text/java-text.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { RangeBounds, RangeSpec, ValueFormat } from '../core/field-type.ts';
import type { DocumentContext, FieldDefinition, Mapper, MapperType } from '../core/mapper.ts';
import { boolParam, COMMON_PARAMS, DIMENSION_PARAM, NO_EFFECT_PARAMS, ON_SCRIPT_ERROR, ORDINALS_PARAMS } from '../core/params.ts';
import { parseCidr, parseIp } from '../values/ip-address.ts';
import { IP_FORMAT } from '../values/value-formats.ts';
import { BaseFieldType } from './base-field-type.ts';
import { existsPathOf } from './exists-path.ts';
import { scalarText, termSpec } from './keyword.ts';

class IpFieldType extends BaseFieldType {
  /** An address. A block (`10.0.0.0/8`) is a range: use `rangeBounds` with from = to. */
  override termBytes(value: unknown): Uint8Array {
    return parseIp(javaText(value));
  }

  override rangeBounds(range: RangeSpec): RangeBounds {
    const from = range.from === null || range.from === undefined ? null : javaText(range.from);
    const to = range.to === null || range.to === undefined ? null : javaText(range.to);
    if (from !== null && from === to && from.includes('/')) {
      const block = parseCidr(from);
      return { kind: 'bytes', from: block.from, to: block.to, includeFrom: true, includeTo: true, empty: false };
    }
    return {
      kind: 'bytes',
      from: from === null ? null : parseIp(from),
      to: to === null ? null : parseIp(to),
      includeFrom: range.includeFrom,
      includeTo: range.includeTo,
      empty: false,
    };
  }

  override format(format: string | null, timeZone: string | null): ValueFormat {
    if (format !== null || timeZone !== null) super.format(format, timeZone);
    return IP_FORMAT;
  }
}

class IpMapper implements Mapper {
  readonly takesArrays = false;
  readonly refusal = 'value';
  readonly ignoreMalformed: boolean;
  readonly nullValue: unknown;
  readonly #existsPath: Uint8Array | null;
  readonly #isKept: boolean;

  constructor(
    definition: FieldDefinition,
    readonly fieldType: IpFieldType,
    readonly field: number,
  ) {
    this.nullValue = definition.get('null_value');
    this.ignoreMalformed = definition.get('ignore_malformed');
    this.#existsPath = existsPathOf(definition, fieldType.spec);
    this.#isKept = fieldType.spec.column !== 'none' || fieldType.spec.postings !== 'none';
  }

  index(context: DocumentContext, value: unknown): void {
    const bytes = parseIp(scalarText(value));
    if (this.#isKept) context.sink.keyword(this.field, bytes);
    if (this.#existsPath) context.exists(this.#existsPath);
  }
}

export const IP_TYPES: Readonly<Record<string, MapperType>> = {
  ip: {
    params: {
      ...COMMON_PARAMS,
      ...NO_EFFECT_PARAMS,
      ...ORDINALS_PARAMS,
      ...DIMENSION_PARAM,
      ignore_malformed: boolParam(false, true),
      null_value: {
        parse(value, { name }) {
          if (value === null) return undefined;
          try {
            parseIp(javaText(value));
          } catch {
            throw illegalArgumentError(`Error parsing [null_value] on field [${name}]: '${javaText(value)}' is not an IP string literal.`);
          }
          return javaText(value);
        },
        fallback: undefined,
        updatable: false,
      },
      on_script_error: ON_SCRIPT_ERROR,
    },
    create(definition) {
      const index = definition.get<boolean>('index');
      const docValues = definition.get<boolean>('doc_values');
      const spec = termSpec(definition.path, index || docValues, docValues);
      const fieldType = new IpFieldType(definition, { spec, family: 'ip', isSearchable: index || docValues, isAggregatable: docValues });
      return new IpMapper(definition, fieldType, definition.field(spec));
    },
  },
};
