// Loads the settings from, in rising order of precedence: defaults, the YAML file (nested or dotted keys), the environment, flags.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseDocument } from 'yaml';
import { nearestNames } from '../common/text/nearest-name.ts';
import { dialectOf, type Flavor } from '../compat/dialect.ts';
import { GROUP_SETTINGS, MAP_SETTINGS, PATH_SETTINGS, SETTINGS, type SettingName, type Settings } from './settings.ts';

/** An invalid setting, with its source (file, environment, flag), key and reason. Stops the start. */
export class SettingError extends Error {
  readonly source: string;
  readonly key: string;

  constructor(source: string, key: string, reason: string) {
    super(`${source}: ${key}: ${reason}`);
    this.name = 'SettingError';
    this.source = source;
    this.key = key;
  }
}

export interface SettingSources {
  /** Flags by name without the dashes, for example `{ 'http.port': '9201' }`. */
  readonly flags?: Readonly<Record<string, unknown>>;
  /** `process.env`: `http.port` or `GANNET_HTTP_PORT`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The YAML file; by default `gannet.yml` in `path.config`, if it exists; null for no file. */
  readonly file?: string | null;
}

/** @throws SettingError an unknown name (with the nearest known one), an invalid value, an unreadable file */
export function loadSettings(sources: SettingSources = {}): Settings {
  const values: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(SETTINGS)) values[name] = spec.fallback;
  const take = (source: string, entries: Iterable<[string, unknown]>): void => {
    for (const [name, value] of entries) {
      const group = GROUP_SETTINGS.find((prefix) => name === prefix || name.startsWith(`${prefix}.`));
      if (group === undefined) values[name] = parseSetting(source, name, value);
      else values[group] = { ...(values[group] as object), ...groupPart(source, group, name, value) };
    }
  };

  const flags = Object.entries(sources.flags ?? {});
  const environment = environmentSettings(sources.environment ?? {});
  take('flag', flags);
  const file = settingsFile(sources);
  if (file !== null) take(file, readSettingsFile(file));
  take('environment', environment);
  take('flag', flags);

  for (const name of PATH_SETTINGS) {
    const value = values[name];
    if (Array.isArray(value)) values[name] = value.map((item) => path.resolve(String(item)));
    else if (value !== '') values[name] = path.resolve(String(value));
  }
  checkDialect(values['compat.flavor'] as Flavor, values['compat.version'] as string);
  // Every name of SETTINGS has its default or a parsed value, both of the type of the setting.
  return values as Settings;
}

/** The configuration file that `loadSettings` reads, null if there is none. A file that is named need not exist. */
export function settingsFile(sources: SettingSources): string | null {
  if (sources.file !== undefined) return sources.file;
  const environment = environmentSettings(sources.environment ?? {});
  const folder =
    sources.flags?.['path.config'] ?? environment.find(([name]) => name === 'path.config')?.[1] ?? SETTINGS['path.config'].fallback;
  const file = path.join(String(folder), 'gannet.yml');
  return existsSync(file) ? file : null;
}

function checkDialect(flavor: Flavor, version: string): void {
  try {
    dialectOf(flavor, version);
  } catch (error) {
    throw new SettingError('settings', 'compat.version', (error as Error).message);
  }
}

/** The entries that a setting adds to its group: a whole map, or one entry. */
function groupPart(source: string, group: SettingName, name: string, value: unknown): object {
  return parseSetting(source, group, name === group ? value : { [name.slice(group.length + 1)]: value }) as object;
}

function parseSetting(source: string, name: string, value: unknown): unknown {
  const spec = Object.hasOwn(SETTINGS, name) ? SETTINGS[name as SettingName] : null;
  if (!spec) {
    const near = nearestNames(name, Object.keys(SETTINGS))[0];
    throw new SettingError(source, name, `unknown setting${near ? `, did you mean [${near}]?` : ''}`);
  }
  try {
    return spec.parse(value);
  } catch (error) {
    throw new SettingError(source, name, (error as Error).message);
  }
}

/**
 * Settings named `http.port` or `GANNET_HTTP_PORT` (dots and dashes become underscores) in the environment. Those of OpenTelemetry have the
 * names of its own variables, too: `OTEL_SERVICE_NAME`.
 */
function environmentSettings(environment: Readonly<Record<string, string | undefined>>): Array<[string, unknown]> {
  const found: Array<[string, unknown]> = [];
  for (const name of Object.keys(SETTINGS)) {
    const capitals = name.replaceAll(/[.-]/g, '_').toUpperCase();
    const shared = name.startsWith('otel.') ? environment[capitals] : undefined;
    // A one-word name such as `threads` may be another program's variable, so only its capital form counts.
    const value = environment[`GANNET_${capitals}`] ?? shared ?? (name.includes('.') ? environment[name] : undefined);
    if (value !== undefined) found.push([name, value]);
  }
  return found;
}

/** The entries of a YAML file with dotted names. */
function readSettingsFile(file: string): Array<[string, unknown]> {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    throw new SettingError(file, 'file', (error as NodeJS.ErrnoException).code ?? String(error));
  }
  const document = parseDocument(content, { uniqueKeys: true });
  const problem = document.errors[0];
  if (problem) throw new SettingError(file, `line ${problem.linePos?.[0].line ?? '?'}`, problem.message.split('\n')[0]);
  const root: unknown = document.toJS({ maxAliasCount: 20 });
  if (root === null) return [];
  if (typeof root !== 'object' || Array.isArray(root)) throw new SettingError(file, 'file', 'must contain a map of settings');
  const entries: Array<[string, unknown]> = [];
  flatten('', root as Record<string, unknown>, entries);
  return entries;
}

function flatten(prefix: string, node: Readonly<Record<string, unknown>>, entries: Array<[string, unknown]>): void {
  for (const [key, value] of Object.entries(node)) {
    const name = prefix + key;
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value) && !MAP_SETTINGS.includes(name);
    if (isMap) flatten(`${name}.`, value as Record<string, unknown>, entries);
    else entries.push([name, value]);
  }
}
