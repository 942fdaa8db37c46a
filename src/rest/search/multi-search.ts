// Several searches in one request: _msearch, and _msearch/template.
import { helpMultiSearch, type MultiSearchItem, multiSearch } from '../../api/search/multi-search.ts';
import { renderItems } from '../../api/search/search-template.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { type ApiHandler, type ApiSpec, defineApi, INDICES_OPTIONS, type Params, type RestContext } from '../core/api.ts';
import { indicesOf, isDfs, preFilterShardSize } from '../core/params/search-params.ts';
import type { ApiRequest } from '../core/request.ts';
import { ok } from '../core/response.ts';

const PARAMS: Params = {
  ...INDICES_OPTIONS,
  search_type: 'string',
  typed_keys: 'boolean',
  rest_total_hits_as_int: 'boolean',
  max_concurrent_searches: 'int',
  max_concurrent_shard_requests: 'int',
  pre_filter_shard_size: 'int',
  ccs_minimize_roundtrips: 'boolean',
  cancel_after_time_interval: 'time',
};

type ItemsOf = (engine: RestContext['engine'], items: readonly MultiSearchItem[]) => readonly MultiSearchItem[];

function multiSearchApi(name: string, path: string, itemsOf: ItemsOf): ApiSpec {
  /** 200 `{ took, responses }` with a response or an error per search. @throws ApiError the lines are not searches */
  const run: ApiHandler = async (request, { engine }) => {
    const limit = request.int('max_concurrent_searches');
    if (limit !== undefined && limit < 1) throw illegalArgumentError('max_concurrent_searches must be positive');
    const call = {
      indices: indicesOf(request),
      items: itemsOf(engine, readItems(request)),
      parameters: {
        typedKeys: request.boolean('typed_keys'),
        totalHitsAsInt: request.boolean('rest_total_hits_as_int'),
        isDfs: isDfs(request),
        preFilterShardSize: preFilterShardSize(request),
      },
      mobility: request.mobility,
      askHelpers: request.askHelpers,
    };
    if (request.help !== null) return { status: 200, bytes: await helpMultiSearch(engine, call, request.help) };
    return ok(await multiSearch(engine, call));
  };
  const routes = ['GET', 'POST'].flatMap((method) => [`${method} ${path}`, `${method} /{index}${path}`]);
  return defineApi({
    name,
    body: 'ndjson!',
    needs: 'indices:data/read/msearch',
    reaches: 'indices:data/read/search',
    params: PARAMS,
    routes: Object.fromEntries(routes.map((route) => [route, run])),
  });
}

export const msearchApi = multiSearchApi('msearch', '/_msearch', (_engine, items) => items);
export const msearchTemplateApi = multiSearchApi('msearch_template', '/_msearch/template', renderItems);

/** Headers and bodies of a multi search, line by line. @throws ApiError illegal_argument_exception: no newline at the end */
function readItems(request: ApiRequest): MultiSearchItem[] {
  const lines = request.text.split('\n');
  if (lines.at(-1) !== '') throw illegalArgumentError('The msearch request must be terminated by a newline [\n]');
  lines.pop();
  const items: MultiSearchItem[] = [];
  for (let i = 0; i < lines.length; i += 2) {
    // A header without a body is ignored.
    if (i + 1 >= lines.length) break;
    items.push({ header: lines[i], body: lines[i + 1] });
  }
  return items;
}
