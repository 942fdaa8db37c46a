// sparse_vector queries of an index: a disjunction of features. Source: the Elasticsearch reference, "Sparse vector query".
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { SparseVectorQuery, TokenPruning } from '../../query/vectors/sparse-vector-query.ts';
import { bool, type IndexQuery, none, type TermStatistics, withBoost } from '../index-query/index-query.ts';
import { termOfText } from '../index-query/term.ts';
import { fieldOf, type RewriteContext } from '../shard/rewrite-context.ts';
import { checkClauseCount } from './clauses.ts';

type Tokens = SparseVectorQuery['tokens'];

/** @throws ApiError illegal_argument_exception: the field has another type */
export function rewriteSparseVector({ field: name, tokens, pruning }: SparseVectorQuery, context: RewriteContext): IndexQuery {
  const field = fieldOf(context, name);
  if (field === null) return none(`unmapped field [${name}]`);
  if (field.typeName !== 'sparse_vector')
    throw illegalArgumentError(`field [${name}] must be type [sparse_vector] but is type [${field.typeName}]`);
  checkClauseCount(context, tokens.length);
  const column = field.spec.name;
  if (pruning === null) return anyToken(column, tokens);
  return {
    op: 'perShard',
    label: `sparse_vector:${name}`,
    make: (statistics) => anyToken(column, pruned(column, tokens, pruning, statistics)),
  };
}

function anyToken(field: string, tokens: Tokens): IndexQuery {
  if (tokens.length === 0) return none('no tokens');
  const should = tokens.map(({ token, weight }) =>
    withBoost({ op: 'feature', term: termOfText(field, token), scoreOf: () => (value) => value }, weight),
  );
  return bool({ should, minimumShouldMatch: 1 });
}

/** The tokens that are rare or heavy, or the others. */
function pruned(field: string, tokens: Tokens, pruning: TokenPruning, statistics: TermStatistics): Tokens {
  let documents = 0;
  let postings = 0;
  let terms = 0;
  for (const segment of statistics.segments) {
    const found = segment.postings(field);
    documents += found?.docCount ?? 0;
    postings += found?.sumDocFreq ?? 0;
    terms += found?.termCount ?? 0;
  }
  if (documents === 0) return [];
  const average = postings / documents / terms;
  const greatest = Math.max(...tokens.map(({ weight }) => weight));
  return tokens.filter(({ token, weight }) => {
    const docFreq = statistics.docFreq(termOfText(field, token));
    if (docFreq === 0) return false;
    const isKept = docFreq / documents < pruning.frequencyRatio * average || weight > pruning.weight * greatest;
    return isKept !== pruning.isInverted;
  });
}
