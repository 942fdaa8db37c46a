// The query phase on one shard: runs the prepared plans segment by segment and merges their hits.
import { COUNT_ALL, type CollectPlan, type PlanNode, type SegmentHits } from '../../plan/query-plan.ts';
import type { SegmentReader, SegmentRunOptions } from '../../plan/segment-reader.ts';
import type { SearchShard } from '../shard/search-shard.ts';
import { type EarlyTermination, earlyTermination } from './known-total.ts';
import type { PreparedShard, ShardQuery } from './prepared-shard.ts';
import { type SortValue, withSortColumns } from './resolved-sort.ts';
import type { RunControl } from './run-control.ts';
import type { ShardAggregations } from './search-aggregations.ts';
import { type AfterHit, hitComparator, mergeHits, type ShardHit, type ShardHits } from './shard-hits.ts';
import type { Steps } from './steps.ts';

export interface QueryPhaseOptions extends RunControl {
  /** null if there are no aggregations. */
  readonly aggs: ShardAggregations | null;
}

/** The best hits of a shard, one segment per step. @param position  of the shard in the search */
export function* queryShardHits(
  shard: SearchShard,
  prepared: PreparedShard,
  position: number,
  options: QueryPhaseOptions,
  afterHit: AfterHit | null = null,
): Steps<ShardHits> {
  const collector = new HitCollector(shard, prepared, position, options, afterHit);
  for (let index = 0; index < shard.segments.length; index++) {
    if (options.stop()) return { ...collector.hits(true), totalIsLowerBound: true };
    if (collector.hasCollectedEnough()) break;
    const plan = prepared.plan(index);
    if (plan.op === 'matchNone' && !options.aggs) continue;
    collector.collect(index, plan);
    shard.segments[index].release();
    yield;
  }
  return collector.hits(options.stop());
}

/** Runs the query on one segment after the other and keeps the best hits. */
class HitCollector {
  readonly #shard: SearchShard;
  readonly #prepared: PreparedShard;
  readonly #position: number;
  readonly #options: QueryPhaseOptions;
  readonly #afterHit: AfterHit | null;
  readonly #size: number;
  readonly #compare: (a: ShardHit, b: ShardHit) => number;
  #hits: ShardHit[] = [];
  #total = 0;
  #totalIsLowerBound = false;
  #maxScore = Number.NaN;
  #terminatedEarly = false;
  readonly #termination: EarlyTermination;

  constructor(shard: SearchShard, prepared: PreparedShard, position: number, options: QueryPhaseOptions, afterHit: AfterHit | null) {
    this.#shard = shard;
    this.#prepared = prepared;
    this.#position = position;
    this.#options = options;
    this.#afterHit = afterHit;
    const { isEmptyPage, size, sort } = prepared.shardQuery;
    this.#size = isEmptyPage ? 0 : size;
    this.#compare = hitComparator(sort);
    this.#termination = earlyTermination(prepared, shard.segments, shard.dialect, options);
  }

  hits(timedOut: boolean): ShardHits {
    return {
      hits: this.#hits,
      total: this.#termination.total ?? this.#total,
      totalIsLowerBound: this.#totalIsLowerBound,
      maxScore: this.#maxScore,
      terminatedEarly: this.#terminatedEarly,
      timedOut,
    };
  }

  /** Whether `terminate_after` has been reached. */
  hasCollectedEnough(): boolean {
    const { after } = this.#termination;
    if (after === 0 || this.#total < after) return false;
    this.#terminatedEarly = true;
    return true;
  }

  collect(index: number, plan: PlanNode): void {
    const { shardQuery } = this.#prepared;
    const { sort } = shardQuery;
    const { after } = this.#termination;
    const segment = this.#shard.segments[index];
    const isUnlimited = after === 0 && !this.#options.aggs && !this.#afterHit;
    const enough = isUnlimited ? enoughHits(shardQuery, this.#total) : 0;
    const limit = after === 0 ? enough : after - this.#total;
    const found = withSortColumns(segment, sort, () => this.#run(index, segment, plan, limit));
    this.#total += found.total;
    this.#totalIsLowerBound ||= found.totalIsLowerBound || (enough > 0 && found.terminatedEarly);
    if (found.terminatedEarly && after > 0) this.#terminatedEarly = true;
    if (found.docs.length > 0 && !(found.maxScore <= this.#maxScore)) this.#maxScore = found.maxScore;
    const hits = toHits(found, segment, index, this.#prepared, this.#position);
    this.#hits = mergeHits(this.#hits, hits, this.#compare, this.#size);
  }

  /** @param limit  matches after which the segment is left, 0 for all */
  #run(index: number, segment: SegmentReader, plan: PlanNode, limit: number): SegmentHits {
    const { stop, counters, aggs } = this.#options;
    const collect = this.#collectPlan(index, segment, limit);
    const options: SegmentRunOptions = { stop, counters, minCompetitiveScore: this.#minCompetitiveScore() };
    let found: SegmentHits | null = null;
    aggs?.collect(
      this.#prepared,
      index,
      (program) => {
        found = segment.execute(plan, collect, { ...options, aggs: program });
      },
      (program) => {
        segment.execute(this.#prepared.filterPlan(index) ?? { op: 'matchAll' }, COUNT_ALL, { ...options, aggs: program });
      },
    );
    return found ?? segment.execute(plan, collect, options);
  }

  #collectPlan(index: number, segment: SegmentReader, limit: number): CollectPlan {
    const { shardQuery, docBases } = this.#prepared;
    const { trackScores, trackTotalHitsUpTo, minScore } = shardQuery;
    return {
      size: this.#size,
      sort: this.#prepared.sortKeys(index),
      trackScores,
      after: afterOf(shardQuery, this.#afterHit, segment, index, docBases[index]),
      trackTotalHitsUpTo: trackTotalHitsUpTo === 0 || this.#total > trackTotalHitsUpTo ? 0 : trackTotalHitsUpTo - this.#total + 1,
      minScore,
      terminateAfter: limit,
      postFilter: this.#prepared.postFilter(index),
    };
  }

  /** The score that a hit must exceed to enter a full page. On ties, hits of earlier segments come first. */
  #minCompetitiveScore(): number {
    const isFull = this.#prepared.shardQuery.sort.length === 0 && this.#size > 0 && this.#hits.length === this.#size;
    return isFull ? this.#hits[this.#size - 1].score : Number.NEGATIVE_INFINITY;
  }
}

/** If the index sort matches the sort: the number of matches after which the hits and the total of a segment are final. 0 for no limit. */
function enoughHits(query: ShardQuery, totalBefore: number): number {
  const { isPresorted, isEmptyPage, size, trackTotalHitsUpTo, searchAfter, postFilter, minScore } = query;
  if (!isPresorted || isEmptyPage || size === 0 || searchAfter || postFilter || minScore !== null) return 0;
  if (trackTotalHitsUpTo === Number.POSITIVE_INFINITY) return 0;
  return Math.max(size, trackTotalHitsUpTo === 0 ? 0 : trackTotalHitsUpTo - totalBefore + 1);
}

function toHits(found: SegmentHits, segment: SegmentReader, index: number, prepared: PreparedShard, position: number): ShardHit[] {
  const { sort, trackScores } = prepared.shardQuery;
  // Scores that only min_score or aggregations need are not returned.
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
  return { values: sort.map((key, i) => key.after(searchAfter[i], segment, docBase)), docId: null };
}

/** Document id after which ties with the last hit continue: earlier segments are exhausted, later ones have not been read. */
function docIdAfter(hit: AfterHit, index: number, segment: SegmentReader): number {
  if (index < hit.segment) return segment.maxDoc;
  return index > hit.segment ? -1 : hit.docId;
}
