// Resolves the sort of a request against the index of a shard.

import { jsonDouble, jsonFloat } from '../../common/json/json-float.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { FieldType } from '../../mapping/core/field-type.ts';
import { noFielddataError } from '../../mapping/core/fielddata-errors.ts';
import type { SortKey } from '../../plan/query-plan.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import { RuntimeColumns } from '../compute/scripted-segment.ts';
import { keyOf } from '../index-query/term.ts';
import type { SortSpec } from '../request/sort-request.ts';
import { requireNested, rewriteBareQuery } from '../rewrite/rewrite.ts';
import { requireIdFielddata } from '../shard/limits.ts';
import { type RewriteContext, rewriteError } from '../shard/rewrite-context.ts';
import { idSort, scriptSort } from './computed-sort.ts';
import type { ResolvedSort } from './resolved-sort.ts';
import { type FieldSpecOf, numericCodec, ordinalsCodec, readNumber } from './sort-codecs.ts';

const utf8 = new TextEncoder();

type GeoSpecOf = Extract<SortSpec, { by: 'geo_distance' }>;

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
      if (spec.field === '_id') {
        requireIdFielddata(context.limits);
        return idSort(spec.descending);
      }
      return spec.field === '_index' ? indexSort(spec, context.index) : fieldSort(spec, context);
  }
}

function scoreSort(descending: boolean): ResolvedSort {
  return {
    descending,
    needsScore: true,
    missingFirst: false,
    keyFor: () => ({ by: 'score', descending }),
    valueOf: (_raw, _segment, _docId, _docBase, score) => score,
    render: (value) => (typeof value === 'number' ? jsonFloat(value) : value),
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
    after: (value, _segment, docBase) => pageValue(value, null, readNumber) - docBase,
    rawOf: (value, _segment, docBase) => Number(value) - docBase,
  };
}

/** Sorts by `_index`. All documents of a shard have the same value, so the key has no column and the value is added to the hits. */
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
  return { by: 'column', column: null, descending, mode: 'min', missing: 'last', nestedDocsPtr: 0, nestedFilter: null, maxChildren: null };
}

function geoSort(spec: GeoSpecOf, context: RewriteContext): ResolvedSort {
  const field = context.mapping.field(spec.field);
  if (!field && !spec.ignoreUnmapped) throw illegalArgumentError(`failed to find mapper for [${spec.field}] for geo distance based sort`);
  if (field && field.family !== 'geo_point') throw rewriteError(context, `field [${spec.field}] is not a geo_point field`);
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
    render: (value) => (value === null ? 'Infinity' : jsonDouble(Number(value))),
    after: (value) => (value === 'Infinity' ? null : readNumber(value) * spec.unitMeters),
    rawOf: (value) => (value === null ? null : Number(value) * spec.unitMeters),
  };
}

function fieldSort(spec: FieldSpecOf, context: RewriteContext): ResolvedSort {
  const mapped = context.mapping.field(spec.field);
  const known = mapped ?? unmappedField(spec, context);
  // Nanoseconds sorted as dates or doubles are sorted by their milliseconds.
  const field = spec.numericType === 'date' || spec.numericType === 'double' ? (known.aggregated ?? known) : known;
  if (field.family === 'geo_point') {
    throw illegalArgumentError("can't sort on geo_point field without using specific sorting feature, like geo_distance");
  }
  if (field.family === 'histogram') throw illegalArgumentError(`can't sort on the [${field.typeName}] field`);
  if (!field.isAggregatable) throw notSortableError(field);
  if (context.dialect.needsNestedSorts && field.nestedPath !== null && !spec.nested && context.nestedPath === null)
    throw rewriteError(context, `it is mandatory to set the [nested] context on the nested sort field: [${field.name}].`);
  const isOrdinals = field.spec.column === 'ordinals';
  const mode = spec.mode ?? (spec.descending ? 'max' : 'min');
  if (isOrdinals && (mode === 'sum' || mode === 'avg' || mode === 'median')) {
    throw rewriteError(context, 'we only support AVG, MEDIAN and SUM on number based fields');
  }
  if (isOrdinals && spec.numericType !== null)
    throw rewriteError(context, `[numeric_type] option cannot be set on a non-numeric field, got ${field.typeName}`);
  if (spec.nested) requireNested(spec.nested.path, context);
  if (spec.nested && mode === 'median') throw illegalArgumentError('Unsupported sort mode: MEDIAN');
  const nestedFilter = spec.nested?.filter ? rewriteBareQuery(spec.nested.filter, { ...context, nestedPath: spec.nested.path }) : null;
  const codec = isOrdinals ? ordinalsCodec(field, spec) : numericCodec(field, spec, context.dialect);
  const missingFirst = spec.missing === '_first';
  const name = field.spec.name;
  const computed = field.runtime || field.keyPrefix ? new RuntimeColumns(field, context) : null;
  /** For a runtime field or a key of a flattened field, the segment with the computed column. */
  const withComputed = (segment: SegmentReader): SegmentReader => computed?.of(segment) ?? segment;
  return {
    descending: spec.descending,
    needsScore: false,
    missingFirst,
    ...(computed ? { isComputed: true } : {}),
    ...(mapped !== null && field.family === 'numeric' && spec.numericType === null ? { isUnsigned: field.unsigned } : {}),
    keyFor: (own, planFilter, matching) => {
      const segment = computed?.compute(own, matching) ?? own;
      return {
        by: 'column',
        column: mapped ? segment.column(name) : null,
        descending: spec.descending,
        mode,
        isUnsigned: field.unsigned,
        missing: codec.missing === null ? (missingFirst ? 'first' : 'last') : codec.missing(segment),
        nestedDocsPtr: spec.nested ? segment.nestedDocsPtr(spec.nested.path) : 0,
        nestedFilter: nestedFilter ? planFilter(nestedFilter) : null,
        maxChildren: spec.nested?.maxChildren ?? null,
      };
    },
    valueOf: (raw, segment) => codec.decode(raw, withComputed(segment)),
    render: (value) => codec.render(value),
    after: (value, segment) =>
      pageValue(field.typeName === 'boolean' ? readFlag(value) : value, spec.field, (given) => codec.encode(given, withComputed(segment))),
    rawOf: (value, segment) => codec.raw(value, withComputed(segment)),
  };
}

/** Reads a value of `search_after`. @throws ApiError illegal_argument_exception: it is no number */
function pageValue<T>(value: unknown, field: string | null, read: (value: unknown) => T): T {
  try {
    return read(value);
  } catch (error) {
    if (!(error instanceof ApiError) || error.type !== 'number_format_exception') throw error;
    throw illegalArgumentError(`Failed to parse search_after value for field [${field}].`, error);
  }
}

/** A boolean as text is read as such; its hits show it as a number. */
function readFlag(value: unknown): unknown {
  if (typeof value !== 'string' || /^[+-]?\d+(\.\d*)?$/.test(value)) return value;
  if (value === 'true' || value === 'false') return value === 'true' ? 1 : 0;
  throw illegalArgumentError(`Cannot parse boolean [${value}], expected either [true] or [false]`);
}

/** The field in place of one that is not mapped. @throws ApiError: the sort has no `unmapped_type`, or an unknown one */
function unmappedField({ field, unmappedType }: FieldSpecOf, context: RewriteContext): FieldType {
  if (unmappedType === null) throw rewriteError(context, `No mapping found for [${field}] in order to sort on`);
  const type = context.mapping.anonymousField(unmappedType);
  if (type === null) throw illegalArgumentError(`No mapper found for type [${unmappedType}]`);
  return type;
}

export function notSortableError(field: FieldType): ApiError {
  if (field.typeName === 'dense_vector') return illegalArgumentError(`Field [${field.name}] of type [dense_vector] doesn't support sort`);
  return noFielddataError(field);
}
