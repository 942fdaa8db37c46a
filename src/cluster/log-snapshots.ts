// Snapshots of a copy, from which other copies are filled, and the trimming of the log that they make possible. Depends on interfaces only, so
// that the simulation of the protocol runs the same code.
//
// Rules, on which nothing but these depends:
//   - the position of a snapshot is read before its contents, so the contents have every operation up to it. What they have beyond it is skipped when
//     it is read from the log;
//   - a snapshot replaces the one that its writer has read, or fails. So positions never decrease, whoever believes to be the primary;
//   - the log is trimmed only before the end of a batch that a snapshot contains and that every copy in touch has stored. The message at that
//     position stays: it proves to a copy that the log is the one it has read, and JetStream keeps the last sequence of the subject;
//   - a copy whose position is before the first message is filled from the snapshot.
import type { LogSubject } from './log-subject.ts';
import type { LogPosition } from './shard-log.ts';

/** The state of a copy at a position of its log, or later. */
export interface LogSnapshot<Content> {
  readonly position: LogPosition;
  readonly content: Content;
}

/** A register with compare-and-set. */
export interface SnapshotRegister<Content> {
  /** The newest snapshot, and the revision of the register; null and 0 if there is none. @throws ApiError it cannot be reached */
  read(): Promise<{ readonly snapshot: LogSnapshot<Content> | null; readonly revision: number }>;
  /** @returns false: the register has another revision @throws ApiError: it is unknown whether it was written */
  write(snapshot: LogSnapshot<Content>, revision: number): Promise<boolean>;
}

export interface SnapshotSource<Content> {
  /** Position up to which the copy has applied its log. */
  readonly position: LogPosition;
  /** Saves the present contents of the copy. @param before  of the previous snapshot; null if there is none */
  save(before: Content | null): Promise<Content>;
}

/** @returns the newest snapshot; null if another copy wrote one in the meantime */
export async function takeSnapshot<Content>(
  register: SnapshotRegister<Content>,
  source: SnapshotSource<Content>,
): Promise<LogSnapshot<Content> | null> {
  const { snapshot: before, revision } = await register.read();
  const { position } = source;
  if (before !== null && before.position.seq >= position.seq) return before;
  const snapshot = { position, content: await source.save(before?.content ?? null) };
  return (await register.write(snapshot, revision)) ? snapshot : null;
}

/**
 * Removes what no copy needs from a log.
 * @param committed  sequences of the positions that the copies in touch have stored
 */
export async function trimLog(subject: LogSubject, { position }: LogSnapshot<unknown>, committed: readonly number[]): Promise<void> {
  const before = Math.min(position.seq, ...committed);
  if (before > 0) await subject.trim(before);
}
