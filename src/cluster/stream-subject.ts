// A subject of a stream as a log whose messages are numbered by those who publish them.
//
//   sequence in the stream, on one server:       7      8      9      10     11
//   number that the message carries:             3      4      4      4      5
//                                                       │      └──┬───┘
//                                        the 4th message of the log; those that follow with this number are void
//
// The log does not depend on sequences, because the servers of a stream may disagree about them: nats-server 2.9 stores a message again on one server when it
// applies its own log after a kill, and after a change of the leader it may store two messages that were published after the same one. A consumer reads
// the copy of one server; everything else comes from the leader. Sequences only serve to find messages and to append: an append is refused unless
// the last message of the subject has the expected one.
import { ApiError } from '../errors/api-error.ts';
import { type LogMessage, type LogSubject, logUnreachableError, type Published } from './log-subject.ts';

/** A message in a stream. */
export interface StreamMessage {
  /** Its place on the server that was read. */
  readonly sequence: number;
  /** Its place in the log, from 1; several messages may carry the same, of which the first counts. */
  readonly number: number;
  readonly id: string;
  readonly data: Uint8Array;
}

/** The messages of one subject in a stream. */
export interface StreamReader {
  /** The first message with this sequence or a later one, as the leader has it; null if there is none. @throws ApiError */
  read(from: number): Promise<StreamMessage | null>;
  /** The last message, as the leader has it; null if there is none. @throws ApiError */
  readLast(): Promise<StreamMessage | null>;
  /** Appends if the last message has the expected sequence; 0: there is none. @returns the sequence of the message. Never rejects */
  append(message: Omit<StreamMessage, 'sequence'>, expected: number): Promise<Published>;
  /**
   * Delivers messages from a sequence on, one after another, as any server has them, until the server or the connection is lost, `deliver` fails, or it is
   * stopped. @param onStart  called with what stops it @throws Error
   */
  consume(from: number, deliver: (message: StreamMessage) => Promise<void>, onStart: (stop: () => void) => void): Promise<void>;
  /** Removes the messages before a sequence. @throws ApiError */
  purge(before: number): Promise<void>;
}

/** By how much the sequences of servers may differ for a consumer to begin where it should; what it lacks beyond that is read from the leader. */
const CONSUMER_SLACK = 64;
/** The same for what is removed from a log. A server that has removed too much makes copies be filled anew. */
const TRIM_SLACK = 4;
/** What the leader answered at most so long ago holds still: the election of another one takes longer. */
const SURE_MS = 250;
/** The same for a search, which is repeated if it takes longer; elections take four seconds at least. */
const SEARCH_MS = 2000;
const MAX_ATTEMPTS = 5;

export interface StreamSubjectOptions {
  /** Largest data of a message. */
  readonly maxBytes: number;
  /** Name of the log in errors. */
  readonly what: string;
  /** Resolves after a delay, after which a lost consumer is replaced. */
  readonly pause: () => Promise<void>;
  readonly isClosed: () => boolean;
  /** A clock in milliseconds. */
  readonly now: () => number;
}

/** A message, and when the leader named it. */
interface Known {
  readonly number: number;
  readonly sequence: number;
  readonly knownMs: number;
}

export class StreamSubject implements LogSubject {
  readonly #stream: StreamReader;
  readonly #options: StreamSubjectOptions;
  /** The last message, when the leader named it. */
  #tail: Known | null = null;
  /** The message that was read last, from which the next one is found. */
  #read: Known = { number: 0, sequence: 0, knownMs: Number.NEGATIVE_INFINITY };

  constructor(stream: StreamReader, options: StreamSubjectOptions) {
    this.#stream = stream;
    this.#options = options;
  }

  get maxBytes(): number {
    return this.#options.maxBytes;
  }

  async last(): Promise<number> {
    return (await this.#readLast())?.number ?? 0;
  }

  async #readLast(): Promise<StreamMessage | null> {
    const knownMs = this.#options.now();
    const last = await this.#stream.readLast();
    this.#tail = { number: last?.number ?? 0, sequence: last?.sequence ?? 0, knownMs };
    return last;
  }

  // --------------------------------------------------------------------------------------------------------- append

  async publish(message: Omit<LogMessage, 'seq'>): Promise<Published> {
    try {
      return await this.#publish(message);
    } catch (error) {
      if (error instanceof ApiError) return 'unknown';
      throw error;
    }
  }

  async #publish({ id, after, data }: Omit<LogMessage, 'seq'>): Promise<Published> {
    const number = after + 1;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (this.#tail?.number !== after || !this.#isSure(this.#tail.knownMs)) {
        const last = (await this.#readLast())?.number ?? 0;
        if (last > after) return 'stale';
        // The leader does not have what this node has read.
        if (last < after) return 'unknown';
      }
      const tail = this.#tail;
      if (tail === null) continue;
      this.#tail = null;
      const knownMs = this.#options.now();
      const sequence = await this.#stream.append({ id, number, data }, tail.sequence);
      if (sequence === 'unknown') return 'unknown';
      // Another message came first, or another server leads, which has other sequences.
      if (sequence === 'stale') continue;
      const isStored = await this.#follows(tail, sequence, id);
      const fate = isStored ? number : await this.#fateOf(id, after);
      if (fate === number) this.#tail = { number, sequence, knownMs };
      return fate;
    }
    return 'unknown';
  }

  /** Whether a message is the first after the one that was the last, for sure. Others between them may belong to other subjects of the stream. */
  async #follows(tail: Known, sequence: number, id: string): Promise<boolean> {
    const isFirst = sequence === tail.sequence + 1 || (await this.#stream.read(tail.sequence + 1))?.id === id;
    return isFirst && this.#isSure(tail.knownMs);
  }

  /** Whether the message with this id counts, which was stored after the one with the number `after`. */
  async #fateOf(id: string, after: number): Promise<Published> {
    const next = await this.next(after);
    // Trimmed, or not there yet.
    if (next === null || next.after > after) return 'unknown';
    return next.id === id ? next.seq : 'stale';
  }

  // ----------------------------------------------------------------------------------------------------------- read

  async next(after: number): Promise<LogMessage | null> {
    const knownMs = this.#options.now();
    const following = await this.#following(after);
    if (following !== null) this.#read = { ...following, knownMs };
    const message = following ?? (await this.#find(after));
    return message && logMessageOf(message);
  }

  /** The message behind the one that was read last; null unless it is the next one for sure. */
  async #following(after: number): Promise<StreamMessage | null> {
    const { number, sequence, knownMs } = this.#read;
    if (number !== after) return null;
    let message = await this.#stream.read(sequence + 1);
    while (message !== null && message.number <= after) message = await this.#stream.read(message.sequence + 1);
    return message?.number === after + 1 && this.#isSure(knownMs) ? message : null;
  }

  /** Whether what the leader answered then still holds. */
  #isSure(knownMs: number): boolean {
    return this.#options.now() - knownMs < SURE_MS;
  }

  /** The first message with a higher number, as the leader has it; null if there is none. Repeated if another server may have become the leader. */
  async #find(after: number): Promise<StreamMessage | null> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const knownMs = this.#options.now();
      const found = await this.#search(after);
      if (this.#options.now() - knownMs > SEARCH_MS) continue;
      if (found !== null) this.#read = { ...found, knownMs };
      return found;
    }
    throw logUnreachableError(this.#options.what, 'it takes too long to read');
  }

  async #search(after: number): Promise<StreamMessage | null> {
    const last = await this.#readLast();
    if (last === null || last.number <= after) return null;
    const first = await this.#stream.read(0);
    if (first === null || first.number > after) return first;
    // Before `low` no message is searched, and the first one from `top` on is `high`, which has a higher number.
    let low = first.sequence + 1;
    let [top, high] = [last.sequence, last];
    // Most searches are near the end.
    let middle = last.sequence - 2 * (last.number - after) - 1;
    while (low < top) {
      if (middle < low) middle = low;
      const message = await this.#stream.read(middle);
      if (message === null) throw logUnreachableError(this.#options.what, 'it changed while it was read');
      if (message.number <= after) low = message.sequence + 1;
      else [top, high] = [middle, message];
      middle = Math.floor((low + top) / 2);
    }
    return high.number === after + 1 ? high : this.#findBefore(high, after);
  }

  /** Messages that were stored again have hidden the one that is searched from a search by halves. */
  async #findBefore(later: StreamMessage, after: number): Promise<StreamMessage> {
    for (let step = 2; ; step *= 2) {
      const from = Math.max(0, later.sequence - step);
      for (let message = await this.#stream.read(from); message !== null; message = await this.#stream.read(message.sequence + 1)) {
        if (message.sequence >= later.sequence) break;
        if (message.number === after + 1) return message;
      }
      if (from === 0) return later;
    }
  }

  // --------------------------------------------------------------------------------------------------------- follow

  follow(after: number, deliver: (message: LogMessage) => void): () => void {
    const { pause, isClosed, what } = this.#options;
    let isEnded = false;
    let stop = (): void => undefined;
    let at = after;
    // Whether the consumer has passed a message that was read before. Otherwise its first one may be void.
    let isAnchored = false;
    const pass = (message: LogMessage): void => {
      at = message.seq;
      deliver(message);
    };
    const receive = async (message: StreamMessage): Promise<void> => {
      // The server that is read may lack messages, or count them otherwise.
      while (!isEnded && (message.number > at + 1 || (message.number === at + 1 && !isAnchored))) {
        const next = await this.next(at);
        if (next === null) throw logUnreachableError(what, `it ends with message ${at}`);
        if (!isEnded) pass(next);
      }
      if (!isEnded && message.number === at + 1) pass(logMessageOf(message));
      isAnchored = true;
    };
    const run = async (): Promise<void> => {
      const from = await this.#startOf(at);
      isAnchored = from === 0;
      await this.#stream.consume(from, receive, (stopConsumer) => {
        stop = stopConsumer;
        if (isEnded) stop();
      });
    };
    const keepRunning = async () => {
      while (!isEnded && !isClosed()) {
        await run().catch(() => undefined);
        if (!isEnded) await pause();
      }
    };
    keepRunning();
    return () => {
      isEnded = true;
      stop();
    };
  }

  /** The sequence from which a consumer delivers the messages after a number, on whichever server it reads. */
  async #startOf(after: number): Promise<number> {
    if (after === 0) return 0;
    const next = await this.#find(after);
    const sequence = next?.sequence ?? (this.#tail?.sequence ?? 0) + 1;
    return Math.max(0, sequence - CONSUMER_SLACK);
  }

  async trim(before: number): Promise<void> {
    const message = await this.#find(before - 1);
    if (message === null) return;
    const sequence = message.sequence - TRIM_SLACK;
    // Servers take 1 for no sequence at all, and would remove every message.
    if (sequence > 1) await this.#stream.purge(sequence);
  }
}

function logMessageOf({ number, id, data }: StreamMessage): LogMessage {
  return { seq: number, after: number - 1, id, data };
}
