// Writes searches to the slow log whose phases take longer on a shard than the settings of the index allow.
import { slowLevel, slowThresholds } from '../../metadata/settings/slow-log-thresholds.ts';
import type { SearchEnvironment, SearchTarget } from '../../search/run/search-environment.ts';
import type { EngineContext } from '../core/context.ts';
import type { SearchParameters } from '../core/search-parameters.ts';

interface SlowSearch {
  readonly targets: readonly SearchTarget[];
  readonly parameters: SearchParameters;
  readonly source?: string;
  readonly opaqueId?: () => string | undefined;
}

/** The callback for the times of a search; undefined if none of its indices has thresholds. */
export function slowPhases(ctx: EngineContext, { targets, parameters, source = '', opaqueId }: SlowSearch): SearchEnvironment['onPhase'] {
  const thresholdsOf = (name: string) => {
    const meta = ctx.cluster.indices[name];
    return meta ? slowThresholds(meta.settings) : null;
  };
  if (!targets.some(({ shard }) => thresholdsOf(shard.index) !== null)) return undefined;
  return (phase, { index, uuid, shard }, tookMs, { total, totalIsLowerBound }) => {
    const thresholds = thresholdsOf(index);
    const level = thresholds && slowLevel(thresholds[phase], tookMs);
    if (!thresholds || level === null) return;
    ctx.slowLog.add({
      timeMs: Date.now(),
      level,
      phase,
      index,
      indexUuid: uuid,
      shard,
      tookMs,
      source,
      id: opaqueId?.() ?? null,
      search: {
        type: parameters.isDfs ? 'DFS_QUERY_THEN_FETCH' : 'QUERY_THEN_FETCH',
        totalHits: { value: total, relation: totalIsLowerBound ? 'gte' : 'eq' },
        totalShards: targets.length,
        // The engine of a user fills in the name.
        user: thresholds.includesUser ? '' : null,
      },
    });
  };
}
