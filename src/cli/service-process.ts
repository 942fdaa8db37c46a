// Entry of the service process: `gannet serve` without its parent. Arguments are those of the command; when the parent dies, it stops.
import { SettingError } from '../config/load-settings.ts';
import { openLogger } from '../node/node-log.ts';
import { startService } from '../node/service.ts';
import { EXIT_FATAL_START } from '../node/supervisor.ts';
import { UsageError } from './arguments.ts';
import { serveSettings } from './serve-settings.ts';

async function run(): Promise<void> {
  const settings = serveSettings(process.argv.slice(2));
  const log = openLogger(settings, 'main');
  const service = await startService({ settings, onLog: (level, message) => log[level](message), reopenLogs: () => log.reopen() });
  process.on('disconnect', () => service.stop());
  log.info(`listening on http://${settings['http.host']}:${service.port}`);
}

run().catch((error) => {
  const isUsage = error instanceof UsageError || error instanceof SettingError;
  process.stderr.write(`gannet: ${(error as Error).message}\n${error instanceof UsageError ? 'Try `gannet --help`.\n' : ''}`);
  process.exit(isUsage ? 2 : EXIT_FATAL_START);
});
