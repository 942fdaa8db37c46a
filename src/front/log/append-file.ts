// A file that logs append to: opened on first write, and reopened by name after it was moved (USR1).

import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import { present } from '../../common/present.ts';
import { fsPath } from '../fs-path.ts';

export class AppendFile {
  #fd: number | null = null;

  readonly #header: string;

  /** @param header  first text of an empty file, '' for none */
  constructor(
    readonly path: string,
    header = '',
  ) {
    this.#header = header;
  }

  /** @throws NodeJS.ErrnoException */
  open(): void {
    if (this.#fd !== null) return;
    const fd = openSync(fsPath(this.path), 'a', 0o640);
    this.#fd = fd;
    if (this.#header !== '' && fstatSync(fd).size === 0) writeSync(fd, this.#header, null, 'latin1');
  }

  /** Appends bytes or a latin1 string. Failed writes are lost, because a log has nowhere to report them. */
  write(data: string | Buffer): void {
    try {
      this.open();
      if (typeof data === 'string') writeSync(present(this.#fd), data, null, 'latin1');
      else writeSync(present(this.#fd), data);
    } catch {
      // The next reopen tries again.
    }
  }

  /** If the file cannot be opened, the previous one stays in use. */
  reopen(): void {
    const before = this.#fd;
    this.#fd = null;
    try {
      this.open();
    } catch {
      // Not reported, like failed writes.
    }
    if (this.#fd === null) this.#fd = before;
    else if (before !== null) closeSync(before);
  }

  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }
}
