// Interface of the slow log: searches and writes that exceeded a threshold of their index. Main writes it and keeps the last entries.
import type { SlowLevel } from '../../metadata/settings/slow-log-thresholds.ts';

export interface SlowEntry {
  /** When it ended, in milliseconds since 1970. */
  readonly timeMs: number;
  readonly level: SlowLevel;
  readonly phase: 'query' | 'fetch' | 'index';
  readonly index: string;
  readonly indexUuid: string;
  readonly shard: number;
  readonly tookMs: number;
  /** Body of the search, or beginning of the document; empty if there is none, or it is not logged. */
  readonly source: string;
  /** X-Opaque-Id of the search, or id of the document; null without. */
  readonly id: string | null;
  /** Of a search. */
  readonly search?: {
    readonly type: 'QUERY_THEN_FETCH' | 'DFS_QUERY_THEN_FETCH';
    readonly totalHits: { readonly value: number; readonly relation: 'eq' | 'gte' } | null;
    readonly totalShards: number;
    readonly user: string | null;
  };
  /** Of a document; null without. */
  readonly routing?: string | null;
}

export interface SlowLog {
  add(entry: SlowEntry): void;
  /** The last entries, the newest first. */
  recent(): Promise<readonly SlowEntry[]>;
}
