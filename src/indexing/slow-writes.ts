// Entries of the slow log for indexed documents.
import { type SlowThresholds, slowLevel } from '../metadata/settings/slow-log-thresholds.ts';
import { type LogEntry, OP_INDEX } from '../store/store.ts';
import type { SlowWrite } from './writer-environment.ts';

/** Most characters of a document in the slow log, even if it is set to contain the whole source. */
const MAX_SOURCE_CHARS = 100_000;
const NO_BYTES = new Uint8Array(0);

/** The entry of an operation in the slow log; null for a fast one. Deletions and refused documents are not logged, as in Elasticsearch. */
export function slowWrite(thresholds: SlowThresholds, entry: LogEntry | null, tookMs: number): SlowWrite | null {
  const level = slowLevel(thresholds.index, tookMs);
  if (level === null || entry === null || entry.op !== OP_INDEX) return null;
  const { id, routing, source } = entry;
  const chars = Math.min(thresholds.sourceChars, MAX_SOURCE_CHARS);
  // A character has at most four bytes; an incomplete one at the end is dropped.
  const text = new TextDecoder().decode((source ?? NO_BYTES).subarray(0, chars * 4), { stream: true }).slice(0, chars);
  return { level, tookMs, id, routing, source: text };
}
