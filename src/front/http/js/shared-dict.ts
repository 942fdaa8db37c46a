// js_shared_dict_zone: dictionaries shared by all event loops and preserved by reloads. Each event loop holds all entries; changes are made under a
// lock in shared memory, after applying the changes of others, so that all see them in the same order.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { present } from '../../../common/present.ts';
import { drain, onNews, tellLoops } from '../../zone/bus.ts';
import { loop } from '../../zone/memory.ts';
import { SharedTable } from '../../zone/table.ts';

type DictValue = string | number;
interface Entry {
  value: DictValue;
  /** Expiry time in ms, Infinity for never. */
  expiresAt: number;
}

export interface DictOptions {
  name: string;
  capacity: number;
  /** Lifetime of entries in ms, 0 for unlimited. */
  timeoutMs: number;
  type: 'string' | 'number';
  /** Evict the entries that expire next if the dictionary is full. */
  evict: boolean;
  /** File that preserves the entries over a restart. */
  state: string;
  /** Name of its memory; by default that of `js_shared_dict_zone`. */
  memory?: string;
}

/** Overhead per entry, in bytes. */
const ENTRY_BYTES = 64;
const SAVE_MS = 1000;

export class SharedDictFullError extends Error {}

interface News {
  /** null for all keys. */
  key: string | null;
  /** null if the entry was deleted. */
  entry: Entry | null;
}

export class SharedDict {
  #entries = new Map<string, Entry>();
  #bytes = 0;
  #revision = 0;
  readonly #lock: SharedTable;
  #saving: NodeJS.Timeout | null = null;

  constructor(readonly options: DictOptions) {
    this.#lock = new SharedTable(this.#topic, 1, 1);
    onNews<News>(this.#topic, ({ key, entry }) => {
      if (key === null) this.#wipe();
      else this.#put(key, entry);
      this.#save();
    });
  }

  get #topic(): string {
    return this.options.memory ?? `js_shared:${this.options.name}`;
  }

  get name(): string {
    return this.options.name;
  }
  get capacity(): number {
    return this.options.capacity;
  }
  get type(): string {
    return this.options.type;
  }

  /** Changes with each change of an entry, after `catchUp` also with those made by other event loops. */
  get revision(): number {
    return this.#revision;
  }
  /** Applies the changes made by other event loops. */
  catchUp(): void {
    drain();
  }

  has(key: string): boolean {
    return this.#read(key) !== null;
  }
  get(key: string): DictValue | undefined {
    return this.#read(key)?.value;
  }
  keys(maxCount = 1024): string[] {
    return this.#live(maxCount).map(([key]) => key);
  }
  items(maxCount = 1024): [string, DictValue][] {
    return this.#live(maxCount).map(([key, entry]) => [key, entry.value]);
  }
  size(): number {
    return this.#live(Infinity).length;
  }
  freeSpace(): number {
    drain();
    return Math.max(0, this.options.capacity - this.#bytes);
  }

  /** @throws SharedDictFullError */
  set(key: string, value: DictValue, timeoutMs?: number): this {
    this.#change(() => this.#write(key, this.#checked(value), timeoutMs));
    return this;
  }
  /** Adds a new key. @returns false if it exists */
  add(key: string, value: DictValue, timeoutMs?: number): boolean {
    return this.#change(() => {
      if (this.#find(key)) return false;
      this.#write(key, this.#checked(value), timeoutMs);
      return true;
    });
  }
  /** Replaces an existing key. @returns false if it does not exist */
  replace(key: string, value: DictValue): boolean {
    return this.#change(() => {
      if (!this.#find(key)) return false;
      this.#write(key, this.#checked(value), undefined);
      return true;
    });
  }
  /** Adds to a number that starts as `init`. @returns the new value */
  incr(key: string, delta = 1, init = 0, timeoutMs?: number): number {
    if (this.options.type !== 'number') throw new TypeError('shared dict is not of type number');
    return this.#change(() => {
      const value = ((this.#find(key)?.value as number | undefined) ?? init) + delta;
      this.#write(key, this.#checked(value), timeoutMs);
      return value;
    });
  }
  delete(key: string): boolean {
    return this.pop(key) !== undefined;
  }
  /** Removes a key. @returns its value */
  pop(key: string): DictValue | undefined {
    return this.#change(() => {
      const found = this.#find(key);
      if (found) this.#tell({ key, entry: null });
      return found?.value;
    });
  }
  clear(): void {
    this.#change(() => this.#tell({ key: null, entry: null }));
  }

  // ---------------------------------------------------------------- implementation

  #change<T>(work: () => T): T {
    return this.#lock.locked(() => {
      drain();
      return work();
    });
  }

  #read(key: string): Entry | null {
    drain();
    return this.#find(key);
  }

  #find(key: string): Entry | null {
    const entry = this.#entries.get(String(key));
    return entry && entry.expiresAt > Date.now() ? entry : null;
  }

  #live(maxCount: number): [string, Entry][] {
    drain();
    const now = Date.now();
    const out: [string, Entry][] = [];
    for (const item of this.#entries) {
      if (out.length >= maxCount) break;
      if (item[1].expiresAt > now) out.push(item);
    }
    return out;
  }

  #checked(value: DictValue): DictValue {
    const { type } = this.options;
    const given: string = typeof value;
    if (given !== type || (type === 'number' && !Number.isFinite(value))) throw new TypeError(`shared dict holds values of type ${type}`);
    return value;
  }

  #write(keyGiven: string, value: DictValue, timeoutMs: number | undefined): void {
    const key = String(keyGiven);
    const ms = timeoutMs ?? this.options.timeoutMs;
    if (timeoutMs !== undefined && this.options.timeoutMs === 0) throw new TypeError('shared dict must be declared with timeout');
    const entry: Entry = { value, expiresAt: ms > 0 ? Date.now() + ms : Infinity };
    const needed = costOf(key, entry) - (this.#entries.has(key) ? costOf(key, present(this.#entries.get(key))) : 0);
    if (this.#bytes + needed > this.options.capacity) this.#makeRoom(key, needed);
    this.#tell({ key, entry });
  }

  #makeRoom(keep: string, needed: number): void {
    const { capacity, evict } = this.options;
    const now = Date.now();
    const drop = (key: string) => this.#tell({ key, entry: null });
    for (const [key, entry] of [...this.#entries]) if (entry.expiresAt <= now && key !== keep) drop(key);
    if (evict && this.#bytes + needed > capacity) {
      const next = [...this.#entries].filter(([key]) => key !== keep).sort((a, b) => a[1].expiresAt - b[1].expiresAt);
      for (const [key] of next) {
        if (this.#bytes + needed <= capacity) break;
        drop(key);
      }
    }
    if (this.#bytes + needed > capacity) throw new SharedDictFullError(`shared dict "${this.name}" is full`);
  }

  #tell(news: News): void {
    if (news.key === null) this.#wipe();
    else this.#put(news.key, news.entry);
    tellLoops(this.#topic, news);
    this.#save();
  }

  #put(key: string, entry: Entry | null): void {
    this.#revision++;
    const before = this.#entries.get(key);
    if (before) this.#bytes -= costOf(key, before);
    if (entry) {
      this.#bytes += costOf(key, entry);
      this.#entries.set(key, entry);
    } else this.#entries.delete(key);
  }

  #wipe(): void {
    this.#revision++;
    this.#entries = new Map();
    this.#bytes = 0;
  }

  // ---------------------------------------------------------------- reload and restart

  exportState(): unknown {
    return { type: this.options.type, entries: [...this.#entries] };
  }
  importState(state: unknown): void {
    const { type, entries } = state as { type: string; entries: [string, Entry][] };
    if (type === this.options.type) for (const [key, entry] of entries) this.#put(key, entry);
  }

  /** Reads the state file. @throws Error: it is damaged */
  load(): void {
    const { state } = this.options;
    if (state === '') return;
    let text: string;
    try {
      text = readFileSync(state, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    for (const [key, { value, expire }] of Object.entries(JSON.parse(text) as Record<string, { value: DictValue; expire?: number }>))
      this.#put(key, { value: this.#checked(value), expiresAt: expire ?? Infinity });
  }

  #save(): void {
    if (this.options.state === '' || loop.index > 0 || this.#saving) return;
    this.#saving = setTimeout(() => this.saveNow(), SAVE_MS);
    this.#saving.unref();
  }

  /** Writes the state file, if there is one and it is outdated. */
  saveNow(): void {
    if (!this.#saving) return;
    clearTimeout(this.#saving);
    this.#saving = null;
    const { state } = this.options;
    const list = this.#live(Infinity).map(([key, { value, expiresAt }]) => [
      key,
      expiresAt === Infinity ? { value } : { value, expire: expiresAt },
    ]);
    writeFileSync(`${state}.new`, JSON.stringify(Object.fromEntries(list)));
    renameSync(`${state}.new`, state);
  }
}

function costOf(key: string, { value }: Entry): number {
  return ENTRY_BYTES + key.length + (typeof value === 'string' ? value.length : 8);
}
