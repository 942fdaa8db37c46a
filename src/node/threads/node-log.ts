// Opens the error log of a thread: `gannet.log` in path.logs, or stderr.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { LogFile, STDERR_SINK } from '../../common/log/log-file.ts';
import { Logger } from '../../common/log/logger.ts';
import type { Settings } from '../../config/settings.ts';

/** @throws Error the file cannot be opened */
export function openLogger(settings: Settings, thread: string): Logger {
  const folder = settings['path.logs'];
  if (folder !== '') mkdirSync(folder, { recursive: true });
  return new Logger(settings['log.level'], folder === '' ? STDERR_SINK : new LogFile(path.join(folder, 'gannet.log')), thread);
}
