// The indexer that owns each open shard, and the shared memory with its progress and the readers' counters.
import { READ_COUNTERS_BYTES } from '../../api/core/read-counters.ts';
import type { ClusterState } from '../../metadata/cluster-state.ts';
import { indicesOf } from '../../metadata/copies.ts';
import type { PlacementChanges, ShardPlacement } from '../messages/messages.ts';

interface PlacementSources {
  /** Id of this node. */
  readonly node: string;
  /** Number of indexers. */
  readonly indexers: number;
  /** Numbers of the logs of an index, by shard. */
  logs(uuid: string): readonly number[];
  /** Known damage of a shard on disk; null if there is none. */
  damage(uuid: string, shard: number): string | null;
}

export class ShardPlacements {
  readonly #sources: PlacementSources;
  /** Damage by `uuid/shard`, of the placements at the last call of `changesTo`. */
  #last = new Map<string, string | null>();
  /** By `uuid/shard`. */
  readonly #shared = new Map<string, Pick<ShardPlacement, 'progress' | 'reads'>>();

  constructor(sources: PlacementSources) {
    this.#sources = sources;
  }

  indexerOf(log: number): number {
    return log % this.#sources.indexers;
  }

  /** Placements of the open shards. */
  of(state: ClusterState): ShardPlacement[] {
    return [...this.openIndices(state)].flatMap((uuid) =>
      this.#sources.logs(uuid).map((log, shard) => ({
        uuid,
        shard,
        log,
        indexer: this.indexerOf(log),
        ...this.#sharedOf(`${uuid}/${shard}`),
        damage: this.#sources.damage(uuid, shard),
      })),
    );
  }

  /** Uuids of the indices of which this node has, or is being given, a copy. */
  indicesHere(state: ClusterState): Set<string> {
    return indicesOf(state, this.#sources.node);
  }

  /** Those of them that are open. */
  openIndices(state: ClusterState): Set<string> {
    const here = this.indicesHere(state);
    return new Set(Object.values(state.indices).flatMap(({ uuid, state }) => (state === 'open' && here.has(uuid) ? [uuid] : [])));
  }

  /** What differs between these placements and those of the last call. */
  changesTo(placements: readonly ShardPlacement[]): PlacementChanges {
    const last = this.#last;
    const next = new Map(placements.map(({ uuid, shard, damage }) => [`${uuid}/${shard}`, damage]));
    this.#last = next;
    return {
      placed: placements.filter(({ uuid, shard, damage }) => {
        const before = last.get(`${uuid}/${shard}`);
        return before === undefined || before !== damage;
      }),
      gone: [...last.keys()].filter((key) => !next.has(key)),
    };
  }

  /** Drops the progress and the counters of a closed shard. */
  forget(uuid: string, shard: number): void {
    this.#shared.delete(`${uuid}/${shard}`);
  }

  #sharedOf(key: string): Pick<ShardPlacement, 'progress' | 'reads'> {
    let shared = this.#shared.get(key);
    if (!shared) {
      shared = { progress: new SharedArrayBuffer(8), reads: new SharedArrayBuffer(READ_COUNTERS_BYTES) };
      this.#shared.set(key, shared);
    }
    return shared;
  }
}
