// Shards that main opens by itself before the indexers run: those whose log ends with their commit point, as a stop or five idle seconds
// leave it. They are searched before anybody could write to them; their indexer takes them over by their snapshot. The others hold
// acknowledged writes that only an indexer can make searchable.
import { openSegment } from '../arena/segment-reader.ts';
import type { Extent, SnapshotDescriptor } from '../indexing/segment-set.ts';
import { NO_COMMIT, ShardSegments } from '../indexing/shard-segments.ts';
import { SegmentFiles } from '../store/segment-files.ts';
import type { Store } from '../store/store.ts';
import { ThreadArenas } from './arenas.ts';
import type { ShardPlacement } from './messages.ts';

/** Bytes of segments in all: the thread does nothing else while it reads them, and indexers read theirs side by side. */
const MAX_BYTES = 64 << 20;

export interface EarlyOptions {
  readonly dataPath: string;
  readonly store: Store;
  readonly module: WebAssembly.Module;
  readonly allocate: (bytes: number) => Extent;
  readonly release: (extent: Extent) => void;
  /** Other than MAX_BYTES: for tests. */
  readonly maxBytes?: number;
}

export class EarlyShards {
  readonly #options: EarlyOptions;
  readonly #arenas: ThreadArenas;
  #bytesLeft: number;
  /** Indexers count from 2^40 on. */
  #nextSegmentId = 1;

  constructor(options: EarlyOptions) {
    this.#options = options;
    this.#bytesLeft = options.maxBytes ?? MAX_BYTES;
    this.#arenas = new ThreadArenas(options.module);
  }

  /** Before an extent of it is used. Opening segments takes no scratch. */
  addArena(arena: number, memory: WebAssembly.Memory): void {
    this.#arenas.add({ type: 'arena', arena, memory, scratch: { arena, ptr: 0, bytes: 0 } });
  }

  /** Reads and checks the shard's committed segments. @returns its first snapshot; null: its indexer is to open it, and says what is wrong with it */
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
