// One process per data directory. The lock file names the owner's pid and start time, so a lock left by a killed process is recognised even
// if its pid has been reused.
import { linkSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ApiError } from '../errors/api-error.ts';

const FILE = 'node.lock';
/** Directories locked by this process: opening one twice in a process is refused, too. */
const held = new Set<string>();

export interface DirectoryLock {
  release(): void;
}

/** @throws ApiError lock_obtain_failed_exception: another node uses the directory */
export function lockDirectory(directory: string): DirectoryLock {
  const file = path.join(path.resolve(directory), FILE);
  const content = `${process.pid} ${startTimeOf(process.pid) ?? '-'} ${process.hrtime.bigint()}\n`;
  if (held.has(file) || !obtain(file, content)) {
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

/**
 * Creates `file` with this content, or replaces what a dead process left. Replacing requires a claim to the old content, itself a lock, so
 * that only one of several processes that find it succeeds.
 */
function obtain(file: string, content: string): boolean {
  if (createExclusive(file, content)) return true;
  const found = readOrNull(file);
  if (found === null || isAlive(found)) return false;
  const claim = `${file}.${found.replace(/\W+/g, '-').slice(0, 64)}`;
  if (!obtain(claim, content)) return false;
  if (readOrNull(file) === found) {
    renameSync(claim, file);
    return true;
  }
  rmSync(claim);
  return false;
}

/** Creates the file atomically, with all of its content. */
function createExclusive(file: string, content: string): boolean {
  const temporary = `${file}.${process.pid}.new`;
  try {
    writeFileSync(temporary, content);
    linkSync(temporary, file);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (code === 'ENOSPC' || code === 'EDQUOT') return createLink(file, content);
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** On a full disk the lock is a symbolic link whose target is the content, which takes no block. */
function createLink(file: string, content: string): boolean {
  try {
    symlinkSync(content.trimEnd(), file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
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
  // The second field is the command in parentheses, which may contain anything, so fields are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie holds no resources; it only waits for its parent to collect its exit status.
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
    try {
      return `${readlinkSync(file)}\n`;
    } catch {
      return null;
    }
  }
}
