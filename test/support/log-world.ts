// A log and the copies of one shard in virtual time, for trying the protocol of src/cluster/shard-log.ts: requests and answers are lost, delayed and
// reordered, copies crash, are cut off, and become the primary at random, also several at once. Copies take snapshots and trim the log, and those that
// lack trimmed messages are filled from the newest snapshot. The scheduler runs one pending event after another, chosen by a seed.
import { type Batch, BatchAssembler } from '../../src/cluster/batch.ts';
import { type LogSnapshot, type SnapshotRegister, takeSnapshot, trimLog } from '../../src/cluster/log-snapshots.ts';
import { type LogMessage, type LogSubject, logUnreachableError, type Published } from '../../src/cluster/log-subject.ts';
import { type CopyHost, isRefillable, LOG_START, type LogPosition, ShardLog } from '../../src/cluster/shard-log.ts';
import { NotPrimaryError } from '../../src/indexing/operation-log.ts';
import type { LogEntry } from '../../src/store/store.ts';
import type { Rng } from './rng.ts';

/** A deliberate bug, which the simulation must find. */
export type Mistake =
  | 'none'
  | 'acknowledges before the log'
  | 'counts what was stored second'
  | 'trims what no snapshot contains'
  | 'reads the position of a snapshot after its contents';

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
  stored: LogEntry[] = [];
  /** Position that the store reports after a crash; older than its contents. */
  savedPosition: LogPosition = LOG_START;
  isCutOff = false;
  life = 0;
  /** Writes that this incarnation has not answered. */
  writing = 0;
  term = 0;
  log: ShardLog;
  failure: Error | null = null;
  /** Resolves to false when this incarnation ends. */
  ended: Promise<boolean> = Promise.resolve(false);
  #end: (isSynced: false) => void = () => undefined;
  #isSnapshotting = false;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(world: LogWorld, number: number) {
    this.world = world;
    this.number = number;
    this.log = this.#start();
  }

  #newLife(): number {
    this.#end(false);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    return ++this.life;
  }

  #start(): ShardLog {
    const life = this.#newLife();
    const { scheduler } = this.world;
    const { stored } = this;
    this.#tail = Promise.resolve();
    this.#isSnapshotting = false;
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
          // A store makes what it has stored searchable later.
          await scheduler.later();
          return isDead() ? new Promise<never>(() => undefined) : undefined;
        }),
      put: (entries) => {
        if (!isDead()) stored.push(...entries);
      },
      lead: (term) => {
        this.term = term;
      },
      failed: (error) => {
        if (isDead()) return;
        if (!isRefillable(error) || !this.world.wasTrimmed) this.failure = error;
        else this.#refill();
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

  savePosition(): void {
    if (!this.isFilling) this.savedPosition = this.log.position;
  }

  /** A copy that was being filled begins again. */
  crash(): void {
    this.log.close();
    if (this.isFilling) this.#refill();
    else this.log = this.#start();
  }

  /** Replaces the contents of the store by the newest snapshot. */
  async #refill(): Promise<void> {
    this.log.close();
    const life = this.#newLife();
    this.isFilling = true;
    const { world } = this;
    for (;;) {
      try {
        const { snapshot } = await world.registerOf(this, life).read();
        if (life !== this.life) return;
        this.stored = [...(snapshot?.content ?? [])];
        world.fills++;
        this.savedPosition = snapshot?.position ?? LOG_START;
        break;
      } catch {
        await world.scheduler.later();
      }
    }
    this.isFilling = false;
    const { isWanted } = this;
    this.log = this.#start();
    this.log.setPrimary(isWanted);
  }

  /** Stores a snapshot, and trims the log to what it and the other copies in touch contain. */
  async snapshot(): Promise<void> {
    const { log, life, world } = this;
    if (this.#isSnapshotting || this.isFilling) return;
    this.#isSnapshotting = true;
    const save = (): Promise<readonly LogEntry[]> => this.#exclusive(async () => [...this.stored]);
    let source: { position: LogPosition; save: typeof save } = {
      get position() {
        return log.position;
      },
      save,
    };
    try {
      if (world.mistake === 'reads the position of a snapshot after its contents') {
        const contents = await save();
        await world.scheduler.later();
        source = { position: log.position, save: async () => contents };
      }
      const snapshot = await takeSnapshot(world.registerOf(this, life), source);
      if (snapshot === null || life !== this.life) return;
      const committed = world.copies.filter(({ isCutOff }) => !isCutOff).map(({ savedPosition }) => savedPosition.seq);
      const bound = world.mistake === 'trims what no snapshot contains' ? { ...snapshot, position: { ...log.position } } : snapshot;
      await trimLog(world.subjectOf(this, life), bound, committed);
    } catch {
      // Repeated with the next snapshot.
    } finally {
      this.#isSnapshotting = false;
    }
  }

  /** Whether the copy should be the primary, also while it is being filled. */
  isWanted = false;
  isFilling = false;

  setPrimary(isWanted: boolean): void {
    this.isWanted = isWanted;
    if (!this.isFilling) this.log.setPrimary(isWanted);
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
  /** What the log contains, and all that it ever contained. */
  messages: LogMessage[] = [];
  readonly history: LogMessage[] = [];
  trims = 0;
  fills = 0;
  readonly acknowledged = new Set<string>();
  readonly refused = new Set<string>();
  readonly problems: string[] = [];
  nextId = 1;
  readonly #rng: Rng;
  readonly mistake: Mistake;
  #register: { snapshot: LogSnapshot<readonly LogEntry[]> | null; revision: number } = { snapshot: null, revision: 0 };
  #nextValue = 0;
  #seq = 0;
  #isCalm = false;

  constructor(rng: Rng, mistake: Mistake) {
    this.#rng = rng;
    this.mistake = mistake;
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
      copy.setPrimary(copy.number === 0);
    }
    // Requests that are still on their way may add messages.
    let count = -1;
    while (this.problems.length === 0 && (this.copies.some(({ writing }) => writing > 0) || count !== this.history.length)) {
      count = this.history.length;
      await this.#settle();
    }
    this.#check();
    for (const copy of this.copies) copy.log.close();
    return this.problems;
  }

  async #settle(): Promise<void> {
    let isSettled = false;
    Promise.all(this.copies.map((copy) => this.#settleCopy(copy))).then(() => (isSettled = true));
    for (let step = 0; !isSettled && this.problems.length === 0; step++) {
      if (step === 10_000) this.problems.push('the copies do not settle');
      await this.scheduler.step();
    }
  }

  /** A copy that turns out to be behind is filled first. */
  async #settleCopy(copy: Copy): Promise<void> {
    for (;;) {
      if (copy.failure !== null) return;
      const { life } = copy;
      const synced = copy.log.settled().then(() => copy.log.sync());
      const isSynced = synced.then(
        () => true,
        () => false,
      );
      // The requests of an incarnation that has ended are never answered.
      if ((await Promise.race([isSynced, copy.ended])) && life === copy.life && !copy.isFilling) return;
      await this.scheduler.later();
    }
  }

  #disturb(): void {
    const copy = this.copies[this.#rng.int(0, COPIES - 1)];
    const kind = this.#rng.int(0, 23);
    if (kind < 9) this.#write(copy);
    else if (kind < 11) this.#read(copy);
    else if (kind < 13) copy.setPrimary(true);
    else if (kind === 13) copy.setPrimary(false);
    else if (kind < 16) copy.snapshot();
    else if (kind === 16) for (const each of this.copies) each.snapshot();
    else if (kind === 17) copy.crash();
    else if (kind === 18) copy.isCutOff = !copy.isCutOff;
    else if (kind === 19) this.#replace(copy);
    // The tick that stores positions.
    else if (kind === 20) copy.savePosition();
    else for (const each of this.copies) each.savePosition();
  }

  /** A new machine takes the place of a copy. Without a snapshot it could be the last one with what a trimmed log had. */
  #replace(copy: Copy): void {
    copy.stored = [];
    copy.savedPosition = LOG_START;
    copy.crash();
  }

  get wasTrimmed(): boolean {
    return this.trims > 0;
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
    const counting = this.history.filter(({ after }, at) => after === (this.history[at - 1]?.seq ?? 0));
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
      trim: async (before) => {
        await this.scheduler.later();
        if (!isLost()) this.#trim(before);
      },
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
    const isMistaken = this.mistake === 'counts what was stored second';
    const second = isMistaken ? this.messages.findLast((message) => message.after === after) : undefined;
    return second ?? this.messages.find(({ seq }) => seq > after) ?? null;
  }

  #trim(before: number): void {
    const kept = this.messages.filter(({ seq }) => seq >= before);
    if (kept.length < this.messages.length) this.trims++;
    this.messages = kept;
  }

  /** The register of snapshots as seen by one incarnation of a copy. */
  registerOf(copy: Copy, life: number): SnapshotRegister<readonly LogEntry[]> {
    const isLost = () => !this.#isCalm && (copy.isCutOff || this.#rng.int(0, 9) === 0);
    const travel = async <T>(action: () => T): Promise<T> => {
      await this.scheduler.later();
      if (life !== copy.life) await new Promise<never>(() => undefined);
      if (isLost()) throw logUnreachableError('the register');
      const result = action();
      if (isLost()) throw logUnreachableError('the register');
      return result;
    };
    return {
      read: () => travel(() => this.#register),
      write: (snapshot, revision) =>
        travel(() => {
          if (revision !== this.#register.revision) return false;
          this.#register = { snapshot, revision: this.#register.revision + 1 };
          return true;
        }),
    };
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
      if (this.mistake === 'acknowledges before the log') resolve(this.#seq + 1);
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
    const stored = { ...message, seq: this.#seq };
    this.messages.push(stored);
    this.history.push(stored);
    return this.#seq;
  }
}
