// Checks the store before LMDB opens it. LMDB maps its file into memory and trusts it: a flipped byte in a page header ends the process
// with a segmentation fault, at this start and at every later one. The pages are read here without LMDB, so that damage is an error with a
// reason.
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ApiError } from '../errors/api-error.ts';
import { newestMeta, PageDamage, PageFile } from './page-file.ts';
import { type FoundDamage, walkPages } from './page-walk.ts';

/** Leaf pages that startup reads before it opens the store: 3 ms in a new process. The others are checked while the service runs. */
const START_PAGES = 32;
/** Marks that the directory has a store, so that a directory without one is not mistaken for a new one. */
const MARKER = 'gannet-data.json';
const MAX_SHOWN = 20;

export function storeFileOf(directory: string): string {
  return path.join(directory, 'store', 'data.mdb');
}

export interface StartCheck {
  /** False if pages were left out. */
  readonly isComplete: boolean;
}

/**
 * Checks meta pages, branch pages, all small tables, and as much of the rest as takes little time.
 * @param everything  also reads all other pages; set after a crash that damage may have caused
 * @throws ApiError corrupt_index_exception: the store is damaged or missing, with file, page and contents
 */
export function checkStoreAtStart(directory: string, everything: boolean): StartCheck {
  const file = storeFileOf(directory);
  if (!existsSync(file) || statSync(file).size === 0) {
    if (existsSync(path.join(directory, MARKER)) || hasSegments(directory))
      throw damagedStoreError(directory, [`${relative(directory, file)} is ${existsSync(file) ? 'empty' : 'missing'}`]);
    return { isComplete: true };
  }
  const { damage, isComplete } = checkPages(file, everything ? Number.POSITIVE_INFINITY : START_PAGES);
  if (damage.length > 0) throw damagedStoreError(directory, damage.map(describeDamage(relative(directory, file))));
  return { isComplete };
}

/** Reads all pages of a store that may be in use. @returns a line for each damage */
export function checkStorePages(directory: string): string[] {
  const file = storeFileOf(directory);
  return checkPages(file, Number.POSITIVE_INFINITY).damage.map(describeDamage(relative(directory, file)));
}

function checkPages(path: string, maxPages: number): { damage: FoundDamage[]; isComplete: boolean } {
  const whole = (problem: PageDamage): FoundDamage => ({
    page: problem.page,
    table: 'meta page',
    from: null,
    to: null,
    problem: problem.message,
  });
  let file: PageFile;
  try {
    file = PageFile.open(path);
  } catch (error) {
    if (!(error instanceof PageDamage)) throw error;
    return { damage: [whole(error)], isComplete: false };
  }
  try {
    const { metas, damage } = file.metas();
    const found = damage.map(whole);
    if (metas.length === 0) return { damage: found, isComplete: false };
    const meta = newestMeta(metas);
    const walked = walkPages(file, meta, { maxPages, countsPages: maxPages === Number.POSITIVE_INFINITY });
    return { damage: [...found, ...walked.damage], isComplete: walked.isComplete };
  } finally {
    file.close();
  }
}

/** To be called when the store is open: from then on its absence is damage. */
export function markOpened(directory: string): void {
  const marker = path.join(directory, MARKER);
  if (existsSync(marker)) return;
  try {
    writeFileSync(marker, '{"format":1}\n');
  } catch {
    // A full disk: the next start tries again.
  }
}

function hasSegments(directory: string): boolean {
  try {
    return readdirSync(path.join(directory, 'indices'), { recursive: true }).some((name) => String(name).endsWith('.seg'));
  } catch {
    return false;
  }
}

/** A line: file, page, contents, problem. */
export function describeDamage(file: string): (damage: FoundDamage) => string {
  return ({ page, table, from, to, problem }) => {
    const where = page === null ? file : `${file}, page ${page}`;
    return `${where} (${contentsOf(table, from, to)}): ${problem}`;
  };
}

function contentsOf(table: string, from: Buffer | null, to: Buffer | null): string {
  const names: Readonly<Record<string, string>> = { log: 'documents', commits: 'commit points', meta: 'metadata' };
  const name = Object.hasOwn(names, table) ? names[table] : table;
  if (from === null && to === null) return name;
  const show = (key: Buffer | null, open: string): string => {
    if (key === null) return open;
    if (table !== 'log') return JSON.stringify(key.toString('latin1').replace(/\0+$/, ''));
    return key.length < 10 ? '?' : `log ${key.readUInt32BE(0)} operation ${key.readUIntBE(4, 6)}`;
  };
  return `${name} from ${show(from, 'the first')} to ${show(to, 'the last')}`;
}

function relative(directory: string, file: string): string {
  return path.relative(directory, file);
}

/** The error with which the service refuses to start. */
function damagedStoreError(directory: string, lines: readonly string[]): ApiError {
  const more = lines.length > MAX_SHOWN ? [`and ${lines.length - MAX_SHOWN} more`] : [];
  const reason = [
    `the store in [${directory}] is damaged; the service does not start, so that no document is served wrong or left out:`,
    ...[...lines.slice(0, MAX_SHOWN), ...more].map((line) => `  ${line}`),
    'Copy the data directory or restore a backup; `gannet check` reports the extent, `gannet check --repair` repairs what it can and lists what is lost.',
  ].join('\n');
  return new ApiError('corrupt_index_exception', 500, reason);
}
