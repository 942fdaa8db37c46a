// Ingest and search pipelines in the metadata: the bodies of the requests by id.
import type { JsonObject } from '../../common/json/json-value.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import { ApiError } from '../../errors/api-error.ts';
import { ACKNOWLEDGED, type Reducer } from '../reducer.ts';

type Kind = 'pipelines' | 'searchPipelines';

/** @param body  validated by the caller */
function putIn(kind: Kind): Reducer<{ readonly id: string; readonly body: JsonObject }> {
  return (state, { id, body }) => ({
    state: { ...state, version: state.version + 1, [kind]: { ...state[kind], [id]: body } },
    response: ACKNOWLEDGED,
  });
}

/** `id` is a name or a pattern. @throws ApiError resource_not_found_exception (404) */
function deleteFrom(kind: Kind): Reducer<{ readonly id: string }> {
  return (state, { id }) => {
    const all = Object.entries(state[kind] ?? {});
    const kept = all.filter(([name]) => !matchesPattern(id, name));
    if (kept.length === all.length) {
      if (id === '*') return { state, response: ACKNOWLEDGED };
      throw new ApiError('resource_not_found_exception', 404, `pipeline [${id}] is missing`);
    }
    return { state: { ...state, version: state.version + 1, [kind]: Object.fromEntries(kept) }, response: ACKNOWLEDGED };
  };
}

export const putPipeline = putIn('pipelines');
export const deletePipeline = deleteFrom('pipelines');
export const putSearchPipeline = putIn('searchPipelines');
export const deleteSearchPipeline = deleteFrom('searchPipelines');
