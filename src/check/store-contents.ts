// Everything that can be read from the store's file, without LMDB: its own records through the trees of pages, and records below damaged
// pages from the pages themselves. Every value has a checksum, so that a record found in a page that is no longer in use is known to be
// whole; its page tells how old it is.
import { crc32 } from '../common/encoding/crc32.ts';
import { decodeRecord, type LogRecord, OP_INDEX } from '../store/log-record.ts';
import {
  type MetaPage,
  NODE_HEADER_BYTES,
  NODE_OVERFLOW,
  newestMeta,
  PAGE_HEADER_BYTES,
  PageDamage,
  PageFile,
  readU64,
} from '../store/page-file.ts';
import { type FoundDamage, walkPages } from '../store/page-walk.ts';
import { logKey } from '../store/store.ts';
import { describeDamage } from '../store/store-check.ts';
import { LogIndex } from './log-index.ts';

const LOG_KEY_BYTES = 10;
const MAX_VALUE_BYTES = 2 ** 31;
const META_KEY = /^(?:cluster|next-log|[a-z-]+\/.+|[a-z-]+)$/s;
const COMMIT_KEY = /^\d+(?:\/s[0-9a-z]+)?$/;

/** A record of the log that cannot be read. */
export interface DamagedRecord {
  readonly log: number;
  readonly seqNo: number;
  /** `_id` if it looks whole, else null. */
  readonly id: string | null;
}

export interface LostKey {
  readonly table: 'meta' | 'commits';
  readonly key: string;
}

export interface StoreContents {
  /** Lines of the report: damaged pages and values. */
  readonly damage: string[];
  readonly notes: string[];
  /** True if the trees of pages are damaged, so that the file must be rewritten. */
  isBroken: boolean;
  /** Values without their checksums, by key. */
  readonly meta: Map<string, Buffer>;
  readonly commits: Map<string, Buffer>;
  readonly logs: Map<number, LogIndex>;
  readonly damagedRecords: DamagedRecord[];
  /** Records that were found outside of the trees, by their key in hexadecimal. */
  readonly salvaged: Map<string, Buffer>;
  /** Keys of metadata and commit points whose values cannot be read. */
  readonly lostKeys: LostKey[];
  readonly records: number;
}

export type ReadProgress = (share: number, records: number) => void;

/** @throws Error the file cannot be read at all (input/output error) */
export function readStore(file: string, name: string, onProgress: ReadProgress): StoreContents {
  const reader = new StoreReader(name, onProgress);
  let pages: PageFile;
  try {
    pages = PageFile.open(file);
  } catch (error) {
    if (!(error instanceof PageDamage) && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    reader.report(`${name}: ${error instanceof PageDamage ? error.message : 'the file is missing'}`);
    return reader.contents();
  }
  try {
    reader.read(pages);
    return reader.contents();
  } finally {
    pages.close();
  }
}

class StoreReader {
  readonly #name: string;
  readonly #onProgress: ReadProgress;
  readonly #damage: string[] = [];
  readonly #notes: string[] = [];
  readonly #meta = new Map<string, Buffer>();
  readonly #commits = new Map<string, Buffer>();
  readonly #logs = new Map<number, LogIndex>();
  readonly #damagedRecords: DamagedRecord[] = [];
  readonly #salvaged = new Map<string, Buffer>();
  readonly #lostKeys: LostKey[] = [];
  /** Keys whose values cannot be read: an older page may have them. */
  readonly #unreadable: Range[] = [];
  #isBroken = false;
  #records = 0;

  constructor(name: string, onProgress: ReadProgress) {
    this.#name = name;
    this.#onProgress = onProgress;
  }

  report(line: string): void {
    this.#damage.push(line);
    this.#isBroken = true;
  }

  contents(): StoreContents {
    return {
      damage: this.#damage,
      notes: this.#notes,
      isBroken: this.#isBroken,
      meta: this.#meta,
      commits: this.#commits,
      logs: this.#logs,
      damagedRecords: this.#damagedRecords,
      salvaged: this.#salvaged,
      lostKeys: this.#lostKeys,
      records: this.#records,
    };
  }

  read(file: PageFile): void {
    const { metas, damage } = file.metas();
    for (const { page, message } of damage) this.report(`${this.#name}, page ${page} (meta page): ${message}`);
    if (metas.length === 0) {
      this.#salvage(file, null, null, [EVERYTHING]);
      return;
    }
    const meta = newestMeta(metas);
    const walked = walkPages(file, meta, {
      countsPages: true,
      onRecord: (table, key, value) => this.#onRecord(table, key, value),
      onProgress: (pages) => this.#onProgress(pages / meta.lastPage, this.#records),
    });
    for (const found of walked.damage) this.report(describeDamage(this.#name)(found));
    if (walked.unreachable > 0) this.#notes.push(`${this.#name}: ${walked.unreachable} pages are neither in use nor free`);
    // If one meta page is missing, the other one may be older by a transaction, whose pages are found as if theirs were damaged.
    const ranges = damage.length > 0 ? [EVERYTHING] : [...walked.damage, ...this.#unreadable];
    if (ranges.length > 0) this.#salvage(file, meta, walked.used, ranges);
  }

  #onRecord(table: string, key: Buffer, read: () => Buffer): void {
    let value: Buffer;
    try {
      value = read();
    } catch (error) {
      if (!(error instanceof PageDamage)) throw error;
      this.report(`${this.#name}, page ${error.page}: ${error.message}`);
      return;
    }
    if (table === 'log') this.#onLogRecord(key, value);
    else if (table === 'meta' || table === 'commits') this.#onValue(table, key, value);
  }

  #onLogRecord(key: Buffer, value: Buffer): void {
    this.#records++;
    if (key.length !== LOG_KEY_BYTES) return this.report(`${this.#name}: a record of the log has a key of ${key.length} bytes`);
    const log = key.readUInt32BE(0);
    const seqNo = key.readUIntBE(4, 6);
    const record = decodedRecord(key, value);
    if (record === null) {
      const id = likelyId(value);
      this.#unreadable.push(rangeOf('log', key));
      this.#damagedRecords.push({ log, seqNo, id });
      this.#damage.push(
        `${this.#name}, log ${log}, operation ${seqNo}${id === null ? '' : ` (probably of document [${id}])`}: the checksum does not match`,
      );
      return;
    }
    this.#logOf(log).add(seqNo, record.op, record.id);
  }

  #logOf(log: number): LogIndex {
    let index = this.#logs.get(log);
    if (!index) this.#logs.set(log, (index = new LogIndex()));
    return index;
  }

  #onValue(table: 'meta' | 'commits', rawKey: Buffer, value: Buffer): void {
    const key = keyText(rawKey);
    const whole = checkedValue(value);
    if (whole !== null) {
      (table === 'meta' ? this.#meta : this.#commits).set(key, Buffer.from(whole));
      return;
    }
    this.#lostKeys.push({ table, key });
    this.#unreadable.push(rangeOf(table, rawKey));
    this.#damage.push(`${this.#name}, ${table === 'meta' ? 'metadata' : 'commit point'} [${key}]: the checksum does not match`);
  }

  /** Looks at all pages that the trees do not reach for records of these ranges; of several versions the newest page's is taken. */
  #salvage(file: PageFile, meta: MetaPage | null, used: Uint8Array | null, ranges: readonly Range[]): void {
    const age = new Map<string, number>();
    const damagedPages = new Set(ranges.map((range) => (range as Partial<FoundDamage>).page ?? -1));
    const isWanted = (table: string, key: Buffer): boolean =>
      ranges.some(
        (range) =>
          (range.table !== 'log' && range.table !== 'meta' && range.table !== 'commits') ||
          (range.table === table &&
            (range.from === null || Buffer.compare(key, range.from) >= 0) &&
            (range.to === null || Buffer.compare(key, range.to) < 0)),
      );
    const isNewer = (name: string, txnId: number): boolean => {
      if ((age.get(name) ?? -1) >= txnId) return false;
      age.set(name, txnId);
      return true;
    };
    const bytes = Buffer.allocUnsafe(file.pageBytes);
    for (let page = 2; page < file.pages; page++) {
      if (used?.[page] && !damagedPages.has(page)) continue;
      file.read(page, bytes);
      const txnId = Math.min(readU64(bytes, 8), meta?.txnId ?? Number.MAX_SAFE_INTEGER);
      for (const { key, value } of looseNodes(file, bytes)) {
        if (key.length === LOG_KEY_BYTES && decodedRecord(key, value) !== null) {
          if (isWanted('log', key)) this.#takeRecord(key, value, txnId, isNewer);
          continue;
        }
        const whole = checkedValue(value);
        if (whole === null) continue;
        const name = keyText(key);
        const table = COMMIT_KEY.test(name) ? 'commits' : META_KEY.test(name) ? 'meta' : null;
        if (table === null || !isWanted(table, key)) continue;
        const values = table === 'meta' ? this.#meta : this.#commits;
        if ((values.has(name) && !age.has(`${table}:${name}`)) || !isNewer(`${table}:${name}`, txnId)) continue;
        values.set(name, Buffer.from(whole));
      }
    }
    if (age.size === 0) return;
    this.#notes.push(`${this.#name}: ${age.size} records were found in pages that are not in use`);
    this.#isBroken = true;
    const isFound = (key: string): boolean => age.has(key);
    removeWhere(this.#damagedRecords, ({ log, seqNo }) => isFound(logKey(log, seqNo).toString('hex')));
    removeWhere(this.#lostKeys, ({ table, key }) => isFound(`${table}:${key}`));
  }

  #takeRecord(key: Buffer, value: Buffer, txnId: number, isNewer: (name: string, txnId: number) => boolean): void {
    const name = key.toString('hex');
    const log = this.#logOf(key.readUInt32BE(0));
    const seqNo = key.readUIntBE(4, 6);
    if ((log.has(seqNo) && !this.#salvaged.has(name)) || !isNewer(name, txnId)) return;
    const record = decodedRecord(key, value);
    if (record === null) return;
    if (!this.#salvaged.has(name)) this.#records++;
    log.add(seqNo, record.op, record.id);
    this.#salvaged.set(name, Buffer.from(value));
  }
}

type Range = Pick<FoundDamage, 'table' | 'from' | 'to'>;

const EVERYTHING: Range = { table: '', from: null, to: null };

/** One key. */
function rangeOf(table: string, key: Buffer): Range {
  return { table, from: Buffer.from(key), to: Buffer.concat([key, Buffer.of(0)]) };
}

function removeWhere<T>(list: T[], isRemoved: (item: T) => boolean): void {
  list.splice(0, list.length, ...list.filter((item) => !isRemoved(item)));
}

/** The nodes of what may have been a leaf page, each with bounds checked; nothing is trusted without a checksum. */
function* looseNodes(file: PageFile, bytes: Buffer): Generator<{ key: Buffer; value: Buffer }> {
  const nodes = Math.min(bytes.readUInt16LE(20) >> 1, (bytes.length - PAGE_HEADER_BYTES) >> 1);
  // The count is in the header, which may be what is damaged: offsets are read as long as they can be ones.
  for (let i = 0; i < Math.max(nodes, 256) && PAGE_HEADER_BYTES + 2 * i + 2 <= bytes.length; i++) {
    const at = PAGE_HEADER_BYTES + bytes.readUInt16LE(PAGE_HEADER_BYTES + 2 * i);
    if (at & 1 || at + NODE_HEADER_BYTES > bytes.length) {
      if (i >= nodes) return;
      continue;
    }
    const size = bytes.readUInt32LE(at);
    const keyEnd = at + NODE_HEADER_BYTES + bytes.readUInt16LE(at + 6);
    if (keyEnd === at + NODE_HEADER_BYTES || keyEnd > bytes.length) continue;
    const key = bytes.subarray(at + NODE_HEADER_BYTES, keyEnd);
    const isOverflow = (bytes.readUInt16LE(at + 4) & NODE_OVERFLOW) !== 0 && keyEnd + 24 <= bytes.length;
    if (!isOverflow) {
      if (keyEnd + size <= bytes.length) yield { key, value: bytes.subarray(keyEnd, keyEnd + size) };
      continue;
    }
    const first = readU64(bytes, keyEnd);
    if (first < 2 || size > MAX_VALUE_BYTES || first * file.pageBytes + PAGE_HEADER_BYTES + size > file.bytes) continue;
    yield { key, value: file.read(first, Buffer.allocUnsafe(PAGE_HEADER_BYTES + size)).subarray(PAGE_HEADER_BYTES) };
  }
}

function decodedRecord(key: Buffer, value: Buffer): LogRecord | null {
  try {
    return decodeRecord(key, value, () => '');
  } catch {
    return null;
  }
}

/** The value without its checksum, null if that does not match. */
function checkedValue(value: Buffer): Buffer | null {
  return value.length >= 4 && value.readUInt32LE(0) === crc32(value.subarray(4)) ? value.subarray(4) : null;
}

/** lmdb-js writes a string as key with a zero byte at its end. */
function keyText(key: Buffer): string {
  return key.toString('utf8').replace(/\0+$/, '');
}

/** The `_id` of a record whose checksum is wrong. */
function likelyId(value: Buffer): string | null {
  if (value.length < 24 || value[4] > OP_INDEX + 2) return null;
  const bytes = value.readUInt16LE(6);
  if (bytes === 0 || bytes > 512 || 24 + bytes > value.length) return null;
  const id = value.toString('utf8', 24, 24 + bytes);
  return /[\u0000-\u001f\ufffd]/.test(id) ? null : id;
}
