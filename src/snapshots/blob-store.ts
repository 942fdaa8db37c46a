// The storage behind a repository: named blobs, each visible as a whole or not at all.
import type { Blob } from './snapshot-types.ts';

/** Bytes that can be read more than once, for stores that need the hash before they write. The parts must not change. */
export type BlobSource = () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Called with the size of each part as it is written; the store waits for it. */
export type OnBytes = (bytes: number) => void | Promise<void>;

export interface StoredBlob extends Blob {
  /** False if the repository had the blob already. */
  readonly isNew: boolean;
}

export interface ListedBlob {
  /** Path with slashes. */
  readonly name: string;
  readonly bytes: number;
}

export interface BlobStore {
  /** Where the blobs are, for messages. */
  readonly location: string;
  /** False for stores that are read by name only. */
  readonly canList: boolean;
  /** The whole blob; null if there is none. */
  read(name: string): Promise<Buffer | null>;
  /** @throws Error there is no such blob */
  stream(name: string): AsyncIterable<Uint8Array>;
  /** Stores bytes under their hash; durable when this resolves. The source may be read more than once. */
  putHashed(source: BlobSource, onBytes?: OnBytes): Promise<StoredBlob>;
  /** Creates a blob. @returns false if there is one of this name already */
  create(name: string, bytes: Uint8Array): Promise<boolean>;
  /** Creates or replaces a blob. */
  replace(name: string, bytes: Uint8Array): Promise<void>;
  /** Blobs whose names start with `prefix`, leftovers of interrupted writes included. */
  list(prefix: string): AsyncIterable<ListedBlob>;
  /** Removes blobs; those that do not exist are ignored. */
  remove(names: readonly string[]): Promise<void>;
  close(): void;
}

export const BLOB_FOLDER = 'blobs/';
/** Suffix of blobs that are being written. */
export const PARTIAL = '.partial';

/** Path of a content-addressed blob. A level of folders keeps each small. */
export function blobPath(hash: string): string {
  return `${BLOB_FOLDER}${hash.slice(0, 2)}/${hash}`;
}

/** The hash in the path of a content-addressed blob, or null for other names. */
export function hashOfPath(name: string): string | null {
  return /^blobs\/[0-9a-f]{2}\/([0-9a-f]{64})$/.exec(name)?.[1] ?? null;
}
