// The settings of an index that concern the writers of its shards.
import { parseByteSize } from '../common/text/byte-size.ts';
import { parseDurationMs } from '../common/text/time-unit.ts';
import { type IndexSortKey, readIndexSort } from '../mapping/core/index-sort.ts';
import type { FlatSettings } from '../metadata/settings/index-settings.ts';
import { type SlowThresholds, slowThresholds } from '../metadata/settings/slow-log-thresholds.ts';
import { DEFAULT_MERGE_POLICY, type MergePolicyOptions } from './merge-policy.ts';

export interface ShardSettings {
  /** How long the version of a deleted document is remembered (`index.gc_deletes`). */
  readonly gcDeletesMs: number;
  readonly mergePolicy: MergePolicyOptions;
  /** Size of the uncommitted operations at which they are flushed (`index.translog.flush_threshold_size`). */
  readonly flushBytes: number;
  /** Thresholds from which writes are logged; null if none is. */
  readonly slow: SlowThresholds | null;
  /** Order of the documents of a segment (`index.sort.*`); empty for the order of indexing. */
  readonly sort: readonly IndexSortKey[];
  /** Merges put similar documents next to each other (`index.merge.reorder`). */
  readonly reorder: boolean;
}

export const DEFAULT_SHARD_SETTINGS: ShardSettings = {
  gcDeletesMs: 60_000,
  mergePolicy: DEFAULT_MERGE_POLICY,
  flushBytes: 64 << 20,
  slow: null,
  sort: [],
  reorder: false,
};

/** Share of memory.limit that a merged segment may take. */
const MERGED_SHARE = 0.25;

/** @param settings  flat names, validated when they were set: a value that does not parse is ignored */
export function readShardSettings(settings: Readonly<Record<string, unknown>>, memoryLimitBytes = Number.POSITIVE_INFINITY): ShardSettings {
  const read = <T>(name: string, parse: (text: string) => T | null, fallback: T): T => {
    const value = settings[`index.${name}`];
    return typeof value === 'string' ? (parse(value) ?? fallback) : fallback;
  };
  const number = (text: string): number | null => (Number.isNaN(Number(text)) ? null : Number(text));
  const policy = DEFAULT_MERGE_POLICY;
  return {
    gcDeletesMs: read('gc_deletes', parseDurationMs, DEFAULT_SHARD_SETTINGS.gcDeletesMs),
    mergePolicy: {
      segmentsPerTier: read('merge.policy.segments_per_tier', number, policy.segmentsPerTier),
      maxMergeAtOnce: read('merge.policy.max_merge_at_once', number, policy.maxMergeAtOnce),
      floorBytes: read('merge.policy.floor_segment', parseByteSize, policy.floorBytes),
      // A segment must fit into one arena, and what a request reads of it should fit into memory.
      maxMergedBytes: Math.min(
        read('merge.policy.max_merged_segment', parseByteSize, policy.maxMergedBytes),
        policy.maxMergedBytes,
        memoryLimitBytes * MERGED_SHARE,
      ),
      deletesPercentAllowed: read('merge.policy.deletes_pct_allowed', number, policy.deletesPercentAllowed),
      expungeDeletesAllowed: read('merge.policy.expunge_deletes_allowed', number, policy.expungeDeletesAllowed),
    },
    // A recovery replays the uncommitted operations into memory, which bounds the value too.
    flushBytes: Math.min(
      read('translog.flush_threshold_size', parseByteSize, DEFAULT_SHARD_SETTINGS.flushBytes),
      DEFAULT_SHARD_SETTINGS.flushBytes,
    ),
    slow: slowThresholds(settings as FlatSettings),
    sort: readIndexSort(settings),
    reorder: String(settings['index.merge.reorder']) === 'true',
  };
}
