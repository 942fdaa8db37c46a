// Index lifecycle management: `_ilm`.
import { TARGETS, targetMetas, targetNames } from '../../api/core/index-names.ts';
import {
  explainPolicies,
  getLifecyclePolicies,
  lifecycleStatus,
  moveToStep,
  removePolicies,
  retryFailed,
} from '../../api/lifecycle/policies.ts';
import { isObject } from '../../common/json/json-value.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { type ApiSpec, defineApi, TIMEOUTS } from '../core/api.ts';
import { objectBody } from '../core/object-body.ts';
import { readTarget } from '../core/params/index-expression.ts';
import { ok } from '../core/response.ts';

const getApi = defineApi({
  name: 'ilm.get_lifecycle',
  needs: 'cluster:admin/ilm/get',
  params: TIMEOUTS,
  routes: {
    'GET /_ilm/policy': (_request, { engine }) => ok(getLifecyclePolicies(engine, [])),
    'GET /_ilm/policy/{policy}': (request, { engine }) => ok(getLifecyclePolicies(engine, request.list('policy') ?? [])),
  },
});

const putApi = defineApi({
  name: 'ilm.put_lifecycle',
  needs: 'cluster:admin/ilm/put',
  body: 'json!',
  params: TIMEOUTS,
  routes: {
    'PUT /_ilm/policy/{policy}': async (request, { engine }) => {
      const { policy } = objectBody(request);
      if (!isObject(policy)) throw illegalArgumentError('Required [policy]');
      return ok(await engine.command('putLifecyclePolicy', { name: request.params.policy, policy }));
    },
  },
});

const deleteApi = defineApi({
  name: 'ilm.delete_lifecycle',
  needs: 'cluster:admin/ilm/delete',
  params: TIMEOUTS,
  routes: {
    'DELETE /_ilm/policy/{policy}': async (request, { engine }) =>
      ok(await engine.command('deleteLifecyclePolicy', { name: request.params.policy })),
  },
});

const explainApi = defineApi({
  name: 'ilm.explain_lifecycle',
  needs: 'indices:admin/ilm/explain',
  params: { ...TIMEOUTS, only_errors: 'boolean', only_managed: 'boolean' },
  routes: {
    'GET /{index}/_ilm/explain': (request, { engine }) =>
      ok(
        explainPolicies(engine, targetMetas(engine, readTarget(request), TARGETS.any), {
          onlyErrors: request.boolean('only_errors') ?? false,
          onlyManaged: request.boolean('only_managed') ?? false,
          human: request.boolean('human') ?? false,
        }),
      ),
  },
});

const moveApi = defineApi({
  name: 'ilm.move_to_step',
  needs: 'cluster:admin/ilm/_move/post',
  reaches: 'indices:admin/ilm/move',
  body: 'json!',
  params: TIMEOUTS,
  routes: {
    'POST /_ilm/move/{index}': async (request, { engine }) => {
      const [meta] = targetMetas(engine, { index: request.params.index, allowNoIndices: false }, TARGETS.any);
      return ok(await moveToStep(engine, meta, objectBody(request)));
    },
  },
});

const retryApi = defineApi({
  name: 'ilm.retry',
  needs: 'indices:admin/ilm/retry',
  params: TIMEOUTS,
  routes: {
    'POST /{index}/_ilm/retry': async (request, { engine }) =>
      ok(await retryFailed(engine, targetMetas(engine, readTarget(request), TARGETS.any))),
  },
});

const removeApi = defineApi({
  name: 'ilm.remove_policy',
  needs: 'indices:admin/ilm/remove_policy',
  params: TIMEOUTS,
  routes: {
    'POST /{index}/_ilm/remove': async (request, { engine }) =>
      ok(await removePolicies(engine, targetNames(engine, readTarget(request), TARGETS.any))),
  },
});

const statusApi = defineApi({
  name: 'ilm.get_status',
  needs: 'cluster:admin/ilm/operation_mode/get',
  params: TIMEOUTS,
  routes: { 'GET /_ilm/status': (_request, { engine }) => ok(lifecycleStatus(engine)) },
});

function modeApi(name: 'start' | 'stop'): ApiSpec {
  return defineApi({
    name: `ilm.${name}`,
    needs: `cluster:admin/ilm/${name}`,
    params: TIMEOUTS,
    routes: {
      [`POST /_ilm/${name}`]: async (_request, { engine }) =>
        ok(await engine.command('setIndexLifecycleMode', { isStopped: name === 'stop' })),
    },
  });
}

export const LIFECYCLE_APIS: readonly ApiSpec[] = [
  getApi,
  putApi,
  deleteApi,
  explainApi,
  moveApi,
  retryApi,
  removeApi,
  statusApi,
  modeApi('start'),
  modeApi('stop'),
];
