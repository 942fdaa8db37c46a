// One subject of a stream as an ordered log: the narrow interface between the cluster protocol and JetStream, which a simulation also
// implements.
import { ApiError } from '../errors/api-error.ts';

/**
 * A message of a subject. It counts only if `after` is the sequence of the message before it; otherwise it is void, for every reader alike. JetStream refuses
 * such messages, but before version 2.10 its clusters store both of two messages that are published at the same time after the same one
 * (https://github.com/nats-io/nats-server/issues/4320).
 */
export interface LogMessage {
  /** Sequence in the stream; ascending, not consecutive. */
  readonly seq: number;
  /** Sequence of the previous message of the subject according to the publisher; 0 for the first. */
  readonly after: number;
  /** Chosen by the publisher; unique. */
  readonly id: string;
  readonly data: Uint8Array;
}

/** The sequence of the stored message; `stale`: another message is the last of the subject; `unknown`: it may or may not be stored. */
export type Published = number | 'stale' | 'unknown';

export interface LogSubject {
  /** Largest data of a message. */
  readonly maxBytes: number;
  /** Stores a message if the last one of the subject has sequence `after` (0: the subject is empty). Never rejects. */
  publish(message: Omit<LogMessage, 'seq'>): Promise<Published>;
  /** The first message after a sequence; null if there is none. @throws ApiError the log cannot be reached */
  next(after: number): Promise<LogMessage | null>;
  /** Sequence of the last message; 0 if there is none. @throws ApiError the log cannot be reached */
  last(): Promise<number>;
  /**
   * Delivers all messages after a sequence in order, including future ones, and survives lost connections. @returns ends the subscription
   */
  follow(after: number, deliver: (message: LogMessage) => void): () => void;
  /** Removes the messages before a sequence, which is that of a message. @throws ApiError the log cannot be reached */
  trim(before: number): Promise<void>;
}

/** Decides whether an operation without a response is retried. @returns false to give up */
export type Patience = () => Promise<boolean>;

/** The log cannot be reached. @param what  name of the log, for example `the log of [books][0]` */
export function logUnreachableError(what: string, cause = ''): ApiError {
  return new ApiError('unavailable_shards_exception', 503, `${what} cannot be reached${cause && `: ${cause}`}`);
}

/**
 * Publishes until it is known whether the message is stored. Repeating it is safe: all attempts expect the same last sequence, so at most one is
 * stored, and then it follows that sequence.
 * @returns `stale` if the message is not stored, or is void; null if patience ended: whether the message is stored is unknown
 */
export async function publishSurely(
  subject: LogSubject,
  message: Omit<LogMessage, 'seq'>,
  patience: Patience,
): Promise<number | 'stale' | null> {
  for (let isFirst = true; ; isFirst = false) {
    const published = await subject.publish(message);
    // A message with the next sequence of the stream has none before it that could make it void.
    if (published === message.after + 1) return published;
    if (published === 'stale' && isFirst) return 'stale';
    if (published !== 'unknown') {
      const fate = await fateOf(subject, message);
      if (fate !== null) return fate;
    }
    if (!(await patience())) return null;
  }
}

/** Whether the message after the expected sequence is this one; null if it cannot be read. */
async function fateOf(subject: LogSubject, { id, after }: Omit<LogMessage, 'seq'>): Promise<number | 'stale' | null> {
  try {
    const next = await subject.next(after);
    // Once the message after the expected one is trimmed, nothing tells whose it was.
    if (next === null || next.after > after) return null;
    return next.id === id ? next.seq : 'stale';
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
