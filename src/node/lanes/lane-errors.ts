// Errors of requests that a lane could not finish within its limits.
import { formatByteSize } from '../../common/text/byte-size.ts';
import { formatDuration } from '../../common/text/time-unit.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { LaneRequest } from '../../rest/core/lane.ts';

/** 429: the heap of the lane was used up. */
export function outOfMemoryError({ method, path }: LaneRequest, heapBytes: number): ApiError {
  return new ApiError(
    'circuit_breaking_exception',
    429,
    `[request] Data too large, data for [${method} ${path}] would be larger than the limit of [${heapBytes}/${formatByteSize(heapBytes)}]`,
    { details: { bytes_wanted: heapBytes, bytes_limit: heapBytes, durability: 'TRANSIENT' } },
  );
}

/** 503: the request ran longer than allowed. */
export function outOfTimeError({ method, path }: LaneRequest, allowedMs: number): ApiError {
  return new ApiError(
    'circuit_breaking_exception',
    503,
    `[time] [${method} ${path}] ran longer than the limit of [${formatDuration(Math.round(allowedMs))}] and was ended`,
    { details: { bytes_wanted: 0, bytes_limit: 0, durability: 'PERMANENT' } },
  );
}
