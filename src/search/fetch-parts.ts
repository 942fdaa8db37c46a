// What a request adds to each hit besides sources and fields.
import { ApiError } from '../errors/api-error.ts';
import { Explainer } from './explain.ts';
import type { FetchPart, FetchShard } from './fetch-phase.ts';
import type { QueryPhaseOptions } from './query-phase.ts';
import type { SearchRequest } from './search-request.ts';

export interface FetchPartOptions extends Pick<QueryPhaseOptions, 'run' | 'stop' | 'counters'> {
  readonly nowMs: number;
  readonly nodeId: string;
}

export function fetchParts(request: SearchRequest, shards: readonly (FetchShard | null)[], options: FetchPartOptions): FetchPart[] {
  void shards;
  const parts: FetchPart[] = [];
  if (request.highlight) throw new ApiError('illegal_argument_exception', 400, '[highlight] is not supported yet');
  if (request.explain) {
    parts.push(({ at, hit }, json) => {
      json['_shard'] = `[${at.shard.index}][${at.shard.shard}]`;
      json['_node'] = options.nodeId;
      const { query, boost } = at.prepared.shardQuery;
      json['_explanation'] = new Explainer(at.prepared, hit.segment, hit.docId, options).explain(query, boost);
    });
  }
  return parts;
}
