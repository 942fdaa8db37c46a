// `gannet serve`: settings from file, environment and flags, then the parent process that keeps the service running.
import { loadSettings } from '../config/load-settings.ts';
import { supervise } from '../node/supervisor.ts';
import { parseArguments, UsageError } from './arguments.ts';

export async function serve(argv: string[]): Promise<number> {
  const { flags, positionals } = parseArguments(argv);
  if (positionals.length > 0) throw new UsageError(`serve takes no [${positionals[0]}]`);
  const { config, ...settings } = flags;
  if (config === true) throw new UsageError('flag [--config] needs a file');
  return supervise(loadSettings({ flags: settings, environment: process.env, file: config }));
}
