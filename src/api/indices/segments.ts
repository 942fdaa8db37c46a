// `_segments`: the segments that searches see, and those that points in time hold.

import type { MutableJsonObject } from '../../common/json/json-value.ts';
import type { EngineContext } from '../core/context.ts';
import { type IndexTarget, shownMetas, TARGETS } from '../core/index-names.ts';
import type { IndexState, ShardSnapshot } from '../core/index-state.ts';
import { SEGMENT_VERSION } from '../core/segment-version.ts';
import { contextMissingError, decodeContextId } from '../search/contexts/context-id.ts';
import { shardsHeader } from './index-stats.ts';
import { openStates } from './maintenance.ts';

/** `GET _segments`: segments of the snapshot that searches see. */
export async function indexSegments(ctx: EngineContext, target: IndexTarget): Promise<MutableJsonObject> {
  const names = shownMetas(ctx, target, TARGETS.open).map(({ name }) => name);
  const states = openStates(ctx, names);
  ctx.requireTogether(states);
  const indices: MutableJsonObject = {};
  for (const index of states) {
    const shards: MutableJsonObject = {};
    const stats = await ctx.shardStats(index);
    for (let shard = 0; shard < index.numberOfShards; shard++) {
      const segments = segmentsOf(ctx, index, shard);
      const shardBytes = stats.find((own) => own.shard === shard)?.sizeBytes ?? 0;
      shards[String(shard)] = [
        {
          routing: { state: 'STARTED', primary: true, node: ctx.nodeId },
          num_committed_segments: segments.length,
          num_search_segments: segments.length,
          segments: Object.fromEntries(
            segments.map(({ name, generation, docs, deleted, residentBytes }, i) => [
              name,
              {
                generation,
                num_docs: docs,
                deleted_docs: deleted,
                size_in_bytes: segmentBytes(segments, i, shardBytes),
                ...(ctx.dialect.countsSegmentMemory ? { memory_in_bytes: residentBytes } : {}),
                committed: true,
                search: true,
                version: SEGMENT_VERSION,
                compound: true,
                attributes: { 'Lucene90StoredFieldsFormat.mode': 'BEST_SPEED' },
              },
            ]),
          ),
        },
      ];
    }
    indices[index.meta.name] = { shards };
  }
  return { _shards: shardsHeader(states), indices };
}

export interface SegmentInfo {
  readonly name: string;
  readonly generation: number;
  readonly docs: number;
  readonly deleted: number;
  /** Bytes in memory. */
  readonly residentBytes: number;
}

/** The part of a shard's bytes that a segment uses, by its number of documents. */
export function segmentBytes(segments: readonly SegmentInfo[], at: number, shardBytes: number): number {
  const docs = segments.reduce((sum, segment) => sum + segment.docs + segment.deleted, 0);
  const { docs: live, deleted } = segments[at];
  return Math.round((shardBytes * (live + deleted)) / Math.max(docs, 1));
}

export function segmentsOf(ctx: EngineContext, index: IndexState, shard: number): SegmentInfo[] {
  const snapshot = ctx.acquire(index, shard);
  try {
    return infoOf(snapshot.segments);
  } finally {
    snapshot.release();
  }
}

function infoOf(segments: ShardSnapshot['segments']): SegmentInfo[] {
  return segments.map((segment, i) => ({
    name: `_${i.toString(36)}`,
    generation: i,
    docs: segment.numDocs,
    deleted: segment.maxDoc - segment.numDocs,
    residentBytes: segment.residentBytes,
  }));
}

/** Segments of points in time. @param ids  null for all. @throws ApiError search_phase_execution_exception (404): no such point in time */
export async function pitSegments(
  ctx: EngineContext,
  ids: readonly string[] | null,
): Promise<{ index: IndexState; shard: number; segments: SegmentInfo[] }[]> {
  const keys = ids === null ? (await ctx.contexts.list('pit')).map(({ key }) => key) : ids.map((id) => decodeContextId(id, 'pit'));
  const found: { index: IndexState; shard: number; segments: SegmentInfo[] }[] = [];
  for (const key of keys) {
    const used = await ctx.contexts.use('pit', key, null);
    if (!used) throw contextMissingError(ctx, key);
    for (const { index, shard, segments } of used.snapshots) found.push({ index, shard, segments: infoOf(segments) });
    await used.end();
  }
  return found;
}
