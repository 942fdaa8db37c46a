// Statistics that are reused between searches of the same snapshot of a shard.
import type { MappingSnapshot } from '../../mapping/core/mapping-snapshot.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { SearchShard } from './search-shard.ts';
import { ShardStatistics, similaritiesOf } from './statistics.ts';

/** One per thread. Keeps the statistics of each shard until a search sees another snapshot of it. */
export class SearchCaches {
  /** By mapping (every index has its own, and the entries are collected with it), then by shard. */
  readonly #statistics = new WeakMap<MappingSnapshot, Map<number, { readonly generation: number; readonly statistics: ShardStatistics }>>();

  of({ mapping, shard, generation, segments, dialect }: SearchShard): ShardStatistics {
    let ofIndex = this.#statistics.get(mapping);
    if (!ofIndex) this.#statistics.set(mapping, (ofIndex = new Map()));
    const known = ofIndex.get(shard);
    if (known && known.generation === generation && sameSegments(known.statistics.segments, segments)) return known.statistics;
    const statistics = new ShardStatistics(segments, similaritiesOf(mapping, dialect));
    ofIndex.set(shard, { generation, statistics });
    return statistics;
  }
}

function sameSegments(known: readonly SegmentReader[], segments: readonly SegmentReader[]): boolean {
  return known === segments || (known.length === segments.length && known.every((segment, i) => segment === segments[i]));
}
