// Asynchronous searches on disk: one file each in the data directory, which every http worker and lane reads and writes. The modification time of a
// file is when its search expires, so that expired ones are found without reading responses.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { AsyncSearch, AsyncSearchStore } from '../../api/core/async-search-store.ts';
import { ApiError } from '../../errors/api-error.ts';

/** Bounds of the folder. */
const MAX_SEARCHES = 1000;
const MAX_BYTES = 1 << 30;
/** Time between two looks for expired searches. */
const SWEEP_MS = 60_000;
const ID = /^[\w-]{20,64}$/;

export class AsyncSearches implements AsyncSearchStore {
  readonly #folder: string;
  #sweptMs = Number.NEGATIVE_INFINITY;

  constructor(dataPath: string) {
    this.#folder = path.join(dataPath, 'async-search');
  }

  async put(search: AsyncSearch): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await this.#makeRoom(search.id);
    // Renamed when it is complete, so that no reader sees a part of it.
    const written = path.join(this.#folder, `${search.id}.${randomBytes(6).toString('hex')}.tmp`);
    await writeFile(written, JSON.stringify(search), { mode: 0o600 });
    await utimes(written, search.expirationMs / 1000, search.expirationMs / 1000);
    await rename(written, this.#fileOf(search.id));
  }

  async get(id: string): Promise<AsyncSearch | null> {
    if (!ID.test(id)) return null;
    const search = await this.#read(this.#fileOf(id));
    if (search === null || search.expirationMs > Date.now()) return search;
    await rm(this.#fileOf(id), { force: true });
    return null;
  }

  async delete(id: string): Promise<boolean> {
    if ((await this.get(id)) === null) return false;
    await rm(this.#fileOf(id), { force: true });
    return true;
  }

  #fileOf(id: string): string {
    return path.join(this.#folder, `${id}.json`);
  }

  async #read(file: string): Promise<AsyncSearch | null> {
    try {
      return JSON.parse(await readFile(file, 'utf8')) as AsyncSearch;
    } catch {
      return null;
    }
  }

  /** Removes expired searches, and files that were never completed. @throws ApiError 429: there are too many that are not expired */
  async #makeRoom(id: string): Promise<void> {
    const names = await readdir(this.#folder);
    const isFull = names.length >= MAX_SEARCHES;
    if (!isFull && Date.now() - this.#sweptMs < SWEEP_MS) return;
    this.#sweptMs = Date.now();
    let count = 0;
    let bytes = 0;
    for (const name of names) {
      const file = path.join(this.#folder, name);
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
        `[async_search] ${count} searches of ${bytes} bytes are stored; the limits are ${MAX_SEARCHES} and ${MAX_BYTES}: delete some or shorten [keep_alive]`,
      );
  }
}
