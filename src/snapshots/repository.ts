// A snapshot repository over a blob store.
//   index-N          list of the snapshots after N changes; index-(N-1) stays for readers that have just read the number
//   index.latest     N, for stores that cannot list
//   pending-<uuid>   a change is under way; one that is found later was interrupted, and its leftovers are removed before the next change
//   blobs/ab/ab...   everything else, by hash: details of snapshots, manifests of shards, segments, documents
// A change writes blobs, then creates index-(N+1), which fails if another process did so, and only then removes blobs that nothing refers to. So the
// repository is intact at any moment, whenever the process dies. The caller runs one change at a time.
import { createHash, randomBytes } from 'node:crypto';
import { parseJson } from '../common/json/json-parse.ts';
import { writeJson } from '../common/json/json-write.ts';
import { ApiError } from '../errors/api-error.ts';
import { BLOB_FOLDER, type BlobStore, blobPath, hashOfPath, PARTIAL, type StoredBlob } from './blob-store.ts';
import { causeOf, corruptRepositoryError, repositoryError, repositoryVerificationError } from './repository-errors.ts';
import {
  REPOSITORY_FORMAT,
  type RepositoryContents,
  type ShardManifest,
  type SnapshotDetails,
  type SnapshotInfo,
} from './snapshot-types.ts';

const INDEX = 'index-';
const LATEST = 'index.latest';
const PENDING = 'pending-';
/** Attempts of a reader to get a list that a writer elsewhere has not replaced in the meantime. */
const LOAD_TRIES = 3;
/** Blobs removed by one call of the store. */
const REMOVE_BATCH = 500;

/** Result of a clean-up. */
export interface Removed {
  readonly blobs: number;
  readonly bytes: number;
}

export class Repository {
  readonly name: string;
  readonly isReadOnly: boolean;
  readonly blobs: BlobStore;

  constructor(name: string, blobs: BlobStore, isReadOnly: boolean) {
    this.name = name;
    this.blobs = blobs;
    this.isReadOnly = isReadOnly;
  }

  /** The current list of snapshots; generation 0 if the repository is new. @throws ApiError repository_exception */
  async load(): Promise<RepositoryContents> {
    for (let attempt = 1; ; attempt++) {
      const generation = await this.#latest();
      if (generation === 0) return { format: REPOSITORY_FORMAT, uuid: newUuid(), generation: 0, snapshots: [] };
      const bytes = await this.#guard('cannot read the list of snapshots', () => this.blobs.read(INDEX + generation));
      if (bytes !== null) return this.#parseContents(bytes, generation);
      if (attempt === LOAD_TRIES) throw corruptRepositoryError(this.name, `[${INDEX}${generation}] is missing`);
    }
  }

  async #latest(): Promise<number> {
    return this.#guard('cannot list the repository', async () => {
      if (!this.blobs.canList) {
        const text = (await this.blobs.read(LATEST))?.toString('latin1').trim() ?? '0';
        if (!/^\d{1,15}$/.test(text)) throw corruptRepositoryError(this.name, `[${LATEST}] does not contain a number`);
        return Number(text);
      }
      let latest = 0;
      for await (const { name } of this.blobs.list(INDEX)) latest = Math.max(latest, generationOf(name) ?? 0);
      return latest;
    });
  }

  #parseContents(bytes: Buffer, generation: number): RepositoryContents {
    const contents = this.#parseChecked(bytes, INDEX + generation) as RepositoryContents;
    if (contents.format > REPOSITORY_FORMAT)
      throw corruptRepositoryError(this.name, `format ${contents.format} is newer than ${REPOSITORY_FORMAT}, which this version can read`);
    return contents;
  }

  /** JSON after a line with its hash. */
  #parseChecked(bytes: Buffer, name: string): unknown {
    const body = bytes.subarray(65);
    if (bytes.length < 66 || bytes.toString('latin1', 0, 64) !== sha256(body)) throw this.#damagedError(name);
    return parseJson(body.toString('utf8'));
  }

  #damagedError(name: string): ApiError {
    return corruptRepositoryError(this.name, `the checksum of [${name}] does not match`);
  }

  /** Removes what an interrupted change left, and marks the begin of a new one. @returns removes the mark */
  async begin(contents: RepositoryContents): Promise<() => Promise<void>> {
    if (this.isReadOnly) throw repositoryError(this.name, 'repository is readonly');
    return this.#guard('cannot write to the repository', async () => {
      const interrupted: string[] = [];
      for await (const { name } of this.blobs.list('')) if (name.startsWith(PENDING) || name.endsWith(PARTIAL)) interrupted.push(name);
      if (interrupted.length > 0) {
        await this.sweep(contents);
        await this.blobs.remove(interrupted);
      }
      const mark = PENDING + newUuid();
      await this.blobs.create(mark, Buffer.from('{}'));
      return () => this.blobs.remove([mark]);
    });
  }

  /** Replaces the list of snapshots. @throws ApiError repository_exception: another process has changed it */
  async commit(current: RepositoryContents, snapshots: readonly SnapshotInfo[]): Promise<RepositoryContents> {
    const generation = current.generation + 1;
    const next: RepositoryContents = { ...current, generation, snapshots };
    const json = Buffer.from(writeJson(next));
    const bytes = Buffer.concat([Buffer.from(`${sha256(json)}\n`), json]);
    await this.#guard('cannot write the list of snapshots', async () => {
      if (!(await this.blobs.create(INDEX + generation, bytes)))
        throw repositoryError(
          this.name,
          `concurrent modification of the index-N file, expected current generation [${current.generation}] but it was not found in the repository`,
        );
      await this.blobs.replace(LATEST, Buffer.from(String(generation)));
      await this.blobs.remove([INDEX + (generation - 2)]);
    });
    return next;
  }

  /** Stores a value under the hash of its JSON. */
  putJson(value: unknown): Promise<StoredBlob> {
    const json = Buffer.from(writeJson(value));
    return this.blobs.putHashed(() => [json]);
  }

  /** A whole content-addressed blob. @throws ApiError repository_exception: missing or damaged */
  async readBlob(hash: string): Promise<Buffer> {
    const bytes = await this.#guard(`cannot read [${blobPath(hash)}]`, () => this.blobs.read(blobPath(hash)));
    if (bytes === null) throw corruptRepositoryError(this.name, `[${blobPath(hash)}] is missing`);
    if (sha256(bytes) !== hash) throw this.#damagedError(blobPath(hash));
    return bytes;
  }

  /** The parts of a content-addressed blob. @throws ApiError repository_exception: missing, or damaged, which shows only at the end */
  async *streamBlob(hash: string): AsyncIterable<Uint8Array> {
    const check = createHash('sha256');
    try {
      for await (const part of this.blobs.stream(blobPath(hash))) {
        check.update(part);
        yield part;
      }
    } catch (error) {
      throw repositoryError(this.name, `cannot read [${blobPath(hash)}]`, causeOf(error));
    }
    if (check.digest('hex') !== hash) throw this.#damagedError(blobPath(hash));
  }

  async details(snapshot: SnapshotInfo): Promise<SnapshotDetails> {
    return parseJson((await this.readBlob(snapshot.details)).toString('utf8')) as SnapshotDetails;
  }

  async manifest(hash: string): Promise<ShardManifest> {
    return parseJson((await this.readBlob(hash)).toString('utf8')) as ShardManifest;
  }

  /** Hashes of all blobs that the snapshots need. */
  async referenced(snapshots: readonly SnapshotInfo[]): Promise<Set<string>> {
    const found = new Set<string>();
    for (const snapshot of snapshots) {
      if (found.has(snapshot.details)) continue;
      found.add(snapshot.details);
      for (const { shards } of (await this.details(snapshot)).indices) {
        for (const { manifest } of shards) {
          if (manifest === null || found.has(manifest)) continue;
          found.add(manifest);
          const { segments, documents } = await this.manifest(manifest);
          for (const { blob } of [...segments, ...documents]) found.add(blob);
        }
      }
    }
    return found;
  }

  /** Takes snapshots off the list and removes what only they needed. */
  async delete(contents: RepositoryContents, uuids: ReadonlySet<string>): Promise<void> {
    const kept = contents.snapshots.filter(({ uuid }) => !uuids.has(uuid));
    const end = await this.begin(contents);
    const removed = contents.snapshots.filter(({ uuid }) => uuids.has(uuid));
    const needed = await this.referenced(kept);
    const candidates = await this.referenced(removed).catch(() => null);
    const next = await this.commit(contents, kept);
    // A snapshot whose own list is damaged can still be deleted.
    if (candidates === null) await this.sweep(next);
    else await this.#remove([...candidates].filter((hash) => !needed.has(hash)).map(blobPath));
    await end();
  }

  /** Removes all blobs that no snapshot refers to, and old lists. */
  async sweep(contents: RepositoryContents): Promise<Removed> {
    const needed = await this.referenced(contents.snapshots);
    const names: string[] = [];
    let bytes = 0;
    const take = (name: string, size: number): void => {
      names.push(name);
      bytes += size;
    };
    for await (const { name, bytes: size } of this.blobs.list(BLOB_FOLDER)) {
      const hash = hashOfPath(name);
      if (hash === null || !needed.has(hash)) take(name, size);
    }
    for await (const { name, bytes: size } of this.blobs.list('')) {
      const generation = generationOf(name);
      if (name.endsWith(PARTIAL) || name.startsWith('tests-') || (generation !== null && generation < contents.generation - 1))
        take(name, size);
    }
    await this.#remove(names);
    return { blobs: names.length, bytes };
  }

  async #remove(names: readonly string[]): Promise<void> {
    for (let at = 0; at < names.length; at += REMOVE_BATCH) await this.blobs.remove(names.slice(at, at + REMOVE_BATCH));
  }

  /** Writes, reads and removes a blob. @throws ApiError repository_verification_exception */
  async verify(): Promise<void> {
    if (this.isReadOnly) {
      await this.load();
      return;
    }
    const name = `tests-${newUuid()}`;
    try {
      const bytes = randomBytes(64);
      await this.blobs.create(name, bytes);
      const back = await this.blobs.read(name);
      await this.blobs.remove([name]);
      if (back === null || !bytes.equals(back)) throw new Error('a blob that was written cannot be read back');
    } catch (error) {
      throw repositoryVerificationError(this.name, `path ${this.blobs.location} is not accessible`, causeOf(error));
    }
  }

  async #guard<T>(what: string, action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw repositoryError(this.name, what, causeOf(error));
    }
  }
}

function generationOf(name: string): number | null {
  const match = /^index-(\d{1,15})$/.exec(name);
  return match ? Number(match[1]) : null;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** 22 characters, as Elasticsearch's. */
function newUuid(): string {
  return randomBytes(16).toString('base64url');
}
