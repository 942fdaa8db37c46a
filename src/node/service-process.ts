// Entry of the service process: settings come from the parent; its death ends this process gracefully.
import type { Settings } from '../config/settings.ts';
import { openLogger } from './node-log.ts';
import { startService } from './service.ts';
import { EXIT_FATAL_START } from './supervisor.ts';

process.once('message', async ({ settings }: { settings: Settings }) => {
  try {
    const log = openLogger(settings, 'main');
    const service = await startService({ settings, onLog: (level, message) => log[level](message), reopenLogs: () => log.reopen() });
    process.on('disconnect', () => service.stop());
    log.info(`listening on http://${settings['http.host']}:${service.port}`);
  } catch (error) {
    process.stderr.write(`gannet: ${(error as Error).message}\n`);
    process.exit(EXIT_FATAL_START);
  }
});
