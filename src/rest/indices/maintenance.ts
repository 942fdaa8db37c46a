// Refresh, flush, force merge and cache clearing of indices.
import { clearCache, flushIndices, forceMerge, refreshIndices } from '../../api/indices/maintenance.ts';
import { defineApi, INDICES_OPTIONS, type RestContext } from '../core/api.ts';
import { inBackground } from '../core/background.ts';
import { readTarget } from '../core/params/index-expression.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const refreshApi = defineApi({
  name: 'indices.refresh',
  needs: 'indices:admin/refresh',
  params: INDICES_OPTIONS,
  routes: { 'GET /_refresh': refresh, 'POST /_refresh': refresh, 'GET /{index}/_refresh': refresh, 'POST /{index}/_refresh': refresh },
});

async function refresh(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  return ok(await refreshIndices(engine, readTarget(request)));
}

export const flushApi = defineApi({
  name: 'indices.flush',
  needs: 'indices:admin/flush',
  params: { ...INDICES_OPTIONS, force: 'boolean', wait_if_ongoing: 'boolean' },
  routes: { 'GET /_flush': flush, 'POST /_flush': flush, 'GET /{index}/_flush': flush, 'POST /{index}/_flush': flush },
});

async function flush(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  return ok(
    await flushIndices(engine, {
      ...readTarget(request),
      force: request.boolean('force'),
      waitIfOngoing: request.boolean('wait_if_ongoing'),
    }),
  );
}

const BOTH_WARNING =
  'setting only_expunge_deletes and max_num_segments at the same time is deprecated and will be rejected in a future version';

export const forceMergeApi = defineApi({
  name: 'indices.forcemerge',
  needs: 'indices:admin/forcemerge',
  params: {
    ...INDICES_OPTIONS,
    flush: 'boolean',
    max_num_segments: 'int',
    only_expunge_deletes: 'boolean',
    wait_for_completion: 'boolean',
    primary_only: 'boolean',
  },
  routes: { 'POST /_forcemerge': merge, 'POST /{index}/_forcemerge': merge },
});

async function merge(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const maxNumSegments = request.int('max_num_segments');
  const onlyExpungeDeletes = request.boolean('only_expunge_deletes');
  const options = {
    ...readTarget(request),
    maxNumSegments,
    onlyExpungeDeletes,
    flush: request.boolean('flush'),
    primaryOnly: request.boolean('primary_only'),
  };
  const description = `Force-merge indices [${request.string('index') ?? ''}], maxSegments[${maxNumSegments ?? -1}], onlyExpungeDeletes[${onlyExpungeDeletes ?? false}], flush[${options.flush ?? true}]`;
  const response = await inBackground(request, engine, { action: 'indices:admin/forcemerge', description }, () =>
    forceMerge(engine, options),
  );
  const isBoth = onlyExpungeDeletes === true && maxNumSegments !== undefined && maxNumSegments !== -1;
  return isBoth ? { ...response, warnings: [BOTH_WARNING] } : response;
}

export const clearCacheApi = defineApi({
  name: 'indices.clear_cache',
  needs: 'indices:admin/cache/clear',
  params: { ...INDICES_OPTIONS, fielddata: 'boolean', fields: 'list', query: 'boolean', request: 'boolean', file: 'boolean' },
  routes: { 'POST /_cache/clear': clear, 'POST /{index}/_cache/clear': clear },
});

function clear(request: ApiRequest, { engine }: RestContext): ApiResponse {
  return ok(clearCache(engine, readTarget(request)));
}
