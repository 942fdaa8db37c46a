// access_log and log_format of sessions.
import path from 'node:path';
import { ANY_COUNT, custom, HS, HTTP } from '../../config/directive.ts';
import type { BlockFrame } from '../../http/config/module.ts';
import { parseFormat } from '../../http/modules/monitoring/log-format.ts';
import { type LogTarget, parseAccessLog, writeLogs } from '../../http/modules/monitoring/log-targets.ts';
import { type LogCache, parseLogCache, writeScripted } from '../../http/modules/monitoring/scripted-logs.ts';
import { defineStreamModule, type StreamSession } from '../model.ts';

function logSession(s: StreamSession): void {
  const { access_log: targets, open_log_file_cache: cache } = streamLog.conf(s.loc);
  if (targets === 'off') return;
  writeLogs(s, targets, (name, line, header) => {
    if (name !== '') writeScripted(s, path.resolve(s.stream.paths.prefix, name), line, header, cache ?? undefined);
  });
}

const table = {
  log_format: custom<undefined>(HTTP, [2, ANY_COUNT], undefined, parseFormat, { repeats: true }),
  access_log: custom<LogTarget[] | 'off'>(HS, [1, ANY_COUNT], 'off', (f: BlockFrame, previous) => parseAccessLog(f, previous, null), {
    repeats: true,
    defaultText: 'off',
  }),
  open_log_file_cache: custom<LogCache | null>(HS, [1, 4], null, parseLogCache, { defaultText: 'off' }),
};

export const streamLog = defineStreamModule('stream_log', table, {
  init(main) {
    main.log.push(logSession);
  },
});
