// Scripts that update a document: `ctx` holds its source, its metadata and the operation to perform. JSON is converted to Java's values for the
// run (maps, lists, int or long by size, double) and back to JSON afterwards.

import { BoundedMap } from '../common/bounded-map.ts';
import { JsonFloat, jsonDouble } from '../common/json/json-float.ts';
import type { JsonObject } from '../common/json/json-value.ts';
import { setOwn } from '../common/json/own-property.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import { circuitBreakingError } from '../errors/search-errors.ts';
import { ENTRY_BYTES } from './java/budget.ts';
import { JavaMap } from './java/collections.ts';
import { isCollection, MAX_VALUE_DEPTH, textOf } from './java/objects.ts';
import { Byte, Double, Float, isNumericArray, JavaArray, type ScriptMap, Short, type Value } from './java/values.ts';
import { UPDATE_CONTEXT, withCtx } from './library/documents/ctx-functions.ts';
import { type CompiledScript, compileScript } from './painless.ts';
import { parseScript, resolveScript, type StoredScript } from './script-spec.ts';

const MAX_CACHED = 200;
const cache = new BoundedMap<string, CompiledScript>(MAX_CACHED);

export interface UpdateScript {
  readonly source: string;
  readonly params: JsonObject;
}

/** Reads the script of a request and looks up stored ones. @throws ApiError: unsupported language, no script, resource_not_found_exception */
export function parseUpdateScript(value: unknown, stored: (id: string) => StoredScript | null): UpdateScript {
  const spec = parseScript(value);
  const { lang, source } = resolveScript(spec, stored);
  if (lang !== 'painless') throw illegalArgumentError(`script_lang not supported [${lang}]`);
  return { source, params: spec.params };
}

/** @throws ApiError script_exception, with the place of the error */
export function compileUpdateScript(source: string): CompiledScript {
  let script = cache.get(source);
  if (!script) {
    script = compileScript(source, UPDATE_CONTEXT);
    cache.set(source, script);
  }
  return script;
}

/** The document that a script updates, with its metadata. */
export interface ScriptedDocument {
  readonly source: JsonObject;
  readonly index: string;
  readonly id: string;
  readonly version: number | null;
  readonly routing: string | null;
  readonly nowMs: number;
}

/** Destination of a document after the script ran; null for what the script did not set. */
export type ScriptedPlace = Pick<ScriptedDocument, 'version' | 'routing'> & { readonly index: string; readonly id: string | null };

export type ScriptOutcome =
  | {
      readonly op: 'index';
      /** Doubles that JavaScript would print otherwise than Java are JsonFloat. */
      readonly source: JsonObject;
      readonly place: ScriptedPlace;
    }
  | { readonly op: 'none' }
  | { readonly op: 'delete'; readonly place: ScriptedPlace };

const FIXED = ['_index', '_id', '_version', '_routing'];

/**
 * @param canMove  the script may change the destination of the document (_reindex)
 * @throws ApiError script_exception (compile or runtime), illegal_argument_exception: unknown operation, changed metadata
 */
export function runUpdateScript(
  script: UpdateScript,
  document: ScriptedDocument,
  op: 'index' | 'create',
  { canMove = false }: { readonly canMove?: boolean } = {},
): ScriptOutcome {
  const compiled = compileUpdateScript(script.source);
  const ctx: ScriptMap = new JavaMap([
    ['_source', toScript(document.source)],
    ['_index', document.index],
    ['_id', document.id],
    ['_version', document.version === null ? null : BigInt(document.version)],
    ['_routing', document.routing],
    ['_now', BigInt(document.nowMs)],
    ['op', op],
  ]);
  const before = new Map(ctx);
  withCtx(ctx, () => compiled.run({ ctx, params: toScript(script.params) }));
  if (!canMove)
    for (const name of FIXED) if (ctx.get(name) !== before.get(name)) throw illegalArgumentError(`[${name}] cannot be changed by a script`);
  const wanted = ctx.get('op') ?? 'index';
  switch (wanted) {
    case 'index':
    case 'create':
      return { op: 'index', source: fromScript(ctx.get('_source') ?? new JavaMap(), jsonDouble) as JsonObject, place: placeOf(ctx) };
    case 'none':
    case 'noop':
      return { op: 'none' };
    case 'delete':
      return { op: 'delete', place: placeOf(ctx) };
    default:
      throw illegalArgumentError(`Operation type [${String(wanted)}] not allowed, only [noop, index, delete] are allowed`);
  }
}

/** @throws ApiError illegal_argument_exception: no index, a version that is not an integer */
function placeOf(ctx: ScriptMap): ScriptedPlace {
  const text = (name: string): string | null => {
    const value = fromScript(ctx.get(name) ?? null);
    return value === null ? null : String(value);
  };
  const index = text('_index');
  if (index === null) throw illegalArgumentError("Can't reindex without a destination index!");
  const version = fromScript(ctx.get('_version') ?? null);
  if (version !== null && !Number.isSafeInteger(version)) throw illegalArgumentError('_version may only be set to an int or a long');
  return { index, id: text('_id'), routing: text('_routing'), version: version as number | null };
}

const MAX_INT = 2 ** 31;

/** Converts JSON to the values that Java has for it; objects become maps in the order of their members. */
export function toScript(value: unknown): Value {
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) return new Double(value);
    return value >= -MAX_INT && value < MAX_INT ? value | 0 : BigInt(value);
  }
  if (Array.isArray(value)) return value.map(toScript);
  if (value instanceof JsonFloat) return new Double(value.value);
  if (typeof value === 'object' && value !== null) {
    const map = new JavaMap();
    for (const [key, item] of Object.entries(value)) map.set(key, toScript(item));
    return map;
  }
  return value;
}

/**
 * Converts values back to JSON; longs within 2^53 become numbers.
 * @param double  converts doubles
 * @throws ApiError illegal_argument_exception: the value contains itself; circuit_breaking_exception: it is too large
 */
export function fromScript(value: Value, double: (value: number) => unknown = (plain) => plain): unknown {
  if (typeof value === 'object' && value !== null) checkSize(value);
  return jsonOf(value, double);
}

/** Most bytes of a value that a script returns or stores, as JSON would have them. */
const MAX_RESULT_BYTES = 64 * 2 ** 20;

/** Values may share parts: as JSON, each part is written wherever it occurs. */
function checkSize(root: Value): void {
  let bytes = 0;
  const visit = (value: Value, depth: number): void => {
    bytes += typeof value === 'string' ? value.length + 2 : ENTRY_BYTES;
    if (bytes > MAX_RESULT_BYTES) throw circuitBreakingError('script', bytes, MAX_RESULT_BYTES);
    if (depth > MAX_VALUE_DEPTH) throw illegalArgumentError('Iterable object is self-referencing itself');
    if (value instanceof Map) {
      for (const [key, item] of value) {
        bytes += String(key).length;
        visit(item, depth + 1);
      }
    } else if (isNumericArray(value)) bytes += value.length * ENTRY_BYTES;
    else if (Array.isArray(value) || value instanceof JavaArray || isCollection(value))
      for (const item of itemsOf(value)) visit(item, depth + 1);
  };
  visit(root, 0);
}

/** Items of a list, set or array. */
function itemsOf(value: Iterable<Value> | JavaArray): Iterable<Value> {
  return value instanceof JavaArray ? value.items : value;
}

function jsonOf(value: Value, double: (value: number) => unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Double || value instanceof Float) return double(value.value);
  if (value instanceof Short || value instanceof Byte) return value.value;
  if (value instanceof Map) {
    const object: JsonObject = {};
    for (const [key, item] of value) setOwn(object, textOf(key), jsonOf(item, double));
    return object;
  }
  if (value instanceof Float64Array || value instanceof Float32Array) return Array.from(value, double);
  if (isNumericArray(value)) return Array.from(value as Iterable<Value>, (item) => jsonOf(item, double));
  if (Array.isArray(value) || value instanceof JavaArray || isCollection(value))
    return Array.from(itemsOf(value), (item) => jsonOf(item, double));
  return textOf(value);
}
