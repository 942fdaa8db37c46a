// Settings of `gannet serve`: from its flags, the environment and the configuration file.
import { loadSettings, type SettingSources } from '../../config/load-settings.ts';
import type { Settings } from '../../config/settings.ts';
import { parseArguments, UsageError } from '../arguments.ts';

/** @throws UsageError, SettingError */
export function serveSettings(argv: readonly string[]): Settings {
  return loadSettings(settingSources(argv));
}

/** Where `gannet serve` finds its settings. @throws UsageError */
export function settingSources(argv: readonly string[]): SettingSources {
  const { flags, positionals } = parseArguments(argv);
  if (positionals.length > 0) throw new UsageError(`unexpected argument [${positionals[0]}]: serve has flags only`);
  const { config, ...settings } = flags;
  if (config === true) throw new UsageError('flag [--config] needs a file');
  return { flags: settings, environment: process.env, file: config };
}
