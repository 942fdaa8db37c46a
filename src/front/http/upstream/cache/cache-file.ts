// A response on its way into a cache zone: a temporary file that receives the body until the zone moves it into place.
import { closeSync, unlinkSync, writeSync } from 'node:fs';
import { openTemp, type TempFolder } from '../../request/body.ts';
import { type EntryHead, headBytes } from './cache-entry.ts';
import type { CacheNode } from './cache-node.ts';
import type { CacheZone } from './cache-zone.ts';

export class CacheFile {
  readonly #fd: number;
  readonly #path: string;
  readonly #headLength: number;
  #length = 0;

  readonly #head: EntryHead;

  /** @throws Error of the file system */
  constructor(folder: TempFolder, head: EntryHead) {
    this.#head = head;
    const { fd, path } = openTemp(folder);
    this.#fd = fd;
    this.#path = path;
    const bytes = headBytes(head);
    writeSync(fd, bytes);
    this.#headLength = bytes.length;
  }

  write(data: Buffer): void {
    writeSync(this.#fd, data);
    this.#length += data.length;
  }

  /** The body is complete: it becomes the response of the node. @throws Error of the file system */
  commit(zone: CacheZone, node: CacheNode): void {
    this.#head.length = this.#length;
    const bytes = headBytes(this.#head, this.#headLength - 8);
    if (bytes) writeSync(this.#fd, bytes, 0, bytes.length, 0);
    closeSync(this.#fd);
    zone.commit(node, this.#path, this.#head, this.#headLength + this.#length);
  }

  discard(): void {
    closeSync(this.#fd);
    try {
      unlinkSync(this.#path);
    } catch {
      // already gone
    }
  }
}
