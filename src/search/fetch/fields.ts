// `fields` of a hit: values from the source, formatted by the type of the field.

import { jsonDouble } from '../../common/json/json-float.ts';
import { isObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { FieldType, ValueFormat } from '../../mapping/core/field-type.ts';
import { matchesWildcard } from '../../mapping/definition/dynamic-templates.ts';
import { parseGeoPoint } from '../../query/geo/geo-point.ts';
import { fieldValuesIn, valuesAt } from '../evaluate/source-values.ts';
import type { FieldRequest } from '../request/request-parts.ts';
import type { SearchShard } from '../shard/search-shard.ts';

/** Adds the values of each requested field; omits values that the field type rejects. */
export function sourceFields(
  shard: SearchShard,
  source: MutableJsonObject,
  wanted: readonly FieldRequest[],
  into: MutableJsonObject,
  ignored: MutableJsonObject = {},
): void {
  const { mapping } = shard;
  const groups = new Map<string, LeafRequest[]>();
  for (const { field: pattern, format, includeUnmapped } of wanted) {
    for (const name of pattern.includes('*') ? mapping.matchFields(pattern) : [pattern]) {
      const type = mapping.field(name);
      if (!type || type.runtime || name.startsWith('_')) continue;
      addLeaf(shard, source, { name, type, format, ignored }, '', into, groups);
    }
    if (includeUnmapped) {
      const unmapped: MutableJsonObject = {};
      unmappedValues(shard, source, '', pattern, unmapped);
      for (const [name, values] of Object.entries(unmapped)) setOwn(into, name, values);
    }
  }
  addGroups(shard, source, groups, '', into);
}

/** A requested field. */
interface LeafRequest {
  readonly name: string;
  readonly type: FieldType;
  readonly format: string | null;
  /** Receives the values that the field type did not index. */
  readonly ignored: MutableJsonObject;
}

/**
 * Adds the values of a field of the objects at the nested path `scope`, or defers it to `groups` if it is inside another nested path below.
 * @param source  a whole source, in which `scope` holds one object
 */
function addLeaf(
  shard: SearchShard,
  source: MutableJsonObject,
  leaf: LeafRequest,
  scope: string,
  into: MutableJsonObject,
  groups: Map<string, LeafRequest[]>,
): void {
  const { mapping } = shard;
  const below = mapping.dialect.groupsNestedFields
    ? mapping.nestedPathsOf(leaf.name).find((path) => path.length > scope.length)
    : undefined;
  if (below !== undefined) {
    const group = groups.get(below);
    if (group) group.push(leaf);
    else groups.set(below, [leaf]);
    return;
  }
  const values = valuesOf(shard, source, leaf);
  if (values.length > 0) setOwn(into, scope === '' ? leaf.name : leaf.name.slice(scope.length + 1), values);
}

/** Adds a list with the fields of each object at each nested path. */
function addGroups(
  shard: SearchShard,
  source: MutableJsonObject,
  groups: ReadonlyMap<string, readonly LeafRequest[]>,
  scope: string,
  into: MutableJsonObject,
): void {
  for (const [path, leaves] of groups) {
    const objects = valuesAt(source, path.split('.')).flat(Number.POSITIVE_INFINITY).filter(isObject);
    const shown = objects.map((object) => {
      const own: MutableJsonObject = {};
      const inner = new Map<string, LeafRequest[]>();
      const only = wrapAt(path, object);
      for (const leaf of leaves) addLeaf(shard, only, leaf, path, own, inner);
      addGroups(shard, only, inner, path, own);
      return own;
    });
    const filled = shown.filter((own) => Object.keys(own).length > 0);
    if (filled.length > 0) setOwn(into, scope === '' ? path : path.slice(scope.length + 1), filled);
  }
}

/** An object at its path, as in a source. */
function wrapAt(path: string, object: MutableJsonObject): MutableJsonObject {
  return path.split('.').reduceRight<MutableJsonObject>((inner, part) => ({ [part]: inner }), object);
}

/** Adds the source values, as written, of matching paths that no mapped field covers. */
function unmappedValues(shard: SearchShard, value: unknown, path: string, pattern: string, into: MutableJsonObject): void {
  if (Array.isArray(value)) {
    for (const item of value) unmappedValues(shard, item, path, pattern, into);
    return;
  }
  if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const inner = path === '' ? key : `${path}.${key}`;
      const type = shard.mapping.field(inner);
      if (!type || type.family === 'object') unmappedValues(shard, item, inner, pattern, into);
    }
    return;
  }
  if (value === null || !matchesWildcard(pattern, path)) return;
  const known = into[path];
  if (known === undefined) setOwn(into, path, [value]);
  else (known as unknown[]).push(value);
}

function valuesOf(shard: SearchShard, source: MutableJsonObject, { type, format, ignored }: LeafRequest): unknown[] {
  const raw = [type.name, ...shard.mapping.copiedFrom(type.name)].flatMap((name) => fieldValuesIn(shard.mapping, name, source));
  const flat =
    type.family === 'geo_point'
      ? pointsOf(raw)
      : raw.flatMap((value) => (Array.isArray(value) ? value.flat(Number.POSITIVE_INFINITY) : [value]));
  const values: unknown[] = [];
  for (const value of flat) {
    const given = type.typeName === 'token_count' && value !== null ? countTokens(shard, type, value) : value;
    const shown = show(type, given ?? type.params['null_value'], format);
    if (shown !== undefined) values.push(shown);
    else if (given !== null && given !== undefined)
      setOwn(ignored, type.name, [...((ignored[type.name] as unknown[] | undefined) ?? []), given]);
  }
  return values;
}

/** The number that a token_count field indexes for a value. */
function countTokens(shard: SearchShard, type: FieldType, value: unknown): number {
  const tokens = shard.analysis.analyze(String(type.params['analyzer']), String(value));
  const byPosition = type.params['enable_position_increments'] !== false;
  return byPosition && tokens.length > 0 ? tokens[tokens.length - 1].position + 1 : tokens.length;
}

function pointsOf(raw: readonly unknown[]): unknown[] {
  return raw.flatMap((value) => (Array.isArray(value) && typeof value[0] !== 'number' ? value : [value]));
}

/** Formats a value; undefined if it is omitted. @throws ApiError: the type does not have this format */
function show(type: FieldType, value: unknown, format: string | null): unknown {
  if (value === undefined || value === null) return undefined;
  if (type.family === 'geo_point') return showPoint(value, format);
  if (type.typeName === 'flattened' && type.keyPrefix === null) {
    if (format !== null) throw illegalArgumentError(`error fetching [${type.name}]: Field [${type.name}] doesn't support formats.`);
    return value;
  }
  if (type.figures) return value;
  if (type.family === 'numeric' && format !== null)
    throw illegalArgumentError(`error fetching [${type.name}]: Field [${type.name}] of type [${type.typeName}] doesn't support formats.`);
  const valueFormat = type.format(format, null);
  try {
    switch (type.family) {
      case 'numeric':
      case 'boolean':
        return showNumber(type, value, valueFormat.format.bind(valueFormat));
      case 'date':
        return valueFormat.format(dateOf(type, value));
      case 'keyword': {
        const ignoreAbove = type.params['ignore_above'];
        if (typeof ignoreAbove === 'number' && String(value).length > ignoreAbove) return undefined;
        const bytes = type.termBytes(value);
        return valueFormat.formatBytes(bytes);
      }
      case 'range':
        return type.typeName === 'date_range' ? showDates(type, value, valueFormat) : value;
      case 'ip':
        return valueFormat.formatBytes(type.termBytes(value));
      default:
        return type.family === 'text' && typeof value !== 'object' ? String(value) : value;
    }
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

function showNumber(type: FieldType, value: unknown, format: (raw: bigint | number) => unknown): unknown {
  if (type.family === 'boolean') return value === true || value === 'true';
  const isInteger = ['byte', 'short', 'integer', 'long', 'unsigned_long', 'token_count'].includes(type.typeName);
  const given = isInteger && typeof value !== 'bigint' && !/^[+-]?\d+$/.test(String(value)) ? Math.trunc(Number(value)) : value;
  const raw = type.exactValue(given);
  return raw === null ? undefined : format(raw);
}

/** The raw column value of a date. */
function dateOf(type: FieldType, value: unknown): bigint {
  const bounds = type.rangeBounds({ from: value, to: value, includeFrom: true, includeTo: true, format: null, timeZone: null, nowMs: 0 });
  if (bounds.kind !== 'i64') throw new ApiError('illegal_argument_exception', 400, 'not a date');
  return bounds.min;
}

/** Formats the ends of a range of dates. */
function showDates(type: FieldType, value: unknown, format: ValueFormat): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const show = (key: string, end: unknown): unknown => (RANGE_ENDS.has(key) && end !== null ? format.format(dateOf(type, end)) : end);
  return Object.fromEntries(Object.entries(value).map(([key, end]) => [key, show(key, end)]));
}

const RANGE_ENDS = new Set(['gt', 'gte', 'lt', 'lte', 'from', 'to']);

function showPoint(value: unknown, format: string | null): unknown {
  try {
    const { lat, lon } = parseGeoPoint(value);
    return format === 'wkt' ? `POINT (${lon} ${lat})` : { coordinates: [jsonDouble(lon), jsonDouble(lat)], type: 'Point' };
  } catch {
    return undefined;
  }
}
