// NDJSON files of the corpora: written line by line under a temporary name and renamed when they are complete.
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';

const BUFFER_CHARS = 1 << 20;
/** Buckets of HashOrderedWriter; each must fit in memory. */
const BUCKETS = 64;

export class LineWriter {
  readonly #file: string;
  readonly #fd: number;
  #pending: string[] = [];
  #pendingChars = 0;
  #count = 0;

  constructor(file: string) {
    mkdirSync(path.dirname(file), { recursive: true });
    this.#file = file;
    this.#fd = openSync(`${file}.partial`, 'w');
  }

  get count(): number {
    return this.#count;
  }

  write(document: unknown): void {
    this.writeLine(JSON.stringify(document));
  }

  writeLine(line: string): void {
    this.#pending.push(line, '\n');
    this.#pendingChars += line.length;
    this.#count++;
    if (this.#pendingChars > BUFFER_CHARS) this.#flush();
  }

  /** Completes the file. @returns the number of lines */
  close(): number {
    this.#flush();
    closeSync(this.#fd);
    renameSync(`${this.#file}.partial`, this.#file);
    return this.#count;
  }

  #flush(): void {
    const bytes = Buffer.from(this.#pending.join(''));
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#fd, bytes, written);
    this.#pending = [];
    this.#pendingChars = 0;
  }
}

/** Writes documents in the order of the MD5 of their ids, so that every prefix of the file is an unbiased sample. */
export class HashOrderedWriter {
  readonly #file: string;
  readonly #folder: string;
  readonly #buckets: LineWriter[];

  constructor(file: string) {
    this.#file = file;
    this.#folder = `${file}.buckets`;
    rmSync(this.#folder, { recursive: true, force: true });
    this.#buckets = Array.from({ length: BUCKETS }, (_, i) => new LineWriter(path.join(this.#folder, String(i))));
  }

  add(id: string, document: unknown): void {
    const hash = createHash('md5').update(id).digest();
    this.#buckets[(hash.readUInt16BE(0) * BUCKETS) >>> 16].writeLine(hash.toString('hex') + JSON.stringify(document));
  }

  /** @param limit  documents to keep, from the start of the order */
  close(limit: number): void {
    const out = new LineWriter(this.#file);
    this.#buckets.forEach((bucket, i) => {
      bucket.close();
      const lines = readFileSync(path.join(this.#folder, String(i)), 'utf8')
        .split('\n')
        .filter(Boolean)
        .sort();
      for (const line of lines.slice(0, Math.max(0, limit - out.count))) out.writeLine(line.slice(32));
    });
    out.close();
    rmSync(this.#folder, { recursive: true });
  }
}

export function sha256OfFile(file: string): string {
  return digest(file).sha256;
}

/** Number of lines and SHA-256 of a file, read in pieces. */
export function digest(file: string): { documents: number; sha256: string } {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(1 << 22);
  const fd = openSync(file, 'r');
  let documents = 0;
  for (;;) {
    const bytes = chunk.subarray(0, readSync(fd, chunk));
    if (bytes.length === 0) break;
    hash.update(bytes);
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) documents++;
  }
  closeSync(fd);
  return { documents, sha256: hash.digest('hex') };
}
