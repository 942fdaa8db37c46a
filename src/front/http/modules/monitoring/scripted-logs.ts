// Access logs with variables in their path, and the file descriptors that open_log_file_cache keeps open.
import { closeSync, fstatSync, openSync, statSync, writeSync } from 'node:fs';
import { parseTimeSec } from '../../../config/values.ts';
import { fsPath } from '../../../fs-path.ts';
import { systemError } from '../../../system-error.ts';
import type { BlockFrame } from '../../config/module.ts';
import type { Session } from '../../model/types.ts';

export interface LogCache {
  /** Maximum number of descriptors, 0 to keep none. */
  max: number;
  /** Entries that were not used for this time are dropped. */
  inactiveMs: number;
  /** The name is checked again after this time: the file may have been moved. */
  validMs: number;
  /** Number of uses within `inactiveMs` from which the descriptor stays open. */
  minUses: number;
}

const NO_CACHE: LogCache = { max: 0, inactiveMs: 0, validMs: 0, minUses: 1 };

interface Entry {
  /** null if it is used too rarely to stay open. */
  fd: number | null;
  inode: number;
  uses: number;
  usedMs: number;
  checkedMs: number;
}

/** By path, the least recently used first. */
const entries = new Map<string, Entry>();

/** @throws through the frame */
export function parseLogCache(f: BlockFrame): LogCache {
  if (f.args.length === 1 && f.args[0] === 'off') return NO_CACHE;
  const cache: LogCache = { max: 0, inactiveMs: 10_000, validMs: 60_000, minUses: 1 };
  for (const word of f.args) {
    const [name, value = ''] = word.split('=', 2);
    const count = /^\d{1,9}$/.test(value) ? Number(value) : null;
    const seconds = parseTimeSec(value);
    if (name === 'max' && count !== null) cache.max = count;
    else if (name === 'min_uses' && count !== null) cache.minUses = count;
    else if (name === 'inactive' && seconds !== null) cache.inactiveMs = seconds * 1000;
    else if (name === 'valid' && seconds !== null) cache.validMs = seconds * 1000;
    else f.fail(`invalid "open_log_file_cache" parameter "${word}"`);
  }
  if (cache.max === 0) f.fail('"open_log_file_cache" must have "max" parameter');
  return cache;
}

/** Appends a line. @param name  absolute path @param header  first line of a new file, '' for none */
export function writeScripted(r: Pick<Session, 'log'>, name: string, line: string, header: string, cache = NO_CACHE): void {
  try {
    const entry = entryOf(name, cache);
    const fd = entry.fd ?? openSync(fsPath(name), 'a', 0o640);
    const start = header !== '' && fstatSync(fd).size === 0 ? header : '';
    try {
      writeSync(fd, `${start}${line}\n`, null, 'latin1');
    } finally {
      if (cache.max > 0 && entry.uses >= cache.minUses) keep(entry, fd);
      else closeSync(fd);
    }
    if (cache.max === 0) return;
    entries.set(name, entry);
    trim(cache);
  } catch (error) {
    r.log('crit', `open() "${name}" failed (${systemError(error)})`);
  }
}

/** Counts a use of the file's entry and moves it to the end; its descriptor still belongs to the name. */
function entryOf(name: string, cache: LogCache): Entry {
  const now = Date.now();
  let entry = entries.get(name);
  entries.delete(name);
  if (!entry || now - entry.usedMs >= cache.inactiveMs) {
    if (entry) release(entry);
    entry = { fd: null, inode: 0, uses: 0, usedMs: now, checkedMs: now };
  } else if (entry.fd !== null && now - entry.checkedMs >= cache.validMs) {
    entry.checkedMs = now;
    if (statSync(fsPath(name), { throwIfNoEntry: false })?.ino !== entry.inode) release(entry);
  }
  entry.uses++;
  entry.usedMs = now;
  return entry;
}

function keep(entry: Entry, fd: number): void {
  if (entry.fd !== null) return;
  entry.fd = fd;
  entry.inode = fstatSync(fd).ino;
  entry.checkedMs = Date.now();
}

function release(entry: Entry): void {
  if (entry.fd !== null) closeSync(entry.fd);
  entry.fd = null;
}

function trim(cache: LogCache): void {
  const now = Date.now();
  for (const [name, entry] of entries) {
    if (entries.size <= cache.max && now - entry.usedMs < cache.inactiveMs) break;
    release(entry);
    entries.delete(name);
  }
}
