// One subject of a stream as an ordered log: the narrow interface between the cluster protocol and JetStream, which a simulation also
// implements.
import { ApiError } from '../errors/api-error.ts';

/**
 * A message of a log. It counts only if `after` is the number of the message before it; otherwise it is void, for every reader alike. JetStream may store such
 * messages (https://github.com/nats-io/nats-server/issues/4320); StreamSubject (stream-subject.ts) does not pass them on.
 */
export interface LogMessage {
  /** Number in the log; ascending. */
  readonly seq: number;
  /** Number of the previous message according to the publisher; 0 for the first. */
  readonly after: number;
  /** Chosen by the publisher; unique. */
  readonly id: string;
  readonly data: Uint8Array;
}

/** The number of the stored message; `stale`: another message is the last of the subject; `unknown`: it may or may not be stored. */
export type Published = number | 'stale' | 'unknown';

export interface LogSubject {
  /** Largest data of a message. */
  readonly maxBytes: number;
  /** Stores a message if the last one of the log has number `after` (0: the log is empty). Never rejects. */
  publish(message: Omit<LogMessage, 'seq'>): Promise<Published>;
  /** The first message after a number; null if there is none. @throws ApiError the log cannot be reached */
  next(after: number): Promise<LogMessage | null>;
  /** Number of the last message; 0 if there is none. @throws ApiError the log cannot be reached */
  last(): Promise<number>;
  /**
   * Delivers all messages after a number in order, including future ones, and survives lost connections. @returns ends the subscription
   */
  follow(after: number, deliver: (message: LogMessage) => void): () => void;
  /** Removes the messages before a number, which is that of a message; some of them may stay. @throws ApiError the log cannot be reached */
  trim(before: number): Promise<void>;
}

/** Decides whether an operation without a response is retried. @returns false to give up */
export type Patience = () => Promise<boolean>;

/** The log cannot be reached. @param what  name of the log, for example `the log of [books][0]` */
export function logUnreachableError(what: string, cause = ''): ApiError {
  return new ApiError('unavailable_shards_exception', 503, `${what} cannot be reached${cause && `: ${cause}`}`);
}

/**
 * Publishes until it is known whether the message is stored. Repeating it is safe: all attempts carry the same number, of which the first stored
 * message counts.
 * @returns `stale` if the message is not stored, or is void; null if patience ended: whether the message is stored is unknown
 */
export async function publishSurely(
  subject: LogSubject,
  message: Omit<LogMessage, 'seq'>,
  patience: Patience,
): Promise<number | 'stale' | null> {
  for (let isFirst = true; ; isFirst = false) {
    const published = await subject.publish(message);
    // A message with the next number has none before it that could make it void.
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
