// Ingest pipelines in the metadata: their bodies as given, by id.
import { ApiError } from '../errors/api-error.ts';
import type { Json } from '../mapping/mapping-snapshot.ts';
import { matchesPattern } from './names.ts';
import { ACKNOWLEDGED, type Reducer } from './reducer.ts';

/** @param body  checked by the caller */
export const putPipeline: Reducer<{ readonly id: string; readonly body: Json }> = (state, { id, body }) => ({
  state: { ...state, version: state.version + 1, pipelines: { ...state.pipelines, [id]: body } },
  response: ACKNOWLEDGED,
});

/** @param id  a name or a pattern. @throws ApiError resource_not_found_exception (404) */
export const deletePipeline: Reducer<{ readonly id: string }> = (state, { id }) => {
  const names = Object.keys(state.pipelines).filter((name) => matchesPattern(id, name));
  if (names.length === 0) {
    if (id === '*') return { state, response: ACKNOWLEDGED };
    throw new ApiError('resource_not_found_exception', 404, `pipeline [${id}] is missing`);
  }
  const pipelines = Object.fromEntries(Object.entries(state.pipelines).filter(([name]) => !names.includes(name)));
  return { state: { ...state, version: state.version + 1, pipelines }, response: ACKNOWLEDGED };
};
