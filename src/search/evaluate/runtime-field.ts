// Values of runtime fields: emitted by a script, or read from the source of the document.

import { encodeLatitude, encodeLongitude } from '../../common/encoding/geo-encoding.ts';
import { jsonDouble } from '../../common/json/json-float.ts';
import type { JsonObject, MutableJsonObject } from '../../common/json/json-value.ts';
import { present } from '../../common/present.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { FieldType, MetadataValue } from '../../mapping/core/field-type.ts';
import { ShapeFieldType } from '../../mapping/types/shapes.ts';
import type { Shape } from '../../mapping/values/geo-shape-value.ts';
import { shapeFormat } from '../../mapping/values/shape-format.ts';
import { parseGeoPoint } from '../../query/geo/geo-point.ts';
import { compileDocScript, type DocScript, EXTRACTION_FUNCTIONS, type ScriptDocument } from '../../scripting/doc-script.ts';
import type { Implementation } from '../../scripting/java/class-info.ts';
import { ScriptFault } from '../../scripting/java/faults.ts';
import { textOf } from '../../scripting/java/objects.ts';
import { Double, type ScriptMap, type Value } from '../../scripting/java/values.ts';
import { zonedDateTime } from '../../scripting/library/time/zoned-time.ts';
import { doubleOf, millisOf } from '../../scripting/numeric-value.ts';
import { parseScript } from '../../scripting/script-spec.ts';
import { fromScript } from '../../scripting/update-script.ts';
import { valuesAt } from './source-values.ts';

/** A document whose script values and source a runtime field reads. */
export interface SourceDocument extends ScriptDocument {
  /** The source as parsed JSON; an empty object if none is stored. */
  json(): unknown;
  /** A property of the document; null if it is not indexed. */
  metadata(name: MetadataValue): Value;
}

/** A value as a column would store it: the bytes of a term, a number, or the code of a point. */
export type RawValue = bigint | number | Uint8Array;

interface Program {
  readonly script: DocScript;
  /** Values of the last run; for a composite, pairs of a name and a value. */
  readonly emitted: Value[];
}

/** By script: the fields of a composite share its program. */
const programs = new WeakMap<object, Program>();
/** Runtime fields may read each other up to this depth; deeper nesting is treated as a cycle. */
const MAX_DEPTH = 10;
let depth = 0;

/** Types emitted by scripts of fields whose values are not strings. */
const EMITTED: Readonly<Record<string, string>> = { long: 'long', double: 'double', date: 'long', boolean: 'boolean' };

/** @throws ApiError script_exception: the script does not compile */
function programOf(typeName: string, script: JsonObject): Program {
  let program = programs.get(script);
  if (!program) programs.set(script, (program = compileRuntime(typeName, script)));
  return program;
}

/** `emit` of a type, which appends to `emitted`. */
function emitters(typeName: string, emitted: Value[]): Readonly<Record<string, Implementation>> {
  switch (typeName) {
    case 'composite':
      return {
        'void emit(Map)': (map: ScriptMap) => {
          for (const [name, value] of map) emitted.push([name, value]);
        },
        'void emit(String,def)': (name: string, value: Value) => emitted.push([name, value]),
      };
    case 'geo_point':
      return { 'void emit(double,double)': (lat: number, lon: number) => emitted.push([new Double(lat), new Double(lon)]) };
    case 'geo_shape':
      return { 'void emit(def)': (value: Value) => emitted.push(value) };
    default:
      return { [`void emit(${EMITTED[typeName] ?? 'String'})`]: (value: Value) => emitted.push(convert(typeName, value)) };
  }
}

function compileRuntime(typeName: string, script: Readonly<MutableJsonObject>): Program {
  const emitted: Value[] = [];
  const functions = { ...emitters(typeName, emitted), ...EXTRACTION_FUNCTIONS };
  return { script: compileDocScript(parseScript(script), { stored: () => null, context: 'runtime', functions }), emitted };
}

/** Checks that the scripts of a `runtime` section compile. @throws ApiError script_exception, illegal_argument_exception */
export function checkRuntimeScripts(runtime: unknown): void {
  if (typeof runtime !== 'object' || runtime === null) return;
  for (const node of Object.values(runtime as MutableJsonObject)) {
    const { type, script } = (node ?? {}) as MutableJsonObject;
    const spec = typeof script === 'string' ? { source: script } : script;
    if (typeof spec === 'object' && spec !== null && 'source' in spec && EMITTING_TYPES.has(String(type)))
      compileRuntime(String(type), spec as MutableJsonObject);
  }
}

const EMITTING_TYPES = new Set([...Object.keys(EMITTED), 'composite', 'geo_point', 'geo_shape', 'ip', 'keyword']);

/** Values of a runtime field in their script form, in ascending order. @throws ApiError script_exception */
export function runtimeValues(type: FieldType, document: SourceDocument): Value[] {
  if (type.family === 'shape' || type.family === 'lookup')
    throw new ScriptFault('illegal_argument_exception', `Fielddata is not supported on field [${type.name}] of type [${type.typeName}]`);
  const { script, part, ignoresErrors, metadata } = present(type.runtime);
  if (metadata !== null) return [document.metadata(metadata)].filter((value) => value !== null);
  if (script === null) return sourceValues(type, document);
  const emitted = run(type.name, part === null ? type.typeName : 'composite', script, ignoresErrors, document);
  if (part !== null) {
    const found = partOf(emitted, part);
    // Numbers are milliseconds, whatever the format of the field is.
    if (type.family === 'date' && found.every((value) => typeof value === 'number')) return found.map(zonedDateTime).sort(compareValues);
    return convertSource(type, found);
  }
  return emitted.filter((value) => value !== null).sort(compareValues);
}

/** The values that a script emits for a document. */
function run(name: string, typeName: string, source: JsonObject, ignoresErrors: boolean, document: SourceDocument): readonly Value[] {
  const { script, emitted } = programOf(typeName, source);
  if (depth >= MAX_DEPTH)
    throw new ScriptFault('illegal_argument_exception', `Cyclic dependency detected while resolving runtime fields: ${name}`);
  depth++;
  emitted.length = 0;
  try {
    script.run(document);
  } catch (error) {
    if (!ignoresErrors || !(error instanceof ApiError) || error.type !== 'script_exception') throw error;
    emitted.length = 0;
  } finally {
    depth--;
  }
  return [...emitted];
}

/** The values that a composite emitted under a name, as JSON. */
function partOf(emitted: readonly Value[], part: string): unknown[] {
  return emitted.flatMap((pair) => {
    const [name, value] = pair as Value[];
    const json = name === part ? fromScript(value) : null;
    return json === null ? [] : json;
  });
}

/** Shapes of a runtime field, without those in sources that are not valid. @throws ApiError: the script emits no shape */
export function runtimeShapes(type: ShapeFieldType, document: SourceDocument): Shape[] {
  const { script, part, ignoresErrors } = present(type.runtime);
  if (script !== null && part === null)
    return run(type.name, type.typeName, script, ignoresErrors, document).flatMap((value) =>
      value === null ? [] : [type.read(fromScript(value))],
    );
  const given =
    script === null
      ? valuesAt(document.json(), type.name.split('.'))
      : partOf(run(type.name, 'composite', script, ignoresErrors, document), part ?? '');
  return given.flat(Number.POSITIVE_INFINITY).flatMap((value) => {
    try {
      return value === null ? [] : [type.read(value)];
    } catch (error) {
      if (error instanceof ApiError) return [];
      throw error;
    }
  });
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

/** Values of a source in the script form of the field, in ascending order, without those that the type rejects. */
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

/** The code of a point as columns have it. @param value  the latitude and the longitude */
export function pointCode(value: Value): bigint {
  const [lat, lon] = (value as Value[]).map((part) => doubleOf(part) ?? 0);
  return (BigInt(encodeLatitude(lat)) << 32n) + BigInt(encodeLongitude(lon) + 2 ** 31);
}

/** The values that a script of a runtime field of this type emits for a document. @throws ApiError script_exception */
export function emittedValues(typeName: string, script: JsonObject, document: ScriptDocument): Value[] {
  const { script: compiled, emitted } = compileRuntime(typeName, script);
  compiled.run(document);
  return emitted;
}

/** Values formatted for `fields` and `docvalue_fields`. */
export function formatRuntime(type: FieldType, document: SourceDocument, format: string | null): unknown[] {
  if (type instanceof ShapeFieldType) return runtimeShapes(type, document).map(shapeFormat(format, type.name));
  if (type.family === 'geo_point') {
    return runtimeValues(type, document).map((value) => {
      const [lat, lon] = (value as Value[]).map((part) => doubleOf(part) ?? 0);
      return { coordinates: [jsonDouble(lon), jsonDouble(lat)], type: 'Point' };
    });
  }
  const valueFormat = type.format(format, null);
  return runtimeRaw(type, document).map((raw) => (raw instanceof Uint8Array ? valueFormat.formatBytes(raw) : valueFormat.format(raw)));
}
