// `_enrich`: policies, which collect what the processor `enrich` adds to documents.
import { startTask } from '../../api/cluster/tasks.ts';
import type { EngineContext } from '../../api/core/context.ts';
import {
  deleteEnrichPolicy,
  executeEnrichPolicy,
  executingPolicies,
  getEnrichPolicies,
  putEnrichPolicy,
} from '../../api/indices/enrich-policies.ts';
import { cachedLookups, lookupCounts } from '../../api/ingest/enrich-lookup.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import { type ApiSpec, defineApi, type RestContext } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const ENRICH_APIS: readonly ApiSpec[] = [
  defineApi({
    name: 'enrich.put_policy',
    body: 'json!',
    needs: 'cluster:admin/xpack/enrich/put',
    reaches: 'indices:data/read/search',
    routes: {
      'PUT /_enrich/policy/{name}': async ({ params, body }, { engine }) => ok(await putEnrichPolicy(engine, params.name, body)),
    },
  }),
  defineApi({
    name: 'enrich.get_policy',
    needs: 'cluster:admin/xpack/enrich/get',
    routes: {
      'GET /_enrich/policy': (_request, { engine }) => ok(getEnrichPolicies(engine, null)),
      'GET /_enrich/policy/{name}': ({ params }, { engine }) => ok(getEnrichPolicies(engine, params.name)),
    },
  }),
  defineApi({
    name: 'enrich.delete_policy',
    needs: 'cluster:admin/xpack/enrich/delete',
    routes: {
      'DELETE /_enrich/policy/{name}': async ({ params }, { engine }) => ok(await deleteEnrichPolicy(engine, params.name)),
    },
  }),
  defineApi({
    name: 'enrich.execute_policy',
    needs: 'cluster:admin/xpack/enrich/execute',
    reaches: 'indices:data/read/search',
    params: { wait_for_completion: 'boolean' },
    routes: { 'PUT /_enrich/policy/{name}/_execute': execute, 'POST /_enrich/policy/{name}/_execute': execute },
  }),
  defineApi({
    name: 'enrich.stats',
    needs: 'cluster:monitor/xpack/enrich/stats',
    routes: { 'GET /_enrich/_stats': (_request, { engine }) => ok(statsOf(engine)) },
  }),
];

/** 200 `{ status: { phase } }`, or `{ task }`. @throws ApiError resource_not_found_exception (404) */
async function execute(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const { name } = request.params;
  if (request.boolean('wait_for_completion') !== false) return ok(await executeEnrichPolicy(engine, name));
  const task = { action: 'cluster:admin/xpack/enrich/execute', description: name, headers: {}, requestsPerSecond: null };
  return ok({ task: await startTask(engine, task, () => executeEnrichPolicy(engine, name)) });
}

/** Lookups of the thread that answers. */
function statsOf({ nodeId }: EngineContext): JsonObject {
  const { hits, misses, searches } = lookupCounts;
  return {
    executing_policies: executingPolicies().map((name) => ({ name })),
    coordinator_stats: [
      {
        node_id: nodeId,
        queue_size: 0,
        remote_requests_current: 0,
        remote_requests_total: searches,
        executed_searches_total: searches,
      },
    ],
    cache_stats: [{ node_id: nodeId, count: cachedLookups(), hits, misses, evictions: Math.max(0, misses - cachedLookups()) }],
  };
}
