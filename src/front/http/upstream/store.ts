/** `PREFIX_store`: keeps a complete answer as a file. */
import { chmodSync, closeSync, copyFileSync, mkdirSync, renameSync, unlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { parseHttpDate } from '../header-writer.ts';
import { fsPath, mapUri } from '../paths.ts';
import type { Upstream } from './upstream.ts';

/** Puts the finished temporary file in its place, or throws it away. */
export function storeFile(u: Upstream, temp: { fd: number; path: string }, good: boolean): void {
  const { r, conf } = u;
  closeSync(temp.fd);
  if (!good) {
    unlinkSync(temp.path);
    return;
  }
  const value = conf.store.value?.eval(r);
  const target = value === undefined ? mapUri(r) : path.resolve(r.http.paths.prefix, value);
  try {
    mkdirSync(fsPath(path.dirname(target)), { recursive: true, mode: conf.storeAccess | 0o700 });
    chmodSync(temp.path, conf.storeAccess);
    const modified = u.head?.fields.find((f) => f.lname === 'last-modified')?.value;
    const seconds = modified === undefined ? -1 : parseHttpDate(modified);
    if (seconds >= 0) utimesSync(temp.path, seconds, seconds);
    moveFile(temp.path, target);
  } catch (error) {
    r.log('crit', `storing "${target}" failed: ${(error as Error).message}`);
    try {
      unlinkSync(temp.path);
    } catch {
      // moved already
    }
  }
}

/** Renames, or copies where the file systems differ. */
export function moveFile(from: string, to: string): void {
  try {
    renameSync(from, fsPath(to));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    copyFileSync(from, fsPath(to));
    unlinkSync(from);
  }
}
