// Creation of an index, or of a data stream, by a write to a name that does not exist.
import { ApiError, type ApiErrorData } from '../../errors/api-error.ts';
import type { Reducer } from '../reducer.ts';
import { createDataStream } from './change-data-stream.ts';
import { type CreateIndexResponse, createIndex } from './create-index.ts';
import { dataStreamOf, streamOptions } from './data-streams.ts';
import { composableTemplate } from './templates.ts';

/** Creates what a write needs. @throws ApiError index_not_found_exception: a setting or template forbids it */
export const autoCreateIndex: Reducer<{ readonly index: string }, CreateIndexResponse> = (state, { index }, env) => {
  const response = { acknowledged: true, shards_acknowledged: true, index };
  if (Object.hasOwn(state.indices, index) || dataStreamOf(state, index) !== null) return { state, response };
  const composable = composableTemplate(state, index);
  const template = composable === null ? null : state.indexTemplates[composable];
  if (template?.allow_auto_create === false)
    throw autoCreateError(index, `composable template [${composable}] forbids index auto creation`);
  const setting = state.settings.transient['action.auto_create_index'] ?? state.settings.persistent['action.auto_create_index'];
  if (setting !== undefined && template?.allow_auto_create !== true && !autoCreateAllowed(String(setting), index))
    throw autoCreateError(index, '[action.auto_create_index] is [false]');
  if (template !== null && streamOptions(template) !== null)
    return { state: createDataStream(state, { name: index }, env).state, response };
  return createIndex(state, { index, body: {} }, env);
};

/** Names of one command: all threads and the disk wait for the whole of it. */
export const MAX_AUTO_CREATED = 8;

/** Errors by name. */
export interface AutoCreated {
  readonly failures: ReadonlyArray<readonly [index: string, error: ApiErrorData]>;
}

/** Creates what the writes of a `_bulk` need, each name as far as it can be. */
export const autoCreateIndices: Reducer<{ readonly indices: readonly string[] }, AutoCreated> = (state, { indices }, env) => {
  const failures: [string, ApiErrorData][] = [];
  let next = state;
  for (const index of indices) {
    try {
      next = autoCreateIndex(next, { index }, env).state;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failures.push([index, error.toData()]);
    }
  }
  return { state: next, response: { failures } };
};

function autoCreateError(index: string, reason: string): ApiError {
  return new ApiError('index_not_found_exception', 404, `no such index [${index}] and ${reason}`, {
    details: { index, index_uuid: '_na_' },
  });
}

function autoCreateAllowed(setting: string, index: string): boolean {
  if (setting === 'true' || setting === 'false') return setting === 'true';
  for (const item of setting.split(',').map((part) => part.trim())) {
    const pattern = item.replace(/^[+-]/, '');
    const regexLess = pattern.endsWith('*') ? index.startsWith(pattern.slice(0, -1)) : index === pattern;
    if (regexLess) return !item.startsWith('-');
  }
  return false;
}
