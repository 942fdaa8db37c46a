// `_terms_enum`.
import { termsEnum } from '../../api/search/terms-enum.ts';
import { defineApi, INDICES_OPTIONS, type RestContext } from '../core/api.ts';
import { objectBody } from '../core/object-body.ts';
import { readTarget } from '../core/params/index-expression.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const termsEnumApi = defineApi({
  name: 'terms_enum',
  body: 'json',
  needs: 'indices:data/read/terms_enum',
  reaches: 'indices:data/read/search',
  params: INDICES_OPTIONS,
  routes: { 'GET /{index}/_terms_enum': enumerate, 'POST /{index}/_terms_enum': enumerate },
});

/** 200 `{ _shards, terms, complete }`. */
async function enumerate(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  return ok(await termsEnum(engine, readTarget(request), objectBody(request)));
}
