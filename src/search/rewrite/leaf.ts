// Rewriting of queries for exact values. The field type converts values and decides where they are looked up.

import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, parsingError } from '../../errors/catalog.ts';
import type { FieldType } from '../../mapping/core/field-type.ts';
import { TSID } from '../../mapping/core/time-series.ts';
import { vectorFormatOf } from '../../mapping/types/dense-vector.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { RangeQuery, TermsQuery, TermsSetQuery } from '../../query/leaf-query.ts';
import { compileDocScript } from '../../scripting/doc-script.ts';
import { doubleOf } from '../../scripting/numeric-value.ts';
import type { ScriptSpec } from '../../scripting/script-spec.ts';
import { runDocScript } from '../evaluate/script-doc.ts';
import { ALL, bool, constant, type IndexQuery, none, withBoost } from '../index-query/index-query.ts';
import { afterPrefix, type Bytes, compareBytes, type Term, termOfBytes, termOfText } from '../index-query/term.ts';
import { fieldOf, type RewriteContext, requireExpensive, rewriteError } from '../shard/rewrite-context.ts';
import { rangeFieldQuery } from './range-field.ts';
import { CONSTANT } from './rewrite-method.ts';

export function unmapped(field: string): IndexQuery {
  return none(`unmapped field [${field}]`);
}

export function hasColumn(field: FieldType): boolean {
  return field.spec.column === 'ordinals';
}

/** Whether terms are scored by statistics: those of text, boolean and internal fields are, unless they are searched in doc values only. */
function scoresByStatistics(field: FieldType, { dialect }: RewriteContext): boolean {
  if (field.params['index'] === false) return false;
  return dialect.scoresKeywords || field.family !== 'keyword' || field.name.startsWith('_') || field.params['use_similarity'] === true;
}

/** Applies the similarity of a field to a scored query on its terms. */
export function bySimilarity(field: FieldType, query: IndexQuery): IndexQuery {
  if (field.similarity === 'boolean') return constant(query);
  // LegacyBM25 is BM25 with an additional factor of k1 + 1.
  return field.similarity === 'LegacyBM25' ? withBoost(query, Math.fround(field.bm25.k1 + 1)) : query;
}

export function requireSearchable(field: FieldType): void {
  if (field.family === 'lookup') throw illegalArgumentError(`Cannot search on field [${field.name}] since it is a lookup field.`);
  if (field.name === TSID) throw illegalArgumentError(`[${TSID}] is not searchable`);
  if (!field.isSearchable) {
    throw illegalArgumentError(`Cannot search on field [${field.keyPrefix ? field.spec.name : field.name}] since it is not indexed.`);
  }
}

/** @throws ApiError query_shard_exception: the field is shown, but cannot be searched for */
function refuseUnsearchableMetadata({ name }: FieldType, context: RewriteContext): void {
  if (name === '_source' || name === '_version') throw rewriteError(context, `The ${name} field is not searchable`);
}

/** Whether the terms of a field can be searched by pattern. */
export function isTextual(field: FieldType): boolean {
  return field.family === 'text' || (field.family === 'keyword' && !WITHOUT_PATTERNS.has(field.name));
}

const WITHOUT_PATTERNS: ReadonlySet<string> = new Set(['_field_names', '_id', '_index']);

/** Matches one value exactly; the field type decides how the match is scored. */
export function termQuery(field: FieldType, value: unknown, context: RewriteContext): IndexQuery {
  if (field.name === '_id') return constant(rewriteIds([String(value)], context));
  if (field.name === '_index') return String(value) === context.index ? constant(ALL) : none('the index has another name');
  if (field.typeName === 'percolator')
    throw rewriteError(context, 'Percolator fields are not searchable directly, use a percolate query instead');
  switch (field.family) {
    case 'geo_point':
    case 'shape':
      throw rewriteError(
        context,
        `Geometry fields do not support exact searching, use dedicated geometry queries instead: [${field.name}]`,
      );
    case 'object':
    case 'nested':
    case 'binary':
      throw rewriteError(context, `Field [${field.name}] of type [${field.typeName}] does not support exact searching`);
    case 'histogram':
      throw rewriteError(context, `[histogram] field do not support searching, use dedicated aggregations instead: [${field.name}]`);
    case 'range':
      return constant(rangeFieldQuery(field, { from: value, to: value }, 'intersects', context));
    default:
  }
  refuseUnsearchableMetadata(field, context);
  requireSearchable(field);
  if (field.family === 'date' || (field.family === 'ip' && String(value).includes('/')))
    return constant(boundsQuery(field, value, value, context));
  if (field.spec.postings !== 'none') {
    const term = termOfBytes(field.spec.name, field.termBytes(value));
    if (field.family === 'ip' || !scoresByStatistics(field, context)) return constant({ op: 'term', term, scored: false });
    return bySimilarity(field, { op: 'term', term, scored: true });
  }
  return constant(columnValues(field, [exactOf(field, value, context)]));
}

/** The raw column value of a value, null if no document can have it. @throws ApiError illegal_argument_exception: as for a range with this value */
function exactOf(field: FieldType, value: unknown, context: RewriteContext): bigint | number | null {
  const exact = field.exactValue(value);
  if (exact === null && field.family === 'numeric') boundsQuery(field, value, value, context);
  return exact;
}

function columnValues(field: FieldType, raw: ReadonlyArray<bigint | number | null>): IndexQuery {
  const values = raw.filter((value) => value !== null);
  if (values.length === 0) return none('no document can have this value');
  if (field.spec.column === 'f64') {
    return { op: 'inF64', field: field.spec.name, values: Float64Array.from(values as number[]).sort() };
  }
  return { op: 'inI64', field: field.spec.name, values: BigInt64Array.from(values.map(BigInt)).sort() };
}

function termRange(field: FieldType, from: Bytes | null, to: Bytes | null, includeFrom: boolean, includeTo: boolean): IndexQuery {
  return {
    op: 'pattern',
    field: field.spec.name,
    pattern: { from, to, includeFrom, includeTo, filter: null, boostOf: null },
    rewrite: CONSTANT,
    hasColumn: hasColumn(field),
    label: `${field.name}:range`,
  };
}

/** @throws ApiError illegal_argument_exception: more than `index.max_terms_count` */
function checkTermsCount(count: number, what: string, query: string, { limits: { maxTermsCount } }: RewriteContext): void {
  if (count <= maxTermsCount) return;
  throw illegalArgumentError(
    `The number of ${what} [${count}] used in the ${query} Query request has exceeded the allowed maximum of [${maxTermsCount}]. ` +
      'This maximum can be set by changing the [index.max_terms_count] index level setting.',
  );
}

export function rewriteTerms(query: TermsQuery, context: RewriteContext): IndexQuery {
  checkTermsCount(query.values.length, 'terms', 'Terms', context);
  const field = fieldOf(context, query.field);
  if (!field || query.values.length === 0) return query.values.length === 0 ? none('no values') : unmapped(query.field);
  if (field.name === '_id') return constant(rewriteIds(query.values.map(String), context));
  if (field.name === '_index') return query.values.map(String).includes(context.index) ? constant(ALL) : none('the index has another name');
  if (field.family === 'boolean' && !context.dialect.scoresTermsAlike) {
    const distinct = new Map(query.values.map((value) => [termOfBytes('', field.termBytes(value)).key, value]));
    if (distinct.size === 1) return termQuery(field, query.values[0], context);
  }
  const isExact = ['keyword', 'text', 'boolean', 'numeric', 'other'].includes(field.family);
  if (!isExact || (field.family === 'ip' && query.values.some((value) => String(value).includes('/')))) {
    // Dates, addresses with masks, range fields: each value becomes a separate query.
    return constant(bool({ should: query.values.map((value) => termQuery(field, value, context)), minimumShouldMatch: 1 }));
  }
  refuseUnsearchableMetadata(field, context);
  requireSearchable(field);
  if (field.spec.postings === 'none') {
    return constant(
      columnValues(
        field,
        query.values.map((value) => exactOf(field, value, context)),
      ),
    );
  }
  const terms = new Map<string, Term>();
  for (const value of query.values) {
    const term = termOfBytes(field.spec.name, field.termBytes(value));
    terms.set(term.key, term);
  }
  const sorted = [...terms.values()].sort((a, b) => compareBytes(a.bytes, b.bytes));
  return constant({ op: 'anyTerm', field: field.spec.name, terms: sorted, hasColumn: hasColumn(field) });
}

export function rewriteTermsSet(query: TermsSetQuery, context: RewriteContext): IndexQuery {
  const { minimumField, minimumScript: script } = query;
  if (minimumField === null && script === null) throw noMinimumError();
  const field = fieldOf(context, query.field);
  if (!field || query.terms.length === 0) return none('no terms');
  const clauses = query.terms.map((value) => termQuery(field, value, context));
  if (script !== null) {
    const clausesOf = minimumScript(script, clauses.length, context);
    return { op: 'termsSet', clauses, minimum: { by: 'script', nestedPath: context.nestedPath, clausesOf } };
  }
  if (minimumField === null) throw noMinimumError();
  const minimum = fieldOf(context, minimumField);
  if (!minimum) throw rewriteError(context, `failed to find minimum_should_match field [${minimumField}]`);
  if (minimum.family !== 'numeric') throw rewriteError(context, `minimum_should_match field [${query.minimumField}] is not numeric`);
  return { op: 'termsSet', clauses, minimum: { by: 'field', field: minimum.spec.name, isF64: minimum.spec.column === 'f64' } };
}

function noMinimumError(): ApiError {
  return new ApiError('illegal_state_exception', 400, 'No minimum should match has been specified');
}

/** The number of clauses that must match, from a script that receives the number of terms. */
function minimumScript(spec: ScriptSpec, terms: number, context: RewriteContext): (segment: SegmentReader, docId: number) => number {
  const script = compileDocScript(spec, { stored: context.storedScript, context: 'terms_set', params: { num_terms: terms } });
  return (segment, docId) => {
    const result = doubleOf(runDocScript(script, context, segment, docId));
    if (result === null) throw illegalArgumentError('[minimum_should_match_script] must return a number');
    return result;
  };
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Documents with a value from `from` to `to`. The field type interprets the bounds. */
export function boundsQuery(
  field: FieldType,
  from: unknown,
  to: unknown,
  context: RewriteContext,
  range?: Partial<RangeQuery>,
): IndexQuery {
  const isMillis = context.dialect.numbersAreMillis && field.family === 'date' && (isNumber(from) || isNumber(to));
  const bounds = field.rangeBounds({
    from: from ?? null,
    to: to ?? null,
    includeFrom: range?.includeFrom ?? true,
    includeTo: range?.includeTo ?? true,
    format: range?.format ?? (isMillis ? 'epoch_millis' : null),
    timeZone: range?.timeZone ?? null,
    nowMs: context.nowMs,
  });
  if (bounds.empty) return none('the range is empty');
  switch (bounds.kind) {
    case 'i64':
      return { op: 'rangeI64', field: field.spec.name, min: bounds.min, max: bounds.max };
    case 'f64':
      return { op: 'rangeF64', field: field.spec.name, min: bounds.min, max: bounds.max };
    case 'bytes':
      if (isTextual(field)) requireExpensive(context, '[range] queries on [text] or [keyword] fields');
      return termRange(field, bounds.from, bounds.to, bounds.includeFrom, bounds.includeTo);
  }
}

export function rewriteRange(query: RangeQuery, context: RewriteContext): IndexQuery {
  if (query.doubled && context.dialect.refusesDoubledBounds) throw parsingError(`invalid ${query.doubled} bound for [range] query`);
  const field = fieldOf(context, query.field);
  if (!field) return unmapped(query.field);
  if (field.family === 'range') return constant(rangeFieldQuery(field, query, query.relation ?? 'intersects', context));
  if (!['numeric', 'date', 'ip', 'keyword', 'text', 'boolean', 'other'].includes(field.family)) {
    throw illegalArgumentError(`Field [${field.name}] of type [${field.typeName}] does not support range queries`);
  }
  requireSearchable(field);
  if (query.from === null && query.to === null && field.family !== 'text') return rewriteExists(query.field, context);
  return constant(boundsQuery(field, query.from, query.to, context, query));
}

export function rewriteIds(ids: readonly string[], context: RewriteContext): IndexQuery {
  checkTermsCount(ids.length, 'ids', 'Ids', context);
  return ids.length === 0 ? none('no ids') : constant({ op: 'ids', ids: [...new Set(ids)] });
}

/** Documents with a value in a field, or in any field of an object. */
export function rewriteExists(name: string, context: RewriteContext): IndexQuery {
  const names = name.includes('*') ? context.mapping.matchFields(name) : [name];
  const leaves: IndexQuery[] = [];
  for (const one of names) {
    const field = fieldOf(context, one);
    if (field && field.family !== 'object' && field.family !== 'nested') leaves.push(existsLeaf(field, context));
    else {
      for (const inner of context.mapping.matchFields(`${one}.*`)) {
        const leaf = fieldOf(context, inner);
        if (leaf) leaves.push(existsLeaf(leaf, context));
      }
    }
  }
  if (leaves.length === 0) return none(`No field matches [${name}]`);
  return constant(leaves.length === 1 ? leaves[0] : bool({ should: leaves, minimumShouldMatch: 1 }));
}

function existsLeaf(field: FieldType, context: RewriteContext): IndexQuery {
  if (field.name === '_source') throw rewriteError(context, 'The _source field is not searchable');
  if (field.typeName === 'rank_features') throw illegalArgumentError('[rank_features] fields do not support [exists] queries');
  // Every document has a value in these fields.
  if (['_id', '_index', '_seq_no', '_version'].includes(field.name)) return ALL;
  const { spec } = field;
  if (field.keyPrefix) {
    const pattern = {
      from: field.keyPrefix,
      to: afterPrefix(field.keyPrefix),
      includeFrom: true,
      includeTo: false,
      filter: null,
      boostOf: null,
    };
    return { op: 'pattern', field: spec.name, pattern, rewrite: CONSTANT, hasColumn: hasColumn(field), label: `${field.name}:*` };
  }
  if (spec.column === 'binary' && !field.runtime && vectorFormatOf(field) === null) {
    return {
      op: 'hostFilter',
      field: spec.name,
      label: `${field.name}:*`,
      matches: (segment, docId) => segment.binary(spec.name, docId) !== null,
    };
  }
  if (spec.column !== 'none' && (spec.column !== 'binary' || field.runtime)) return { op: 'existsColumn', field: spec.name };
  const named: IndexQuery = { op: 'term', term: termOfText('_field_names', spec.name), scored: false };
  return spec.norms ? bool({ should: [{ op: 'existsNorm', field: spec.name }, named], minimumShouldMatch: 1 }) : named;
}
