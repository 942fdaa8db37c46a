// What all threads know of logins: failures and pauses of addresses and users, and who has logged in from where. A table in shared memory, since
// the connections of an attacker, and those of a legitimate user, are spread over all http workers.
//   ├─ lock: i32 ─┬─ is salted: i32 ─┬─ salt: 16 B ─┬─ ··· 64 ─┤─ pauses: SETS * WAYS records ─┤─ known: SETS * WAYS records ─┤
//   record: ├─ key: f64 ─┬─ failures: f64 ─┬─ of: f64, ms ─┬─ until: f64, ms ─┤    key = 48 bits of a salted hash + 1; 0 if the record is free
// A key is in one set only, whose oldest record is replaced. Nobody can choose names that replace those of others, since the salt is random.
import { createHash, randomFillSync } from 'node:crypto';

const SETS = 1024;
const WAYS = 8;
const FIELDS = 4;
const HEAD_BYTES = 64;
const SALT_BYTES = 16;
const TABLE_FIELDS = SETS * WAYS * FIELDS;
const LOCK = 0;
const IS_SALTED = 1;
/** Failures without consequence. */
const FREE_FAILURES = 3;
const FIRST_DELAY_MS = 50;
/** The count of failures halves in this time. */
const HALF_LIFE_MS = 60_000;
/** A thread that ends while it has the lock must not stop the others. */
const MAX_SPINS = 1 << 20;

/** Memory for one node. Pages that are not used take nothing. */
export const newLoginMemory = (): SharedArrayBuffer => new SharedArrayBuffer(HEAD_BYTES + 2 * TABLE_FIELDS * 8);

export class LoginMemory {
  readonly #words: Int32Array;
  readonly #salt: Uint8Array;
  readonly #pauses: Table;
  readonly #known: Table;

  /** @param shared  of `newLoginMemory`; a new one for a thread that shares it with none */
  constructor(shared: SharedArrayBuffer = newLoginMemory()) {
    this.#words = new Int32Array(shared, 0, HEAD_BYTES / 4);
    this.#salt = new Uint8Array(shared, 8, SALT_BYTES);
    this.#pauses = new Table(new Float64Array(shared, HEAD_BYTES, TABLE_FIELDS));
    this.#known = new Table(new Float64Array(shared, HEAD_BYTES + TABLE_FIELDS * 8, TABLE_FIELDS));
  }

  /** Counts a failed login. */
  fail(name: string): void {
    const now = Date.now();
    this.#locked(name, (key) => {
      const record = this.#pauses.take(key);
      record.failures = decayed(record, now) + 1;
      record.ofMs = now;
    });
  }

  /** Pause before the next check, by recent failures: 0 up to three, then doubled by each, up to `limitMs`. */
  delayOf(name: string, limitMs: number): number {
    const now = Date.now();
    return this.#locked(name, (key) => {
      const record = this.#pauses.find(key);
      return record === null ? 0 : delayAfter(decayed(record, now), limitMs);
    });
  }

  /** Time of the next check, after those that other threads have reserved, one delay apart. */
  reserve(name: string, limitMs: number): number {
    const now = Date.now();
    return this.#locked(name, (key) => {
      const record = this.#pauses.find(key);
      if (record === null) return now;
      const startMs = Math.max(now, record.untilMs);
      record.untilMs = startMs + delayAfter(decayed(record, now), limitMs);
      return startMs;
    });
  }

  /** Puts off the next check by the present delay. */
  pause(name: string, limitMs: number): void {
    const now = Date.now();
    this.#locked(name, (key) => {
      const record = this.#pauses.take(key);
      record.untilMs = Math.max(record.untilMs, now + delayAfter(decayed(record, now), limitMs));
    });
  }

  /** Whether somebody has logged in lately, or `remember` was called for it. */
  isKnown(name: string): boolean {
    return this.#locked(name, (key) => (this.#known.find(key)?.untilMs ?? 0) > Date.now());
  }

  /** @param forMs  0 to forget */
  remember(name: string, forMs: number): void {
    const now = Date.now();
    this.#locked(name, (key) => {
      const record = forMs === 0 ? this.#known.find(key) : this.#known.take(key);
      if (record === null) return;
      record.ofMs = now;
      record.untilMs = now + forMs;
    });
  }

  #locked<T>(name: string, action: (key: number) => T): T {
    for (let spins = 0; Atomics.compareExchange(this.#words, LOCK, 0, 1) !== 0 && spins < MAX_SPINS; spins++);
    try {
      if (this.#words[IS_SALTED] === 0) {
        randomFillSync(this.#salt);
        this.#words[IS_SALTED] = 1;
      }
      return action(createHash('sha256').update(this.#salt).update(name).digest().readUIntBE(0, 6) + 1);
    } finally {
      Atomics.store(this.#words, LOCK, 0);
    }
  }
}

function delayAfter(failures: number, limitMs: number): number {
  const excess = failures - FREE_FAILURES;
  return excess < 0.5 ? 0 : Math.min(limitMs, FIRST_DELAY_MS * 2 ** (excess - 1));
}

function decayed({ failures, ofMs }: LoginRecord, now: number): number {
  return failures * 2 ** ((ofMs - now) / HALF_LIFE_MS);
}

class LoginRecord {
  readonly #fields: Float64Array;
  readonly #at: number;

  constructor(fields: Float64Array, at: number) {
    this.#fields = fields;
    this.#at = at;
  }

  get failures(): number {
    return this.#fields[this.#at + 1];
  }

  set failures(count: number) {
    this.#fields[this.#at + 1] = count;
  }

  get ofMs(): number {
    return this.#fields[this.#at + 2];
  }

  set ofMs(ms: number) {
    this.#fields[this.#at + 2] = ms;
  }

  get untilMs(): number {
    return this.#fields[this.#at + 3];
  }

  set untilMs(ms: number) {
    this.#fields[this.#at + 3] = ms;
  }
}

class Table {
  readonly #fields: Float64Array;

  constructor(fields: Float64Array) {
    this.#fields = fields;
  }

  find(key: number): LoginRecord | null {
    const first = firstOf(key);
    for (let at = first; at < first + WAYS * FIELDS; at += FIELDS) if (this.#fields[at] === key) return new LoginRecord(this.#fields, at);
    return null;
  }

  /** The record of a key; a new one replaces a free one or the oldest of its set. */
  take(key: number): LoginRecord {
    const found = this.find(key);
    if (found) return found;
    let at = firstOf(key);
    const end = at + WAYS * FIELDS;
    for (let other = at; other < end; other += FIELDS) if (this.#fields[other + 2] < this.#fields[at + 2]) at = other;
    this.#fields.fill(0, at, at + FIELDS);
    this.#fields[at] = key;
    return new LoginRecord(this.#fields, at);
  }
}

const firstOf = (key: number): number => (key % SETS) * WAYS * FIELDS;
