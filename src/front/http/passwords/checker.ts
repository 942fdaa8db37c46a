// Checks passwords against slow hashes in a thread of its own, so that the event loop keeps serving while bcrypt computes. Results are cached;
// the queue, the time per check and the thread's memory are limited, since anyone may send passwords.
import { createHmac, randomBytes } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { BoundedMap } from '../../../common/bounded-map.ts';

/** Message to the thread, which responds with a boolean. */
export interface CheckRequest {
  readonly password: Uint8Array;
  readonly stored: string;
}

/** `busy`: the queue is full. `failed`: the thread died, or the check took too long. */
export type Verdict = 'match' | 'mismatch' | 'busy' | 'failed';

type Waiter = (verdict: Verdict) => void;

interface Job extends CheckRequest {
  readonly key: string;
  readonly waiters: Set<Waiter>;
}

export interface CheckerOptions {
  /** Entry point of the thread. */
  readonly program?: URL;
  /** Maximum number of waiting checks; those for the same password and hash count once. */
  readonly maxQueued?: number;
  /** After this time a check is abandoned and the thread replaced: hashes may demand years (bcrypt with cost 31). */
  readonly timeoutMs?: number;
}

const MAX_CACHED = 1000;
/** A hash that is cheap to check. */
const DES_HASH = 'arlEKn0OzVJn.';
const PROGRAM = new URL(import.meta.url.endsWith('.ts') ? './check-thread.ts' : './check-thread.js', import.meta.url);

/** One per event loop. The thread starts with the first check and ends with the event loop, which it does not keep alive. */
export class PasswordChecker {
  readonly #program: URL;
  readonly #maxQueued: number;
  readonly #timeoutMs: number;
  /** In maps of their own, so that wrong passwords do not evict right ones. */
  readonly #matches = new BoundedMap<string, true>(MAX_CACHED);
  readonly #mismatches = new BoundedMap<string, true>(MAX_CACHED);
  /** Keys of the caches are useless outside of this process. */
  readonly #secret = randomBytes(32);
  readonly #jobs = new Map<string, Job>();
  #running: Job | null = null;
  #timer: NodeJS.Timeout | null = null;
  #thread: Worker | null = null;
  #failure = '';

  constructor({ program = PROGRAM, maxQueued = 256, timeoutMs = 10_000 }: CheckerOptions = {}) {
    this.#program = program;
    this.#maxQueued = maxQueued;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Checks a password, at once if the result is cached.
   * @param waiter  called with the verdict if none is returned, unless the check is cancelled
   * @returns the verdict, or a function that cancels the check
   */
  check(password: Uint8Array, stored: string, waiter: Waiter): Verdict | (() => void) {
    const key = createHmac('sha256', this.#secret).update(password).update('\0').update(stored, 'latin1').digest('base64');
    if (this.#matches.has(key)) return 'match';
    if (this.#mismatches.has(key)) return 'mismatch';
    let job = this.#jobs.get(key);
    if (!job) {
      if (this.#jobs.size > this.#maxQueued) return 'busy';
      job = { key, password, stored, waiters: new Set() };
      this.#jobs.set(key, job);
    }
    job.waiters.add(waiter);
    this.#next();
    return () => this.#cancel(job, waiter);
  }

  /** Starts the thread before the first check. Resolves when it has loaded its program, or failed to: then each check tries again. */
  warmUp(): Promise<void> {
    return new Promise((resolve) => {
      const result = this.check(Buffer.alloc(0), DES_HASH, () => resolve());
      if (typeof result === 'string') resolve();
    });
  }

  /** Why the latest check failed. */
  get failure(): string {
    return this.#failure;
  }

  /** Ends the thread; checks in progress get no verdict. */
  async close(): Promise<void> {
    clearTimeout(this.#timer ?? undefined);
    this.#jobs.clear();
    this.#running = null;
    const thread = this.#thread;
    this.#thread = null;
    await thread?.terminate();
  }

  /** A check that has begun is finished, for the cache; another one is dropped when nobody waits for it. */
  #cancel(job: Job, waiter: Waiter): void {
    job.waiters.delete(waiter);
    if (job.waiters.size === 0 && job !== this.#running && this.#jobs.get(job.key) === job) this.#jobs.delete(job.key);
  }

  #next(): void {
    if (this.#running) return;
    const [job] = this.#jobs.values();
    if (!job) return;
    this.#running = job;
    try {
      this.#thread ??= this.#startThread();
      this.#thread.postMessage({ password: job.password, stored: job.stored } satisfies CheckRequest);
    } catch (error) {
      // The system may refuse a thread. Later, so that the caller has its place in the queue first.
      setImmediate(() => {
        if (this.#running === job) this.#fail((error as Error).message);
      });
      return;
    }
    this.#timer = setTimeout(() => this.#fail(`took longer than ${this.#timeoutMs} ms`), this.#timeoutMs);
    this.#timer.unref();
  }

  #finish(verdict: Verdict): void {
    const job = this.#running;
    if (!job) return;
    clearTimeout(this.#timer ?? undefined);
    this.#running = null;
    this.#jobs.delete(job.key);
    if (verdict === 'match') this.#matches.set(job.key, true);
    else if (verdict === 'mismatch') this.#mismatches.set(job.key, true);
    for (const waiter of job.waiters) waiter(verdict);
    this.#next();
  }

  /** Abandons the current check and its thread. */
  #fail(reason: string): void {
    this.#failure = reason;
    const thread = this.#thread;
    this.#thread = null;
    void thread?.terminate();
    this.#finish('failed');
  }

  #startThread(): Worker {
    const thread = new Worker(this.#program, {
      name: 'passwords',
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
    });
    const isCurrent = (): boolean => this.#thread === thread;
    thread.on('message', (matches: boolean) => {
      if (isCurrent()) this.#finish(matches ? 'match' : 'mismatch');
    });
    thread.on('error', (error) => {
      if (isCurrent()) this.#fail(error.message);
    });
    thread.on('exit', (code) => {
      if (isCurrent()) this.#fail(`thread exited with code ${code}`);
    });
    thread.unref();
    return thread;
  }
}
