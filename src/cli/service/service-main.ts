// Main thread of the service process: arguments are those of `gannet serve`. The service stops when its parent process dies.
import type { Worker } from 'node:worker_threads';
import { loadSettings, SettingError, settingsFile } from '../../config/load-settings.ts';
import { exposedFiles } from '../../node/exposure.ts';
import { startService } from '../../node/service.ts';
import { openLogger } from '../../node/threads/node-log.ts';
import { useForIndexer } from '../../node/threads/start-thread.ts';
import { UsageError } from '../arguments.ts';
import { settingSources } from './serve-settings.ts';

/** Exit codes after which bin/gannet does not start the service again, because it would fail the same way. */
const EXIT_BAD_CALL = 2;
const EXIT_FATAL_START = 78;
const PARENT_CHECK_MS = 1000;
/** nginx uses HTTP/1.0 for its back ends by default, which uWebSockets answers with 505. */
const HTTP_1_1_ONLY =
  'uWebSockets accepts HTTP/1.1 only: behind nginx set `proxy_http_version 1.1; proxy_set_header Connection "";` there, or `http.listener: net` here';

async function run(): Promise<void> {
  const sources = settingSources(process.argv.slice(2));
  const settings = loadSettings(sources);
  const log = openLogger(settings, 'main');
  for (const warning of exposedFiles(settings, settingsFile(sources))) log.warn(warning);
  const service = await startService({
    settings,
    onLog: (level, message) => log[level](message),
    reopenLogs: () => log.reopen(),
    reread: () => loadSettings(sources),
  });
  watchParent(() => service.stop());
  log.info(`listening on ${service.address} by ${service.usesUws ? 'uWebSockets' : 'node:net'}`);
  if (service.usesUws) log.info(HTTP_1_1_ONLY);
}

/**
 * Starts the service; if that fails, prints the reason and exits.
 * @param indexerThread thread for the first indexer that was started in advance, null if none was
 */
export async function runService(indexerThread: Worker | null): Promise<void> {
  if (indexerThread !== null) useForIndexer(indexerThread);
  try {
    await run();
  } catch (error) {
    const isUsage = error instanceof UsageError || error instanceof SettingError;
    process.stderr.write(
      `gannet: ${error instanceof Error ? error.message : error}\n${error instanceof UsageError ? 'Try `gannet serve --help`.\n' : ''}`,
    );
    process.exit(isUsage ? EXIT_BAD_CALL : EXIT_FATAL_START);
  }
}

/** Calls `onGone` once the process that bin/gannet names as the parent no longer exists. */
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
