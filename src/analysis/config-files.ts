import type { HunspellSource } from './hunspell/dictionary.ts';

/** Reads files that definitions name (`stopwords_path`...). The host implements it over its configuration directory; browsers have none. */
export interface ConfigFiles {
  /** Text of a file below the configuration directory. @throws ApiError: it lies outside. @throws Error: it cannot be read, is no UTF-8 */
  read(path: string): string;
  /**
   * The Hunspell dictionary of a locale; null: there is none. Absent: there are none at all.
   * @param names  the .dic files to take, as their names with or without the ending; none: all of them
   * @throws Error: it cannot be read
   */
  hunspell?(locale: string, names: readonly string[]): HunspellSource | null;
}

/** Files by their path below the configuration directory: `synonyms.txt`, `hunspell/de_DE/de_DE.aff`. */
export type FileTexts = Readonly<Record<string, string>>;

/** Files that are strings instead of a directory. */
export function filesOfTexts(texts: FileTexts): ConfigFiles {
  return {
    read(path) {
      if (!Object.hasOwn(texts, path)) throw new Error(`no file [${path}]`);
      return texts[path];
    },
    hunspell(locale, names) {
      const inFolder = (ending: string): string[] =>
        Object.keys(texts)
          .filter((path) => path.startsWith(`hunspell/${locale}/`) && path.endsWith(ending))
          .sort();
      const wanted = names.map((name) => `hunspell/${locale}/${name.endsWith('.dic') ? name : `${name}.dic`}`);
      const [affix] = inFolder('.aff');
      const dictionaries = wanted.length ? wanted.filter((path) => Object.hasOwn(texts, path)) : inFolder('.dic');
      if (affix === undefined || !dictionaries.length || dictionaries.length < wanted.length) return null;
      return { affix: texts[affix], dictionaries: dictionaries.map((path) => texts[path]) };
    },
  };
}
