// A log file that never blocks the event loop: lines are buffered in memory and appended by the thread pool. `reopen` follows a log rotation.
import { closeSync, open, openSync, write, writeSync } from 'node:fs';

/** Logs contain addresses, names and parts of requests. */
const MODE = 0o640;
const FLUSH_INTERVAL_MS = 500;
const FLUSH_BYTES = 64 * 1024;
/** Maximum size of the buffer while the disk is slow; further lines are dropped and counted. */
const MAX_WAITING_BYTES = 8 * 2 ** 20;

export interface LineSink {
  /** Appends a line; a line feed is added. */
  write(line: string): void;
  reopen(): void;
  /** Writes the buffer synchronously and closes. */
  close(): void;
}

/** Several threads may append to one file: each write consists of whole lines and goes to the end (O_APPEND). */
export class LogFile implements LineSink {
  readonly #path: string;
  #fd: number;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #isWriting = false;
  #wantsReopen = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | null = null;

  /** @throws Error: the file cannot be opened */
  constructor(path: string) {
    this.#path = path;
    this.#fd = openSync(path, 'a', MODE);
  }

  write(line: string): void {
    if (this.#waitingBytes > MAX_WAITING_BYTES) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += line.length + 1;
    if (this.#waitingBytes >= FLUSH_BYTES) this.#flush();
    else this.#arm();
  }

  #arm(): void {
    if (this.#timer) return;
    this.#timer = setTimeout(() => this.#flush(), FLUSH_INTERVAL_MS);
    this.#timer.unref();
  }

  #take(): Buffer {
    if (this.#dropped > 0) this.#waiting.push(`(${this.#dropped} lines dropped: the disk was too slow)`);
    this.#dropped = 0;
    const text = `${this.#waiting.join('\n')}\n`;
    this.#waiting = [];
    this.#waitingBytes = 0;
    return Buffer.from(text);
  }

  #flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#isWriting || this.#waiting.length === 0) return;
    this.#isWriting = true;
    this.#writeAll(this.#take());
  }

  #writeAll(bytes: Buffer): void {
    // A failed write (full disk) loses its lines: logging must not bring down the service.
    write(this.#fd, bytes, 0, bytes.length, null, (error, written) => {
      if (!error && written < bytes.length) {
        this.#writeAll(bytes.subarray(written));
        return;
      }
      this.#isWriting = false;
      if (this.#isClosed) return;
      if (this.#wantsReopen) this.#doReopen();
      else if (this.#waiting.length > 0) this.#arm();
    });
  }

  reopen(): void {
    this.#wantsReopen = true;
    if (!this.#isWriting) this.#doReopen();
  }

  #doReopen(): void {
    this.#wantsReopen = false;
    this.#isWriting = true;
    open(this.#path, 'a', MODE, (error, fd) => {
      this.#isWriting = false;
      if (this.#isClosed) {
        if (!error) closeSync(fd);
        return;
      }
      if (!error) {
        closeSync(this.#fd);
        this.#fd = fd;
      }
      if (this.#waiting.length > 0) this.#arm();
    });
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    if (this.#waiting.length > 0) writeSync(this.#fd, this.#take());
    this.#isClosed = true;
    closeSync(this.#fd);
  }
}

let ignoresErrors = false;

/** Writes to standard error, for a node without `path.logs`. If the terminal is closed, the lines are lost. */
export const STDERR_SINK: LineSink = {
  write: (line) => {
    if (!ignoresErrors) process.stderr.on('error', () => undefined);
    ignoresErrors = true;
    process.stderr.write(`${line}\n`);
  },
  reopen: () => undefined,
  close: () => undefined,
};
