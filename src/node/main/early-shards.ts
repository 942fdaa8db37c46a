// Shards that main opens before the indexers run: those without operations after their commit point, which is the state after a clean shutdown or
// five idle seconds. They can be searched before their indexer is ready, which then continues from their snapshot. Other shards contain
// acknowledged writes that only an indexer can make searchable.
import { openSegment } from '../../arena/segment-reader.ts';
import type { Extent, SnapshotDescriptor } from '../../indexing/segment-set.ts';
import { ShardSegments } from '../../indexing/shard-segments.ts';
import { SegmentFiles } from '../../store/segment-files.ts';
import { NO_COMMIT, type Store } from '../../store/store.ts';
import { ThreadArenas } from '../memory/arenas.ts';
import type { ShardPlacement } from '../messages/messages.ts';

/** Limit for the segments of all early shards: main is blocked while it reads them, whereas indexers read theirs in parallel. */
const MAX_BYTES = 64 << 20;

export interface EarlyOptions {
  readonly dataPath: string;
  readonly store: Store;
  readonly module: WebAssembly.Module;
  readonly allocate: (bytes: number) => Extent;
  readonly release: (extent: Extent) => void;
  /** Replaces MAX_BYTES in tests. */
  readonly maxBytes?: number;
}

export class EarlyShards {
  readonly #options: EarlyOptions;
  readonly #arenas: ThreadArenas;
  #bytesLeft: number;
  /** Segment ids below 2^40; indexers use ids from there. */
  #nextSegmentId = 1;

  constructor(options: EarlyOptions) {
    this.#options = options;
    this.#bytesLeft = options.maxBytes ?? MAX_BYTES;
    this.#arenas = new ThreadArenas(options.module);
  }

  /** Must be called before an extent of the arena is used. Opening segments needs no scratch region. */
  addArena(arena: number, memory: WebAssembly.Memory): void {
    this.#arenas.add({ type: 'arena', arena, memory, scratch: { arena, ptr: 0, bytes: 0 } });
  }

  /** Reads and checks the committed segments of a shard. @returns its first snapshot; null if the indexer must open the shard and report any error */
  async open({ uuid, shard, log, progress }: ShardPlacement): Promise<SnapshotDescriptor | null> {
    const { dataPath, store, allocate, release } = this.#options;
    const extents: Extent[] = [];
    try {
      const point = store.commitPoint(log) ?? NO_COMMIT;
      const bytes = point.segments.reduce((sum, segment) => sum + segment.bytes, 0);
      if (bytes > this.#bytesLeft || store.hasRecords(log, point.maxSeqNo)) return null;
      let snapshot: SnapshotDescriptor | null = null;
      const segments = new ShardSegments({ uuid, shard, log }, new SegmentFiles(dataPath, uuid, shard), {
        store,
        nextSegmentId: () => this.#nextSegmentId++,
        allocate: async (size) => {
          const extent = allocate(size);
          extents.push(extent);
          return extent;
        },
        view: (extent) => this.#arenas.view(extent),
        openSegment: (id, { arena, ptr, bytes: size }, file, verify) =>
          openSegment(this.#arenas.kernels(arena), ptr, size, { id, file, verify }),
        isHeld: () => false,
        publish: async (made) => {
          snapshot = made;
        },
      });
      await segments.load(point);
      await segments.publish(point.maxSeqNo);
      this.#bytesLeft -= bytes;
      new Float64Array(progress)[0] = point.maxSeqNo;
      return snapshot;
    } catch {
      for (const extent of extents) release(extent);
      return null;
    }
  }
}
