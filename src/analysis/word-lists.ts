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

/** A list of words, and whether it ignores their case. */
export interface WordSet {
  readonly words: readonly string[];
  readonly ignoreCase: boolean;
}

/** The list parameter `key` or its file, with the case as `${key}_case` says; null if neither is there. */
export function wordSet(context: BuildContext, key: string): WordSet | null {
  const words = wordList(context, key);
  return words && { words, ignoreCase: context.settings.bool(`${key}_case`, false) };
}

/**
 * Words of the list parameter `key`, or else of its file: names such as `_german_` stand for lists, `_none_` alone for nothing; an unknown name
 * is taken as a word.
 */
export function stopWords(context: BuildContext, fallback: readonly string[], key = 'stopwords'): readonly string[] {
  const value = context.settings.get(key);
  const path = context.settings.get(`${key}_path`);
  if (value === undefined && path === undefined) return fallback;
  if (value !== undefined && path !== undefined) context.warn(`[${context.name}] ignores [${key}_path] because [${key}] is given`);
  if (value === '_none_') return [];
  const list = value === undefined ? readLines(context, path!, `${key}_path`) : (context.settings.list(key) ?? []);
  return list.flatMap((word) => {
    const named = /^_(.+)_$/.exec(word);
    if (!named) return [word];
    const words = namedStopList(named[1]);
    if (!words) context.warn(`[${context.name}] knows no list [${word}] and takes it as a word`);
    return words ?? [word];
  });
}

/** Stop words of an analyzer: `stopwords_case` says whether they ignore the case. */
export function analyzerStopWords(context: BuildContext, fallback: readonly string[]): WordSet {
  return { words: stopWords(context, fallback), ignoreCase: context.settings.bool('stopwords_case', false) };
}

/** @throws ApiError illegal_argument_exception: a parameter of versions long ago */
export function refuseOld({ settings }: BuildContext, key: string): void {
  if (settings.has(key)) throw illegalArgument(`${key} is not supported anymore. Please fix your analysis chain`);
}

/** Java's RuntimeException, which the service answers as a 500. */
export function runtimeError(reason: string): ApiError {
  return new ApiError('runtime_exception', 500, reason);
}

/** What is wrong with the line at `index` of a list names that line. */
export function lineOf<T>(index: number, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ApiError) throw runtimeError(`Line [${index + 1}]: ${error.reason}`);
    throw error;
  }
}

/** Java's Integer.parseInt of hexadecimal digits, as a UTF-16 unit. @throws ApiError number_format_exception */
export function hexNumber(digits: string): number {
  if (/^[+-]?[0-9a-fA-F]+$/.test(digits)) return Number.parseInt(digits, 16) & 0xffff;
  throw new ApiError('number_format_exception', 400, `For input string: "${digits}" under radix 16`);
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
