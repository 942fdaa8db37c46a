// Contexts of completion fields: categories and places that restrict and boost suggestions. Source: CategoryContextMapping and GeoContextMapping of
// Elasticsearch 7.10 (Apache License 2.0), described and written anew.

import { geohashLengthWithin, geohashOf } from '../../common/encoding/geohash.ts';
import { isObject, tokenOf } from '../../common/json/json-value.ts';
import { metresOf } from '../../common/text/distance.ts';
import { javaText } from '../../common/text/java-text.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import type { Param } from '../core/params.ts';
import { parseInteger } from '../core/params.ts';
import { isPointList, parseGeoPoint } from '../values/geo-point-value.ts';

export interface ContextMapping {
  readonly name: string;
  readonly type: 'CATEGORY' | 'GEO';
  /** Length of geohashes, 1 to 12. */
  readonly precision?: number;
  /** Field of the document whose values are contexts as well. */
  readonly path?: string;
}

const MAX_CONTEXTS = 10;
const DEFAULT_PRECISION = 6;

function parseError(reason: string): ApiError {
  return new ApiError('parse_exception', 400, reason);
}

export const CONTEXTS_PARAM: Param = {
  parse(value) {
    const list = Array.isArray(value) ? value : [value];
    if (list.length === 0) throw parseError('expected at least one context mapping');
    if (list.length > MAX_CONTEXTS) throw illegalArgumentError(`Limit of completion field contexts [${MAX_CONTEXTS}] has been exceeded`);
    return list.map(parseContextMapping);
  },
  fallback: undefined,
  updatable: false,
};

function parseContextMapping(value: unknown): ContextMapping {
  if (!isObject(value)) throw parseError('expected a list or an entry of context mapping');
  const { name, type, precision, path, ...others } = value;
  if (name === undefined) throw parseError('missing [name] in context mapping');
  if (type === undefined) throw parseError('missing [type] in context mapping');
  const kind = javaText(type).toUpperCase();
  if (kind !== 'CATEGORY' && kind !== 'GEO') throw illegalArgumentError(`No context type for [${javaText(type)}]`);
  const unknown = Object.entries(kind === 'GEO' || precision === undefined ? others : { ...others, precision });
  if (unknown.length > 0) {
    const listed = unknown.map(([key, item]) => ` [${key} : ${javaText(item)}]`).join('');
    throw mapperParsingError(`Mapping definition for [${javaText(name)}] has unsupported parameters: ${listed}`);
  }
  return {
    name: javaText(name),
    type: kind,
    ...(kind === 'GEO' ? { precision: parsePrecision(precision) } : {}),
    ...(path === undefined ? {} : { path: javaText(path) }),
  };
}

/** The length of a geohash, or a distance that its cells must not exceed. @throws ApiError illegal_argument_exception */
export function parsePrecision(value: unknown): number {
  if (value === undefined || value === null) return DEFAULT_PRECISION;
  if (typeof value === 'string') return geohashLengthWithin(metresIn(value));
  return parseInteger(value);
}

function metresIn(text: string): number {
  const [, number = '', unit = ''] = /^\s*([\d.]+(?:[eE][+-]?\d+)?)\s*([a-zA-Z]*)\s*$/.exec(text) ?? [];
  const metres = unit === '' ? 1 : metresOf(unit);
  const value = number === '' ? Number.NaN : Number(number);
  if (metres === null || Number.isNaN(value)) throw new ApiError('number_format_exception', 400, `For input string: "${text}"`);
  return value * metres;
}

/** The contexts of one type in a document, as strings that suggestions compare. @throws ApiError parse_exception and others */
export function contextValues(mapping: ContextMapping, value: unknown): string[] {
  return mapping.type === 'GEO' ? places(value, mapping.precision ?? DEFAULT_PRECISION) : categories(value);
}

function categories(value: unknown): string[] {
  if (Array.isArray(value)) {
    return value.map((item) => {
      if (!isCategory(item)) throw parseError(`context array must have string, number or boolean values, but was [${tokenOf(item)}]`);
      return String(item);
    });
  }
  if (isCategory(value)) return [String(value)];
  throw parseError(`contexts must be a string, number or boolean or a list of string, number or boolean, but was [${tokenOf(value)}]`);
}

export function isCategory(value: unknown): value is string | number | boolean | bigint {
  return ['string', 'number', 'boolean', 'bigint'].includes(typeof value);
}

function places(value: unknown, precision: number): string[] {
  if (Array.isArray(value) && !isPointList(value)) return value.flatMap((item) => places(item, precision));
  if (typeof value === 'string') return [value.slice(0, precision)];
  return [geohashOf(parseGeoPoint(value), precision)];
}

/** The contexts given by the values of another field. Values that are not contexts are skipped. */
export function contextsOfField(mapping: ContextMapping, values: readonly unknown[]): string[] {
  const found: string[] = [];
  const points = mapping.type === 'GEO' && isPointList(values) ? [values] : values;
  for (const value of points) {
    if (value === null) continue;
    if (mapping.type === 'GEO') found.push(geohashOf(parseGeoPoint(value), mapping.precision ?? DEFAULT_PRECISION));
    else if (isCategory(value)) found.push(String(value));
  }
  return found;
}

/** A context of an input: its mapping by position, and its value. */
export interface InputContext {
  readonly mapping: number;
  readonly value: string;
}

const CONTEXT_HEADER = 3;

/** `mapping u8, bytes u16, value (UTF-8)` for each context. */
export function encodeContexts(contexts: readonly InputContext[]): Buffer {
  const parts: Buffer[] = [];
  for (const { mapping, value } of contexts) {
    const bytes = Buffer.from(value);
    if (bytes.length > 0xffff) throw illegalArgumentError('a context has more than 65535 bytes');
    const head = Buffer.alloc(CONTEXT_HEADER);
    head.writeUInt8(mapping, 0);
    head.writeUInt16LE(bytes.length, 1);
    parts.push(head, bytes);
  }
  return Buffer.concat(parts);
}

export function decodeContexts(bytes: Buffer): InputContext[] {
  const contexts: InputContext[] = [];
  for (let at = 0; at + CONTEXT_HEADER <= bytes.length; ) {
    const end = at + CONTEXT_HEADER + bytes.readUInt16LE(at + 1);
    contexts.push({ mapping: bytes.readUInt8(at), value: bytes.toString('utf8', at + CONTEXT_HEADER, end) });
    at = end;
  }
  return contexts;
}
