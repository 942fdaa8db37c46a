// One process per data directory. The lock file names the owner's pid and start time, so a lock left behind by a killed process is
// recognised although its pid may have been given to another process since.
import { closeSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { ApiError } from '../errors/api-error.ts';

const FILE = 'node.lock';
/** Directories that this process itself holds: a second open in one process is refused too. */
const held = new Set<string>();

export interface DirectoryLock {
  release(): void;
}

/** @throws ApiError lock_obtain_failed_exception: another node uses the directory */
export function lockDirectory(directory: string): DirectoryLock {
  const file = path.join(path.resolve(directory), FILE);
  const content = `${process.pid} ${startTimeOf(process.pid) ?? '-'} ${process.hrtime.bigint()}\n`;
  if (held.has(file) || !(createExclusive(file, content) || takeOverStale(file, content))) {
    throw new ApiError('lock_obtain_failed_exception', 500, `data directory [${path.resolve(directory)}] is in use by ${ownerText(file)}`);
  }
  held.add(file);
  return {
    release() {
      if (!held.delete(file)) return;
      if (readOrNull(file) === content) rmSync(file, { force: true });
    },
  };
}

function createExclusive(file: string, content: string): boolean {
  try {
    const handle = openSync(file, 'wx');
    writeSync(handle, content);
    closeSync(handle);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Replaces the lock of a process that is gone. Of two that try at once, the one whose content stands in the end has it. */
function takeOverStale(file: string, content: string): boolean {
  const found = readOrNull(file);
  if (found !== null && isAlive(found)) return false;
  const temporary = `${file}.${process.pid}`;
  rmSync(temporary, { force: true });
  if (!createExclusive(temporary, content)) return false;
  renameSync(temporary, file);
  return readOrNull(file) === content;
}

function isAlive(lock: string): boolean {
  const [pidText, startTime] = lock.split(/\s/);
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  const now = startTimeOf(pid);
  if (startTime !== '-' && startTimeOf(process.pid) !== null) return now === startTime && pid !== process.pid;
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Start time of a process in clock ticks since boot, from /proc; null where there is no /proc or no such process. */
function startTimeOf(pid: number): string | null {
  const stat = readOrNull(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The second field is the command in parentheses and may hold anything, so fields are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie holds nothing any more; it only waits for its parent to ask how it ended.
  return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
}

function ownerText(file: string): string {
  const pid = readOrNull(file)?.split(' ')[0];
  return pid ? `process ${pid}` : 'another process';
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
