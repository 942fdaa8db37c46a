// The value of one field in a synthetic source, by the type of the field.
import { jsonDouble, jsonFloat } from '../../common/json/json-float.ts';
import { isObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import type { FieldType } from '../core/field-type.ts';
import type { Mapper } from '../core/mapper.ts';
import type { CompiledField } from '../definition/compiled-mapping.ts';
import { vectorFormatOf } from '../types/dense-vector.ts';
import { scalarText } from '../types/keyword.ts';
import { RangeFieldType } from '../types/range.ts';
import { eachInHistogram } from '../values/histogram-encoding.ts';
import { formatIp } from '../values/ip-address.ts';
import { decodeRanges, type EncodedRange, encodeRange } from '../values/range-encoding.ts';
import { type ColumnValue, ValueCapture } from './value-capture.ts';

/** Types whose values a source takes from doc values unchanged. */
const NUMBERS: ReadonlySet<string> = new Set(['numeric', 'boolean', 'date']);
const TERMS: ReadonlySet<string> = new Set(['keyword', 'ip', 'version', 'wildcard']);
const TEXTS: ReadonlySet<string> = new Set(['text', 'match_only_text', 'search_as_you_type', 'annotated_text']);
const FLOATS: ReadonlySet<string> = new Set(['float', 'half_float']);
const DOUBLES: ReadonlySet<string> = new Set(['double', 'scaled_float']);

/** @param given  values of the document under the field's name, one for each object that contains it @returns undefined if the source has no value */
export function fieldValue(field: CompiledField, given: readonly unknown[]): unknown {
  const isPoint = field.mapper.fieldType.typeName === 'geo_point';
  const values = isPoint ? given.flatMap(pointsOf) : given.flat(Number.POSITIVE_INFINITY);
  const made = madeValues(field, values);
  if (made === null) return given.length === 1 ? given[0] : values;
  return made.length === 0 ? undefined : made.length === 1 ? made[0] : made;
}

/** The points in a value: two or three numbers in a list are one point. */
function pointsOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) return [value];
  return value.length > 0 && value.every((item) => typeof item === 'number') ? [value] : value.flatMap(pointsOf);
}

/** null: the field stays as it was sent. */
function madeValues({ mapper, multiFields }: CompiledField, values: readonly unknown[]): unknown[] | null {
  const { fieldType } = mapper;
  const { typeName, family } = fieldType;
  if (TEXTS.has(typeName)) return textValues(mapper, multiFields, values);
  if (typeName === 'dense_vector') return vectorFormatOf(fieldType)?.element === 'float' ? floats(values) : null;
  if (!fieldType.isAggregatable) return typeName === 'keyword' && fieldType.params['store'] === true ? strings(values) : null;
  if (TERMS.has(typeName)) return terms(mapper, values);
  if (family === 'histogram') return histograms(mapper, values);
  if (fieldType.figures) return null;
  if (NUMBERS.has(family) && typeName !== 'token_count') return numbers(mapper, values);
  if (typeName === 'geo_point') return points(mapper, values);
  if (fieldType instanceof RangeFieldType) return ranges(mapper, fieldType, values);
  if (typeName === 'binary') return binaries(mapper, values);
  if (typeName === 'flattened' || typeName === 'flat_object') return flattened(values);
  return null;
}

function strings(values: readonly unknown[]): string[] {
  return values.filter((value) => value !== null).map((value) => scalarText(value));
}

/** A text has its own strings if it is stored, else those of the first keyword below it. */
function textValues({ fieldType }: Mapper, multiFields: readonly Mapper[], values: readonly unknown[]): unknown[] {
  if (fieldType.params['store'] === true || fieldType.typeName === 'match_only_text') return strings(values);
  const keyword = multiFields.find((multi) => multi.fieldType.typeName === 'keyword' && multi.fieldType.params['normalizer'] === undefined);
  return keyword?.fieldType.isAggregatable ? terms(keyword, values) : strings(values);
}

function terms(mapper: Mapper, values: readonly unknown[]): unknown[] {
  const captured = new ValueCapture().capture(mapper, values);
  const format = mapper.fieldType.format(null, null);
  const sorted = distinct(captured.values.filter((value) => value instanceof Uint8Array));
  return [...sorted.map((bytes) => format.formatBytes(bytes)), ...captured.ignored];
}

function distinct(values: readonly Uint8Array[]): Uint8Array[] {
  const sorted = [...values].sort(Buffer.compare);
  return sorted.filter((bytes, i) => i === 0 || Buffer.compare(bytes, sorted[i - 1]) !== 0);
}

const isNumber = (value: ColumnValue): value is bigint | number => typeof value === 'bigint' || typeof value === 'number';

function ascending(a: bigint | number, b: bigint | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function numbers(mapper: Mapper, values: readonly unknown[]): unknown[] {
  const { values: found, ignored } = new ValueCapture().capture(mapper, values);
  const show = shownBy(mapper.fieldType);
  return [...found.filter(isNumber).sort(ascending).map(show), ...ignored];
}

function shownBy(fieldType: FieldType): (raw: bigint | number) => unknown {
  const format = fieldType.format(null, null);
  if (FLOATS.has(fieldType.typeName)) return (raw) => jsonFloat(Number(raw));
  if (DOUBLES.has(fieldType.typeName)) return (raw) => jsonDouble(Number(format.format(raw)));
  return (raw) => format.format(fieldType.spec.column === 'i64' ? BigInt(raw) : raw);
}

function points(mapper: Mapper, values: readonly unknown[]): unknown[] {
  const { values: found, ignored } = new ValueCapture().capture(mapper, values);
  const encoded = found.flatMap((value) => (typeof value === 'object' && 'lat' in value ? [quantized(value.lat, value.lon)] : []));
  encoded.sort((a, b) => a.lat - b.lat || a.lon - b.lon);
  return [...encoded.map(({ lat, lon }) => ({ lat: jsonDouble(lat), lon: jsonDouble(lon) })), ...ignored];
}

/** A point with the precision of its column. */
function quantized(lat: number, lon: number): { lat: number; lon: number } {
  const grid = (degrees: number, range: number): number => Math.floor(degrees / (range / 2 ** 32)) * (range / 2 ** 32);
  return { lat: grid(lat, 180), lon: grid(lon, 360) };
}

function floats(values: readonly unknown[]): unknown[] | null {
  return values.every((value) => typeof value === 'number') ? values.map((value) => jsonFloat(Math.fround(Number(value)))) : null;
}

function binaries(mapper: Mapper, values: readonly unknown[]): unknown[] {
  const { values: found } = new ValueCapture().capture(mapper, values);
  return distinct(found.filter((value) => value instanceof Uint8Array)).map((bytes) => Buffer.from(bytes).toString('base64'));
}

function histograms(mapper: Mapper, values: readonly unknown[]): unknown[] {
  const { values: found, ignored } = new ValueCapture().capture(mapper, values);
  const shown = found.flatMap((bytes) => {
    if (!(bytes instanceof Uint8Array)) return [];
    const histogram = { values: [] as unknown[], counts: [] as unknown[] };
    eachInHistogram(bytes, (value, count) => {
      histogram.values.push(jsonDouble(value));
      histogram.counts.push(count);
    });
    return [histogram];
  });
  return [...shown, ...ignored];
}

function ranges(mapper: Mapper, fieldType: RangeFieldType, values: readonly unknown[]): unknown[] {
  const { kind } = fieldType;
  const { values: found } = new ValueCapture().capture(mapper, values);
  const decoded = found.flatMap((value) => (value instanceof Uint8Array ? decodeRanges(kind, value) : []));
  const open = kind === 'ip' ? null : fieldType.parse({});
  const show = (end: EncodedRange['from'], limit: EncodedRange['from'] | undefined): unknown => {
    if (end === limit) return null;
    if (end instanceof Uint8Array) return formatIp(end);
    if (fieldType.typeName === 'float_range') return jsonFloat(Number(end));
    return kind === 'f64' ? jsonDouble(Number(end)) : fieldType.format(null, null).format(end);
  };
  const byBounds = (a: EncodedRange, b: EncodedRange): number => compareEnds(a.from, b.from) || compareEnds(a.to, b.to);
  const sorted = [...decoded].sort(byBounds);
  const key = (range: EncodedRange): string => Buffer.from(encodeRange(kind, range)).toString('latin1');
  return sorted
    .filter((range, i) => i === 0 || key(range) !== key(sorted[i - 1]))
    .map(({ from, to }) => ({ gte: show(from, open?.from), lte: show(to, open?.to) }));
}

function compareEnds(a: EncodedRange['from'], b: EncodedRange['from']): number {
  return a instanceof Uint8Array && b instanceof Uint8Array ? Buffer.compare(a, b) : a < b ? -1 : a > b ? 1 : 0;
}

/** The leaves of objects as strings, sorted and distinct under each path. */
function flattened(values: readonly unknown[]): unknown[] {
  const leaves = new Map<string, Set<string>>();
  for (const value of values) addLeaves(leaves, '', value);
  if (leaves.size === 0) return [];
  const json: MutableJsonObject = {};
  for (const path of [...leaves.keys()].sort()) {
    const found = [...(leaves.get(path) ?? [])].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    setPath(json, path, found.length === 1 ? found[0] : found);
  }
  return [json];
}

function addLeaves(leaves: Map<string, Set<string>>, path: string, value: unknown): void {
  if (value === null) return;
  if (Array.isArray(value)) for (const item of value) addLeaves(leaves, path, item);
  else if (isObject(value)) for (const [key, item] of Object.entries(value)) addLeaves(leaves, path === '' ? key : `${path}.${key}`, item);
  else {
    const known = leaves.get(path);
    if (known) known.add(String(value));
    else leaves.set(path, new Set([String(value)]));
  }
}

/** A path under which there is a value already keeps its dots. */
function setPath(json: MutableJsonObject, path: string, value: unknown): void {
  const dot = path.indexOf('.');
  const head = path.slice(0, dot);
  const inner = dot > 0 ? json[head] : undefined;
  if (dot <= 0 || dot === path.length - 1 || (inner !== undefined && !isObject(inner))) setOwn(json, path, value);
  else {
    const child = isObject(inner) ? { ...inner } : {};
    setPath(child, path.slice(dot + 1), value);
    setOwn(json, head, child);
  }
}
