// disable_symlinks: refuses paths with symbolic links.
import { lstatSync, statSync } from 'node:fs';
import { fsPath } from '../../fs-path.ts';
import { core } from '../config/core.ts';
import type { Request } from '../model/types.ts';

export class SymlinkError extends Error {
  code = 'ELOOP';
}

/** Checks a path against `disable_symlinks`. @throws an error with code ELOOP */
export function checkSymlinks(r: Request, name: string): void {
  const { mode, from } = core.conf(r.loc).disable_symlinks;
  if (mode === 'off') return;
  let start = 0;
  if (from) {
    const prefix = from.eval(r);
    if (prefix && name.startsWith(prefix) && (name[prefix.length] === '/' || prefix.endsWith('/'))) start = prefix.length;
    if (from.eval(r) === name) return;
  }
  for (let pos = name.indexOf('/', start + 1); ; pos = name.indexOf('/', pos + 1)) {
    const part = pos < 0 ? name : name.slice(0, pos);
    const own = lstatSync(fsPath(part));
    if (own.isSymbolicLink()) {
      if (mode === 'on') throw new SymlinkError(part);
      if (statSync(fsPath(part)).uid !== own.uid) throw new SymlinkError(part);
    }
    if (pos < 0 || pos === name.length - 1) break;
  }
}
