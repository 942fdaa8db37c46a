// Where the newest version of a document is while the segments do not tell: in the open buffer, or deleted a short while ago.

/** How long a deletion's version is remembered, as index.gc_deletes. */
const TOMBSTONE_MS = 60_000;

export interface VersionEntry {
  readonly seqNo: number;
  readonly version: number;
  readonly primaryTerm: number;
  /** Document in the open buffer, -1: deleted, -2: in a segment that the writer made of the buffer since. */
  readonly docId: number;
  /** For deletions: when, ms. */
  readonly at: number;
}

export const DELETED = -1;

export class VersionMap {
  #entries = new Map<string, VersionEntry>();
  readonly #tombstones = new Map<string, VersionEntry>();

  get(id: string): VersionEntry | undefined {
    return this.#entries.get(id) ?? this.#tombstones.get(id);
  }

  set(id: string, entry: VersionEntry): void {
    this.#entries.set(id, entry);
  }

  /** Puts back what stood there before a batch that failed. */
  restore(id: string, entry: VersionEntry | undefined): void {
    if (entry === undefined) this.#entries.delete(id);
    else this.#entries.set(id, entry);
  }

  /** The entry of this id in the open buffer alone, for `restore`. */
  own(id: string): VersionEntry | undefined {
    return this.#entries.get(id);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** After the buffer became a segment: the segments tell again, except of deletions. */
  rotate(nowMs: number): void {
    for (const [id, entry] of this.#tombstones) {
      if (nowMs - entry.at <= TOMBSTONE_MS) break;
      this.#tombstones.delete(id);
    }
    for (const [id, entry] of this.#entries) {
      this.#tombstones.delete(id);
      if (entry.docId === DELETED) this.#tombstones.set(id, entry);
    }
    this.#entries = new Map();
  }
}
