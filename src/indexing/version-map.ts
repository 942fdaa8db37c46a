// Where the newest version of a document is while the segments do not tell: in the open buffer, or deleted a short while ago.

export interface VersionEntry {
  readonly seqNo: number;
  readonly version: number;
  readonly primaryTerm: number;
  /** Document in the open buffer, -1: deleted. */
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

  /** After the buffer became a segment: the segments tell again, except of deletions not older than `gcDeletesMs`. */
  rotate(nowMs: number, gcDeletesMs: number): void {
    for (const [id, entry] of this.#tombstones) {
      if (nowMs - entry.at <= gcDeletesMs) break;
      this.#tombstones.delete(id);
    }
    for (const [id, entry] of this.#entries) {
      this.#tombstones.delete(id);
      if (entry.docId === DELETED) this.#tombstones.set(id, entry);
    }
    this.#entries = new Map();
  }
}
