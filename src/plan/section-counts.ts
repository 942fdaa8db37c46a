// Loads, evictions and waits for sections of paged segments, as responses show them.
import type { SectionCounts } from './segment-reader.ts';

interface SectionCountsJson {
  [name: string]: { [figure: string]: number };
}

/** `{ loaded, evicted, waited }`. @param before  counts that are subtracted; by default those since the start are shown */
export function sectionCountsJson(counts: SectionCounts, before?: SectionCounts): SectionCountsJson {
  const figure = (name: keyof SectionCounts): number => counts[name] - (before?.[name] ?? 0);
  return {
    loaded: { count: figure('loads'), size_in_bytes: figure('loadedBytes') },
    evicted: { count: figure('evictions'), size_in_bytes: figure('evictedBytes') },
    waited: { count: figure('waits'), time_in_millis: figure('waitedMs') },
  };
}
