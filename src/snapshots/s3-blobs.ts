// Blobs as objects of an S3 bucket: repositories of type `s3`. An object is visible when its upload is complete, so nothing is ever half there;
// interrupted uploads of several parts are listed as leftovers, and removing one aborts it.
import { createHash } from 'node:crypto';
import type { GetObjectCommandOutput, ListMultipartUploadsCommandOutput } from '@aws-sdk/client-s3';
import {
  BLOB_FOLDER,
  type BlobSource,
  type BlobStore,
  blobPath,
  type ListedBlob,
  type OnBytes,
  PARTIAL,
  type StoredBlob,
} from './blob-store.ts';
import { Parallel } from './parallel.ts';
import { connectS3, type S3Connection } from './s3-client.ts';
import type { S3Settings } from './s3-settings.ts';

/** Largest blob that is read as a whole: lists, manifests and blobs of documents, of which one may exceed http.max_content_length. */
const MAX_READ_BYTES = 2 ** 30;
/** Limit of S3 for one upload. */
const MAX_PARTS = 10_000;
const PARTS_IN_FLIGHT = 2;
/** Limit of S3 for one request. */
const REMOVE_BATCH = 1000;
/** Separates the key from the id in the name of an unfinished upload; keys of blobs do not contain it. */
const UPLOAD_MARK = '?upload=';

type UploadPage = ListMultipartUploadsCommandOutput;
type UploadMarker = { readonly KeyMarker?: string; readonly UploadIdMarker?: string };

export class S3Blobs implements BlobStore {
  readonly location: string;
  readonly canList = true;
  readonly #settings: S3Settings;
  #connection: S3Connection | null = null;

  constructor(settings: S3Settings) {
    this.#settings = settings;
    this.location = `s3://${settings.bucket}/${settings.prefix}`;
  }

  // ----------------------------------------------------------------------------------------------------------- reading

  async read(name: string): Promise<Buffer | null> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    try {
      for await (const part of this.stream(name)) {
        bytes += part.length;
        if (bytes > MAX_READ_BYTES) throw new Error(`[${name}] is larger than ${MAX_READ_BYTES} bytes`);
        chunks.push(part);
      }
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
    return Buffer.concat(chunks);
  }

  /** A connection that breaks is continued where it broke, as often as `max_retries` permits without progress. */
  async *stream(name: string): AsyncGenerator<Uint8Array> {
    let offset = 0;
    let tag: string | undefined;
    for (let failures = 0; ; ) {
      const response = await this.#get(name, offset, tag);
      const expected = offset + (response.ContentLength ?? 0);
      tag = response.ETag;
      try {
        for await (const part of response.Body as AsyncIterable<Uint8Array>) {
          offset += part.length;
          failures = 0;
          yield part;
        }
        if (response.ContentLength === undefined || offset === expected) return;
        throw new Error(`[${name}] ended after ${offset} of ${expected} bytes`);
      } catch (error) {
        if (++failures > this.#settings.maxRetries) throw named(error, `GET ${name}`);
      }
    }
  }

  #get(name: string, offset: number, tag: string | undefined): Promise<GetObjectCommandOutput> {
    const range = offset === 0 ? {} : { Range: `bytes=${offset}-`, IfMatch: tag };
    return this.#send(`GET ${name}`, ({ module, client }) => client.send(new module.GetObjectCommand({ ...this.#object(name), ...range })));
  }

  async #sizeOf(name: string): Promise<number | null> {
    try {
      const head = await this.#send(`HEAD ${name}`, ({ module, client }) => client.send(new module.HeadObjectCommand(this.#object(name))));
      return head.ContentLength ?? null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  // ----------------------------------------------------------------------------------------------------------- writing

  /** The hash is the object's name, so larger blobs are read twice: to hash them, and to send them. */
  async putHashed(source: BlobSource, onBytes?: OnBytes): Promise<StoredBlob> {
    const { hash, bytes, kept } = await this.#digest(source);
    const name = blobPath(hash);
    if ((await this.#sizeOf(name)) === bytes) return { blob: hash, bytes, isNew: false };
    if (kept === null) await this.#uploadParts(name, { hash, bytes }, source, onBytes);
    else {
      await onBytes?.(bytes);
      await this.#put(name, kept);
    }
    return { blob: hash, bytes, isNew: true };
  }

  /** The hash of a source, and its bytes if one request can send them. */
  async #digest(source: BlobSource): Promise<{ hash: string; bytes: number; kept: Buffer | null }> {
    const digest = createHash('sha256');
    let bytes = 0;
    let parts: Uint8Array[] = [];
    for await (const part of source()) {
      digest.update(part);
      bytes += part.length;
      if (bytes <= this.#settings.bufferBytes) parts.push(part);
      else parts = [];
    }
    return { hash: digest.digest('hex'), bytes, kept: bytes <= this.#settings.bufferBytes ? Buffer.concat(parts) : null };
  }

  /** @returns false if the object exists already. Servers without If-None-Match rely on the preceding request. */
  async create(name: string, bytes: Uint8Array): Promise<boolean> {
    if ((await this.#sizeOf(name)) !== null) return false;
    try {
      await this.#put(name, bytes, { IfNoneMatch: '*' });
      return true;
    } catch (error) {
      if (hasStatus(error, 501)) {
        await this.#put(name, bytes);
        return true;
      }
      if (!hasStatus(error, 412) && !hasStatus(error, 409)) throw error;
      // A request that was repeated because its response was lost finds its own object.
      return (await this.read(name))?.equals(bytes) ?? false;
    }
  }

  async replace(name: string, bytes: Uint8Array): Promise<void> {
    await this.#put(name, bytes);
  }

  async #put(name: string, bytes: Uint8Array, condition: { IfNoneMatch?: string } = {}): Promise<void> {
    const input = { ...this.#newObject(name), Body: bytes, ...condition };
    await this.#send(`PUT ${name}`, ({ module, client }) => client.send(new module.PutObjectCommand(input)));
  }

  async #uploadParts(name: string, blob: { hash: string; bytes: number }, source: BlobSource, onBytes?: OnBytes): Promise<void> {
    const { UploadId } = await this.#send(`POST ${name}`, ({ module, client }) =>
      client.send(new module.CreateMultipartUploadCommand(this.#newObject(name))),
    );
    const upload = { ...this.#object(name), UploadId };
    try {
      const parts = await this.#sendParts(upload, blob, source, onBytes);
      await this.#send(`POST ${name}`, ({ module, client }) =>
        client.send(new module.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } })),
      );
    } catch (error) {
      // If this fails, too, the next clean-up finds the upload.
      await this.#abort(upload).catch(() => undefined);
      throw error;
    }
  }

  async #sendParts(
    upload: { Bucket: string; Key: string; UploadId: string | undefined },
    { hash, bytes }: { hash: string; bytes: number },
    source: BlobSource,
    onBytes?: OnBytes,
  ): Promise<Array<{ PartNumber: number; ETag: string | undefined }>> {
    const digest = createHash('sha256');
    const sent: Array<{ PartNumber: number; ETag: string | undefined }> = [];
    const requests = new Parallel(PARTS_IN_FLIGHT);
    const partBytes = Math.max(this.#settings.bufferBytes, Math.ceil(bytes / MAX_PARTS));
    let number = 0;
    try {
      for await (const body of inPieces(source(), partBytes)) {
        digest.update(body);
        await onBytes?.(body.length);
        const part = { ...upload, PartNumber: ++number, Body: body };
        await requests.add(async () => {
          const what = `PUT ${upload.Key} part ${part.PartNumber}`;
          const { ETag } = await this.#send(what, ({ module, client }) => client.send(new module.UploadPartCommand(part)));
          sent.push({ PartNumber: part.PartNumber, ETag });
        });
      }
    } finally {
      await requests.end();
    }
    if (digest.digest('hex') !== hash) throw new Error('the source changed while it was copied');
    return sent.sort((a, b) => a.PartNumber - b.PartNumber);
  }

  // ---------------------------------------------------------------------------------------------- listing and removing

  async *list(prefix: string): AsyncGenerator<ListedBlob> {
    const isRecursive = prefix.endsWith('/');
    let token: string | undefined;
    do {
      const page = await this.#send(`LIST ${prefix}`, ({ module, client }) =>
        client.send(
          new module.ListObjectsV2Command({
            Bucket: this.#settings.bucket,
            Prefix: this.#settings.prefix + prefix,
            ContinuationToken: token,
            ...(isRecursive ? {} : { Delimiter: '/' }),
          }),
        ),
      );
      for (const { Key, Size } of page.Contents ?? []) {
        if (Key?.startsWith(this.#settings.prefix)) yield { name: Key.slice(this.#settings.prefix.length), bytes: Size ?? 0 };
      }
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
    if (prefix === BLOB_FOLDER) yield* this.#uploads();
  }

  /** Uploads of several parts that were not finished. */
  async *#uploads(): AsyncGenerator<ListedBlob> {
    const { prefix } = this.#settings;
    let marker: UploadMarker | null = {};
    while (marker !== null) {
      const page: UploadPage | null = await this.#uploadsAfter(marker);
      for (const { Key, UploadId } of page?.Uploads ?? [])
        if (Key?.startsWith(prefix)) yield { name: `${Key.slice(prefix.length)}${UPLOAD_MARK}${UploadId}${PARTIAL}`, bytes: 0 };
      marker = page?.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : null;
    }
  }

  /** null if there are none, which some servers report as an error, or the server cannot list them. */
  async #uploadsAfter(marker: UploadMarker): Promise<UploadPage | null> {
    const { bucket, prefix } = this.#settings;
    const input = { Bucket: bucket, Prefix: prefix + BLOB_FOLDER, ...marker };
    try {
      return await this.#send('LIST uploads', ({ module, client }) => client.send(new module.ListMultipartUploadsCommand(input)));
    } catch (error) {
      if (hasStatus(error, 501) || isMissing(error)) return null;
      throw error;
    }
  }

  async remove(names: readonly string[]): Promise<void> {
    const objects: string[] = [];
    for (const name of names) {
      const mark = name.endsWith(PARTIAL) ? name.indexOf(UPLOAD_MARK) : -1;
      if (mark < 0) objects.push(name);
      else await this.#abort({ ...this.#object(name.slice(0, mark)), UploadId: name.slice(mark + UPLOAD_MARK.length, -PARTIAL.length) });
    }
    for (let at = 0; at < objects.length; at += REMOVE_BATCH) await this.#removeObjects(objects.slice(at, at + REMOVE_BATCH));
  }

  async #removeObjects(names: readonly string[]): Promise<void> {
    if (names.length === 1) {
      await this.#send(`DELETE ${names[0]}`, ({ module, client }) => client.send(new module.DeleteObjectCommand(this.#object(names[0]))));
      return;
    }
    const Objects = names.map((name) => ({ Key: this.#object(name).Key }));
    const { Errors = [] } = await this.#send('DELETE', ({ module, client }) =>
      client.send(new module.DeleteObjectsCommand({ Bucket: this.#settings.bucket, Delete: { Objects, Quiet: true } })),
    );
    const failed = Errors.find(({ Code }) => Code !== 'NoSuchKey');
    if (failed) throw new Error(`DELETE ${failed.Key}: ${failed.Code}: ${failed.Message}`);
  }

  async #abort(upload: { Bucket: string; Key: string; UploadId: string | undefined }): Promise<void> {
    try {
      await this.#send(`DELETE ${upload.Key}`, ({ module, client }) => client.send(new module.AbortMultipartUploadCommand(upload)));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  close(): void {
    this.#connection?.client.destroy();
    this.#connection = null;
  }

  // ---------------------------------------------------------------------------------------------------------- requests

  #object(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.#settings.bucket, Key: this.#settings.prefix + name };
  }

  #newObject(name: string) {
    const { encrypt, storageClass, cannedAcl } = this.#settings;
    return {
      ...this.#object(name),
      ContentType: 'application/octet-stream',
      // Defaults are not requested explicitly, since some servers reject any of these headers.
      ...(encrypt ? { ServerSideEncryption: 'AES256' as const } : {}),
      ...(storageClass === 'STANDARD' ? {} : { StorageClass: storageClass }),
      ...(cannedAcl === 'private' ? {} : { ACL: cannedAcl }),
    };
  }

  /** @param what  names the request in errors */
  async #send<T>(what: string, request: (connection: S3Connection) => Promise<T>): Promise<T> {
    this.#connection ??= connectS3(this.#settings);
    try {
      return await request(this.#connection);
    } catch (error) {
      throw named(error, what);
    }
  }
}

/** An error response of the server, or of the network. */
class S3Error extends Error {
  readonly status: number | null;
  readonly code: string;

  constructor(what: string, error: Error & { readonly $metadata?: { readonly httpStatusCode?: number } }) {
    const status = error.$metadata?.httpStatusCode ?? null;
    super(
      `${what}: ${error.name}${error.message === '' || error.message === error.name ? '' : `: ${error.message}`}${status === null ? '' : ` (status ${status})`}`,
    );
    this.name = 'S3Error';
    this.status = status;
    this.code = error.name;
  }
}

function named(error: unknown, what: string): unknown {
  return error instanceof Error && !(error instanceof S3Error) ? new S3Error(what, error) : error;
}

function hasStatus(error: unknown, status: number): boolean {
  return error instanceof S3Error && error.status === status;
}

/** A missing object or upload, not a missing bucket. A HEAD response has no body to distinguish them. */
function isMissing(error: unknown): boolean {
  return hasStatus(error, 404) && (error as S3Error).code !== 'NoSuchBucket';
}

/** Joins or splits parts into pieces of this size; the last one may be smaller. */
async function* inPieces(parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, bytes: number): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const taken = part.subarray(at, at + bytes - size);
      held.push(taken);
      size += taken.length;
      at += taken.length;
      if (size < bytes) continue;
      yield Buffer.concat(held);
      held = [];
      size = 0;
    }
  }
  if (size > 0) yield Buffer.concat(held);
}
