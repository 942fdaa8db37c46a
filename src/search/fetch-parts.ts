// What a request adds to each hit besides sources and fields.
import { ApiError } from '../errors/api-error.ts';
import type { FetchPart, FetchShard } from './fetch-phase.ts';
import type { QueryPhaseOptions } from './query-phase.ts';
import type { SearchRequest } from './search-request.ts';

export interface FetchPartOptions extends Pick<QueryPhaseOptions, 'run' | 'stop' | 'counters'> {
  readonly nowMs: number;
  readonly nodeId: string;
}

export function fetchParts(request: SearchRequest, shards: readonly (FetchShard | null)[], options: FetchPartOptions): FetchPart[] {
  void shards;
  void options;
  const parts: FetchPart[] = [];
  if (request.highlight) throw new ApiError('illegal_argument_exception', 400, '[highlight] is not supported yet');
  if (request.explain) throw new ApiError('illegal_argument_exception', 400, '[explain] is not supported yet');
  return parts;
}
