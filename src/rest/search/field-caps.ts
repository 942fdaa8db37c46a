// `_field_caps`.
import { fieldCaps } from '../../api/search/field-caps.ts';
import { SEARCH } from '../auth/action.ts';
import { defineApi, INDICES_OPTIONS, type RestContext } from '../core/api.ts';
import { objectBody } from '../core/object-body.ts';
import { readTarget } from '../core/params/index-expression.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const fieldCapsApi = defineApi({
  name: 'field_caps',
  body: 'json',
  needs: 'indices:data/read/field_caps',
  params: { ...INDICES_OPTIONS, fields: 'list', include_unmapped: 'boolean', filters: 'list', types: 'list' },
  routes: {
    'GET  /_field_caps': run,
    'POST /_field_caps': run,
    'GET  /{index}/_field_caps': run,
    'POST /{index}/_field_caps': run,
  },
});

async function run(request: ApiRequest, context: RestContext): Promise<ApiResponse> {
  const body = objectBody(request);
  // An index filter is a search.
  const engine = body.index_filter === undefined ? context.engine : context.engineFor(SEARCH, 'indices:data/read/field_caps');
  return ok(
    await fieldCaps(engine, {
      ...readTarget(request),
      fields: request.list('fields') ?? null,
      includeUnmapped: request.boolean('include_unmapped') ?? false,
      filters: request.list('filters') ?? [],
      types: request.list('types') ?? [],
      body,
    }),
  );
}
