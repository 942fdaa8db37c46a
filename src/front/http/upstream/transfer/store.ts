// `PREFIX_store`: saves a complete response as a file.
import { chmodSync, closeSync, mkdirSync, unlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { fsPath } from '../../../fs-path.ts';
import { moveFile } from '../../files/move-file.ts';
import { mapUri } from '../../files/paths.ts';
import type { Request } from '../../model/types.ts';
import { parseHttpDate } from '../../request/http-date.ts';
import type { UpstreamConf } from '../conf.ts';
import type { UpstreamHead } from '../protocol/protocol.ts';

/** Moves the finished temporary file to its destination, or deletes it. */
export function storeFile(
  u: { r: Request; conf: UpstreamConf; head: UpstreamHead | null },
  temp: { fd: number; path: string },
  good: boolean,
): void {
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
    moveFile(temp.path, fsPath(target));
  } catch (error) {
    r.log('crit', `storing "${target}" failed: ${(error as Error).message}`);
    try {
      unlinkSync(temp.path);
    } catch {
      // moved already
    }
  }
}
