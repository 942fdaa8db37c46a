// Statistics of a shard: what its writer knows, and what readers have counted.
import type { ShardStats } from '../../api/core/context.ts';
import type { ReadCounters } from '../../api/core/read-counters.ts';
import type { WriterStats } from '../messages/messages.ts';

/** Statistics of the writer with what readers counted. */
export function withReads<T extends WriterStats>(stats: T, reads: ReadCounters | null): T & Pick<ShardStats, 'searchGroups'> {
  if (reads === null) return { ...stats, searchGroups: {} };
  return { ...stats, counters: { ...stats.counters, ...reads.totals() }, searchGroups: Object.fromEntries(reads.groups()) };
}
