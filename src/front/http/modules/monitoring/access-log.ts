// access_log and log_format for HTTP requests.
import { statSync } from 'node:fs';
import path from 'node:path';
import { present } from '../../../../common/present.ts';
import { ANY_COUNT, custom, HSL, HTTP, LIMIT_EXCEPT, LOCATION_IF } from '../../../config/directive.ts';
import { fsPath } from '../../../fs-path.ts';
import { systemError } from '../../../system-error.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import { documentRoot } from '../../files/paths.ts';
import type { HttpMain, Request } from '../../model/types.ts';
import { OK } from '../../request/codes.ts';
import { compileFormat, type LogFormat, parseFormat } from './log-format.ts';
import { fileOf, type LogTarget, parseAccessLog, writeLogs } from './log-targets.ts';
import { type LogCache, parseLogCache, writeScripted } from './scripted-logs.ts';

const COMBINED = '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"';

function logRequest(r: Request): number {
  const { access_log: targets, open_log_file_cache: cache } = accessLogModule.conf(r.loc);
  if (targets === 'off' || targets === null) return OK;
  writeLogs(r, targets, (name, line, header) => {
    // as in nginx: without the document root there is no log, so requests cannot create files for arbitrary host names
    if (name !== '' && rootExists(r)) writeScripted(r, path.resolve(r.http.paths.prefix, name), line, header, cache ?? undefined);
  });
  return OK;
}

function rootExists(r: Request): boolean {
  const root = documentRoot(r);
  try {
    if (statSync(fsPath(root)).isDirectory()) return true;
    r.log('error', `testing "${root}" existence failed (20: Not a directory)`);
  } catch (error) {
    r.log('error', `testing "${root}" existence failed (${systemError(error)})`);
  }
  return false;
}

export const accessLogModule = defineModule(
  'access_log',
  {
    log_format: custom<undefined>(HTTP, [2, ANY_COUNT], undefined, parseFormat, { repeats: true }),
    access_log: custom<LogTarget[] | 'off' | null>(
      HSL | LOCATION_IF | LIMIT_EXCEPT,
      [1, ANY_COUNT],
      null,
      (f: HttpFrame, previous) => parseAccessLog(f, previous),
      {
        repeats: true,
        defaultText: 'logs/access.log combined',
      },
    ),
    open_log_file_cache: custom<LogCache | null>(HSL, [1, 4], null, parseLogCache, { defaultText: 'off' }),
  },
  {
    init(main) {
      main.phases.log.push(logRequest);
    },
    finish(conf, loc) {
      if (loc.kind !== 'server' || conf.access_log !== null) return;
      // A server without access_log at any level writes the combined format to logs/access.log.
      const name = path.join(present(reading.main).paths.prefix, 'logs/access.log');
      conf.access_log = [{ format: present(reading.combined), file: fileOf(present(reading.main), name) }];
    },
  },
);

/** The configuration being read. */
const reading: { main: HttpMain | null; combined: LogFormat | null } = { main: null, combined: null };

/** Registers the predefined format; called before directives are read. */
export function registerCombined(main: HttpMain): void {
  const combined = compileFormat('combined', COMBINED, 'default', (name) => main.variables.lookup(name));
  main.registry.set('log_format:combined', combined);
  reading.main = main;
  reading.combined = combined;
}
