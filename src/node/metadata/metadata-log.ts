// The order of all changes of the metadata: the seam between the commands of a node and what orders them. A node of its own needs no more than
// its queue of commands.
import { createHash, randomBytes } from 'node:crypto';
import type { CommandArgs, CommandName } from '../../metadata/reducers.ts';
import type { SecurityChange } from '../../security/records.ts';

/** A metadata command with everything on which its result depends besides the state: no clock and no randomness of a node. */
export interface CommandEntry<Name extends CommandName = CommandName> {
  readonly kind: 'command';
  readonly name: Name;
  readonly args: CommandArgs<Name>;
  readonly nowMs: number;
  /** Uuids that the reducer makes follow from it. */
  readonly seed: string;
}

/** Users, roles and API keys that changed. */
export interface SecurityEntry {
  readonly kind: 'security';
  readonly changes: readonly SecurityChange[];
}

/** The first entry of a log. */
export interface StartEntry {
  readonly kind: 'start';
  readonly clusterUuid: string;
  /** `compat.flavor` and `compat.version` of all nodes. */
  readonly flavor: string;
  readonly version: string;
}

export type MetadataEntry = CommandEntry | SecurityEntry | StartEntry;

/** Both methods run within the queue of commands, one call at a time. */
export interface MetadataLog {
  /** Resolves when this node has applied every entry that was acknowledged before the call. @throws ApiError: the log cannot be reached */
  catchUp(): Promise<void>;
  /**
   * Puts an entry behind those that this node has applied. The caller applies it.
   * @returns false: an entry of another node came first, so the caller has to catch up and decide again
   * @throws ApiError: the log cannot be reached
   */
  append(entry: MetadataEntry): Promise<boolean>;
  /** The entry as every node will read it, which is to be applied here, too. */
  prepare<Entry extends MetadataEntry>(entry: Entry): Entry;
  /** Number of the last entry that this node has applied or appended; null without a log. It is stored with the state that the entry made. */
  readonly position: number | null;
}

/** For a node of its own: its queue is the order. */
export const LOCAL_METADATA_LOG: MetadataLog = {
  catchUp: async () => undefined,
  append: async () => true,
  prepare: (entry) => entry,
  position: null,
};

export function commandEntry<Name extends CommandName>(name: Name, args: CommandArgs<Name>): CommandEntry<Name> {
  return { kind: 'command', name, args, nowMs: Date.now(), seed: randomBytes(16).toString('base64url') };
}

/** @returns a function that makes the same uuids for the same seed, in the same order */
export function seededUuids(seed: string): () => string {
  let count = 0;
  return () => createHash('sha256').update(`${seed}/${count++}`).digest().subarray(0, 16).toString('base64url');
}
