// Tracks what is published: the newest snapshot of each shard, and which readers may still use each extent. An extent is freed when no newest
// snapshot contains it, every reader that received it has released it, and no merge or search context holds it.
import { type Extent, extentKey, type SegmentDescriptor, type SnapshotDescriptor } from '../../indexing/segment-set.ts';

interface Entry {
  readonly extent: Extent;
  /** Id of the segment whose image this is; null for live docs. */
  readonly segment: number | null;
  readonly readers: Set<number>;
  newest: boolean;
  holds: number;
}

export class SnapshotRegistry {
  readonly #readers = new Set<number>();
  readonly #newest = new Map<string, SnapshotDescriptor>();
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  readonly #freed: (extent: Extent, segment: number | null) => void;

  constructor(freed: (extent: Extent, segment: number | null) => void) {
    this.#freed = freed;
  }

  addReader(reader: number): void {
    this.#readers.add(reader);
    for (const entry of this.#entries.values()) if (entry.newest) entry.readers.add(reader);
  }

  /** Takes back what a reader held whose thread has ended. */
  removeReader(reader: number): void {
    this.#readers.delete(reader);
    for (const entry of [...this.#entries.values()]) if (entry.readers.delete(reader)) this.#check(entry);
  }

  /** Bytes of all segments and live docs in memory. */
  get publishedBytes(): number {
    return this.#bytes;
  }

  newest(): SnapshotDescriptor[] {
    return [...this.#newest.values()];
  }

  /** Registers a snapshot. To be called before it is sent to the readers. */
  publish(snapshot: SnapshotDescriptor): void {
    const key = `${snapshot.indexUuid}/${snapshot.shard}`;
    const before = this.#newest.get(key);
    this.#newest.set(key, snapshot);
    const named = new Set<string>();
    for (const { extent, segment } of extentsOf(snapshot.segments)) {
      const id = extentKey(extent);
      named.add(id);
      const entry = this.#entries.get(id);
      if (entry) entry.newest = true;
      else {
        this.#entries.set(id, { extent, segment, readers: new Set(this.#readers), newest: true, holds: 0 });
        this.#bytes += extent.bytes;
      }
    }
    for (const { extent } of extentsOf(before?.segments ?? [])) if (!named.has(extentKey(extent))) this.#leave(extent);
  }

  /** Removes a shard that was closed or deleted. */
  forget(uuid: string, shard: number): void {
    const key = `${uuid}/${shard}`;
    const before = this.#newest.get(key);
    this.#newest.delete(key);
    for (const { extent } of extentsOf(before?.segments ?? [])) this.#leave(extent);
  }

  released(reader: number, extents: readonly Extent[]): void {
    for (const extent of extents) {
      const entry = this.#entries.get(extentKey(extent));
      if (!entry) continue;
      entry.readers.delete(reader);
      this.#check(entry);
    }
  }

  /** Keeps the extents of segments in memory. @returns releases them */
  hold(segments: readonly SegmentDescriptor[]): () => void {
    const entries = extentsOf(segments).flatMap(({ extent }) => this.#entries.get(extentKey(extent)) ?? []);
    for (const entry of entries) entry.holds++;
    return () => {
      for (const entry of entries) {
        entry.holds--;
        this.#check(entry);
      }
    };
  }

  #leave(extent: Extent): void {
    const entry = this.#entries.get(extentKey(extent));
    if (!entry) return;
    entry.newest = false;
    this.#check(entry);
  }

  #check(entry: Entry): void {
    if (entry.newest || entry.holds > 0 || entry.readers.size > 0) return;
    if (!this.#entries.delete(extentKey(entry.extent))) return;
    this.#bytes -= entry.extent.bytes;
    this.#freed(entry.extent, entry.segment);
  }
}

function extentsOf(segments: readonly SegmentDescriptor[]): Array<{ extent: Extent; segment: number | null }> {
  return segments.flatMap(({ id, extent, liveDocs }) =>
    liveDocs === null
      ? [{ extent, segment: id }]
      : [
          { extent, segment: id },
          { extent: liveDocs, segment: null },
        ],
  );
}
