// The snapshots that a reader thread (http worker, library) searches. A snapshot is kept while it is the newest of its shard or a request, scroll or
// point in time uses it. When no snapshot refers to an extent any more, main is notified and may reuse the memory.
import type { IndexState, ShardSnapshot } from '../../api/core/index-state.ts';
import type { SegmentImageReader } from '../../arena/segment-reader.ts';
import { type Extent, extentKey, type SnapshotDescriptor } from '../../indexing/segment-set.ts';
import type { SectionCounts, SectionStats } from '../../plan/segment-reader.ts';
import type { ThreadArenas } from './arenas.ts';

/** A snapshot with its descriptor, by which other threads know it. */
export interface PublishedSnapshot extends ShardSnapshot {
  readonly descriptor: SnapshotDescriptor;
}

interface HeldSnapshot {
  readonly descriptor: SnapshotDescriptor;
  readonly segments: readonly SegmentImageReader[];
  /** Some segment is paged. */
  readonly isPaged: boolean;
  /** Number of users, plus one while the snapshot is the newest. */
  holders: number;
}

export class ReaderSnapshots {
  readonly #arenas: ThreadArenas;
  readonly #newest = new Map<string, HeldSnapshot>();
  /** Images by segment id, shared by the generations that contain them. */
  readonly #images = new Map<number, { image: SegmentImageReader; holders: number }>();
  readonly #extents = new Map<string, { extent: Extent; holders: number }>();
  readonly #release: (extents: readonly Extent[]) => void;
  readonly #onDamage: (shard: { readonly uuid: string; readonly shard: number }, reason: string) => void;

  /** @param onDamage  receives what a read of a segment of this shard found on disk is damaged */
  constructor(
    arenas: ThreadArenas,
    release: (extents: readonly Extent[]) => void,
    onDamage: (shard: { readonly uuid: string; readonly shard: number }, reason: string) => void,
  ) {
    this.#onDamage = onDamage;
    this.#arenas = arenas;
    this.#release = release;
  }

  /** Installs a new generation. Running searches keep the one they use. */
  publish(descriptor: SnapshotDescriptor): void {
    const key = `${descriptor.indexUuid}/${descriptor.shard}`;
    const before = this.#newest.get(key);
    const segments = descriptor.segments.map((segment) => {
      const { id, extent, liveDocs, deleted } = segment;
      let entry = this.#images.get(id);
      if (!entry) {
        const image = this.#open(descriptor, segment);
        this.#images.set(id, (entry = { image, holders: 0 }));
      }
      entry.holders++;
      this.#hold(extent);
      if (liveDocs === null) return entry.image;
      this.#hold(liveDocs);
      return entry.image.withLiveDocs(liveDocs.ptr, deleted);
    });
    this.#newest.set(key, { descriptor, segments, isPaged: isPaged(descriptor), holders: 1 });
    if (before) this.#drop(before);
  }

  #open({ indexUuid: uuid, shard }: SnapshotDescriptor, segment: SnapshotDescriptor['segments'][number]): SegmentImageReader {
    const { id, name } = segment;
    return this.#arenas.openSegment(id, segment, name, false, (reason) =>
      this.#onDamage({ uuid, shard }, `indices/${uuid}/${shard}/${name}.seg: ${reason}`),
    );
  }

  /** Drops the snapshots of a deleted or closed index. */
  forget(uuid: string): void {
    for (const [key, snapshot] of this.#newest) {
      if (snapshot.descriptor.indexUuid !== uuid) continue;
      this.#newest.delete(key);
      this.#drop(snapshot);
    }
  }

  sectionStats(): SectionStats | null {
    return this.#arenas.isOpen ? this.#arenas.sections.stats() : null;
  }

  readonly #sectionCounts = (): SectionCounts => this.#arenas.sections.ownCounts();

  maxSeqNo(uuid: string, shard: number): number {
    return this.#newest.get(`${uuid}/${shard}`)?.descriptor.maxSeqNo ?? -1;
  }

  /** @returns null if the shard has no snapshot in this thread */
  acquire(index: IndexState, shard: number): PublishedSnapshot | null {
    const held = this.#newest.get(`${index.meta.uuid}/${shard}`);
    if (!held) return null;
    held.holders++;
    const use = held.isPaged ? this.#use(held.segments) : null;
    let released = false;
    return {
      descriptor: held.descriptor,
      index,
      shard,
      generation: held.descriptor.generation,
      segments: use === null ? held.segments : use.segments,
      ...(use === null ? {} : { sectionCounts: this.#sectionCounts }),
      release: () => {
        if (released) return;
        released = true;
        use?.release();
        this.#drop(held);
      },
    };
  }

  /** A snapshot of a search context, which main keeps in memory while the caller uses it. */
  borrow(descriptor: SnapshotDescriptor, index: IndexState): ShardSnapshot {
    const segments = descriptor.segments.map((segment) => {
      const { id, liveDocs, deleted } = segment;
      const image = this.#images.get(id)?.image ?? this.#open(descriptor, segment);
      return liveDocs === null ? image : image.withLiveDocs(liveDocs.ptr, deleted);
    });
    const { shard, generation } = descriptor;
    if (!isPaged(descriptor)) return { index, shard, generation, segments, release: () => undefined };
    return { index, shard, generation, ...this.#use(segments), sectionCounts: this.#sectionCounts };
  }

  /** Segments for one request: the sections that it reads stay in memory until `release`. */
  #use(segments: readonly SegmentImageReader[]): { segments: readonly SegmentImageReader[]; release: () => void } {
    const { sections } = this.#arenas;
    let isReleased = false;
    const once = (release: () => void) => () => {
      if (isReleased) return;
      isReleased = true;
      release();
    };
    if (sections.enter()) return { segments, release: once(() => sections.leave()) };
    const pinned = segments.map((segment) => segment.pinnedBy(sections.pinned()));
    return {
      segments: pinned,
      release: once(() => {
        for (const segment of pinned) segment.release();
      }),
    };
  }

  #hold(extent: Extent): void {
    const key = extentKey(extent);
    const entry = this.#extents.get(key);
    if (entry) entry.holders++;
    else this.#extents.set(key, { extent, holders: 1 });
  }

  #drop(snapshot: HeldSnapshot): void {
    if (--snapshot.holders > 0) return;
    const released: Extent[] = [];
    for (const { id, extent, liveDocs } of snapshot.descriptor.segments) {
      const image = this.#images.get(id);
      if (image && --image.holders === 0) this.#images.delete(id);
      for (const part of liveDocs === null ? [extent] : [extent, liveDocs]) {
        const key = extentKey(part);
        const entry = this.#extents.get(key);
        if (!entry || --entry.holders > 0) continue;
        this.#extents.delete(key);
        released.push(part);
      }
    }
    if (released.length > 0) this.#release(released);
  }
}

function isPaged({ segments }: SnapshotDescriptor): boolean {
  return segments.some(({ paging }) => paging !== null);
}
