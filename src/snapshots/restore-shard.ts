// Writes one shard of a snapshot into the data directory: segment files, records of the log under its new number, and last the commit point. Nothing
// of it is used before the index is opened, so an interrupted restore leaves only files and records of an unused log.
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { ApiError } from '../errors/api-error.ts';
import type { SegmentFiles } from '../store/segment-files.ts';
import { syncFolder } from '../store/segment-files.ts';
import type { Store } from '../store/store.ts';
import { decodeEntries, type RawRecord } from './document-blobs.ts';
import { Parallel } from './parallel.ts';
import type { Repository } from './repository.ts';
import { corruptRepositoryError } from './repository-errors.ts';
import { ascendingTest } from './seq-no-set.ts';
import type { DocumentsBlob, SegmentBlob, ShardManifest } from './snapshot-types.ts';

/** Records written by one transaction, in bytes: a writer of another shard waits no longer than that takes. */
const TRANSACTION_BYTES = 8 << 20;
/** Blobs read at a time. Those of documents are in memory. */
const BLOBS_IN_FLIGHT = 3;

export interface ShardTarget {
  readonly store: Store;
  readonly log: number;
  readonly files: SegmentFiles;
}

export interface RestoreControl {
  onRestored(files: number, bytes: number): void;
  /** @throws ApiError the restore was cancelled */
  pause(bytes: number): Promise<void>;
}

/** @throws ApiError a blob is missing or damaged, or the disk is full */
export async function restoreShard(
  repository: Repository,
  manifest: ShardManifest,
  target: ShardTarget,
  control: RestoreControl,
): Promise<void> {
  const { store, log, files } = target;
  // Removes files of an interrupted attempt.
  files.removeAll();
  await store.drop(log);
  await mkdir(files.folder, { recursive: true });
  const blobs = new Parallel(BLOBS_IN_FLIGHT);
  try {
    for (const segment of manifest.segments) await blobs.add(() => restoreSegment(repository, segment, files, control));
    for (const blob of manifest.documents) await blobs.add(() => restoreDocuments(repository, blob, target, control));
  } finally {
    await blobs.end();
  }
  syncFolder(files.folder);
  const liveDocs = new Map<string, Uint8Array>();
  for (const { name, liveDocs: bits } of manifest.segments) if (bits !== null) liveDocs.set(name, Buffer.from(bits, 'base64'));
  store.commit(log, manifest.point, liveDocs, []);
}

async function restoreSegment(repository: Repository, segment: SegmentBlob, files: SegmentFiles, control: RestoreControl): Promise<void> {
  const file = files.fileOf(segment.name);
  const temporary = `${file}.tmp`;
  const handle = await open(temporary, 'w');
  try {
    await writeBlob(repository, segment.blob, handle, control);
    await handle.datasync();
  } catch (error) {
    await handle.close();
    await rm(temporary, { force: true });
    throw diskError(error);
  }
  await handle.close();
  await rename(temporary, file);
  control.onRestored(1, segment.bytes);
}

async function writeBlob(repository: Repository, blob: string, handle: FileHandle, control: RestoreControl): Promise<void> {
  // A part is written while the next one is read and hashed.
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const part of repository.streamBlob(blob)) {
      await control.pause(part.length);
      await writing;
      writing = writeAll(handle, part);
      writing.catch(() => undefined);
    }
  } finally {
    await writing;
  }
}

async function writeAll(handle: FileHandle, part: Uint8Array): Promise<void> {
  for (let at = 0; at < part.length; ) at += (await handle.write(part, at, part.length - at)).bytesWritten;
}

async function restoreDocuments(repository: Repository, blob: DocumentsBlob, target: ShardTarget, control: RestoreControl): Promise<void> {
  await control.pause(blob.bytes);
  const bytes = await repository.readBlob(blob.blob);
  const isLive = ascendingTest(blob.live);
  let batch: RawRecord[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    if (batch.length > 0) target.store.putRawRecords(target.log, batch);
    batch = [];
    size = 0;
    await new Promise((resolve) => setImmediate(resolve));
  };
  try {
    for (const entry of decodeEntries(bytes)) {
      if (!isLive(entry.seqNo)) continue;
      batch.push(entry);
      size += entry.record.length;
      if (size >= TRANSACTION_BYTES) await flush();
    }
  } catch (error) {
    if (error instanceof RangeError) throw corruptRepositoryError(repository.name, `[${blob.blob}] is malformed: ${error.message}`);
    throw error;
  }
  await flush();
  control.onRestored(1, blob.bytes);
}

function diskError(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOSPC' || code === 'EDQUOT'
    ? new ApiError('i_o_exception', 507, `no space left on device: ${(error as Error).message}`)
    : error;
}
