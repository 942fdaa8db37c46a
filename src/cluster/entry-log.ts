// A subject as a log of entries that every node applies in order: the order of all metadata changes. The owner runs its methods one at a time.
import { parseJson } from '../common/json/json-parse.ts';
import { writeJson } from '../common/json/json-write.ts';
import { ApiError } from '../errors/api-error.ts';
import type { BlobStore } from '../snapshots/blob-store.ts';
import { LOG_VERSION, UnknownVersionError } from './batch.ts';
import { type LogMessage, type LogSubject, logUnreachableError, publishSurely } from './log-subject.ts';
import type { LogTiming } from './shard-log.ts';

/** What the log itself does not contain. */
export interface EntryStore<Content> {
  /** Entries that are larger than a message, by names of `entry-<sequence that the entry follows>-<id>`. */
  readonly blobs: Pick<BlobStore, 'read' | 'replace'>;
  /** The newest snapshot of what the entries have made; null if there is none. */
  newest(): Promise<{ readonly position: number; readonly content: Content } | null>;
}

/** How a node uses entries and snapshots. */
export interface EntryTarget<Entry, Content> {
  apply(entry: Entry): Promise<void>;
  /** Replaces all that earlier entries have made. */
  adopt(content: Content): Promise<void>;
}

/** A message that names the blob with its entry. */
interface StoredEntry {
  readonly kind: 'stored';
  readonly blob: string;
}

export class EntryLog<Entry, Content> {
  readonly #subject: LogSubject;
  readonly #timing: LogTiming;
  readonly #store: EntryStore<Content>;
  #loggedBytes = 0;
  readonly #what: string;
  #position: number;
  /** Sequence of the last entry that is not void. */
  #lastEntry: number;
  #inbox: LogMessage[] = [];
  #onArrival: (() => void) | null = null;
  #unfollow: () => void = () => undefined;

  /**
   * @param what  name of the log in errors
   * @param position  sequence of the last entry that this node has applied; 0: none
   */
  constructor(subject: LogSubject, what: string, position: number, timing: LogTiming, store: EntryStore<Content>) {
    this.#subject = subject;
    this.#store = store;
    this.#what = what;
    this.#position = position;
    this.#lastEntry = position;
    this.#timing = timing;
  }

  /** Sequence of the last entry that was applied or is being applied; 0: none. */
  get position(): number {
    return this.#position;
  }

  /**
   * Sequence of the last applied entry; 0: none. Unlike `position` it is never that of a void message: where the log is trimmed, the first message that is
   * left must be one that a node may apply after the entry before it.
   */
  get lastEntry(): number {
    return this.#lastEntry;
  }

  /** Bytes of the entries that were read or appended since the start. */
  get loggedBytes(): number {
    return this.#loggedBytes;
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

  /**
   * Applies every entry that was acknowledged before the call. If the log lacks entries that this node needs, the newest snapshot is adopted.
   * @throws ApiError the log cannot be reached; UnknownVersionError
   */
  async catchUp(target: EntryTarget<Entry, Content>): Promise<void> {
    const last = await this.#subject.last();
    if (last < this.#position)
      throw logUnreachableError(this.#what, `it ends with message ${last}, this node has applied message ${this.#position}`);
    while (this.#position < last) {
      const message = this.#inbox.shift() ?? (await this.#arrival()) ?? (await this.#subject.next(this.#position));
      if (message === null) throw logUnreachableError(this.#what, `its entries up to ${last} cannot be read`);
      if (message.seq <= this.#position) continue;
      // A void message.
      if (message.after < this.#position) {
        this.#position = message.seq;
        continue;
      }
      const data = message.after === this.#position ? await this.#dataIn(message) : null;
      if (data === null) {
        this.#inbox.unshift(message);
        await this.#adopt(target);
        continue;
      }
      this.#position = message.seq;
      this.#lastEntry = message.seq;
      this.#loggedBytes += data.length;
      await target.apply(decode(data) as Entry);
    }
    // Messages that arrived twice, or that this node appended.
    while (this.#inbox.length > 0 && this.#inbox[0].seq <= this.#position) this.#inbox.shift();
  }

  /** The entry of a message as bytes; null: it was stored as a blob, which was removed, because the log was trimmed. */
  async #dataIn({ data }: LogMessage): Promise<Uint8Array | null> {
    const entry = decode(data) as StoredEntry;
    return entry.kind === 'stored' ? this.#reached(() => this.#store.blobs.read(entry.blob)) : data;
  }

  async #reached<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      if (error instanceof ApiError || error instanceof UnknownVersionError) throw error;
      throw logUnreachableError(this.#what, (error as Error).message);
    }
  }

  async #adopt({ adopt }: EntryTarget<Entry, Content>): Promise<void> {
    const newest = await this.#reached(() => this.#store.newest());
    if (newest === null || newest.position <= this.#position)
      throw new Error(`${this.#what}: entries after ${this.#position} are missing, and no snapshot contains them`);
    const before = this.#position;
    const lastBefore = this.#lastEntry;
    // What is adopted is stored with this position.
    this.#position = newest.position;
    this.#lastEntry = newest.position;
    try {
      await adopt(newest.content);
    } catch (error) {
      this.#position = before;
      this.#lastEntry = lastBefore;
      throw error;
    }
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
    const id = this.#timing.newId();
    const data = encode(entry);
    const message = { id, after: this.#position, data: await this.#messageOf(data, `entry-${this.#position}-${id}`) };
    const seq = await publishSurely(this.#subject, message, this.#timing.patience());
    if (seq === 'stale') return false;
    if (seq === null)
      throw new ApiError(
        'process_cluster_event_timeout_exception',
        503,
        `${this.#what} does not answer: it is not known whether the change was accepted`,
      );
    this.#position = seq;
    this.#lastEntry = seq;
    this.#loggedBytes += data.length;
    return true;
  }

  /** Data of the message with an entry. One that is larger than a message is stored, and removed once the log is trimmed. */
  async #messageOf(data: Uint8Array, blob: string): Promise<Uint8Array> {
    if (data.length <= this.#subject.maxBytes) return data;
    await this.#reached(() => this.#store.blobs.replace(blob, data));
    return encode({ kind: 'stored', blob } satisfies StoredEntry);
  }
}

function encode(entry: unknown): Uint8Array {
  return Buffer.concat([Buffer.of(LOG_VERSION), Buffer.from(writeJson(entry))]);
}

function decode(data: Uint8Array): unknown {
  if (data[0] !== LOG_VERSION) throw new UnknownVersionError(data[0]);
  return parseJson(Buffer.from(data.subarray(1)).toString('utf8'));
}
