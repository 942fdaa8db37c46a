import { loadSettings } from '../config/load-settings.ts';
import type { Settings } from '../config/settings.ts';
import { parseArguments, UsageError } from './arguments.ts';

/** Settings of `gannet serve` from its flags, the environment and the file. @throws UsageError, SettingError */
export function serveSettings(argv: readonly string[]): Settings {
  const { flags, positionals } = parseArguments(argv);
  if (positionals.length > 0) throw new UsageError(`serve takes no [${positionals[0]}]`);
  const { config, ...settings } = flags;
  if (config === true) throw new UsageError('flag [--config] needs a file');
  return loadSettings({ flags: settings, environment: process.env, file: config });
}
