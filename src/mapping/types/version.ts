// version: software versions, sorted by the rules of Semantic Versioning. Source: the type's page in Elasticsearch's documentation.
import { javaText } from '../../common/text/java-text.ts';
import type { RangeBounds, RangeSpec, ValueFormat } from '../core/field-type.ts';
import type { DocumentContext, Mapper, MapperType } from '../core/mapper.ts';
import { META_PARAM } from '../core/params.ts';
import { RAW_FORMAT } from '../values/value-formats.ts';
import { decodeVersion, encodeVersion } from '../values/version-encoding.ts';
import { BaseFieldType, bytesBounds } from './base-field-type.ts';
import { immenseTermError, MAX_TERM_BYTES, scalarText, termSpec } from './keyword.ts';

const VERSION_FORMAT: ValueFormat = { ...RAW_FORMAT, name: 'version', formatBytes: decodeVersion };

class VersionFieldType extends BaseFieldType {
  override termBytes(value: unknown): Uint8Array {
    return encodeVersion(javaText(value));
  }

  override rangeBounds(range: RangeSpec): RangeBounds {
    return bytesBounds(range, (value) => this.termBytes(value));
  }

  override format(format: string | null, timeZone: string | null): ValueFormat {
    if (format !== null || timeZone !== null) super.format(format, timeZone);
    return VERSION_FORMAT;
  }
}

class VersionMapper implements Mapper {
  readonly takesArrays = false;
  readonly refusal = 'value';
  readonly nullValue = undefined;
  readonly ignoreMalformed = false;

  constructor(
    readonly fieldType: VersionFieldType,
    readonly field: number,
  ) {}

  index(context: DocumentContext, value: unknown): void {
    const bytes = encodeVersion(scalarText(value));
    if (bytes.length > MAX_TERM_BYTES) throw immenseTermError(this.fieldType.name, bytes);
    context.sink.keyword(this.field, bytes);
  }
}

export const VERSION_TYPES: Readonly<Record<string, MapperType>> = {
  version: {
    params: { meta: META_PARAM },
    create(definition) {
      const spec = termSpec(definition.path, true, true);
      const type = new VersionFieldType(definition, { spec, family: 'keyword', isSearchable: true, isAggregatable: true });
      return new VersionMapper(type, definition.field(spec));
    },
  },
};
