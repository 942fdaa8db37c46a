// try_files: serves the first existing file of a list, or redirects to another URI.
import { statSync } from 'node:fs';
import { fsPath } from '../../../fs-path.ts';
import { core } from '../../config/core.ts';
import { defineModule } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';
import { documentRoot } from '../../files/paths.ts';
import { checkSymlinks } from '../../files/symlinks.ts';
import type { Request } from '../../model/types.ts';
import { redirectTo, redirectToNamed } from '../../phases/redirect.ts';
import { DECLINED } from '../../request/codes.ts';

export const tryFilesModule = defineModule(
  'try_files',
  {},
  {
    init(main) {
      main.phases.precontent.push(tryFiles);
    },
  },
);

function tryFiles(r: Request): number {
  const conf = core.conf(r.loc).try_files;
  if (!conf) return DECLINED;
  const alias = r.loc.docRoot?.alias;
  // In a location with alias, the location's name is removed from the values of variables.
  const prefix = alias && alias.nameLength > 0 ? r.uri.slice(0, alias.nameLength) : '';
  const textOf = (value: Value): string => {
    const text = value.eval(r);
    return value.constant === null && text.startsWith(prefix) ? text.slice(prefix.length) : text;
  };
  for (const { value, dir } of conf.items) {
    const rest = textOf(value);
    const path = documentRoot(r) + rest;
    let found = false;
    try {
      checkSymlinks(r, path);
      const stat = statSync(fsPath(path));
      found = dir ? stat.isDirectory() : stat.isFile();
    } catch {
      // Not found: try the next one.
    }
    if (!found) continue;
    if (!alias) r.uri = rest;
    else if (alias.nameLength >= 0) r.uri = prefix + rest;
    else if (!dir) {
      r.uri = rest;
      r.addUriToAlias = true;
    }
    r.validRawUri = false;
    return DECLINED;
  }
  if (conf.code) return conf.code;
  const last = textOf(conf.last);
  if (conf.named) return redirectToNamed(r, last);
  return redirectTo(r, last);
}
