// Cache zones: files on disk, an index in memory, and small hot responses in memory, too. Each event loop has the whole index; changes are
// broadcast, and applied before the next lookup. What all loops count or lock together (uses, the lock of the fetching request) is in
// shared memory. One class, since the index, its files and the hot copies change together.
import { closeSync, fstatSync, mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import path from 'node:path';
import { nowSeconds } from '../../../../http/wire/clock.ts';
import { onNews, tellLoops } from '../../../zone/bus.ts';
import { Counters, loop } from '../../../zone/memory.ts';
import { SharedTable } from '../../../zone/table.ts';
import { holdForms } from '../../files/coded-bodies.ts';
import { moveFile } from '../../files/move-file.ts';
import { type EntryHead, headBytes, md5, readHead, readReserved } from './cache-entry.ts';
import type { CacheNode, News, OpenEntry } from './cache-node.ts';
import { CacheManager, loadFiles, type UpkeepOptions, type UpkeptZone } from './cache-upkeep.ts';

const MEMORY_ENTRY = 64 * 1024;
const MEMORY_TOTAL = 64 * 1024 * 1024;

/** size of a key in a zone, as in nginx */
const KEY_BYTES = 128;
/** record in shared memory: number of uses, end of the fetching request's lock (ms), last use (s) */
const [USES, LOCK_UNTIL, USED_AT, MARK_FIELDS] = [0, 1, 2, 3];
const [HITS, MISSES] = [0, 1];

interface ZoneOptions extends UpkeepOptions {
  name: string;
  /** size of the zone of keys */
  keysBytes: number;
  /** temporary files are created inside the zone */
  ownTemp: boolean;
}

export class CacheZone implements UpkeptZone<CacheNode> {
  readonly nodes = new Map<string, CacheNode>();
  /** recently used nodes by key: hashing a key costs more than the rest of a hit */
  readonly #byKey = new Map<string, CacheNode>();
  totalSize = 0;
  #memoryTotal = 0;
  #cold = true;
  readonly #manager: CacheManager<CacheNode>;
  readonly #marks: SharedTable;
  readonly #counts: Counters;

  constructor(readonly options: ZoneOptions) {
    this.#marks = new SharedTable(`cache:${options.name}`, Math.max(16, Math.floor(options.keysBytes / KEY_BYTES)), MARK_FIELDS);
    this.#counts = new Counters(`cache:${options.name}`, 2);
    this.#manager = new CacheManager(options, this);
  }

  get hits(): number {
    return this.#counts.total(HITS);
  }
  get misses(): number {
    return this.#counts.total(MISSES);
  }
  countHit(): void {
    this.#counts.add(HITS);
  }
  countMiss(): void {
    this.#counts.add(MISSES);
  }

  /** Creates the folder; starts the loader, and in the first event loop the manager. */
  start(): void {
    mkdirSync(this.options.path, { recursive: true, mode: 0o700 });
    onNews<News>(`cache:${this.options.name}`, (news) => this.#hear(news));
    loadFiles(
      this.options,
      (hash) => {
        if (!this.nodes.has(hash)) this.node(hash, '');
      },
      () => {
        this.#cold = false;
      },
    );
    if (loop.index === 0) this.#manager.start();
  }

  fileOf(hash: string): string {
    let end = hash.length;
    const folders = this.options.levels.map((level) => {
      end -= level;
      return hash.slice(end, end + level);
    });
    return path.join(this.options.path, ...folders, hash);
  }

  node(hash: string, key: string): CacheNode {
    let node = this.nodes.get(hash);
    if (!node) {
      if (this.nodes.size >= this.#marks.capacity) this.#makeRoom();
      node = {
        ...{ hash, key, exists: false, error: 0, validUntil: 0, size: 0, usedAt: nowSeconds() },
        ...{ vary: '', tags: [], waiters: [], memory: null, count: 0 },
      };
      this.nodes.set(hash, node);
      if (this.#cold) this.#adopt(node);
    }
    return node;
  }

  /** The key's own node. */
  nodeOf(key: string): CacheNode {
    let node = this.#byKey.get(key);
    if (!node) {
      node = this.node(md5(key), key);
      // the loader knows only the names of files
      if (node.key === '') node.key = key;
      this.#byKey.set(key, node);
    }
    return node;
  }

  #unlist(node: CacheNode): void {
    this.nodes.delete(node.hash);
    if (this.#byKey.get(node.key) === node) this.#byKey.delete(node.key);
  }

  /** A file left by an earlier run. */
  #adopt(node: CacheNode): void {
    let fd: number | null = null;
    try {
      fd = openSync(this.fileOf(node.hash), 'r');
      const read = readHead(fd);
      if (!read) return;
      this.#fill(node, read.head, read.start + read.head.length);
    } catch {
      // no such file
    } finally {
      if (fd !== null) closeSync(fd);
    }
  }

  // ---------------------------------------------------------------- what event loops share

  #tell(news: News): void {
    tellLoops(`cache:${this.options.name}`, news);
  }

  #hear(news: News): void {
    const node = this.nodes.get(news.hash);
    switch (news.kind) {
      case 'stored': {
        const stored = node ?? this.node(news.hash, news.head.key);
        this.#dropMemory(stored);
        this.#fill(stored, news.head, news.size);
        this.#wake(stored);
        this.#limitSize();
        return;
      }
      case 'status': {
        const marked = node ?? this.node(news.hash, news.key);
        marked.error = news.error;
        marked.validUntil = news.validUntil;
        this.#wake(marked);
        return;
      }
    }
    if (!node) return;
    if (news.kind === 'refreshed') {
      node.validUntil = news.validUntil;
      this.#dropMemory(node);
    } else if (news.kind === 'removed') this.#drop(node);
    this.#wake(node);
  }

  #mark<T>(node: CacheNode, work: (data: Float64Array, at: number) => T): T {
    const marks = this.#marks;
    return marks.locked(() => work(marks.data, marks.take(node.hash) * MARK_FIELDS));
  }

  /** The zone is full of keys: the least recently used entry is removed with its file. */
  #makeRoom(): void {
    for (const node of this.nodes.values()) {
      if (node.count > 0 || node.waiters.length > 0) continue;
      this.remove(node);
      this.#unlist(node);
      return;
    }
  }

  /** Counts a request for the entry. @returns the count, this one included */
  use(node: CacheNode): number {
    const now = nowSeconds();
    // the map is ordered by last use, to the second
    if (node.usedAt !== now) {
      node.usedAt = now;
      this.nodes.delete(node.hash);
      this.nodes.set(node.hash, node);
    }
    const marks = this.#marks;
    marks.lock();
    const at = marks.take(node.hash) * MARK_FIELDS;
    marks.data[at + USED_AT] = now;
    const uses = ++marks.data[at + USES];
    marks.unlock();
    return uses;
  }

  /** Makes the caller the one that fetches the entry; false if another request does. */
  tryLock(node: CacheNode, ms: number): boolean {
    return this.#mark(node, (data, at) => {
      if (data[at + LOCK_UNTIL] > Date.now()) return false;
      data[at + LOCK_UNTIL] = Date.now() + ms;
      return true;
    });
  }

  /** When the fetching request is considered failed, ms; in the past if there is none. */
  lockedUntil(node: CacheNode): number {
    return this.#mark(node, (data, at) => data[at + LOCK_UNTIL]);
  }

  // ---------------------------------------------------------------- entries

  #fill(node: CacheNode, head: Pick<EntryHead, 'key' | 'validUntil' | 'vary' | 'tags'>, size: number): void {
    this.totalSize += size - node.size;
    node.size = size;
    node.exists = true;
    node.error = 0;
    node.key = head.key;
    node.validUntil = head.validUntil;
    node.tags = head.tags;
    // the key's own node lists the request fields that distinguish the responses under it
    this.nodeOf(head.key).vary = head.vary;
  }

  /** Caches a status without a body. */
  keepStatus(node: CacheNode, error: number, validUntil: number): void {
    node.error = error;
    node.validUntil = validUntil;
    this.#tell({ kind: 'status', hash: node.hash, key: node.key, error, validUntil });
  }

  /** Opens a cached response; if the file is gone or damaged, returns null and resets the node. */
  open(node: CacheNode): OpenEntry | null {
    if (node.memory) return { head: node.memory.head, body: node.memory.body, start: 0 };
    let fd: number;
    try {
      fd = openSync(this.fileOf(node.hash), 'r');
    } catch {
      this.#forget(node);
      return null;
    }
    const read = readHead(fd);
    if (!read || (read.head.key !== node.key && node.key !== '') || fstatSync(fd).size < read.start + read.head.length) {
      closeSync(fd);
      this.#forget(node);
      return null;
    }
    const { head, start } = read;
    if (head.length <= MEMORY_ENTRY) {
      const body = Buffer.allocUnsafeSlow(head.length);
      readSync(fd, body, 0, head.length, start);
      closeSync(fd);
      this.#keepInMemory(node, head, body);
      return { head, body, start: 0 };
    }
    return { head, fd, start };
  }

  #keepInMemory(node: CacheNode, head: EntryHead, body: Buffer): void {
    if (node.memory) this.#memoryTotal -= node.memory.body.length;
    holdForms(body);
    node.memory = { head, body };
    this.#memoryTotal += body.length;
    if (this.#memoryTotal <= MEMORY_TOTAL) return;
    for (const other of this.nodes.values()) {
      if (other === node || !other.memory) continue;
      this.#memoryTotal -= other.memory.body.length;
      other.memory = null;
      if (this.#memoryTotal <= MEMORY_TOTAL * 0.9) break;
    }
  }

  #dropMemory(node: CacheNode): void {
    if (node.memory) this.#memoryTotal -= node.memory.body.length;
    node.memory = null;
  }

  #forget(node: CacheNode): void {
    this.totalSize -= node.size;
    this.#dropMemory(node);
    node.size = 0;
    node.exists = false;
  }

  /** Moves a finished temporary file into place. */
  commit(node: CacheNode, temp: string, head: EntryHead, size: number): void {
    const file = this.fileOf(node.hash);
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    moveFile(temp, file);
    this.#dropMemory(node);
    this.#fill(node, head, size);
    node.usedAt = nowSeconds();
    const { key, validUntil, vary, tags } = head;
    this.#tell({ kind: 'stored', hash: node.hash, head: { key, validUntil, vary, tags }, size });
    this.release(node);
    this.#limitSize();
  }

  #limitSize(): void {
    if (loop.index === 0 && this.options.maxSize > 0 && this.totalSize > this.options.maxSize) setImmediate(() => this.#manager.manage());
  }

  /** Renews the validity after a 304. */
  refresh(node: CacheNode, head: EntryHead): void {
    node.validUntil = head.validUntil;
    if (node.memory) node.memory.head = head;
    try {
      const fd = openSync(this.fileOf(node.hash), 'r+');
      const text = headBytes(head, readReserved(fd));
      if (text) writeSync(fd, text, 0, text.length, 0);
      closeSync(fd);
    } catch {
      // removed in the meantime
    }
    this.#tell({ kind: 'refreshed', hash: node.hash, validUntil: head.validUntil });
    this.release(node);
  }

  lastUse(node: CacheNode): number {
    return this.#mark(node, (data, at) => data[at + USED_AT]);
  }

  /** The fetch for a node ended: waiting requests look it up again. */
  release(node: CacheNode): void {
    this.#mark(node, (data, at) => {
      data[at + LOCK_UNTIL] = 0;
    });
    this.#tell({ kind: 'released', hash: node.hash });
    this.#wake(node);
  }

  #wake(node: CacheNode): void {
    const { waiters } = node;
    node.waiters = [];
    for (const waiter of waiters) waiter();
  }

  remove(node: CacheNode): void {
    if (node.exists) {
      try {
        unlinkSync(this.fileOf(node.hash));
      } catch {
        // gone already
      }
    }
    this.#drop(node);
    this.#tell({ kind: 'removed', hash: node.hash });
  }

  #drop(node: CacheNode): void {
    this.#forget(node);
    node.error = 0;
    if (node.count === 0 && node.waiters.length === 0) this.#unlist(node);
  }

  /** Removes entries: by key, by key prefix (`text*`), or by tag. @returns their number */
  purge(what: { key?: string; tag?: string }): number {
    let count = 0;
    const prefix = what.key?.endsWith('*') ? what.key.slice(0, -1) : null;
    for (const node of [...this.nodes.values()]) {
      if (!node.exists) continue;
      const hit =
        what.tag !== undefined ? node.tags.includes(what.tag) : prefix !== null ? node.key.startsWith(prefix) : node.key === what.key;
      if (!hit) continue;
      this.remove(node);
      count++;
    }
    return count;
  }
}
