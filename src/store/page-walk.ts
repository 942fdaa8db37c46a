// Walks the trees of the store's LMDB file and reports every deviation from what LMDB writes: page headers, offsets, the order of keys,
// counts, pages used twice, and overlaps with the free list. LMDB can read any accepted page without leaving its bounds.
import {
  BRANCH,
  LEAF,
  type MetaPage,
  NO_PAGE,
  NODE_HEADER_BYTES,
  NODE_OVERFLOW,
  NODE_TABLE,
  OVERFLOW,
  PAGE_HEADER_BYTES,
  PageDamage,
  type PageFile,
  type PageTable,
  readTable,
  readU64,
  TABLE_BYTES,
} from './page-file.ts';

const OVERFLOW_NODE_BYTES = 24;
const FREE_LIST = 'free list';
const MAIN = 'tables';
/** The table of documents, whose keys have one length. */
const LOG = 'log';
const LOG_KEY_BYTES = 10;

/** Damage of a page, with the keys that it affects. */
export interface FoundDamage {
  readonly page: number | null;
  /** Name of the table. */
  readonly table: string;
  /** Keys that were reachable only through this page, from inclusive, to exclusive; null for no bound. */
  readonly from: Buffer | null;
  readonly to: Buffer | null;
  readonly problem: string;
}

export interface WalkOptions {
  /** Called for each record, in the order of keys within a table. `value` reads it, with its overflow pages. */
  readonly onRecord?: (table: string, key: Buffer, value: () => Buffer) => void;
  /** Pages to read at most, branch pages of all tables first; further leaves are left out. */
  readonly maxPages?: number;
  /** Also checks that no page is used twice or is both used and free; needs one byte per page. */
  readonly countsPages?: boolean;
  /** Called occasionally with the number of pages read. */
  readonly onProgress?: (pages: number) => void;
}

export interface WalkResult {
  readonly damage: readonly FoundDamage[];
  /** False if leaves were left out. */
  readonly isComplete: boolean;
  readonly pagesRead: number;
  /** Pages in use, 1 each; only with `countsPages`. */
  readonly used: Uint8Array | null;
  /** Pages that neither a table uses nor the free list contains; only with `countsPages` and without damage. */
  readonly unreachable: number;
}

interface Bounds {
  readonly from: Buffer | null;
  readonly to: Buffer | null;
}

/** A tree that is being walked. */
interface Tree {
  readonly name: string;
  readonly record: PageTable;
  /** Free list: keys are numbers. */
  readonly hasIntegerKeys: boolean;
  readonly counted: { branch: number; leaf: number; overflow: number; entries: number };
  isWhole: boolean;
}

export function walkPages(file: PageFile, meta: MetaPage, options: WalkOptions = {}): WalkResult {
  return new PageWalk(file, meta, options).run();
}

class PageWalk {
  readonly #file: PageFile;
  readonly #meta: MetaPage;
  readonly #options: WalkOptions;
  readonly #damage: FoundDamage[] = [];
  readonly #used: Uint8Array | null;
  readonly #buffers: Buffer[] = [];
  readonly #tables = new Map<string, PageTable>();
  #pagesRead = 0;
  #isComplete = true;

  constructor(file: PageFile, meta: MetaPage, options: WalkOptions) {
    this.#file = file;
    this.#meta = meta;
    this.#options = options;
    this.#used = options.countsPages ? new Uint8Array(meta.lastPage + 1) : null;
  }

  run(): WalkResult {
    const free: number[] = [];
    this.#walk(FREE_LIST, this.#meta.freeList, true, (key, value) => this.#readFree(key, value(), free));
    this.#walk(MAIN, this.#meta.main, false, null);
    // Small tables first: the service depends on each of their records.
    for (const [name, table] of [...this.#tables].sort(([, a], [, b]) => a.leafPages - b.leafPages)) {
      const { onRecord } = this.#options;
      this.#walk(name, table, false, onRecord ? (key, value) => onRecord(name, key, value) : null);
    }
    const unreachable = this.#used === null ? 0 : this.#compareFree(free, this.#used);
    return { damage: this.#damage, isComplete: this.#isComplete, pagesRead: this.#pagesRead, used: this.#used, unreachable };
  }

  #walk(name: string, record: PageTable, hasIntegerKeys: boolean, onRecord: ((key: Buffer, value: () => Buffer) => void) | null): void {
    const counted = { branch: 0, leaf: 0, overflow: 0, entries: 0 };
    const tree: Tree = { name, record, hasIntegerKeys, counted, isWhole: true };
    if (record.root !== NO_PAGE) this.#page(tree, record.root, 1, { from: null, to: null }, onRecord);
    if (!tree.isWhole) return;
    const wrong =
      counted.branch !== record.branchPages ||
      counted.leaf !== record.leafPages ||
      counted.overflow !== record.overflowPages ||
      counted.entries !== record.entries;
    if (wrong) this.#report(tree, null, { from: null, to: null }, 'the numbers of pages and records do not match the record of the table');
  }

  #report(tree: Tree, page: number | null, bounds: Bounds, problem: string): void {
    tree.isWhole = false;
    const copy = (key: Buffer | null): Buffer | null => (key === null ? null : Buffer.from(key));
    this.#damage.push({ page, table: tree.name, from: copy(bounds.from), to: copy(bounds.to), problem });
  }

  #page(tree: Tree, page: number, level: number, bounds: Bounds, onRecord: ((key: Buffer, value: () => Buffer) => void) | null): void {
    const isLeaf = level === tree.record.depth;
    if (isLeaf && this.#isLimitReached()) return this.#leaveOut(tree);
    try {
      const bytes = this.#read(page, level);
      const nodes = checkHeader(bytes, page, isLeaf ? LEAF : BRANCH, this.#meta.txnId);
      this.#use(page, 1);
      checkNodes(bytes, page, nodes, isLeaf, tree.hasIntegerKeys, bounds);
      if (isLeaf) this.#leaf(tree, page, bytes, nodes, onRecord);
      else this.#branch(tree, page, bytes, nodes, level, bounds, onRecord);
    } catch (error) {
      if (!(error instanceof PageDamage)) throw error;
      this.#report(tree, error.page ?? page, bounds, error.message);
    }
  }

  /** Small tables come first, so only leaves of the large one are left out. */
  #isLimitReached(): boolean {
    return this.#options.maxPages !== undefined && this.#pagesRead >= this.#options.maxPages;
  }

  #leaveOut(tree: Tree): void {
    tree.isWhole = false;
    this.#isComplete = false;
  }

  #branch(
    tree: Tree,
    page: number,
    bytes: Buffer,
    nodes: number,
    level: number,
    bounds: Bounds,
    onRecord: ((key: Buffer, value: () => Buffer) => void) | null,
  ): void {
    if (nodes < 2) throw new PageDamage(page, `branch page with ${nodes} children`);
    tree.counted.branch++;
    for (let i = 0; i < nodes; i++) {
      if (level + 1 === tree.record.depth && this.#isLimitReached()) return this.#leaveOut(tree);
      const at = nodeOffset(bytes, i);
      const child = bytes.readUInt32LE(at) + bytes.readUInt16LE(at + 4) * 2 ** 32;
      const inner = { from: i === 0 ? bounds.from : keyAt(bytes, i), to: i + 1 < nodes ? keyAt(bytes, i + 1) : bounds.to };
      if (child < 2 || child > this.#meta.lastPage) {
        this.#report(tree, page, inner, `child page ${child} is outside of the file`);
        continue;
      }
      this.#page(tree, child, level + 1, inner, onRecord);
    }
  }

  #leaf(tree: Tree, page: number, bytes: Buffer, nodes: number, onRecord: ((key: Buffer, value: () => Buffer) => void) | null): void {
    tree.counted.leaf++;
    tree.counted.entries += nodes;
    for (let i = 0; i < nodes; i++) {
      const at = nodeOffset(bytes, i);
      const size = bytes.readUInt32LE(at);
      const flags = bytes.readUInt16LE(at + 4);
      const keyBytes = bytes.readUInt16LE(at + 6);
      const valueAt = at + NODE_HEADER_BYTES + keyBytes;
      try {
        if (tree.name === LOG && keyBytes !== LOG_KEY_BYTES) throw new PageDamage(page, `a key of ${keyBytes} bytes`);
        if (flags === NODE_TABLE) {
          if (tree.name !== MAIN || size !== TABLE_BYTES || bytes.readUInt16LE(valueAt + 4) !== 0)
            throw new PageDamage(page, 'not the record of a table');
          this.#tables.set(tableName(keyAt(bytes, i)), readTable(bytes, valueAt, page, this.#meta.lastPage));
        } else if (flags === NODE_OVERFLOW) {
          const first = readU64(bytes, valueAt);
          const pages = this.#checkOverflow(first, readU64(bytes, valueAt + 16), size);
          tree.counted.overflow += pages;
          onRecord?.(keyAt(bytes, i), () => this.#overflow(first, size));
        } else onRecord?.(keyAt(bytes, i), () => bytes.subarray(valueAt, valueAt + size));
      } catch (error) {
        if (!(error instanceof PageDamage)) throw error;
        const key = keyAt(bytes, i);
        this.#report(tree, error.page ?? page, { from: key, to: Buffer.concat([key, Buffer.of(0)]) }, error.message);
      }
    }
  }

  #checkOverflow(first: number, noted: number, size: number): number {
    const pages = Math.floor((PAGE_HEADER_BYTES - 1 + size) / this.#file.pageBytes) + 1;
    if (first < 2 || first + pages - 1 > this.#meta.lastPage) throw new PageDamage(null, `overflow page ${first} is outside of the file`);
    if (noted !== pages) throw new PageDamage(null, `a record of ${size} bytes on ${noted} pages`);
    this.#pagesRead++;
    const head = this.#file.read(first, Buffer.allocUnsafe(PAGE_HEADER_BYTES));
    if (readU64(head, 0) !== first) throw new PageDamage(first, `page number ${readU64(head, 0)} in an overflow page`);
    if (head.readUInt16LE(18) !== OVERFLOW) throw new PageDamage(first, `flags ${head.readUInt16LE(18)} in an overflow page`);
    if (head.readUInt32LE(20) !== pages)
      throw new PageDamage(first, `${head.readUInt32LE(20)} pages noted in an overflow page of ${pages}`);
    if ((first + pages) * this.#file.pageBytes > this.#file.bytes) throw new PageDamage(first, 'the file ends within an overflow record');
    this.#use(first, pages);
    return pages;
  }

  #overflow(first: number, size: number): Buffer {
    return this.#file.read(first, Buffer.allocUnsafe(PAGE_HEADER_BYTES + size)).subarray(PAGE_HEADER_BYTES);
  }

  #read(page: number, level: number): Buffer {
    this.#buffers[level] ??= Buffer.allocUnsafe(this.#file.pageBytes);
    if ((++this.#pagesRead & 1023) === 0) this.#options.onProgress?.(this.#pagesRead);
    return this.#file.read(page, this.#buffers[level]);
  }

  #use(first: number, pages: number): void {
    if (this.#used === null) return;
    for (let page = first; page < first + pages; page++) {
      if (this.#used[page]) throw new PageDamage(page, 'the page is used twice');
      this.#used[page] = 1;
    }
  }

  /** A record of the free list: a count, then page numbers; a negative number is the length of a run that starts at the next one. */
  #readFree(key: Buffer, value: Buffer, into: number[]): void {
    const count = value.length < 8 ? -1 : Number(value.readBigInt64LE(0));
    const txnId = readU64(key, 0);
    if (count < 0 || (count + 1) * 8 > value.length)
      throw new PageDamage(null, `record ${txnId} of the free list has an impossible length`);
    for (let i = 1; i <= count; i++) {
      const entry = Number(value.readBigInt64LE(i * 8));
      if (entry === 0) continue;
      const length = entry < 0 ? -entry : 1;
      const first = entry < 0 ? (i < count ? Number(value.readBigInt64LE(++i * 8)) : 0) : entry;
      if (first < 2 || first + length - 1 > this.#meta.lastPage)
        throw new PageDamage(null, `record ${txnId} of the free list contains page ${first}, which is outside of the file`);
      if (this.#used !== null) for (let page = first; page < first + length; page++) into.push(page);
    }
  }

  /** @returns the number of pages that are neither used nor free */
  #compareFree(free: readonly number[], used: Uint8Array): number {
    const isFree = new Uint8Array(used.length);
    const wrong: number[] = [];
    for (const page of free) {
      if (used[page] || isFree[page]) wrong.push(page);
      isFree[page] = 1;
    }
    const list: Tree = { ...EMPTY_TREE, name: FREE_LIST };
    if (wrong.length > 0) {
      const shown = wrong.slice(0, 5).join(', ');
      this.#report(list, wrong[0], { from: null, to: null }, `${wrong.length} pages are free twice or free and in use: ${shown}`);
    }
    let unreachable = 0;
    for (let page = 2; page < used.length; page++) if (!used[page] && !isFree[page]) unreachable++;
    return this.#damage.length > 0 ? 0 : unreachable;
  }
}

const EMPTY_TREE: Omit<Tree, 'name'> = {
  record: { root: NO_PAGE, depth: 0, branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 },
  hasIntegerKeys: false,
  counted: { branch: 0, leaf: 0, overflow: 0, entries: 0 },
  isWhole: true,
};

/** @returns the number of nodes. @throws PageDamage */
function checkHeader(bytes: Buffer, page: number, flags: number, txnId: number): number {
  const fail = (what: string): never => {
    throw new PageDamage(page, what);
  };
  if (readU64(bytes, 0) !== page) fail(`page number ${readU64(bytes, 0)} in its place`);
  if (readU64(bytes, 8) > txnId) fail(`transaction ${readU64(bytes, 8)} is newer than the store's ${txnId}`);
  if (bytes.readUInt16LE(16) !== 0) fail('wrong header');
  if (bytes.readUInt16LE(18) !== flags) fail(`flags ${bytes.readUInt16LE(18)} instead of ${flags}`);
  const lower = bytes.readUInt16LE(20);
  const upper = bytes.readUInt16LE(22);
  if (lower & 1 || lower > upper || upper > bytes.length - PAGE_HEADER_BYTES) fail(`free space from ${lower} to ${upper} is impossible`);
  return lower >> 1;
}

function nodeOffset(bytes: Buffer, i: number): number {
  return PAGE_HEADER_BYTES + bytes.readUInt16LE(PAGE_HEADER_BYTES + 2 * i);
}

/** A view of the key of a node, which must have been checked. */
function keyAt(bytes: Buffer, i: number): Buffer {
  const at = nodeOffset(bytes, i);
  return bytes.subarray(at + NODE_HEADER_BYTES, at + NODE_HEADER_BYTES + bytes.readUInt16LE(at + 6));
}

/** Checks that nodes are within the page and their keys ascend within the bounds. @throws PageDamage */
function checkNodes(bytes: Buffer, page: number, nodes: number, isLeaf: boolean, hasIntegerKeys: boolean, bounds: Bounds): void {
  const fail = (what: string): never => {
    throw new PageDamage(page, what);
  };
  const upper = PAGE_HEADER_BYTES + bytes.readUInt16LE(22);
  let total = 0;
  // The first key of a branch page is not used.
  const first = isLeaf ? 0 : 1;
  for (let i = 0; i < nodes; i++) {
    const at = nodeOffset(bytes, i);
    if (at < upper || at & 1 || at + NODE_HEADER_BYTES > bytes.length) fail(`node ${i} is outside of the page`);
    const keyBytes = bytes.readUInt16LE(at + 6);
    let size = NODE_HEADER_BYTES + keyBytes;
    if (isLeaf) {
      const flags = bytes.readUInt16LE(at + 4);
      if (flags !== 0 && flags !== NODE_OVERFLOW && flags !== NODE_TABLE) fail(`flags ${flags} of node ${i} are impossible`);
      size += flags === NODE_OVERFLOW ? OVERFLOW_NODE_BYTES : bytes.readUInt32LE(at);
      if (keyBytes === 0 || (hasIntegerKeys && keyBytes !== 8)) fail(`node ${i} has a key of ${keyBytes} bytes`);
    }
    if (at + size > bytes.length) fail(`node ${i} ends outside of the page`);
    total += (size + 1) & ~1;
    if (i > first && compareNodes(bytes, i - 1, i, hasIntegerKeys) >= 0) fail(`key ${i} is not greater than the one before it`);
  }
  // Keys ascend, so the first and the last are within the bounds if all are.
  if (bounds.from !== null && nodes > first && compareKeys(keyAt(bytes, first), bounds.from, hasIntegerKeys) < 0)
    fail(`key ${first} belongs to an earlier page`);
  if (bounds.to !== null && nodes > first && compareKeys(keyAt(bytes, nodes - 1), bounds.to, hasIntegerKeys) >= 0)
    fail(`key ${nodes - 1} belongs to a later page`);
  // LMDB leaves no gap between nodes, so a wrong number of them shows here, too.
  if (total !== bytes.length - upper) fail('nodes overlap or leave gaps');
}

/** Compares the keys of two nodes without creating views, which would dominate the time of a walk. */
function compareNodes(bytes: Buffer, a: number, b: number, isInteger: boolean): number {
  const atA = nodeOffset(bytes, a) + NODE_HEADER_BYTES;
  const atB = nodeOffset(bytes, b) + NODE_HEADER_BYTES;
  if (isInteger) return readU64(bytes, atA) - readU64(bytes, atB);
  return bytes.compare(bytes, atB, atB + bytes.readUInt16LE(atB - 2), atA, atA + bytes.readUInt16LE(atA - 2));
}

function compareKeys(a: Buffer, b: Buffer, isInteger: boolean): number {
  return isInteger ? readU64(a, 0) - readU64(b, 0) : Buffer.compare(a, b);
}

/** Names of tables may end with a zero byte. */
function tableName(key: Buffer): string {
  return key.toString('latin1').replace(/\0+$/, '');
}
