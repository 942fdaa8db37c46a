// Segment files of a shard: written once, fsynced, read whole. The bytes are the segment image (docs/internals/segment-format.md), which carries
// its own checksums.
//   data/indices/<index uuid>/<shard>/<segment>.seg
import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, readdirSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { ApiError } from '../errors/api-error.ts';

const EXTENSION = '.seg';
const CHUNK_BYTES = 16 << 20;

/** All shards of an index. Other work goes on meanwhile. */
export function removeIndexFolder(directory: string, indexUuid: string): Promise<void> {
  return rm(path.join(directory, 'indices', indexUuid), { recursive: true, force: true });
}

export class SegmentFiles {
  readonly folder: string;
  /** Folder in errors: the path below the data directory. */
  readonly #name: string;

  constructor(directory: string, indexUuid: string, shard: number) {
    this.#name = path.join('indices', indexUuid, String(shard));
    this.folder = path.join(directory, this.#name);
  }

  fileOf(segment: string): string {
    return path.join(this.folder, segment + EXTENSION);
  }

  /** Name of a segment's file in errors. */
  nameOf(segment: string): string {
    return path.join(this.#name, segment + EXTENSION);
  }

  /** Durable when this returns. @throws ApiError on a full disk */
  write(segment: string, image: Uint8Array): void {
    writeSegmentFile(this.fileOf(segment), image);
  }

  /** @throws ApiError corrupt_index_exception: the file is missing */
  size(segment: string): number {
    return this.#open(segment, (handle) => fstatSync(handle).size);
  }

  /** Reads the file into `target`, whose length must be the file's. @throws ApiError corrupt_index_exception: missing or of another size */
  readInto(segment: string, target: Uint8Array): void {
    this.#open(segment, (handle) => {
      let at = 0;
      while (at < target.length) {
        const count = readSync(handle, target, at, Math.min(CHUNK_BYTES, target.length - at), at);
        if (count === 0) throw new ApiError('corrupt_index_exception', 500, `file is truncated (resource=${this.nameOf(segment)})`);
        at += count;
      }
    });
  }

  /** Removes files that `keep` does not name: left by a crash, or superseded by a merge. */
  removeOthers(keep: ReadonlySet<string>): void {
    for (const name of listOrEmpty(this.folder)) {
      const segment = name.endsWith(EXTENSION) ? name.slice(0, -EXTENSION.length) : null;
      if (segment === null || !keep.has(segment)) rmSync(path.join(this.folder, name), { force: true });
    }
  }

  removeAll(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #open<T>(segment: string, use: (handle: number) => T): T {
    let handle: number;
    try {
      handle = openSync(this.fileOf(segment), 'r');
    } catch (error) {
      throw new ApiError(
        'corrupt_index_exception',
        500,
        `cannot open segment: ${(error as NodeJS.ErrnoException).code} (resource=${this.nameOf(segment)})`,
      );
    }
    try {
      return use(handle);
    } finally {
      closeSync(handle);
    }
  }
}

/** Durable when this returns: a temporary file is written, fsynced, renamed, and the folder fsynced. @throws ApiError on a full disk */
export function writeSegmentFile(file: string, image: Uint8Array): void {
  const folder = path.dirname(file);
  mkdirSync(folder, { recursive: true });
  const temporary = `${file}.tmp`;
  try {
    const handle = openSync(temporary, 'w');
    try {
      for (let at = 0; at < image.length; ) at += writeSync(handle, image, at, Math.min(CHUNK_BYTES, image.length - at));
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
    syncFolder(folder);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new ApiError('i_o_exception', 507, `cannot write segment file: ${(error as Error).message}`);
  }
}

function listOrEmpty(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Makes the names of new files in a folder durable. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
