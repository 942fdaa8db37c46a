// Stored scripts in the metadata: `{ lang, source, options }` by id.
import type { JsonObject } from '../../common/json/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import { ACKNOWLEDGED, type Reducer } from '../reducer.ts';

/** @param script  validated by the caller */
export const putScript: Reducer<{ readonly id: string; readonly script: JsonObject }> = (state, { id, script }) => ({
  state: { ...state, version: state.version + 1, scripts: { ...state.scripts, [id]: script } },
  response: ACKNOWLEDGED,
});

/** @throws ApiError resource_not_found_exception (404) */
export const deleteScript: Reducer<{ readonly id: string }> = (state, { id }) => {
  if (!Object.hasOwn(state.scripts, id)) {
    throw new ApiError('resource_not_found_exception', 404, `stored script [${id}] does not exist and cannot be deleted`);
  }
  const { [id]: _gone, ...scripts } = state.scripts;
  return { state: { ...state, version: state.version + 1, scripts }, response: ACKNOWLEDGED };
};
