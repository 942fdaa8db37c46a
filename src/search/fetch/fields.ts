// `fields` of a hit: values from the source, formatted by the type of the field.

import { jsonDouble, jsonFloat } from '../../common/json/json-float.ts';
import { isObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { FieldType, ValueFormat } from '../../mapping/core/field-type.ts';
import type { MappingSnapshot } from '../../mapping/core/mapping-snapshot.ts';
import { matchesWildcard } from '../../mapping/definition/dynamic-templates.ts';
import { ShapeFieldType } from '../../mapping/types/shapes.ts';
import { shapeFormat } from '../../mapping/values/shape-format.ts';
import { parseGeoPoint } from '../../query/geo/geo-point.ts';
import { firstValuesAt, type SourcePath, sourcePathsOf, valuesAt } from '../evaluate/source-values.ts';
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
  const groups = new Map<string, Leaf[]>();
  for (const { leaves, unmapped: pattern } of plansOf(shard.mapping, wanted)) {
    for (const leaf of leaves) addLeaf(shard, source, leaf, '', into, ignored, groups);
    if (pattern === null) continue;
    const unmapped: MutableJsonObject = {};
    unmappedValues(shard, source, '', pattern, unmapped);
    for (const [name, values] of Object.entries(unmapped)) setOwn(into, name, values);
  }
  addGroups(shard, source, groups, '', into, ignored);
}

/** The parts of every source with one mapping that a request reads. */
interface FieldPlan {
  readonly leaves: readonly Leaf[];
  /** Pattern of unmapped fields; null: they are not requested. */
  readonly unmapped: string | null;
}

/** A requested field. */
interface Leaf {
  readonly name: string;
  readonly type: FieldType;
  readonly format: string | null;
  /** Paths of the values of the field, and of the fields copied to it. */
  readonly sources: ReadonlyArray<readonly SourcePath[]>;
  /** The nested paths that contain it, if they are shown as groups. */
  readonly nestedPaths: readonly string[];
  /** Formats a value; created with the first value, since creating it refuses formats that the type does not have. */
  shown: ((value: unknown) => unknown) | null;
}

/** Readers by mapping and request. Patterns, paths and formats are resolved once for all hits. */
const plans = new WeakMap<MappingSnapshot, WeakMap<readonly FieldRequest[], readonly FieldPlan[]>>();

function plansOf(mapping: MappingSnapshot, wanted: readonly FieldRequest[]): readonly FieldPlan[] {
  let byRequest = plans.get(mapping);
  if (!byRequest) plans.set(mapping, (byRequest = new WeakMap()));
  let found = byRequest.get(wanted);
  if (!found) byRequest.set(wanted, (found = wanted.map((request) => planOf(mapping, request))));
  return found;
}

function planOf(mapping: MappingSnapshot, { field: pattern, format, includeUnmapped }: FieldRequest): FieldPlan {
  const names = pattern.includes('*') ? mapping.matchFields(pattern) : [pattern];
  const leaves = names.flatMap((name): Leaf[] => {
    const type = mapping.field(name);
    if (!type || type.runtime || name.startsWith('_')) return [];
    const sources = [type.name, ...mapping.copiedFrom(type.name)].map((source) => sourcePathsOf(mapping, source));
    const nestedPaths = mapping.dialect.groupsNestedFields ? mapping.nestedPathsOf(name) : [];
    return [{ name, type, format, sources, nestedPaths, shown: null }];
  });
  return { leaves, unmapped: includeUnmapped ? pattern : null };
}

/**
 * Adds the values of a field of the objects at the nested path `scope`, or defers it to `groups` if it is inside another nested path below.
 * @param source  a whole source, in which `scope` holds one object
 */
function addLeaf(
  shard: SearchShard,
  source: MutableJsonObject,
  leaf: Leaf,
  scope: string,
  into: MutableJsonObject,
  ignored: MutableJsonObject,
  groups: Map<string, Leaf[]>,
): void {
  const below = leaf.nestedPaths.find((path) => path.length > scope.length);
  if (below !== undefined) {
    const group = groups.get(below);
    if (group) group.push(leaf);
    else groups.set(below, [leaf]);
    return;
  }
  const values = valuesOf(shard, source, leaf, ignored);
  if (values.length > 0) setOwn(into, scope === '' ? leaf.name : leaf.name.slice(scope.length + 1), values);
}

/** Adds a list with the fields of each object at each nested path. */
function addGroups(
  shard: SearchShard,
  source: MutableJsonObject,
  groups: ReadonlyMap<string, readonly Leaf[]>,
  scope: string,
  into: MutableJsonObject,
  ignored: MutableJsonObject,
): void {
  for (const [path, leaves] of groups) {
    const objects = valuesAt(source, path.split('.')).flat(Number.POSITIVE_INFINITY).filter(isObject);
    const shown = objects.map((object) => {
      const own: MutableJsonObject = {};
      const inner = new Map<string, Leaf[]>();
      const only = wrapAt(path, object);
      for (const leaf of leaves) addLeaf(shard, only, leaf, path, own, ignored, inner);
      addGroups(shard, only, inner, path, own, ignored);
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

function valuesOf(shard: SearchShard, source: MutableJsonObject, leaf: Leaf, ignored: MutableJsonObject): unknown[] {
  const { type, sources } = leaf;
  const [own] = sources;
  const raw = sources.length === 1 ? firstValuesAt(source, own) : sources.flatMap((paths) => firstValuesAt(source, paths));
  const flat =
    type.family === 'geo_point' || type.typeName === 'point'
      ? pointsOf(raw)
      : raw.some(Array.isArray)
        ? raw.flat(Number.POSITIVE_INFINITY)
        : raw;
  const values: unknown[] = [];
  for (const value of flat) {
    const given = type.typeName === 'token_count' && value !== null ? countTokens(shard, type, value) : value;
    const usable = given ?? type.params['null_value'];
    const shown = usable === undefined || usable === null ? undefined : (leaf.shown ??= formatOf(type, leaf.format))(usable);
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

/** Returns a function that formats a value, or omits it with undefined. @throws ApiError: the type does not have this format */
function formatOf(type: FieldType, format: string | null): (value: unknown) => unknown {
  if (type.family === 'geo_point') {
    const show = shapeFormat(format, type.name);
    return lenient((value) => {
      const { lat, lon } = parseGeoPoint(value);
      return show({ type: 'point', at: [lon, lat] });
    });
  }
  if (type instanceof ShapeFieldType) return lenient(type.shown(format));
  if (type.typeName === 'flattened' && type.keyPrefix === null) {
    if (format !== null) throw illegalArgumentError(`error fetching [${type.name}]: Field [${type.name}] doesn't support formats.`);
    return (value) => value;
  }
  if (type.figures) return (value) => value;
  if (type.family === 'numeric' && format !== null)
    throw illegalArgumentError(`error fetching [${type.name}]: Field [${type.name}] of type [${type.typeName}] doesn't support formats.`);
  return lenient(converterOf(type, type.format(format, null)));
}

/** Omits values that are refused. */
function lenient(convert: (value: unknown) => unknown): (value: unknown) => unknown {
  return (value) => {
    try {
      return convert(value);
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  };
}

function converterOf(type: FieldType, format: ValueFormat): (value: unknown) => unknown {
  switch (type.family) {
    case 'numeric':
      return numberConverter(type, format.format.bind(format));
    case 'boolean':
      return (value) => value === true || value === 'true';
    case 'date':
      return (value) => format.format(dateOf(type, value));
    case 'keyword': {
      const ignoreAbove = type.params['ignore_above'];
      const limit = typeof ignoreAbove === 'number' ? ignoreAbove : Number.POSITIVE_INFINITY;
      return (value) => (String(value).length > limit ? undefined : format.formatBytes(type.termBytes(value)));
    }
    case 'range':
      return rangeConverter(type, format);
    case 'ip':
      return (value) => format.formatBytes(type.termBytes(value));
    case 'text':
      return (value) => (typeof value === 'object' ? value : String(value));
    default:
      return (value) => value;
  }
}

const INTEGERS = new Set(['byte', 'short', 'integer', 'long', 'unsigned_long', 'token_count']);

function numberConverter(type: FieldType, format: (raw: bigint | number) => unknown): (value: unknown) => unknown {
  const isInteger = INTEGERS.has(type.typeName);
  return (value) => {
    const given = isInteger && typeof value !== 'bigint' && !/^[+-]?\d+$/.test(String(value)) ? Math.trunc(Number(value)) : value;
    const raw = type.exactValue(given);
    return raw === null ? undefined : format(raw);
  };
}

/** The raw column value of a date. */
function dateOf(type: FieldType, value: unknown): bigint {
  const bounds = type.rangeBounds({ from: value, to: value, includeFrom: true, includeTo: true, format: null, timeZone: null, nowMs: 0 });
  if (bounds.kind !== 'i64') throw new ApiError('illegal_argument_exception', 400, 'not a date');
  return bounds.min;
}

/** Formats the ends of a range of dates or of fractions. */
function rangeConverter(type: FieldType, format: ValueFormat): (value: unknown) => unknown {
  const showEnd: ((end: unknown) => unknown) | undefined = {
    date_range: (end: unknown) => format.format(dateOf(type, end)),
    double_range: (end: unknown) => jsonDouble(Number(end)),
    float_range: (end: unknown) => jsonFloat(Math.fround(Number(end))),
  }[type.typeName];
  if (!showEnd) return (value) => value;
  const show = (key: string, end: unknown): unknown => (RANGE_ENDS.has(key) && end !== null ? showEnd(end) : end);
  return (value) =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, end]) => [key, show(key, end)]))
      : value;
}

const RANGE_ENDS = new Set(['gt', 'gte', 'lt', 'lte', 'from', 'to']);
