// Rewriting of the match family and multi_match: selects analyzers and fields, and combines the queries of the fields.

import type { AnalyzedToken } from '../../../analysis/tokens/analyzed-token.ts';
import { ApiError } from '../../../errors/api-error.ts';
import { illegalArgumentError } from '../../../errors/catalog.ts';
import type { FieldType } from '../../../mapping/core/field-type.ts';
import { WORD_SEPARATOR } from '../../../mapping/types/completion.ts';
import type { MatchOptions, MatchQuery, MultiMatchQuery, MultiMatchType, ZeroTerms } from '../../../query/leaf-query.ts';
import { editsFor } from '../../../query/text/fuzziness.ts';
import { calculateMinimumShouldMatch } from '../../../query/text/minimum-should-match.ts';
import { ALL, applyMinimumShouldMatch, bool, disMax, type IndexQuery, none, withBoost } from '../../index-query/index-query.ts';
import { type Term, termOfText } from '../../index-query/term.ts';
import { fieldOf, type RewriteContext } from '../../shard/rewrite-context.ts';
import { checkClauseCount } from '../clauses.ts';
import { bySimilarity, isTextual, termQuery, unmapped } from '../leaf.ts';
import { fuzzyOnField, patternOnField } from '../patterns.ts';
import { CONSTANT, parseRewriteMethod } from '../rewrite-method.ts';
import { resolveFields } from './field-patterns.ts';
import { buildTextQuery, combineFields, NO_TERMS, noPositionsError, type TextMode, type TokenQueries } from './text-query-builder.ts';
import { typedPhrase } from './typed-fields.ts';

/** Settings of a text query. Query strings change some of them from clause to clause. */
export interface TextSettings extends Omit<MatchOptions, 'zeroTerms'> {
  /** null makes no query from text without tokens. */
  readonly zeroTerms: ZeroTerms | null;
}

const MODES: Readonly<Record<MatchQuery['kind'], TextMode>> = {
  match: 'boolean',
  match_bool_prefix: 'bool_prefix',
  match_phrase: 'phrase',
  match_phrase_prefix: 'phrase_prefix',
};

const TYPE_MODES: Readonly<Record<MultiMatchType, TextMode>> = {
  best_fields: 'boolean',
  most_fields: 'boolean',
  cross_fields: 'boolean',
  phrase: 'phrase',
  phrase_prefix: 'phrase_prefix',
  bool_prefix: 'bool_prefix',
};

export function tieBreakerOf(type: MultiMatchType): number {
  return type === 'most_fields' || type === 'bool_prefix' ? 1 : 0;
}

/** Options of a plain prefix query. */
const PLAIN_PATTERN = { caseInsensitive: false, flags: 0, maxDeterminizedStates: 0 };

export function rewriteMatch(query: MatchQuery, context: RewriteContext): IndexQuery {
  const { options } = query;
  if (options.analyzer !== null) requireAnalyzer(options.analyzer, `[${query.kind}] analyzer [${options.analyzer}] not found`, context);
  const field = fieldOf(context, query.field);
  if (!field) return unmapped(query.field);
  const result = fieldQuery(field, query.value, MODES[query.kind], options, context) ?? NO_TERMS;
  return withMinimum(result, options.minimumShouldMatch);
}

export function requireAnalyzer(name: string, reason: string, context: RewriteContext): void {
  if (!context.analysis.hasAnalyzer(name)) throw new ApiError('query_shard_exception', 400, reason, { details: { index: context.index } });
}

export function withMinimum(query: IndexQuery, spec: string | null): IndexQuery {
  if (spec === null || query.op !== 'bool') return query;
  // With `operator: and` there are no optional clauses that could match.
  if (query.should.length === 0) return calculateMinimumShouldMatch(0, spec) > 0 ? none('no optional clauses') : query;
  return applyMinimumShouldMatch(query, (count) => calculateMinimumShouldMatch(count, spec));
}

/** The analyzer of a field for query text, null if the text is one exact value. */
function analyzerOf(field: FieldType, quoted: boolean, forced: string | null): string | null {
  if (forced !== null) return field.family === 'text' || field.family === 'keyword' ? forced : null;
  return quoted ? (field.searchQuoteAnalyzer ?? field.searchAnalyzer) : field.searchAnalyzer;
}

/** The query for text in one field; null if there are no tokens and `zeroTerms` is null. */
function fieldQuery(field: FieldType, value: unknown, mode: TextMode, settings: TextSettings, context: RewriteContext): IndexQuery | null {
  const quoted = mode === 'phrase' || mode === 'phrase_prefix';
  const analyzer = analyzerOf(field, quoted, settings.analyzer);
  const queries = tokenQueries(field, settings, context);
  parseRewriteMethod(settings.fuzzyRewrite, CONSTANT);
  if (analyzer === null || analyzer === 'keyword') {
    if (mode === 'phrase_prefix') {
      return lenient(settings, field.name, () => {
        if (field.family !== 'text') throw phrasePrefixError(field);
        return queries.prefix(String(value));
      });
    }
    if (mode === 'bool_prefix' && (field.family === 'text' || field.family === 'keyword')) return queries.prefix(String(value));
    return lenient(settings, field.name, () =>
      settings.fuzziness && isTextual(field) ? queries.term(String(value)) : exactTerm(field, value, settings, context),
    );
  }
  const text = String(value);
  const analysed = context.analysis.analyze(analyzer, text);
  const tokens = field.typeName === 'completion' ? asOneTerm(analysed) : analysed;
  checkClauseCount(context, tokens.length);
  const built = lenient(settings, field.name, () => buildTextQuery(tokens, text.length, mode, queries, settings));
  return built ?? zeroTermsQuery(settings);
}

/** The words of an input of a completion field form one term. */
function asOneTerm(tokens: readonly AnalyzedToken[]): readonly AnalyzedToken[] {
  const last = tokens.at(-1);
  return last ? [{ ...tokens[0], term: tokens.map(({ term }) => term).join(WORD_SEPARATOR), endOffset: last.endOffset }] : tokens;
}

/** Fuzziness on fields of other types is an error, as in Elasticsearch. */
function exactTerm(field: FieldType, value: unknown, settings: TextSettings, context: RewriteContext): IndexQuery {
  if (settings.fuzziness) return fuzzyOnField(field, String(value), 1, CONSTANT, fuzzyOptions(settings), context);
  return termQuery(field, value, context);
}

function fuzzyOptions(settings: TextSettings) {
  return { prefixLength: settings.prefixLength, maxExpansions: settings.maxExpansions, transpositions: settings.fuzzyTranspositions };
}

function phrasePrefixError(field: FieldType): ApiError {
  return illegalArgumentError(
    `Can only use phrase prefix queries on text fields - not on [${field.name}] which is of type [${field.typeName}]`,
  );
}

function zeroTermsQuery(settings: TextSettings): IndexQuery | null {
  if (settings.zeroTerms === null) return null;
  return settings.zeroTerms === 'all' ? ALL : NO_TERMS;
}

/** Turns errors caused by values into a query that matches nothing, if the query is lenient. `field` is named by the explanation. */
export function lenient<T>(settings: { readonly lenient: boolean }, field: string, build: () => T): T | IndexQuery {
  try {
    return build();
  } catch (error) {
    // A regular expression that is too complex also fails when it is applied to terms.
    const isTooComplex = error instanceof ApiError && error.type === 'too_complex_to_determinize_exception';
    if (settings.lenient && error instanceof ApiError && !isTooComplex)
      return none(`failed [${field}] query, caused by ${error.type}:[${error.reason}]`);
    throw error;
  }
}

function tokenQueries(field: FieldType, settings: TextSettings, context: RewriteContext): TokenQueries {
  const name = field.spec.name;
  const hasPositions = field.spec.postings === 'positions' || field.spec.postings === 'offsets';
  const term = (token: string): IndexQuery => {
    if (!settings.fuzziness) return termQuery(field, token, context);
    const edits = editsFor(settings.fuzziness, token);
    const rewrite = parseRewriteMethod(settings.fuzzyRewrite, { kind: 'top_terms_blended', size: Math.max(settings.maxExpansions, 1) });
    return fuzzyOnField(field, token, edits, rewrite, fuzzyOptions(settings), context);
  };
  return {
    field: name,
    hasPositions,
    term,
    prefix: (token) => patternOnField(field, 'prefix', token, CONSTANT, context, PLAIN_PATTERN),
    synonyms: (tokens) => {
      if (field.family !== 'text') return bool({ should: tokens.map(term), minimumShouldMatch: 1 });
      const terms = tokens.map((token) => termOfText(name, token));
      return bySimilarity(field, { op: 'synonym', field: name, terms });
    },
    phrase: (positions, slop, prefixExpansions) => {
      if (prefixExpansions !== null && field.family !== 'text') throw phrasePrefixError(field);
      const typed = slop === 0 ? typedPhrase(field, positions, prefixExpansions !== null, context) : null;
      if (typed !== null) return typed;
      if (positions.length > 1 && !hasPositions) throw noPositionsError(field.name);
      return phraseQuery(field, positions, slop, prefixExpansions);
    },
  };
}

function phraseQuery(
  field: FieldType,
  positions: ReadonlyArray<{ position: number; terms: readonly Term[] }>,
  slop: number,
  prefixExpansions: number | null,
): IndexQuery {
  return bySimilarity(field, { op: 'phrase', field: field.spec.name, positions, slop, prefixExpansions });
}

export function rewriteMultiMatch(query: MultiMatchQuery, context: RewriteContext): IndexQuery {
  const { options } = query;
  if (options.analyzer !== null) requireAnalyzer(options.analyzer, `[multi_match] analyzer [${options.analyzer}] not found`, context);
  const isDefault = query.fields.length === 0;
  const wanted = isDefault ? context.limits.defaultFields.map((field) => ({ field, boost: 1 })) : query.fields;
  const fields = resolveFields(wanted, context);
  const allFields = wanted.some(({ field }) => field === '*');
  const settings: TextSettings = { ...options, lenient: query.lenient ?? allFields };
  const tieBreaker = query.tieBreaker ?? tieBreakerOf(query.type);
  return multiFieldQuery(fields, query.value, query.type, settings, tieBreaker, context) ?? NO_TERMS;
}

/**
 * The query for text in several fields. @param fields  full names with their boosts
 * @returns null if no field makes a query and `zeroTerms` is null
 */
export function multiFieldQuery(
  fields: ReadonlyMap<string, number>,
  value: unknown,
  type: MultiMatchType,
  settings: TextSettings,
  tieBreaker: number,
  context: RewriteContext,
): IndexQuery | null {
  checkClauseCount(context, fields.size);
  const queries = type === 'cross_fields' ? crossFieldQueries(fields, value, settings, tieBreaker, context) : [];
  if (type !== 'cross_fields') {
    for (const [name, boost] of fields) {
      const field = fieldOf(context, name);
      if (!field) continue;
      const query = fieldQuery(field, value, TYPE_MODES[type], settings, context);
      if (query) queries.push(withBoost(withMinimum(query, settings.minimumShouldMatch), boost));
    }
  }
  if (queries.length === 0 && fields.size > 0 && [...fields.keys()].every((name) => !fieldOf(context, name)))
    return none('unmapped fields');
  return combineFields(queries, tieBreaker, zeroTermsQuery(settings));
}

/** Fields with the same analyzer are searched as one field; the groups are combined like fields. */
function crossFieldQueries(
  fields: ReadonlyMap<string, number>,
  value: unknown,
  settings: TextSettings,
  tieBreaker: number,
  context: RewriteContext,
): IndexQuery[] {
  const groups = new Map<string, Array<{ field: FieldType; boost: number }>>();
  for (const [name, boost] of fields) {
    const field = fieldOf(context, name);
    if (!field) continue;
    const analyzer = analyzerOf(field, false, settings.analyzer) ?? '';
    const group = groups.get(analyzer);
    if (group) group.push({ field, boost });
    else groups.set(analyzer, [{ field, boost }]);
  }
  const queries: IndexQuery[] = [];
  for (const [analyzer, members] of groups) {
    let query: IndexQuery | null;
    if (members.length === 1) {
      query = fieldQuery(members[0].field, value, 'boolean', settings, context);
      if (query) query = withBoost(withMinimum(query, settings.minimumShouldMatch), members[0].boost);
    } else {
      const text = String(value);
      const tokens =
        analyzer === ''
          ? [{ term: text, startOffset: 0, endOffset: text.length, type: 'word', position: 0, positionLength: 1 }]
          : context.analysis.analyze(analyzer, text);
      const built = buildTextQuery(tokens, text.length, 'boolean', blendedQueries(members, settings, tieBreaker, context), settings);
      query = built ? withMinimum(built, settings.minimumShouldMatch) : zeroTermsQuery(settings);
    }
    if (query) queries.push(query);
  }
  return queries;
}

function blendedQueries(
  members: ReadonlyArray<{ field: FieldType; boost: number }>,
  settings: TextSettings,
  tieBreaker: number,
  context: RewriteContext,
): TokenQueries {
  const blend = (tokens: readonly string[]): IndexQuery => {
    const blended: Array<{ term: Term; boost: number }> = [];
    const others: IndexQuery[] = [];
    for (const { field, boost } of members) {
      for (const token of tokens) {
        const query = lenient(settings, field.name, () => termQuery(field, token, context));
        if (query.op === 'term') blended.push({ term: query.term, boost });
        else others.push(withBoost(query, boost));
      }
    }
    if (blended.length > 0) others.push({ op: 'blended', terms: blended, tieBreaker });
    return disMax(others, tieBreaker);
  };
  const eachField = (build: (queries: TokenQueries) => IndexQuery): IndexQuery =>
    disMax(
      members.map(({ field, boost }) => withBoost(build(tokenQueries(field, settings, context)), boost)),
      tieBreaker,
    );
  return {
    field: members[0].field.spec.name,
    hasPositions: true,
    term: (token) => blend([token]),
    prefix: (token) => eachField((queries) => queries.prefix(token)),
    synonyms: blend,
    phrase: (positions, slop, prefixExpansions) =>
      eachField((queries) =>
        queries.phrase(
          positions.map(({ position, terms }) => ({ position, terms: terms.map((term) => ({ ...term, field: queries.field })) })),
          slop,
          prefixExpansions,
        ),
      ),
  };
}
