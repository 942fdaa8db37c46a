// The query phase on one shard: runs the prepared plans segment by segment and merges their hits.
import { illegalArgument } from '../../errors/catalog.ts';
import { COUNT_ALL, type CollectPlan, type PlanNode, type SegmentHits } from '../../plan/query-plan.ts';
import type { SegmentReader, SegmentRunOptions } from '../../plan/segment-reader.ts';
import type { SearchShard } from '../shard/search-shard.ts';
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
    hits = mergeHits(hits, toHits(found, segment, index, prepared, position), compare, size);
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
    const runOptions: SegmentRunOptions = {
      stop: options.stop,
      counters: options.counters,
      // On ties, hits of earlier segments come first.
      minCompetitiveScore: sort.length === 0 && size > 0 && hits.length === size ? hits[size - 1].score : Number.NEGATIVE_INFINITY,
    };
    let found: SegmentHits | null = null;
    options.aggs?.collect(
      prepared,
      index,
      (aggs) => {
        found = segment.execute(plan, collect, { ...runOptions, aggs });
      },
      (aggs) => {
        segment.execute({ op: 'matchAll' }, COUNT_ALL, { ...runOptions, aggs });
      },
    );
    return found ?? segment.execute(plan, collect, runOptions);
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
  if (sort.length === 0) throw illegalArgument('Sort must contain at least one field.');
  if (searchAfter.length !== sort.length) throw wrongCount(searchAfter.length, sort.length);
  return { values: sort.map((key, i) => key.after(searchAfter[i], segment, docBase)), docId: null };
}

function wrongCount(values: number, keys: number) {
  return illegalArgument(`search_after has ${values} value(s) but sort has ${keys}.`);
}

/** Document id after which ties with the last hit continue: earlier segments are exhausted, later ones have not been read. */
function docIdAfter(hit: AfterHit, index: number, segment: SegmentReader): number {
  if (index < hit.segment) return segment.maxDoc;
  return index > hit.segment ? -1 : hit.docId;
}
