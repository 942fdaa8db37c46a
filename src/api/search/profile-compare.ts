// `_profile/compare`: two searches of the same indices run in turns until the ratio of their times is known, with their counters and plans.
import { isObject, type JsonObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { STAYS, TooHeavy } from '../../common/turns/turn.ts';
import { pauses } from '../../search/run/steps.ts';
import type { EngineContext } from '../core/context.ts';
import { median, type PairLimits, runInPairs } from './paired-runs.ts';
import { search } from './search.ts';
import type { SearchCall } from './search-call.ts';

/** Bodies of two searches. */
export interface ComparedSearches {
  readonly a: JsonObject;
  readonly b: JsonObject;
}

/** What a search did, over all shards. */
interface Counters {
  blocksDecoded: number;
  docsCollected: number;
  docsScored: number;
  windows: number;
}

/**
 * `{ took, rounds, stopped_by, ratio, same_hits, counters, a, b }`. The cache is not used.
 * @throws ApiError either search is refused
 */
export async function compareProfiles(
  ctx: EngineContext,
  call: Omit<SearchCall, 'body' | 'parameters'>,
  { a, b }: ComparedSearches,
  limits: PairLimits,
): Promise<MutableJsonObject> {
  const mobility = call.mobility ?? STAYS;
  // Searches that take seconds belong in a lane.
  if (mobility !== STAYS) throw new TooHeavy();
  const started = performance.now();
  const run = (body: JsonObject, profile: boolean): Promise<MutableJsonObject> =>
    search(ctx, { ...call, parameters: { requestCache: false }, body: writeJson({ ...body, profile }) });
  const [profiledA, profiledB] = [await run(a, true), await run(b, true)];
  const times = await runInPairs(
    () => run(a, false),
    () => run(b, false),
    limits,
    pauses(STAYS),
  );
  const [countersA, countersB] = [countersOf(profiledA), countersOf(profiledB)];
  return {
    took: Math.round(performance.now() - started),
    rounds: times.rounds,
    stopped_by: times.stoppedBy,
    ratio: times.ratio && { b_to_a: times.ratio.ratio, low: times.ratio.low, high: times.ratio.high },
    same_hits: hitsKey(profiledA) === hitsKey(profiledB),
    counters: {
      blocks_decoded: { a: countersA.blocksDecoded, b: countersB.blocksDecoded },
      documents_collected: { a: countersA.docsCollected, b: countersB.docsCollected },
      documents_scored: { a: countersA.docsScored, b: countersB.docsScored },
      windows: { a: countersA.windows, b: countersB.windows },
    },
    a: sideJson(times.aMs, profiledA),
    b: sideJson(times.bMs, profiledB),
  };
}

function sideJson(ms: readonly number[], profiled: MutableJsonObject): MutableJsonObject {
  const hits = profiled['hits'] as MutableJsonObject;
  return {
    median_micros: Math.round(median(ms) * 1e3),
    min_micros: Math.round(ms.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY) * 1e3),
    timed_out: profiled['timed_out'],
    _shards: profiled['_shards'],
    ...(hits['total'] === undefined ? {} : { total: hits['total'] }),
    profile: profiled['profile'],
  };
}

/** Index, id and score of all hits. */
function hitsKey(response: MutableJsonObject): string {
  const { hits } = response['hits'] as { hits: ReadonlyArray<{ _index: string; _id: string; _score?: number | null }> };
  return JSON.stringify(hits.map(({ _index, _id, _score }) => [_index, _id, _score ?? null]));
}

/** Sums of the outermost clauses, which represent the search itself. */
function countersOf(response: MutableJsonObject): Counters {
  const sums: Counters = { blocksDecoded: 0, docsCollected: 0, docsScored: 0, windows: 0 };
  const { shards = [] } = (response['profile'] ?? {}) as { shards?: ReadonlyArray<{ searches: ReadonlyArray<{ query: unknown[] }> }> };
  for (const { searches } of shards) {
    for (const clause of searches.flatMap(({ query }) => query)) {
      if (!isObject(clause)) continue;
      const { breakdown, debug } = clause as { breakdown: Record<string, number>; debug: Record<string, number> };
      sums.blocksDecoded += debug['blocks_decoded'] ?? 0;
      sums.windows += debug['windows'] ?? 0;
      sums.docsCollected += breakdown['next_doc_count'] ?? 0;
      sums.docsScored += breakdown['score_count'] ?? 0;
    }
  }
  return sums;
}
