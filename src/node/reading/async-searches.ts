// Asynchronous searches on disk: one file each in the data directory, which every http worker and lane reads and writes. The modification time of a
// file is when its search expires, so that expired ones are found without reading responses. Each user has a folder and its own limits, so that none
// takes the room of another.
//   async-search/<hash of the owner>/<id>.json
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { AsyncSearch, AsyncSearchStore } from '../../api/core/async-search-store.ts';
import { ApiError } from '../../errors/api-error.ts';

/** Bounds of the folder of a user. */
const MAX_SEARCHES = 1000;
const MAX_BYTES = 1 << 30;
/** Delay between two removals of expired searches. */
const SWEEP_MS = 60_000;
const ID = /^[\w-]{20,64}$/;

export class AsyncSearches implements AsyncSearchStore {
  readonly #root: string;
  /** When expired searches of a user were last removed. */
  readonly #sweptMs = new Map<string, number>();

  constructor(dataPath: string) {
    this.#root = path.join(dataPath, 'async-search');
  }

  async put(search: AsyncSearch): Promise<void> {
    const folder = path.join(this.#root, folderOf(search.owner));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await this.#makeRoom(folder, search.id);
    // Renamed when it is complete, so that no reader sees a part of it.
    const written = path.join(folder, `${search.id}.${randomBytes(6).toString('hex')}.tmp`);
    await writeFile(written, JSON.stringify(search), { mode: 0o600 });
    await utimes(written, search.expirationMs / 1000, search.expirationMs / 1000);
    await rename(written, path.join(folder, `${search.id}.json`));
  }

  async get(id: string): Promise<AsyncSearch | null> {
    const found = await this.#find(id);
    if (found === null || found.search.expirationMs > Date.now()) return found?.search ?? null;
    await rm(found.file, { force: true });
    return null;
  }

  async delete(id: string): Promise<boolean> {
    const found = await this.#find(id);
    if (found === null) return false;
    await rm(found.file, { force: true });
    return found.search.expirationMs > Date.now();
  }

  /** The id does not name the user: there are few folders. */
  async #find(id: string): Promise<{ file: string; search: AsyncSearch } | null> {
    if (!ID.test(id)) return null;
    for (const owner of await readdir(this.#root).catch(() => [])) {
      const file = path.join(this.#root, owner, `${id}.json`);
      const search = await this.#read(file);
      if (search !== null) return { file, search };
    }
    return null;
  }

  async #read(file: string): Promise<AsyncSearch | null> {
    try {
      return JSON.parse(await readFile(file, 'utf8')) as AsyncSearch;
    } catch {
      return null;
    }
  }

  /** Removes expired searches, and files that were never completed. @throws ApiError 429: there are too many that are not expired */
  async #makeRoom(folder: string, id: string): Promise<void> {
    const names = await readdir(folder);
    const isFull = names.length >= MAX_SEARCHES;
    if (!isFull && Date.now() - (this.#sweptMs.get(folder) ?? Number.NEGATIVE_INFINITY) < SWEEP_MS) return;
    this.#sweptMs.set(folder, Date.now());
    let count = 0;
    let bytes = 0;
    for (const name of names) {
      const file = path.join(folder, name);
      const found = await stat(file).catch(() => null);
      if (found === null) continue;
      // A file that is being written has the time of the last write.
      const endsMs = name.endsWith('.tmp') ? Math.min(found.mtimeMs, found.ctimeMs) + SWEEP_MS : found.mtimeMs;
      if (endsMs <= Date.now()) {
        await rm(file, { force: true });
        continue;
      }
      if (name === `${id}.json`) continue;
      count++;
      bytes += found.size;
    }
    if (count >= MAX_SEARCHES || bytes >= MAX_BYTES)
      throw new ApiError(
        'es_rejected_execution_exception',
        429,
        `[async_search] ${count} searches of ${bytes} bytes of this user are stored; the limits are ${MAX_SEARCHES} and ${MAX_BYTES}: delete some or shorten [keep_alive]`,
      );
  }
}

/** Names of users may have any characters. */
function folderOf(owner: string): string {
  return createHash('sha256').update(owner).digest('hex').slice(0, 32);
}
