// Settings of `gannet serve`: from its flags, the environment and the configuration file.
import { loadSettings } from '../config/load-settings.ts';
import type { Settings } from '../config/settings.ts';
import { parseArguments, UsageError } from './arguments.ts';

/** @throws UsageError, SettingError */
export function serveSettings(argv: readonly string[]): Settings {
  const { flags, positionals } = parseArguments(argv);
  if (positionals.length > 0) throw new UsageError(`unexpected argument [${positionals[0]}]: serve has flags only`);
  const { config, ...settings } = flags;
  if (config === true) throw new UsageError('flag [--config] needs a file');
  return loadSettings({ flags: settings, environment: process.env, file: config });
}
