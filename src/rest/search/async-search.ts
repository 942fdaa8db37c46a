// `_async_search`.
import { asyncSearchStatus, deleteAsyncSearch, getAsyncSearch, submitAsyncSearch } from '../../api/search/contexts/async-search.ts';
import { helpSearch } from '../../api/search/help-search.ts';
import { searchThrough } from '../../api/search/search-pipelines.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { validationFailedError } from '../../errors/catalog.ts';
import { type ApiSpec, defineApi, type RestContext } from '../core/api.ts';
import { indicesOf } from '../core/params/search-params.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, answer, ok } from '../core/response.ts';
import { parametersOf, SEARCH_PARAMS } from './search.ts';

const DEFAULT_KEEP_ALIVE_MS = 5 * 86_400_000;
const DEFAULT_WAIT_MS = 1000;

const { scroll: _, ...SUBMIT_PARAMS } = SEARCH_PARAMS;

const submitApi = defineApi({
  name: 'async_search.submit',
  body: 'bytes',
  needs: 'indices:data/read/async_search/submit',
  params: { ...SUBMIT_PARAMS, wait_for_completion_timeout: 'time', keep_on_completion: 'boolean', keep_alive: 'time' },
  routes: { 'POST /_async_search': submit, 'POST /{index}/_async_search': submit },
});

async function submit(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const parameters = parametersOf(request);
  if (parameters.preFilterShardSize !== undefined && parameters.preFilterShardSize !== 1)
    throw validationFailedError([`[pre_filter_shard_size] cannot be changed for async_search queries`]);
  const call = { indices: indicesOf(request), parameters, body: request.bytes };
  if (request.help !== null) return { status: 200, bytes: await helpSearch(engine, call, request.help) };
  const { mobility, askHelpers } = request;
  const search = async () => writeJson(await searchThrough(engine, { ...call, mobility, askHelpers }, null));
  // Only `runPart` below makes parts. The response stays text, whose numbers keep their form.
  if (request.part !== null) return ok({ text: await search() });
  const { runPart } = request;
  const opaqueId = request.http.header('x-opaque-id');
  const { status, body } = await submitAsyncSearch(engine, {
    call,
    keepAliveMs: request.timeMs('keep_alive') ?? DEFAULT_KEEP_ALIVE_MS,
    keepOnCompletion: request.boolean('keep_on_completion') ?? false,
    waitMs: request.timeMs('wait_for_completion_timeout') ?? DEFAULT_WAIT_MS,
    headers: opaqueId === undefined ? {} : { 'X-Opaque-Id': opaqueId },
    run: async (isCancelled) => {
      if (runPart === null) return search();
      const outcome = (await runPart({ search: true }, isCancelled)) as { text: string } | null;
      return outcome?.text ?? null;
    },
  });
  return answer(status, body);
}

const getApi = defineApi({
  name: 'async_search.get',
  needs: 'none',
  params: { wait_for_completion_timeout: 'time', keep_alive: 'time', typed_keys: 'boolean' },
  routes: {
    'GET /_async_search/{id}': async (request, { engine }) => {
      const { status, body } = await getAsyncSearch(engine, request.params.id, {
        waitMs: request.timeMs('wait_for_completion_timeout') ?? 0,
        keepAliveMs: request.timeMs('keep_alive') ?? null,
      });
      return answer(status, body);
    },
  },
});

const statusApi = defineApi({
  name: 'async_search.status',
  needs: 'none',
  params: { keep_alive: 'time' },
  routes: { 'GET /_async_search/status/{id}': async (request, { engine }) => ok(await asyncSearchStatus(engine, request.params.id)) },
});

const deleteApi = defineApi({
  name: 'async_search.delete',
  needs: 'none',
  routes: { 'DELETE /_async_search/{id}': async (request, { engine }) => ok(await deleteAsyncSearch(engine, request.params.id)) },
});

export const ASYNC_SEARCH_APIS: readonly ApiSpec[] = [submitApi, getApi, statusApi, deleteApi];
