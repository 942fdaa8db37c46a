// The `knn` sections of a search: each is run on all shards and reduced to its best hits, which then count as clauses of the query.
import { ApiError } from '../../errors/api-error.ts';
import { allShardsFailedError, queryShardError, type ShardFailure } from '../../errors/search-errors.ts';
import { type FoundVectors, type KnnQuery, makeBoolQuery, type Query } from '../../query/query.ts';
import { countsOfSection, type KnnCounts, shardKey } from '../../query/vectors/knn-query.ts';
import { bestOf, type FoundVector, scoredDocs } from '../compute/knn.ts';
import { bool, type IndexQuery, type KnnIndexQuery } from '../index-query/index-query.ts';
import { Planner } from '../plan/planner.ts';
import type { KnnSection, SearchRequest } from '../request/search-request.ts';
import { nearestQuery } from '../rewrite/knn.ts';
import { rewriteQuery } from '../rewrite/rewrite.ts';
import { contextOf, fieldOf } from '../shard/rewrite-context.ts';
import type { ShardStatistics } from '../shard/statistics.ts';
import { SegmentMatchRunner } from './match-runner.ts';
import type { SearchEnvironment, SearchTarget } from './search-environment.ts';
import type { Steps } from './steps.ts';

export interface VectorPhase {
  readonly targets: readonly SearchTarget[];
  /** Parallel to `targets`. */
  readonly statistics: readonly ShardStatistics[];
  readonly env: SearchEnvironment;
  /** Receives the shards that fail. */
  readonly failures: ShardFailure[];
}

/** A vector of one segment of a shard. */
interface Found extends FoundVector {
  readonly segment: number;
}

/** @throws ApiError search_phase_execution_exception: every shard failed */
export function* withVectorHits(request: SearchRequest, phase: VectorPhase): Steps<SearchRequest> {
  const should: Query[] = request.query === null ? [] : [request.query];
  const failed = new Set<number>();
  for (const section of request.knn) {
    const counts = countsOfSection(section.query, request.size);
    const found: Found[] = [];
    for (let position = 0; position < phase.targets.length; position++) {
      if (failed.has(position)) continue;
      try {
        found.push(...searchShard(section.query, counts, position, phase));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        failed.add(position);
        const { index, shard } = phase.targets[position].shard;
        phase.failures.push({ shard, index, node: phase.env.nodeId, error });
      }
      yield;
    }
    should.push(clauseOf(section, bestOf(found, counts.k), phase));
  }
  if (failed.size > 0 && failed.size === phase.targets.length) throw allShardsFailedError('dfs', phase.failures);
  return { ...request, knn: [], query: should.length === 1 ? should[0] : makeBoolQuery({ should }) };
}

function searchShard(query: KnnQuery, counts: KnnCounts, position: number, { targets, statistics, env }: VectorPhase): Found[] {
  const { shard, aliasFilter } = targets[position];
  const context = contextOf(shard, env);
  const filters: IndexQuery[] = query.filter.map((inner) => rewriteQuery(inner, context));
  if (aliasFilter !== null) filters.push(rewriteQuery(aliasFilter, context));
  const knn = rewritten(filters.length === 0 ? null : bool({ filter: filters }));
  if (knn === null) return [];
  const planner = new Planner(
    statistics[position],
    statistics[position],
    shard.limits.maxClauseCount,
    new SegmentMatchRunner(shard.segments),
  );
  return planner
    .nearest(knn)
    .flatMap(({ docs, scores }, segment) => Array.from(docs, (docId, i) => ({ list: position, segment, docId, score: scores[i] })));

  function rewritten(filter: IndexQuery | null): KnnIndexQuery | null {
    try {
      return nearestQuery(query, filter, counts, context);
    } catch (error) {
      throw error instanceof ApiError ? queryShardError(shard.index, `failed to create query: ${error.reason}`, error) : error;
    }
  }
}

/** @param best  of all shards @returns those hits as a query; around vectors of nested documents the query for their roots. */
function clauseOf({ query, innerHits }: KnnSection, best: readonly Found[], { targets, env }: VectorPhase): Query {
  const byShard = new Map<string, FoundVectors[]>();
  for (const [position, { shard }] of targets.entries()) {
    const own = best.filter(({ list }) => list === position);
    byShard.set(
      shardKey(shard.index, shard.shard),
      shard.segments.map((_, segment) => scoredDocs(own.filter((one) => one.segment === segment))),
    );
  }
  const hits: Query = { kind: 'vector_hits', knn: query, byShard, boost: query.boost, name: query.name };
  const path = targets.length === 0 ? null : (fieldOf(contextOf(targets[0].shard, env), query.field)?.nestedPath ?? null);
  if (path === null) return hits;
  return { kind: 'nested', path, query: hits, scoreMode: 'max', ignoreUnmapped: true, innerHits, boost: 1, name: null };
}
