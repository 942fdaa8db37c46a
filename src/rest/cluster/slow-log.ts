// `_slowlog`: the last searches and writes that exceeded a threshold of their index. Elasticsearch has only the files.
import type { SlowEntry } from '../../api/core/slow-log.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { defineApi, type RestContext } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

const DEFAULT_SIZE = 100;
const MAX_SIZE = 500;

export const slowLogApi = defineApi({
  name: 'gannet.slow_log',
  needs: 'cluster:admin/slowlog/get',
  params: { size: 'int' },
  routes: { 'GET /_slowlog': list },
});

/** 200 `{ entries }`, the newest first. @throws ApiError illegal_argument_exception */
async function list(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const size = request.int('size') ?? DEFAULT_SIZE;
  if (size < 1 || size > MAX_SIZE) throw illegalArgumentError(`[size] must be from 1 to ${MAX_SIZE}, got [${size}]`);
  const entries = await engine.slowLog.recent();
  return ok({ entries: entries.slice(0, size).map(entryJson) });
}

function entryJson({ timeMs, level, phase, index, shard, tookMs, source, id, search, routing }: SlowEntry): object {
  return {
    timestamp: new Date(timeMs).toISOString(),
    level,
    phase,
    index,
    shard,
    took_millis: Math.round(tookMs * 1000) / 1000,
    source,
    ...(id === null ? {} : { id }),
    ...(routing === undefined || routing === null ? {} : { routing }),
    ...(search === undefined
      ? {}
      : { search_type: search.type.toLowerCase(), total_hits: search.totalHits, total_shards: search.totalShards }),
    ...(search === undefined || search.user === null || search.user === '' ? {} : { user: search.user }),
  };
}
