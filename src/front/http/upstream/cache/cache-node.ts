// Entries of a cache zone as its event loops know them, and what they tell each other about changes.
import type { EntryHead } from './cache-entry.ts';

/** What an event loop knows of an entry. */
export interface CacheNode {
  hash: string;
  key: string;
  exists: boolean;
  /** a status cached without a body */
  error: number;
  validUntil: number;
  size: number;
  usedAt: number;
  /** Vary of the responses under this key, whose hashes include the request's values */
  vary: string;
  tags: string[];
  waiters: (() => void)[];
  memory: { head: EntryHead; body: Buffer } | null;
  /** requests being served from it */
  count: number;
}

/** A change of an entry that an event loop broadcasts. */
export type News =
  | { kind: 'stored'; hash: string; head: Pick<EntryHead, 'key' | 'validUntil' | 'vary' | 'tags'>; size: number }
  | { kind: 'status'; hash: string; key: string; error: number; validUntil: number }
  | { kind: 'refreshed'; hash: string; validUntil: number }
  | { kind: 'removed' | 'released'; hash: string };

/** A cached response that a request reads. */
export interface OpenEntry {
  head: EntryHead;
  /** the body in memory, or an open file and where the body starts */
  body?: Buffer;
  fd?: number;
  start: number;
}
