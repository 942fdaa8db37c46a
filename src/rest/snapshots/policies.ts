// Snapshot lifecycle management: `_slm`.
import { getPolicies, lifecycleMode, lifecycleStats } from '../../api/snapshots/snapshot-policies.ts';
import { ApiError } from '../../errors/api-error.ts';
import { type ApiSpec, defineApi, TIMEOUTS } from '../core/api.ts';
import { objectBody } from '../core/object-body.ts';
import { ok } from '../core/response.ts';

const getPolicyApi = defineApi({
  name: 'slm.get_lifecycle',
  needs: 'cluster:admin/slm/get',
  params: TIMEOUTS,
  routes: {
    'GET /_slm/policy': async (request, { engine }) => ok(await getPolicies(engine, [], request.boolean('human') ?? false)),
    'GET /_slm/policy/{policy_id}': async (request, { engine }) =>
      ok(await getPolicies(engine, request.list('policy_id') ?? [], request.boolean('human') ?? false)),
  },
});

const putPolicyApi = defineApi({
  name: 'slm.put_lifecycle',
  needs: 'cluster:admin/slm/put',
  body: 'json',
  params: TIMEOUTS,
  routes: {
    'PUT /_slm/policy/{policy_id}': async (request, { engine }) => {
      if (request.body === undefined) throw new ApiError('parse_exception', 400, 'request body is required');
      return ok(await engine.command('putPolicy', { id: request.params.policy_id, policy: objectBody(request) }));
    },
  },
});

const deletePolicyApi = defineApi({
  name: 'slm.delete_lifecycle',
  needs: 'cluster:admin/slm/delete',
  params: TIMEOUTS,
  routes: {
    'DELETE /_slm/policy/{policy_id}': async (request, { engine }) =>
      ok(await engine.command('deletePolicy', { id: request.params.policy_id })),
  },
});

const executePolicyApi = defineApi({
  name: 'slm.execute_lifecycle',
  needs: 'cluster:admin/slm/execute',
  params: TIMEOUTS,
  routes: Object.fromEntries(
    ['PUT', 'POST'].map((method) => [
      `${method} /_slm/policy/{policy_id}/_execute`,
      async (request, { engine }) => ok({ snapshot_name: await engine.snapshots.executePolicy(request.params.policy_id) }),
    ]),
  ),
});

const executeRetentionApi = defineApi({
  name: 'slm.execute_retention',
  needs: 'cluster:admin/slm/execute-retention',
  params: TIMEOUTS,
  routes: {
    'POST /_slm/_execute_retention': async (_request, { engine }) => {
      await engine.snapshots.executeRetention();
      return ok({ acknowledged: true });
    },
  },
});

const statsApi = defineApi({
  name: 'slm.get_stats',
  needs: 'cluster:admin/slm/stats',
  params: TIMEOUTS,
  routes: { 'GET /_slm/stats': (_request, { engine }) => ok(lifecycleStats(engine)) },
});

const statusApi = defineApi({
  name: 'slm.get_status',
  needs: 'cluster:admin/slm/status',
  params: TIMEOUTS,
  routes: { 'GET /_slm/status': (_request, { engine }) => ok({ operation_mode: lifecycleMode(engine) }) },
});

function modeApi(name: 'start' | 'stop'): ApiSpec {
  return defineApi({
    name: `slm.${name}`,
    needs: `cluster:admin/slm/${name}`,
    params: TIMEOUTS,
    routes: {
      [`POST /_slm/${name}`]: async (_request, { engine }) => ok(await engine.command('setLifecycleMode', { isStopped: name === 'stop' })),
    },
  });
}

export const POLICY_APIS: readonly ApiSpec[] = [
  getPolicyApi,
  putPolicyApi,
  deletePolicyApi,
  executePolicyApi,
  executeRetentionApi,
  statsApi,
  statusApi,
  modeApi('start'),
  modeApi('stop'),
];
