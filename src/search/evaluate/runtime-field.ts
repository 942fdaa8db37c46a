// Values of runtime fields: emitted by a script, or read from the source of the document.

import { encodeLatitude, encodeLongitude } from '../../common/encoding/geo-encoding.ts';
import { jsonDouble } from '../../common/json/json-float.ts';
import type { JsonObject, MutableJsonObject } from '../../common/json/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { FieldType } from '../../mapping/core/field-type.ts';
import { parseGeoPoint } from '../../query/geo/geo-point.ts';
import { compileDocScript, type DocScript, EXTRACTION_FUNCTIONS, type ScriptDocument } from '../../scripting/doc-script.ts';
import type { Implementation } from '../../scripting/java/class-info.ts';
import { ScriptFault } from '../../scripting/java/faults.ts';
import { textOf } from '../../scripting/java/objects.ts';
import { Double, type Value } from '../../scripting/java/values.ts';
import { zonedDateTime } from '../../scripting/library/time/zoned-time.ts';
import { doubleOf, millisOf } from '../../scripting/numeric-value.ts';
import { parseScript } from '../../scripting/script-spec.ts';
import { valuesAt } from './source-values.ts';

/** A document whose script values and source a runtime field reads. */
export interface SourceDocument extends ScriptDocument {
  /** The source as parsed JSON; an empty object if none is stored. */
  json(): unknown;
}

/** A value as a column would store it: the bytes of a term, a number, or the code of a point. */
export type RawValue = bigint | number | Uint8Array;

interface Program {
  readonly script: DocScript;
  /** Values of the last run. */
  readonly emitted: Value[];
}

const programs = new WeakMap<FieldType, Program>();
/** Runtime fields may read each other up to this depth; deeper nesting is taken for a cycle. */
const MAX_DEPTH = 10;
let depth = 0;

/** What scripts emit for types whose values are not strings. */
const EMITTED: Readonly<Record<string, string>> = { long: 'long', double: 'double', date: 'long', boolean: 'boolean' };

/** @throws ApiError script_exception: the script does not compile */
function programOf(type: FieldType, script: JsonObject): Program {
  let program = programs.get(type);
  if (!program) programs.set(type, (program = compileRuntime(type.typeName, script)));
  return program;
}

function compileRuntime(typeName: string, script: Readonly<MutableJsonObject>): Program {
  const emitted: Value[] = [];
  const functions: Readonly<Record<string, Implementation>> =
    typeName === 'geo_point'
      ? { 'void emit(double,double)': (lat: number, lon: number) => emitted.push([new Double(lat), new Double(lon)]) }
      : { [`void emit(${EMITTED[typeName] ?? 'String'})`]: (value: Value) => emitted.push(convert(typeName, value)) };
  const stored = () => null;
  const all = { ...functions, ...EXTRACTION_FUNCTIONS };
  return { script: compileDocScript(parseScript(script), { stored, context: 'runtime', functions: all }), emitted };
}

/** Checks that the scripts of a `runtime` section compile. @throws ApiError script_exception, mapper_parsing_exception */
export function checkRuntimeScripts(runtime: unknown): void {
  if (typeof runtime !== 'object' || runtime === null) return;
  for (const node of Object.values(runtime as MutableJsonObject)) {
    const script = (node as MutableJsonObject | null)?.['script'];
    const spec = typeof script === 'string' ? { source: script } : script;
    if (typeof spec === 'object' && spec !== null && 'source' in spec)
      compileRuntime(String((node as MutableJsonObject)['type']), spec as MutableJsonObject);
  }
}

/** Values of a runtime field as scripts see them, in ascending order. @throws ApiError script_exception */
export function runtimeValues(type: FieldType, document: SourceDocument): Value[] {
  const definition = type.runtime?.script ?? null;
  if (definition === null) return sourceValues(type, document);
  const { script, emitted } = programOf(type, definition);
  if (depth >= MAX_DEPTH)
    throw new ScriptFault('illegal_argument_exception', `Cyclic dependency detected while resolving runtime fields: ${type.name}`);
  depth++;
  emitted.length = 0;
  try {
    script.run(document);
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

/** Converts an emitted value to the type; null if there is none. @throws ScriptFault: the value is of another type */
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
  if (number === null) throw new ScriptFault('class_cast_exception', `[${textOf(value)}] is not a value of type [${typeName}]`);
  return number;
}

/** Values at the field's path in the source, without those that the type rejects. */
function sourceValues(type: FieldType, document: SourceDocument): Value[] {
  return convertSource(type, valuesAt(document.json(), type.name.split('.')));
}

/** Values of a source as scripts see those of a field, in ascending order, without those that the type rejects. */
export function convertSource(type: FieldType, found: readonly unknown[]): Value[] {
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
      return type.spec.column === 'f64' || type.scale !== 1 ? new Double(Number(raw) * type.scale) : BigInt(raw);
    }
    default:
      if (type.family === 'ip') type.termBytes(value);
      return String(value);
  }
}

/** Raw values as a column of the type would store them, in ascending order. */
export function runtimeRaw(type: FieldType, document: SourceDocument): RawValue[] {
  const values = runtimeValues(type, document);
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

/** What a script emits for a document as a runtime field of this type. @throws ApiError script_exception */
export function emittedValues(typeName: string, script: JsonObject, document: ScriptDocument): Value[] {
  const { script: compiled, emitted } = compileRuntime(typeName, script);
  compiled.run(document);
  return emitted;
}

/** Values formatted for `fields` and `docvalue_fields`. */
export function formatRuntime(type: FieldType, document: SourceDocument, format: string | null): unknown[] {
  if (type.family === 'geo_point') {
    return runtimeValues(type, document).map((value) => {
      const [lat, lon] = (value as Value[]).map((part) => doubleOf(part) ?? 0);
      return { coordinates: [jsonDouble(lon), jsonDouble(lat)], type: 'Point' };
    });
  }
  const valueFormat = type.format(format === 'use_field_mapping' ? null : format, null);
  return runtimeRaw(type, document).map((raw) => (raw instanceof Uint8Array ? valueFormat.formatBytes(raw) : valueFormat.format(raw)));
}
