// The segments of a shard as its writer sees them: readers, live docs under change, and what is already on disk.
import type { SegmentReader } from '../plan/segment.ts';

/** Memory in a shared arena, handed out by the main thread. */
export interface Extent {
  readonly arena: number;
  readonly ptr: number;
  readonly bytes: number;
}

export function extentKey({ arena, ptr }: Extent): string {
  return `${arena}:${ptr}`;
}

/** A segment in an arena, as threads tell each other. */
export interface SegmentDescriptor {
  /** Unique in the node's life. */
  readonly id: number;
  /** File name without extension, unique in the shard. */
  readonly name: string;
  readonly extent: Extent;
  readonly maxDoc: number;
  /** Bitset of live docs in the same arena, null while all live. */
  readonly liveDocs: Extent | null;
  readonly deleted: number;
}

/** What searches of a shard see; a new generation replaces the whole. */
export interface SnapshotDescriptor {
  readonly indexUuid: string;
  readonly shard: number;
  readonly generation: number;
  /** Every operation up to here is in these segments. */
  readonly maxSeqNo: number;
  readonly segments: readonly SegmentDescriptor[];
}

/** One segment, owned by the writer of its shard. */
export class WriterSegment {
  readonly id: number;
  readonly name: string;
  readonly extent: Extent;
  readonly reader: SegmentReader;
  /** The file is on disk (but perhaps not yet in a commit point). */
  written: boolean;
  deleted = 0;
  /** A merge that reads this segment is under way. */
  merging = false;
  /** A snapshot has named it: its memory goes when snapshots no longer do. */
  isAnnounced = false;
  /** Bits of live docs, null while all live; the published copy is immutable. */
  #live: Uint32Array | null = null;
  #published: Extent | null = null;
  #publishedDeleted = 0;
  #committedDeleted = 0;

  constructor(id: number, name: string, extent: Extent, reader: SegmentReader, written: boolean) {
    this.id = id;
    this.name = name;
    this.extent = extent;
    this.reader = reader;
    this.written = written;
  }

  get maxDoc(): number {
    return this.reader.maxDoc;
  }

  get liveCount(): number {
    return this.reader.maxDoc - this.deleted;
  }

  /** Documents that readers do not see any more. */
  get publishedDeleted(): number {
    return this.#publishedDeleted;
  }

  /** Live docs changed since they were published. */
  get needsPublishing(): boolean {
    return this.deleted !== this.#publishedDeleted;
  }

  get needsCommit(): boolean {
    return this.deleted !== this.#committedDeleted;
  }

  isLive(docId: number): boolean {
    return this.#live === null || ((this.#live[docId >>> 5] >>> (docId & 31)) & 1) === 1;
  }

  /** Marks a root document and its nested children dead. */
  delete(rootDocId: number): void {
    let docId = rootDocId;
    this.#deleteOne(docId);
    // Children stand before their root; the first document that is the root of another block ends the walk.
    while (docId > 0 && this.reader.rootDocsPtr !== 0 && this.reader.rootOf(docId - 1) === rootDocId) this.#deleteOne(--docId);
  }

  #deleteOne(docId: number): void {
    if (this.#live === null) {
      this.#live = new Uint32Array(bitsetBytes(this.maxDoc) >>> 2);
      for (let doc = 0; doc < this.maxDoc; doc++) this.#live[doc >>> 5] |= 1 << (doc & 31);
    }
    const mask = 1 << (docId & 31);
    if ((this.#live[docId >>> 5] & mask) === 0) return;
    this.#live[docId >>> 5] &= ~mask;
    this.deleted++;
  }

  /** Live docs read from a commit point. */
  restoreLive(bits: Uint8Array): void {
    const live = new Uint32Array(bitsetBytes(this.maxDoc) >>> 2);
    new Uint8Array(live.buffer).set(bits.subarray(0, live.byteLength));
    let count = 0;
    for (const word of live) count += popcount(word);
    this.#live = live;
    this.deleted = this.maxDoc - count;
    this.#committedDeleted = this.deleted;
  }

  /** Bits as bytes of whole 64-byte lines, null while all live. */
  liveBits(): Uint8Array | null {
    return this.#live === null ? null : new Uint8Array(this.#live.buffer);
  }

  published(extent: Extent | null): void {
    this.#published = extent;
    this.#publishedDeleted = this.deleted;
  }

  committed(): void {
    this.#committedDeleted = this.deleted;
  }

  descriptor(): SegmentDescriptor {
    return {
      id: this.id,
      name: this.name,
      extent: this.extent,
      maxDoc: this.maxDoc,
      liveDocs: this.#published,
      deleted: this.#publishedDeleted,
    };
  }
}

/** Bytes of a bitset over maxDoc documents: whole lines of 64 bytes (docs/internals/segment-format.md). */
export function bitsetBytes(maxDoc: number): number {
  return Math.max(1, Math.ceil(maxDoc / 512)) * 64;
}

function popcount(word: number): number {
  word -= (word >>> 1) & 0x55555555;
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
