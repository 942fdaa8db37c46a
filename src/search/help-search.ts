// What a helper does of a search: it searches the parts that it claims, the last ones first, and sends what it found in each. The thread that
// was asked searches whatever a helper has not searched to its end, so a helper simply stops where anything fails.
import type { AggTree } from '../aggs/index.ts';
import { TimeUp } from '../common/turns/turn.ts';
import { ApiError } from '../errors/api-error.ts';
import { makeCounters } from '../plan/query-plan.ts';
import type { SearchRequest } from './request/search-request.ts';
import { rangeOf } from './run/document-ranges.ts';
import { HitCollector } from './run/query-phase.ts';
import type { SearchEnvironment, SearchTarget } from './run/search-environment.ts';
import { type PartOutcome, SegmentClaims, type SharedSegments } from './run/shared-segments.ts';
import type { Steps } from './run/steps.ts';
import { GlobalStatistics, type ShardStatistics } from './shard/statistics.ts';
import { beginSearch, makeCollector, prepareShard, type ShardedSearch } from './shard-search.ts';

/** @param targets  those of the search, with the same segments */
export function* helpSteps(
  targets: readonly SearchTarget[],
  request: SearchRequest,
  aggs: AggTree | null,
  env: SearchEnvironment,
  shared: SharedSegments,
): Steps<readonly PartOutcome[]> {
  const claims = new SegmentClaims(shared);
  const stop = () => claims.hasEnded || env.stop();
  const control = { stop, counters: makeCounters() };
  const search = beginSearch(request, aggs, env, control);
  const statistics = targets.map(({ shard }) => env.caches.of(shard));
  const global = env.dfs ? new GlobalStatistics(statistics) : null;
  const outcomes: PartOutcome[] = [];
  try {
    for (let position = targets.length - 1; position >= 0; position--) {
      if (stop()) break;
      yield* helpShard(search, targets[position], { position, claims, local: statistics[position], global }, outcomes);
    }
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof TimeUp)) throw error;
  }
  return outcomes;
}

interface HelpedShard {
  readonly position: number;
  readonly claims: SegmentClaims;
  readonly local: ShardStatistics;
  readonly global: GlobalStatistics | null;
}

/** @param outcomes  receives those of the parts that were searched to their end */
function* helpShard(
  search: ShardedSearch,
  target: SearchTarget,
  { position, claims, local, global }: HelpedShard,
  outcomes: PartOutcome[],
): Steps<void> {
  const { aggs, env, control } = search;
  const { shard } = target;
  const { prepared } = prepareShard(search, target, local, global ?? local);
  const collected = aggs && makeCollector(aggs, shard, position, env);
  if (collected?.isShareable === false) return;
  const collector = new HitCollector(shard, prepared, position, { ...control, aggs: collected, keepsTies: true }, null);
  for (const part of claims.partsOf(position).reverse()) {
    if (control.stop()) return;
    if (!claims.claim(part)) continue;
    const segment = shard.segments[part.index];
    const hits = collector.collect(part.index, rangeOf(segment.maxDoc, part, claims.rangesOf(part)));
    segment.release();
    if (hits === null) continue;
    if (control.stop()) return;
    outcomes.push({ ...part, hits, results: collected?.lastResults() ?? null });
    yield;
  }
}
