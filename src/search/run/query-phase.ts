// The query phase on one shard: runs the prepared plans segment by segment and merges their hits.
import { checkTurn } from '../../common/turns/turn.ts';
import type { DocumentRange } from '../../plan/execute.ts';
import { COUNT_ALL, type CollectPlan, type PlanNode, type SegmentHits, type StopCheck } from '../../plan/query-plan.ts';
import type { SegmentReader, SegmentRunOptions } from '../../plan/segment-reader.ts';
import type { SearchShard } from '../shard/search-shard.ts';
import { rangeOf } from './document-ranges.ts';
import { type EarlyTermination, earlyTermination } from './known-total.ts';
import type { PreparedShard, ShardQuery } from './prepared-shard.ts';
import { type SortValue, withSortColumns } from './resolved-sort.ts';
import type { RunControl } from './run-control.ts';
import type { ShardAggregations } from './search-aggregations.ts';
import { type AfterHit, hitComparator, mergeHits, type ShardHit, type ShardHits } from './shard-hits.ts';
import type { PartOutcome, SearchPart, SegmentSharing } from './shared-segments.ts';
import type { Steps } from './steps.ts';

export interface QueryPhaseOptions extends RunControl {
  /** null if there are no aggregations. */
  readonly aggs: ShardAggregations | null;
  /** Absent or null if this thread searches all parts. */
  readonly sharing?: SegmentSharing | null;
  /** Segments are not searched in their order. */
  readonly keepsTies?: boolean;
}

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);

/** The greatest float below a score. */
function floatBelow(score: number): number {
  if (!(score > 0)) return Number.NEGATIVE_INFINITY;
  float[0] = score;
  bits[0]--;
  return float[0];
}

/** The best hits of a shard, one segment per step. @param position  of the shard in the search */
export function* queryShardHits(
  shard: SearchShard,
  prepared: PreparedShard,
  position: number,
  options: QueryPhaseOptions,
  afterHit: AfterHit | null = null,
): Steps<ShardHits> {
  const { sharing, stop } = options;
  const collector = new HitCollector(shard, prepared, position, { ...options, keepsTies: Boolean(sharing) }, afterHit);
  if (sharing) {
    const order = yield* sharedParts(collector, shard, position, sharing, stop);
    if (order === null) return collector.incompleteHits();
    options.aggs?.arrange(order);
    return collector.hits(stop());
  }
  for (let index = 0; index < shard.segments.length; index++) {
    if (stop()) return collector.incompleteHits();
    if (collector.hasCollectedEnough()) break;
    if (collector.collect(index) === null) continue;
    shard.segments[index].release();
    yield;
  }
  return collector.hits(stop());
}

/** Collects a shard whose parts other threads search as well. @returns the parts in the order of their collection; null if the time is up */
function* sharedParts(
  collector: HitCollector,
  shard: SearchShard,
  position: number,
  sharing: SegmentSharing,
  stop: StopCheck,
): Steps<SearchPart[] | null> {
  const { claims } = sharing;
  const collected: SearchPart[] = [];
  const elsewhere: SearchPart[] = [];
  const collect = (part: SearchPart) => {
    const segment = shard.segments[part.index];
    collector.collect(part.index, rangeOf(segment.maxDoc, part, claims.rangesOf(part)));
    segment.release();
    collected.push(part);
  };
  for (const part of claims.partsOf(position)) {
    if (stop()) return null;
    if (claims.claim(part)) {
      collect(part);
      yield;
    } else elsewhere.push(part);
  }
  while (elsewhere.length > 0 && !sharing.isDone) {
    yield sharing.wait();
    checkTurn();
    if (stop()) return null;
  }
  for (const part of elsewhere) {
    const outcome = sharing.outcome(part);
    if (outcome !== null) {
      collector.adopt(outcome);
      collected.push(part);
    } else if (stop()) return null;
    else collect(part);
    yield;
  }
  return collected;
}

/** Runs the query on one segment after the other and keeps the best hits. */
export class HitCollector {
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

  /** The hits if the time is up before all segments were searched. */
  incompleteHits(): ShardHits {
    return { ...this.hits(true), totalIsLowerBound: true };
  }

  /** @param range  null for all documents of the segment. @returns what was found; null if nothing had to be run */
  collect(index: number, range: DocumentRange | null = null): SegmentHits | null {
    const plan = this.#prepared.plan(index);
    if (plan.op === 'matchNone' && !this.#options.aggs) return null;
    const { shardQuery } = this.#prepared;
    const { after } = this.#termination;
    const segment = this.#shard.segments[index];
    const isUnlimited = after === 0 && !this.#options.aggs && !this.#afterHit;
    const enough = isUnlimited ? enoughHits(shardQuery, this.#total) : 0;
    const limit = after === 0 ? enough : after - this.#total;
    const found = withSortColumns(segment, shardQuery.sort, () => this.#run(index, segment, plan, limit, range));
    if (found.terminatedEarly && after > 0) this.#terminatedEarly = true;
    const isCut = enough > 0 && found.terminatedEarly && !found.totalIsLowerBound;
    const counted = isCut ? { ...found, totalIsLowerBound: true } : found;
    this.add(index, counted);
    return counted;
  }

  /** Adds what was found in a segment, or in a range of its documents. */
  add(index: number, found: SegmentHits): void {
    this.#total += found.total;
    this.#totalIsLowerBound ||= found.totalIsLowerBound;
    if (found.docs.length > 0 && !(found.maxScore <= this.#maxScore)) this.#maxScore = found.maxScore;
    const hits = toHits(found, this.#shard.segments[index], index, this.#prepared, this.#position);
    this.#hits = mergeHits(this.#hits, hits, this.#compare, this.#size);
  }

  /** Adds what another thread has found. */
  adopt({ index, hits, results }: PartOutcome): void {
    this.add(index, hits);
    if (results) this.#options.aggs?.adopt(this.#prepared, index, results);
  }

  /** @param limit  matches after which the segment is left, 0 for all */
  #run(index: number, segment: SegmentReader, plan: PlanNode, limit: number, range: DocumentRange | null): SegmentHits {
    const { stop, counters, aggs } = this.#options;
    const collect = this.#collectPlan(index, segment, limit);
    const options: SegmentRunOptions = { stop, counters, minCompetitiveScore: this.#minCompetitiveScore(), range: range ?? undefined };
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

  /**
   * The score that a hit must exceed to enter a full page. On ties, hits of earlier segments come first, so ties are kept where segments are not
   * searched in their order.
   */
  #minCompetitiveScore(): number {
    const isFull = this.#prepared.shardQuery.sort.length === 0 && this.#size > 0 && this.#hits.length === this.#size;
    if (!isFull) return Number.NEGATIVE_INFINITY;
    const { score } = this.#hits[this.#size - 1];
    return this.#options.keepsTies ? floatBelow(score) : score;
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
