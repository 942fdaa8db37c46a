/** Folders and logs that workers write to: made while the process may still do so, and given to the user that they run as. */
import { chownSync, mkdirSync, readFileSync, statSync } from 'node:fs';

/** Number of a user, by name or number; undefined if there is none. */
function userId(name: string): number | undefined {
  if (/^\d+$/.test(name)) return Number(name);
  try {
    const line = readFileSync('/etc/passwd', 'latin1')
      .split('\n')
      .find((entry) => entry.startsWith(`${name}:`));
    return line === undefined ? undefined : Number(line.split(':')[2]);
  } catch {
    return undefined;
  }
}

/**
 * @param owner  who the workers will be; undefined: who they are now
 * @param fail  hears of what could not be done, in nginx's words
 */
export function makeFolders(folders: Iterable<string>, owner: string | undefined, fail: (message: string) => void): void {
  const uid = owner === undefined ? undefined : userId(owner);
  for (const folder of folders) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (uid !== undefined) give(folder, uid);
    } catch (error) {
      fail(`making "${folder}" failed: ${(error as Error).message}`);
    }
  }
}

/** Gives files to the workers' user, who is to open them again. */
export function giveFiles(files: Iterable<string>, owner: string, fail: (message: string) => void): void {
  const uid = userId(owner);
  if (uid === undefined) return;
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
  if (stat.uid !== uid) chownSync(name, uid, stat.gid);
}
