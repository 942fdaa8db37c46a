// Rollover, clone, shrink, split.
import { type ResizeKind, resizeIndex } from '../../api/indices/resize.ts';
import { rollover } from '../../api/indices/rollover.ts';
import { illegalArgument } from '../../errors/catalog.ts';
import { type ApiHandler, type ApiSpec, defineApi, type RestContext, TIMEOUTS } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';
import { objectBody } from './indices.ts';

async function runRollover(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  return ok(
    await rollover(engine, {
      alias: request.params.index,
      newIndex: request.string('new_index') ?? null,
      body: objectBody(request),
      dryRun: request.boolean('dry_run') ?? false,
    }),
  );
}

function resize(kind: ResizeKind): ApiSpec {
  const handler: ApiHandler = async (request, { engine }) => {
    if (request.boolean('copy_settings') === false) throw illegalArgument('parameter [copy_settings] can not be explicitly set to [false]');
    if (request.boolean('wait_for_completion') === false)
      throw illegalArgument('[wait_for_completion=false] is not supported by this version of gannet');
    request.access.require('index:manage', request.params.target);
    return ok(await resizeIndex(engine, { kind, source: request.params.index, target: request.params.target, body: objectBody(request) }));
  };
  return defineApi({
    name: `indices.${kind}`,
    body: 'json',
    needs: 'index:manage',
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

export const INDEX_CHANGE_APIS: readonly ApiSpec[] = [
  defineApi({
    name: 'indices.rollover',
    body: 'json',
    needs: 'index:manage',
    params: { ...TIMEOUTS, dry_run: 'boolean', wait_for_active_shards: 'activeShards' },
    routes: { 'POST /{index}/_rollover': runRollover, 'POST /{index}/_rollover/{new_index}': runRollover },
  }),
  resize('clone'),
  resize('shrink'),
  resize('split'),
];
