// The query phase on one shard: prepared plans run segment by segment, their hits merged to the shard's best.
import type { SegmentImageReader } from '../../arena/segment-reader.ts';
import { illegalArgument } from '../../errors/catalog.ts';
import type { CollectPlan, ExecutionCounters, PlanNode, SegmentHits, SortKey, StopCheck } from '../../plan/query-plan.ts';
import type { SegmentReader } from '../../plan/segment.ts';
import type { ScoredDocs } from '../compute/match-runner.ts';
import { bool, type IndexQuery } from '../index-query/index-query.ts';
import { Planner } from '../plan/planner.ts';
import type { RescoreRequest } from '../request/search-request.ts';
import type { RunOptions, RunSegment, SearchShard } from '../shard/search-shard.ts';
import type { ShardStatistics, Statistics } from '../shard/statistics.ts';
import type { ShardAggregations } from './search-aggregations.ts';
import { compareSortValues, type ResolvedSort, type SortValue } from './sort-keys.ts';
import type { Steps } from './steps.ts';

/** What a request asks of one shard, resolved against its index. */
export interface ShardQuery {
  readonly query: IndexQuery;
  readonly postFilter: IndexQuery | null;
  /** Empty: by score, best first. */
  readonly sort: readonly ResolvedSort[];
  /** Factor of the index for all scores. */
  readonly boost: number;
  readonly size: number;
  readonly trackScores: boolean;
  readonly trackTotalHitsUpTo: number;
  readonly minScore: number | null;
  readonly terminateAfter: number;
  readonly searchAfter: readonly unknown[] | null;
  readonly needsScores: boolean;
  /** size 0: nothing is collected, whatever `size` says. */
  readonly isEmptyPage: boolean;
  /** Documents of every segment stand in the order of the sort: the first that match are its best. */
  readonly isPresorted: boolean;
}

export interface ShardHit {
  /** Position of the shard in the search, of the segment in the shard. */
  readonly shard: number;
  readonly segment: number;
  readonly docId: number;
  /** NaN where not computed. */
  score: number;
  /** Parallel to the sort keys; empty when sorted by score alone. */
  readonly sort: readonly SortValue[];
  /** What each rescorer did to the score, first one first; absent without rescorers. */
  readonly rescored?: readonly Rescored[];
}

/** One rescorer's part in a score. */
export interface Rescored {
  readonly rescore: RescoreRequest;
  /** The second query, null for hits behind the window, which only take the first query's weight. */
  readonly query: IndexQuery | null;
}

export interface ShardHits {
  readonly hits: ShardHit[];
  readonly total: number;
  readonly totalIsLowerBound: boolean;
  /** NaN where no score was computed. */
  readonly maxScore: number;
  readonly terminatedEarly: boolean;
  readonly timedOut: boolean;
}

/** Plans of a query for all segments of a shard. */
export class PreparedShard {
  readonly planner: Planner;
  readonly shardQuery: ShardQuery;
  readonly #plans: Array<PlanNode | undefined>;
  readonly #postFilters: Array<PlanNode | undefined>;
  readonly #keys: Array<SortKey[] | undefined>;
  readonly #segments: readonly SegmentReader[];
  readonly #run: RunSegment;
  readonly docBases: readonly number[];

  constructor(shardQuery: ShardQuery, local: ShardStatistics, weights: Statistics, maxClauses: number, run: RunSegment) {
    this.shardQuery = shardQuery;
    this.#run = run;
    this.planner = new Planner(local, weights, maxClauses, (index, plan, scopePtr) =>
      matchingDocs(run, local.segments[index], plan, scopePtr),
    );
    this.#segments = local.segments;
    this.#plans = local.segments.map(() => undefined);
    this.#postFilters = local.segments.map(() => undefined);
    this.#keys = local.segments.map(() => undefined);
    let base = 0;
    this.docBases = local.segments.map((segment) => {
      const own = base;
      base += segment.maxDoc;
      return own;
    });
  }

  plan(index: number): PlanNode {
    const { query, boost, needsScores } = this.shardQuery;
    return (this.#plans[index] ??= this.planner.plan(query, index, needsScores, boost));
  }

  postFilter(index: number): PlanNode | null {
    const { postFilter } = this.shardQuery;
    return postFilter ? (this.#postFilters[index] ??= this.planner.planAmong(postFilter, index, false, this.plan(index))) : null;
  }

  /** Documents of a plan; of those of a bitset instead of the roots. */
  matchingDocs(index: number, plan: PlanNode, scopePtr: number | null): Uint32Array {
    return matchingDocs(this.#run, this.#segments[index], plan, scopePtr).docs;
  }

  sortKeys(index: number): SortKey[] {
    const { sort } = this.shardQuery;
    const keys = this.#keys[index];
    if (keys) return keys;
    const matching = (): Iterable<number> => this.matchingDocs(index, this.plan(index), null);
    const made = sort.map((key) => key.keyFor(this.#segments[index], (filter) => this.planner.plan(filter, index, false), matching));
    if (!sort.some((key) => key.isComputed)) this.#keys[index] = made;
    return made;
  }
}

/** Every document of a plan with its score, ascending: for queries that the host scores. */
function matchingDocs(run: RunSegment, segment: SegmentReader, plan: PlanNode, scopePtr: number | null): ScoredDocs {
  const scoped: PlanNode =
    scopePtr === null
      ? plan
      : { op: 'bool', must: [plan], filter: [{ op: 'bitset', ptr: scopePtr }], should: [], mustNot: [], minimumShouldMatch: 0 };
  const collect: CollectPlan = { ...COLLECT_ALL, size: segment.maxDoc, sort: [{ by: 'doc', descending: false }], trackScores: true };
  const { docs, scores } = run(segment, scoped, collect, {
    stop: () => false,
    counters: { blocksDecoded: 0, docsCollected: 0, docsScored: 0, windows: 0 },
    minCompetitiveScore: Number.NEGATIVE_INFINITY,
    withNested: scopePtr !== null,
    aggs: null,
  });
  return { docs, scores };
}

export interface QueryPhaseOptions {
  readonly run: RunSegment;
  readonly stop: StopCheck;
  readonly counters: ExecutionCounters;
  /** null without aggregations. */
  readonly aggs: ShardAggregations | null;
}

/** The place of the last hit seen, for scrolls: hits behind it only. */
export interface AfterHit {
  readonly segment: number;
  readonly docId: number;
  readonly score: number;
  readonly sort: readonly SortValue[];
}

/** Best hits of one shard, a step per segment. @param position  of the shard in the search */
export function* queryShardHits(
  shard: SearchShard,
  prepared: PreparedShard,
  position: number,
  options: QueryPhaseOptions,
  afterHit: AfterHit | null = null,
): Steps<ShardHits> {
  const { shardQuery } = prepared;
  const { sort, trackTotalHitsUpTo } = shardQuery;
  const size = shardQuery.isEmptyPage ? 0 : shardQuery.size;
  let hits: ShardHit[] = [];
  let total = 0;
  let totalIsLowerBound = false;
  let maxScore = Number.NaN;
  let terminatedEarly = false;
  let collected = 0;
  const compare = hitComparator(sort);
  for (let index = 0; index < shard.segments.length; index++) {
    if (options.stop()) return { hits, total, totalIsLowerBound: true, maxScore, terminatedEarly, timedOut: true };
    const segment = shard.segments[index];
    const plan = prepared.plan(index);
    if (plan.op === 'matchNone' && !options.aggs) continue;
    const remaining = shardQuery.terminateAfter === 0 ? 0 : shardQuery.terminateAfter - collected;
    if (shardQuery.terminateAfter > 0 && remaining <= 0) {
      terminatedEarly = true;
      break;
    }
    const enough = shardQuery.terminateAfter === 0 && !options.aggs && !afterHit ? enoughHits(shardQuery, total) : 0;
    const found = withSortColumns(segment, sort, () => runSegment(index, segment, plan, remaining || enough));
    total += found.total;
    collected += found.total;
    totalIsLowerBound ||= found.totalIsLowerBound || (enough > 0 && found.terminatedEarly);
    if (found.terminatedEarly && shardQuery.terminateAfter > 0) terminatedEarly = true;
    if (found.docs.length > 0 && !(found.maxScore <= maxScore)) maxScore = found.maxScore;
    hits = merge(hits, toHits(found, segment, index, prepared, position), compare, size);
    yield;
  }
  return { hits, total, totalIsLowerBound, maxScore, terminatedEarly, timedOut: options.stop() };

  function runSegment(index: number, segment: SegmentReader, plan: PlanNode, remaining: number): SegmentHits {
    const collect: CollectPlan = {
      size,
      sort: prepared.sortKeys(index),
      trackScores: shardQuery.trackScores,
      after: afterOf(shardQuery, afterHit, segment, index, prepared.docBases[index]),
      trackTotalHitsUpTo: trackTotalHitsUpTo === 0 || total > trackTotalHitsUpTo ? 0 : trackTotalHitsUpTo - total + 1,
      minScore: shardQuery.minScore,
      terminateAfter: remaining,
      postFilter: prepared.postFilter(index),
    };
    const runOptions: RunOptions = {
      stop: options.stop,
      counters: options.counters,
      // Hits of earlier segments win ties.
      minCompetitiveScore: sort.length === 0 && size > 0 && hits.length === size ? hits[size - 1].score : Number.NEGATIVE_INFINITY,
      withNested: false,
      aggs: null,
    };
    let found: SegmentHits | null = null;
    options.aggs?.collect(
      prepared,
      index,
      (aggs) => {
        found = options.run(segment, plan, collect, { ...runOptions, aggs });
      },
      (aggs) => {
        options.run(segment, { op: 'matchAll' }, COLLECT_ALL, { ...runOptions, aggs });
      },
    );
    return found ?? options.run(segment, plan, collect, runOptions);
  }
}

/** Matches of a segment that settle its hits and the total, when it stands in the order of the sort; 0: all must be looked at. */
function enoughHits(query: ShardQuery, totalBefore: number): number {
  const { isPresorted, isEmptyPage, size, trackTotalHitsUpTo, searchAfter, postFilter, minScore } = query;
  if (!isPresorted || isEmptyPage || size === 0 || searchAfter || postFilter || minScore !== null) return 0;
  if (trackTotalHitsUpTo === Number.POSITIVE_INFINITY) return 0;
  return Math.max(size, trackTotalHitsUpTo === 0 ? 0 : trackTotalHitsUpTo - totalBefore + 1);
}

/** Runs with scratch for the columns of computed sort keys, if there are any. */
export function withSortColumns<T>(segment: SegmentReader, sort: readonly ResolvedSort[], action: () => T): T {
  if (!sort.some((key) => key.isComputed)) return action();
  return (segment as SegmentImageReader).kernels.scoped(action);
}

function toHits(found: SegmentHits, segment: SegmentReader, index: number, prepared: PreparedShard, position: number): ShardHit[] {
  const { sort, trackScores } = prepared.shardQuery;
  // Scores that only min_score or aggregations wanted are not shown.
  const isScored = sort.length === 0 || trackScores || sort.some((key) => key.needsScore);
  const docBase = prepared.docBases[index];
  const hits: ShardHit[] = [];
  for (let i = 0; i < found.docs.length; i++) {
    const docId = found.docs[i];
    const score = isScored ? found.scores[i] : Number.NaN;
    const values =
      sort.length === 0 ? NO_VALUES : sort.map((key, k) => key.valueOf(found.sortValues[i]?.[k] ?? null, segment, docId, docBase, score));
    hits.push({ shard: position, segment: index, docId, score, sort: values });
  }
  return hits;
}

const NO_VALUES: readonly SortValue[] = [];

/** Order of hits: by the sort, then shard, segment and document. */
export function hitComparator(sort: readonly ResolvedSort[]): (a: ShardHit, b: ShardHit) => number {
  const byPlace = (a: ShardHit, b: ShardHit): number => a.shard - b.shard || a.segment - b.segment || a.docId - b.docId;
  if (sort.length === 0) return (a, b) => b.score - a.score || byPlace(a, b);
  return (a, b) => {
    for (let i = 0; i < sort.length; i++) {
      const order = compareSortValues(a.sort[i], b.sort[i], sort[i]);
      if (order !== 0) return order;
    }
    return byPlace(a, b);
  };
}

/** The first `size` of two ordered lists, in order. */
export function merge(left: ShardHit[], right: ShardHit[], compare: (a: ShardHit, b: ShardHit) => number, size: number): ShardHit[] {
  if (left.length === 0) return right.length > size ? right.slice(0, size) : right;
  if (right.length === 0) return left;
  const merged: ShardHit[] = [];
  let l = 0;
  let r = 0;
  while (merged.length < size && (l < left.length || r < right.length)) {
    if (r >= right.length || (l < left.length && compare(left[l], right[r]) <= 0)) merged.push(left[l++]);
    else merged.push(right[r++]);
  }
  return merged;
}

function afterOf(
  query: ShardQuery,
  afterHit: AfterHit | null,
  segment: SegmentReader,
  index: number,
  docBase: number,
): CollectPlan['after'] {
  const { sort, searchAfter } = query;
  if (afterHit) {
    const values = sort.length === 0 ? [afterHit.score] : sort.map((key, i) => key.rawOf(afterHit.sort[i], segment, docBase));
    return { values, docId: docIdAfter(afterHit, index, segment) };
  }
  if (!searchAfter) return null;
  if (sort.length === 0) throw illegalArgument('Sort must contain at least one field.');
  if (searchAfter.length !== sort.length) throw wrongCount(searchAfter.length, sort.length);
  return { values: sort.map((key, i) => key.after(searchAfter[i], segment, docBase)), docId: null };
}

function wrongCount(values: number, keys: number) {
  return illegalArgument(`search_after has ${values} value(s) but sort has ${keys}.`);
}

/** Ties with the last hit: segments before its own have been seen whole, segments behind it not at all. */
function docIdAfter(hit: AfterHit, index: number, segment: SegmentReader): number {
  if (index < hit.segment) return segment.maxDoc;
  return index > hit.segment ? -1 : hit.docId;
}

/** Scores of a query for given documents of one segment, by document; those that do not match are left out. */
export function scoreDocs(
  prepared: PreparedShard,
  query: IndexQuery,
  segment: SegmentReader,
  index: number,
  docs: readonly number[],
  scored: boolean,
  options: Pick<QueryPhaseOptions, 'run' | 'stop' | 'counters'>,
): Map<number, number> {
  const result = new Map<number, number>();
  if (docs.length === 0) return result;
  const wanted: PlanNode = { op: 'docs', docs: Uint32Array.from(docs).sort(), scores: null };
  const plan = prepared.planner.planAmong(query, index, scored, wanted);
  if (plan.op === 'matchNone') return result;
  const restricted: PlanNode = scored
    ? { op: 'bool', must: [plan], filter: [wanted], should: [], mustNot: [], minimumShouldMatch: 0 }
    : { op: 'bool', must: [], filter: [wanted, plan], should: [], mustNot: [], minimumShouldMatch: 0 };
  const found = options.run(
    segment,
    restricted,
    { ...COLLECT_ALL, size: docs.length, trackScores: scored },
    {
      stop: options.stop,
      counters: options.counters,
      minCompetitiveScore: Number.NEGATIVE_INFINITY,
      withNested: false,
      aggs: null,
    },
  );
  for (let i = 0; i < found.docs.length; i++) result.set(found.docs[i], scored ? found.scores[i] : 0);
  return result;
}

export const COLLECT_ALL: CollectPlan = {
  size: 0,
  sort: [],
  trackScores: false,
  after: null,
  trackTotalHitsUpTo: Number.POSITIVE_INFINITY,
  minScore: null,
  terminateAfter: 0,
  postFilter: null,
};

/** A query restricted by filters: aliases, slices. */
export function withFilters(query: IndexQuery, filters: readonly IndexQuery[]): IndexQuery {
  return filters.length === 0 ? query : bool({ must: [query], filter: filters });
}
