/** A file that logs append to: opened when first written, and again by its name after it was moved away (USR1). */
import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import { fsPath } from '../fs-path.ts';

export class AppendFile {
  private fd: number | undefined;

  /** @param header  first text of a file that is empty, '' for none */
  constructor(
    readonly path: string,
    private readonly header = '',
  ) {}

  /** @throws NodeJS.ErrnoException */
  open(): void {
    if (this.fd !== undefined) return;
    const fd = openSync(fsPath(this.path), 'a', 0o644);
    this.fd = fd;
    if (this.header !== '' && fstatSync(fd).size === 0) writeSync(fd, this.header, null, 'latin1');
  }

  /** Appends bytes or latin1 text; what cannot be written is lost, since a log has nowhere to report it. */
  write(data: string | Buffer): void {
    try {
      this.open();
      if (typeof data === 'string') writeSync(this.fd!, data, null, 'latin1');
      else writeSync(this.fd!, data);
    } catch {
      // the next reopen tries again
    }
  }

  /** A file that cannot be opened leaves the one before in use. */
  reopen(): void {
    const before = this.fd;
    this.fd = undefined;
    try {
      this.open();
    } catch {
      // told by nobody, as with what cannot be written
    }
    if (this.fd === undefined) this.fd = before;
    else if (before !== undefined) closeSync(before);
  }

  close(): void {
    if (this.fd !== undefined) closeSync(this.fd);
    this.fd = undefined;
  }
}
