// Which indexer owns each open shard, and the word of shared memory in which it reports its progress.
import type { ClusterState } from '../../metadata/cluster-state.ts';
import type { ShardPlacement } from '../messages/messages.ts';

interface PlacementSources {
  /** Number of indexers. */
  readonly indexers: number;
  /** Numbers of the logs of an index, by shard. */
  logs(uuid: string): readonly number[];
  /** What is wrong with a shard on disk; null if nothing is known. */
  damage(uuid: string, shard: number): string | null;
}

export class ShardPlacements {
  readonly #sources: PlacementSources;
  /** By `uuid/shard`. */
  readonly #progress = new Map<string, SharedArrayBuffer>();

  constructor(sources: PlacementSources) {
    this.#sources = sources;
  }

  indexerOf(log: number): number {
    return log % this.#sources.indexers;
  }

  /** Placements of the open shards. */
  of(state: ClusterState): ShardPlacement[] {
    return [...openIndices(state)].flatMap((uuid) =>
      this.#sources.logs(uuid).map((log, shard) => ({
        uuid,
        shard,
        log,
        indexer: this.indexerOf(log),
        progress: this.#progressOf(`${uuid}/${shard}`),
        damage: this.#sources.damage(uuid, shard),
      })),
    );
  }

  /** Forgets the progress of a closed shard. */
  forget(uuid: string, shard: number): void {
    this.#progress.delete(`${uuid}/${shard}`);
  }

  #progressOf(key: string): SharedArrayBuffer {
    let progress = this.#progress.get(key);
    if (!progress) this.#progress.set(key, (progress = new SharedArrayBuffer(8)));
    return progress;
  }
}

/** Uuids of the open indices. */
export function openIndices(state: ClusterState): Set<string> {
  return new Set(Object.values(state.indices).flatMap((meta) => (meta.state === 'open' ? [meta.uuid] : [])));
}
