// Rows of `_cat/repositories` and `_cat/snapshots`.
import { findSnapshots } from '../../api/snapshots/get-snapshots.ts';
import { findRepositories } from '../../api/snapshots/repositories.ts';
import { validationFailedError } from '../../errors/catalog.ts';
import type { RestContext } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';
import type { Row } from './cat-table.ts';

export function repositoryRows(_request: ApiRequest, { engine }: RestContext): Row[] {
  return findRepositories(engine, []).map(([id, { type }]) => ({ id, type }));
}

/** In the order of their start. */
export async function snapshotRows(request: ApiRequest, { engine }: RestContext): Promise<Row[]> {
  if (engine.dialect.namesClusterManager && request.string('repository') === undefined)
    throw validationFailedError(['repository is missing']);
  const found = await findSnapshots(engine, {
    repositories: request.list('repository') ?? [],
    snapshots: ['_all'],
    ignoreUnavailable: request.boolean('ignore_unavailable') ?? false,
  });
  found.sort((a, b) => a.info.startMs - b.info.startMs);
  return found.map(({ repository, info }) => {
    const isRunning = info.state === 'IN_PROGRESS';
    const failed = info.failures.length;
    const endMs = isRunning ? 0 : info.endMs;
    return {
      id: info.name,
      repository,
      status: info.state,
      start_epoch: Math.floor(info.startMs / 1000),
      start_time: clock(info.startMs),
      end_epoch: Math.floor(endMs / 1000),
      end_time: clock(endMs),
      duration: { ms: isRunning ? Date.now() - info.startMs : endMs - info.startMs },
      indices: info.indices.length,
      successful_shards: isRunning ? 0 : info.totalShards - failed,
      failed_shards: failed,
      total_shards: isRunning ? 0 : info.totalShards,
      reason: null,
    };
  });
}

/** HH:MM:SS in UTC. */
function clock(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19);
}
