// Blobs in an object store of JetStream. A blob is stored as objects of limited size, because a reader of an object cannot slow down its sender:
// `<prefix><name>/0`, `<prefix><name>/1` and so on, until one is missing. Readers use only blobs that a committed snapshot names, which are whole.
import { createHash } from 'node:crypto';
import type { ObjectStore } from '@nats-io/obj';
import type { BlobSource, BlobStore, ListedBlob, OnBytes, StoredBlob } from '../snapshots/blob-store.ts';
import { blobPath } from '../snapshots/blob-store.ts';

/** Bytes of an object: what a reader may have to keep in memory. */
const PART_BYTES = 8 << 20;
const CHUNK_BYTES = 256 << 10;

/** An object store, and what its interface lacks. */
export interface Objects {
  readonly store: ObjectStore;
  /** Removes an object without leaving a mark of its deletion. */
  remove(name: string, nuid: string): Promise<void>;
}

export class ObjectBlobs implements BlobStore {
  readonly location: string;
  readonly canList = true;
  readonly #objects: Objects;
  readonly #prefix: string;

  /** @param prefix  of the names of all objects; several ObjectBlobs may share an object store */
  constructor(objects: Objects, location: string, prefix: string) {
    this.#objects = objects;
    this.location = location;
    this.#prefix = prefix;
  }

  async read(name: string): Promise<Buffer | null> {
    const parts: Uint8Array[] = [];
    for await (const part of this.#parts(name)) parts.push(part);
    return parts.length === 0 ? null : Buffer.concat(parts);
  }

  async *stream(name: string): AsyncIterable<Uint8Array> {
    let isMissing = true;
    for await (const part of this.#parts(name)) {
      isMissing = false;
      yield part;
    }
    if (isMissing) throw new Error(`[${this.location}] has no blob [${name}]`);
  }

  async *#parts(name: string): AsyncIterable<Uint8Array> {
    for (let part = 0; ; part++) {
      const bytes = await this.#objects.store.getBlob(this.#part(name, part));
      if (bytes === null) return;
      yield bytes;
    }
  }

  #part(name: string, part: number): string {
    return `${this.#prefix}${name}/${part}`;
  }

  /** A blob that exists is written again, since what had named it may be about to remove it. */
  async putHashed(source: BlobSource, onBytes?: OnBytes): Promise<StoredBlob> {
    const hash = createHash('sha256');
    for await (const part of source()) hash.update(part);
    const blob = hash.digest('hex');
    return { blob, bytes: await this.#put(blobPath(blob), source(), onBytes), isNew: true };
  }

  async create(name: string, bytes: Uint8Array): Promise<boolean> {
    if ((await this.#objects.store.info(this.#part(name, 0))) !== null) return false;
    await this.replace(name, bytes);
    return true;
  }

  async replace(name: string, bytes: Uint8Array): Promise<void> {
    await this.#put(name, [bytes]);
  }

  /** @returns the size */
  async #put(name: string, source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, onBytes?: OnBytes): Promise<number> {
    let bytes = 0;
    let part = 0;
    let chunks: Uint8Array[] = [];
    let size = 0;
    const write = async (): Promise<void> => {
      const meta = { name: this.#part(name, part++), options: { max_chunk_size: CHUNK_BYTES } };
      await this.#objects.store.put(meta, streamOf(chunks));
      bytes += size;
      chunks = [];
      size = 0;
    };
    for await (const chunk of source) {
      await onBytes?.(chunk.length);
      for (let at = 0; at < chunk.length; ) {
        const taken = chunk.subarray(at, at + PART_BYTES - size);
        chunks.push(taken);
        size += taken.length;
        at += taken.length;
        if (size === PART_BYTES) await write();
      }
    }
    if (size > 0 || part === 0) await write();
    return bytes;
  }

  async *list(prefix: string): AsyncIterable<ListedBlob> {
    const sizes = new Map<string, number>();
    for (const { name, size } of await this.#objects.store.list()) {
      if (!name.startsWith(this.#prefix + prefix)) continue;
      const blob = name.slice(this.#prefix.length, name.lastIndexOf('/'));
      sizes.set(blob, (sizes.get(blob) ?? 0) + size);
    }
    for (const [name, bytes] of sizes) yield { name, bytes };
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const found: Array<{ readonly name: string; readonly nuid: string }> = [];
      for (;;) {
        const info = await this.#objects.store.info(this.#part(name, found.length));
        if (info === null) break;
        found.push(info);
      }
      // The first part last: if this is interrupted, the rest is found again.
      for (const info of found.reverse()) await this.#objects.remove(info.name, info.nuid);
    }
  }

  close(): void {}
}

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) if (chunk.length > 0) controller.enqueue(chunk);
      controller.close();
    },
  });
}
