// Rewriting of span and interval queries to conditions on the positions of terms.

import type { AnalyzedToken } from '../../analysis/tokens/analyzed-token.ts';
import { checkTurn } from '../../common/turns/turn.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { tooManyNestedClausesError } from '../../errors/search-errors.ts';
import type { FieldType } from '../../mapping/core/field-type.ts';
import type { IntervalFilter, IntervalMode, IntervalRule, SpanClause } from '../../query/positional/positional-rules.ts';
import { editsFor } from '../../query/text/fuzziness.ts';
import { type IndexQuery, none } from '../index-query/index-query.ts';
import type { IntervalSource, PositionalQuery, SpanSource } from '../index-query/positional-query.ts';
import { queryText } from '../index-query/query-text.ts';
import { type Term, termOfText } from '../index-query/term.ts';
import { fieldOf, type RewriteContext } from '../shard/rewrite-context.ts';
import { rewriteRange, termQuery, unmapped } from './leaf.ts';
import { fuzzyOnField, patternOnField, rewriteFuzzy, rewritePattern } from './patterns.ts';
import { noPositionsError } from './text/text-query-builder.ts';
import { finiteStrings, isGraph } from './text/token-graph.ts';

const CONSTANT = { kind: 'constant' } as const;
const PLAIN_PATTERN = { caseInsensitive: false, flags: 0, maxDeterminizedStates: 10_000 };
const MAX_PATHS = 1024;
const MAX_FUZZY = 50;

// --------------------------------------------------------------------------------------------------------------- spans

/** @throws ApiError illegal_argument_exception: the clauses are on several fields, or the field has no positions */
export function rewriteSpan(clause: SpanClause, context: RewriteContext): IndexQuery {
  const { source, field, text } = spanSource(clause, context);
  return { op: 'positional', kind: 'spans', source, field, nestedPath: context.nestedPath, label: text } satisfies PositionalQuery;
}

interface BuiltSpan {
  readonly source: SpanSource;
  readonly field: string;
  /** The query in Lucene's notation. */
  readonly text: string;
}

function spanSource(clause: SpanClause, context: RewriteContext): BuiltSpan {
  switch (clause.type) {
    case 'term':
      return spanTerm(clause.field, clause.value, context);
    case 'multi':
      return spanMulti(clause.match, context);
    case 'near':
    case 'or': {
      const parts = clause.clauses.map((inner) => spanSource(inner, context));
      const [{ field }] = parts;
      const name = clause.type === 'near' ? 'SpanNearQuery' : 'SpanOrQuery';
      for (const part of parts) {
        if (part.field === field) continue;
        throw illegalArgumentError(
          clause.type === 'near' ? `Cannot add clause ${part.text} to ${name} for field ${field}` : 'Clauses must have same field.',
        );
      }
      const sources = parts.map(({ source }) => source);
      const inside = parts.map(({ text }) => text).join(', ');
      if (clause.type === 'or') return { source: { type: 'or', sources }, field, text: `spanOr([${inside}])` };
      const { slop, inOrder } = clause;
      return { source: { type: 'near', sources, slop, inOrder }, field, text: `spanNear([${inside}], ${slop}, ${inOrder})` };
    }
    case 'not': {
      const include = spanSource(clause.include, context);
      const exclude = spanSource(clause.exclude, context);
      sameField(include, exclude);
      const { pre, post } = clause;
      const text = `spanNot(${include.text}, ${exclude.text}, ${pre}, ${post})`;
      return { source: { type: 'not', include: include.source, exclude: exclude.source, pre, post }, field: include.field, text };
    }
    case 'first': {
      const match = spanSource(clause.match, context);
      return {
        source: { type: 'first', source: match.source, end: clause.end },
        field: match.field,
        text: `spanFirst(${match.text}, ${clause.end})`,
      };
    }
    case 'containing':
    case 'within': {
      const big = spanSource(clause.big, context);
      const little = spanSource(clause.little, context);
      sameField(big, little);
      const name = clause.type === 'containing' ? 'SpanContain' : 'SpanWithin';
      return {
        source: { type: clause.type, big: big.source, little: little.source },
        field: big.field,
        text: `${name}(${big.text}, ${little.text})`,
      };
    }
    case 'masking': {
      const match = spanSource(clause.match, context);
      return { ...match, field: clause.field, text: `mask(${match.text}) as ${clause.field}` };
    }
  }
}

function sameField(a: BuiltSpan, b: BuiltSpan): void {
  if (a.field !== b.field) throw illegalArgumentError('Clauses must have same field.');
}

function spanTerm(name: string, value: unknown, context: RewriteContext): BuiltSpan {
  const field = fieldOf(context, name);
  if (!field) return { source: { type: 'none' }, field: name, text: `${name}:${String(value)}` };
  const term = soleTerm(termQuery(field, value, context));
  if (!term) throw illegalArgumentError(`Cannot extract a term from a query on field [${name}]`);
  return { source: { type: 'term', term }, field: field.spec.name, text: queryText({ op: 'term', term, scored: true }) };
}

/** The term inside boosts, names and constant scores. */
function soleTerm(query: IndexQuery): Term | null {
  if (query.op === 'term') return query.term;
  return query.op === 'constant' || query.op === 'boost' || query.op === 'named' ? soleTerm(query.query) : null;
}

function spanMulti(match: Extract<SpanClause, { type: 'multi' }>['match'], context: RewriteContext): BuiltSpan {
  const field = fieldOf(context, match.field);
  const name = field?.spec.name ?? match.field;
  const query = field === null ? unmapped(match.field) : multiTerm(match, context);
  return { source: sourceOf(query, context.limits.maxClauseCount), field: name, text: `SpanMultiTermQueryWrapper(${queryText(query)})` };
}

function multiTerm(match: Extract<SpanClause, { type: 'multi' }>['match'], context: RewriteContext): IndexQuery {
  if (match.kind === 'fuzzy') return rewriteFuzzy({ ...match, rewrite: null }, context);
  return match.kind === 'range' ? rewriteRange(match, context) : rewritePattern({ ...match, rewrite: null }, context);
}

/** The terms of a rewritten pattern. */
function sourceOf(query: IndexQuery, limit: number): SpanSource & IntervalSource {
  switch (query.op) {
    case 'constant':
    case 'boost':
    case 'named':
      return sourceOf(query.query, limit);
    case 'pattern':
      return { type: 'pattern', query, limit: 'size' in query.rewrite ? query.rewrite.size : limit };
    case 'term':
      return { type: 'term', term: query.term };
    case 'none':
      return { type: 'none' };
    default:
      throw illegalArgumentError(`a query of terms is needed here, not [${queryText(query)}]`);
  }
}

// ----------------------------------------------------------------------------------------------------------- intervals

/** @throws ApiError illegal_argument_exception: the field is not a text field or has no positions */
export function rewriteIntervals(name: string, rule: IntervalRule, context: RewriteContext): IndexQuery {
  const field = fieldOf(context, name);
  if (!field) return none(`no field [${name}] to look for intervals in`);
  const source = intervalSource(rule, textField(name, context), context);
  const label = `intervals on [${name}]`;
  return {
    op: 'positional',
    kind: 'intervals',
    source,
    field: field.spec.name,
    nestedPath: context.nestedPath,
    label,
  } satisfies PositionalQuery;
}

function textField(name: string, context: RewriteContext): FieldType {
  const field = fieldOf(context, name);
  if (!field) throw illegalArgumentError(`Cannot use intervals on field [${name}]: it is not mapped`);
  if (field.family !== 'text')
    throw illegalArgumentError(`Can only use interval queries on text fields - not on [${name}] which is of type [${field.typeName}]`);
  if (field.spec.postings !== 'positions' && field.spec.postings !== 'offsets')
    throw illegalArgumentError(`Cannot create intervals over field [${name}] with no positions indexed`, noPositionsError(name));
  return field;
}

function intervalSource(rule: IntervalRule, field: FieldType, context: RewriteContext): IntervalSource {
  switch (rule.type) {
    case 'match': {
      const chosen = rule.useField === null ? field : textField(rule.useField, context);
      const analyzer = analyzerFor(rule.analyzer, chosen, context);
      const tokens = context.analysis.analyze(analyzer, rule.query);
      // Each token is a clause at least: counted before they are built.
      if (tokens.length > context.limits.maxClauseCount) throw tooManyNestedClausesError(context.limits.maxClauseCount);
      checkTurn();
      return filtered(matchSource(chosen, tokens, rule.maxGaps, rule.mode), rule.filter, field, context);
    }
    case 'any_of': {
      const sources = rule.rules.map((inner) => intervalSource(inner, field, context));
      return filtered(sources.length === 0 ? { type: 'none' } : { type: 'or', sources }, rule.filter, field, context);
    }
    case 'all_of': {
      const sources = rule.rules.map((inner) => intervalSource(inner, field, context));
      return filtered(together(sources, rule.maxGaps, rule.mode), rule.filter, field, context);
    }
    case 'fuzzy': {
      const chosen = rule.useField === null ? field : textField(rule.useField, context);
      const word = context.analysis.normalizeTerm(analyzerFor(rule.analyzer, chosen, context), rule.term);
      const options = { prefixLength: rule.prefixLength, maxExpansions: MAX_FUZZY, transpositions: rule.transpositions };
      return sourceOf(
        fuzzyOnField(chosen, word, editsFor(rule.fuzziness, word), CONSTANT, options, context),
        context.limits.maxClauseCount,
      );
    }
    default: {
      const chosen = rule.useField === null ? field : textField(rule.useField, context);
      const analyzer = analyzerFor(rule.analyzer, chosen, context);
      const pattern = rule.type === 'regexp' ? rule.pattern : context.analysis.normalizeTerm(analyzer, rule.pattern);
      const options = { ...PLAIN_PATTERN, caseInsensitive: rule.caseInsensitive, flags: rule.type === 'regexp' ? rule.flags : 0 };
      return sourceOf(patternOnField(chosen, rule.type, pattern, CONSTANT, context, options), rule.maxExpansions);
    }
  }
}

function analyzerFor(name: string | null, field: FieldType, context: RewriteContext): string {
  if (name === null) return field.searchAnalyzer ?? 'standard';
  if (!context.analysis.hasAnalyzer(name)) throw new ApiError('illegal_argument_exception', 400, `No analyzer [${name}] found`);
  return name;
}

function filtered(source: IntervalSource, filter: IntervalFilter | null, field: FieldType, context: RewriteContext): IntervalSource {
  return filter === null ? source : { type: 'filter', source, relation: filter.relation, by: intervalSource(filter.rule, field, context) };
}

function together(sources: readonly IntervalSource[], maxGaps: number, mode: IntervalMode): IntervalSource {
  if (sources.length === 0) return { type: 'none' };
  if (sources.length === 1) return sources[0];
  if (maxGaps === 0 && mode === 'ordered') return { type: 'all', sources, mode: 'phrase' };
  const source: IntervalSource = { type: 'all', sources, mode };
  return maxGaps < 0 ? source : { type: 'maxGaps', source, gaps: maxGaps };
}

/** Tokens at the same position are alternatives. A removed stop word extends the token after it. */
function matchSource(field: FieldType, tokens: readonly AnalyzedToken[], maxGaps: number, mode: IntervalMode): IntervalSource {
  if (isGraph(tokens)) {
    const paths = finiteStrings(tokens, MAX_PATHS).map((path) => matchSource(field, path, maxGaps, mode));
    return paths.length === 1 ? paths[0] : { type: 'or', sources: paths };
  }
  const byPosition = new Map<number, IntervalSource[]>();
  for (const { position, term } of tokens) {
    const source: IntervalSource = { type: 'term', term: termOfText(field.spec.name, term) };
    byPosition.set(position, [...(byPosition.get(position) ?? []), source]);
  }
  let last = -1;
  const sources = [...byPosition].map(([position, alternatives]): IntervalSource => {
    const source: IntervalSource = alternatives.length === 1 ? alternatives[0] : { type: 'or', sources: alternatives };
    const before = last < 0 ? 0 : position - last - 1;
    last = position;
    return before > 0 ? { type: 'extend', source, before } : source;
  });
  return together(sources, maxGaps, mode);
}
