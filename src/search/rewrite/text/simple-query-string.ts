// Rewriting of simple_query_string: searches each part of the tree in all fields and sums the scores, as most_fields does.
import { illegalArgumentError } from '../../../errors/catalog.ts';
import type { FieldType } from '../../../mapping/core/field-type.ts';
import type { SimpleQueryStringQuery } from '../../../query/leaf-query.ts';
import type { SimpleSyntaxNode } from '../../../query/text/simple-query-string-syntax.ts';
import { ALL, bool, disMax, type IndexQuery, none, withBoost } from '../../index-query/index-query.ts';
import { fieldOf, type RewriteContext } from '../../shard/rewrite-context.ts';
import { checkClauseCount } from '../clauses.ts';
import { termQuery, unmapped } from '../leaf.ts';
import { fuzzyOnField, patternOnField } from '../patterns.ts';
import { CONSTANT } from '../rewrite-method.ts';
import { resolveFields } from './field-patterns.ts';
import { lenient, multiFieldQuery, requireAnalyzer, type TextSettings, withMinimum } from './text.ts';

const PLAIN = { caseInsensitive: false, flags: 0, maxDeterminizedStates: 0 };

export function rewriteSimpleQueryString(query: SimpleQueryStringQuery, context: RewriteContext): IndexQuery {
  const { options } = query;
  if (options.analyzer !== null)
    requireAnalyzer(options.analyzer, `[simple_query_string] analyzer [${options.analyzer}] not found`, context);
  const wanted = query.fields.length > 0 ? query.fields : context.limits.defaultFields.map((field) => ({ field, boost: 1 }));
  const settings: TextSettings = {
    ...options,
    zeroTerms: null,
    minimumShouldMatch: null,
    lenient: query.lenient ?? wanted.some(({ field }) => field === '*'),
  };
  if (!query.syntax) return none('empty string passed to query parser');
  const rewriter = new SimpleRewriter(query, settings, resolveFields(wanted, context), context);
  const result = rewriter.node(query.syntax) ?? none('no terms');
  return withMinimum(result, options.minimumShouldMatch);
}

class SimpleRewriter {
  readonly #query: SimpleQueryStringQuery;
  readonly #settings: TextSettings;
  readonly #fields: ReadonlyMap<string, number>;
  readonly #context: RewriteContext;

  constructor(query: SimpleQueryStringQuery, settings: TextSettings, fields: ReadonlyMap<string, number>, context: RewriteContext) {
    this.#query = query;
    this.#settings = settings;
    this.#fields = fields;
    this.#context = context;
  }

  /** null if analysis removed everything. */
  node(node: SimpleSyntaxNode): IndexQuery | null {
    switch (node.kind) {
      case 'all':
        return ALL;
      case 'word':
        return multiFieldQuery(this.#fields, node.text, 'most_fields', this.#settings, 1, this.#context);
      case 'phrase':
        return this.#phrase(node.text, node.slop);
      case 'prefix':
        return this.#eachField((type) => this.#prefix(type, node.text));
      case 'fuzzy':
        return this.#eachField((type) => this.#fuzzy(type, node.text, node.edits));
      case 'not': {
        const inner = this.node(node.inner);
        return inner && bool({ mustNot: [inner], should: [ALL] });
      }
      case 'group': {
        const clauses = node.clauses.map((clause) => this.node(clause)).filter((clause) => clause !== null);
        checkClauseCount(this.#context, clauses.length);
        if (clauses.length <= 1) return clauses[0] ?? null;
        return node.operator === 'and' ? bool({ must: clauses }) : bool({ should: clauses });
      }
    }
  }

  #phrase(text: string, slop: number): IndexQuery | null {
    const suffix = this.#query.quoteFieldSuffix;
    const weighted = [...this.#fields].map(([field, boost]) => ({ field, boost }));
    const fields = suffix === null ? this.#fields : resolveFields(weighted, this.#context, suffix);
    return multiFieldQuery(fields, text, 'phrase', { ...this.#settings, slop }, 0, this.#context);
  }

  #eachField(build: (type: FieldType) => IndexQuery): IndexQuery {
    const queries: IndexQuery[] = [];
    for (const [name, boost] of this.#fields) {
      const type = fieldOf(this.#context, name);
      queries.push(type ? withBoost(lenient(this.#settings, name, () => build(type)) as IndexQuery, boost) : unmapped(name));
    }
    return queries.length === 0 ? none('no fields') : disMax(queries, 1);
  }

  #normalize(type: FieldType, text: string): string {
    const analyzer = this.#settings.analyzer ?? type.searchAnalyzer;
    return type.family === 'text' && analyzer !== null ? this.#context.analysis.normalizeTerm(analyzer, text) : text;
  }

  #prefix(type: FieldType, text: string): IndexQuery {
    if (!this.#query.analyzeWildcard) return patternOnField(type, 'prefix', this.#normalize(type, text), CONSTANT, this.#context, PLAIN);
    const analyzer = this.#settings.analyzer ?? type.searchAnalyzer;
    if (analyzer === null) throw illegalArgumentError(`field [${type.name}] has no analyzer`);
    const tokens = this.#context.analysis.analyze(analyzer, text);
    const clauses = tokens.map(({ term }, i) =>
      i === tokens.length - 1 ? patternOnField(type, 'prefix', term, CONSTANT, this.#context, PLAIN) : termQuery(type, term, this.#context),
    );
    if (clauses.length === 1) return clauses[0];
    return this.#settings.operator === 'and' ? bool({ must: clauses }) : bool({ should: clauses });
  }

  #fuzzy(type: FieldType, word: string, edits: number): IndexQuery {
    const { options } = this.#query;
    const settings = {
      prefixLength: options.prefixLength,
      maxExpansions: options.maxExpansions,
      transpositions: options.fuzzyTranspositions,
    };
    const rewrite = { kind: 'top_terms_blended', size: Math.max(options.maxExpansions, 1) } as const;
    return fuzzyOnField(type, this.#normalize(type, word), edits, rewrite, settings, this.#context);
  }
}
