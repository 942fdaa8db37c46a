// Sort orders of one shard: fields resolved to columns, values made comparable between segments, shards and indices, and shown to users.
import { shortestFloat } from '../../common/float32.ts';
import type { ApiError } from '../../errors/api-error.ts';
import { illegalArgument } from '../../errors/catalog.ts';
import { numberFormat, reduceFailed } from '../../errors/search-errors.ts';
import type { FieldType } from '../../mapping/field-type.ts';
import { MAPPER_TYPES } from '../../mapping/types/registry.ts';
import type { PlanNode, SortKey } from '../../plan/query-plan.ts';
import type { SegmentReader } from '../../plan/segment.ts';
import { RuntimeColumns } from '../compute/scripted-segment.ts';
import type { IndexQuery } from '../index-query/index-query.ts';
import { type Bytes, keyOf } from '../index-query/term.ts';
import type { SortSpec } from '../request/sort-request.ts';
import { rewriteQuery } from '../rewrite/rewrite.ts';
import { type RewriteContext, refuse } from '../shard/rewrite-context.ts';
import { idSort, scriptSort } from './computed-sort.ts';

/** A value as hits are ordered by it: numbers in units of the API, byte strings as latin-1 text, null for missing. */
export type SortValue = number | bigint | string | null;

const utf8 = new TextEncoder();
const LONG_MAX = 2n ** 63n - 1n;
const LONG_MIN = -(2n ** 63n);
const INT_MAX = 2 ** 31 - 1;
const INT_MIN = -(2 ** 31);
const UNSIGNED_SHIFT = 2n ** 63n;
const NANOS_PER_MS = 1_000_000n;

type FieldSpecOf = Extract<SortSpec, { by: 'field' }>;
type GeoSpecOf = Extract<SortSpec, { by: 'geo_distance' }>;

/** One key of a sort in one shard. */
export interface ResolvedSort {
  readonly descending: boolean;
  readonly needsScore: boolean;
  /** Where documents without a value go, whatever the order. */
  readonly missingFirst: boolean;
  /** Values are unsigned integers; absent where the field is not mapped or not a number, or its values are converted. */
  readonly isUnsigned?: boolean;
  /** The key's column is computed for each run, within the scratch of the run. */
  readonly isComputed?: boolean;
  /**
   * @param planFilter  plan of a nested sort's filter in this segment
   * @param matching    documents that the search finds in it
   */
  keyFor(segment: SegmentReader, planFilter: (query: IndexQuery) => PlanNode, matching: () => Iterable<number>): SortKey;
  /** @param docBase  documents in the shard's earlier segments */
  valueOf(raw: bigint | number | null, segment: SegmentReader, docId: number, docBase: number, score: number): SortValue;
  /** JSON of a value in a hit's `sort`. */
  render(value: SortValue): unknown;
  /** The raw value behind which a page starts. @throws ApiError for values that the field cannot have */
  after(value: unknown, segment: SegmentReader, docBase: number): bigint | number | null;
  /** The raw value of a hit seen before: where a scroll goes on. */
  rawOf(value: SortValue, segment: SegmentReader, docBase: number): bigint | number | null;
}

/** @throws ApiError query_shard_exception, illegal_argument_exception */
export function resolveSort(spec: SortSpec, context: RewriteContext): ResolvedSort {
  switch (spec.by) {
    case 'score':
      return scoreSort(spec.descending);
    case 'doc':
      return docSort(spec.descending);
    case 'geo_distance':
      return geoSort(spec, context);
    case 'script':
      return scriptSort(spec, context);
    case 'field':
      if (spec.field === '_shard_doc') return docSort(spec.descending);
      if (spec.field === '_id') return idSort(spec.descending);
      return spec.field === '_index' ? indexSort(spec, context.index) : fieldSort(spec, context);
  }
}

/** Order of two values of one key, as hits are listed. */
export function compareSortValues(a: SortValue, b: SortValue, sort: ResolvedSort): number {
  if (a === b) return 0;
  if (a === null || b === null) return (a === null) === sort.missingFirst ? -1 : 1;
  const order = a < b ? -1 : a > b ? 1 : 0;
  return sort.descending ? -order : order;
}

/** @throws ApiError search_phase_execution_exception: shards order by unsigned integers and by other numbers under one key */
export function checkSameKinds(sorts: ReadonlyArray<readonly ResolvedSort[]>): void {
  const keys = Math.max(0, ...sorts.map((sort) => sort.length));
  for (let k = 0; k < keys; k++) {
    const kinds = new Set(sorts.map((sort) => sort[k]?.isUnsigned).filter((kind) => kind !== undefined));
    if (kinds.size > 1) {
      throw reduceFailed(
        illegalArgument(
          "Can't do sort across indices, as a field has [unsigned_long] type in one index, and different type in another index!",
        ),
      );
    }
  }
}

function scoreSort(descending: boolean): ResolvedSort {
  return {
    descending,
    needsScore: true,
    missingFirst: false,
    keyFor: () => ({ by: 'score', descending }),
    valueOf: (_raw, _segment, _docId, _docBase, score) => score,
    render: (value) => (typeof value === 'number' ? shortestFloat(value) : value),
    after: (value) => Math.fround(readNumber(value)),
    rawOf: (value) => Number(value),
  };
}

function docSort(descending: boolean): ResolvedSort {
  return {
    descending,
    needsScore: false,
    missingFirst: false,
    keyFor: () => ({ by: 'doc', descending }),
    valueOf: (_raw, _segment, docId, docBase) => docBase + docId,
    render: (value) => value,
    after: (value, _segment, docBase) => readNumber(value) - docBase,
    rawOf: (value, _segment, docBase) => Number(value) - docBase,
  };
}

/** All documents of a shard have one value: the column is missing, the name is put in afterwards. */
function indexSort(spec: FieldSpecOf, index: string): ResolvedSort {
  const name = keyOf(utf8.encode(index));
  return {
    descending: spec.descending,
    needsScore: false,
    missingFirst: false,
    keyFor: () => missingColumn(spec.descending),
    valueOf: () => name,
    render: () => index,
    after: () => null,
    rawOf: () => null,
  };
}

function missingColumn(descending: boolean): SortKey {
  return { by: 'column', column: null, descending, mode: 'min', missing: 'last', nestedDocsPtr: 0, nestedFilter: null };
}

function geoSort(spec: GeoSpecOf, context: RewriteContext): ResolvedSort {
  const field = context.mapping.field(spec.field);
  if (!field && !spec.ignoreUnmapped) throw illegalArgument(`failed to find mapper for [${spec.field}] for geo distance based sort`);
  if (field && field.family !== 'geo_point') throw refuse(context, `field [${spec.field}] is not a geo_point field`);
  const mode = spec.mode ?? (spec.descending ? 'max' : 'min');
  return {
    descending: spec.descending,
    needsScore: false,
    missingFirst: false,
    keyFor: (segment) => ({
      by: 'geoDistance',
      column: field ? segment.column(field.spec.name) : null,
      points: spec.points,
      isPlane: spec.isPlane,
      descending: spec.descending,
      mode,
    }),
    valueOf: (raw) => (raw === null ? null : Number(raw) / spec.unitMeters),
    render: (value) => (value === null ? 'Infinity' : value),
    after: (value) => (value === 'Infinity' ? null : readNumber(value) * spec.unitMeters),
    rawOf: (value) => (value === null ? null : Number(value) * spec.unitMeters),
  };
}

function fieldSort(spec: FieldSpecOf, context: RewriteContext): ResolvedSort {
  const field = context.mapping.field(spec.field);
  if (!field) {
    if (spec.unmappedType === null) throw refuse(context, `No mapping found for [${spec.field}] in order to sort on`);
    if (!MAPPER_TYPES.has(spec.unmappedType)) throw illegalArgument(`No mapper found for type [${spec.unmappedType}]`);
    return unmappedSort(spec, spec.unmappedType);
  }
  if (field.family === 'geo_point') {
    throw illegalArgument("can't sort on geo_point field without using specific sorting feature, like geo_distance");
  }
  if (!field.isAggregatable) throw notSortable(field);
  const isOrdinals = field.spec.column === 'ordinals';
  const mode = spec.mode ?? (spec.descending ? 'max' : 'min');
  if (isOrdinals && (mode === 'sum' || mode === 'avg' || mode === 'median')) {
    throw refuse(context, 'we only support AVG, MEDIAN and SUM on number based fields');
  }
  if (spec.nested && mode === 'median') throw illegalArgument('Unsupported sort mode: MEDIAN');
  const nestedFilter = spec.nested?.filter ? rewriteQuery(spec.nested.filter, { ...context, nestedPath: spec.nested.path }) : null;
  const codec = isOrdinals ? ordinalsCodec(field, spec) : numericCodec(field, spec);
  const missingFirst = spec.missing === '_first';
  const name = field.spec.name;
  const computed = field.runtime ? new RuntimeColumns(field, context) : null;
  /** With the computed column, of a runtime field. */
  const seen = (segment: SegmentReader): SegmentReader => computed?.of(segment) ?? segment;
  return {
    descending: spec.descending,
    needsScore: false,
    missingFirst,
    ...(computed ? { isComputed: true } : {}),
    ...(field.family === 'numeric' && spec.numericType === null ? { isUnsigned: field.unsigned } : {}),
    keyFor: (own, planFilter, matching) => {
      const segment = computed?.compute(own, matching) ?? own;
      return {
        by: 'column',
        column: segment.column(name),
        descending: spec.descending,
        mode,
        isUnsigned: field.unsigned,
        missing: codec.missing === null ? (missingFirst ? 'first' : 'last') : codec.missing(segment),
        nestedDocsPtr: spec.nested ? segment.nestedDocsPtr(spec.nested.path) : 0,
        nestedFilter: nestedFilter ? planFilter(nestedFilter) : null,
      };
    },
    valueOf: (raw, segment) => codec.decode(raw, seen(segment)),
    render: (value) => codec.render(value),
    after: (value, segment) => codec.encode(value, seen(segment)),
    rawOf: (value, segment) => codec.raw(value, seen(segment)),
  };
}

export function notSortable(field: FieldType): ApiError {
  if (field.family === 'text') {
    return illegalArgument(
      'Text fields are not optimised for operations that require per-document field data like aggregations and sorting, so these operations ' +
        `are disabled by default. Please use a keyword field instead. Alternatively, set fielddata=true on [${field.name}] in order to load field ` +
        'data by uninverting the inverted index. Note that this can use significant memory.',
    );
  }
  return illegalArgument(
    `Can't load fielddata on [${field.name}] because fielddata is unsupported on fields of type [${field.typeName}]. Use doc values instead.`,
  );
}

interface SortCodec {
  /** Raw value of the segment that stands for missing ones; null: they go first or last. */
  readonly missing: ((segment: SegmentReader) => bigint | number) | null;
  decode(raw: bigint | number | null, segment: SegmentReader): SortValue;
  render(value: SortValue): unknown;
  encode(value: unknown, segment: SegmentReader): bigint | number | null;
  raw(value: SortValue, segment: SegmentReader): bigint | number | null;
}

/** Ordinal of a term in a segment; between two ordinals for a term that it does not have. */
function ordinalOf(segment: SegmentReader, field: string, bytes: Bytes): number {
  const state = segment.lookupTerm(field, bytes);
  return state ? state.ord : segment.seekOrd(field, bytes) - 0.5;
}

function bytesOfKey(key: string): Bytes {
  const bytes = new Uint8Array(key.length);
  for (let i = 0; i < key.length; i++) bytes[i] = key.charCodeAt(i);
  return bytes;
}

function ordinalsCodec(field: FieldType, spec: FieldSpecOf): SortCodec {
  const name = field.spec.name;
  const format = field.format(null, null);
  const given = spec.missing === '_first' || spec.missing === '_last' ? null : field.termBytes(spec.missing);
  const givenKey = given ? keyOf(given) : null;
  return {
    missing: given ? (segment) => (segment.postings(name) || segment.column(name) ? ordinalOf(segment, name, given) : 0) : null,
    decode: (raw, segment) => {
      if (raw === null) return givenKey;
      const ord = Number(raw);
      return Number.isInteger(ord) ? keyOf(segment.termOf(name, ord)) : givenKey;
    },
    render: (value) => (value === null ? null : format.formatBytes(bytesOfKey(String(value)))),
    encode: (value, segment) => (value === null ? null : ordinalOf(segment, name, field.termBytes(value))),
    raw: (value, segment) => (value === null ? null : ordinalOf(segment, name, bytesOfKey(String(value)))),
  };
}

/** Type that sort values are shown in, with the values that stand for missing ones. */
function extremes(typeName: string, numericType: string | null): readonly [unknown, unknown] {
  switch (numericType ?? typeName) {
    case 'byte':
    case 'short':
    case 'integer':
    case 'token_count':
      return [INT_MIN, INT_MAX];
    case 'float':
    case 'half_float':
    case 'double':
    case 'scaled_float':
      return ['-Infinity', 'Infinity'];
    case 'unsigned_long':
      return [0, 2n ** 64n - 1n];
    case 'keyword':
    case 'text':
    case 'ip':
      return [null, null];
    default:
      return [LONG_MIN, LONG_MAX];
  }
}

function numericCodec(field: FieldType, spec: FieldSpecOf): SortCodec {
  const isF64 = field.spec.column === 'f64';
  const scaled = field.scale !== 1;
  const [lowest, highest] = extremes(field.typeName, spec.numericType);
  const shown = (spec.missing === '_first') === spec.descending ? highest : lowest;
  const given = spec.missing === '_first' || spec.missing === '_last' ? null : rawOf(field, spec.missing);
  const format = spec.format === null ? null : field.format(spec.format, null);
  const isNanos = field.typeName === 'date_nanos';
  const toNanos = spec.numericType === 'date_nanos' && field.typeName === 'date';
  const toMillis = spec.numericType === 'date' && isNanos;
  /** A value that hits are ordered by, in the unit of the column. */
  const stored = (value: bigint): bigint => (toNanos ? value / NANOS_PER_MS : toMillis ? value * NANOS_PER_MS : value);
  return {
    missing: given === null ? null : () => given,
    decode: (raw) => {
      if (raw === null) return null;
      if (isF64) return Number(raw);
      if (scaled) return Number(raw) * field.scale;
      if (field.unsigned) return BigInt(raw) + UNSIGNED_SHIFT;
      if (toNanos) return BigInt(raw) * NANOS_PER_MS;
      if (toMillis) return BigInt(raw) / NANOS_PER_MS;
      return typeof raw === 'number' ? raw : asNumber(raw);
    },
    render: (value) => {
      if (value === null) return shown;
      if (format) return format.format(isF64 || scaled ? Number(value) : stored(BigInt(value)));
      if (typeof value === 'bigint') return asNumber(value);
      if (spec.numericType === 'long') return Math.trunc(Number(value));
      return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY ? String(value) : value;
    },
    encode: (value) => {
      if (value === null || value === shown || String(value) === String(shown)) return null;
      if (isF64) return readNumber(value);
      if (scaled) return BigInt(Math.round(readNumber(value) / field.scale));
      if (typeof value === 'string' && field.family === 'date' && !((toNanos || toMillis) && format === null)) {
        if (!format) return BigInt(field.exactValue(value) ?? 0);
        const ms = BigInt(format.parse(value, false, Date.now()));
        return field.typeName === 'date_nanos' ? ms * NANOS_PER_MS : ms;
      }
      if (toNanos || toMillis) return stored(readInteger(value));
      if (field.family === 'boolean' && typeof value === 'boolean') return value ? 1n : 0n;
      return field.unsigned ? BigInt(readInteger(value)) - UNSIGNED_SHIFT : BigInt(readInteger(value));
    },
    raw: (value) => {
      if (value === null) return null;
      if (isF64) return Number(value);
      if (scaled) return BigInt(Math.round(Number(value) / field.scale));
      const whole = BigInt(value);
      if (field.unsigned) return whole - UNSIGNED_SHIFT;
      return stored(whole);
    },
  };
}

function rawOf(field: FieldType, value: unknown): bigint | number {
  if (field.family === 'date' && typeof value === 'string') return field.format(null, null).parse(value, false, Date.now());
  if (typeof value === 'string' && !Number.isFinite(Number(value)) && field.family === 'numeric') throw numberFormat(value);
  const raw = field.exactValue(value);
  if (raw === null) throw numberFormat(String(value));
  return raw;
}

/** A bigint as a number where that loses nothing. */
function asNumber(value: bigint): number | bigint {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

function readNumber(value: unknown): number {
  const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
  if (Number.isNaN(number) || value === null || typeof value === 'object') throw numberFormat(String(value));
  return number;
}

function readInteger(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'string' && /^[+-]?\d+$/.test(value)) return BigInt(value);
  return BigInt(Math.trunc(readNumber(value)));
}

function unmappedSort(spec: FieldSpecOf, type: string): ResolvedSort {
  const [lowest, highest] = extremes(type, null);
  const shown = (spec.missing === '_first') === spec.descending ? highest : lowest;
  return {
    descending: spec.descending,
    needsScore: false,
    missingFirst: spec.missing === '_first',
    keyFor: () => missingColumn(spec.descending),
    valueOf: () => null,
    render: () => shown,
    after: () => null,
    rawOf: () => null,
  };
}
