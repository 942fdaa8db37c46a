// aggregate_metric_double: figures that were computed before they were indexed, `{ min, max, sum, value_count }`, in a column each. Queries, sorts
// and doc values use the column of the default metric; metric aggregations use the column of their own figure.
import { isObject } from '../../common/json/json-value.ts';
import { javaText } from '../../common/text/java-text.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import type { FieldSpec } from '../core/document-sink.ts';
import type { FieldType, RangeBounds, RangeSpec, ValueFormat } from '../core/field-type.ts';
import type { DocumentContext, FieldDefinition, Mapper, MapperType } from '../core/mapper.ts';
import { boolParam, META_PARAM, metricParam } from '../core/params.ts';
import { floatBounds, parseFloatValue, parseIntegerValue, queryText, toDouble } from '../values/number-values.ts';
import { DOUBLE_FORMAT, decimalFormat, RAW_FORMAT } from '../values/value-formats.ts';
import { BaseFieldType, NO_SPEC } from './base-field-type.ts';

const METRICS = ['min', 'max', 'sum', 'value_count'] as const;
type Metric = (typeof METRICS)[number];

/** The aggregations that read these fields. */
const AGGREGATIONS: ReadonlySet<string> = new Set([...METRICS, 'avg']);

function isMetric(name: unknown): name is Metric {
  return METRICS.some((metric) => metric === name);
}

/** One figure of each document as a number: a double, or a count. */
class FigureFieldType extends BaseFieldType {
  override exactValue(value: unknown): number | bigint | null {
    const number = toDouble(queryText(value));
    if (this.spec.column === 'f64') return number;
    return Number.isSafeInteger(number) ? BigInt(number) : null;
  }

  override rangeBounds(range: RangeSpec): RangeBounds {
    const bounds = floatBounds('double', range);
    if (this.spec.column === 'f64' || bounds.kind !== 'f64') return bounds;
    // Counts are integers of at least 0.
    const min = BigInt(Math.max(0, Math.ceil(bounds.min)));
    const max = BigInt(Math.min(Number.MAX_SAFE_INTEGER, Math.floor(bounds.max)));
    return { kind: 'i64', min, max, empty: bounds.empty || min > max };
  }

  override format(format: string | null, timeZone: string | null): ValueFormat {
    if (timeZone !== null) super.format(null, timeZone);
    if (format !== null) return decimalFormat(format, Number);
    return this.spec.column === 'f64' ? DOUBLE_FORMAT : RAW_FORMAT;
  }
}

class AggregateMetricFieldType extends FigureFieldType {
  constructor(
    definition: FieldDefinition,
    options: ConstructorParameters<typeof BaseFieldType>[1],
    override readonly figures: ReadonlyMap<string, FieldType>,
  ) {
    super(definition, options);
  }

  override get aggregations(): ReadonlySet<string> {
    return AGGREGATIONS;
  }
}

class AggregateMetricMapper implements Mapper {
  readonly takesArrays = false;
  readonly refusal = 'value';
  readonly nullValue = undefined;
  readonly ignoreMalformed: boolean;
  readonly #columns: ReadonlyArray<{ readonly metric: Metric; readonly field: number }>;

  constructor(
    definition: FieldDefinition,
    readonly fieldType: AggregateMetricFieldType,
    columns: ReadonlyArray<{ readonly metric: Metric; readonly field: number }>,
  ) {
    this.ignoreMalformed = definition.get('ignore_malformed');
    this.#columns = columns;
  }

  index(context: DocumentContext, value: unknown): void {
    const { name } = this.fieldType;
    if (!isObject(value))
      throw mapperParsingError(`error parsing field [${name}], expected an object of metrics but got ${javaText(value)}`);
    for (const key of Object.keys(value)) {
      if (!this.#columns.some(({ metric }) => metric === key))
        throw mapperParsingError(`Aggregate metric [${key}] does not exist in the mapping of field [${name}]`);
    }
    // All figures are read before the first is written: a malformed field leaves none.
    const figures = this.#columns.map(({ metric }) => figureOf(name, metric, value[metric]));
    if (context.countValue(this.#columns[0].field) > 1) {
      throw illegalArgumentError(
        `Field [${name}] of type [aggregate_metric_double] does not support indexing multiple values for the same field in the same document`,
      );
    }
    this.#columns.forEach(({ metric, field }, i) => {
      if (metric === 'value_count') context.sink.i64(field, figures[i]);
      else context.sink.f64(field, Number(figures[i]));
    });
  }
}

/** @throws ApiError mapper_parsing_exception, illegal_argument_exception: absent or invalid */
function figureOf(name: string, metric: Metric, value: unknown): number | bigint {
  if (value === undefined || value === null)
    throw mapperParsingError(`Aggregate metric field [${name}] must contain all metrics, but misses [${metric}]`);
  if (metric !== 'value_count') return parseFloatValue(value, 'double', true);
  const count = parseIntegerValue(value, 'long', true);
  if (count < 0) throw illegalArgumentError(`Aggregate metric [value_count] of field [${name}] cannot be a negative number`);
  return count;
}

/** The metrics of a mapping, in the order of METRICS. @throws ApiError mapper_parsing_exception */
function parseMetrics(value: unknown, name: string): Metric[] {
  const given: unknown[] = Array.isArray(value) ? value : [value];
  for (const metric of given) if (!isMetric(metric)) throw mapperParsingError(`Metric [${javaText(metric)}] is not supported.`);
  if (given.length === 0) throw mapperParsingError(`Property [metrics] must not be empty for field [${name}].`);
  return METRICS.filter((metric) => given.includes(metric));
}

export const AGGREGATE_METRIC_TYPES: Readonly<Record<string, MapperType>> = {
  aggregate_metric_double: {
    params: {
      metrics: { parse: (value, { name }) => parseMetrics(value, name), fallback: undefined, updatable: false },
      default_metric: {
        parse: (value) => {
          if (!isMetric(value)) throw mapperParsingError(`Metric [${javaText(value)}] is not supported.`);
          return value;
        },
        fallback: undefined,
        updatable: false,
      },
      ignore_malformed: boolParam(false, true),
      ...metricParam(['gauge']),
      meta: META_PARAM,
    },
    validate({ given, name }) {
      const metrics = given.metrics as readonly Metric[] | undefined;
      if (metrics === undefined) throw mapperParsingError(`Property [metrics] is required for field [${name}].`);
      if (given.default_metric === undefined) throw mapperParsingError(`Property [default_metric] is required for field [${name}].`);
      if (!metrics.includes(given.default_metric as Metric)) {
        throw mapperParsingError(`Default metric [${javaText(given.default_metric)}] is not defined in the metrics of field [${name}].`);
      }
    },
    create(definition) {
      const metrics = definition.get<readonly Metric[]>('metrics');
      const named = metrics.map((metric): { metric: Metric; spec: FieldSpec } => ({
        metric,
        spec: { ...NO_SPEC, name: `${definition.path}._${metric}`, column: metric === 'value_count' ? 'i64' : 'f64' },
      }));
      const options = { family: 'numeric', isSearchable: true, isAggregatable: true } as const;
      const figures = new Map<string, FieldType>(
        named.map(({ metric, spec }) => [metric, new FigureFieldType({ ...definition, path: spec.name }, { ...options, spec })]),
      );
      const standard = definition.get<Metric>('default_metric');
      const { spec } = named[metrics.indexOf(standard)];
      const columns = named.map(({ metric, spec }) => ({ metric, field: definition.field(spec) }));
      return new AggregateMetricMapper(definition, new AggregateMetricFieldType(definition, { ...options, spec }, figures), columns);
    },
  },
};
