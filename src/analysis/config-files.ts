import type { HunspellSource } from './hunspell/dictionary.ts';

/** Reads files that definitions name (`stopwords_path`...). The host implements it over its configuration directory; browsers have none. */
export interface ConfigFiles {
  /** Text of a file below the configuration directory. @throws Error: it cannot be read or lies outside */
  read(path: string): string;
  /**
   * The Hunspell dictionary of a locale; null: there is none. Absent: there are none at all.
   * @param names  the .dic files to take, as their names with or without the ending; none: all of them
   * @throws Error: it cannot be read
   */
  hunspell?(locale: string, names: readonly string[]): HunspellSource | null;
}
