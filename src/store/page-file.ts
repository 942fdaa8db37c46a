// Pages of the store's LMDB file, read with plain reads and validated before use. LMDB itself trusts its file: a wrong page number or
// offset that is an error here would be a segmentation fault there.
//   page     ├ pgno u64 ┬ txnId u64 ┬ 0 u16 ┬ flags u16 ┬ lower u16 ┬ upper u16 ┤ (overflow: number of pages u32 in place of lower and upper)
//   meta     page header ┬ magic u32 ┬ version u32 ┬ address u64 ┬ mapSize u64 ┬ free list: table ┬ main: table ┬ lastPage u64 ┬ txnId u64 ┬ bootId i64
//   table    ├ pad u32 ┬ flags u16 ┬ depth u16 ┬ branchPages u64 ┬ leafPages u64 ┬ overflowPages u64 ┬ entries u64 ┬ root u64 ┤
//   node     ├ size u32 (branch: page number, low part) ┬ flags u16 (branch: high part) ┬ keyBytes u16 ┬ key ┬ value ┤
//   overflow value of a leaf node: ├ pgno u64 ┬ txnId u64 ┬ pages u64 ┤
// Little-endian. Source: liblmdb of the npm package lmdb 3, data version 2.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

export const PAGE_HEADER_BYTES = 24;
export const NODE_HEADER_BYTES = 8;
export const TABLE_BYTES = 48;
const META_BYTES = PAGE_HEADER_BYTES + 4 + 4 + 8 + 8 + 2 * TABLE_BYTES + 24;
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const MIN_PAGE_BYTES = 512;
const MAX_PAGE_BYTES = 65536;

export const BRANCH = 0x01;
export const LEAF = 0x02;
export const OVERFLOW = 0x04;
const META = 0x08;
/** Flag of the free list's table. */
const INTEGER_KEYS = 0x08;

export const NODE_OVERFLOW = 0x01;
export const NODE_TABLE = 0x02;

/** Page number of a tree without pages. */
export const NO_PAGE = -1;

/** The record of a table. */
export interface PageTable {
  /** NO_PAGE if it is empty. */
  readonly root: number;
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly overflowPages: number;
  readonly entries: number;
}

/** One of the two meta pages: where a snapshot of the file begins. */
export interface MetaPage {
  readonly page: number;
  readonly txnId: number;
  readonly lastPage: number;
  readonly freeList: PageTable;
  readonly main: PageTable;
}

/** Damage in the file. */
export class PageDamage extends Error {
  /** @param page  null if the damage is not confined to one page */
  constructor(
    readonly page: number | null,
    message: string,
  ) {
    super(message);
  }
}

export class PageFile {
  readonly path: string;
  readonly bytes: number;
  readonly pageBytes: number;
  readonly #handle: number;

  private constructor(path: string, handle: number, bytes: number, pageBytes: number) {
    this.path = path;
    this.bytes = bytes;
    this.pageBytes = pageBytes;
    this.#handle = handle;
  }

  /** @throws PageDamage it is too short or has no page size; Error it cannot be opened */
  static open(path: string): PageFile {
    const handle = openSync(path, 'r');
    try {
      const bytes = fstatSync(handle).size;
      return new PageFile(path, handle, bytes, pageSizeOf(handle, bytes));
    } catch (error) {
      closeSync(handle);
      throw error;
    }
  }

  close(): void {
    closeSync(this.#handle);
  }

  get pages(): number {
    return Math.floor(this.bytes / this.pageBytes);
  }

  /** Reads `target.length` bytes from the start of a page. @throws PageDamage the file is too short */
  read(page: number, target: Buffer): Buffer {
    const start = page * this.pageBytes;
    if (!(page >= 0) || start + target.length > this.bytes) throw new PageDamage(page, 'the file ends before this page');
    for (let at = 0; at < target.length; ) {
      const count = readSync(this.#handle, target, at, target.length - at, start + at);
      if (count === 0) throw new PageDamage(page, 'the file ends before this page');
      at += count;
    }
    return target;
  }

  /** The intact meta pages, and the damage of the others. */
  metas(): { metas: MetaPage[]; damage: PageDamage[] } {
    const metas: MetaPage[] = [];
    const damage: PageDamage[] = [];
    for (const page of [0, 1]) {
      try {
        metas.push(readMeta(this.read(page, Buffer.allocUnsafe(META_BYTES)), page, this));
      } catch (error) {
        if (!(error instanceof PageDamage)) throw error;
        damage.push(error);
      }
    }
    // Each transaction writes the other page, so that their numbers follow each other; otherwise one of them is stale.
    if (metas.length === 2 && Math.abs(metas[0].txnId - metas[1].txnId) > 1) {
      const [wrong] = metas.filter((meta) => this.#rootTransaction(meta) !== meta.txnId);
      damage.push(new PageDamage(wrong?.page ?? 0, `transaction ${metas[0].txnId} in meta page 0, ${metas[1].txnId} in meta page 1`));
      if (wrong) metas.splice(metas.indexOf(wrong), 1);
    }
    return { metas, damage };
  }

  /** Transaction that wrote the root page of the table of tables, which each transaction writes. */
  #rootTransaction({ main, txnId }: MetaPage): number {
    if (main.root === NO_PAGE) return txnId;
    try {
      return readU64(this.read(main.root, Buffer.allocUnsafe(PAGE_HEADER_BYTES)), 8);
    } catch {
      return -1;
    }
  }
}

/** The meta page that LMDB would use: the newer one. */
export function newestMeta(metas: readonly MetaPage[]): MetaPage {
  return metas.reduce((newest, meta) => (meta.txnId > newest.txnId ? meta : newest));
}

function pageSizeOf(handle: number, bytes: number): number {
  if (bytes === 0) throw new PageDamage(null, 'the file is empty');
  if (bytes < META_BYTES) throw new PageDamage(null, `the file has only ${bytes} bytes`);
  const head = Buffer.allocUnsafe(META_BYTES);
  // The page size is in both meta pages; if the first is damaged, the second is at one of few places.
  const places = [0];
  for (let size = MIN_PAGE_BYTES; size <= MAX_PAGE_BYTES; size *= 2) places.push(size);
  for (const place of places) {
    if (place + META_BYTES > bytes) break;
    readSync(handle, head, 0, META_BYTES, place);
    if (head.readUInt32LE(PAGE_HEADER_BYTES) !== MAGIC) continue;
    const size = head.readUInt32LE(PAGE_HEADER_BYTES + 24);
    const isPower = size >= MIN_PAGE_BYTES && size <= MAX_PAGE_BYTES && (size & (size - 1)) === 0;
    if (isPower && (place === 0 || place === size)) return size;
  }
  throw new PageDamage(0, 'neither meta page begins as a store does');
}

function readMeta(bytes: Buffer, page: number, file: PageFile): MetaPage {
  const at = PAGE_HEADER_BYTES;
  const fail = (what: string): never => {
    throw new PageDamage(page, `meta page: ${what}`);
  };
  if (readU64(bytes, 0) !== page) fail('wrong page number');
  if (bytes.readUInt16LE(18) !== META) fail('wrong flags');
  if (bytes.readUInt32LE(at) !== MAGIC) fail('wrong magic number');
  if ((bytes.readUInt32LE(at + 4) & 0xffff) !== DATA_VERSION) fail(`version ${bytes.readUInt32LE(at + 4)} instead of ${DATA_VERSION}`);
  if (bytes.readBigUInt64LE(at + 8) !== 0n) fail('wrong address');
  if (bytes.readUInt32LE(at + 24) !== file.pageBytes) fail('wrong page size');
  const tables = at + 24;
  if (bytes.readUInt16LE(tables + 4) !== INTEGER_KEYS) fail('wrong flags of the free list');
  if (bytes.readUInt16LE(tables + TABLE_BYTES + 4) !== 0) fail('wrong flags of the table of tables');
  const tail = tables + 2 * TABLE_BYTES;
  const lastPage = readU64(bytes, tail);
  // Pages at the end that were never written may be missing from the file; each page in use is checked when it is read.
  if (lastPage < 1 || lastPage > 2 ** 40) fail(`last page ${lastPage} is impossible`);
  const txnId = readU64(bytes, tail + 8);
  if (txnId > 0 && txnId % 2 !== page) fail(`transaction ${txnId} belongs to the other meta page`);
  return {
    page,
    txnId,
    lastPage,
    freeList: readTable(bytes, tables, page, lastPage),
    main: readTable(bytes, tables + TABLE_BYTES, page, lastPage),
  };
}

/** @throws PageDamage its root is impossible */
export function readTable(bytes: Buffer, at: number, page: number, lastPage: number): PageTable {
  const isEmpty = bytes.readBigUInt64LE(at + 40) === 0xffffffffffffffffn;
  const table = {
    root: isEmpty ? NO_PAGE : readU64(bytes, at + 40),
    depth: bytes.readUInt16LE(at + 6),
    branchPages: readU64(bytes, at + 8),
    leafPages: readU64(bytes, at + 16),
    overflowPages: readU64(bytes, at + 24),
    entries: readU64(bytes, at + 32),
  };
  if (!isEmpty && (table.root < 2 || table.root > lastPage)) throw new PageDamage(page, `root page ${table.root} is outside of the file`);
  if (isEmpty ? table.depth !== 0 || table.entries !== 0 : table.depth < 1 || table.depth > 32)
    throw new PageDamage(page, `depth ${table.depth} of a tree is impossible`);
  return table;
}

/** A u64 as a number; what does not fit is larger than any page number. */
export function readU64(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
}
