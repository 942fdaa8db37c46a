// `_bulk`: streams the body into the engine, with back-pressure to the sender while shards are busy.
import { bulk } from '../../api/documents/bulk.ts';
import { type IngestedPart, ingestPart } from '../../api/documents/bulk-ingest.ts';
import { defineApi, type RestContext, SOURCE_FILTER } from '../core/api.ts';
import { readRefresh } from '../core/param-kinds.ts';
import { sourceFilterOf } from '../core/params/source-params.ts';
import { activeShardsOf } from '../core/params/write-params.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const bulkApi = defineApi({
  name: 'bulk',
  body: 'stream!',
  needs: 'indices:data/write/bulk',
  reaches: 'indices:data/write/bulk[s]',
  params: {
    ...SOURCE_FILTER,
    wait_for_active_shards: 'activeShards',
    refresh: 'refresh',
    routing: 'string',
    timeout: 'time',
    pipeline: 'string',
    require_alias: 'boolean',
  },
  routes: {
    'PUT  /_bulk': runBulk,
    'POST /_bulk': runBulk,
    'PUT  /{index}/_bulk': runBulk,
    'POST /{index}/_bulk': runBulk,
  },
});

async function runBulk(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const { part, runPart, reply } = request;
  // Only `ingestElsewhere` below makes parts.
  if (part !== null) return ok({ item: ingestPart(engine, part) });
  const body = await bulk(engine, {
    index: request.params.index ?? null,
    body: request.stream as AsyncIterable<Uint8Array>,
    refresh: readRefresh(request.string('refresh')),
    routing: request.string('routing') ?? null,
    pipeline: request.string('pipeline') ?? null,
    requireAlias: request.boolean('require_alias') ?? false,
    hasTypes: engine.dialect.hasTypes,
    source: sourceFilterOf(request),
    activeShards: activeShardsOf(request),
    ingestElsewhere:
      runPart === null ? null : async (item) => (await runPart(item, () => reply.aborted)) as { item: IngestedPart | null } | null,
  });
  return ok(body);
}
