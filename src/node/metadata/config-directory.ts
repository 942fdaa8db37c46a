// Files of the configuration directory that analysis components refer to: word lists, synonyms, and Hunspell dictionaries in `hunspell/LOCALE/`.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { ConfigFiles } from '../../analysis/config-files.ts';
import type { HunspellSource } from '../../analysis/hunspell/dictionary.ts';
import type { HunspellFlags } from '../../config/settings.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';

/** Largest file of a dictionary. */
const MAX_DICTIONARY_BYTES = 64 << 20;

const directories = new Map<string, ConfigFiles>();

/**
 * The files of a directory. Cached per directory and flags in each thread, so that dictionaries are read once.
 * @param flags  node settings `indices.analysis.hunspell.dictionary.*`
 */
export function configFiles(configPath: string, flags: HunspellFlags = {}): ConfigFiles {
  const key = JSON.stringify([configPath, flags]);
  let files = directories.get(key);
  if (!files) {
    files = {
      read: (file) => readConfigFile(configPath, file),
      hunspell: (locale, names) => readHunspell(path.join(configPath, 'hunspell'), locale, names, flags),
    };
    directories.set(key, files);
  }
  return files;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws ApiError illegal_argument_exception: the path leads outside the directory. @throws Error the file cannot be read or is not UTF-8 */
function readConfigFile(configPath: string, file: string): string {
  const absolute = path.resolve(configPath, file);
  if (!absolute.startsWith(path.resolve(configPath) + path.sep))
    throw illegalArgumentError(`Resource path must be inside config directory: ${file}`);
  return utf8.decode(readFileSync(absolute));
}

/**
 * The affix file and the dictionaries of a locale. `ignore_case` comes from the node's setting for the locale, otherwise from `settings.yml` or
 * `settings.json` next to the dictionaries, otherwise from the node's setting for all locales.
 * @param names  .dic files, with or without the extension; empty for all, sorted by name
 * @throws ApiError exception: not exactly one affix file, no dictionary, a file too large
 */
function readHunspell(root: string, locale: string, names: readonly string[], flags: HunspellFlags): HunspellSource | null {
  const directory = path.join(root, locale);
  if (!/^\w[\w.@-]*$/.test(locale) || !existsSync(directory)) return null;
  const files = readdirSync(directory).sort();
  const affixes = files.filter((file) => file.endsWith('.aff'));
  if (!affixes.length) throw dictionaryError(`Missing affix file for hunspell dictionary [${locale}]`);
  if (affixes.length > 1) throw dictionaryError(`Too many affix files exist for hunspell dictionary [${locale}]`);
  const present = files.filter((file) => file.endsWith('.dic'));
  const wanted = names.length ? names.map((name) => (name.endsWith('.dic') ? name : `${name}.dic`)) : present;
  if (!wanted.length) throw dictionaryError(`Missing dictionary file for hunspell dictionary [${locale}]`);
  const missing = wanted.find((name) => !present.includes(name));
  if (missing !== undefined) throw dictionaryError(`Could not find dictionary file [${missing}] of hunspell dictionary [${locale}]`);
  const read = (name: string): Uint8Array => {
    const file = path.join(directory, name);
    if (statSync(file).size > MAX_DICTIONARY_BYTES)
      throw dictionaryError(`[${name}] of hunspell dictionary [${locale}] is larger than 64mb`);
    return readFileSync(file);
  };
  // The YAML parser reads JSON, too.
  const own = ['settings.yml', 'settings.json'].find((file) => files.includes(file));
  const settings = own === undefined ? {} : (parse(readFileSync(path.join(directory, own), 'utf8')) ?? {});
  const ignoreCase = flags[`${locale}.ignore_case`] ?? settings.ignore_case ?? flags.ignore_case;
  return { affix: read(affixes[0]), dictionaries: wanted.map(read), ignoreCase: String(ignoreCase) === 'true' };
}

function dictionaryError(reason: string): ApiError {
  return new ApiError('exception', 500, reason);
}
