// Errors of requests for shards that a reader cannot read.
import type { IndexState } from '../../api/core/index-state.ts';
import { ApiError } from '../../errors/api-error.ts';

/** @param where  where none is available; anywhere by default */
export function noShardError({ meta: { name } }: IndexState, shard: number, where = ''): ApiError {
  return new ApiError('no_shard_available_action_exception', 503, `No shard available for [${name}][${shard}]${where}`);
}

export function indexClosedError({ meta: { name, uuid } }: IndexState): ApiError {
  return new ApiError('index_closed_exception', 400, 'closed', { details: { index_uuid: uuid, index: name } });
}
