// A log and the copies of one shard in virtual time, for trying the protocol of src/cluster/shard-log.ts: requests and answers are lost, delayed and
// reordered, copies crash, are cut off, and become the primary at random, also several at once. The scheduler runs one pending event
// after another, chosen by a seed.
import { type Batch, BatchAssembler } from '../../src/cluster/batch.ts';
import { type LogMessage, type LogSubject, logUnreachableError, type Published } from '../../src/cluster/log-subject.ts';
import { type CopyHost, LOG_START, type LogPosition, ShardLog } from '../../src/cluster/shard-log.ts';
import { NotPrimaryError } from '../../src/indexing/operation-log.ts';
import type { LogEntry } from '../../src/store/store.ts';
import type { Rng } from './rng.ts';

/** A deliberate bug, which the simulation must find. */
export type Mistake = 'none' | 'acknowledges before the log' | 'counts what was stored second';

const COPIES = 3;
/** Small, so that batches have several parts. */
const MAX_BYTES = 64;

/** Pending events, which run one at a time in random order. */
class Scheduler {
  readonly #rng: Rng;
  #pending: Array<() => void> = [];

  constructor(rng: Rng) {
    this.#rng = rng;
  }

  add(event: () => void): void {
    this.#pending.push(event);
  }

  later(): Promise<void> {
    return new Promise((resolve) => this.add(resolve));
  }

  /** Runs one event with all its immediate consequences. @returns false if there is none */
  async step(): Promise<boolean> {
    if (this.#pending.length === 0) return false;
    const at = this.#rng.int(0, this.#pending.length - 1);
    const [event] = this.#pending.splice(at, 1);
    event();
    await new Promise((resolve) => setImmediate(resolve));
    return true;
  }
}

/** A copy with its durable store. `log` is replaced when it crashes. */
class Copy {
  readonly world: LogWorld;
  readonly number: number;
  readonly stored: LogEntry[] = [];
  /** Position that the store reports after a crash; older than its contents. */
  savedPosition: LogPosition = LOG_START;
  isCutOff = false;
  life = 0;
  /** Writes that this incarnation has not answered. */
  writing = 0;
  term = 0;
  log: ShardLog;
  failure: Error | null = null;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(world: LogWorld, number: number) {
    this.world = world;
    this.number = number;
    this.log = this.#start();
  }

  #start(): ShardLog {
    const life = ++this.life;
    const { scheduler } = this.world;
    const { stored } = this;
    this.#tail = Promise.resolve();
    this.writing = 0;
    const isDead = () => life !== this.life;
    const host: CopyHost = {
      index: 'i',
      shard: 0,
      get maxSeqNo() {
        return stored.length - 1;
      },
      termOf: (seqNo) => stored[seqNo]?.primaryTerm ?? null,
      apply: (entries) =>
        this.#exclusive(async () => {
          await scheduler.later();
          if (isDead()) return new Promise<never>(() => undefined);
          for (const entry of entries) if (entry.seqNo === stored.length) stored.push(entry);
          return undefined;
        }),
      put: (entries) => {
        if (!isDead()) stored.push(...entries);
      },
      lead: (term) => {
        this.term = term;
      },
      failed: (error) => {
        if (!isDead()) this.failure = error;
      },
    };
    const log = new ShardLog(this.world.subjectOf(this, life), this.savedPosition, host, {
      pause: () => scheduler.later(),
      overdue: () => scheduler.later(),
      patience: () => {
        let tries = 3;
        return async () => {
          await scheduler.later();
          return --tries > 0;
        };
      },
      newId: () => String(this.world.nextId++),
    });
    log.open();
    return log;
  }

  crash(): void {
    this.log.close();
    this.log = this.#start();
  }

  /** Writes values as one batch, as the writer of a shard does. */
  async write(values: readonly string[]): Promise<void> {
    const { life } = this;
    await this.#exclusive(async () => {
      const entries = values.map((id, i) => ({
        seqNo: this.stored.length + i,
        op: 1,
        id,
        version: 1,
        primaryTerm: this.term,
        routing: null,
        source: null,
      }));
      if (!this.log.isPrimary) throw new NotPrimaryError({ index: 'i', shard: 0 });
      await this.log.append(entries);
      if (life !== this.life) throw new Error('crashed');
    });
  }

  #exclusive<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(action);
    this.#tail = result.catch(() => undefined);
    return result;
  }
}

export class LogWorld {
  readonly scheduler: Scheduler;
  readonly copies: Copy[];
  readonly messages: LogMessage[] = [];
  readonly acknowledged = new Set<string>();
  readonly refused = new Set<string>();
  readonly problems: string[] = [];
  nextId = 1;
  readonly #rng: Rng;
  readonly #mistake: Mistake;
  #nextValue = 0;
  #seq = 0;
  #isCalm = false;

  constructor(rng: Rng, mistake: Mistake) {
    this.#rng = rng;
    this.#mistake = mistake;
    this.scheduler = new Scheduler(rng);
    this.copies = Array.from({ length: COPIES }, (_, number) => new Copy(this, number));
  }

  /** Runs `steps` events with faults, then lets everything settle, and checks. @returns the problems */
  async run(steps: number): Promise<readonly string[]> {
    for (let step = 0; step < steps; step++) {
      if (this.#rng.int(0, 2) === 0) this.#disturb();
      await this.scheduler.step();
    }
    this.#isCalm = true;
    for (const copy of this.copies) {
      copy.isCutOff = false;
      copy.log.setPrimary(copy.number === 0);
    }
    // Requests that are still on their way may add messages.
    let count = -1;
    while (this.problems.length === 0 && (this.copies.some(({ writing }) => writing > 0) || count !== this.messages.length)) {
      count = this.messages.length;
      await this.#settle();
    }
    this.#check();
    for (const copy of this.copies) copy.log.close();
    return this.problems;
  }

  async #settle(): Promise<void> {
    let isSettled = false;
    Promise.all(this.copies.map((copy) => copy.log.settled().then(() => copy.log.sync()))).then(
      () => (isSettled = true),
      (error) => this.problems.push(`a copy does not settle: ${error.message}`),
    );
    for (let step = 0; !isSettled && this.problems.length === 0; step++) {
      if (step === 10_000) this.problems.push('the copies do not settle');
      await this.scheduler.step();
    }
  }

  #disturb(): void {
    const copy = this.copies[this.#rng.int(0, COPIES - 1)];
    const kind = this.#rng.int(0, 19);
    if (kind < 9) this.#write(copy);
    else if (kind < 12) this.#read(copy);
    else if (kind < 15) copy.log.setPrimary(true);
    else if (kind === 15) copy.log.setPrimary(false);
    else if (kind === 16) copy.crash();
    else if (kind === 17) copy.isCutOff = !copy.isCutOff;
    // The tick that stores the position.
    else copy.savedPosition = copy.log.position;
  }

  #write(copy: Copy): void {
    const values = Array.from({ length: this.#rng.int(1, 4) }, () => `value-${this.#nextValue++}`);
    copy.writing++;
    const { life } = copy;
    copy
      .write(values)
      .then(
        () => {
          for (const value of values) this.acknowledged.add(value);
        },
        (error) => {
          if (error instanceof NotPrimaryError) for (const value of values) this.refused.add(value);
        },
      )
      .finally(() => {
        if (life === copy.life) copy.writing--;
      });
  }

  /** A read finds every write that was acknowledged before it began. */
  #read(copy: Copy): void {
    const before = [...this.acknowledged];
    const { life } = copy;
    copy.log.sync().then(
      () => {
        if (life !== copy.life) return;
        const found = new Set(copy.stored.map(({ id }) => id));
        const missing = before.find((value) => !found.has(value));
        if (missing !== undefined) this.problems.push(`copy ${copy.number} does not find ${missing}, which was acknowledged before`);
      },
      () => undefined,
    );
  }

  #check(): void {
    const assembler = new BatchAssembler();
    const counting = this.messages.filter(({ after }, at) => after === (this.messages[at - 1]?.seq ?? 0));
    const batches = counting.map((message) => assembler.add(message)).filter((batch): batch is Batch => batch !== null);
    const entries = batches.flatMap((batch) => batch.entries);
    const logged = new Set(entries.map(({ id }) => id));
    const expected = JSON.stringify(entries);
    for (const [at, { seqNo }] of entries.entries()) if (seqNo !== at) this.problems.push(`operation ${at} of the log has number ${seqNo}`);
    for (const value of this.acknowledged) if (!logged.has(value)) this.problems.push(`${value} was acknowledged and is lost`);
    for (const value of this.refused) if (logged.has(value)) this.problems.push(`${value} was refused and is there`);
    for (const copy of this.copies) {
      if (copy.failure !== null) this.problems.push(`copy ${copy.number} failed: ${copy.failure.message}`);
      else if (JSON.stringify(copy.stored) !== expected) this.problems.push(`copy ${copy.number} differs from the log`);
    }
  }

  /** The log as seen by one incarnation of a copy. */
  subjectOf(copy: Copy, life: number): LogSubject {
    const isDead = () => life !== copy.life;
    const isLost = () => !this.#isCalm && (copy.isCutOff || this.#rng.int(0, 9) === 0);
    /** Resolves after the request and its response; never for a copy that has crashed. */
    const travel = async () => {
      await this.scheduler.later();
      if (isDead()) await new Promise<never>(() => undefined);
    };
    const read = async <T>(answer: () => T): Promise<T> => {
      await travel();
      if (isLost()) throw logUnreachableError('the log');
      const result = answer();
      await travel();
      return result;
    };
    return {
      maxBytes: MAX_BYTES,
      publish: (message) => this.#publish(message, isLost, travel),
      next: (after) => read(() => this.#next(after)),
      last: () => read(() => this.messages.at(-1)?.seq ?? 0),
      follow: (after, deliver) => {
        let isEnded = false;
        let at = after;
        const deliverNext = () => {
          if (isEnded || isDead()) return;
          const message = isLost() ? undefined : this.messages.find(({ seq }) => seq > at);
          if (message !== undefined) {
            at = message.seq;
            deliver(message);
          }
          this.scheduler.add(deliverNext);
        };
        this.scheduler.add(deliverNext);
        return () => {
          isEnded = true;
        };
      },
    };
  }

  #next(after: number): LogMessage | null {
    const isMistaken = this.#mistake === 'counts what was stored second';
    const second = isMistaken ? this.messages.findLast((message) => message.after === after) : undefined;
    return second ?? this.messages.find(({ seq }) => seq > after) ?? null;
  }

  #publish(message: Omit<LogMessage, 'seq'>, isLost: () => boolean, travel: () => Promise<void>): Promise<Published> {
    return new Promise((resolve) => {
      const isRequestLost = isLost();
      // A request on its way arrives even if its sender has given up or crashed.
      if (!isRequestLost)
        this.scheduler.add(() => {
          const result = this.#store(message);
          const isAnswerLost = isLost();
          travel().then(() => resolve(isAnswerLost ? 'unknown' : result));
        });
      if (this.#mistake === 'acknowledges before the log') resolve(this.#seq + 1);
      else if (isRequestLost || this.#rng.int(0, 19) === 0) travel().then(() => resolve('unknown'));
    });
  }

  #store(message: Omit<LogMessage, 'seq'>): Published {
    const last = this.messages.at(-1);
    // Old JetStream clusters store what is published at the same time as the last message.
    const isConcurrent = last !== undefined && message.after === last.after && this.#rng.bool();
    if (message.after !== (last?.seq ?? 0) && !isConcurrent) return 'stale';
    // Sequences of a stream with other subjects have gaps.
    this.#seq += this.#rng.int(1, 3);
    this.messages.push({ ...message, seq: this.#seq });
    return this.#seq;
  }
}
