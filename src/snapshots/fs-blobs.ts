// Blobs as files of a folder: repositories of type `fs`. A file is written under a temporary name, synced and renamed, so that a reader or a crash
// sees all of it or nothing.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { type BlobSource, type BlobStore, blobPath, type ListedBlob, type OnBytes, PARTIAL, type StoredBlob } from './blob-store.ts';

const READ_BYTES = 1 << 20;

export class FsBlobs implements BlobStore {
  readonly location: string;
  readonly canList = true;
  /** Folders that are known to exist. */
  readonly #folders = new Set<string>();

  /** @param location  absolute path of the folder, which is created with the first write */
  constructor(location: string) {
    this.location = location;
  }

  async read(name: string): Promise<Buffer | null> {
    try {
      return await readFile(this.#file(name));
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  stream(name: string): AsyncIterable<Uint8Array> {
    return createReadStream(this.#file(name), { highWaterMark: READ_BYTES });
  }

  async putHashed(source: BlobSource, onBytes?: OnBytes): Promise<StoredBlob> {
    const hash = createHash('sha256');
    let bytes = 0;
    const temporary = await this.#writeTemporary('blobs', async (handle) => {
      // A part is written while the next one is read and hashed.
      let writing: Promise<void> = Promise.resolve();
      try {
        for await (const part of source()) {
          await onBytes?.(part.length);
          hash.update(part);
          bytes += part.length;
          await writing;
          writing = writeAll(handle, part);
          writing.catch(() => undefined);
        }
      } finally {
        await writing;
      }
    });
    const blob = hash.digest('hex');
    const file = this.#file(blobPath(blob));
    if ((await sizeOf(file)) === bytes) {
      await rm(temporary, { force: true });
      return { blob, bytes, isNew: false };
    }
    await this.#moveInto(temporary, file);
    return { blob, bytes, isNew: true };
  }

  async create(name: string, bytes: Uint8Array): Promise<boolean> {
    const temporary = await this.#writeTemporary('.', (handle) => writeAll(handle, bytes));
    try {
      // Unlike a rename, a link fails if the name is taken.
      await link(temporary, this.#file(name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    } finally {
      await rm(temporary, { force: true });
    }
    await syncFolder(path.dirname(this.#file(name)));
    return true;
  }

  async replace(name: string, bytes: Uint8Array): Promise<void> {
    const temporary = await this.#writeTemporary('.', (handle) => writeAll(handle, bytes));
    await this.#moveInto(temporary, this.#file(name));
  }

  async *list(prefix: string): AsyncIterable<ListedBlob> {
    const folder = prefix.includes('/') ? prefix.slice(0, prefix.lastIndexOf('/')) : '';
    for await (const entry of this.#walk(folder, prefix.endsWith('/'))) if (entry.name.startsWith(prefix)) yield entry;
  }

  async *#walk(folder: string, isRecursive: boolean): AsyncIterable<ListedBlob> {
    const entries = await readdir(this.#file(folder), { withFileTypes: true }).catch((error) => {
      if (isMissing(error)) return [];
      throw error;
    });
    for (const entry of entries) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (isRecursive) yield* this.#walk(name, true);
        continue;
      }
      const bytes = await sizeOf(this.#file(name));
      if (bytes !== null) yield { name, bytes };
    }
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) {
      await unlink(this.#file(name)).catch((error) => {
        if (!isMissing(error)) throw error;
      });
    }
  }

  close(): void {
    this.#folders.clear();
  }

  #file(name: string): string {
    return path.join(this.location, name);
  }

  /** @returns path of the synced file */
  async #writeTemporary(folder: string, write: (handle: FileHandle) => Promise<void>): Promise<string> {
    const parent = this.#file(folder);
    await this.#ensureFolder(parent);
    const temporary = path.join(parent, `${randomBytes(12).toString('hex')}${PARTIAL}`);
    const handle = await open(temporary, 'wx');
    try {
      await write(handle);
      await handle.datasync();
    } catch (error) {
      await handle.close();
      await rm(temporary, { force: true });
      throw error;
    }
    await handle.close();
    return temporary;
  }

  async #moveInto(temporary: string, file: string): Promise<void> {
    const folder = path.dirname(file);
    await this.#ensureFolder(folder);
    await rename(temporary, file);
    await syncFolder(folder);
  }

  async #ensureFolder(folder: string): Promise<void> {
    if (this.#folders.has(folder)) return;
    const created = await mkdir(folder, { recursive: true });
    if (created !== undefined) await syncFolder(path.dirname(created));
    this.#folders.add(folder);
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at, bytes.length - at)).bytesWritten;
}

async function sizeOf(file: string): Promise<number | null> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
