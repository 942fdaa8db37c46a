// The files of the configuration directory that processors read: databases of addresses and rules of user agents, which the operator provides.

/** A folder of the configuration directory, for example `ingest-geoip`. */
export interface ConfigFolder {
  /** Content of a file; null if it does not exist. */
  read(name: string): Uint8Array | null;
  /** Changes with the file; null if it does not exist. */
  stamp(name: string): string | null;
  /** Names of the files, sorted. */
  list(): string[];
}

/** Opens a folder of the configuration directory, which need not exist. */
export type ConfigFolders = (folder: string) => ConfigFolder;

/** Where there is no configuration directory. */
export const NO_FOLDERS: ConfigFolders = () => ({ read: () => null, stamp: () => null, list: () => [] });
