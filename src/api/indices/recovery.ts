// `_recovery`: how shards were opened.

import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import type { RestoreSource } from '../../metadata/cluster-state.ts';
import { hasCopy } from '../../metadata/copies.ts';
import type { CopyRecovery, EngineContext, ShardStats } from '../core/context.ts';
import { withHumanValues } from '../core/human-values.ts';
import type { IndexTarget } from '../core/index-names.ts';
import type { IndexState } from '../core/index-state.ts';
import type { RunningRestore } from '../core/snapshot-store.ts';
import { statsOf } from './index-stats.ts';

/** The origin of a shard: its store when the node started, a snapshot, or (PEER) what another node of the cluster has stored of its copy. */
export interface ShardRecovery {
  readonly shard: number;
  readonly type: 'EMPTY_STORE' | 'EXISTING_STORE' | 'SNAPSHOT' | 'PEER';
  readonly stage: CopyRecovery['stage'];
  readonly startMs: number;
  readonly stopMs: number;
  /** The snapshot; null for the shard's own store. */
  readonly source: Pick<RestoreSource, 'repository' | 'snapshot' | 'version' | 'index' | 'restoreUuid'> | null;
  /** Files and bytes: all, those that were there already, those copied so far. */
  readonly files: { readonly total: number; readonly reused: number; readonly recovered: number };
  readonly bytes: { readonly total: number; readonly reused: number; readonly recovered: number };
  /** Operations that were read from a log after that. */
  readonly operations: number;
}

/** Recoveries of the copies of this node by index: those of the shards that exist, and those of the indices that are being restored. */
export async function recoveries(ctx: EngineContext, target: IndexTarget, activeOnly: boolean): Promise<Map<string, ShardRecovery[]>> {
  const found = new Map<string, ShardRecovery[]>();
  const { restores } = await ctx.snapshots.running();
  const names = (target.index ?? '').split(',').filter((name) => name !== '');
  const isNamed = (index: string): boolean => names.length === 0 || names.some((name) => name === '_all' || matchesPattern(name, index));
  const restoring = restores.filter(({ target: index }) => (ctx.cluster.names?.allows(index) ?? true) && isNamed(index));
  for (const restore of restoring)
    found.set(
      restore.target,
      restore.shards.map((_, shard) => runningRecovery(restore, shard)),
    );
  // The name of an index that is being restored counts as known.
  const known = restoring.length === 0 ? target : { ...target, ignoreUnavailable: true };
  for (const { index, shards } of await statsOf(ctx, known, false)) {
    if (found.has(index.meta.name) || !hasCopy(ctx.cluster, index.meta.uuid, ctx.nodeId)) continue;
    const shown = shards.map((shard) => openRecovery(index, shard)).filter(({ stage }) => !activeOnly || stage !== 'DONE');
    if (shown.length > 0 || !activeOnly) found.set(index.meta.name, shown);
  }
  return found;
}

function runningRecovery(restore: RunningRestore, shard: number): ShardRecovery {
  const { files, bytes, doneFiles, doneBytes } = restore.shards[shard];
  return {
    shard,
    type: 'SNAPSHOT',
    stage: doneBytes >= bytes ? 'DONE' : 'INDEX',
    startMs: restore.startMs,
    stopMs: 0,
    source: { ...restore, index: restore.source },
    files: { total: files, reused: 0, recovered: doneFiles },
    bytes: { total: bytes, reused: 0, recovered: doneBytes },
    operations: 0,
  };
}

function openRecovery(index: IndexState, shard: ShardStats): ShardRecovery {
  const { recovery } = shard;
  if (recovery === null) return finishedRecovery(index, shard);
  const { files, bytes } = recovery;
  const source = { ...recovery, source: null, files: { ...files, reused: 0 }, bytes: { ...bytes, reused: 0 } };
  return { shard: shard.shard, type: 'PEER', ...source };
}

function finishedRecovery(index: IndexState, shard: ShardStats): ShardRecovery {
  const { restored, creationDateMs } = index.meta;
  if (restored === undefined) {
    const { segments, sizeBytes } = shard;
    return {
      shard: shard.shard,
      type: recoveryType(index, shard),
      stage: 'DONE',
      startMs: creationDateMs,
      stopMs: creationDateMs,
      source: null,
      files: { total: segments, reused: segments, recovered: 0 },
      bytes: { total: sizeBytes, reused: sizeBytes, recovered: 0 },
      operations: 0,
    };
  }
  const { files, bytes } = restored.shards[shard.shard] ?? { files: 0, bytes: 0 };
  return {
    shard: shard.shard,
    type: 'SNAPSHOT',
    stage: 'DONE',
    startMs: restored.startMs,
    stopMs: restored.endMs,
    source: restored,
    files: { total: files, reused: 0, recovered: files },
    bytes: { total: bytes, reused: 0, recovered: bytes },
    operations: 0,
  };
}

/** `GET _recovery`. */
export async function indexRecovery(
  ctx: EngineContext,
  target: IndexTarget,
  options: { host: string; human: boolean; detailed: boolean; activeOnly: boolean },
): Promise<MutableJsonObject> {
  const body: MutableJsonObject = {};
  const { host } = options;
  const node = { id: ctx.nodeId, host, transport_address: ctx.publishAddress ?? host, ip: host, name: ctx.nodeName };
  for (const [index, shards] of await recoveries(ctx, target, options.activeOnly))
    body[index] = { shards: shards.map((shard) => showRecovery(shard, node, options.detailed)) };
  return options.human ? (withHumanValues(body, ctx.dialect) as MutableJsonObject) : body;
}

function showRecovery(recovery: ShardRecovery, node: object, detailed: boolean): MutableJsonObject {
  const { source, type, startMs, stopMs, bytes, files, operations } = recovery;
  const tookMs = Math.max(0, (stopMs === 0 ? Date.now() : stopMs) - startMs);
  return {
    id: recovery.shard,
    type,
    stage: recovery.stage,
    primary: type !== 'PEER',
    start_time_in_millis: startMs,
    ...(stopMs === 0 ? {} : { stop_time_in_millis: stopMs }),
    total_time_in_millis: tookMs,
    source:
      source === null
        ? {}
        : {
            repository: source.repository,
            snapshot: source.snapshot,
            version: source.version,
            index: source.index,
            restoreUUID: source.restoreUuid,
          },
    target: node,
    index: {
      size: {
        total_in_bytes: bytes.total,
        reused_in_bytes: bytes.reused,
        recovered_in_bytes: bytes.recovered,
        ...(source === null && type !== 'PEER' ? {} : { recovered_from_snapshot_in_bytes: type === 'PEER' ? bytes.recovered : 0 }),
        percent: percentRecovered(bytes),
      },
      files: { ...files, percent: percentRecovered(files), ...(detailed ? { details: [] } : {}) },
      total_time_in_millis: isCopied(recovery) ? tookMs : 0,
      source_throttle_time_in_millis: 0,
      target_throttle_time_in_millis: 0,
    },
    translog: { recovered: operations, total: operations, percent: '100.0%', total_on_start: 0, total_time_in_millis: 0 },
    verify_index: { check_index_time_in_millis: 0, total_time_in_millis: 0 },
  };
}

/** Whether files were copied: those of an own store were there. */
export function isCopied({ source, type }: ShardRecovery): boolean {
  return source !== null || type === 'PEER';
}

/** Recovered share of the bytes or files that had to be copied. */
export function percentRecovered({ total, reused, recovered }: ShardRecovery['files']): string {
  const needed = total - reused;
  return `${(needed <= 0 ? 100 : (100 * recovered) / needed).toFixed(1)}%`;
}

/** An open shard without documents was created empty; others were opened from their store. */
function recoveryType(index: IndexState, shard: ShardStats): 'EMPTY_STORE' | 'EXISTING_STORE' {
  return index.meta.state === 'open' && shard.docs === 0 && shard.segments === 0 ? 'EMPTY_STORE' : 'EXISTING_STORE';
}
