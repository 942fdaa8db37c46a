import type { HunspellSource } from './hunspell/dictionary.ts';

/** Reads the files that definitions name (`stopwords_path`...). The service reads them from its configuration directory; browsers have none. */
export interface ConfigFiles {
  /** Content of a file in the configuration directory. @throws ApiError: it is outside. @throws Error: it cannot be read or is not UTF-8 */
  read(path: string): string;
  /**
   * The Hunspell dictionary of a locale, null if there is none. Absent if dictionaries are not supported.
   * @param names the .dic files to use, with or without the extension; an empty list means all
   * @throws Error: it cannot be read
   */
  hunspell?(locale: string, names: readonly string[]): HunspellSource | null;
}

/** Files by their path below the configuration directory: `synonyms.txt`, `hunspell/de_DE/de_DE.aff`. */
export type FileTexts = Readonly<Record<string, string>>;

/** Files that are given as strings instead of a directory. */
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
