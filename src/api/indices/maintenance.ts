// Refresh, flush, force merge and cache clearing of indices.

import { validationFailedError } from '../../errors/catalog.ts';
import { checkMetadataWritable } from '../../metadata/indices/metadata-blocks.ts';
import type { EngineContext } from '../core/context.ts';
import { activeReplicas, replicasOf } from '../core/copies.ts';
import { type IndexTarget, TARGETS, targetNames } from '../core/index-names.ts';
import type { IndexState } from '../core/index-state.ts';

export interface BroadcastResponse {
  readonly _shards: { readonly total: number; readonly successful: number; readonly failed: number };
}

export function openStates(ctx: EngineContext, names: readonly string[]): IndexState[] {
  return names.flatMap((name) => {
    const index = ctx.index(name);
    return index?.meta.state === 'open' ? [index] : [];
  });
}

/** The open indices of a target, none of which may be blocked. @throws ApiError cluster_block_exception (403) */
function changeableStates(ctx: EngineContext, target: IndexTarget): IndexState[] {
  const indices = openStates(ctx, targetNames(ctx, target, TARGETS.open));
  for (const { meta } of indices) checkMetadataWritable(meta);
  return indices;
}

/** `_shards` as Elasticsearch counts them: replicas without a node are part of the total, but not successful. */
function broadcast(ctx: EngineContext, indices: readonly IndexState[]): BroadcastResponse {
  let total = 0;
  let successful = 0;
  for (const { meta, numberOfShards } of indices) {
    total += numberOfShards * (1 + replicasOf(ctx, meta));
    successful += numberOfShards * (1 + activeReplicas(ctx, meta));
  }
  return { _shards: { total, successful, failed: 0 } };
}

export async function refreshIndices(ctx: EngineContext, request: IndexTarget): Promise<BroadcastResponse> {
  const indices = openStates(ctx, targetNames(ctx, request, TARGETS.open));
  await Promise.all(indices.map((index) => ctx.refresh(index)));
  return broadcast(ctx, indices);
}

export async function flushIndices(
  ctx: EngineContext,
  request: IndexTarget & { force?: boolean; waitIfOngoing?: boolean },
): Promise<BroadcastResponse> {
  if (request.force && request.waitIfOngoing === false) throw validationFailedError(['wait_if_ongoing must be true for a force flush']);
  const indices = openStates(ctx, targetNames(ctx, request, TARGETS.open));
  await Promise.all(indices.map((index) => ctx.flush(index, request.force ?? false)));
  return broadcast(ctx, indices);
}

export interface ForceMergeRequest extends IndexTarget {
  readonly maxNumSegments?: number;
  readonly onlyExpungeDeletes?: boolean;
  readonly flush?: boolean;
  /** Merge and count only primaries. */
  readonly primaryOnly?: boolean;
}

export async function forceMerge(ctx: EngineContext, request: ForceMergeRequest): Promise<BroadcastResponse> {
  const maxNumSegments = request.maxNumSegments ?? -1;
  const onlyExpungeDeletes = request.onlyExpungeDeletes ?? false;
  const indices = changeableStates(ctx, request);
  const merged = request.primaryOnly ? indices.filter(({ meta }) => ctx.primaryNodeOf(meta) === ctx.nodeId) : indices;
  await Promise.all(merged.map((index) => ctx.forceMerge(index, { maxNumSegments, onlyExpungeDeletes })));
  if (request.flush ?? true) await Promise.all(merged.map((index) => ctx.flush(index, false)));
  const primaries = indices.reduce((sum, { numberOfShards }) => sum + numberOfShards, 0);
  return request.primaryOnly ? { _shards: { total: primaries, successful: primaries, failed: 0 } } : broadcast(ctx, indices);
}

/** Caches have no observable effect, so none is cleared. */
export function clearCache(ctx: EngineContext, request: IndexTarget): BroadcastResponse {
  return broadcast(ctx, changeableStates(ctx, request));
}
