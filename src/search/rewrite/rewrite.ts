// Rewrites a parsed query for one index: the entry point, and compound queries.
import { checkTurn } from '../../common/turns/turn.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { queryShardError } from '../../errors/search-errors.ts';
import type { BoolQuery, KnnQuery, NestedQuery, Query } from '../../query/query.ts';
import { calculateMinimumShouldMatch } from '../../query/text/minimum-should-match.ts';
import { docFunction } from '../evaluate/score-functions.ts';
import {
  ALL,
  applyMinimumShouldMatch,
  bool,
  checkTieBreaker,
  constant,
  disMax,
  type IndexQuery,
  none,
  withBoost,
} from '../index-query/index-query.ts';
import { type RewriteContext, requireExpensive, rewriteError } from '../shard/rewrite-context.ts';
import { checkClauseCount, checkNestedClauses, fixNegative } from './clauses.ts';
import { rewriteGeo } from './geo/geo.ts';
import { rewriteGeoShape } from './geo/shape.ts';
import { rewriteParentId, rewriteRelated } from './join.ts';
import { rewriteKnn, rewriteVectorHits } from './knn.ts';
import { rewriteExists, rewriteIds, rewriteRange, rewriteTerms, rewriteTermsSet } from './leaf.ts';
import { matchesNone } from './match-none.ts';
import { rewriteFuzzy, rewritePattern, rewriteTerm } from './patterns.ts';
import { rewritePinned } from './pinned.ts';
import { rewriteIntervals, rewriteSpan } from './positional.ts';
import { withRuntimeFilters } from './runtime-filters.ts';
import { rewriteDistanceFeature, rewriteRankFeature, rewriteScript, rewriteScriptScore } from './score.ts';
import { rewriteSparseVector } from './sparse-vector.ts';
import { rewritePercolate } from './stored/percolate.ts';
import { rewriteCombinedFields } from './text/combined-fields.ts';
import { rewriteMoreLikeThis } from './text/more-like-this.ts';
import { rewriteQueryString } from './text/query-string.ts';
import { rewriteSimpleQueryString } from './text/simple-query-string.ts';
import { rewriteMatch, rewriteMultiMatch } from './text/text.ts';

/** @throws ApiError query_shard_exception and others: the query is not valid for the index; too_many_nested_clauses */
export function rewriteQuery(query: Query, context: RewriteContext): IndexQuery {
  const rewritten = rewriteAny(query, context);
  checkNestedClauses(rewritten, context.limits.maxClauseCount);
  return rewritten;
}

/**
 * A query outside the query section: filters of aggregations and of nested sorts, queries of highlights. Its errors are not wrapped in a
 * `query_shard_exception`.
 * @throws ApiError the one that the query failed with
 */
export function rewriteBareQuery(query: Query, context: RewriteContext): IndexQuery {
  try {
    return rewriteQuery(query, context);
  } catch (error) {
    const isWrapped = error instanceof ApiError && error.type === 'query_shard_exception' && error.reason?.startsWith(WRAPPED);
    throw isWrapped ? (error.causedBy ?? error) : error;
  }
}

const WRAPPED = 'failed to create query: ';

function rewriteAny(query: Query, context: RewriteContext): IndexQuery {
  checkTurn();
  let result: IndexQuery;
  try {
    const rewritten = rewriteKind(query, context);
    result = withBoost(
      context.mapping.hasRuntime || mayReadMetadata(query) ? withRuntimeFilters(rewritten, context) : rewritten,
      isBoostable(query) ? query.boost : 1,
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.type === 'query_shard_exception' || error.type === 'parsing_exception') throw error;
    throw queryShardError(context.index, WRAPPED + error.reason, error);
  }
  return query.name === null ? result : { op: 'named', name: query.name, query: result };
}

/** Whether a leaf query may read a metadata field that has no column. */
function mayReadMetadata(query: Query): boolean {
  return 'field' in query ? METADATA.has(query.field) : OF_ANY_FIELDS.has(query.kind);
}

const METADATA: ReadonlySet<string> = new Set(['_id', '_seq_no', '_version']);
const OF_ANY_FIELDS: ReadonlySet<Query['kind']> = new Set(['multi_match', 'query_string', 'simple_query_string']);

/** Scores of pinned documents have no room for a boost, those of percolated documents ignore it. */
function isBoostable({ kind }: Query): boolean {
  return kind !== 'pinned' && kind !== 'percolate';
}

/** One case a kind, in one switch: a kind without a case does not compile. */
function rewriteKind(query: Query, context: RewriteContext): IndexQuery {
  switch (query.kind) {
    case 'match_all':
      return ALL;
    case 'match_none':
      return none('User requested "match_none" query.');
    case 'bool':
      return rewriteBool(query, context);
    case 'constant_score':
      return constant(rewriteAny(query.filter, context));
    case 'dis_max':
      return disMax(
        query.queries.map((inner) => rewriteAny(inner, context)),
        checkTieBreaker(query.tieBreaker),
      );
    case 'pinned':
      return rewritePinned(query, rewriteAny(query.organic, context), context);
    case 'boosting':
      return {
        op: 'boosting',
        positive: rewriteAny(query.positive, context),
        negative: rewriteAny(query.negative, context),
        negativeBoost: query.negativeBoost,
        nestedPath: context.nestedPath,
      };
    case 'function_score':
      return {
        op: 'functionScore',
        query: query.query ? rewriteAny(query.query, context) : ALL,
        functions: query.functions.map(({ filter, weight, function: spec }) => ({
          filter: filter === null || filter.kind === 'match_all' ? null : rewriteAny(filter, context),
          weight,
          value: docFunction(spec, context),
        })),
        scoreMode: query.scoreMode,
        boostMode: query.boostMode,
        maxBoost: query.maxBoost,
        minScore: query.minScore,
        nestedPath: context.nestedPath,
        boosts: 'query',
      };
    case 'script':
      return rewriteScript(query.script, context);
    case 'script_score':
      return rewriteScriptScore(query, rewriteAny(query.query, context), context);
    case 'rank_feature':
      return rewriteRankFeature(query, context);
    case 'distance_feature':
      return rewriteDistanceFeature(query, context);
    case 'nested':
      return rewriteNested(query, context);
    case 'term':
      return rewriteTerm(query, context);
    case 'terms':
      return rewriteTerms(query, context);
    case 'terms_set':
      return rewriteTermsSet(query, context);
    case 'more_like_this':
      return rewriteMoreLikeThis(query, context);
    case 'terms_lookup':
      throw illegalArgumentError('[terms] lookup is not resolved');
    case 'range':
      return rewriteRange(query, context);
    case 'exists':
      return rewriteExists(query.field, context);
    case 'ids':
      return rewriteIds(query.values, context);
    case 'prefix':
    case 'wildcard':
    case 'regexp':
      return rewritePattern(query, context);
    case 'fuzzy':
      return rewriteFuzzy(query, context);
    case 'match':
    case 'match_phrase':
    case 'match_phrase_prefix':
    case 'match_bool_prefix':
      return rewriteMatch(query, context);
    case 'multi_match':
      return rewriteMultiMatch(query, context);
    case 'combined_fields':
      return rewriteCombinedFields(query, context);
    case 'query_string':
      return rewriteQueryString(query, context);
    case 'simple_query_string':
      return rewriteSimpleQueryString(query, context);
    case 'has_child':
    case 'has_parent':
      return rewriteRelated(query, rewriteAny(query.query, context), context);
    case 'percolate':
      return rewritePercolate(query, context, rewriteQuery);
    case 'parent_id':
      return rewriteParentId(query, context);
    case 'geo_shape':
      return rewriteGeoShape(query, context);
    case 'span':
      return rewriteSpan(query.clause, context);
    case 'intervals':
      return rewriteIntervals(query.field, query.rule, context);
    case 'sparse_vector':
      return rewriteSparseVector(query, context);
    case 'knn':
      return rewriteKnn(query, rewriteFilters(query, context), context);
    case 'vector_hits':
      return rewriteVectorHits(query, query.knn && rewriteFilters(query.knn, context), context);
    case 'geo_distance':
    case 'geo_bounding_box':
    case 'geo_polygon':
      return rewriteGeo(query, context);
  }
}

/** The filters of a knn query, which are about root documents. */
function rewriteFilters({ filter }: KnnQuery, context: RewriteContext): IndexQuery | null {
  if (filter.length === 0) return null;
  return bool({ filter: filter.map((inner) => rewriteAny(inner, { ...context, nestedPath: null })) });
}

function rewriteBool(query: BoolQuery, context: RewriteContext): IndexQuery {
  const { must, filter, should, mustNot } = query;
  checkClauseCount(context, must.length + filter.length + should.length + mustNot.length);
  if (must.length + filter.length + should.length + mustNot.length === 0) return ALL;
  let result: IndexQuery;
  try {
    const rewriteAll = (queries: readonly Query[]) => queries.map((inner) => rewriteAny(inner, context));
    result = bool({ must: rewriteAll(must), filter: rewriteAll(filter), should: rewriteAll(should), mustNot: rewriteAll(mustNot) });
  } catch (error) {
    if (error instanceof ApiError && matchesNone(query, context)) return none('a required clause matches nothing');
    throw error;
  }
  const spec = query.minimumShouldMatch;
  if (spec !== null && should.length === 0 && must.length + filter.length > 0 && calculateMinimumShouldMatch(0, spec) > 0)
    return none('minimum_should_match is above the number of optional clauses');
  const limited = spec === null ? result : applyMinimumShouldMatch(result, (count) => calculateMinimumShouldMatch(count, spec));
  return query.adjustPureNegative ? fixNegative(limited) : limited;
}

/** @throws ApiError query_shard_exception: the path is not that of nested documents */
export function requireNested(path: string, context: RewriteContext): void {
  if (context.mapping.isNested(path)) return;
  if (!context.mapping.isObject(path)) throw rewriteError(context, `[nested] failed to find nested object under path [${path}]`);
  throw rewriteError(context, `[nested] nested object under path [${path}] is not of nested type`);
}

function rewriteNested(query: NestedQuery, context: RewriteContext): IndexQuery {
  requireExpensive(context, '[joining] queries');
  if (query.ignoreUnmapped && !context.mapping.isNested(query.path)) return none('nested path is not mapped');
  requireNested(query.path, context);
  const inner = rewriteAny(query.query, { ...context, nestedPath: query.path });
  return { op: 'nested', path: query.path, parentPath: context.nestedPath, query: inner, scoreMode: query.scoreMode };
}
