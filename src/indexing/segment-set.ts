// A segment as the writer of its shard sees it (reader, live docs that change, state on disk), and the descriptors that threads exchange.
import type { SegmentReader } from '../plan/segment-reader.ts';

/** A range of memory in a shared arena, allocated by the main thread. */
export interface Extent {
  readonly arena: number;
  readonly ptr: number;
  readonly bytes: number;
}

export function extentKey({ arena, ptr }: Extent): string {
  return `${arena}:${ptr}`;
}

/** Where sections of a paged segment are read from. */
export interface Paging {
  /** The segment file, open as long as any thread uses the segment. */
  readonly fd: number;
  /** Rows of the sections in the table of sections, in the order of the table of contents. */
  readonly firstRow: number;
}

/** Where the image of a segment is. */
export type SegmentLocation = Pick<SegmentDescriptor, 'extent' | 'sizeBytes' | 'paging'>;

/** Describes a segment in an arena to other threads. */
export interface SegmentDescriptor {
  /** Unique within the lifetime of the node. */
  readonly id: number;
  /** File name without extension, unique within the shard. */
  readonly name: string;
  /** The image, or the directory of a paged segment. */
  readonly extent: Extent;
  /** Bytes of the image. */
  readonly sizeBytes: number;
  /** Where sections are read from when they are needed; null if the whole image is in memory. */
  readonly paging: Paging | null;
  readonly maxDoc: number;
  /** Bitset of the live docs in the same arena, null if all documents are live. */
  readonly liveDocs: Extent | null;
  readonly deleted: number;
}

/** The segments that searches of a shard see. Each generation replaces the previous one as a whole. */
export interface SnapshotDescriptor {
  readonly indexUuid: string;
  readonly shard: number;
  readonly generation: number;
  /** Every operation up to this seqNo is in these segments. */
  readonly maxSeqNo: number;
  readonly segments: readonly SegmentDescriptor[];
}

/** One segment, owned by the writer of its shard. */
export class WriterSegment {
  readonly id: number;
  readonly name: string;
  readonly extent: Extent;
  readonly sizeBytes: number;
  readonly paging: Paging | null;
  readonly maxDoc: number;
  readonly #readerOf: () => SegmentReader;
  /** The file is on disk, though maybe not in a commit point yet. */
  written: boolean;
  deleted = 0;
  /** A running merge reads this segment. */
  merging = false;
  /** A snapshot contains it, so its memory is freed when no snapshot contains it any longer. */
  isAnnounced = false;
  /** Bitset of the live docs, null while all are live. The published copy is immutable. */
  #live: Uint32Array | null = null;
  #published: Extent | null = null;
  #publishedDeleted = 0;
  #committedDeleted = 0;

  constructor(id: number, name: string, image: SegmentLocation, readerOf: () => SegmentReader, written: boolean) {
    this.id = id;
    this.name = name;
    this.extent = image.extent;
    this.sizeBytes = image.sizeBytes;
    this.paging = image.paging;
    this.#readerOf = readerOf;
    this.maxDoc = readerOf().maxDoc;
    this.written = written;
  }

  /** Valid until the caller awaits: sections of a paged segment may be evicted then. */
  get reader(): SegmentReader {
    return this.#readerOf();
  }

  get liveCount(): number {
    return this.maxDoc - this.deleted;
  }

  /** Number of deleted documents as readers see it. */
  get publishedDeleted(): number {
    return this.#publishedDeleted;
  }

  /** True if documents were deleted since the live docs were published. */
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
    // Children precede their root; the loop ends at the first document that belongs to another root.
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

  /** Sets the live docs to those of a commit point. */
  restoreLive(bits: Uint8Array): void {
    const live = new Uint32Array(bitsetBytes(this.maxDoc) >>> 2);
    new Uint8Array(live.buffer).set(bits.subarray(0, live.byteLength));
    let count = 0;
    for (const word of live) count += popcount(word);
    this.#live = live;
    this.deleted = this.maxDoc - count;
    this.#committedDeleted = this.deleted;
  }

  /** The same segment with another image. @param published  a copy of the published live docs in the arena of the image */
  movedTo(id: number, image: SegmentLocation, readerOf: () => SegmentReader, published: Extent | null): WriterSegment {
    const moved = new WriterSegment(id, this.name, image, readerOf, this.written);
    moved.deleted = this.deleted;
    moved.isAnnounced = this.isAnnounced;
    moved.#live = this.#live;
    moved.#published = published;
    moved.#publishedDeleted = this.#publishedDeleted;
    moved.#committedDeleted = this.#committedDeleted;
    return moved;
  }

  /** The bitset as bytes, a multiple of 64; null while all documents are live. */
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
      sizeBytes: this.sizeBytes,
      paging: this.paging,
      maxDoc: this.maxDoc,
      liveDocs: this.#published,
      deleted: this.#publishedDeleted,
    };
  }
}

/** Size of a bitset over maxDoc documents in bytes, a multiple of 64 (docs/internals/segment-format.md). */
function bitsetBytes(maxDoc: number): number {
  return Math.max(1, Math.ceil(maxDoc / 512)) * 64;
}

function popcount(word: number): number {
  word -= (word >>> 1) & 0x55555555;
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
