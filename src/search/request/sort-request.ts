// `sort` of a search body (names, objects, or arrays of both), and the short form in query parameters.

import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { metresOf } from '../../common/text/distance.ts';
import { illegalArgumentError, parsingError } from '../../errors/catalog.ts';
import { xContentParseError } from '../../errors/search-errors.ts';
import { type GeoPoint, isPlaneDistance, parseGeoPoint } from '../../query/geo/geo-point.ts';
import { ObjectParser } from '../../query/parameters.ts';
import { parseQuery } from '../../query/parse-query.ts';
import type { Query } from '../../query/query.ts';
import { readBoolean, readInt, readText } from '../../query/read-json.ts';
import type { ReportUncacheable } from '../../query/uncacheable.ts';
import { parseScript, type ScriptSpec } from '../../scripting/script-spec.ts';

export type SortMode = 'min' | 'max' | 'sum' | 'avg' | 'median';

/** `nested` of a sort: whose values count. */
export interface NestedSort {
  readonly path: string;
  readonly filter: Query | null;
  /** Number of nested documents per document, the first ones with a value, whose values count; null for all. */
  readonly maxChildren: number | null;
}

export type SortSpec =
  | { readonly by: 'score'; readonly descending: boolean }
  | { readonly by: 'doc'; readonly descending: boolean }
  | {
      readonly by: 'field';
      readonly field: string;
      readonly descending: boolean;
      /** null means min if ascending, max if descending. */
      readonly mode: SortMode | null;
      /** `_last`, `_first`, or a value. */
      readonly missing: unknown;
      readonly unmappedType: string | null;
      readonly numericType: string | null;
      readonly format: string | null;
      readonly nested: NestedSort | null;
    }
  | {
      readonly by: 'geo_distance';
      readonly field: string;
      readonly points: readonly GeoPoint[];
      readonly descending: boolean;
      readonly mode: SortMode | null;
      /** Metres per unit of the values. */
      readonly unitMeters: number;
      readonly ignoreUnmapped: boolean;
      /** Whether distances are measured in the plane rather than on the sphere. */
      readonly isPlane: boolean;
    }
  | { readonly by: 'script'; readonly script: ScriptSpec; readonly type: 'number' | 'string'; readonly descending: boolean };

/** @throws ApiError: parsing errors with Elasticsearch's messages */
export function parseSort(value: unknown, report?: ReportUncacheable): SortSpec[] {
  // Outside a list, a scalar of any type names a field.
  const items = Array.isArray(value) ? value : [isObject(value) || value === null ? value : String(value)];
  const specs = items.flatMap((item): SortSpec[] => {
    if (typeof item === 'string') return [ofName(item, null)];
    if (isObject(item)) return Object.entries(item).map(([name, options], i, all) => ofEntry(name, options, i === all.length - 1, report));
    throw illegalArgumentError('malformed sort format, within the sort array, an object, or an actual string are allowed');
  });
  // A single descending _score is the default order.
  return specs.length === 1 && specs[0].by === 'score' && specs[0].descending ? [] : specs;
}

/** `name:desc,other` in query parameters. */
export function parseSortParameter(text: string): SortSpec[] {
  const specs = text.split(',').flatMap((part) => {
    const at = part.lastIndexOf(':');
    if (at <= 0) return [ofName(part, null)];
    // Another order than these is ignored together with its field, as by Elasticsearch.
    const order = part.slice(at + 1);
    return order === 'asc' || order === 'desc' ? [ofName(part.slice(0, at), order)] : [];
  });
  return specs.length === 1 && specs[0].by === 'score' && specs[0].descending ? [] : specs;
}

function isDescending(order: string): boolean {
  const lower = order.toLowerCase();
  if (lower !== 'asc' && lower !== 'desc')
    throw illegalArgumentError(`No enum constant org.elasticsearch.search.sort.SortOrder.${order.toUpperCase()}`);
  return lower === 'desc';
}

function ofName(name: string, order: string | null): SortSpec {
  if (name === '_score') return { by: 'score', descending: order === null || isDescending(order) };
  const descending = order !== null && isDescending(order);
  if (name === '_doc') return { by: 'doc', descending };
  return {
    by: 'field',
    field: name,
    descending,
    mode: null,
    missing: '_last',
    unmappedType: null,
    numericType: null,
    format: null,
    nested: null,
  };
}

function ofEntry(name: string, options: unknown, isLast: boolean, report: ReportUncacheable | undefined): SortSpec {
  if (typeof options === 'string') return ofName(name, options);
  if (!isObject(options)) {
    if (name.startsWith('_')) throw parsingError(`[${name}] sort expects an order or an object, but found [${tokenOf(options)}]`);
    // The parser continues with the next token.
    const found = !Array.isArray(options)
      ? isLast
        ? 'END_OBJECT'
        : 'FIELD_NAME'
      : options.length === 0
        ? 'END_ARRAY'
        : tokenOf(options[0]);
    throw xContentParseError(`[field_sort] Expected START_OBJECT but was: ${found}`);
  }
  if (name === '_geo_distance' || name === '_geoDistance') return geoDistance(options);
  if (name === '_script') {
    return scriptSort(options);
  }
  if (name === '_score' || name === '_doc') {
    for (const key of Object.keys(options)) if (key !== 'order') throw xContentParseError(`[${name}] unknown field [${key}]`);
    return ofName(name, options['order'] === undefined ? null : readText(options['order'], name));
  }
  return fieldSort(name, options, report);
}

const FIELD_SORT = new ObjectParser('field_sort', {
  order: 'string',
  mode: 'string',
  missing: 'scalar',
  unmapped_type: 'string',
  numeric_type: 'string',
  format: 'string',
  nested: 'object',
  nested_path: 'any',
  nested_filter: 'any',
});

const MODES = new Set<SortMode>(['min', 'max', 'sum', 'avg', 'median']);

function readMode(value: unknown): SortMode {
  const mode = readText(value, 'mode').toLowerCase() as SortMode;
  if (!MODES.has(mode)) throw illegalArgumentError(`Unknown SortMode [${String(value)}]`);
  return mode;
}

function readNumericType(value: unknown): string {
  const type = readText(value, 'numeric_type');
  if (['long', 'double', 'date', 'date_nanos', 'unsigned_long'].includes(type)) return type;
  throw illegalArgumentError(`invalid value for [numeric_type], must be [long, double, date, date_nanos], got ${type}`);
}

function fieldSort(field: string, options: JsonObject, report: ReportUncacheable | undefined): SortSpec {
  const spec = { ...(ofName(field, null) as Extract<SortSpec, { by: 'field' }>) } as {
    -readonly [K in keyof Extract<SortSpec, { by: 'field' }>]: Extract<SortSpec, { by: 'field' }>[K];
  };
  FIELD_SORT.check(options);
  for (const [key, value] of Object.entries(options)) {
    switch (key) {
      case 'order':
        spec.descending = FIELD_SORT.read(key, () => isDescending(readText(value, key)));
        break;
      case 'mode':
        spec.mode = FIELD_SORT.read(key, () => readMode(value));
        break;
      case 'missing':
        spec.missing = value;
        break;
      case 'unmapped_type':
        spec.unmappedType = readText(value, key);
        break;
      case 'numeric_type':
        spec.numericType = FIELD_SORT.read(key, () => readNumericType(value));
        break;
      case 'format':
        spec.format = readText(value, key);
        break;
      case 'nested':
        spec.nested = FIELD_SORT.read(key, () => readNested(value, report));
        break;
      case 'nested_path':
      case 'nested_filter':
        throw illegalArgumentError(`[${key}] has been removed in favour of the [nested] parameter`);
    }
  }
  return spec;
}

function readNested(value: unknown, report: ReportUncacheable | undefined): NestedSort {
  if (!isObject(value)) throw parsingError(`[nested] expects an object, but found [${tokenOf(value)}]`);
  let path: string | null = null;
  let filter: Query | null = null;
  let maxChildren: number | null = null;
  let inner: NestedSort | null = null;
  for (const [key, item] of Object.entries(value)) {
    if (key === 'path') path = readText(item, 'nested');
    else if (key === 'filter') filter = parseQuery(item, report);
    else if (key === 'nested') inner = readNested(item, report);
    else if (key === 'max_children') maxChildren = readInt(item, key);
    else throw xContentParseError(`[nested_sort] unknown field [${key}]`);
  }
  if (path === null) throw illegalArgumentError('malformed nested sort format, must start with an object');
  if (inner === null) return { path, filter, maxChildren };
  if (filter !== null || maxChildren !== null)
    throw illegalArgumentError('[filter] and [max_children] of a sort are supported only in the innermost [nested]');
  return inner;
}

function geoDistance(options: JsonObject): SortSpec {
  let field: string | null = null;
  let points: GeoPoint[] = [];
  let descending = false;
  let mode: SortMode | null = null;
  let unitMeters = 1;
  let ignoreUnmapped = false;
  let isPlane = false;
  for (const [key, value] of Object.entries(options)) {
    switch (key) {
      case 'order':
        descending = isDescending(readText(value, key));
        break;
      case 'mode':
      case 'sort_mode':
        mode = readMode(value);
        if (mode === 'sum') throw illegalArgumentError('sort_mode [sum] isn’t supported for sorting by geo distance');
        break;
      case 'unit': {
        const meters = metresOf(readText(value, key));
        if (meters === null) throw illegalArgumentError(`No distance unit match [${String(value)}]`);
        unitMeters = meters;
        break;
      }
      case 'distance_type':
        isPlane = isPlaneDistance(readText(value, key));
        break;
      case 'ignore_unmapped':
        ignoreUnmapped = readBoolean(value, key);
        break;
      case 'validation_method':
        readText(value, key);
        break;
      case 'nested':
        throw illegalArgumentError('[nested] of a geo distance sort is not supported');
      default:
        if (field !== null) throw parsingError(`Trying to reset fieldName to [${key}], already set to [${field}].`);
        field = key;
        points = readPoints(value);
    }
  }
  if (field === null || points.length === 0) throw parsingError('no points provided for _geo_distance sort.');
  return { by: 'geo_distance', field, points, descending, mode, unitMeters, ignoreUnmapped, isPlane };
}

function scriptSort(options: JsonObject): SortSpec {
  let script: ScriptSpec | null = null;
  let type: string | null = null;
  let descending = false;
  for (const [key, value] of Object.entries(options)) {
    if (key === 'script') script = parseScript(value);
    else if (key === 'type') type = readText(value, key).toLowerCase();
    else if (key === 'order') descending = isDescending(readText(value, key));
    else if (key === 'mode') readMode(value);
    else if (key === 'nested') throw illegalArgumentError('[nested] of a script sort is not supported');
    else throw xContentParseError(`[_script] unknown field [${key}]`);
  }
  if (script === null || type === null) throw illegalArgumentError(`Required [${script === null ? 'script' : 'type'}]`);
  if (type !== 'number' && type !== 'string') throw illegalArgumentError(`Unknown ScriptSortType [${type}]`);
  return { by: 'script', script, type, descending };
}

/** A point, or an array of points; an array of two numbers is one point. */
function readPoints(value: unknown): GeoPoint[] {
  if (Array.isArray(value) && typeof value[0] !== 'number' && typeof value[0] !== 'bigint')
    return value.map((point) => parseGeoPoint(point));
  return [parseGeoPoint(value)];
}
