// Rewriting of queries that match terms by a pattern: case-insensitive term, prefix, wildcard, regexp, fuzzy.

import { illegalArgumentError } from '../../errors/catalog.ts';
import type { FieldType } from '../../mapping/core/field-type.ts';
import { decodeVersion } from '../../mapping/values/version-encoding.ts';
import type { TermFilter } from '../../plan/segment.ts';
import type { FuzzyQuery, PatternQuery, TermQuery } from '../../query/leaf-query.ts';
import { editsFor } from '../../query/text/fuzziness.ts';
import { type RegexpMatcher, regexpMatcher } from '../../regex/lucene-automaton.ts';
import { ALL, constant, type IndexQuery, none } from '../index-query/index-query.ts';
import type { RewriteMethod, TermPattern } from '../index-query/pattern-query.ts';
import { afterPrefix, type Bytes, termOfBytes, termOfText } from '../index-query/term.ts';
import { fuzzyMatcher } from '../matchers/edit-distance.ts';
import { wildcardMatcher } from '../matchers/wildcard.ts';
import { fieldOf, type RewriteContext, requireExpensive, rewriteError } from '../shard/rewrite-context.ts';
import { bySimilarity, hasColumn, isTextual, requireSearchable, termQuery, unmapped } from './leaf.ts';
import { CONSTANT, parseRewriteMethod } from './rewrite-method.ts';
import { isPrefixField, typedPrefix } from './text/typed-fields.ts';

/** In Lucene, the automaton of an empty sequence of characters accepts no term, not even the empty one. */
const NOTHING = none('an empty pattern matches no term');

const utf8 = new TextEncoder();
const decoder = new TextDecoder();

/** The rewrite method of a field's patterns. Under the boolean similarity, terms score by their boosts only. */
function rewriteOf(field: FieldType, rewrite: RewriteMethod): RewriteMethod {
  if (field.similarity !== 'boolean') return rewrite;
  if (rewrite.kind === 'scoring_boolean') return { kind: 'constant_boolean' };
  return rewrite.kind === 'top_terms' || rewrite.kind === 'top_terms_blended' ? { kind: 'top_terms_boost', size: rewrite.size } : rewrite;
}

/** Terms that begin with a prefix and that a filter accepts. */
function termPattern(prefix: string, filter: TermFilter | null, boostOf: TermPattern['boostOf'] = null): TermPattern {
  const from = utf8.encode(prefix);
  return { from, to: afterPrefix(from), includeFrom: true, includeTo: false, filter, boostOf };
}

/** The same for versions, whose terms encode other strings. */
function versionPattern(prefix: string, filter: TermFilter | null, boostOf: TermPattern['boostOf'] = null): TermPattern {
  const accepts = (term: Bytes): boolean => {
    const version = decodeVersion(term);
    return version.startsWith(prefix) && (filter === null || filter(utf8.encode(version)));
  };
  const boost = boostOf && ((term: Bytes) => boostOf(utf8.encode(decodeVersion(term))));
  return { from: null, to: null, includeFrom: true, includeTo: false, filter: accepts, boostOf: boost };
}

function patternQuery(
  field: FieldType,
  prefix: string,
  filter: ((term: Bytes) => boolean) | null,
  rewrite: RewriteMethod,
  label: string,
): IndexQuery {
  const pattern = field.typeName === 'version' ? versionPattern(prefix, filter) : termPattern(prefix, filter);
  const query: IndexQuery = { op: 'pattern', field: field.spec.name, pattern, rewrite, hasColumn: hasColumn(field), label };
  return rewrite.kind === 'constant' || rewrite.kind === 'constant_boolean' ? constant(query) : query;
}

export function rewriteTerm(query: TermQuery, context: RewriteContext): IndexQuery {
  const field = fieldOf(context, query.field);
  if (!field) return unmapped(query.field);
  if (!query.caseInsensitive) return termQuery(field, query.value, context);
  if (field.family === 'boolean') return constant(termQuery(field, query.value, context));
  if (field.family !== 'keyword' && field.family !== 'text') {
    throw rewriteError(
      context,
      `[${field.name}] field which is of type [${field.typeName}], does not support case insensitive term queries`,
    );
  }
  const key = field.keyPrefix ? decoder.decode(field.keyPrefix) : '';
  const text = key + String(query.value);
  if (text === '') return NOTHING;
  const matcher = wildcardMatcher(text.replace(/[\\*?]/g, '\\$&'), true);
  return patternQuery(field, '', (term) => matcher.matches(term), CONSTANT, `${field.name}:${String(query.value)}`);
}

const MULTI_TERM_NAMES: Readonly<Record<PatternQuery['kind'], string>> = { prefix: 'prefix', wildcard: 'wildcard', regexp: 'regexp' };

export function rewritePattern(query: PatternQuery, context: RewriteContext): IndexQuery {
  const field = fieldOf(context, query.field);
  if (query.kind === 'regexp' && query.value.length > context.limits.maxRegexLength) {
    throw illegalArgumentError(
      `The length of regex [${query.value.length}] used in the Regexp Query request has exceeded the allowed maximum of ` +
        `[${context.limits.maxRegexLength}]. This maximum can be set by changing the [index.max_regex_length] index level setting.`,
    );
  }
  if (query.kind === 'prefix' && context.dialect.limitsPrefixes && query.value.length > context.limits.maxRegexLength) {
    throw illegalArgumentError(
      `The length of prefix [${query.value.length}] used in the Prefix Query request has exceeded the allowed maximum of ` +
        `[${context.limits.maxRegexLength}]. This maximum can be set by changing the [index.max_regex_length] index level setting.`,
    );
  }
  const rewrite = parseRewriteMethod(query.rewrite, CONSTANT);
  if (!field) {
    if (query.kind === 'regexp') compileRegexp(query.value, query, context);
    return unmapped(query.field);
  }
  if (field.name === '_index' && query.kind !== 'regexp') {
    const matcher = wildcardMatcher(query.kind === 'prefix' ? `${query.value}*` : query.value, query.caseInsensitive);
    return matcher.matches(utf8.encode(context.index)) ? constant(ALL) : none('the index has another name');
  }
  const rewritten = patternOnField(field, query.kind, query.value, rewrite, context, query);
  return query.kind === 'wildcard' && query.value === '' ? NOTHING : rewritten;
}

export interface PatternOptions {
  readonly caseInsensitive: boolean;
  readonly flags: number;
  readonly maxDeterminizedStates: number;
  /** Whether a prefix that is indexed as a term scores, as in query strings, which use Lucene's own prefix query. */
  readonly scoresTyped?: boolean;
}

function compileRegexp(text: string, options: PatternOptions, { limits }: RewriteContext): RegexpMatcher {
  const matcher = regexpMatcher(text, options.flags, options.caseInsensitive, options.maxDeterminizedStates);
  if (limits.determinizesRegexps) matcher.determinize();
  return matcher;
}

/** Whether `index_prefixes` of the mapping indexes prefixes of this length as terms. */
function hasPrefixTerms(field: FieldType, length: number): boolean {
  const given = field.params['index_prefixes'] as { readonly min_chars?: number; readonly max_chars?: number } | undefined;
  return given !== undefined && length >= Number(given.min_chars ?? 2) - 1 && length <= Number(given.max_chars ?? 5);
}

/** @throws ApiError illegal_argument_exception: keys of flattened fields are searched by terms, prefixes and ranges only */
function refuseKeyed({ typeName, keyPrefix }: FieldType, kind: string): void {
  if (typeName === 'flattened' && keyPrefix !== null)
    throw illegalArgumentError(`[${kind}] queries are not currently supported on keyed [flattened] fields.`);
}

/** A pattern on the terms of a text or keyword field. Patterns on keyword fields are normalized. */
export function patternOnField(
  field: FieldType,
  kind: PatternQuery['kind'],
  value: string,
  rewrite: RewriteMethod,
  context: RewriteContext,
  options: PatternOptions,
): IndexQuery {
  if (!isTextual(field)) {
    throw rewriteError(
      context,
      `Can only use ${MULTI_TERM_NAMES[kind]} queries on keyword${kind === 'prefix' || kind === 'wildcard' ? ', text and wildcard fields' : ' and text fields'} - not on [${field.name}] which is of type [${field.typeName}]`,
    );
  }
  requireSearchable(field);
  if (kind !== 'prefix') {
    refuseKeyed(field, kind);
    requireExpensive(context, `[${kind}] queries`);
  } else if (!hasPrefixTerms(field, value.length)) {
    requireExpensive(context, '[prefix] queries', ' For optimised prefix queries on text fields please enable [index_prefixes].');
  }
  const label = `${field.name}:${value}${kind === 'prefix' ? '*' : ''}`;
  if (kind === 'regexp') {
    const pattern = field.family === 'keyword' && field.params['normalizer'] !== undefined ? decoder.decode(field.termBytes(value)) : value;
    const matcher = compileRegexp(pattern, options, context);
    const { keyPrefix } = field;
    if (!keyPrefix) return patternQuery(field, matcher.prefix, matcher.matches, rewrite, `${field.name}:/${value}/`);
    const matchesValue = (term: Bytes): boolean => matcher.matches(term.subarray(keyPrefix.length));
    return patternQuery(field, decoder.decode(keyPrefix) + matcher.prefix, matchesValue, rewrite, `${field.name}:/${value}/`);
  }
  const text = field.family === 'keyword' ? normalizePattern(field, value, kind, context) : value;
  if (kind === 'prefix' && !options.caseInsensitive) {
    const typed = typedPrefix(field, text, context);
    const isConstant = rewrite.kind === 'constant' && !options.scoresTyped && !isPrefixField(field);
    if (typed) return isConstant ? constant(typed) : typed;
    return patternQuery(field, text, null, rewrite, label);
  }
  const glob = kind === 'prefix' ? `${text.replace(/[\\*?]/g, '\\$&')}*` : text;
  const matcher = wildcardMatcher(glob, options.caseInsensitive);
  if (matcher.kind === 'prefix') return patternQuery(field, matcher.prefix, null, rewrite, label);
  return patternQuery(field, matcher.prefix, matcher.matches, rewrite, label);
}

/** Applies the field's normalizer to the literal parts of a pattern. */
function normalizePattern(field: FieldType, value: string, kind: PatternQuery['kind'], _context: RewriteContext): string {
  if (field.typeName === 'version') return value;
  const prefix = field.keyPrefix ? decoder.decode(field.keyPrefix) : '';
  const normalize = (text: string) => (text === '' ? '' : decoder.decode(field.termBytes(text)).slice(prefix.length));
  if (kind === 'prefix') return prefix + normalize(value);
  return (
    prefix +
    value.replace(/(\\[\s\S])|([?*]+)|([^\\?*]+)/g, (all, _escaped, _signs, literal) => (literal === undefined ? all : normalize(literal)))
  );
}

export function rewriteFuzzy(query: FuzzyQuery, context: RewriteContext): IndexQuery {
  const field = fieldOf(context, query.field);
  if (!field) return unmapped(query.field);
  const rewrite = parseRewriteMethod(query.rewrite, { kind: 'top_terms_blended', size: Math.max(query.maxExpansions, 1) });
  return fuzzyOnField(field, String(query.value), editsFor(query.fuzziness, String(query.value)), rewrite, query, context);
}

export function fuzzyOnField(
  field: FieldType,
  word: string,
  edits: number,
  rewrite: RewriteMethod,
  options: { readonly prefixLength: number; readonly maxExpansions: number; readonly transpositions: boolean },
  context: RewriteContext,
): IndexQuery {
  if (!isTextual(field)) {
    throw illegalArgumentError(
      `Can only use fuzzy queries on keyword and text fields - not on [${field.name}] which is of type [${field.typeName}]`,
    );
  }
  requireSearchable(field);
  refuseKeyed(field, 'fuzzy');
  requireExpensive(context, '[fuzzy] queries');
  if (options.maxExpansions <= 0) throw illegalArgumentError('maxExpansions must be positive.');
  const isVersion = field.typeName === 'version';
  const text = field.family === 'keyword' && !isVersion ? decoder.decode(field.termBytes(word)) : word;
  const length = [...text].length;
  if (edits === 0 || options.prefixLength >= length) {
    const term = isVersion ? termOfBytes(field.spec.name, field.termBytes(text)) : termOfText(field.spec.name, text);
    return rewrite.kind === 'constant'
      ? constant({ op: 'term', term, scored: false })
      : bySimilarity(field, { op: 'term', term, scored: true });
  }
  const matcher = fuzzyMatcher(text, edits, options.prefixLength, options.transpositions);
  const pattern = (isVersion ? versionPattern : termPattern)(matcher.prefix, matcher.matches, matcher.boostOf);
  const result: IndexQuery = {
    op: 'pattern',
    field: field.spec.name,
    pattern,
    rewrite: rewriteOf(field, rewrite),
    hasColumn: false,
    label: `${field.name}:${text}~${edits}`,
  };
  return rewrite.kind === 'constant' || rewrite.kind === 'constant_boolean' ? constant(result) : result;
}
