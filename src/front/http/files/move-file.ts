// Moves finished temporary files into place, also to another file system.
import { randomBytes } from 'node:crypto';
import { copyFileSync, renameSync, rmSync, statSync, unlinkSync, utimesSync } from 'node:fs';

/** Renames; across file systems, copies with mode and times under another name first. */
export function moveFile(from: string | Buffer, to: string | Buffer): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    const suffix = `.${randomBytes(6).toString('hex')}.tmp`;
    const copy = typeof to === 'string' ? to + suffix : Buffer.concat([to, Buffer.from(suffix)]);
    try {
      copyFileSync(from, copy);
      const { atime, mtime } = statSync(from);
      utimesSync(copy, atime, mtime);
      renameSync(copy, to);
    } catch (problem) {
      rmSync(copy, { force: true });
      throw problem;
    }
    unlinkSync(from);
  }
}
