// Applies the lifecycles of data streams: rolls them over, and deletes backing indices after their retention.
import { parseDurationMs } from '../../common/text/time-unit.ts';
import type { DataStream, IndexMeta } from '../../metadata/cluster-state.ts';
import { dataStreamOf, dataStreamsOf, writeIndexOf } from '../../metadata/indices/data-streams.ts';
import type { EngineContext } from '../core/context.ts';
import { DEFAULT_ROLLOVER, maxAgeFor } from '../indices/data-streams.ts';
import { rollover } from '../indices/rollover.ts';

type Log = (message: string) => void;

/** @param log  receives failures, which are retried at the next run */
export async function runStreamLifecycles(ctx: EngineContext, isStopped: () => boolean, log: Log): Promise<void> {
  for (const stream of Object.values(dataStreamsOf(ctx.cluster))) {
    if (isStopped()) return;
    if (stream.lifecycle?.enabled !== true) continue;
    try {
      await rollOver(ctx, stream, stream.lifecycle.data_retention);
      await deleteExpired(ctx, stream.name, stream.lifecycle.data_retention);
    } catch (error) {
      log(`lifecycle of data stream [${stream.name}] failed: ${(error as Error).message}`);
    }
  }
}

/** A lifecycle policy takes precedence over the lifecycle of the stream unless `prefer_ilm` is false. */
function isManagedByPolicy({ settings }: IndexMeta): boolean {
  return settings['index.lifecycle.name'] !== undefined && String(settings['index.lifecycle.prefer_ilm'] ?? 'true') === 'true';
}

async function rollOver(ctx: EngineContext, stream: DataStream, retention: string | null): Promise<void> {
  if (isManagedByPolicy(ctx.cluster.indices[writeIndexOf(stream)])) return;
  const conditions = { ...DEFAULT_ROLLOVER, max_age: maxAgeFor(retention) };
  await rollover(ctx, { alias: stream.name, newIndex: null, body: { conditions }, dryRun: false, lazy: false });
}

async function deleteExpired(ctx: EngineContext, name: string, retention: string | null): Promise<void> {
  const stream = dataStreamOf(ctx.cluster, name);
  const keepMs = retention === null ? null : parseDurationMs(retention);
  if (stream === null || keepMs === null || keepMs < 0) return;
  const nowMs = Date.now();
  const expired = stream.indices.filter((index) => {
    const meta = ctx.cluster.indices[index];
    if (index === writeIndexOf(stream) || isManagedByPolicy(meta)) return false;
    return nowMs - (meta.rollovers?.[name]?.timeMs ?? meta.creationDateMs) > keepMs;
  });
  if (expired.length > 0) await ctx.command('deleteIndex', { indices: expired });
}
