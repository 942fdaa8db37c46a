// Searches whose hits are combined: each runs by itself and returns its best hits, whose ranks or scores make one list. Totals and aggregations
// are those of all documents that any of the searches matches.
import type { AggTree } from '../../aggs/index.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { type FoundVectors, MATCH_ALL, makeBoolQuery, type Query } from '../../query/query.ts';
import { shardKey } from '../../query/vectors/knn-query.ts';
import { scoredDocs } from '../compute/knn.ts';
import type { Normalizer } from '../request/retriever-request.ts';
import type { RankedSearch, RankedSearches, SearchRequest } from '../request/search-request.ts';
import type { SearchTarget } from './search-environment.ts';
import type { ShardHit } from './shard-hits.ts';
import type { Steps } from './steps.ts';

/** The part of an outcome that depends on the hits. */
export interface RankedOutcome {
  readonly hits: ReadonlyArray<Readonly<Record<string, unknown>>>;
  readonly page: readonly ShardHit[];
}

/** A document in the combined list. */
interface Ranked {
  readonly hit: ShardHit;
  score: number;
}

/** @param run  searches the shards without `rank` */
export function* rankedSteps<T extends RankedOutcome>(
  request: SearchRequest,
  rank: RankedSearches,
  aggs: AggTree | null,
  targets: readonly SearchTarget[],
  run: (request: SearchRequest, aggs: AggTree | null) => Steps<T>,
): Steps<{ readonly matches: T; readonly best: T }> {
  const window = rank.window ?? request.size;
  if (window < request.size)
    throw illegalArgumentError(`[${rank.kind}] requires [rank_window_size: ${window}] be greater than or equal to [size: ${request.size}]`);
  const searches = rank.searches.map((one) => ({ ...one, request: sized(one.request, window) }));
  const found: Ranked[][] = [];
  for (const { request: search } of searches) {
    const { page } = yield* run({ ...search, from: 0, size: window, storedFields: ['_none_'], trackTotalHitsUpTo: 0 }, null);
    found.push(page.map((hit) => ({ hit, score: hit.score })));
  }
  const combined = rank.kind === 'rrf' ? byRank(found, rank.constant) : byScore(found, searches);
  const best = combined.sort((a, b) => b.score - a.score || byPosition(a.hit, b.hit)).slice(0, window);
  const rest = { ...request, rank: null };
  const matches = yield* run({ ...rest, ...anyOf(searches), from: 0, size: 0 }, aggs);
  const ranked = yield* run({ ...rest, query: hitsQuery(best, targets), knn: [], trackTotalHitsUpTo: 0, suggest: [] }, null);
  return { matches, best: rank.kind === 'rrf' ? { ...ranked, hits: withRanks(ranked.hits, request.from) } : ranked };
}

/** Sections of `knn` without `k` find as many documents as the window has. */
function sized(request: SearchRequest, window: number): SearchRequest {
  return { ...request, knn: request.knn.map((section) => ({ ...section, query: { ...section.query, k: section.query.k ?? window } })) };
}

function byPosition(a: ShardHit, b: ShardHit): number {
  return a.shard - b.shard || a.segment - b.segment || a.docId - b.docId;
}

/** Reciprocal rank fusion. */
function byRank(lists: readonly Ranked[][], constant: number): Ranked[] {
  return sumOf(lists.map((list) => list.map(({ hit }, i) => ({ hit, score: 1 / (constant + i + 1) }))));
}

function byScore(lists: readonly Ranked[][], searches: readonly RankedSearch[]): Ranked[] {
  return sumOf(
    lists.map((list, i) => {
      const { weight, normalizer } = searches[i];
      const normalize = normalizerOf(
        normalizer,
        list.map(({ score }) => score),
      );
      return list.map(({ hit, score }) => ({ hit, score: weight * normalize(score) }));
    }),
  );
}

function normalizerOf(normalizer: Normalizer, scores: readonly number[]): (score: number) => number {
  if (normalizer === 'none' || scores.length === 0) return (score) => score;
  if (normalizer === 'l2_norm') {
    const length = Math.hypot(...scores);
    return (score) => (length === 0 ? 0 : score / length);
  }
  const min = Math.min(...scores);
  const range = Math.max(...scores) - min;
  // If all scores are equal, each counts as the best.
  return (score) => (range === 0 ? 1 : (score - min) / range);
}

/** Adds the scores of each document. */
function sumOf(lists: readonly Ranked[][]): Ranked[] {
  const byDocument = new Map<string, Ranked>();
  for (const { hit, score } of lists.flat()) {
    const key = `${hit.shard}/${hit.segment}/${hit.docId}`;
    const before = byDocument.get(key);
    if (before) before.score += score;
    else byDocument.set(key, { hit, score });
  }
  return [...byDocument.values()];
}

/** The union of the matches of all searches. */
function anyOf(searches: readonly RankedSearch[]): Pick<SearchRequest, 'query' | 'knn'> {
  const all = searches.flatMap(({ request }) => leavesOf(request));
  const should = all.flatMap(({ query, knn }): Query[] => (query !== null ? [query] : knn.length === 0 ? [MATCH_ALL] : []));
  const knn = all.flatMap((request) => request.knn);
  if (should.length === 0) return { query: null, knn };
  return { query: should.length === 1 ? should[0] : makeBoolQuery({ should }), knn };
}

/** The searches inside combinations. */
function leavesOf(request: SearchRequest): SearchRequest[] {
  return request.rank === null ? [request] : request.rank.searches.flatMap((one) => leavesOf(one.request));
}

function hitsQuery(best: readonly Ranked[], targets: readonly SearchTarget[]): Query {
  const byShard = new Map<string, FoundVectors[]>();
  targets.forEach(({ shard }, position) => {
    const own = best.filter(({ hit }) => hit.shard === position);
    const ofSegment = (list: number) =>
      own.filter(({ hit }) => hit.segment === list).map(({ hit, score }) => ({ list, docId: hit.docId, score: Math.fround(score) }));
    byShard.set(
      shardKey(shard.index, shard.shard),
      shard.segments.map((_, list) => scoredDocs(ofSegment(list))),
    );
  });
  return { kind: 'vector_hits', knn: null, byShard, boost: 1, name: null };
}

/** Adds `_rank` after the score. */
function withRanks(hits: RankedOutcome['hits'], from: number): RankedOutcome['hits'] {
  return hits.map((hit, i) => {
    const ranked: MutableJsonObject = {};
    for (const [key, value] of Object.entries(hit)) {
      ranked[key] = value;
      if (key === '_score') ranked['_rank'] = from + i + 1;
    }
    return ranked;
  });
}
