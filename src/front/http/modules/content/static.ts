// Content phase: index files, then the file itself.

import { statSync } from 'node:fs';
import { ANY_COUNT, custom, HSL } from '../../../config/directive.ts';
import { fsPath } from '../../../fs-path.ts';
import { systemError } from '../../../system-error.ts';
import { core } from '../../config/core.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';
import { openOrStatus } from '../../files/open-files.ts';
import { mapUri } from '../../files/paths.ts';
import { sendFile } from '../../files/send-file.ts';
import { checkSymlinks } from '../../files/symlinks.ts';
import type { Request } from '../../model/types.ts';
import { internalRedirect } from '../../phases/redirect.ts';
import { DECLINED } from '../../request/codes.ts';
import { escapeUri } from '../../request/parse.ts';

function staticHandler(r: Request): number {
  if (r.method !== 'GET' && r.method !== 'HEAD' && r.method !== 'POST') return 405;
  if (r.uri.endsWith('/')) return DECLINED;
  const name = mapUri(r);
  const file = openOrStatus(r, name);
  if (typeof file === 'number') return file;
  if (file.stat.isDirectory()) {
    let location = escapeUri(r.uri, 'uri') + '/';
    if (r.args) location += `?${r.args}`;
    r.out.location = location;
    return 301;
  }
  if (!file.stat.isFile()) {
    r.log('crit', `"${name}" is not a regular file`);
    return 404;
  }
  if (r.method === 'POST') return 405;
  const discarded = r.conn.discardBody(r);
  if (discarded !== 0) return discarded;
  return sendFile(r, file);
}

// ---------------------------------------------------------------- index

export const indexModule = defineModule(
  'index',
  {
    index: custom<Value[] | null>(
      HSL,
      [1, ANY_COUNT],
      null,
      (f: HttpFrame, previous = []) => {
        f.args.forEach((word, n) => {
          if (word === '') f.fail('index "" in "index" directive is invalid');
          if (word.startsWith('/') && n < f.args.length - 1) f.scope.warn(`only the last index in "index" directive should be absolute`);
        });
        return [...previous, ...f.args.map((word) => f.scope.value(word))];
      },
      { repeats: true },
    ),
  },
  {
    init(main) {
      main.phases.content.push(indexHandler);
    },
  },
);

export const staticModule = defineModule(
  'static',
  {},
  {
    init(main) {
      main.phases.content.push(staticHandler);
    },
  },
);

function indexHandler(r: Request): number {
  if (!r.uri.endsWith('/')) return DECLINED;
  if (r.method !== 'GET' && r.method !== 'HEAD' && r.method !== 'POST') return DECLINED;
  const names = indexModule.conf(r.loc).index;
  const list = names ?? [undefined];
  let dirTested = false;
  for (const value of list) {
    const name = value === undefined ? 'index.html' : value.eval(r);
    if (name.startsWith('/')) return internalRedirect(r, name, r.args);
    const file = mapUri(r) + name;
    try {
      checkSymlinks(r, file);
      const stat = statSync(fsPath(file));
      if (stat.isFile() || stat.isDirectory()) return internalRedirect(r, r.uri + name, r.args);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES' || code === 'ELOOP') {
        r.log('error', `"${file}" is forbidden (${systemError(code)})`);
        return 403;
      }
      if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'ENAMETOOLONG') {
        r.log('crit', `stat() "${file}" failed (${systemError(error)})`);
        return 500;
      }
      if (code !== 'ENOENT') {
        if (core.conf(r.loc).log_not_found) r.log('error', `"${file}" is not found (${systemError(code)})`);
        return 404;
      }
      if (!dirTested) {
        dirTested = true;
        const rc = testFolder(r, mapUri(r), name);
        if (rc !== 0) return rc;
      }
    }
  }
  return DECLINED;
}

/** 404 if the folder itself does not exist, as opposed to a folder without an index. @param index  name of the missing index file */
function testFolder(r: Request, folder: string, index: string): number {
  try {
    const stat = statSync(fsPath(folder.replace(/\/+$/, '') || '/'));
    if (stat.isDirectory()) return 0;
    r.log('error', `"${folder}" is not a directory`);
    return 404;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      if (core.conf(r.loc).log_not_found) r.log('error', `"${folder}${index}" is not found (${systemError(code)})`);
      return 404;
    }
    return 0;
  }
}
