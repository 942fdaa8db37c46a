/** Request bodies: decoding from the connection (length or chunked), kept in memory or spooled to a file, or handed on as they come. */
import { closeSync, mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { HeaderField } from './header.ts';
import { parseHeaderLine } from './header.ts';

const MAX_CHUNK_LINE = 4096;

/** Decodes a body from raw connection bytes. */
export class BodyDecoder {
  done = false;
  trailers: HeaderField[] = [];
  private state: 'size' | 'data' | 'dataEnd' | 'trailer' = 'size';
  private left: number;
  private line = '';
  private trailerBytes = 0;

  /** @param length  bytes, or undefined for chunked */
  constructor(private readonly length: number | undefined) {
    this.left = length ?? 0;
    this.done = length === 0;
  }

  /**
   * Takes what belongs to the body from `input` and passes its data on.
   * @returns bytes taken, or -1 for a malformed body
   */
  feed(input: Buffer, onData: (data: Buffer) => void): number {
    if (this.length !== undefined) {
      const take = Math.min(this.left, input.length);
      if (take > 0) onData(take === input.length ? input : input.subarray(0, take));
      this.left -= take;
      this.done = this.left === 0;
      return take;
    }
    let pos = 0;
    while (pos < input.length && !this.done) {
      if (this.state === 'data') {
        const take = Math.min(this.left, input.length - pos);
        onData(input.subarray(pos, pos + take));
        pos += take;
        this.left -= take;
        if (this.left === 0) this.state = 'dataEnd';
        continue;
      }
      const lf = input.indexOf(10, pos);
      const end = lf < 0 ? input.length : lf;
      this.line += input.latin1Slice(pos, end);
      if (this.line.length > MAX_CHUNK_LINE) return -1;
      pos = lf < 0 ? end : lf + 1;
      if (lf < 0) {
        // what is there already must be able to become valid
        if (this.state === 'dataEnd' && this.line !== '\r') return -1;
        if (this.state === 'size' && !/^[0-9A-Fa-f]{0,15}(?:[ \t]*(?:;.*)?)?\r?$/.test(this.line)) return -1;
        break;
      }
      const line = this.line.endsWith('\r') ? this.line.slice(0, -1) : this.line;
      this.line = '';
      if (!this.takeLine(line)) return -1;
    }
    return pos;
  }

  private takeLine(line: string): boolean {
    if (this.state === 'dataEnd') {
      this.state = 'size';
      return line === '';
    }
    if (this.state === 'size') {
      const match = /^([0-9A-Fa-f]{1,13})[ \t]*(?:;.*)?$/.exec(line);
      if (!match) return false;
      this.left = Number.parseInt(match[1], 16);
      this.state = this.left === 0 ? 'trailer' : 'data';
      return true;
    }
    if (line === '') {
      this.done = true;
      return true;
    }
    this.trailerBytes += line.length;
    if (this.trailerBytes > 16_384) return false;
    const field = parseHeaderLine(line, true, true);
    if (field === 'invalid') return false;
    if (field !== 'ignored') this.trailers.push(field);
    return true;
  }
}

let tempCounter = Math.floor(Math.random() * 1e6);

/** Where temporary files go, and how many of the last digits of their names name folders there. */
export interface TempFolder {
  path: string;
  levels: readonly number[];
}

/** A new temporary file; folders are made if missing. */
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
  /** bytes kept in memory before a file is used */
  memoryBytes: number;
  /** 0: no limit */
  maxBytes: number;
  tempFolder: TempFolder;
  /** `on`, `clean`: always a file */
  inFile: 'on' | 'clean' | 'off';
  /** hears of the file that the body goes to */
  onFile?: (path: string) => void;
}

export class RequestBody {
  started = false;
  complete = false;
  size = 0;
  buffers: Buffer[] = [];
  private memoryBytes = 0;
  file: { fd: number; path: string; size: number } | undefined;
  trailers: HeaderField[] = [];
  /** set: data goes there instead of being kept */
  consumer: ((data: Buffer) => void) | undefined;
  /** called at the end (0) or with a status on failure */
  onEnd: ((rc: number) => void) | undefined;

  constructor(
    readonly decoder: BodyDecoder,
    readonly limits: BodyLimits,
  ) {}

  /** Keeps or passes on decoded data. */
  take(data: Buffer): void {
    this.size += data.length;
    if (this.consumer) {
      // what fits in memory stays readable for $request_body
      if (this.size <= this.limits.memoryBytes) this.buffers.push(data);
      else this.buffers = [];
      this.consumer(data);
      return;
    }
    if (!this.file && this.limits.inFile === 'off' && this.memoryBytes + data.length <= this.limits.memoryBytes) {
      this.buffers.push(data);
      this.memoryBytes += data.length;
      return;
    }
    this.spool(data);
  }

  private spool(data: Buffer): void {
    if (!this.file) {
      this.file = { ...openTemp(this.limits.tempFolder), size: 0 };
      this.limits.onFile?.(this.file.path);
    }
    for (const held of [...this.buffers, data]) {
      writeSync(this.file.fd, held);
      this.file.size += held.length;
    }
    this.buffers = [];
    this.memoryBytes = 0;
  }

  /** `client_body_in_file_only` wants a file even for an empty body in memory. */
  toFile(): void {
    if (!this.file) this.spool(Buffer.alloc(0));
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
        // taken away by a handler (dav PUT)
      }
    }
    this.file = undefined;
  }
}
