// `_clone`, `_shrink`, `_split`.
import { type ResizeKind, resizeIndex } from '../../api/indices/resize.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { type ApiHandler, type ApiSpec, defineApi, TIMEOUTS } from '../core/api.ts';
import { objectBody } from '../core/object-body.ts';
import { ok } from '../core/response.ts';

function resize(kind: ResizeKind): ApiSpec {
  const handler: ApiHandler = async (request, { engine }) => {
    if (request.boolean('copy_settings') === false)
      throw illegalArgumentError('parameter [copy_settings] can not be explicitly set to [false]');
    if (request.boolean('wait_for_completion') === false)
      throw illegalArgumentError('[wait_for_completion=false] is not supported by this version of gannet');
    return ok(await resizeIndex(engine, { kind, source: request.params.index, target: request.params.target, body: objectBody(request) }));
  };
  return defineApi({
    name: `indices.${kind}`,
    body: 'json',
    needs: 'indices:admin/resize',
    params: {
      ...TIMEOUTS,
      wait_for_active_shards: 'activeShards',
      wait_for_completion: 'boolean',
      task_execution_timeout: 'time',
      copy_settings: 'boolean',
    },
    routes: { [`PUT /{index}/_${kind}/{target}`]: handler, [`POST /{index}/_${kind}/{target}`]: handler },
  });
}

export const RESIZE_APIS: readonly ApiSpec[] = [resize('clone'), resize('shrink'), resize('split')];
