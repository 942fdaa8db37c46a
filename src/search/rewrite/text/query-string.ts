// Rewriting of query_string: searches each clause of the syntax tree in the fields that it names, or in the default fields.
import { REGEXP_ALL } from '../../../common/text/regexp-flags.ts';
import { ApiError } from '../../../errors/api-error.ts';
import { illegalArgumentError } from '../../../errors/catalog.ts';
import { queryStringSyntaxError } from '../../../errors/search-errors.ts';
import type { FieldType } from '../../../mapping/core/field-type.ts';
import type { PatternQuery, QueryStringQuery } from '../../../query/leaf-query.ts';
import { editsFor, parseFuzziness } from '../../../query/text/fuzziness.ts';
import type { SyntaxNode, SyntaxQuery } from '../../../query/text/query-string-syntax.ts';
import { ALL, bool, constant, disMax, type IndexQuery, withBoost } from '../../index-query/index-query.ts';
import type { RewriteMethod } from '../../index-query/pattern-query.ts';
import { fieldOf, type RewriteContext } from '../../shard/rewrite-context.ts';
import { checkClauseCount, fixNegative } from '../clauses.ts';
import { boundsQuery, rewriteExists, termQuery, unmapped } from '../leaf.ts';
import { fuzzyOnField, patternOnField } from '../patterns.ts';
import { rangeFieldQuery } from '../range-field.ts';
import { CONSTANT, parseRewriteMethod } from '../rewrite-method.ts';
import { resolveFields } from './field-patterns.ts';
import { lenient, multiFieldQuery, requireAnalyzer, type TextSettings, tieBreakerOf, withMinimum } from './text.ts';

const MAX_DETERMINIZED_STATES = 10_000;

type Clause = { readonly occur: 'must' | 'should' | 'mustNot'; readonly query: IndexQuery };

export function rewriteQueryString(query: QueryStringQuery, context: RewriteContext): IndexQuery {
  if (query.fields.length > 0 && query.defaultField !== null) {
    const text = 'Validation Failed: 1: [query_string] cannot use [fields] parameter in conjunction with [default_field];';
    throw new ApiError('query_validation_exception', 400, text);
  }
  const { analyzer } = query.options;
  if (analyzer !== null) requireAnalyzer(analyzer, `[query_string] analyzer [${analyzer}] not found`, context);
  if (query.quoteAnalyzer !== null) {
    requireAnalyzer(query.quoteAnalyzer, `[query_string] quote_analyzer [${query.quoteAnalyzer}] not found`, context);
  }
  if (query.syntax.error) throw queryStringSyntaxError(context.index, query.text, query.syntax.error);
  let result: IndexQuery | null;
  try {
    result = new QueryStringRewriter(query, context).query(query.syntax, null);
  } catch (error) {
    // Errors about leading wildcards are the only syntax errors not yet reported.
    if (error instanceof ApiError && error.type === 'parse_exception' && error.details['syntax'] === true) {
      throw queryStringSyntaxError(context.index, query.text, new ApiError('parse_exception', 400, error.reason));
    }
    throw error;
  }
  if (!result) return bool({});
  const boosts: number[] = [];
  while (result.op === 'boost') {
    boosts.push(result.boost);
    result = result.query;
  }
  result = withMinimum(fixNegative(result), query.options.minimumShouldMatch);
  for (const boost of boosts.reverse()) result = withBoost(result, boost);
  return result;
}

class QueryStringRewriter {
  readonly #query: QueryStringQuery;
  readonly #context: RewriteContext;
  readonly #fields: ReadonlyMap<string, number>;
  readonly #settings: TextSettings;
  readonly #tieBreaker: number;
  readonly #rewrite: RewriteMethod;

  constructor(query: QueryStringQuery, context: RewriteContext) {
    this.#query = query;
    this.#context = context;
    const wanted =
      query.defaultField !== null
        ? [{ field: query.defaultField, boost: 1 }]
        : query.fields.length > 0
          ? query.fields
          : context.limits.defaultFields.map((field) => ({ field, boost: 1 }));
    const allFields = wanted.some(({ field }) => field === '*');
    this.#fields = resolveFields(wanted, context);
    this.#settings = {
      ...query.options,
      zeroTerms: null,
      minimumShouldMatch: null,
      lenient: query.lenient ?? (allFields || context.limits.queryStringLenient),
    };
    this.#tieBreaker = query.tieBreaker ?? tieBreakerOf(query.type);
    this.#rewrite = parseRewriteMethod(query.rewrite, CONSTANT);
  }

  /** null if analysis removed everything. */
  query(node: SyntaxQuery, field: string | null): IndexQuery | null {
    const clauses: Clause[] = [];
    let only: IndexQuery | null = null;
    node.items.forEach((item, i) => {
      if (item.words) {
        const query = this.#words(item.text, field);
        if (i === 0) only = query;
        this.#addWords(clauses, query);
        return;
      }
      const query = this.#clause(item.clause, field);
      this.#add(clauses, item.conjunction, item.modifier, query);
      if (i === 0 && item.modifier === 'none') only = query;
    });
    if (clauses.length === 1 && only) return only;
    if (clauses.length === 0) return null;
    checkClauseCount(this.#context, clauses.length);
    const of = (occur: Clause['occur']) => clauses.filter((clause) => clause.occur === occur).map((clause) => clause.query);
    return bool({ must: of('must'), should: of('should'), mustNot: of('mustNot') });
  }

  #add(clauses: Clause[], conjunction: 'none' | 'and' | 'or', modifier: 'none' | 'not' | 'required', query: IndexQuery | null): void {
    const isAnd = this.#settings.operator === 'and';
    const last = clauses.at(-1);
    if (last && last.occur !== 'mustNot') {
      if (conjunction === 'and') clauses[clauses.length - 1] = { ...last, occur: 'must' };
      else if (isAnd && conjunction === 'or') clauses[clauses.length - 1] = { ...last, occur: 'should' };
    }
    if (!query) return;
    if (modifier === 'not') clauses.push({ occur: 'mustNot', query });
    else {
      const required = isAnd ? conjunction !== 'or' : modifier === 'required' || conjunction === 'and';
      clauses.push({ occur: required ? 'must' : 'should', query });
    }
  }

  /** Consecutive words: plain terms become clauses of the enclosing bool, any other query is a clause of its own. */
  #addWords(clauses: Clause[], query: IndexQuery | null): void {
    if (!query) return;
    const occur = this.#settings.operator === 'and' ? 'must' : 'should';
    if (query.op !== 'bool') {
      clauses.push({ occur, query });
      return;
    }
    const parts = [...query.must, ...query.should];
    if (query.mustNot.length === 0 && query.filter.length === 0) for (const part of parts) clauses.push({ occur, query: part });
    else clauses.push({ occur, query });
  }

  #clause(node: SyntaxNode, outerField: string | null): IndexQuery | null {
    const field = node.field ?? outerField;
    const query = this.#node(node, field);
    return query && node.boost !== null && node.boost !== undefined ? withBoost(query, Math.fround(node.boost)) : query;
  }

  #node(node: SyntaxNode, field: string | null): IndexQuery | null {
    switch (node.kind) {
      case 'query':
        return this.query(node, field);
      case 'word':
        return this.#words(node.text, field);
      case 'phrase':
        return this.#phrase(node.text, node.slop ?? this.#settings.slop, field);
      case 'range':
        return this.#eachField(field, (type) => this.#range(type, node.from, node.to, node.includeFrom, node.includeTo));
      case 'fuzzy': {
        const edits = editsFor(node.fuzziness === null ? this.#query.defaultFuzziness : parseFuzziness(node.fuzziness), node.text);
        return this.#eachField(field, (type) => this.#fuzzy(type, node.text, edits));
      }
      case 'prefix':
        return this.#eachField(field, (type) => this.#pattern(type, 'prefix', node.text));
      case 'wildcard':
        return this.#wildcard(node.pattern, field);
      case 'regexp':
        if (node.pattern.length > this.#context.limits.maxRegexLength) {
          throw illegalArgumentError(
            `The length of regex [${node.pattern.length}] used in the [query_string] has exceeded the allowed maximum of [${this.#context.limits.maxRegexLength}]. This maximum can be set by changing the [index.max_regex_length] index level setting.`,
          );
        }
        return this.#eachField(field, (type) => this.#pattern(type, 'regexp', node.pattern));
    }
  }

  /** The fields that a clause searches. */
  #fieldsOf(field: string | null, quoted: boolean): ReadonlyMap<string, number> {
    const suffix = quoted ? this.#query.quoteFieldSuffix : null;
    if (field !== null) return resolveFields([{ field, boost: 1 }], this.#context, suffix);
    if (suffix === null) return this.#fields;
    return resolveFields(
      [...this.#fields].map(([name, boost]) => ({ field: name, boost })),
      this.#context,
      suffix,
    );
  }

  #eachField(field: string | null, build: (type: FieldType) => IndexQuery): IndexQuery {
    const queries: IndexQuery[] = [];
    for (const [name, boost] of this.#fieldsOf(field, false)) {
      const type = fieldOf(this.#context, name);
      queries.push(type ? withBoost(lenient(this.#settings, name, () => build(type)) as IndexQuery, boost) : unmapped(name));
    }
    return queries.length === 0 ? unmapped(String(field)) : disMax(queries, this.#tieBreaker);
  }

  #words(text: string, field: string | null): IndexQuery | null {
    if (field === '_exists_') return rewriteExists(text, this.#context);
    // With a list of fields, words are never read as field names.
    if (text.length > 1 && (field !== null || this.#query.fields.length === 0)) {
      const signs = /^(>=?|<=?)(?=.)/.exec(text);
      if (signs) {
        const bound = text.slice(signs[0].length);
        const isLower = signs[0][0] === '>';
        const includes = signs[0].length === 2;
        return this.#eachField(field, (type) =>
          isLower ? this.#range(type, bound, null, includes, true) : this.#range(type, null, bound, true, includes),
        );
      }
      const type = field === null ? null : fieldOf(this.#context, field);
      if (type?.family === 'date' && this.#query.timeZone !== null)
        return lenient(this.#settings, type.name, () => this.#range(type, text, text, true, true));
    }
    const fields = this.#fieldsOf(field, false);
    if (fields.size === 0) return unmapped(String(field));
    return multiFieldQuery(fields, text, this.#query.type, this.#settings, this.#tieBreaker, this.#context);
  }

  #phrase(text: string, slop: number, field: string | null): IndexQuery | null {
    if (field === '_exists_') return rewriteExists(text, this.#context);
    const fields = this.#fieldsOf(field, true);
    if (fields.size === 0) return unmapped(String(field));
    const settings = { ...this.#settings, slop, analyzer: this.#query.quoteAnalyzer ?? this.#settings.analyzer };
    return multiFieldQuery(fields, text, 'phrase', settings, this.#tieBreaker, this.#context);
  }

  #range(type: FieldType, from: string | null, to: string | null, includeFrom: boolean, includeTo: boolean): IndexQuery {
    const range = {
      from: this.#normalizedBound(type, from),
      to: this.#normalizedBound(type, to),
      includeFrom,
      includeTo,
      format: null,
      timeZone: this.#query.timeZone,
    };
    if (type.family === 'range') return constant(rangeFieldQuery(type, range, 'intersects', this.#context));
    if (range.from === null && range.to === null) return rewriteExists(type.name, this.#context);
    return constant(boundsQuery(type, range.from, range.to, this.#context, range));
  }

  #normalizedBound(type: FieldType, bound: string | null): string | null {
    if (bound === null || bound === '*') return null;
    return type.family === 'text' ? this.#normalize(type, bound) : bound;
  }

  /** Normalizes patterns and single words by the field's analyzer without its tokenizer. */
  #normalize(type: FieldType, text: string): string {
    const analyzer = this.#settings.analyzer ?? type.searchAnalyzer;
    return type.family === 'text' && analyzer !== null ? this.#context.analysis.normalizeTerm(analyzer, text) : text;
  }

  #fuzzy(type: FieldType, word: string, edits: number): IndexQuery {
    const { options } = this.#query;
    const rewrite = parseRewriteMethod(options.fuzzyRewrite, { kind: 'top_terms_blended', size: Math.max(options.maxExpansions, 1) });
    const settings = {
      prefixLength: options.prefixLength,
      maxExpansions: options.maxExpansions,
      transpositions: options.fuzzyTranspositions,
    };
    return fuzzyOnField(type, this.#normalize(type, word), edits, rewrite, settings, this.#context);
  }

  #wildcard(pattern: string, field: string | null): IndexQuery {
    const target = field ?? this.#query.defaultField;
    if (pattern === '*' && (field === '*' || (field === null && target === null && this.#query.fields.length === 0) || target === '*'))
      return ALL;
    if (pattern === '*' && target !== null) return rewriteExists(target, this.#context);
    return this.#eachField(field, (type) => {
      if (pattern === '*') return rewriteExists(type.name, this.#context);
      if (!this.#query.allowLeadingWildcard && /^[*?]/.test(pattern)) {
        throw new ApiError('parse_exception', 400, "'*' or '?' not allowed as first character in WildcardQuery", {
          details: { syntax: true },
        });
      }
      return this.#pattern(type, 'wildcard', pattern);
    });
  }

  #pattern(type: FieldType, kind: PatternQuery['kind'], text: string): IndexQuery {
    const scoresTyped = this.#query.rewrite === null;
    const options = { caseInsensitive: false, flags: REGEXP_ALL, maxDeterminizedStates: MAX_DETERMINIZED_STATES, scoresTyped };
    if (kind === 'prefix' && this.#query.analyzeWildcard && type.family === 'text') return this.#analyzedPrefix(type, text);
    const normalized =
      kind === 'wildcard'
        ? text.replace(/(\\[\s\S])|([?*]+)|([^\\?*]+)/g, (all, _e, _s, literal) =>
            literal === undefined ? all : this.#normalize(type, literal),
          )
        : this.#normalize(type, text);
    return patternOnField(type, kind, normalized, this.#rewrite, this.#context, options);
  }

  /** analyze_wildcard: every token is a term, except the last one, which is a prefix. */
  #analyzedPrefix(type: FieldType, text: string): IndexQuery {
    const analyzer = this.#settings.analyzer ?? type.searchAnalyzer ?? 'standard';
    const tokens = this.#context.analysis.analyze(analyzer, text);
    const options = { caseInsensitive: false, flags: 0, maxDeterminizedStates: 0 };
    const clauses = tokens.map(({ term }, i) =>
      i === tokens.length - 1
        ? patternOnField(type, 'prefix', term, this.#rewrite, this.#context, options)
        : termQuery(type, term, this.#context),
    );
    if (clauses.length === 1) return clauses[0];
    return this.#settings.operator === 'and' ? bool({ must: clauses }) : bool({ should: clauses });
  }
}
