// Lists of words in parameters: given directly, by the name of a predefined list (`_english_`), or in a file.
import { ApiError } from '../errors/api-error.ts';
import { illegalArgument } from '../errors/catalog.ts';
import type { BuildContext } from './component.ts';
import { namedStopList } from './languages/stop-words.ts';

/**
 * Words of the list parameter `key` or of the file that `${key}_path` names; null if neither is there.
 * @param pathKey name of the parameter that names a file
 */
export function wordList(context: BuildContext, key: string, pathKey = `${key}_path`): string[] | null {
  const path = context.settings.get(pathKey);
  if (path !== undefined) {
    if (context.settings.has(key)) context.warn(`[${context.name}] ignores [${key}] because [${pathKey}] is given`);
    return readLines(context, path, pathKey);
  }
  return context.settings.list(key) ?? null;
}

/** Lines of a file, without comments and empty ones. @throws ApiError illegal_argument_exception: it cannot be read */
export function readLines(context: BuildContext, path: string, pathKey: string, comments = true): string[] {
  return readText(context, path, pathKey)
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !(comments && line.startsWith('#')));
}

export function readText(context: BuildContext, path: string, pathKey: string): string {
  try {
    if (!context.files) throw new Error('no configuration directory');
    return context.files.read(path);
  } catch {
    throw illegalArgument(`IOException while reading ${pathKey}: file not readable`);
  }
}

/** Stop words: names such as `_german_` stand for lists, `_none_` for nothing; an unknown name is taken as a word. */
export function stopWords(context: BuildContext, fallback: readonly string[], key = 'stopwords'): readonly string[] {
  const path = context.settings.get(`${key}_path`);
  if (path !== undefined) return readLines(context, path, `${key}_path`);
  if (context.settings.get(key) === '_none_') return [];
  const list = context.settings.list(key);
  if (!list) return fallback;
  return list.flatMap((word) => {
    const named = /^_(.+)_$/.exec(word);
    if (!named) return [word];
    if (named[1] === 'none') return [];
    const words = namedStopList(named[1]);
    if (!words) context.warn(`[${context.name}] knows no list [${word}] and takes it as a word`);
    return words ?? [word];
  });
}

/** Java's RuntimeException, which the service answers as a 500. */
export function runtimeError(reason: string): ApiError {
  return new ApiError('runtime_exception', 500, reason);
}

/** Lower case as Java's Character.toLowerCase does it: one code point to one. */
export function lowerCodePoints(text: string): string {
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  let out = '';
  for (const char of text) {
    const lower = char.toLowerCase();
    out += char === '\u0130' ? 'i' : lower.length === char.length || [...lower].length === 1 ? lower : char;
  }
  return out;
}
