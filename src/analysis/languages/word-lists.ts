// Word lists in parameters: given directly, by the name of a predefined list (`_english_`), or in a file.
import { javaTrim } from '../../common/text/java-text.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { BuildContext } from '../component.ts';
import { namedStopList } from './stop-words.ts';

/** A rule and the line number for errors, which counts comments but not the empty lines of files. */
export interface RuleLine {
  readonly text: string;
  readonly number: number;
}

/** Rules from the list parameter `key` or the file named by `${key}_path`, without comments; null if both are missing. */
export function ruleLines(context: BuildContext, key: string): RuleLine[] | null {
  const path = context.settings.get(`${key}_path`);
  if (path !== undefined && context.settings.has(key)) context.warn(`[${context.name}] ignores [${key}] because [${key}_path] is given`);
  const lines = path === undefined ? context.settings.list(key) : fileLines(context, path, `${key}_path`);
  return lines?.map((text, i) => ({ text, number: i + 1 })).filter(({ text }) => !isComment(text)) ?? null;
}

/** Words from the list parameter `key` or its file, without comments; null if both are missing. */
export function wordList(context: BuildContext, key: string): string[] | null {
  return ruleLines(context, key)?.map(({ text }) => text) ?? null;
}

/** `# => number` is a rule for the sign itself. */
function isComment(line: string): boolean {
  return line.startsWith('#') && !/^#\s*=>/.test(line);
}

function fileLines(context: BuildContext, path: string, pathKey: string): string[] {
  return readText(context, path, pathKey)
    .split(/\r\n|\n|\r/)
    .map(javaTrim)
    .filter((line) => line !== '');
}

/** @throws ApiError illegal_argument_exception: the file cannot be read, is not UTF-8, or is outside the configuration directory */
export function readText(context: BuildContext, path: string, pathKey: string): string {
  try {
    if (!context.files) throw new Error('no configuration directory');
    return context.files.read(path);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const isEncoding = (error as { code?: string }).code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
    throw illegalArgumentError(
      isEncoding
        ? `Unsupported character encoding detected while reading ${pathKey}: files must be UTF-8 encoded`
        : `IOException while reading ${pathKey}: file not readable`,
    );
  }
}

/** A list of words, and whether it ignores their case. */
export interface WordSet {
  readonly words: readonly string[];
  readonly ignoreCase: boolean;
}

export const NO_WORDS: WordSet = { words: [], ignoreCase: false };

/** Words from the list parameter `key` or its file; `${key}_case` ignores their case. Null if both are missing. */
export function wordSet(context: BuildContext, key: string): WordSet | null {
  const words = wordList(context, key);
  return words && { words, ignoreCase: context.settings.bool(`${key}_case`, false) };
}

/**
 * Words from the list parameter `key`, or else from its file. A name such as `_german_` stands for a predefined list, `_none_` alone for an empty
 * one; an unknown name is used as a word.
 */
export function stopWords(context: BuildContext, fallback: readonly string[], key = 'stopwords'): readonly string[] {
  const value = context.settings.get(key);
  const path = context.settings.get(`${key}_path`);
  if (value === undefined && path === undefined) return fallback;
  if (value !== undefined && path !== undefined) context.warn(`[${context.name}] ignores [${key}_path] because [${key}] is given`);
  if (value === '_none_') return [];
  const list =
    value === undefined && path !== undefined
      ? fileLines(context, path, `${key}_path`).filter((line) => !isComment(line))
      : (context.settings.list(key) ?? []);
  return list.flatMap((word) => {
    const named = /^_(.+)_$/.exec(word);
    if (!named) return [word];
    const words = namedStopList(named[1]);
    if (!words) context.warn(`[${context.name}] knows no list [${word}] and uses it as a word`);
    return words ?? [word];
  });
}

/** Stop words of an analyzer; `stopwords_case` ignores their case. */
export function analyzerStopWords(context: BuildContext, fallback: readonly string[]): WordSet {
  return { words: stopWords(context, fallback), ignoreCase: context.settings.bool('stopwords_case', false) };
}

/** @throws ApiError illegal_argument_exception: a parameter that only old versions had */
export function refuseOld({ settings }: BuildContext, key: string): void {
  if (settings.has(key)) throw illegalArgumentError(`${key} is not supported anymore. Please fix your analysis chain`);
}

/** Java's RuntimeException, which the service reports with status 500. */
export function runtimeError(reason: string): ApiError {
  return new ApiError('runtime_exception', 500, reason);
}

/** Adds the line number to errors in a line of a list. */
export function atLine<T>(number: number, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ApiError) throw runtimeError(`Line [${number}]: ${error.reason}`);
    throw error;
  }
}

/** Parses hexadecimal digits like Java's Integer.parseInt, to a UTF-16 unit. @throws ApiError number_format_exception */
export function hexNumber(digits: string): number {
  if (/^[+-]?[0-9a-fA-F]+$/.test(digits)) return Number.parseInt(digits, 16) & 0xffff;
  throw new ApiError('number_format_exception', 400, `For input string: "${digits}" under radix 16`);
}

/** Lower case by Java's Character.toLowerCase: one code point to one. */
export function lowerCodePoints(text: string): string {
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  let out = '';
  for (const char of text) {
    const lower = char.toLowerCase();
    out += char === '\u0130' ? 'i' : lower.length === char.length || [...lower].length === 1 ? lower : char;
  }
  return out;
}
