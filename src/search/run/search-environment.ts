// The environment of a search on several shards.
import type { Dialect } from '../../compat/dialect.ts';
import type { StopCheck } from '../../plan/query-plan.ts';
import type { Query } from '../../query/query.ts';
import type { StoredScript } from '../../scripting/script-spec.ts';
import type { SearchCaches } from '../shard/search-caches.ts';
import type { SearchShard } from '../shard/search-shard.ts';
import type { DistantShards } from './distant-shards.ts';
import type { FetchBudget } from './fetch-budget.ts';
import type { PendingLookup } from './pending-lookup.ts';
import type { AfterHit, ShardHits } from './shard-hits.ts';
import type { SegmentSharing } from './shared-segments.ts';

export interface SearchTarget {
  readonly shard: SearchShard;
  /** The filters of the aliases in the request, at least one of which a document must match; null if the index itself was named. */
  readonly aliasFilter: Query | null;
}

export interface SearchEnvironment {
  readonly caches: SearchCaches;
  readonly nowMs: number;
  readonly stop: StopCheck;
  readonly maxBuckets: number;
  readonly dialect: Dialect;
  /** Whether scores use the statistics of all shards instead of each shard's own (`dfs_query_then_fetch`). */
  readonly dfs: boolean;
  /** With more shards than this, shards that cannot match are skipped. */
  readonly preFilterShards?: number;
  readonly typedKeys: boolean;
  /** Number of hits requested. */
  readonly requestSize?: number;
  readonly nodeId: string;
  readonly storedScript: (id: string) => StoredScript | null;
  /** Of the search that this one is a part of. */
  readonly fetched?: FetchBudget;
  /** Receives the lookups of runtime fields in the hits; absent where they are not shown. */
  readonly lookups?: PendingLookup[];
  /** The parts of this search that other threads may search; absent if this one searches all. Searches within it are not shared. */
  readonly sharing?: SegmentSharing;
  /** The shards that other nodes search; absent if there are none. */
  readonly distant?: DistantShards;
  /** Whether these shards are a part of a search, which another node reduces. */
  readonly isPart?: boolean;
  /** The hit after which a scroll continues. */
  readonly afterHit?: (AfterHit & { readonly shard: number }) | null;
  /** Called with the time of a phase on a shard, and the matches of the shard; absent if no index of the search has a slow log. */
  readonly onPhase?: (
    phase: 'query' | 'fetch',
    shard: SearchShard,
    tookMs: number,
    found: Pick<ShardHits, 'total' | 'totalIsLowerBound'>,
  ) => void;
  indexSetting(index: string, name: string, fallback: number): number;
}
