// Copies one shard into a repository. A segment never changes, so one that the repository has is not copied again. The documents are copied in
// ranges of sequence numbers, whose records never change either, they only become fewer: a range that the repository has is reused, whatever was
// merged since, until more than half of its records are gone.
import { open } from 'node:fs/promises';
import { ApiError } from '../errors/api-error.ts';
import { corruptIndexError } from '../errors/catalog.ts';
import type { SegmentFiles } from '../store/segment-files.ts';
import type { ShardCheckpoint, Store } from '../store/store.ts';
import type { BlobSource, StoredBlob } from './blob-store.ts';
import { checksumOf, DocumentsBlobBuilder } from './document-blobs.ts';
import { Parallel } from './parallel.ts';
import type { Repository } from './repository.ts';
import { readChecksums, verifiedParts } from './segment-checksum.ts';
import { SeqNoSetBuilder } from './seq-no-set.ts';
import { type DocumentsBlob, REPOSITORY_FORMAT, type SegmentBlob, type ShardManifest, type ShardSizes } from './snapshot-types.ts';

/** A blob of documents is complete when it has this many bytes or records. */
const BLOB_BYTES = 16 << 20;
const BLOB_RECORDS = 1 << 16;
/** This many small blobs in a row, as frequent snapshots make them, are replaced by one. */
const SMALL_BLOBS = 8;
const SMALL_BYTES = BLOB_BYTES / 4;
/** Keys read before other work gets its turn. */
const KEYS_PER_TURN = 20_000;
const READ_BYTES = 1 << 20;
/** Blobs written at a time. Those of documents are in memory. */
const BLOBS_IN_FLIGHT = 3;

export interface ShardSource {
  readonly store: Store;
  readonly log: number;
  readonly files: SegmentFiles;
  readonly checkpoint: ShardCheckpoint;
  /** The manifest of the last snapshot of this shard in the repository, or null. */
  readonly previous: ShardManifest | null;
}

export interface CopyControl {
  /** Called before each copy with the files and bytes that are known to be needed. */
  onPlan(sizes: ShardSizes): void;
  onCopied(files: number, bytes: number): void;
  /** Waits as long as the rate limit requires. @throws ApiError the snapshot was cancelled */
  pause(bytes: number): Promise<void>;
}

/** A range of sequence numbers with the records that are still needed. */
interface LiveRange {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly live: string;
}

/** @returns the manifest, whose blobs are all in the repository. @throws ApiError a segment or a record is damaged, or the repository fails */
export async function copyShard(
  repository: Repository,
  source: ShardSource,
  control: CopyControl,
): Promise<{ manifest: ShardManifest; sizes: ShardSizes }> {
  const copier = new ShardCopier(repository, source, control);
  return copier.run();
}

class ShardCopier {
  readonly #repository: Repository;
  readonly #source: ShardSource;
  readonly #control: CopyControl;
  readonly #obsolete: ReadonlySet<number>;
  #sizes = { files: 0, bytes: 0, newFiles: 0, newBytes: 0 };
  /** Files and bytes that are being copied. */
  #pending = { files: 0, bytes: 0 };

  constructor(repository: Repository, source: ShardSource, control: CopyControl) {
    this.#repository = repository;
    this.#source = source;
    this.#control = control;
    this.#obsolete = new Set(source.checkpoint.obsolete);
  }

  async run(): Promise<{ manifest: ShardManifest; sizes: ShardSizes }> {
    const { checkpoint, store } = this.#source;
    const { point } = checkpoint;
    store.renewReads();
    const segments: SegmentBlob[] = [];
    const blobs = new Parallel(BLOBS_IN_FLIGHT);
    try {
      for (const [i, { name, bytes }] of point.segments.entries()) {
        await blobs.add(async () => {
          segments[i] = await this.#segment(name, bytes);
        });
      }
    } finally {
      await blobs.end();
    }
    const documents = await this.#documents();
    return { manifest: { format: REPOSITORY_FORMAT, point, segments, documents }, sizes: this.#sizes };
  }

  // -------------------------------------------------------------------------------------------------------- segments

  async #segment(name: string, bytes: number): Promise<SegmentBlob> {
    const { checkpoint, files, previous } = this.#source;
    const file = files.fileOf(name);
    const handle = await open(file, 'r').catch((error) => {
      throw corruptIndexError(file, `cannot open segment: ${error.message}`);
    });
    try {
      const checksums = await readChecksums(handle, bytes, file);
      const { checksum } = checksums;
      const bits = checkpoint.liveDocs.find(([segment]) => segment === name)?.[1];
      const liveDocs = bits === undefined ? null : Buffer.from(bits).toString('base64');
      const known = previous?.segments.find((segment) => segment.name === name && segment.bytes === bytes && segment.checksum === checksum);
      if (known !== undefined) {
        this.#count(bytes, false);
        return { ...known, liveDocs };
      }
      const read = () => handle.createReadStream({ start: 0, highWaterMark: READ_BYTES, autoClose: false });
      const { blob } = await this.#put(() => verifiedParts(read(), checksums, file), bytes);
      return { name, bytes, checksum, blob, liveDocs };
    } finally {
      await handle.close();
    }
  }

  async #put(source: BlobSource, bytes: number): Promise<StoredBlob> {
    const control = this.#control;
    this.#pending.files++;
    this.#pending.bytes += bytes;
    const { newFiles, newBytes } = this.#sizes;
    control.onPlan({ ...this.#sizes, newFiles: newFiles + this.#pending.files, newBytes: newBytes + this.#pending.bytes });
    const stored = await this.#repository.blobs.putHashed(source, (size) => control.pause(size));
    this.#pending.files--;
    this.#pending.bytes -= bytes;
    this.#count(stored.bytes, stored.isNew);
    control.onCopied(this.#sizes.newFiles, this.#sizes.newBytes);
    return stored;
  }

  #count(bytes: number, isNew: boolean): void {
    const { files, bytes: all, newFiles, newBytes } = this.#sizes;
    this.#sizes = { files: files + 1, bytes: all + bytes, newFiles: newFiles + (isNew ? 1 : 0), newBytes: newBytes + (isNew ? bytes : 0) };
  }

  // ------------------------------------------------------------------------------------------------------- documents

  async #documents(): Promise<DocumentsBlob[]> {
    const { maxSeqNo } = this.#source.checkpoint.point;
    const documents: DocumentsBlob[] = [];
    const blobs = new Parallel(BLOBS_IN_FLIGHT);
    let from = 0;
    try {
      for (const { blob, range } of await this.#reusable()) {
        if (from < blob.from) await this.#writeRange(from, blob.from - 1, documents, blobs);
        documents.push({ ...blob, live: range.count === blob.records ? null : range.live, liveRecords: range.count });
        this.#count(blob.bytes, false);
        from = blob.to + 1;
      }
      await this.#writeRange(from, maxSeqNo, documents, blobs);
    } finally {
      await blobs.end();
    }
    return documents.sort((a, b) => a.from - b.from);
  }

  /** The blobs of the previous snapshot that can be kept, with the records in them that are still needed. */
  async #reusable(): Promise<Array<{ blob: DocumentsBlob; range: LiveRange }>> {
    const { previous, checkpoint } = this.#source;
    const kept: Array<{ blob: DocumentsBlob; range: LiveRange }> = [];
    for (const blob of previous?.documents ?? []) {
      if (blob.to > checkpoint.point.maxSeqNo || !this.#isOfThisLog(blob)) continue;
      const range = await this.#liveRange(blob.from, blob.to);
      if (range.count > 0 && range.count * 2 >= blob.records && range.count <= blob.records) kept.push({ blob, range });
    }
    return withoutSmallRuns(kept);
  }

  /**
   * False if the blob was made from another log, as after the data directory was replaced by an older copy and written to. The last record that
   * still exists decides; without any of the last ones nothing proves the origin.
   */
  #isOfThisLog({ tail }: DocumentsBlob): boolean {
    const { store, log } = this.#source;
    for (const [seqNo, checksum] of tail) {
      const record = store.rawRecord(log, seqNo);
      if (record !== null) return checksumOf(record) === checksum;
    }
    return false;
  }

  async #liveRange(from: number, to: number): Promise<LiveRange> {
    const live = new SeqNoSetBuilder();
    for await (const seqNos of this.#seqNos(from, to)) for (const seqNo of seqNos) live.add(seqNo);
    return { from, to, count: live.count, live: live.encode() };
  }

  /** The records in this range that segments need, in batches: a turn for each record would take longer than copying it. */
  async *#seqNos(from: number, to: number): AsyncGenerator<readonly number[]> {
    const { store, log } = this.#source;
    for (let at = from; at <= to; ) {
      const found = store.seqNos(log, at, to, KEYS_PER_TURN);
      yield this.#obsolete.size === 0 ? found : found.filter((seqNo) => !this.#obsolete.has(seqNo));
      if (found.length < KEYS_PER_TURN) return;
      at = found[found.length - 1] + 1;
      await this.#control.pause(0);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #writeRange(from: number, to: number, into: DocumentsBlob[], blobs: Parallel): Promise<void> {
    const { store, log } = this.#source;
    let blob = new DocumentsBlobBuilder();
    let start = from;
    const write = async (end: number): Promise<void> => {
      const { bytes, records, tail } = blob;
      const parts = blob.end();
      const range = { from: start, to: end, records, live: null, liveRecords: records, tail };
      blob = new DocumentsBlobBuilder();
      start = end + 1;
      await blobs.add(async () => {
        const stored = await this.#put(() => parts, bytes);
        into.push({ blob: stored.blob, bytes, ...range });
      });
    };
    for await (const seqNos of this.#seqNos(from, to)) {
      for (const seqNo of seqNos) {
        const record = store.rawRecord(log, seqNo);
        if (record === null)
          throw new ApiError('translog_corrupted_exception', 500, `record ${seqNo} of log ${log} disappeared during the snapshot`);
        blob.add({ seqNo, record });
        if (blob.bytes >= BLOB_BYTES || blob.records >= BLOB_RECORDS) await write(seqNo);
      }
    }
    if (blob.records > 0) await write(to);
  }
}

/** Leaves out runs of small blobs that are long enough to be written as one. */
function withoutSmallRuns<T extends { readonly blob: DocumentsBlob }>(kept: readonly T[]): T[] {
  const out: T[] = [];
  let run: T[] = [];
  const endRun = (): void => {
    if (run.length < SMALL_BLOBS) out.push(...run);
    run = [];
  };
  for (const entry of kept) {
    if (entry.blob.bytes < SMALL_BYTES) {
      run.push(entry);
      continue;
    }
    endRun();
    out.push(entry);
  }
  endRun();
  return out;
}
