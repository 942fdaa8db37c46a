// `_status`: the progress of running snapshots, and the sizes of finished ones, shard by shard.
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { snapshotMissingError } from '../../snapshots/repository-errors.ts';
import type { ShardEntry, ShardProgress, ShardStage, SnapshotInfo } from '../../snapshots/snapshot-types.ts';
import type { EngineContext } from '../core/context.ts';
import type { RunningSnapshot } from '../core/snapshot-store.ts';
import { repositoryOf } from './repositories.ts';

export interface SnapshotStatus {
  /** null: the running snapshots of all repositories. */
  readonly repository: string | null;
  /** Names; empty for the running snapshots. */
  readonly snapshots: readonly string[];
  readonly ignoreUnavailable: boolean;
}

/** `{ snapshots: [..] }`. @throws ApiError snapshot_missing_exception */
export async function snapshotStatus(ctx: EngineContext, request: SnapshotStatus): Promise<MutableJsonObject> {
  const { repository } = request;
  const { snapshots: all } = await ctx.snapshots.running();
  const running = all.filter((entry) => repository === null || repository === '_all' || entry.repository === repository);
  if (request.snapshots.length === 0 || repository === null) return { snapshots: running.map(runningStatus) };
  repositoryOf(ctx, repository);
  const finished = await ctx.snapshots.list(repository);
  const snapshots: MutableJsonObject[] = [];
  for (const name of new Set(request.snapshots)) {
    const current = running.find((entry) => entry.name === name);
    const info = finished.find((entry) => entry.name === name);
    if (current) snapshots.push(runningStatus(current));
    else if (info) snapshots.push(await finishedStatus(ctx, repository, info));
    else if (!request.ignoreUnavailable) throw snapshotMissingError(repository, name);
  }
  return { snapshots };
}

async function finishedStatus(ctx: EngineContext, repository: string, info: SnapshotInfo): Promise<MutableJsonObject> {
  const { indices } = await ctx.snapshots.details(repository, info);
  const state = info.state;
  const shards = Object.fromEntries(indices.map((index) => [index.name, index.shards.map(finishedShard)]));
  return status(
    { repository, name: info.name, uuid: info.uuid, state, includeGlobalState: info.includeGlobalState, startMs: info.startMs },
    shards,
  );
}

function finishedShard({ failure, files, bytes, newFiles, newBytes, startMs, endMs }: ShardEntry): ShardProgress {
  const stage: ShardStage = failure === null ? 'DONE' : 'FAILURE';
  return { stage, startMs, endMs, files, bytes, newFiles, newBytes, doneFiles: newFiles, doneBytes: newBytes, failure };
}

function runningStatus(running: RunningSnapshot): MutableJsonObject {
  return status({ ...running, state: running.isAborted ? 'ABORTED' : 'STARTED' }, running.indices);
}

function status(
  snapshot: { repository: string; name: string; uuid: string; state: string; includeGlobalState: boolean; startMs: number },
  indices: Readonly<Record<string, readonly ShardProgress[]>>,
): MutableJsonObject {
  const all = Object.values(indices).flat();
  return {
    snapshot: snapshot.name,
    repository: snapshot.repository,
    uuid: snapshot.uuid,
    state: snapshot.state,
    include_global_state: snapshot.includeGlobalState,
    shards_stats: shardCounts(all),
    stats: stats(all, snapshot.startMs),
    indices: Object.fromEntries(
      Object.entries(indices).map(([name, shards]) => [
        name,
        {
          shards_stats: shardCounts(shards),
          stats: stats(shards, snapshot.startMs),
          shards: Object.fromEntries(
            shards.map((shard, number) => [
              String(number),
              {
                stage: shard.stage,
                stats: stats([shard], snapshot.startMs),
                ...(shard.failure === null ? {} : { reason: shard.failure }),
              },
            ]),
          ),
        },
      ]),
    ),
  };
}

const COUNTED: ReadonlyArray<readonly [string, ShardStage]> = [
  ['initializing', 'INIT'],
  ['started', 'STARTED'],
  ['finalizing', 'FINALIZE'],
  ['done', 'DONE'],
  ['failed', 'FAILURE'],
];

function shardCounts(shards: readonly ShardProgress[]): MutableJsonObject {
  const counts = COUNTED.map(([name, stage]) => [name, shards.filter((shard) => shard.stage === stage).length]);
  return { ...Object.fromEntries(counts), total: shards.length };
}

function stats(shards: readonly ShardProgress[], startMs: number): MutableJsonObject {
  const sum = (value: (shard: ShardProgress) => number): number => shards.reduce((total, shard) => total + value(shard), 0);
  const isDone = shards.every(({ stage }) => stage === 'DONE' || stage === 'FAILURE');
  const starts = shards.map((shard) => shard.startMs).filter((ms) => ms > 0);
  const start = starts.length === 0 ? startMs : Math.min(...starts);
  const end = isDone ? Math.max(start, ...shards.map(({ endMs }) => endMs)) : Date.now();
  return {
    incremental: { file_count: sum(({ newFiles }) => newFiles), size_in_bytes: sum(({ newBytes }) => newBytes) },
    ...(isDone ? {} : { processed: { file_count: sum(({ doneFiles }) => doneFiles), size_in_bytes: sum(({ doneBytes }) => doneBytes) } }),
    total: { file_count: sum(({ files }) => files), size_in_bytes: sum(({ bytes }) => bytes) },
    start_time_in_millis: start,
    time_in_millis: end - start,
  };
}
