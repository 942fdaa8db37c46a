// Caches of searches. Each engine of a program has its own, because generations, stored scripts and cluster settings of one engine do not
// apply to another.
import type { AggTree } from '../../aggs/index.ts';
import { BoundedMap } from '../../common/bounded-map.ts';
import { RecentStrings } from '../../common/recent-strings.ts';
import type { UncacheableReason } from '../../query/uncacheable.ts';
import type { SearchRequest } from '../../search/request/search-request.ts';
import { SearchCaches as ShardStatisticsCache } from '../../search/shard/search-caches.ts';
import { RequestCache } from './request-cache.ts';

const MAX_BODIES = 512;

/** A search body after parsing. */
export interface ParsedBody {
  readonly request: SearchRequest;
  /** null without aggregations. */
  readonly aggs: AggTree | null;
  /** Why responses to this body cannot be cached; empty if they can. */
  readonly uncacheable: ReadonlySet<UncacheableReason>;
}

export class EngineSearchCaches {
  /** Term and field statistics of shard snapshots. */
  readonly statistics = new ShardStatisticsCache();
  /** Parsed bodies by their JSON text. */
  readonly bodies = new BoundedMap<string, ParsedBody>(MAX_BODIES);
  /** Remembers which bodies were sent recently: only bodies that are sent again are worth caching. */
  readonly recentBodies = new RecentStrings();
  readonly answers = new RequestCache();
}
