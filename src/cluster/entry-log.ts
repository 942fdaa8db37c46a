// A subject as a log of entries that every node applies in order: the order of all metadata changes. The owner runs its methods one at a time.
import { parseJson } from '../common/json/json-parse.ts';
import { writeJson } from '../common/json/json-write.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import { LOG_VERSION, UnknownVersionError } from './batch.ts';
import { type LogMessage, type LogSubject, logUnreachableError, publishSurely } from './log-subject.ts';
import type { LogTiming } from './shard-log.ts';

export class EntryLog<Entry> {
  readonly #subject: LogSubject;
  readonly #timing: LogTiming;
  readonly #what: string;
  #position: number;
  #inbox: LogMessage[] = [];
  #onArrival: (() => void) | null = null;
  #unfollow: () => void = () => undefined;

  /**
   * @param what  name of the log in errors
   * @param position  sequence of the last entry that this node has applied; 0: none
   */
  constructor(subject: LogSubject, what: string, position: number, timing: LogTiming) {
    this.#subject = subject;
    this.#what = what;
    this.#position = position;
    this.#timing = timing;
  }

  /** Sequence of the last entry that was applied or is being applied; 0: none. */
  get position(): number {
    return this.#position;
  }

  /** @param onEntry  called when there may be entries to apply */
  follow(onEntry: () => void): void {
    this.#unfollow = this.#subject.follow(this.#position, (message) => {
      this.#inbox.push(message);
      this.#onArrival?.();
      if (message.seq > this.#position) onEntry();
    });
  }

  close(): void {
    this.#unfollow();
  }

  /** The entry as other nodes will decode it. */
  prepare<Kind extends Entry>(entry: Kind): Kind {
    return decode(encode(entry)) as Kind;
  }

  /** Applies every entry that was acknowledged before the call. @throws ApiError the log cannot be reached; UnknownVersionError */
  async catchUp(apply: (entry: Entry) => Promise<void>): Promise<void> {
    const last = await this.#subject.last();
    if (last < this.#position)
      throw logUnreachableError(this.#what, `it ends with message ${last}, this node has applied message ${this.#position}`);
    while (this.#position < last) {
      const message = this.#inbox.shift() ?? (await this.#arrival()) ?? (await this.#subject.next(this.#position));
      if (message === null) throw logUnreachableError(this.#what, `its entries up to ${last} cannot be read`);
      if (message.seq <= this.#position) continue;
      if (message.after > this.#position)
        throw new Error(`${this.#what}: message ${message.seq} follows ${message.after}, this node has applied ${this.#position}`);
      const isVoid = message.after < this.#position;
      this.#position = message.seq;
      if (isVoid) continue;
      await apply(decode(message.data) as Entry);
    }
    // Messages that arrived twice, or that this node appended.
    while (this.#inbox.length > 0 && this.#inbox[0].seq <= this.#position) this.#inbox.shift();
  }

  /** @returns undefined if no message is delivered in time */
  async #arrival(): Promise<LogMessage | undefined> {
    const arrived = new Promise<void>((resolve) => {
      this.#onArrival = resolve;
    });
    await Promise.race([arrived, this.#timing.overdue()]);
    this.#onArrival = null;
    return this.#inbox.shift();
  }

  /** Appends an entry after the last applied one. @returns false if another entry came first @throws ApiError */
  async append(entry: Entry): Promise<boolean> {
    const data = encode(entry);
    if (data.length > this.#subject.maxBytes)
      throw illegalArgumentError(`a change of metadata may have at most ${this.#subject.maxBytes} bytes in a cluster, got ${data.length}`);
    const message = { id: this.#timing.newId(), after: this.#position, data };
    const seq = await publishSurely(this.#subject, message, this.#timing.patience());
    if (seq === 'stale') return false;
    if (seq === null)
      throw new ApiError(
        'process_cluster_event_timeout_exception',
        503,
        `${this.#what} does not answer: it is not known whether the change was accepted`,
      );
    this.#position = seq;
    return true;
  }
}

function encode(entry: unknown): Uint8Array {
  return Buffer.concat([Buffer.of(LOG_VERSION), Buffer.from(writeJson(entry))]);
}

function decode(data: Uint8Array): unknown {
  if (data[0] !== LOG_VERSION) throw new UnknownVersionError(data[0]);
  return parseJson(Buffer.from(data.subarray(1)).toString('utf8'));
}
