// Folders of the configuration directory that ingest processors read.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { ConfigFolders } from '../../common/config-folder.ts';

/** Names without a path; anything else is treated as absent. */
const FILE_NAME = /^[\w-][\w.-]*$/;

export function configFolders(configPath: string): ConfigFolders {
  return (folder) => {
    const absolute = (name: string): string => path.join(configPath, folder, name);
    const stamp = (name: string): string | null => {
      const found = FILE_NAME.test(name) ? statSync(absolute(name), { throwIfNoEntry: false }) : undefined;
      return found?.isFile() ? `${found.mtimeMs}/${found.size}` : null;
    };
    return {
      stamp,
      read: (name) => (stamp(name) === null ? null : readFileSync(absolute(name))),
      list() {
        try {
          return readdirSync(path.join(configPath, folder))
            .filter((name) => stamp(name) !== null)
            .sort();
        } catch {
          return [];
        }
      },
    };
  };
}
