// Rewriting of `combined_fields`: each word is searched in all fields at once. The fields share an analyzer, so that they share their terms.
import { illegalArgumentError } from '../../../errors/catalog.ts';
import type { FieldType } from '../../../mapping/core/field-type.ts';
import type { CombinedFieldsQuery } from '../../../query/leaf-query.ts';
import { ALL, bool, type IndexQuery, none, withBoost } from '../../index-query/index-query.ts';
import { termOfText } from '../../index-query/term.ts';
import { fieldOf, type RewriteContext } from '../../shard/rewrite-context.ts';
import { checkClauseCount } from '../clauses.ts';
import { resolveFields } from './field-patterns.ts';
import { withMinimum } from './text.ts';
import { buildTextQuery, NO_TERMS, type TokenQueries } from './text-query-builder.ts';

interface WeightedType {
  readonly type: FieldType;
  readonly weight: number;
}

/** @throws ApiError query_shard_exception: no fields, fields of other types than text, or with different analyzers */
export function rewriteCombinedFields(query: CombinedFieldsQuery, context: RewriteContext): IndexQuery {
  if (query.fields.length === 0) throw illegalArgumentError('In [combined_fields] query, at least one field must be provided');
  const fields = textFields(query, context);
  if (fields.length === 0) return none('unmapped fields []');
  checkClauseCount(context, fields.length);
  const analyzer = sharedAnalyzer(fields);
  const tokens = context.analysis.analyze(analyzer, query.value);
  checkClauseCount(context, tokens.length);
  const options = { operator: query.operator, slop: 0, maxExpansions: 0, autoPhrase: query.autoPhrase, gaps: true };
  const built = buildTextQuery(tokens, query.value.length, 'boolean', queriesFor(fields, context), options);
  if (built === null) return query.zeroTerms === 'all' ? ALL : NO_TERMS;
  return withMinimum(built, query.minimumShouldMatch);
}

/** The mapped fields. Patterns select fields of type text; a name of another type is an error. */
function textFields(query: CombinedFieldsQuery, context: RewriteContext): WeightedType[] {
  const named = new Set(query.fields.filter(({ field }) => !field.includes('*')).map(({ field }) => fieldOf(context, field)?.name));
  const found: WeightedType[] = [];
  for (const [name, weight] of resolveFields(query.fields, context)) {
    const type = fieldOf(context, name);
    if (!type) continue;
    if (type.family === 'text' && type.spec.analyzer !== null) found.push({ type, weight });
    else if (named.has(type.name))
      throw illegalArgumentError(`Field [${type.name}] of type [${type.typeName}] does not support [combined_fields] queries`);
  }
  return found;
}

function sharedAnalyzer(fields: readonly WeightedType[]): string {
  const [first] = fields;
  if (fields.some(({ type }) => type.searchAnalyzer !== first.type.searchAnalyzer))
    throw illegalArgumentError('All fields in [combined_fields] query must have the same search analyzer');
  return first.type.searchAnalyzer ?? 'standard';
}

function queriesFor(fields: readonly WeightedType[], context: RewriteContext): TokenQueries {
  const weighted = fields.map(({ type, weight }) => ({ field: type.spec.name, weight })).sort((a, b) => (a.field < b.field ? -1 : 1));
  const combined = (tokens: readonly string[]): IndexQuery => ({
    op: 'combined',
    fields: weighted,
    terms: tokens.map((token) => termOfText('', token)),
    nestedPath: context.nestedPath,
  });
  return {
    field: weighted[0].field,
    hasPositions: fields.every(({ type }) => type.spec.postings === 'positions' || type.spec.postings === 'offsets'),
    term: (token) => combined([token]),
    prefix: (token) => combined([token]),
    synonyms: combined,
    phrase: (positions, slop, prefixExpansions) => {
      const phrases = weighted.map(({ field, weight }): IndexQuery => {
        const own = positions.map(({ position, terms }) => ({ position, terms: terms.map((term) => ({ ...term, field })) }));
        return withBoost({ op: 'phrase', field, positions: own, slop, prefixExpansions }, weight);
      });
      return bool({ should: phrases, minimumShouldMatch: 1 });
    },
  };
}
