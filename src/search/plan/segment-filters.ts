// Plans of queries that only filter. They need the columns, postings and documents of one segment, but no statistics of the shard.
import type { PlanNode } from '../../plan/query-plan.ts';
import type { TermPairs, TermState } from '../../plan/segment.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import { planDocs } from '../compute/computed-planner.ts';
import type { HostFilter, IndexQuery, RangeIndexQuery } from '../index-query/index-query.ts';
import type { PatternQuery } from '../index-query/pattern-query.ts';

/** If the field has a column, more terms than this are planned as a range of ordinals. */
const FEW_TERMS = 16;
const MATCH_NONE: PlanNode = { op: 'matchNone' };

export type FilterQuery = Extract<
  IndexQuery,
  { op: 'rangeI64' | 'rangeF64' | 'inI64' | 'inF64' | 'existsColumn' | 'existsNorm' | 'ids' | 'geoBox' | 'geoDistance' | 'hostFilter' }
>;

export function planFilter(query: FilterQuery, segment: SegmentReader): PlanNode {
  switch (query.op) {
    case 'rangeI64':
    case 'rangeF64':
      return planRange(query, segment);
    case 'inI64': {
      const column = segment.column(query.field);
      return column ? { op: 'inI64', column, values: query.values } : MATCH_NONE;
    }
    case 'inF64': {
      const column = segment.column(query.field);
      return column ? { op: 'inF64', column, values: query.values } : MATCH_NONE;
    }
    case 'existsColumn': {
      const column = segment.column(query.field);
      return column && column.docCount > 0 ? { op: 'existsColumn', column } : MATCH_NONE;
    }
    case 'existsNorm': {
      const postings = segment.postings(query.field);
      return postings?.hasNorms ? { op: 'existsNorm', postings } : MATCH_NONE;
    }
    case 'ids':
      return planDocs(query.ids.map((id) => segment.docOfId(id)).filter((docId) => docId >= 0));
    case 'geoBox': {
      const column = segment.column(query.field);
      const { top, left, bottom, right } = query;
      return column ? { op: 'geoBox', column, top, left, bottom, right } : MATCH_NONE;
    }
    case 'geoDistance': {
      const column = segment.column(query.field);
      return column ? { op: 'geoDistance', column, lat: query.lat, lon: query.lon, meters: query.meters } : MATCH_NONE;
    }
    case 'hostFilter':
      return planHostFilter(query, segment);
  }
}

export function planAnyTerm(field: string, terms: readonly TermState[], segment: SegmentReader): PlanNode {
  const postings = segment.postings(field);
  if (!postings || terms.length === 0) return MATCH_NONE;
  if (terms.length === 1) return { op: 'term', postings, term: terms[0], scorer: null };
  return { op: 'anyTerm', postings, terms: pairsOf(terms) };
}

export function pairsOf(terms: readonly TermState[]): TermPairs {
  return Uint32Array.from(terms.filter(({ docFreq }) => docFreq > 0).flatMap(({ ptr, docFreq }) => [ptr, docFreq]));
}

/** Documents of a segment that have any term of the pattern. */
export function planPatternTerms(query: PatternQuery, segment: SegmentReader): PlanNode {
  const postings = segment.postings(query.field);
  if (!postings) return MATCH_NONE;
  const { from, to, includeFrom, includeTo, filter } = query.pattern;
  const column = query.hasColumn ? segment.column(query.field) : null;
  if (!filter) {
    const first = from === null ? 0 : ordOf(segment, query.field, from, includeFrom);
    const end = to === null ? postings.termCount : ordOf(segment, query.field, to, !includeTo);
    if (first >= end) return MATCH_NONE;
    if (column && end - first > FEW_TERMS) return { op: 'rangeOrd', column, min: first, max: end - 1 };
    return { op: 'termRange', postings, from: first, to: end };
  }
  const terms = segment.matchTerms(query.field, query.pattern, filter);
  return terms.length === 0 ? MATCH_NONE : { op: 'anyTerm', postings, terms };
}

/** Ordinal of the first term >= bytes, or > bytes. */
function ordOf(segment: SegmentReader, field: string, bytes: Uint8Array, inclusive: boolean): number {
  const ord = segment.seekOrd(field, bytes);
  if (inclusive) return ord;
  return segment.lookupTerm(field, bytes) ? ord + 1 : ord;
}

function planRange(query: RangeIndexQuery, segment: SegmentReader): PlanNode {
  const column = segment.column(query.field);
  if (!column || column.docCount === 0 || query.min > column.max || query.max < column.min) return MATCH_NONE;
  if (query.min <= column.min && query.max >= column.max) return { op: 'existsColumn', column };
  return query.op === 'rangeI64'
    ? { op: 'rangeI64', column, min: query.min, max: query.max }
    : { op: 'rangeF64', column, min: query.min, max: query.max };
}

function planHostFilter(query: HostFilter, segment: SegmentReader): PlanNode {
  if (query.field !== '' && !segment.column(query.field)) return MATCH_NONE;
  const docs: number[] = [];
  for (let docId = 0; docId < segment.maxDoc; docId++) if (query.matches(segment, docId)) docs.push(docId);
  return planDocs(docs);
}
