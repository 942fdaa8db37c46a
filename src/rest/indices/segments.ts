// `_segments`.
import { withHumanValues } from '../../api/core/human-values.ts';
import { indexSegments } from '../../api/indices/segments.ts';
import { defineApi, INDICES_OPTIONS, type RestContext } from '../core/api.ts';
import { readTarget } from '../core/params/index-expression.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const segmentsApi = defineApi({
  name: 'indices.segments',
  needs: 'indices:monitor/segments',
  params: { ...INDICES_OPTIONS, verbose: 'boolean' },
  routes: { 'GET /_segments': segments, 'GET /{index}/_segments': segments },
});

async function segments(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const answer = await indexSegments(engine, readTarget(request));
  return ok(request.boolean('human') ? withHumanValues(answer, engine.dialect) : answer);
}
