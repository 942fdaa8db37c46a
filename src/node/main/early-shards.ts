// Shards that main opens before the indexers run: those without operations after their commit point, which is the state after a clean shutdown or
// five idle seconds. They can be searched before their indexer is ready, which then continues from their snapshot. Other shards contain
// acknowledged writes that only an indexer can make searchable.
import type { Extent, SegmentLocation, SnapshotDescriptor } from '../../indexing/segment-set.ts';
import { ShardSegments } from '../../indexing/shard-segments.ts';
import type { SegmentFile } from '../../indexing/writer-environment.ts';
import { SegmentFiles } from '../../store/segment-files.ts';
import { NO_COMMIT, type Store } from '../../store/store.ts';
import { ThreadArenas } from '../memory/arenas.ts';
import type { ArenaMessage, ShardPlacement } from '../messages/messages.ts';

/** Limit for the segments of all early shards: main is blocked while it reads them, whereas indexers read theirs in parallel. */
const MAX_BYTES = 64 << 20;

export interface EarlyOptions {
  readonly dataPath: string;
  readonly store: Store;
  readonly module: WebAssembly.Module;
  readonly allocate: (bytes: number, arena?: number) => Extent;
  readonly release: (extent: Extent) => void;
  /** Opens a segment without reading all of it; null if it is to be read whole. */
  readonly openFile: (file: SegmentFile) => SegmentLocation | null;
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
  addArena(arena: number, memory: WebAssembly.Memory, sections: ArenaMessage['sections']): void {
    this.#arenas.add({ type: 'arena', arena, memory, scratch: { arena, ptr: 0, bytes: 0 }, sections });
  }

  /** Reads and checks the committed segments of a shard. @returns its first snapshot; null if the indexer must open the shard and report any error */
  async open({ uuid, shard, log, progress }: ShardPlacement): Promise<SnapshotDescriptor | null> {
    const { dataPath, store, allocate, release, openFile } = this.#options;
    const extents: Extent[] = [];
    try {
      const point = store.commitPoint(log) ?? NO_COMMIT;
      if (store.hasRecords(log, point.maxSeqNo)) return null;
      let bytesLeft = this.#bytesLeft;
      let snapshot: SnapshotDescriptor | null = null;
      const segments = new ShardSegments({ uuid, shard, log }, new SegmentFiles(dataPath, uuid, shard), {
        store,
        nextSegmentId: () => this.#nextSegmentId++,
        allocate: async (size, arena) => {
          bytesLeft -= size;
          if (bytesLeft < 0) throw new RangeError('the shard is too large to be read here');
          const extent = allocate(size, arena);
          extents.push(extent);
          return extent;
        },
        view: (extent) => this.#arenas.view(extent),
        openFile: async (file) => {
          const paged = openFile(file);
          if (paged !== null) extents.push(paged.extent);
          return paged;
        },
        openSegment: (id, image, file, verify) => this.#arenas.openForTurns(id, image, file, verify),
        isHeld: () => false,
        publish: async (made) => {
          snapshot = made;
        },
      });
      await segments.load(point);
      await segments.publish(point.maxSeqNo);
      this.#bytesLeft = bytesLeft;
      new Float64Array(progress)[0] = point.maxSeqNo;
      return snapshot;
    } catch {
      for (const extent of extents) release(extent);
      return null;
    }
  }
}
