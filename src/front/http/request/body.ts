// Request bodies: stored in memory, spooled to a file, or passed on as they arrive.
import { closeSync, mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { BodyDecoder } from '../../../http/wire/body-decoder.ts';
import type { HeaderField } from '../../../http/wire/header.ts';

let tempCounter = Math.floor(Math.random() * 1e6);

/** Folder of temporary files, and how many of the last digits of their names form each level of subfolders. */
export interface TempFolder {
  path: string;
  levels: readonly number[];
}

/** Opens a new temporary file; creates missing folders. */
export function openTemp({ path: folder, levels }: TempFolder): { fd: number; path: string } {
  for (let attempt = 0; ; attempt++) {
    const name = `${String(process.pid % 100000)}${String(++tempCounter).padStart(8, '0')}`;
    let end = name.length;
    const folders = levels.map((level) => name.slice((end -= level), end + level));
    const file = path.join(folder, ...folders, name);
    try {
      return { fd: openNew(file), path: file };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt > 5) throw error;
    }
  }
}

function openNew(file: string): number {
  try {
    return openSync(file, 'wx+', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    return openSync(file, 'wx+', 0o600);
  }
}

interface BodyLimits {
  /** bytes stored in memory before a file is used */
  memoryBytes: number;
  /** 0: no limit */
  maxBytes: number;
  tempFolder: TempFolder;
  /** `on`, `clean`: always a file */
  inFile: 'on' | 'clean' | 'off';
  /** called with the path when the body is spooled to a file */
  onFile?: (path: string) => void;
}

export class RequestBody {
  started = false;
  complete = false;
  size = 0;
  buffers: Buffer[] = [];
  #memoryBytes = 0;
  file: { fd: number; path: string; size: number } | null = null;
  trailers: HeaderField[] = [];
  /** if set, receives the data, which is then not stored */
  consumer: ((data: Buffer) => void) | null = null;
  /** called at the end (0) or with a status on failure */
  onEnd: ((rc: number) => void) | null = null;

  constructor(
    readonly decoder: BodyDecoder,
    readonly limits: BodyLimits,
  ) {}

  /** Stores or passes on decoded data. */
  take(data: Buffer): void {
    this.size += data.length;
    if (this.consumer) {
      // a body that fits in memory stays readable for $request_body
      if (this.size <= this.limits.memoryBytes) this.buffers.push(data);
      else this.buffers = [];
      this.consumer(data);
      return;
    }
    if (!this.file && this.limits.inFile === 'off' && this.#memoryBytes + data.length <= this.limits.memoryBytes) {
      this.buffers.push(data);
      this.#memoryBytes += data.length;
      return;
    }
    this.#spool(data);
  }

  #spool(data: Buffer): void {
    if (!this.file) {
      this.file = { ...openTemp(this.limits.tempFolder), size: 0 };
      this.limits.onFile?.(this.file.path);
    }
    for (const held of [...this.buffers, data]) {
      writeSync(this.file.fd, held);
      this.file.size += held.length;
    }
    this.buffers = [];
    this.#memoryBytes = 0;
  }

  /** `client_body_in_file_only` demands a file even for a body that fits in memory. */
  toFile(): void {
    if (!this.file) this.#spool(Buffer.alloc(0));
  }

  /** The whole body, from memory or file. */
  read(): Buffer {
    if (!this.file) return this.buffers.length === 1 ? this.buffers[0] : Buffer.concat(this.buffers);
    const out = Buffer.allocUnsafe(this.file.size);
    let at = 0;
    while (at < out.length) {
      const n = readSync(this.file.fd, out, at, out.length - at, at);
      if (n === 0) break;
      at += n;
    }
    return out.subarray(0, at);
  }

  release(keepFile: boolean): void {
    if (!this.file) return;
    closeSync(this.file.fd);
    if (!keepFile) {
      try {
        unlinkSync(this.file.path);
      } catch {
        // moved by a handler (dav PUT)
      }
    }
    this.file = null;
  }
}
