// histogram: values that were counted before they were indexed, `{ values: [...], counts: [...] }`, in a binary column (histogram-encoding.ts).
// They are not searched; a few aggregations read them as if each value occurred as often as its count says.
import { isObject } from '../../common/json/json-value.ts';
import { javaDouble, javaText } from '../../common/text/java-text.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import type { DocumentContext, FieldDefinition, Mapper, MapperType } from '../core/mapper.ts';
import { boolParam, META_PARAM, metricParam } from '../core/params.ts';
import { encodeHistogram, type Histogram } from '../values/histogram-encoding.ts';
import { BaseFieldType, NO_SPEC } from './base-field-type.ts';

/** The aggregations that read histograms. */
const AGGREGATIONS: ReadonlySet<string> = new Set([
  'min',
  'max',
  'sum',
  'avg',
  'value_count',
  'percentiles',
  'percentile_ranks',
  'boxplot',
  'histogram',
  'range',
  'rate',
]);

class HistogramFieldType extends BaseFieldType {
  override get aggregations(): ReadonlySet<string> {
    return AGGREGATIONS;
  }

  override termBytes(): never {
    throw illegalArgumentError(`[histogram] field do not support searching, use dedicated aggregations instead: [${this.name}]`);
  }

  /** The histogram of a document. @throws ApiError mapper_parsing_exception, illegal_argument_exception */
  parse(value: unknown): Histogram {
    const { name } = this;
    if (!isObject(value)) throw mapperParsingError(`error parsing field [${name}], expected an object but got ${javaText(value)}`);
    for (const key of Object.keys(value)) {
      if (key !== 'values' && key !== 'counts') throw mapperParsingError(`error parsing field [${name}], with unknown parameter [${key}]`);
    }
    const values = numbers(name, 'values', value.values);
    const counts = numbers(name, 'counts', value.counts);
    if (values.length !== counts.length) {
      throw mapperParsingError(
        `error parsing field [${name}], expected same length from [values] and [counts] but got [${values.length} != ${counts.length}]`,
      );
    }
    values.forEach((one, i) => {
      if (i > 0 && one < values[i - 1]) {
        throw mapperParsingError(
          `error parsing field [${name}], [values] values must be in increasing order, got [${javaDouble(one)}] but previous value was [${javaDouble(values[i - 1])}]`,
        );
      }
    });
    for (const count of counts) {
      if (count < 0) throw mapperParsingError(`error parsing field [${name}], [counts] elements must be >= 0 but got ${javaText(count)}`);
      if (!Number.isSafeInteger(count))
        throw mapperParsingError(`error parsing field [${name}], [counts] elements must be integers below 2^53 but got ${javaText(count)}`);
    }
    return { values, counts };
  }
}

/** The numbers under a key of a histogram. @throws ApiError mapper_parsing_exception */
function numbers(name: string, key: string, list: unknown): number[] {
  if (list === undefined) throw mapperParsingError(`error parsing field [${name}], expected field called [${key}]`);
  if (!Array.isArray(list))
    throw mapperParsingError(`error parsing field [${name}], expected an array in [${key}] but got ${javaText(list)}`);
  return list.map((item: unknown) => {
    const number = typeof item === 'number' || typeof item === 'bigint' ? Number(item) : Number.NaN;
    if (!Number.isFinite(number))
      throw mapperParsingError(`error parsing field [${name}], expected numbers in [${key}] but got ${javaText(item)}`);
    return number;
  });
}

class HistogramMapper implements Mapper {
  readonly takesArrays = false;
  readonly refusal = 'value';
  readonly nullValue = undefined;
  readonly ignoreMalformed: boolean;

  constructor(
    definition: FieldDefinition,
    readonly fieldType: HistogramFieldType,
    readonly field: number,
  ) {
    this.ignoreMalformed = definition.get('ignore_malformed');
  }

  index(context: DocumentContext, value: unknown): void {
    const bytes = encodeHistogram(this.fieldType.parse(value));
    if (context.countValue(this.field) > 1) {
      throw illegalArgumentError(
        `Field [${this.fieldType.name}] of type [histogram] doesn't support indexing multiple values for the same field in the same document`,
      );
    }
    context.sink.binary(this.field, bytes);
  }
}

export const HISTOGRAM_TYPES: Readonly<Record<string, MapperType>> = {
  histogram: {
    params: {
      meta: META_PARAM,
      ignore_malformed: boolParam(false, true),
      ...metricParam(['histogram']),
    },
    create(definition) {
      const spec = { ...NO_SPEC, name: definition.path, column: 'binary' } as const;
      const fieldType = new HistogramFieldType(definition, { spec, family: 'histogram', isSearchable: false, isAggregatable: true });
      return new HistogramMapper(definition, fieldType, definition.field(spec));
    },
  },
};
