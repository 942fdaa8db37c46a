// The protocol of one copy of a shard: follows the log, becomes the primary, appends, steps down. It depends only on a LogSubject and a
// CopyHost, so that a simulation runs the same code (test/unit/cluster/simulation.test.ts).
//
//   follower ── setPrimary(true): apply all, append a message with the next term ──> primary
//   primary  ── an append is refused, its fate is unknown, or setPrimary(false) ──> follower, which continues behind the last whole batch
//
// Safety does not depend on which copy is assigned as the primary: a write exists only once JetStream has accepted the append.
import { ApiError } from '../errors/api-error.ts';
import { NotPrimaryError, type OperationLog, UnknownOutcomeError } from '../indexing/operation-log.ts';
import type { LogEntry } from '../store/store.ts';
import { BatchAssembler, encodeBatch, partId } from './batch.ts';
import { type LogMessage, type LogSubject, logUnreachableError, type Patience, publishSurely } from './log-subject.ts';
import { LogWaiters } from './log-waiters.ts';

/** Maximum number of operations that a follower applies together. */
const MAX_APPLIED = 5000;
/** Status of errors that end by themselves. */
const UNAVAILABLE = 503;

/** The end of a complete batch. A copy may start from a position that is older than the contents of its store. */
export interface LogPosition {
  /** Sequence of the batch's last message; 0: before the first. */
  readonly seq: number;
  /** Id of that message, which identifies this log; empty before the first. */
  readonly id: string;
  readonly primaryTerm: number;
  /** Last sequence number of an operation; -1: none. */
  readonly seqNo: number;
}

export const LOG_START: LogPosition = { seq: 0, id: '', primaryTerm: 0, seqNo: -1 };

/** The store and the environment of a copy. */
export interface CopyHost {
  readonly index: string;
  readonly shard: number;
  /** Highest sequence number in the store; -1 if it is empty. */
  readonly maxSeqNo: number;
  /** Primary term of a stored operation; null if its record was removed. */
  termOf(seqNo: number): number | null;
  /**
   * Stores and applies operations of another primary in order. After an error the same operations are passed again; those up to maxSeqNo are to
   * be skipped. @throws ApiError 503: something that they need cannot be reached
   */
  apply(entries: readonly LogEntry[]): Promise<void>;
  /** Stores operations that this copy has appended to the log. Its writer applies them. */
  put(entries: readonly LogEntry[]): void;
  /** The writer gives this term to the operations that it accepts from now on. */
  lead(primaryTerm: number): void;
  /** The copy has stopped: it cannot follow the log. */
  failed(error: Error): void;
}

export interface LogTiming {
  /** Resolves after a short time. */
  pause(): Promise<void>;
  /** Resolves when messages that were stored before the call should have been delivered. */
  overdue(): Promise<void>;
  /** Retry policy for one message. */
  patience(): Patience;
  newId(): string;
}

/** The store contains operations that the log does not, or messages of the log are missing. */
class DivergedError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'DivergedError';
  }
}

/** The copy lacks messages that the log no longer has. It has to be filled from a snapshot. */
export class BehindError extends Error {
  constructor(first: number, position: number) {
    super(`the log begins with message ${first}, this copy has read to ${position}`);
    this.name = 'BehindError';
  }
}

/** Whether a copy that failed so can be filled anew. */
export function isRefillable(error: Error): boolean {
  return error instanceof DivergedError || error instanceof BehindError;
}

export class ShardLog implements OperationLog {
  readonly #subject: LogSubject;
  readonly #host: CopyHost;
  readonly #timing: LogTiming;
  readonly #assembler = new BatchAssembler();
  #isPrimary = false;
  #isWanted = false;
  #isClosed = false;
  #failure: Error | null = null;
  #position: LogPosition;
  /** Sequence of the last message that was read and, if it completed a batch, applied. */
  #handled: number;
  #inbox: LogMessage[] = [];
  #unfollow: (() => void) | null = null;
  #draining: Promise<void> | null = null;
  #appending: Promise<unknown> = Promise.resolve();
  #takingOver: Promise<void> | null = null;
  readonly #waiting = new LogWaiters();
  #readingMissed: Promise<void> | null = null;
  #loggedBytes = 0;

  constructor(subject: LogSubject, position: LogPosition, host: CopyHost, timing: LogTiming) {
    this.#subject = subject;
    this.#host = host;
    this.#timing = timing;
    this.#position = position;
    this.#handled = position.seq;
  }

  get isPrimary(): boolean {
    return this.#isPrimary;
  }

  /** Whether the copy has stopped because it cannot follow the log. */
  get hasFailed(): boolean {
    return this.#failure !== null;
  }

  get position(): LogPosition {
    return this.#position;
  }

  /** Bytes of the messages that this copy has appended or read since it was opened. */
  get loggedBytes(): number {
    return this.#loggedBytes;
  }

  /** Starts following as soon as the log can be reached. Resolves when the copy has applied the whole log, has failed, or was closed. */
  async open(): Promise<void> {
    await this.#reached(() => this.#checkPosition());
    if (this.#failure !== null) return;
    this.#follow();
    await this.#reached(() => this.sync());
    // The store has operations that are being applied before the position includes them.
    while (this.#draining !== null) await this.#draining;
    if (this.#host.maxSeqNo > this.#position.seqNo)
      this.#fail(new DivergedError(`the store has operation ${this.#host.maxSeqNo}, the log ends with ${this.#position.seqNo}`));
  }

  /** Repeats an action until the log answers, the copy fails or is closed. */
  async #reached(action: () => Promise<void>): Promise<void> {
    while (!this.#isClosed && this.#failure === null) {
      try {
        await action();
        return;
      } catch (error) {
        if (!(error instanceof ApiError)) return;
        await this.#timing.pause();
      }
    }
  }

  /** @throws DivergedError the store was filled from another log; BehindError */
  async #checkPosition(): Promise<void> {
    const { seq, id } = this.#position;
    if (seq === 0) return;
    const message = await this.#subject.next(seq - 1);
    if (message === null) throw this.#lostMessagesError(0);
    if (message.seq > seq) throw this.#fail(new BehindError(message.seq, seq));
    if (message.id !== id) throw this.#fail(new DivergedError(`message ${seq} of the log is not the one that the store contains`));
  }

  /** Not necessarily a divergence: a JetStream server that was partitioned may respond with an old state. */
  #lostMessagesError(last: number): ApiError {
    return logUnreachableError(this.#name, `it ends with message ${last}, this copy has applied message ${this.#position.seq}`);
  }

  /** The copy has moved away, or its node stops: nothing was done, and another copy can be asked. */
  #closedError(): ApiError {
    return new ApiError('shard_not_in_primary_mode_exception', 503, `${this.#name} is not read any more: the copy is closed`);
  }

  close(): void {
    this.#isClosed = true;
    this.#isWanted = false;
    this.#isPrimary = false;
    this.#stopFollowing();
    this.#waiting.reject(this.#closedError());
  }

  get #name(): string {
    return `the log of [${this.#host.index}][${this.#host.shard}]`;
  }

  // -------------------------------------------------------------------------------------------------------- primary

  /** Makes sure that no other copy has taken over before this call. @throws NotPrimaryError; ApiError the log cannot be reached */
  async confirmPrimary(): Promise<void> {
    const { primaryTerm } = this.#position;
    await this.sync();
    if (!this.#isPrimary || this.#position.primaryTerm !== primaryTerm) throw new NotPrimaryError(this.#host);
  }

  /** Sets whether this copy should be the primary; if so, it becomes the primary as soon as it can. */
  setPrimary(isWanted: boolean): void {
    this.#isWanted = isWanted;
    if (!isWanted) this.#stepDown();
    else if (!this.#isPrimary)
      this.#takingOver ??= this.#takeOver().finally(() => {
        this.#takingOver = null;
      });
  }

  /** Resolves when a takeover in progress has ended; `isPrimary` then gives the result. */
  async settled(): Promise<void> {
    await this.#takingOver;
  }

  async #takeOver(): Promise<void> {
    while (this.#isWanted && !this.#isPrimary && this.#failure === null) {
      try {
        await this.sync();
        await this.#tryTakeOver();
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        await this.#timing.pause();
      }
    }
  }

  async #tryTakeOver(): Promise<void> {
    const primaryTerm = this.#position.primaryTerm + 1;
    const [data] = encodeBatch({ primaryTerm, entries: [] }, this.#subject.maxBytes);
    const id = partId(this.#timing.newId(), 0);
    const message = { id, after: this.#handled, data };
    const seq = await publishSurely(this.#subject, message, this.#timing.patience());
    if (typeof seq !== 'number') return;
    await this.#draining;
    // Another node may have taken over from this one already.
    const isLast = this.#handled <= seq && this.#inbox.every((read) => read.seq <= seq);
    if (!isLast || !this.#isWanted || this.#failure !== null) return;
    this.#stopFollowing();
    this.#handled = seq;
    this.#position = { seq, id, primaryTerm, seqNo: this.#position.seqNo };
    this.#isPrimary = true;
    this.#host.lead(primaryTerm);
    this.#waiting.wake(this.#handled);
  }

  #stepDown(): void {
    if (!this.#isPrimary) return;
    this.#isPrimary = false;
    this.#handled = this.#position.seq;
    this.#follow();
    if (this.#isWanted) this.setPrimary(true);
  }

  /**
   * Appends a batch to the log, then stores it. One call at a time.
   * @throws NotPrimaryError nothing was written; UnknownOutcomeError the batch may or may not be in the log, or may still get there
   */
  append(entries: readonly LogEntry[]): Promise<void> {
    const done = this.#append(entries);
    this.#appending = done.catch(() => undefined);
    return done;
  }

  async #append(entries: readonly LogEntry[]): Promise<void> {
    if (!this.#isPrimary) throw new NotPrimaryError(this.#host);
    const { primaryTerm } = this.#position;
    const parts = encodeBatch({ primaryTerm, entries }, this.#subject.maxBytes);
    const batch = this.#timing.newId();
    let after = this.#position.seq;
    for (const [part, data] of parts.entries()) {
      const seq = await publishSurely(this.#subject, { id: partId(batch, part), after, data }, this.#timing.patience());
      if (typeof seq !== 'number') {
        this.#stepDown();
        // Without its last part a batch does not count.
        throw seq === null && part === parts.length - 1 ? new UnknownOutcomeError(this.#host) : new NotPrimaryError(this.#host);
      }
      after = seq;
      this.#loggedBytes += data.length;
    }
    // The copy had to step down or was closed during the append: it follows the log again and finds the batch there.
    if (!this.#isPrimary) throw new UnknownOutcomeError(this.#host);
    try {
      this.#host.put(entries);
    } catch {
      // The batch is valid although this store failed to write it. The copy retries as a follower.
      this.#stepDown();
      throw new UnknownOutcomeError(this.#host);
    }
    this.#handled = after;
    this.#position = { seq: after, id: partId(batch, parts.length - 1), primaryTerm, seqNo: entries[entries.length - 1].seqNo };
    this.#waiting.wake(this.#handled);
  }

  // ------------------------------------------------------------------------------------------------------- follower

  /** Resolves when this copy has applied every batch that was acknowledged before the call. @throws ApiError the log cannot be reached */
  async sync(): Promise<void> {
    const applied = this.#position.seq;
    const last = await this.#subject.last();
    if (this.#failure !== null) throw logUnreachableError(this.#name, this.#failure.message);
    if (last < applied) throw this.#lostMessagesError(last);
    if (this.#isPrimary && last > this.#handled) {
      // An append of this copy, or one of another primary.
      await this.#appending;
      if (last > this.#handled) this.#stepDown();
    }
    if (last <= this.#handled) return;
    if (this.#isClosed) throw this.#closedError();
    const isRead = this.#waiting.until(last);
    this.#readingMissed ??= this.#readMissed().finally(() => {
      this.#readingMissed = null;
    });
    await isRead;
  }

  /** Reads what the subscription does not deliver in time. It may come again from the subscription, which #read skips. */
  async #readMissed(): Promise<void> {
    await this.#timing.overdue();
    while (this.#waiting.last > 0) {
      const inbox = this.#inbox;
      let at = this.#handled;
      const { last } = this.#waiting;
      try {
        while (at < last && inbox === this.#inbox) {
          const message = await this.#subject.next(at);
          if (message === null || inbox !== this.#inbox) break;
          at = message.seq;
          this.#receive(message);
        }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
      await this.#timing.overdue();
    }
  }

  #follow(): void {
    if (this.#isClosed) return;
    this.#stopFollowing();
    this.#handled = this.#position.seq;
    this.#assembler.reset();
    const inbox: LogMessage[] = [];
    this.#inbox = inbox;
    this.#unfollow = this.#subject.follow(this.#handled, (message) => {
      if (this.#inbox !== inbox) return;
      this.#receive(message);
    });
  }

  #receive(message: LogMessage): void {
    this.#inbox.push(message);
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = null;
    });
  }

  #stopFollowing(): void {
    this.#unfollow?.();
    this.#unfollow = null;
    this.#inbox = [];
  }

  async #drain(): Promise<void> {
    // Runs in a later microtask, so that messages that arrive together are applied together.
    await Promise.resolve();
    try {
      while (this.#inbox.length > 0) {
        const { entries, position, handled } = this.#read();
        if (entries.length > 0) await this.#apply(entries);
        if (this.#isClosed) return;
        this.#position = position;
        this.#handled = handled;
        this.#waiting.wake(this.#handled);
      }
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  /** An operation may need a change of metadata that cannot be read while the metadata log cannot be reached. */
  async #apply(entries: readonly LogEntry[]): Promise<void> {
    while (!this.#isClosed) {
      try {
        return await this.#host.apply(entries);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== UNAVAILABLE) throw error;
        await this.#timing.pause();
      }
    }
  }

  /** Takes messages out of the inbox. @throws BehindError, UnknownVersionError */
  #read(): { entries: LogEntry[]; position: LogPosition; handled: number } {
    const entries: LogEntry[] = [];
    let position = this.#position;
    let handled = this.#handled;
    let message = this.#inbox.shift();
    for (; message !== undefined; message = entries.length < MAX_APPLIED ? this.#inbox.shift() : undefined) {
      if (message.seq <= handled) continue;
      // A void message.
      if (message.after < handled) {
        handled = message.seq;
        continue;
      }
      if (message.after > handled) throw new BehindError(message.seq, handled);
      handled = message.seq;
      this.#loggedBytes += message.data.length;
      const batch = this.#assembler.add(message);
      if (batch === null) continue;
      for (const entry of batch.entries) if (this.#isNew(entry)) entries.push(entry);
      const seqNo = batch.entries.at(-1)?.seqNo ?? position.seqNo;
      position = { seq: message.seq, id: message.id, primaryTerm: Math.max(position.primaryTerm, batch.primaryTerm), seqNo };
    }
    return { entries, position, handled };
  }

  /** Whether the store lacks the operation. @throws DivergedError it has a different one with this number */
  #isNew({ seqNo, primaryTerm }: LogEntry): boolean {
    if (seqNo > this.#host.maxSeqNo) return true;
    const stored = this.#host.termOf(seqNo);
    if (stored !== null && stored !== primaryTerm)
      throw new DivergedError(`operation ${seqNo} of the store is of term ${stored}, that of the log of term ${primaryTerm}`);
    return false;
  }

  #fail(error: Error): Error {
    if (this.#failure !== null || this.#isClosed) return error;
    this.#failure = error;
    this.#isPrimary = false;
    this.#stopFollowing();
    this.#waiting.reject(logUnreachableError(this.#name, error.message));
    this.#host.failed(error);
    return error;
  }
}
