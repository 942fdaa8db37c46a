// Values sources: a field of an index for an aggregation, with its format, its `missing` value and the column of a segment.
import { encodeGeoPoint } from '../common/encoding/geo-encoding.ts';
import { zoneOf } from '../dates/zones.ts';
import { asCause } from '../errors/api-error.ts';
import { xContentParseError } from '../errors/search-errors.ts';
import type { FieldType, ValueFormat } from '../mapping/core/field-type.ts';
import { noFielddataError } from '../mapping/core/fielddata-errors.ts';
import { standAloneField } from '../mapping/stand-alone-field.ts';
import { parseGeoPoint } from '../mapping/values/geo-point-value.ts';
import type { AggColumn } from '../plan/agg-plan.ts';
import type { SegmentColumn } from '../plan/segment.ts';
import type { SegmentReader } from '../plan/segment-reader.ts';
import { parseScript, type ScriptSpec } from '../scripting/script-spec.ts';
import { illegalArgumentError, numberFormatError, unsupportedError } from './errors.ts';
import { eachOfType, relationOf } from './join-relation.ts';
import type { Params } from './params.ts';
import type { BindContext, ScriptedValues } from './types.ts';

/** `field`, `missing`, `format`, `time_zone`, `value_type` of an aggregation body. */
export interface SourceParams {
  readonly field: string;
  readonly missing: unknown;
  readonly format: string | null;
  readonly timeZone: string | null;
  /** The mapping type of `value_type`, for indices without the field. */
  readonly valueType: string | null;
  /** A script that computes the values: from the document or, with `field`, from each value of the field. */
  readonly script: ScriptSpec | null;
}

export type SourceKind = 'ordinals' | 'i64' | 'f64' | 'geo' | 'binary';

export interface ValuesSource {
  /** Full name of the column, with aliases resolved. */
  readonly field: string;
  /** The field whose values the column contains in another form. */
  readonly origin?: string;
  /** Column with the numbers of values that the values are sums of (aggregate_metric_double). */
  readonly counts?: string;
  /** null if the index does not have the field. */
  readonly type: FieldType | null;
  readonly kind: SourceKind;
  readonly format: ValueFormat | null;
  readonly scale: number;
  readonly unsigned: boolean;
  readonly isDate: boolean;
  /** Raw value (bytes for ordinals) for documents without a value. */
  readonly missing: bigint | number | Uint8Array | null;
}

type Family = FieldType['family'];
/** Aggregations of totals that only grow; the others would group documents by them. */
const COUNTER_AGGREGATIONS: ReadonlySet<string> = new Set([
  ...['min', 'max', 'sum', 'avg', 'value_count', 'stats', 'extended_stats', 'cardinality', 'weighted_avg', 'top_metrics', 'rate', 't_test'],
  ...['percentiles', 'percentile_ranks', 'median_absolute_deviation', 'boxplot', 'histogram', 'range', 'variable_width_histogram'],
]);
/** Values of `value_type` and the mapping types that they stand for. */
const VALUE_TYPES: Readonly<Record<string, string>> = {
  string: 'keyword',
  byte: 'long',
  short: 'long',
  integer: 'long',
  long: 'long',
  double: 'double',
  float: 'double',
  half_float: 'double',
  unsigned_long: 'unsigned_long',
  number: 'double',
  numeric: 'double',
  date: 'date',
  boolean: 'boolean',
  ip: 'ip',
};

/** Names of the kinds of values in messages, by mapping type. */
const VALUE_TYPE_NAMES: Readonly<Record<string, string>> = {
  keyword: 'string',
  long: 'byte|short|integer|long',
  unsigned_long: 'unsigned_long',
  double: 'float|double',
  date: 'date',
  boolean: 'boolean',
  ip: 'ip',
};

/** Whether a field has values of the kind that a request names as `value_type`. */
function fitsValueType({ family }: FieldType, valueType: string): boolean {
  return ['long', 'double', 'unsigned_long'].includes(valueType) ? family === 'numeric' : family === valueType;
}

/** @throws ApiError x_content_parse_exception: no such zone */
function checkZone({ typeName }: Params, zone: string): void {
  try {
    zoneOf(zone);
  } catch (error) {
    const cause = asCause(error);
    throw xContentParseError(`[${typeName}] failed to parse field [time_zone]`, cause.causedBy ?? cause);
  }
}

/** @param  which of the optional parameters the aggregation has. @throws ApiError illegal_argument_exception: neither field nor script */
export function parseSource(
  p: Params,
  { timeZone: withTimeZone = false, script: withScript = true, format: withFormat = true } = {},
): SourceParams {
  const script = withScript ? p.take('script') : undefined;
  const field = p.name('field');
  if (p.isNull('missing')) throw p.refusalError('missing', '[missing] must not be null');
  const missing = p.take('missing');
  if (Array.isArray(missing) || (typeof missing === 'object' && missing !== null)) throw p.wrongTypeError('missing', missing);
  const format = withFormat ? p.name('format') : null;
  const timeZone = withTimeZone ? p.string('time_zone') : null;
  if (timeZone !== null) checkZone(p, timeZone);
  const valueType = p.string('value_type') ?? p.string('valueType');
  if (valueType !== null && !Object.hasOwn(VALUE_TYPES, valueType)) throw p.refusalError('value_type', `Unknown value type [${valueType}]`);
  if (field === null && script === undefined)
    p.failLater(illegalArgumentError(`Required one of fields [field${withScript ? ', script' : ''}], but none were specified. `));
  return {
    field: field ?? '',
    script: script === undefined ? null : parseScript(script),
    missing: missing ?? null,
    format,
    timeZone,
    valueType: valueType === null ? null : VALUE_TYPES[valueType],
  };
}

/**
 * Resolves the source in one index.
 * @param families  families of fields that the aggregation accepts; null for all with doc values
 * @throws ApiError illegal_argument_exception: unsuitable or not aggregatable field; number_format_exception: invalid `missing`
 */
export function bindSource(typeName: string, params: SourceParams, ctx: BindContext, families: readonly Family[] | null): ValuesSource {
  if (params.script !== null) return scriptSource(typeName, params, params.script, ctx, families);
  const mapped = ctx.index.mapping.field(params.field);
  if (mapped?.runtime) {
    if (mapped.runtime.metadata === 'id') ctx.index.requireIdFielddata();
    if (!mapped.isAggregatable) throw notAggregatableError(mapped);
    return runtimeSource(typeName, params, mapped, ctx, families);
  }
  const presumed = presumedType(typeName, families);
  if (!mapped && params.valueType === null && (params.missing === null || presumed === 'keyword' || presumed === 'double'))
    return unmapped(params, presumed);
  // Aggregations compute with the milliseconds of date_nanos.
  const type = mapped?.aggregated ?? mapped ?? standAloneField(params.valueType ?? presumed);
  if (!type.isAggregatable) throw notAggregatableError(type);
  if (type.name === '_index' && (families === null || families.includes('keyword'))) return indexNameSource(type, params, ctx);
  if (type.aggregations ? !type.aggregations.has(typeName) : families && !families.includes(type.family)) {
    throw illegalArgumentError(
      `Field [${type.keyPrefix ? type.spec.name : mapped ? type.name : params.field}] of type [${type.typeName}] is not supported for aggregation [${typeName}]`,
    );
  }
  if (type.params['time_series_metric'] === 'counter' && !COUNTER_AGGREGATIONS.has(typeName)) {
    throw illegalArgumentError(
      `Field [${params.field}] of type [${type.typeName}][counter] is not supported for aggregation [${typeName}]`,
    );
  }
  if (type.figures) return figureSource(typeName, params, type, type.figures, ctx);
  if (type.family === 'text' && !families?.includes('text'))
    throw unsupportedError(`[${typeName}] on analysed terms (field [${params.field}] of type [text])`);
  if (mapped && params.valueType !== null && !fitsValueType(type, params.valueType))
    throw illegalArgumentError(
      `Field type [${type.typeName}] is incompatible with specified value_type [${VALUE_TYPE_NAMES[params.valueType]}]`,
    );
  if (type.keyPrefix) {
    // Checks the format, of which the values have none.
    type.format(params.format, params.timeZone);
    return computedSource({ script: null, of: type, type: standAloneField('keyword') }, params, ctx);
  }
  // Text with fielddata has terms but no column.
  const kind = type.family === 'text' ? 'ordinals' : type.spec.column === 'none' ? 'i64' : type.spec.column;
  const format = type.format(params.format, params.timeZone);
  return {
    field: mapped ? type.name : params.field,
    ...(mapped?.aggregated ? { origin: mapped.name } : {}),
    type,
    kind,
    format,
    scale: type.scale,
    unsigned: type.unsigned,
    isDate: type.family === 'date',
    missing: params.missing === null ? null : missingOf(type, format, params.missing, ctx),
  };
}

/** The mapping type that an aggregation presumes for a field that the index lacks. */
function presumedType(typeName: string, families: readonly Family[] | null): string {
  if (DATE_TYPES.has(typeName)) return 'date';
  if (families === null || families.includes('keyword')) return 'keyword';
  if (families.includes('geo_point')) return 'geo_point';
  return families.includes('numeric') ? 'double' : 'ip';
}

/** The column of an aggregate metric that an aggregation reads: its own figure, or sums with their counts for averages. */
function figureSource(
  typeName: string,
  params: SourceParams,
  { typeName: fieldTypeName }: FieldType,
  figures: ReadonlyMap<string, FieldType>,
  ctx: BindContext,
): ValuesSource {
  const columnOfFigure = (figure: string): FieldType => {
    const column = figures.get(figure);
    if (column) return column;
    throw illegalArgumentError(
      `Field [${params.field}] of type [${fieldTypeName}] has no metric [${figure}], which the aggregation [${typeName}] needs`,
    );
  };
  const type = columnOfFigure(typeName === 'avg' ? 'sum' : typeName);
  const format = type.format(params.format, params.timeZone);
  return {
    field: type.name,
    ...(typeName === 'avg' || typeName === 'value_count' ? { counts: columnOfFigure('value_count').name } : {}),
    type,
    kind: type.spec.column === 'i64' ? 'i64' : 'f64',
    format,
    scale: type.scale,
    unsigned: false,
    isDate: false,
    missing: params.missing === null ? null : missingOf(type, format, params.missing, ctx),
  };
}

/** A runtime field, whose values are computed into a column for each segment. */
function runtimeSource(
  typeName: string,
  params: SourceParams,
  type: FieldType,
  ctx: BindContext,
  families: readonly Family[] | null,
): ValuesSource {
  if (type.family === 'shape' || type.family === 'lookup')
    throw illegalArgumentError(`Fielddata is not supported on field [${type.name}] of type [${type.typeName}]`);
  if (families && !families.includes(type.family))
    throw illegalArgumentError(`Field [${type.name}] of type [${type.typeName}] is not supported for aggregation [${typeName}]`);
  return computedSource({ script: null, of: null, type }, params, ctx);
}

/** Documents of the innermost children or parent aggregation around a source, which may not match the query; null if there is none. */
function relatedDocs({ parents, index }: BindContext): ScriptedValues['among'] {
  const related = parents.findLast(({ typeName }) => typeName === 'children' || typeName === 'parent');
  if (!related) return null;
  const relation = relationOf((related.params as { readonly child: string }).child, related.typeName, index.mapping);
  return (segment, docs) => {
    const found: number[] = [];
    if (relation) eachOfType(relation, segment, relation.to, docs, (doc) => found.push(doc));
    return found;
  };
}

/** @param computed  computes the values; their type may be a standalone field type */
function computedSource(computed: Pick<ScriptedValues, 'script' | 'of' | 'type'>, params: SourceParams, ctx: BindContext): ValuesSource {
  const { type } = computed;
  const isGlobal = ctx.parents.some((parent) => parent.typeName === 'global');
  const format = type.format(params.format, params.timeZone);
  return {
    field: ctx.index.addScript({ ...computed, nestedPath: ctx.nestedPath, isGlobal, among: relatedDocs(ctx) }),
    type,
    kind: type.spec.column as SourceKind,
    format,
    scale: 1,
    unsigned: type.unsigned,
    isDate: type.family === 'date',
    missing: params.missing === null ? null : missingOf(type, format, params.missing, ctx),
  };
}

/** `_index` has no column: all documents of a shard have its value as their missing value. */
function indexNameSource(type: FieldType, params: SourceParams, ctx: BindContext): ValuesSource {
  return {
    field: type.name,
    type,
    kind: 'ordinals',
    format: type.format(params.format, null),
    scale: 1,
    unsigned: false,
    isDate: false,
    missing: type.termBytes(ctx.index.indexName),
  };
}

/** Values of a script, which are computed into a column for each segment. */
function scriptSource(
  typeName: string,
  params: SourceParams,
  script: ScriptSpec,
  ctx: BindContext,
  families: readonly Family[] | null,
): ValuesSource {
  const of = params.field === '' ? null : ctx.index.mapping.field(params.field);
  if (params.field !== '' && !of) return unmapped(params, presumedType(typeName, families));
  if (of && !of.isAggregatable) throw notAggregatableError(of);
  // Metrics compute in doubles, even if an integer type is named.
  const isMetric = families?.includes('numeric') && !families.includes('keyword');
  const named = isMetric && params.valueType?.endsWith('long') ? 'double' : params.valueType;
  const type = standAloneField(named ?? scriptType(typeName, of, families));
  return computedSource({ script, of, type }, params, ctx);
}

const DATE_TYPES = new Set(['date_histogram', 'auto_date_histogram', 'date_range']);

/** Mapping type of a script's values, unless `value_type` names it: that of the field, else the default of the aggregation. */
function scriptType(typeName: string, of: FieldType | null, families: readonly Family[] | null): string {
  if (of) {
    if (of.family === 'numeric') return 'double';
    return of.family === 'date' || of.family === 'boolean' || of.family === 'ip' ? of.family : 'keyword';
  }
  if (DATE_TYPES.has(typeName)) return 'date';
  if (typeName === 'composite' || families === null || families.includes('keyword')) return 'keyword';
  if (families.includes('numeric')) return 'double';
  throw unsupportedError(`[script] in the aggregation [${typeName}]`);
}

/** A field that the index lacks: no values except `missing`. Numbers have the format of the request, as those of a mapped field have. */
function unmapped(params: SourceParams, presumed: string): ValuesSource {
  const missing = params.missing;
  const isNumber = presumed === 'double' || presumed === 'date';
  if (presumed === 'double' && typeof missing === 'string' && (missing.trim() === '' || Number.isNaN(Number(missing))))
    throw numberFormatError(missing);
  const isText = !isNumber || (typeof missing === 'string' && Number.isNaN(Number(missing)));
  const isDate = presumed === 'date';
  const format =
    isDate || (presumed === 'double' && params.format !== null) ? standAloneField(presumed).format(params.format, params.timeZone) : null;
  const base = { field: params.field, type: null, format, scale: 1, unsigned: false, isDate };
  if (missing === null) return { ...base, kind: 'i64', missing: null };
  if (isText) return { ...base, kind: 'ordinals', missing: new TextEncoder().encode(String(missing)) };
  return { ...base, kind: 'f64', missing: Number(missing) };
}

function missingOf(type: FieldType, format: ValueFormat, missing: unknown, ctx: BindContext): bigint | number | Uint8Array {
  if (type.family === 'histogram')
    throw illegalArgumentError(`[missing] is not supported for field [${type.name}] of type [${type.typeName}]`);
  if (type.family === 'geo_point') return encodeGeoPoint(parseGeoPoint(typeof missing === 'number' ? String(missing) : missing));
  if (type.spec.column === 'ordinals' || type.family === 'text') return type.termBytes(missing);
  if (type.family === 'date') {
    return BigInt(format.parse(String(missing), false, ctx.index.nowMs));
  }
  if (type.family === 'numeric') {
    const number = typeof missing === 'string' && missing !== '' ? Number(missing) : missing;
    if (typeof number !== 'number' && typeof number !== 'bigint') throw numberFormatError(String(missing));
    if (Number.isNaN(Number(number))) throw numberFormatError(String(missing));
    const exact = type.exactValue(number);
    if (exact !== null) return exact;
    return type.spec.column === 'f64' ? Number(number) : BigInt(Math.trunc(Number(number) / type.scale));
  }
  // Any integer may stand for a missing boolean.
  if (type.family === 'boolean' && typeof missing === 'number' && Number.isSafeInteger(missing)) return BigInt(missing);
  const exact = type.exactValue(missing);
  if (exact === null) throw numberFormatError(String(missing));
  return exact;
}

function notAggregatableError(type: FieldType): Error {
  if (type.typeName === 'dense_vector')
    return illegalArgumentError(`Field [${type.name}] of type [dense_vector] doesn't support docvalue_fields or aggregations`);
  return noFielddataError(type);
}

/** The source's column in a segment. A `missing` term that is not in the segment gets the ordinal after the last. */
/** null if the segment has no value of the field. @throws ApiError illegal_argument_exception: an earlier version wrote it without this form */
export function columnIn({ type, field, origin }: ValuesSource, segment: SegmentReader): SegmentColumn | null {
  const column = type ? segment.column(field) : null;
  if (column === null && type && origin !== undefined && segment.column(origin) !== null)
    throw illegalArgumentError(`field [${origin}] was indexed by an earlier version and cannot be aggregated: reindex`);
  return column;
}

export function columnOf(source: ValuesSource, segment: SegmentReader): AggColumn {
  const column = columnIn(source, segment);
  let missing: bigint | number | null = null;
  if (source.missing instanceof Uint8Array) {
    missing = column ? (segment.lookupTerm(source.field, source.missing)?.ord ?? Number(column.max) + 1) : 0;
  } else if (source.missing !== null) missing = source.missing;
  return { column, missing, scale: source.scale, unsigned: source.unsigned };
}

/** Whole milliseconds of a date's raw value. */
export function millisecondsOf(raw: number | bigint): number {
  return Math.floor(Number(raw));
}

/** The double that the API shows for a raw key of the kernels. */
export function doubleOf(source: ValuesSource, raw: number | bigint): number {
  if (source.unsigned) return Number(BigInt(raw) + (1n << 63n));
  if (source.kind === 'f64') return Number(raw);
  return Number(raw) * source.scale;
}

/** Whether a source has no values in an index at all: what would be wrong with its values is not checked then. */
export function hasNoValues(source: Pick<ValuesSource, 'type' | 'missing'>): boolean {
  return source.type === null && source.missing === null;
}

/** Values of a document as doubles, ascending; `missing` if it has none. */
export function doublesOf(source: ValuesSource, segment: SegmentReader, doc: number): number[] {
  const raw = source.type ? segment.values(source.field, doc) : [];
  if (raw.length === 0)
    return source.missing === null ? [] : [source.type ? doubleOf(source, source.missing as number) : Number(source.missing)];
  return raw.map((value) => doubleOf(source, value));
}
