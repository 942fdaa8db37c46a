// The shards of an indexer: those that are open, and those that snapshots read.
import type { StoredDocument } from '../../api/core/context.ts';
import { EMPTY_SHARD } from '../../api/core/empty-shard.ts';
import { ApiError } from '../../errors/api-error.ts';
import { indexNotFoundError } from '../../errors/catalog.ts';
import type { ShardWriter } from '../../indexing/shard-writer.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import { OP_DELETE, type Store } from '../../store/store.ts';
import type { ShardPlacement, WriterStats } from '../messages/messages.ts';
import type { FillProgress } from './copy-snapshots.ts';
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
export function writerStats({ writer, copy, placement }: OpenShard): WriterStats {
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
    recovery: copy.recovery,
  };
}

/** A shard that is being filled. */
export function fillingStats(shard: number, { startMs, files, bytes }: FillProgress): WriterStats {
  return { ...EMPTY_SHARD, shard, recovery: { stage: 'INDEX', startMs, stopMs: 0, files, bytes, operations: 0 } };
}

/** A version of a document, for another node. */
export function documentOf(store: Store, log: number, seqNo: number): StoredDocument | null {
  const record = store.read(log, seqNo);
  if (record === null) return null;
  const { id, primaryTerm, version, routing, source, op } = record;
  // Copied, because other reads may reuse the buffer.
  return { id, seqNo, primaryTerm, version, routing, source: op === OP_DELETE || source === null ? null : new Uint8Array(source) };
}

/** The error for a shard that is not open here: its index is gone, or it could not be opened. @param meta  undefined if the index is gone */
export function unavailableError(
  meta: IndexMeta | undefined,
  { uuid, shard }: { readonly uuid: string; readonly shard: number },
): ApiError {
  if (meta === undefined) return indexNotFoundError(uuid);
  return new ApiError(
    'unavailable_shards_exception',
    503,
    `[${meta.name}][${shard}] primary shard is not active: its data could not be read`,
  );
}

/**
 * Reply to `committed`. A copy that is being filled has none: it needs the log from its snapshot on, which is never newer than the snapshot that
 * lets the log be trimmed.
 */
export function packCommitted(open: OpenShard | undefined): Uint8Array | null {
  if (open === undefined || open.copy.committed === 0) return null;
  const reply = Buffer.alloc(8);
  reply.writeDoubleLE(open.copy.committed);
  return reply;
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
