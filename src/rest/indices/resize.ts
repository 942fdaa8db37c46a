// `_clone`, `_shrink`, `_split`.
import { type ResizeKind, resizeIndex } from '../../api/indices/resize.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { type ApiHandler, type ApiSpec, defineApi, TIMEOUTS } from '../core/api.ts';
import { inBackground } from '../core/background.ts';
import { objectBody } from '../core/object-body.ts';

function resize(kind: ResizeKind): ApiSpec {
  const handler: ApiHandler = async (request, { engine }) => {
    if (request.boolean('copy_settings') === false)
      throw illegalArgumentError('parameter [copy_settings] can not be explicitly set to [false]');
    const { index: source, target } = request.params;
    const body = objectBody(request);
    const task = { action: 'indices:admin/resize', description: `${kind} from [${source}] to [${target}]` } as const;
    return inBackground(request, engine, task, () => resizeIndex(engine, { kind, source, target, body }));
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
