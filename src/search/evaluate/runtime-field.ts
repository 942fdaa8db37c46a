// Values of runtime fields: a script that emits them, or the document's source. Queries over them look at document after document.

import { encodeLatitude, encodeLongitude } from '../../common/geo-encoding.ts';
import { parseJsonBytes } from '../../common/json-parse.ts';
import type { MutableJsonObject } from '../../common/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { FieldType } from '../../mapping/field-type.ts';
import type { SegmentReader } from '../../plan/segment.ts';
import { parseGeoPoint } from '../../query/geo-point.ts';
import { doubleOf, millisOf, zonedDateTime } from '../../scripting/dates.ts';
import { compileDocScript, type DocScript } from '../../scripting/doc-script.ts';
import { parseScript } from '../../scripting/script-spec.ts';
import { Double, ScriptFault, type Value } from '../../scripting/syntax-tree.ts';
import { textOf } from '../../scripting/values.ts';
import { valuesAt } from '../fetch/fields.ts';
import type { FieldRequest } from '../request/search-request.ts';
import type { SearchShard } from '../shard/search-shard.ts';
import type { ScriptReader } from './script-doc.ts';
import { SegmentDocument } from './script-doc.ts';

/** A value as columns hold it: bytes of a term, or a number; of geo_point the code of the point. */
export type RawValue = bigint | number | Uint8Array;

interface Program {
  readonly script: DocScript;
  /** What the last run emitted. */
  readonly emitted: Value[];
}

const programs = new WeakMap<FieldType, Program>();
/** Runtime fields read runtime fields at most so deep: more is a circle. */
const MAX_DEPTH = 10;
let depth = 0;

/** @throws ApiError script_exception: the script does not compile */
function programOf(type: FieldType): Program {
  let program = programs.get(type);
  if (!program) programs.set(type, (program = compileRuntime(type.name, type.typeName, type.runtime!.script!)));
  return program;
}

function compileRuntime(name: string, typeName: string, script: Readonly<MutableJsonObject>): Program {
  const emitted: Value[] = [];
  const emit = (values: Value[]): Value => {
    const wanted = typeName === 'geo_point' ? 2 : 1;
    if (values.length !== wanted) throw new ScriptFault('illegal_argument_exception', `emit takes ${wanted} value(s) in [${name}]`);
    emitted.push(wanted === 2 ? values : convert(typeName, values[0]));
    return null;
  };
  const stored = () => null;
  return { script: compileDocScript(parseScript(script), { stored, variables: [], functions: () => ({ emit }) }), emitted };
}

/** Scripts of a `runtime` section compile. @throws ApiError script_exception, mapper_parsing_exception */
export function checkRuntimeScripts(runtime: unknown): void {
  if (typeof runtime !== 'object' || runtime === null) return;
  for (const [name, node] of Object.entries(runtime as MutableJsonObject)) {
    const script = (node as MutableJsonObject | null)?.['script'];
    const spec = typeof script === 'string' ? { source: script } : script;
    if (typeof spec === 'object' && spec !== null && 'source' in spec)
      compileRuntime(name, String((node as MutableJsonObject)['type']), spec as MutableJsonObject);
  }
}

/** Values of the document as scripts see them, in order. @throws ApiError script_exception */
export function runtimeValues(type: FieldType, reader: ScriptReader, segment: SegmentReader, docId: number): Value[] {
  if (type.runtime!.script === null) return sourceValues(type, reader, segment, docId);
  const { script, emitted } = programOf(type);
  if (depth >= MAX_DEPTH)
    throw new ScriptFault('illegal_argument_exception', `Cyclic dependency detected while resolving runtime fields: ${type.name}`);
  depth++;
  emitted.length = 0;
  try {
    script.run(new SegmentDocument(reader, segment, docId));
  } finally {
    depth--;
  }
  return emitted.filter((value) => value !== null).sort(compareValues);
}

function compareValues(a: Value, b: Value): number {
  const left = doubleOf(a) ?? textOf(a);
  const right = doubleOf(b) ?? textOf(b);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The emitted value in the type's own form; null: not a value. @throws ScriptFault: another kind of value */
function convert(typeName: string, value: Value): Value {
  if (value === null || value === undefined) return null;
  switch (typeName) {
    case 'long':
      return typeof value === 'bigint' ? value : BigInt(Math.trunc(numberOf(typeName, value)));
    case 'double':
      return new Double(numberOf(typeName, value));
    case 'date':
      return zonedDateTime(millisOf(value) ?? numberOf(typeName, value));
    case 'boolean':
      return value === true || value === 'true';
    default:
      return textOf(value);
  }
}

function numberOf(typeName: string, value: Value): number {
  const number = doubleOf(value);
  if (number === null) throw new ScriptFault('class_cast_exception', `[${textOf(value)}] is no value of type [${typeName}]`);
  return number;
}

/** Values at the field's name in the source; those that the type refuses are none. */
function sourceValues(type: FieldType, reader: ScriptReader, segment: SegmentReader, docId: number): Value[] {
  const record = reader.record(segment.seqNo(docId));
  if (!record?.source) return [];
  const source = parseJsonBytes(record.source);
  const found = valuesAt(source, type.name.split('.'));
  const flat = type.family === 'geo_point' ? found : found.flat(Number.POSITIVE_INFINITY);
  const values: Value[] = [];
  for (const value of flat) {
    if (value === null || value === undefined) continue;
    try {
      values.push(ofSource(type, value));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
  return values.sort(compareValues);
}

function ofSource(type: FieldType, value: unknown): Value {
  switch (type.family) {
    case 'geo_point': {
      const { lat, lon } = parseGeoPoint(value);
      return [new Double(lat), new Double(lon)];
    }
    case 'date':
      return zonedDateTime(Number(type.exactValue(value) ?? 0n));
    case 'boolean':
      return Number(type.exactValue(value) ?? 0) !== 0;
    case 'numeric': {
      const raw = type.exactValue(typeof value === 'number' && type.typeName === 'long' ? Math.trunc(value) : value) ?? 0;
      return type.spec.column === 'f64' ? new Double(Number(raw)) : BigInt(raw);
    }
    default:
      if (type.family === 'ip') type.termBytes(value);
      return String(value);
  }
}

/** Raw values in ascending order, as a column of the type would hold them. */
export function runtimeRaw(type: FieldType, reader: ScriptReader, segment: SegmentReader, docId: number): RawValue[] {
  const values = runtimeValues(type, reader, segment, docId);
  if (type.family === 'geo_point') return values.map(pointCode);
  if (type.spec.column === 'ordinals') return values.map((value) => type.termBytes(textOf(value)));
  if (type.family === 'boolean') return values.map((value) => (value === true ? 1n : 0n));
  if (type.spec.column === 'f64') return values.map((value) => doubleOf(value) ?? 0);
  return values.map((value) => (typeof value === 'bigint' ? value : BigInt(Math.trunc(millisOf(value) ?? doubleOf(value) ?? 0))));
}

function pointCode(value: Value): bigint {
  const [lat, lon] = (value as Value[]).map((part) => doubleOf(part) ?? 0);
  return (BigInt(encodeLatitude(lat)) << 32n) + BigInt(encodeLongitude(lon) + 2 ** 31);
}

/** Values as `fields` and `docvalue_fields` show them. */
export function runtimeShown(
  type: FieldType,
  reader: ScriptReader,
  segment: SegmentReader,
  docId: number,
  format: string | null,
): unknown[] {
  if (type.family === 'geo_point') {
    return runtimeValues(type, reader, segment, docId).map((value) => {
      const [lat, lon] = (value as Value[]).map((part) => doubleOf(part) ?? 0);
      return { coordinates: [lon, lat], type: 'Point' };
    });
  }
  const valueFormat = type.format(format === 'use_field_mapping' ? null : format, null);
  return runtimeRaw(type, reader, segment, docId).map((raw) =>
    raw instanceof Uint8Array ? valueFormat.formatBytes(raw) : valueFormat.format(raw),
  );
}

/** Adds the values of the runtime fields among `wanted` to the `fields` of a hit. */
export function runtimeFields(
  shard: SearchShard,
  segment: SegmentReader,
  docId: number,
  wanted: readonly FieldRequest[],
  into: MutableJsonObject,
): void {
  if (!shard.mapping.hasRuntime) return;
  for (const { field: pattern, format } of wanted) {
    for (const name of pattern.includes('*') ? shard.mapping.matchFields(pattern) : [pattern]) {
      const type = shard.mapping.field(name);
      if (!type?.runtime) continue;
      const values = runtimeShown(type, shard, segment, docId, format);
      if (values.length > 0) into[name] = values;
    }
  }
}
