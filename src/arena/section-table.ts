// A table shared by all threads: which sections of paged segments are in memory, where, and which threads read them. The first thread that
// needs a section loads it into a pool (a range of an arena). It may be evicted when the pool is full and no thread has pinned it.
//   words: control | pools: start, bytes, resident (KB) ··· | rows: state, address, bytes, last use, pool ···
//   pins:  u16[threads][rows], each thread writes its own, so that a thread that ends leaves nothing behind
// Rows and pins are the only state: free ranges are derived from the rows, so terminating a thread between two writes breaks nothing.
// Every transition of a row's state is here, since who may make it has to be seen together.
import { formatByteSize } from '../common/text/byte-size.ts';
import { ApiError } from '../errors/api-error.ts';
import type { SectionCounts, SectionStats } from '../plan/segment-reader.ts';
import { cheapestWindow, firstGap, lastGap, type Resident } from './pool-space.ts';

const CONTROL_WORDS = 32;
const [LOCK, ROW_END, CLOCK, IS_SCARCE, POOLS, LOADS, LOADED_KB, EVICTIONS, EVICTED_KB, WAITS, WAITED_MS, THREAD_END, IS_FULL] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
];
const MAX_POOLS = 64;
const [POOL_START, POOL_BYTES, POOL_KB, POOL_WORDS] = [0, 1, 2, 4];
const ROWS_AT = CONTROL_WORDS + MAX_POOLS * POOL_WORDS;
const [STATE, ADDRESS, BYTES, LAST_USE, POOL, ROW_WORDS] = [0, 1, 2, 3, 4, 8];
const MAX_ROWS = 131_072;

/** States of a row. A loading row has the thread that loads it in the bits above. */
const [ABSENT, LOADING, PRESENT, EVICTING] = [0, 1, 2, 3];
const STATE_MASK = 3;

const ALIGN = 64;
/** A waiting thread checks again after this time, because the other thread may have been terminated. */
const RECHECK_MS = 50;
/** Time after which a request fails if another thread has not loaded the section. */
const MAX_WAIT_MS = 30_000;
/** A request tries this often, and in this interval, to get room that requests of other threads hold: releasing a section notifies nobody. */
const ROOM_ATTEMPTS = 1000;
const ROOM_RECHECK_MS = 2;
/** In place of an address or a state: there is no room until other threads release some. */
const NO_ROOM = -1;
/** The lock is held for a few milliseconds at most; a thread that holds it longer was terminated. */
const MAX_LOCK_MS = 10_000;
const KB = 1024;
/** Sections larger than this share of a pool are placed apart from others. */
const LARGE_SHARE = 1 / 8;

/** Nobody notifies its waiters. */
const NEVER = new Int32Array(new SharedArrayBuffer(4));

export interface SectionSource {
  /** Name in errors. */
  readonly name: string;
  readonly bytes: number;
  /** Reads the section to an address of the arena and verifies its checksum. @throws ApiError corrupt_index_exception */
  load(address: number): void;
}

/** Creates the memory of the table for a number of threads; untouched pages cost nothing. */
export function newSectionMemory(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer((ROWS_AT + MAX_ROWS * ROW_WORDS) * 4 + threads * MAX_ROWS * 2);
}

/** The table as one thread uses it. */
export class SectionTable {
  readonly #words: Int32Array;
  readonly #unsigned: Uint32Array;
  readonly #pins: Uint16Array;
  readonly #thread: number;
  /** Loads, evictions and waits of this thread alone. */
  readonly #done = { loads: 0, loadedBytes: 0, evictions: 0, evictedBytes: 0, waits: 0, waitedMs: 0 };
  /** This thread's pins. Row 0 counts its requests that rely on no section being moved. */
  readonly #own: number;

  readonly #pause: (ms: number) => void;

  /**
   * @param thread  number of the calling thread, from 0
   * @param pause   blocks the thread between two attempts to find room
   */
  constructor(memory: SharedArrayBuffer, thread: number, pause = (ms: number): void => void Atomics.wait(NEVER, 0, 0, ms)) {
    this.#pause = pause;
    const words = (ROWS_AT + MAX_ROWS * ROW_WORDS) * 4;
    this.#words = new Int32Array(memory, 0, words / 4);
    this.#unsigned = new Uint32Array(memory, 0, words / 4);
    this.#pins = new Uint16Array(memory, words);
    this.#thread = thread;
    this.#own = thread * MAX_ROWS;
    for (let end: number; (end = Atomics.load(this.#words, THREAD_END)) <= thread; )
      Atomics.compareExchange(this.#words, THREAD_END, end, thread + 1);
  }

  /** One more than the highest thread number. */
  get #threads(): number {
    return Atomics.load(this.#words, THREAD_END);
  }

  // ------------------------------------------------------------------------------------------------------------ main

  /** Adds a pool: `bytes` of memory from `start` on, a multiple of 64. Only main adds pools and rows. @returns its number */
  addPool(start: number, bytes: number): number {
    const pool = this.#words[POOLS];
    if (pool === MAX_POOLS) throw new RangeError('all pools are in use');
    const at = CONTROL_WORDS + pool * POOL_WORDS;
    this.#unsigned[at + POOL_START] = start;
    this.#unsigned[at + POOL_BYTES] = bytes - (bytes % ALIGN);
    Atomics.store(this.#words, POOLS, pool + 1);
    return pool;
  }

  /** Gives consecutive rows to the sections of a segment. @returns the first row, -1 if the table is full */
  addRows(pool: number, sizes: readonly number[]): number {
    const count = sizes.length;
    let free = 0;
    let row = 1;
    for (; row < MAX_ROWS && free < count; row++) free = this.#unsigned[rowAt(row) + BYTES] === 0 ? free + 1 : 0;
    if (free < count) return -1;
    const first = row - count;
    sizes.forEach((bytes, i) => {
      const at = rowAt(first + i);
      this.#words[at + POOL] = pool;
      this.#unsigned[at + BYTES] = Math.max(bytes, 1);
      Atomics.store(this.#words, at + STATE, ABSENT);
    });
    if (row > this.#words[ROW_END]) Atomics.store(this.#words, ROW_END, row);
    return first;
  }

  /** Frees the rows of a segment that no thread reads any more. */
  removeRows(first: number, count: number): void {
    this.#locked(() => {
      for (let row = first; row < first + count; row++) {
        const at = rowAt(row);
        if ((this.#words[at + STATE] & STATE_MASK) === PRESENT) this.#countResident(row, -1);
        Atomics.store(this.#words, at + STATE, ABSENT);
        this.#unsigned[at + BYTES] = 0;
      }
    });
  }

  /** Marks that not all sections fit in memory, so that new requests pin what they read. */
  setScarce(): void {
    Atomics.store(this.#words, IS_SCARCE, 1);
  }

  /** Whether segments that are wholly in memory take so much space that paged sections should be evicted. Set by main. */
  get isMemoryScarce(): boolean {
    return Atomics.load(this.#words, IS_FULL) === 1;
  }

  set isMemoryScarce(value: boolean) {
    Atomics.store(this.#words, IS_FULL, value ? 1 : 0);
  }

  /** Releases what a terminated thread held. */
  endThread(thread: number): void {
    if (Atomics.compareExchange(this.#words, LOCK, thread + 1, 0) === thread + 1) Atomics.notify(this.#words, LOCK);
    this.#pins.fill(0, thread * MAX_ROWS, thread * MAX_ROWS + this.#words[ROW_END]);
    for (let row = 1; row < this.#words[ROW_END]; row++) {
      const state = rowAt(row) + STATE;
      const interrupted = LOADING | (thread << 2);
      if (Atomics.compareExchange(this.#words, state, interrupted, ABSENT) === interrupted) Atomics.notify(this.#words, state);
      // Only the owner of the lock evicts.
      Atomics.compareExchange(this.#words, state, EVICTING | (thread << 2), PRESENT);
    }
  }

  stats(): SectionStats {
    const words = this.#unsigned;
    let [capacityBytes, residentBytes] = [0, 0];
    for (let pool = 0; pool < words[POOLS]; pool++) {
      capacityBytes += words[CONTROL_WORDS + pool * POOL_WORDS + POOL_BYTES];
      residentBytes += words[CONTROL_WORDS + pool * POOL_WORDS + POOL_KB] * KB;
    }
    return {
      capacityBytes,
      residentBytes,
      loads: words[LOADS],
      loadedBytes: words[LOADED_KB] * KB,
      evictions: words[EVICTIONS],
      evictedBytes: words[EVICTED_KB] * KB,
      waits: words[WAITS],
      waitedMs: words[WAITED_MS],
    };
  }

  /** What this thread has done. */
  ownCounts(): SectionCounts {
    return { ...this.#done };
  }

  /** Bytes of these sections that are in memory. */
  residentBytes(first: number, count: number): number {
    let bytes = 0;
    for (let row = first; row < first + count; row++) {
      const at = rowAt(row);
      if ((Atomics.load(this.#words, at + STATE) & STATE_MASK) === PRESENT) bytes += this.#unsigned[at + BYTES];
    }
    return bytes;
  }

  // --------------------------------------------------------------------------------------------------------- readers

  /** Starts a request. @returns true while all sections fit, so that none is evicted and none needs a pin; `leave` must then follow */
  enter(): boolean {
    Atomics.add(this.#pins, this.#own, 1);
    if (Atomics.load(this.#words, IS_SCARCE) === 0) return true;
    this.leave();
    return false;
  }

  leave(): void {
    Atomics.sub(this.#pins, this.#own, 1);
  }

  /** Sections of one segment that stay in memory until they are released. */
  pinned(): PinnedSections {
    return new PinnedSections(this, Atomics.add(this.#words, CLOCK, 1) + 1);
  }

  /** Pins a section and loads it if it is absent. @param now  of the request, for evictions by recency. @returns its address */
  pin(row: number, now: number, source: SectionSource): number {
    Atomics.add(this.#pins, this.#own + row, 1);
    const at = rowAt(row);
    this.#words[at + LAST_USE] = now;
    if (Atomics.load(this.#words, at + STATE) === PRESENT) return this.#unsigned[at + ADDRESS];
    try {
      return this.#load(row, source);
    } catch (error) {
      this.unpin(row);
      throw error;
    }
  }

  unpin(row: number): void {
    Atomics.sub(this.#pins, this.#own + row, 1);
  }

  /** The address of a section that is not evicted while this request runs, see `enter`. */
  address(row: number, source: SectionSource): number {
    const at = rowAt(row);
    return Atomics.load(this.#words, at + STATE) === PRESENT ? this.#unsigned[at + ADDRESS] : this.#load(row, source);
  }

  #load(row: number, source: SectionSource): number {
    const at = rowAt(row);
    const start = performance.now();
    let hasWaited = false;
    for (let attempts = 0; ; ) {
      const mayWait = attempts < ROOM_ATTEMPTS;
      const state = this.#locked(() => this.#claim(row, source, mayWait));
      if (hasWaited && (state === PRESENT || state === LOADING)) this.#countWait(Math.ceil(performance.now() - start));
      if (state === PRESENT) return this.#unsigned[at + ADDRESS];
      if (state === LOADING) break;
      if (!hasWaited) Atomics.add(this.#words, WAITS, 1);
      hasWaited = true;
      if (performance.now() - start > MAX_WAIT_MS)
        throw new ApiError('timeout_exception', 503, `[${source.name}]: another thread has not loaded it in ${MAX_WAIT_MS} ms`);
      if (state === NO_ROOM) {
        attempts++;
        this.#pause(ROOM_RECHECK_MS);
      } else Atomics.wait(this.#words, at + STATE, state, RECHECK_MS);
    }
    const address = this.#unsigned[at + ADDRESS];
    let loaded = false;
    try {
      source.load(address);
      loaded = true;
    } finally {
      this.#locked(() => {
        Atomics.store(this.#words, at + STATE, loaded ? PRESENT : ABSENT);
        if (loaded) this.#countResident(row, 1);
      });
      Atomics.notify(this.#words, at + STATE);
    }
    Atomics.add(this.#words, LOADS, 1);
    Atomics.add(this.#words, LOADED_KB, Math.ceil(source.bytes / KB));
    this.#done.loads++;
    this.#done.loadedBytes += source.bytes;
    return address;
  }

  #countWait(ms: number): void {
    Atomics.add(this.#words, WAITED_MS, ms);
    this.#done.waits++;
    this.#done.waitedMs += ms;
  }

  /** @returns PRESENT, LOADING if this thread must load the section to its new address, another thread's state, or NO_ROOM if it may wait for that */
  #claim(row: number, source: SectionSource, mayWait: boolean): number {
    const at = rowAt(row);
    const state = Atomics.load(this.#words, at + STATE);
    if (state !== ABSENT) return state;
    const address = this.#place(this.#words[at + POOL], source, mayWait);
    if (address === NO_ROOM) return NO_ROOM;
    this.#unsigned[at + ADDRESS] = address;
    Atomics.store(this.#words, at + STATE, LOADING | (this.#thread << 2));
    return LOADING;
  }

  /** Finds room in a pool, evicting other sections if necessary. @throws ApiError circuit_breaking_exception */
  #place(pool: number, source: SectionSource, mayWait: boolean): number {
    const at = CONTROL_WORDS + pool * POOL_WORDS;
    const start = this.#unsigned[at + POOL_START];
    const end = start + this.#unsigned[at + POOL_BYTES];
    const size = sizeOf(source.bytes);
    for (;;) {
      const residents = this.#residents(pool);
      // Large sections are placed at the end and small ones at the start, where they do not divide the room for large ones.
      const isLarge = size > (end - start) * LARGE_SHARE;
      const free = isLarge ? lastGap(residents, start, end, size) : firstGap(residents, start, end, size);
      if (free >= 0) return free;
      // The free room of the pool may be fragmented.
      this.setScarce();
      const isMovable = this.#canEvict() ? residents.map(({ row }) => this.#isMovable(row)) : residents.map(() => false);
      const ageOf = (i: number): number => (isMovable[i] ? this.#age(residents[i].row) : -1);
      const middle = start + (end - start) / 2;
      const low = isLarge ? null : cheapestWindow(residents, { start, end: middle, size }, ageOf);
      const window = low ?? cheapestWindow(residents, { start, end, size }, ageOf);
      if (window === null && mayWait && size <= end - start && this.#mayRelease(residents)) return NO_ROOM;
      if (window === null) throw this.#noRoomError(pool, source, residents, isMovable);
      for (const { row } of residents.slice(window.from, window.to)) if (!this.#evict(row)) break;
    }
  }

  #residents(pool: number): Resident[] {
    const found: Resident[] = [];
    for (let row = 1; row < this.#words[ROW_END]; row++) {
      const at = rowAt(row);
      if (this.#words[at + STATE] === ABSENT || this.#words[at + POOL] !== pool) continue;
      const start = this.#unsigned[at + ADDRESS];
      found.push({ row, start, end: start + sizeOf(this.#unsigned[at + BYTES]) });
    }
    return found.sort((a, b) => a.start - b.start);
  }

  /** Requests that started while all sections fit rely on all of them. */
  #canEvict(): boolean {
    for (let thread = 0; thread < this.#threads; thread++) if (Atomics.load(this.#pins, thread * MAX_ROWS) > 0) return false;
    return true;
  }

  /** Whether requests of other threads hold sections, so that waiting may make room. Those of this thread do not continue while it waits. */
  #mayRelease(residents: readonly Resident[]): boolean {
    if (Atomics.load(this.#pins, this.#own) > 0) return false;
    for (let thread = 0; thread < this.#threads; thread++) {
      if (thread === this.#thread) continue;
      const pins = thread * MAX_ROWS;
      if (Atomics.load(this.#pins, pins) > 0 || residents.some(({ row }) => Atomics.load(this.#pins, pins + row) > 0)) return true;
    }
    return false;
  }

  #isMovable(row: number): boolean {
    return (Atomics.load(this.#words, rowAt(row) + STATE) & STATE_MASK) === PRESENT && !this.#isPinned(row);
  }

  #isPinned(row: number): boolean {
    for (let thread = 0; thread < this.#threads; thread++) if (Atomics.load(this.#pins, thread * MAX_ROWS + row) > 0) return true;
    return false;
  }

  /** Number of requests since the last use. */
  #age(row: number): number {
    return Math.max(0, this.#words[CLOCK] - this.#words[rowAt(row) + LAST_USE]);
  }

  /** @returns false if a thread has pinned the section in the meantime */
  #evict(row: number): boolean {
    const state = rowAt(row) + STATE;
    // A reader pins first and then reads the state, so that at least one of the two notices the other.
    Atomics.store(this.#words, state, EVICTING | (this.#thread << 2));
    const isPinned = this.#isPinned(row);
    Atomics.store(this.#words, state, isPinned ? PRESENT : ABSENT);
    Atomics.notify(this.#words, state);
    if (isPinned) return false;
    this.#countResident(row, -1);
    Atomics.add(this.#words, EVICTIONS, 1);
    Atomics.add(this.#words, EVICTED_KB, Math.ceil(this.#unsigned[rowAt(row) + BYTES] / KB));
    this.#done.evictions++;
    this.#done.evictedBytes += this.#unsigned[rowAt(row) + BYTES];
    return true;
  }

  #countResident(row: number, sign: number): void {
    const at = rowAt(row);
    Atomics.add(
      this.#words,
      CONTROL_WORDS + this.#words[at + POOL] * POOL_WORDS + POOL_KB,
      sign * Math.ceil(this.#unsigned[at + BYTES] / KB),
    );
  }

  #noRoomError(pool: number, { name, bytes }: SectionSource, residents: readonly Resident[], isMovable: readonly boolean[]): ApiError {
    const limit = this.#unsigned[CONTROL_WORDS + pool * POOL_WORDS + POOL_BYTES];
    const start = this.#unsigned[CONTROL_WORDS + pool * POOL_WORDS + POOL_START];
    let [used, sections, room, last] = [0, 0, 0, start];
    residents.forEach(({ row, start: from, end }, i) => {
      if (isMovable[i]) return;
      sections++;
      used += this.#unsigned[rowAt(row) + BYTES];
      room = Math.max(room, from - last);
      last = end;
    });
    room = Math.max(room, start + limit - last);
    const wanted = used + bytes;
    const reason =
      `[segments] Data too large, data for [${name}] would be [${both(wanted)}], which is larger than the limit of [${both(limit)}], ` +
      `usages [section=${both(bytes)}, ${sections} sections that running requests read=${both(used)}, largest range between them=${both(room)}]`;
    return new ApiError('circuit_breaking_exception', 429, reason, {
      details: { bytes_wanted: wanted, bytes_limit: limit, durability: bytes > limit ? 'PERMANENT' : 'TRANSIENT' },
    });
  }

  #locked<T>(action: () => T): T {
    const words = this.#words;
    const own = this.#thread + 1;
    let since = 0;
    for (let holder: number, seen = 0; (holder = Atomics.compareExchange(words, LOCK, 0, own)) !== 0; seen = holder) {
      if (holder !== seen) since = performance.now();
      else if (performance.now() - since > MAX_LOCK_MS && Atomics.compareExchange(words, LOCK, holder, own) === holder) break;
      Atomics.wait(words, LOCK, holder, RECHECK_MS);
    }
    try {
      return action();
    } finally {
      Atomics.store(words, LOCK, 0);
      Atomics.notify(words, LOCK);
    }
  }
}

/** The sections of a segment that one request reads. They are not moved until `release`. */
export class PinnedSections {
  readonly #table: SectionTable;
  readonly #now: number;
  readonly #rows = new Map<number, number>();

  constructor(table: SectionTable, now: number) {
    this.#table = table;
    this.#now = now;
  }

  address(row: number, source: SectionSource): number {
    let address = this.#rows.get(row);
    if (address === undefined) {
      address = this.#table.pin(row, this.#now, source);
      this.#rows.set(row, address);
    }
    return address;
  }

  release(): void {
    for (const row of this.#rows.keys()) this.#table.unpin(row);
    this.#rows.clear();
  }
}

function both(bytes: number): string {
  return `${bytes}/${formatByteSize(bytes)}`;
}

function rowAt(row: number): number {
  return ROWS_AT + row * ROW_WORDS;
}

/** Size with slack for wide loads, as in extents. */
function sizeOf(bytes: number): number {
  return Math.ceil(bytes / ALIGN) * ALIGN + ALIGN;
}
