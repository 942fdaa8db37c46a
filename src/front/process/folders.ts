// Folders and logs of the workers: created while the process still has the privileges, and given to the user of the workers.
import { chownSync, mkdirSync, readFileSync, statSync } from 'node:fs';

/** Id of a user, by name or number; null if unknown. */
function userId(name: string): number | null {
  if (/^\d+$/.test(name)) return Number(name);
  try {
    const line = readFileSync('/etc/passwd', 'latin1')
      .split('\n')
      .find((entry) => entry.startsWith(`${name}:`));
    return line === undefined ? null : Number(line.split(':')[2]);
  } catch {
    return null;
  }
}

/**
 * @param owner  user of the workers; null for the current one
 * @param fail  called with errors in nginx's words
 */
export function makeFolders(folders: Iterable<string>, owner: string | null, fail: (message: string) => void): void {
  const uid = owner === null ? null : userId(owner);
  for (const folder of folders) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (uid !== null) give(folder, uid);
    } catch (error) {
      fail(`making "${folder}" failed: ${(error as Error).message}`);
    }
  }
}

/** Gives files to the workers' user, who will reopen them. */
export function giveFiles(files: Iterable<string>, owner: string, fail: (message: string) => void): void {
  const uid = userId(owner);
  if (uid === null) return;
  for (const file of files) {
    try {
      give(file, uid);
    } catch (error) {
      fail(`chown() "${file}" failed: ${(error as Error).message}`);
    }
  }
}

function give(name: string, uid: number): void {
  const stat = statSync(name);
  // A log may be a device, such as /dev/stdout in a container.
  if (!stat.isFile() && !stat.isDirectory()) return;
  if (stat.uid !== uid) chownSync(name, uid, stat.gid);
}
