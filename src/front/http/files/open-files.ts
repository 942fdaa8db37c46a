// Files to send. Small files, and larger ones that are requested often, are cached in memory together with their stat, because sending
// from memory copies once and from a file twice. Each use checks that the file is unchanged; with `open_file_cache` this happens once per
// `open_file_cache_valid`, as for nginx's open descriptors. Other files stay open under `open_file_cache` only.
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { nowMs } from '../../../http/wire/clock.ts';
import { fsPath } from '../../fs-path.ts';
import { systemError } from '../../system-error.ts';
import { core } from '../config/core.ts';
import type { Request } from '../model/types.ts';
import { holdForms } from './coded-bodies.ts';
import { checkSymlinks } from './symlinks.ts';

const KEPT_FILE_BYTES = 1024 * 1024;
const KEPT_BYTES = 32 * 1024 * 1024;
/** Memory that an entry takes besides its bytes, so that many small files are bounded, too. */
const ENTRY_BYTES = 1024;
/** A file read this soon after a change may change again without a new timestamp, whose resolution may be ticks or seconds. */
const SETTLED_MS = 2000;
/** A larger file is cached, too, if it is requested this often within this time. */
const HOT_FILE_BYTES = 8 * 1024 * 1024;
const HOT_USES = 16;
const HOT_MS = 10_000;
const WATCHED_FILES = 256;

export interface OpenedFile {
  stat: Stats;
  /** the whole file, if it is cached in memory */
  body?: Buffer;
  /** otherwise the open file; the caller returns it with `closeFile` */
  fd?: number;
}

interface KeptFile extends OpenedFile {
  /** the cached bytes are current as long as the change time of the file stays the same */
  isSettled: boolean;
  /** used since eviction last considered it */
  wasUsed: boolean;
  /** responses that are reading from `fd`; the last one closes it if the file is no longer cached */
  readers: number;
  isKept: boolean;
  /** when the file was last found unchanged */
  checkedMs: number;
  usedMs: number;
  /** uses without a pause of `inactive` between them */
  uses: number;
}
const kept = new Map<string, KeptFile>();
let keptBytes = 0;
/** the open ones among `kept`, least recently used first */
const keptOpen = new Map<string, KeptFile>();
/** requests for larger files, and since when they are counted */
const asked = new Map<string, { uses: number; sinceMs: number }>();
/** failures cached for `open_file_cache_errors` */
const failures = new Map<string, { error: unknown; atMs: number }>();

/** Status for a failed open: 404, 403 or 500. */
export function openError(r: Request, name: string, error: unknown): number {
  const { code } = error as NodeJS.ErrnoException;
  const reason = systemError(error);
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') {
    if (core.conf(r.loc).log_not_found) r.log('error', `open() "${name}" failed (${reason})`);
    return 404;
  }
  if (code === 'EACCES' || code === 'ELOOP') {
    r.log('error', `open() "${name}" failed (${reason})`);
    return 403;
  }
  r.log('crit', `open() "${name}" failed (${reason})`);
  return 500;
}

/** Opens a file until the request has ended; for a directory only its stat is returned. @throws NodeJS.ErrnoException */
export function openFile(r: Request, name: string): OpenedFile {
  const file = findFile(r, name);
  if (file.fd !== undefined) r.whenSent(() => closeFile(file));
  return file;
}

/** Opens a file like openFile; returns the status to respond with if that fails. */
export function openOrStatus(r: Request, name: string): OpenedFile | number {
  try {
    return openFile(r, name);
  } catch (error) {
    return openError(r, name, error);
  }
}

function findFile(r: Request, name: string): OpenedFile {
  const c = core.conf(r.loc);
  const rule = c.open_file_cache;
  if (!rule || rule.max === 0 || c.disable_symlinks.mode !== 'off') return open(r, name, undefined);
  const now = nowMs();
  dropInactive(now, rule.inactiveMs);
  const file = kept.get(name);
  if (file) {
    file.uses = now - file.usedMs > rule.inactiveMs ? 1 : file.uses + 1;
    file.usedMs = now;
    if (file.uses > c.open_file_cache_min_uses && now - file.checkedMs < c.open_file_cache_valid * 1000) return use(name, file);
  }
  if (!c.open_file_cache_errors) return open(r, name, file, rule.max);
  const failure = failures.get(name);
  if (failure && now - failure.atMs < c.open_file_cache_valid * 1000) throw failure.error;
  failures.delete(name);
  try {
    return open(r, name, file, rule.max);
  } catch (error) {
    failures.set(name, { error, atMs: now });
    for (const oldest of failures.keys()) {
      if (failures.size <= rule.max) break;
      failures.delete(oldest);
    }
    throw error;
  }
}

const isKeptFile = (file: OpenedFile): file is KeptFile => 'readers' in file;

function closeFile(file: OpenedFile): void {
  if (file.fd === undefined) return;
  if (!isKeptFile(file)) {
    closeSync(file.fd);
    return;
  }
  file.readers--;
  if (!file.isKept && file.readers === 0) closeSync(file.fd);
}

/** Counts a use of a large file. @returns whether it is requested often */
function isHot(name: string, sizeBytes: number): boolean {
  if (sizeBytes > HOT_FILE_BYTES) return false;
  const now = nowMs();
  const known = asked.get(name);
  if (known && now - known.sinceMs <= HOT_MS) {
    known.uses++;
    if (known.uses < HOT_USES) return false;
    asked.delete(name);
    return true;
  }
  asked.delete(name);
  asked.set(name, { uses: 1, sinceMs: now });
  for (const oldest of asked.keys()) {
    if (asked.size <= WATCHED_FILES) break;
    asked.delete(oldest);
  }
  return false;
}

function use(name: string, file: KeptFile): KeptFile {
  file.wasUsed = true;
  if (file.fd === undefined) return file;
  // the open file, even if the name refers to another file by now
  const body = isHot(name, file.stat.size) ? load(file.fd, file.stat.size) : null;
  if (body) {
    const { stat, checkedMs, uses } = file;
    forget(name, file);
    return Object.assign(remember(name, { stat, body }), { checkedMs, uses });
  }
  file.readers++;
  keptOpen.delete(name);
  keptOpen.set(name, file);
  return file;
}

function forget(name: string, file: KeptFile): void {
  kept.delete(name);
  file.isKept = false;
  if (file.body) keptBytes -= file.body.length + ENTRY_BYTES;
  if (file.fd === undefined) return;
  keptOpen.delete(name);
  if (file.readers === 0) closeSync(file.fd);
}

/** As in nginx, each request closes at most one inactive file. */
function dropInactive(now: number, inactiveMs: number): void {
  for (const [name, file] of keptOpen) {
    if (now - file.usedMs > inactiveMs) forget(name, file);
    return;
  }
}

/** @param maxOpen  number of large files kept open, including this one; 0 keeps none */
function open(r: Request, name: string, known = kept.get(name), maxOpen = 0): OpenedFile {
  checkSymlinks(r, name);
  if (known) {
    const stat = statSync(fsPath(name), { throwIfNoEntry: false });
    if (stat && known.isSettled && isUnchanged(known.stat, stat)) {
      known.checkedMs = nowMs();
      return use(name, known);
    }
    forget(name, known);
  }
  const fd = openSync(fsPath(name), constants.O_RDONLY | constants.O_NONBLOCK);
  let keep = false;
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return { stat };
    if (stat.size <= KEPT_FILE_BYTES || (maxOpen === 0 && isHot(name, stat.size))) {
      const body = load(fd, stat.size);
      if (body) return remember(name, { stat, body });
    }
    keep = true;
    if (maxOpen === 0) return { stat, fd };
    const file = use(name, remember(name, { stat, fd }));
    for (const [oldest, entry] of keptOpen) {
      if (keptOpen.size <= maxOpen) break;
      forget(oldest, entry);
    }
    return file;
  } finally {
    if (!keep) closeSync(fd);
  }
}

/** Compares the change time, which programs cannot set, unlike the modification time. */
function isUnchanged(before: Stats, now: Stats): boolean {
  return before.ctimeMs === now.ctimeMs && before.size === now.size && before.ino === now.ino && before.dev === now.dev;
}

/** Reads a file into memory; null if it is shorter than expected. */
function load(fd: number, sizeBytes: number): Buffer | null {
  const body = Buffer.allocUnsafeSlow(sizeBytes);
  if (sizeBytes > 0 && readSync(fd, body, 0, sizeBytes, 0) < sizeBytes) return null;
  holdForms(body);
  return body;
}

function remember(name: string, opened: OpenedFile): KeptFile {
  const now = nowMs();
  const isSettled = !opened.body || now - opened.stat.ctimeMs >= SETTLED_MS;
  const file: KeptFile = { ...opened, isSettled, wasUsed: true, readers: 0, isKept: true, checkedMs: now, usedMs: now, uses: 1 };
  kept.set(name, file);
  if (file.body) keptBytes += file.body.length + ENTRY_BYTES;
  makeRoom();
  return file;
}

/** Evicts in order of arrival, but entries used in the meantime get a second chance. */
function makeRoom(): void {
  for (const [name, file] of kept) {
    if (keptBytes <= KEPT_BYTES) return;
    if (!file.body) continue;
    if (file.wasUsed) {
      file.wasUsed = false;
      kept.delete(name);
      kept.set(name, file);
    } else forget(name, file);
  }
}

/** `"mtime-size"` in hexadecimal, as in nginx. */
export function fileEtag(stat: Stats, length = stat.size): string {
  return `"${Math.floor(stat.mtimeMs / 1000).toString(16)}-${length.toString(16)}"`;
}
