// Finds the newest version of a document, refreshed or not: its place (open buffer, segment, recently deleted) and its record in the log or in
// the batch that is about to be logged.
import { ApiError } from '../errors/api-error.ts';
import type { LogEntry, Store } from '../store/store.ts';
import type { WriterSegment } from './segment-set.ts';
import type { ShardSegments } from './shard-segments.ts';
import type { StoredVersion } from './update-operation.ts';
import { DELETED, type VersionMap } from './version-map.ts';
import type { CurrentVersion } from './versions.ts';

export interface NewestVersion extends CurrentVersion {
  readonly docId: number;
  /** The segment that holds the document; null if it is in the open buffer. */
  readonly segment: WriterSegment | null;
}

/** Accepted writes that are not in the log yet, with consecutive seqNos. */
interface Batch {
  readonly entries: readonly LogEntry[];
  readonly firstSeqNo: number;
}

export class NewestDocuments {
  /** The batch being prepared: an update may follow the creation of its document in the same batch. */
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

  /** The newest version, also of a recently deleted document; null if there is none. */
  find(id: string): NewestVersion | null {
    const entry = this.#versions.get(id);
    if (entry !== undefined) return { ...entry, deleted: entry.docId === DELETED, segment: null };
    const found = this.#segments.find(id);
    if (found === null) return null;
    const { segment, docId } = found;
    const seqNo = segment.reader.seqNo(docId);
    const version = Number(segment.reader.values('_version', docId)[0]);
    // Few writes need it, so segments do not store it.
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

  /** @throws ApiError corrupt_index_exception: the record is missing from the log */
  read(id: string, seqNo: number): StoredVersion {
    const record = this.#record(seqNo);
    if (record === null) throw new ApiError('corrupt_index_exception', 500, `operation ${seqNo} of document [${id}] is missing in the log`);
    return record;
  }

  /** A copy of the source, null if there is no record. */
  copySource(seqNo: number): Uint8Array | null {
    const record = this.#record(seqNo);
    return record === null ? null : Uint8Array.from(record.source);
  }

  #record(seqNo: number): StoredVersion | null {
    const entry = this.unlogged?.entries[seqNo - this.unlogged.firstSeqNo];
    return entry?.source ? { ...entry, source: entry.source } : this.#store.read(this.#log, seqNo);
  }
}
