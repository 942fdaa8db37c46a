// Queries on runtime fields: each leaf query becomes a filter on the values computed for a document.
import { decodeGeoPoint } from '../../common/encoding/geo-encoding.ts';
import { ShapeFieldType } from '../../mapping/types/shapes.ts';
import { textOf } from '../../scripting/java/objects.ts';
import { type RawValue, runtimeRaw, runtimeShapes, runtimeValues } from '../evaluate/runtime-field.ts';
import { distanceMeters } from '../evaluate/score-math.ts';
import { SegmentDocument } from '../evaluate/script-doc.ts';
import type { IndexQuery } from '../index-query/index-query.ts';
import type { TermPattern } from '../index-query/pattern-query.ts';
import { type Bytes, compareBytes } from '../index-query/term.ts';
import { type RewriteContext, requireExpensive } from '../shard/rewrite-context.ts';

/** Replaces leaf queries on runtime fields by filters. @throws ApiError: expensive queries are not allowed */
export function withRuntimeFilters(query: IndexQuery, context: RewriteContext): IndexQuery {
  const inner = (one: IndexQuery): IndexQuery => withRuntimeFilters(one, context);
  switch (query.op) {
    case 'bool':
      return {
        ...query,
        must: query.must.map(inner),
        filter: query.filter.map(inner),
        should: query.should.map(inner),
        mustNot: query.mustNot.map(inner),
      };
    case 'disMax':
      return { ...query, queries: query.queries.map(inner) };
    case 'constant':
    case 'boost':
      return { ...query, query: inner(query.query) };
    case 'term':
      return filterOf(query.term.field, query, context);
    case 'synonym':
    case 'anyTerm':
    case 'pattern':
    case 'rangeI64':
    case 'rangeF64':
    case 'inI64':
    case 'inF64':
    case 'existsColumn':
    case 'geoBox':
    case 'geoDistance':
      return filterOf(query.field, query, context);
    default:
      return query;
  }
}

function filterOf(name: string, query: IndexQuery, context: RewriteContext): IndexQuery {
  const type = context.mapping.field(name);
  if (!type?.runtime) return query;
  if (type.runtime.metadata === null) requireExpensive(context, `queries on [runtime] field [${name}]`);
  const matches = predicateOf(query);
  const isOfTerms = ['term', 'synonym', 'anyTerm', 'pattern'].includes(query.op);
  return {
    op: 'scriptFilter',
    label: `${name}:runtime`,
    nestedPath: context.nestedPath,
    matches: (segment, docId) => {
      const document = new SegmentDocument(context, segment, docId);
      if (type instanceof ShapeFieldType) return runtimeShapes(type, document).length > 0;
      // The terms may be those of a type whose column holds numbers (boolean).
      const values = isOfTerms ? runtimeValues(type, document).map((value) => type.termBytes(textOf(value))) : runtimeRaw(type, document);
      return values.some(matches);
    },
  };
}

function predicateOf(query: IndexQuery): (value: RawValue) => boolean {
  switch (query.op) {
    case 'term':
      return (value) => compareBytes(value as Bytes, query.term.bytes) === 0;
    case 'synonym':
    case 'anyTerm': {
      const { terms } = query;
      return (value) => terms.some(({ bytes }) => compareBytes(value as Bytes, bytes) === 0);
    }
    case 'pattern':
      return (value) => matchesPattern(value as Bytes, query.pattern);
    case 'rangeI64':
    case 'rangeF64':
      return (value) => (value as number) >= query.min && (value as number) <= query.max;
    case 'inI64':
    case 'inF64': {
      const wanted = new Set<bigint | number>(query.values);
      return (value) => wanted.has(value as number);
    }
    case 'geoBox': {
      const { top, left, bottom, right } = query;
      const isBetween = (lon: number): boolean => (left <= right ? lon >= left && lon <= right : lon >= left || lon <= right);
      return (value) => {
        const { lat, lon } = decodeGeoPoint(value as bigint);
        return lat >= bottom && lat <= top && isBetween(lon);
      };
    }
    case 'geoDistance':
      return (value) => distanceMeters(decodeGeoPoint(value as bigint), query) <= query.meters;
    default:
      return () => true;
  }
}

function matchesPattern(term: Bytes, { from, to, includeFrom, includeTo, filter }: TermPattern): boolean {
  if (from !== null) {
    const order = compareBytes(term, from);
    if (order < 0 || (order === 0 && !includeFrom)) return false;
  }
  if (to !== null) {
    const order = compareBytes(term, to);
    if (order > 0 || (order === 0 && !includeTo)) return false;
  }
  return filter === null || filter(term);
}
