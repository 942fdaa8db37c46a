// Aggregations as charts: which kind of chart suits a response, and the query that matches the documents of a bucket.

/** A query clause as JSON. */
export type Filter = Readonly<Record<string, unknown>>;

export interface Bucket {
  readonly label: string;
  readonly count: number;
  /** Document counts by label, from the first sub-aggregation that has buckets. */
  readonly parts: ReadonlyMap<string, number>;
  /** Values of metrics, by name. */
  readonly metrics: ReadonlyMap<string, number>;
  /** Matches the documents of the bucket; null if no query can. */
  readonly filter: Filter | null;
}

export interface Cell {
  readonly label: string;
  readonly count: number;
  /** Degrees. */
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  readonly filter: Filter;
}

export type Chart =
  /** Bars for unordered values, columns along an axis. */
  | {
      readonly kind: 'bars' | 'columns';
      readonly name: string;
      readonly buckets: readonly Bucket[];
      /** Labels of the parts, the largest first. */
      readonly series: readonly string[];
      readonly metrics: readonly string[];
      /** Documents in buckets that are not shown. */
      readonly otherCount: number;
    }
  | { readonly kind: 'map'; readonly name: string; readonly cells: readonly Cell[] }
  | { readonly kind: 'figures'; readonly name: string; readonly figures: ReadonlyArray<readonly [label: string, value: number | string]> }
  | { readonly kind: 'group'; readonly name: string; readonly count: number; readonly children: readonly Chart[] };

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The type and body of each aggregation of a request, by name. */
function definitionOf(aggs: unknown, name: string): { type: string; body: Json; inner: unknown } | null {
  if (!isObject(aggs) || !isObject(aggs[name])) return null;
  const given = aggs[name];
  const type = Object.keys(given).find((key) => key !== 'aggs' && key !== 'aggregations' && key !== 'meta');
  const body = type === undefined ? undefined : given[type];
  return type === undefined || !isObject(body) ? null : { type, body, inner: given.aggs ?? given.aggregations };
}

const COLUMN_TYPES = new Set(['date_histogram', 'histogram', 'auto_date_histogram', 'variable_width_histogram']);
const GRID_TYPES = new Set(['geohash_grid', 'geotile_grid']);

/**
 * @param requested  `aggs` of the request; if absent, charts are chosen by the shape of the response
 * @param answered   `aggregations` of the response
 */
export function chartsOf(requested: unknown, answered: Json): Chart[] {
  return Object.entries(answered).flatMap(([key, value]) => {
    // With typed_keys: `sterms#name`.
    const name = key.slice(key.indexOf('#') + 1);
    const chart = isObject(value) ? chartOf(name, definitionOf(requested, name), value) : null;
    return chart === null ? [] : [chart];
  });
}

type Definition = ReturnType<typeof definitionOf>;

function chartOf(name: string, definition: Definition, value: Json): Chart | null {
  if (Array.isArray(value.buckets) || isObject(value.buckets)) return bucketsChart(name, definition, value);
  if (typeof value.doc_count === 'number')
    return { kind: 'group', name, count: value.doc_count, children: chartsOf(definition?.inner, subAggregations(value)) };
  const figures = figuresOf(value);
  return figures.length === 0 ? null : { kind: 'figures', name, figures };
}

/** `{ value }`, statistics, percentiles. */
function figuresOf(value: Json): Array<[string, number | string]> {
  if (isObject(value.values))
    return Object.entries(value.values).flatMap(
      ([key, n]): Array<[string, number]> => (typeof n === 'number' && !key.endsWith('_as_string') ? [[key, n]] : []),
    );
  if (Array.isArray(value.values))
    return value.values.flatMap(
      (item): Array<[string, number]> => (isObject(item) && typeof item.value === 'number' ? [[String(item.key), item.value]] : []),
    );
  return Object.entries(value).flatMap(([key, n]): Array<[string, number | string]> => {
    if (typeof n !== 'number') return [];
    const text = value[`${key}_as_string`];
    return [[key, typeof text === 'string' ? text : n]];
  });
}

const OWN_KEYS = new Set([
  'key',
  'key_as_string',
  'doc_count',
  'from',
  'to',
  'from_as_string',
  'to_as_string',
  'min',
  'max',
  'bg_count',
  'score',
]);

const subAggregations = (bucket: Json): Json =>
  Object.fromEntries(Object.entries(bucket).filter(([key, value]) => !OWN_KEYS.has(key) && isObject(value)));

function bucketsChart(name: string, definition: Definition, value: Json): Chart {
  const raw: Json[] = Array.isArray(value.buckets)
    ? value.buckets.filter(isObject)
    : Object.entries(value.buckets as Json).flatMap(([key, bucket]) => (isObject(bucket) ? [{ key, ...bucket }] : []));
  const type =
    definition?.type ??
    (raw.some((bucket) => bucket.key_as_string !== undefined && typeof bucket.key === 'number') ? 'date_histogram' : 'terms');
  if (GRID_TYPES.has(type)) return { kind: 'map', name, cells: raw.flatMap((bucket) => cellOf(type, definition, bucket)) };
  const buckets = raw.map((bucket, i) => bucketOf(type, definition, bucket, raw[i + 1]));
  const totals = new Map<string, number>();
  for (const { parts } of buckets) for (const [label, count] of parts) totals.set(label, (totals.get(label) ?? 0) + count);
  return {
    kind: COLUMN_TYPES.has(type) ? 'columns' : 'bars',
    name,
    buckets,
    series: [...totals].sort(([, a], [, b]) => b - a).map(([label]) => label),
    metrics: [...new Set(buckets.flatMap(({ metrics }) => [...metrics.keys()]))],
    otherCount: typeof value.sum_other_doc_count === 'number' ? value.sum_other_doc_count : 0,
  };
}

/** `2024-05-01T00:00:00.000Z` without the parts that are zero. */
export function shortDate(text: string): string {
  return text
    .replace(/\.000Z$/, 'Z')
    .replace(/T00:00:00Z$/, '')
    .replace(/:00Z$/, '')
    .replace('T', ' ')
    .replace(/Z$/, '');
}

function labelOf({ key, key_as_string: text }: Json): string {
  if (typeof text === 'string') return shortDate(text);
  if (Array.isArray(key)) return key.map(String).join(' | ');
  return isObject(key) ? Object.values(key).map(String).join(' | ') : String(key);
}

function bucketOf(type: string, definition: Definition, bucket: Json, next: Json | undefined): Bucket {
  const parts = new Map<string, number>();
  const metrics = new Map<string, number>();
  for (const [key, value] of Object.entries(subAggregations(bucket))) {
    if (!isObject(value)) continue;
    if (Array.isArray(value.buckets) && parts.size === 0)
      for (const inner of value.buckets.filter(isObject))
        parts.set(labelOf(inner), typeof inner.doc_count === 'number' ? inner.doc_count : 0);
    else
      for (const [figure, n] of figuresOf(value).slice(0, 8))
        if (typeof n === 'number') metrics.set(figure === 'value' ? key : `${key}.${figure}`, n);
  }
  return {
    label: labelOf(bucket),
    count: typeof bucket.doc_count === 'number' ? bucket.doc_count : 0,
    parts,
    metrics,
    filter: definition === null ? null : filterOf(type, definition.body, bucket, next),
  };
}

/** The query of the documents of a bucket; null if there is none. */
function filterOf(type: string, body: Json, bucket: Json, next: Json | undefined): Filter | null {
  if (type === 'filters' && isObject(body.filters)) {
    const filter = body.filters[String(bucket.key)];
    return isObject(filter) ? filter : null;
  }
  const { field } = body;
  if (typeof field !== 'string') return null;
  const { key } = bucket;
  switch (type) {
    case 'terms':
    case 'rare_terms':
    case 'significant_terms':
      return { term: { [field]: bucket.key_as_string === 'true' ? true : bucket.key_as_string === 'false' ? false : key } };
    case 'histogram':
      return typeof key === 'number' && typeof body.interval === 'number'
        ? { range: { [field]: { gte: key, lt: key + body.interval } } }
        : null;
    case 'date_histogram':
    case 'auto_date_histogram':
      return typeof key === 'number'
        ? { range: { [field]: { gte: key, ...(typeof next?.key === 'number' ? { lt: next.key } : {}), format: 'epoch_millis' } } }
        : null;
    case 'range':
    case 'date_range': {
      const bounds = { ...(bucket.from === undefined ? {} : { gte: bucket.from }), ...(bucket.to === undefined ? {} : { lt: bucket.to }) };
      return { range: { [field]: { ...bounds, ...(type === 'date_range' ? { format: 'epoch_millis' } : {}) } } };
    }
    default:
      return null;
  }
}

function cellOf(type: string, definition: Definition, bucket: Json): Cell[] {
  const field = definition?.body.field;
  const bounds = typeof bucket.key !== 'string' ? null : type === 'geohash_grid' ? geohashBounds(bucket.key) : tileBounds(bucket.key);
  if (bounds === null || typeof field !== 'string' || typeof bucket.doc_count !== 'number') return [];
  const { west, south, east, north } = bounds;
  const filter = { geo_bounding_box: { [field]: { top_left: { lat: north, lon: west }, bottom_right: { lat: south, lon: east } } } };
  return [{ label: String(bucket.key), count: bucket.doc_count, ...bounds, filter }];
}

interface Bounds {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

const GEOHASH_DIGITS = '0123456789bcdefghjkmnpqrstuvwxyz';

/** Source: G. Niemeyer, geohash (2008): bits of longitude and latitude in turns, five in a digit. */
export function geohashBounds(hash: string): Bounds | null {
  let [west, east, south, north] = [-180, 180, -90, 90];
  let isLongitude = true;
  for (const char of hash) {
    const digit = GEOHASH_DIGITS.indexOf(char);
    if (digit < 0) return null;
    for (let bit = 4; bit >= 0; bit--) {
      const isUpper = ((digit >> bit) & 1) === 1;
      if (isLongitude) {
        if (isUpper) west = (west + east) / 2;
        else east = (west + east) / 2;
      } else if (isUpper) south = (south + north) / 2;
      else north = (south + north) / 2;
      isLongitude = !isLongitude;
    }
  }
  return { west, south, east, north };
}

/** `zoom/x/y` of a map in Web Mercator. */
export function tileBounds(key: string): Bounds | null {
  const [zoom, x, y] = key.split('/').map(Number);
  if (![zoom, x, y].every(Number.isInteger)) return null;
  const tiles = 2 ** zoom;
  const latitude = (row: number): number => (Math.atan(Math.sinh(Math.PI * (1 - (2 * row) / tiles))) * 180) / Math.PI;
  return { west: (x / tiles) * 360 - 180, east: ((x + 1) / tiles) * 360 - 180, north: latitude(y), south: latitude(y + 1) };
}

/** A search body whose query also requires a filter. */
export function withFilter(body: Json, filter: Filter): Json {
  const { query } = body;
  if (query === undefined) return { query: { bool: { filter: [filter] } }, ...body };
  const bool = isObject(query) && Object.keys(query).length === 1 && isObject(query.bool) ? query.bool : null;
  if (bool === null) return { ...body, query: { bool: { must: [query], filter: [filter] } } };
  const before = bool.filter === undefined ? [] : Array.isArray(bool.filter) ? bool.filter : [bool.filter];
  // Without must, should has to match; a filter next to it would make it optional.
  const minimum =
    bool.should !== undefined && bool.must === undefined && bool.minimum_should_match === undefined && before.length === 0
      ? { minimum_should_match: 1 }
      : {};
  return { ...body, query: { bool: { ...bool, ...minimum, filter: [...before, filter] } } };
}
