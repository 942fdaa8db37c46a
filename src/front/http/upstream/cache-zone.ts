/**
 * Cache zones: files on disk, an index in memory, small hot answers in memory too.
 * File: `GNC1` | u32 length of the head | head as JSON, padded with spaces so that it can be rewritten in place | body.
 * Name: md5 of the key in hexadecimal, in folders cut from its end as `levels` says.
 */
import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readSync, renameSync, statSync, unlinkSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { HeaderField } from '../header.ts';

const MAGIC = 'GNC1';
const MEMORY_ENTRY = 64 * 1024;
const MEMORY_TOTAL = 64 * 1024 * 1024;
const MANAGER_MS = 10_000;

/** Everything known of a stored answer but its body. Times are seconds. */
export interface EntryHead {
  key: string;
  status: number;
  statusLine: string;
  fields: HeaderField[];
  validUntil: number;
  /** seconds after validUntil that a stale answer may be used while updating, or on errors */
  staleUpdating: number;
  staleError: number;
  date: number;
  length: number;
  /** Vary of the answer and the hash of the request's values */
  vary: string;
  variant: string;
  tags: string[];
}

export interface CacheNode {
  hash: string;
  key: string;
  uses: number;
  exists: boolean;
  /** a status cached without a body */
  error: number;
  validUntil: number;
  size: number;
  updating: boolean;
  lockUntilMs: number;
  usedAt: number;
  /** Vary of the answers under this key: their hashes are made with the request's values */
  vary: string;
  tags: string[];
  waiters: (() => void)[];
  memory: { head: EntryHead; body: Buffer } | undefined;
  count: number;
}

export interface ZoneOptions {
  path: string;
  levels: number[];
  name: string;
  inactiveSeconds: number;
  maxSize: number;
  minFree: number;
  /** temporary files are made inside the zone */
  ownTemp: boolean;
}

export interface OpenEntry {
  head: EntryHead;
  /** the body in memory, or an open file and where the body starts */
  body?: Buffer;
  fd?: number;
  start: number;
}

const nowSeconds = () => Math.floor(Date.now() / 1000);

export class CacheZone {
  readonly nodes = new Map<string, CacheNode>();
  totalSize = 0;
  private memoryTotal = 0;
  private cold = true;
  private timer: NodeJS.Timeout | undefined;
  hits = 0;
  misses = 0;

  constructor(readonly options: ZoneOptions) {}

  /** Makes the folder; starts the loader and the manager. */
  start(): void {
    mkdirSync(this.options.path, { recursive: true, mode: 0o700 });
    setImmediate(() => this.load());
    this.timer = setInterval(() => this.manage(), MANAGER_MS);
    this.timer.unref();
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
      node = {
        ...{ hash, key, uses: 0, exists: false, error: 0, validUntil: 0, size: 0, updating: false, lockUntilMs: 0, usedAt: nowSeconds() },
        ...{ vary: '', tags: [], waiters: [], memory: undefined, count: 0 },
      };
      this.nodes.set(hash, node);
      if (this.cold) this.adopt(node);
    }
    return node;
  }

  /** A file left by an earlier run. */
  private adopt(node: CacheNode): void {
    let fd: number | undefined;
    try {
      fd = openSync(this.fileOf(node.hash), 'r');
      const read = readHead(fd);
      if (!read) return;
      this.fill(node, read.head, read.start + read.head.length);
    } catch {
      // no such file
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  }

  private fill(node: CacheNode, head: EntryHead, size: number): void {
    this.totalSize += size - node.size;
    node.size = size;
    node.exists = true;
    node.error = 0;
    node.key = head.key;
    node.validUntil = head.validUntil;
    node.tags = head.tags;
  }

  /** Opens a stored answer; undefined if the file is gone or damaged, and then the node forgets it. */
  open(node: CacheNode): OpenEntry | undefined {
    if (node.memory) return { head: node.memory.head, body: node.memory.body, start: 0 };
    let fd: number;
    try {
      fd = openSync(this.fileOf(node.hash), 'r');
    } catch {
      this.forget(node);
      return undefined;
    }
    const read = readHead(fd);
    if (!read || (read.head.key !== node.key && node.key !== '') || fstatSync(fd).size < read.start + read.head.length) {
      closeSync(fd);
      this.forget(node);
      return undefined;
    }
    const { head, start } = read;
    if (head.length <= MEMORY_ENTRY) {
      const body = Buffer.allocUnsafeSlow(head.length);
      readSync(fd, body, 0, head.length, start);
      closeSync(fd);
      this.keepInMemory(node, head, body);
      return { head, body, start: 0 };
    }
    return { head, fd, start };
  }

  private keepInMemory(node: CacheNode, head: EntryHead, body: Buffer): void {
    if (node.memory) this.memoryTotal -= node.memory.body.length;
    node.memory = { head, body };
    this.memoryTotal += body.length;
    if (this.memoryTotal <= MEMORY_TOTAL) return;
    for (const other of this.nodes.values()) {
      if (other === node || !other.memory) continue;
      this.memoryTotal -= other.memory.body.length;
      other.memory = undefined;
      if (this.memoryTotal <= MEMORY_TOTAL * 0.9) break;
    }
  }

  private forget(node: CacheNode): void {
    this.totalSize -= node.size;
    if (node.memory) this.memoryTotal -= node.memory.body.length;
    node.memory = undefined;
    node.size = 0;
    node.exists = false;
  }

  /** Puts a finished temporary file in place. */
  commit(node: CacheNode, temp: string, head: EntryHead, size: number): void {
    const file = this.fileOf(node.hash);
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    renameSync(temp, file);
    if (node.memory) {
      this.memoryTotal -= node.memory.body.length;
      node.memory = undefined;
    }
    this.fill(node, head, size);
    node.usedAt = nowSeconds();
    this.release(node);
    if (this.options.maxSize > 0 && this.totalSize > this.options.maxSize) setImmediate(() => this.manage());
  }

  /** New validity after a 304. */
  refresh(node: CacheNode, head: EntryHead): void {
    node.validUntil = head.validUntil;
    if (node.memory) node.memory.head = head;
    try {
      const fd = openSync(this.fileOf(node.hash), 'r+');
      const text = headBytes(head, readReserved(fd));
      if (text) writeSync(fd, text, 0, text.length, 0);
      closeSync(fd);
    } catch {
      // removed meanwhile
    }
    this.release(node);
  }

  /** The fetch for a node ended: those who wait look again. */
  release(node: CacheNode): void {
    node.updating = false;
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
    this.forget(node);
    node.error = 0;
    if (!node.updating && node.waiters.length === 0) this.nodes.delete(node.hash);
  }

  /** Removes entries: by whole key, by prefix (`text*`), or by tag. @returns how many */
  purge(what: { key?: string; tag?: string }): number {
    let count = 0;
    const prefix = what.key?.endsWith('*') ? what.key.slice(0, -1) : undefined;
    for (const node of [...this.nodes.values()]) {
      if (!node.exists) continue;
      const hit =
        what.tag !== undefined ? node.tags.includes(what.tag) : prefix !== undefined ? node.key.startsWith(prefix) : node.key === what.key;
      if (!hit) continue;
      this.remove(node);
      count++;
    }
    return count;
  }

  private manage(): void {
    const now = nowSeconds();
    const { inactiveSeconds, maxSize } = this.options;
    for (const node of [...this.nodes.values()]) {
      if (node.count > 0 || node.updating) continue;
      if (now - node.usedAt >= inactiveSeconds) this.remove(node);
    }
    if (maxSize === 0 || this.totalSize <= maxSize) return;
    const oldest = [...this.nodes.values()].filter((n) => n.exists && n.count === 0).sort((a, b) => a.usedAt - b.usedAt);
    for (const node of oldest) {
      if (this.totalSize <= maxSize) break;
      this.remove(node);
    }
  }

  /** Finds the files of earlier runs, a folder at a time. */
  private load(): void {
    const walk = (folder: string, depth: number): void => {
      let names: string[];
      try {
        names = readdirSync(folder);
      } catch {
        return;
      }
      for (const name of names) {
        const full = path.join(folder, name);
        if (depth < this.options.levels.length) {
          if (name.length === this.options.levels[depth] && statSync(full).isDirectory()) walk(full, depth + 1);
        } else if (/^[0-9a-f]{32}$/.test(name) && !this.nodes.has(name)) this.node(name, '');
      }
    };
    walk(this.options.path, 0);
    this.cold = false;
  }
}

function readReserved(fd: number): number {
  const start = Buffer.alloc(8);
  readSync(fd, start, 0, 8, 0);
  return start.readUInt32BE(4);
}

/** Head as stored. @param reserved bytes kept for it, undefined for a new file; undefined if it does not fit */
export function headBytes(head: EntryHead, reserved?: number): Buffer | undefined {
  const json = JSON.stringify(head);
  const size = reserved ?? Math.ceil((json.length + 128) / 256) * 256;
  if (json.length > size) return undefined;
  const out = Buffer.alloc(8 + size, 32);
  out.write(MAGIC, 0, 'latin1');
  out.writeUInt32BE(size, 4);
  out.write(json, 8, 'latin1');
  return out;
}

const MAX_HEAD = 1 << 20;

function readHead(fd: number): { head: EntryHead; start: number } | undefined {
  const start = Buffer.alloc(8);
  if (readSync(fd, start, 0, 8, 0) < 8 || start.latin1Slice(0, 4) !== MAGIC) return undefined;
  const size = start.readUInt32BE(4);
  if (size > MAX_HEAD) return undefined;
  const text = Buffer.alloc(size);
  if (readSync(fd, text, 0, size, 8) < size) return undefined;
  try {
    return { head: JSON.parse(text.latin1Slice()) as EntryHead, start: 8 + size };
  } catch {
    return undefined;
  }
}
