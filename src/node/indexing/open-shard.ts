// The shards of an indexer: those that are open, and those that snapshots read.
import type { ShardWriter } from '../../indexing/shard-writer.ts';
import type { ShardPlacement, WriterStats } from '../messages/messages.ts';
import type { ShardCopy } from './shard-copy.ts';

export interface OpenShard {
  readonly writer: ShardWriter;
  readonly copy: ShardCopy;
  readonly placement: ShardPlacement;
  readonly progress: Float64Array;
  lastRefreshMs: number;
  dirtySinceMs: number;
  /** Wakes the requests with `refresh=wait_for`. */
  waiting: Array<() => void>;
  ticking: boolean;
}

/** Names a shard in the maps of an indexer. */
export function shardKey(uuid: string, shard: number): string {
  return `${uuid}/${shard}`;
}

/** The shard as `_stats` and `_cat/shards` report it. */
export function writerStats({ writer, placement }: OpenShard): WriterStats {
  const { segments } = writer;
  return {
    shard: placement.shard,
    docs: writer.liveDocs,
    deleted: segments.reduce((sum, segment) => sum + segment.deleted, 0),
    segments: segments.length,
    sizeBytes: segments.reduce((sum, segment) => sum + segment.sizeBytes, 0),
    maxSeqNo: writer.maxSeqNo,
    translogOperations: writer.uncommitted.operations,
    translogBytes: writer.uncommitted.bytes,
    counters: { ...writer.counters, merges: writer.mergeCount },
  };
}

/** Counts the snapshots that read each shard, open or closed. */
export class ShardHolds {
  readonly #counts = new Map<string, number>();

  hold(key: string): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  release(key: string): void {
    const count = (this.#counts.get(key) ?? 0) - 1;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }

  isHeld(key: string): boolean {
    return this.#counts.has(key);
  }
}
