/** Reads files that definitions name (`stopwords_path`...). The host implements it over its configuration directory; browsers have none. */
export interface ConfigFiles {
  /** Text of a file below the configuration directory. @throws Error: it cannot be read or lies outside */
  read(path: string): string;
}
