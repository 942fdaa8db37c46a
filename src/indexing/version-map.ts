// The newest versions that segments do not contain: documents in the open buffer, and recent deletions.

export interface VersionEntry {
  readonly seqNo: number;
  readonly version: number;
  readonly primaryTerm: number;
  /** Document in the open buffer, or DELETED. */
  readonly docId: number;
  /** Time of a deletion, epoch milliseconds. */
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

  /** Restores the entry from before a failed batch. */
  restore(id: string, entry: VersionEntry | undefined): void {
    if (entry === undefined) this.#entries.delete(id);
    else this.#entries.set(id, entry);
  }

  /** The entry of this id without the deletions of earlier buffers, for `restore`. */
  own(id: string): VersionEntry | undefined {
    return this.#entries.get(id);
  }

  /** To be called when the buffer has become a segment: forgets all entries but deletions younger than `gcDeletesMs`. */
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
