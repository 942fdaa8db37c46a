// Terms of which every match of a query must have at least one. Percolation selects stored queries by them, so there may be too many but never too
// few. Source: the QueryAnalyzer of Elasticsearch 7.10's percolator (idea).

import type { FieldSpec } from '../../../mapping/core/document-sink.ts';
import type { SegmentReader } from '../../../plan/segment-reader.ts';
import type { BoolIndexQuery, IndexQuery, LeafIndexQuery } from '../../index-query/index-query.ts';
import type { Term } from '../../index-query/term.ts';

/** More values of a number than this are not listed. */
const MAX_VALUES = 64;
/** A query with more terms than this is a candidate for every document. */
const MAX_TERMS = 1024;

const encoder = new TextEncoder();

/** `field NUL term`. */
function keyed(field: string, bytes: Uint8Array): Uint8Array {
  const name = encoder.encode(field);
  const key = new Uint8Array(name.length + 1 + bytes.length);
  key.set(name);
  key.set(bytes, name.length + 1);
  return key;
}

function keyedValue(field: string, value: bigint | number): Uint8Array {
  return keyed(field, encoder.encode(String(value)));
}

type Terms = readonly Uint8Array[] | null;

/** @returns null if matches cannot be recognized by terms */
export function extractedTerms(query: IndexQuery): Terms {
  const terms = extract(query);
  return terms !== null && terms.length > MAX_TERMS ? null : terms;
}

function extract(query: IndexQuery): Terms {
  switch (query.op) {
    case 'none':
      return [];
    case 'term':
      return isOfDocuments(query.term.field) ? ofTerms([query.term]) : null;
    case 'synonym':
    case 'anyTerm':
      return isOfDocuments(query.field) ? ofTerms(query.terms) : null;
    case 'blended':
      return ofTerms(query.terms.map(({ term }) => term));
    case 'combined':
      return ofTerms(query.fields.flatMap(({ field }) => query.terms.map((term) => ({ ...term, field }))));
    case 'phrase': {
      const whole = query.prefixExpansions === null ? query.positions : query.positions.slice(0, -1);
      return fewest(whole.map(({ terms }) => ofTerms(terms)));
    }
    case 'rangeI64':
      return query.min === query.max ? [keyedValue(query.field, query.min)] : null;
    case 'rangeF64':
      return query.min === query.max ? [keyedValue(query.field, query.min)] : null;
    case 'inI64':
    case 'inF64': {
      if (query.values.length > MAX_VALUES) return null;
      const { field } = query;
      return Array.from<bigint | number, Uint8Array>(query.values, (value) => keyedValue(field, value));
    }
    case 'bool':
      return ofBool(query);
    case 'disMax':
      return union(query.queries.map(extract));
    case 'termsSet':
      return union(query.clauses.map(extract));
    case 'boosting':
      return extract(query.positive);
    case 'constant':
    case 'boost':
    case 'named':
    case 'nested':
    case 'functionScore':
      return extract(query.query);
    case 'join':
    case 'knn':
    case 'percolate':
    case 'perShard':
      return null;
    default:
      query satisfies LeafIndexQuery;
      return null;
  }
}

/** False for internal fields, which indexing writes independently of the values of documents. */
function isOfDocuments(field: string): boolean {
  return !field.startsWith('_');
}

function ofTerms(terms: readonly Term[]): Terms {
  return terms.map(({ field, bytes }) => keyed(field, bytes));
}

function ofBool({ must, filter, should, minimumShouldMatch }: BoolIndexQuery): Terms {
  const required = [...must, ...filter].map(extract);
  const isShouldNeeded = should.length > 0 && (minimumShouldMatch > 0 || must.length + filter.length === 0);
  return fewest(isShouldNeeded ? [...required, union(should.map(extract))] : required);
}

/** The best of several conditions that all must hold: the one with the fewest terms, among those the longest. */
function fewest(conditions: readonly Terms[]): Terms {
  let best: Terms = null;
  for (const terms of conditions) {
    if (terms === null) continue;
    if (best === null || terms.length < best.length || (terms.length === best.length && shortest(terms) > shortest(best))) best = terms;
  }
  return best;
}

function shortest(terms: readonly Uint8Array[]): number {
  return terms.reduce((least, { length }) => Math.min(least, length), Number.POSITIVE_INFINITY);
}

/** One of several conditions must hold. */
function union(conditions: readonly Terms[]): Terms {
  const all: Uint8Array[] = [];
  for (const terms of conditions) {
    if (terms === null) return null;
    all.push(...terms);
  }
  return all;
}

/** The terms of all documents of a segment, and the values of their numbers, in the form of `extractedTerms`. */
export function termsOfDocuments(segment: SegmentReader, fields: readonly FieldSpec[]): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (const { name, column } of fields) {
    if (!isOfDocuments(name)) continue;
    if (segment.postings(name) || (column === 'ordinals' && segment.column(name))) {
      const all = { from: null, to: null };
      for (const { bytes } of segment.walkTerms(name, all, Number.MAX_SAFE_INTEGER)) found.push(keyed(name, bytes));
    }
    if ((column === 'i64' || column === 'f64') && segment.column(name)) {
      const values = new Set<bigint | number>();
      for (let docId = 0; docId < segment.maxDoc; docId++) for (const value of segment.values(name, docId)) values.add(value);
      for (const value of values) found.push(keyedValue(name, value));
    }
  }
  return found;
}
