// The newest version of each document of a shard, refreshed or not: where it is (open buffer, a segment, deleted a short while ago), and its
// record in the log or in the batch that is on its way there.
import { ApiError } from '../errors/api-error.ts';
import type { LogEntry, Store } from '../store/store.ts';
import type { WriterSegment } from './segment-set.ts';
import type { ShardSegments } from './shard-segments.ts';
import type { StoredVersion } from './update-operation.ts';
import { DELETED, type VersionMap } from './version-map.ts';
import type { CurrentVersion } from './versions.ts';

export interface NewestVersion extends CurrentVersion {
  /** In the segment, null: in the open buffer. */
  readonly docId: number;
  readonly segment: WriterSegment | null;
}

/** Accepted writes that are not in the log yet; their seqNos follow each other. */
interface Batch {
  readonly entries: readonly LogEntry[];
  readonly firstSeqNo: number;
}

export class NewestDocuments {
  /** The batch that is being prepared: an update in it may follow the document's creation. */
  unlogged: Batch | null = null;
  readonly #log: number;
  readonly #versions: VersionMap;
  readonly #segments: ShardSegments;
  readonly #store: Store;

  constructor(log: number, versions: VersionMap, segments: ShardSegments, store: Store) {
    this.#log = log;
    this.#versions = versions;
    this.#segments = segments;
    this.#store = store;
  }

  /** Deleted ones while they are remembered; null: no such document. */
  find(id: string): NewestVersion | null {
    const entry = this.#versions.get(id);
    if (entry !== undefined) return { ...entry, deleted: entry.docId === DELETED, segment: null };
    const found = this.#segments.find(id);
    if (found === null) return null;
    const { segment, docId } = found;
    const seqNo = segment.reader.seqNo(docId);
    const version = Number(segment.reader.values('_version', docId)[0]);
    // Asked for by few writes, so it is not kept in segments.
    const primaryTerm = () => this.#store.read(this.#log, seqNo)?.primaryTerm ?? 0;
    return {
      seqNo,
      version,
      get primaryTerm() {
        return primaryTerm();
      },
      docId,
      deleted: false,
      segment,
    };
  }

  /** The record of an operation that is still there. @throws ApiError corrupt_index_exception: it is not */
  read(id: string, seqNo: number): StoredVersion {
    const record = this.#record(seqNo);
    if (record === null) throw new ApiError('corrupt_index_exception', 500, `operation ${seqNo} of document [${id}] is missing in the log`);
    return record;
  }

  /** The source in memory of its own, null if there is none. */
  copySource(seqNo: number): Uint8Array | null {
    const record = this.#record(seqNo);
    return record === null ? null : Uint8Array.from(record.source);
  }

  #record(seqNo: number): StoredVersion | null {
    const entry = this.unlogged?.entries[seqNo - this.unlogged.firstSeqNo];
    return entry?.source ? { ...entry, source: entry.source } : this.#store.read(this.#log, seqNo);
  }
}
