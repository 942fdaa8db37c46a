// The service process. Arguments are those of `gannet serve`; when the parent dies, it stops.
import type { Worker } from 'node:worker_threads';
import { SettingError } from '../config/load-settings.ts';
import { openLogger } from '../node/node-log.ts';
import { startService } from '../node/service.ts';
import { useForIndexer } from '../node/start-thread.ts';
import { UsageError } from './arguments.ts';
import { serveSettings } from './serve-settings.ts';

/** Exit codes that bin/gannet knows: a new start would fail the same way. */
const EXIT_BAD_CALL = 2;
const EXIT_FATAL_START = 78;
const PARENT_CHECK_MS = 1000;

async function run(): Promise<void> {
  const settings = serveSettings(process.argv.slice(2));
  const log = openLogger(settings, 'main');
  const service = await startService({ settings, onLog: (level, message) => log[level](message), reopenLogs: () => log.reopen() });
  watchParent(() => service.stop());
  log.info(`listening on http://${settings['http.host']}:${service.port}`);
}

/**
 * Ends the process with a message when it cannot start.
 * @param indexerThread waits for its part, if it was started already
 */
export async function runService(indexerThread: Worker | null): Promise<void> {
  if (indexerThread !== null) useForIndexer(indexerThread);
  try {
    await run();
  } catch (error) {
    const isUsage = error instanceof UsageError || error instanceof SettingError;
    process.stderr.write(`gannet: ${(error as Error).message}\n${error instanceof UsageError ? 'Try `gannet --help`.\n' : ''}`);
    process.exit(isUsage ? EXIT_BAD_CALL : EXIT_FATAL_START);
  }
}

/** Calls `onGone` when the process that bin/gannet names as parent has ended, however it did. */
function watchParent(onGone: () => void): void {
  const parent = Number(process.env._GANNET_PARENT);
  if (!parent) return;
  const timer = setInterval(() => {
    try {
      process.kill(parent, 0);
    } catch {
      clearInterval(timer);
      onGone();
    }
  }, PARENT_CHECK_MS);
  timer.unref();
}
