// The parts of the fetch phase that a request enables besides sources and fields: highlights and explanations.

import { highlightPart } from '../highlight/highlight.ts';
import { Explainer } from '../profile/explain.ts';
import type { SearchRequest } from '../request/search-request.ts';
import type { RunControl } from '../run/run-control.ts';
import type { RewriteContext } from '../shard/rewrite-context.ts';
import type { SearchShard } from '../shard/search-shard.ts';
import { explanationJson } from '../similarity/explanation.ts';
import type { FetchPart } from './fetch-target.ts';
import { hasPercolate, percolatedPart } from './percolated.ts';

export interface FetchPartOptions extends RunControl {
  readonly nodeId: string;
  contextOf(shard: SearchShard): RewriteContext;
}

const NONE: readonly FetchPart[] = [];

export function fetchParts(request: SearchRequest, options: FetchPartOptions): readonly FetchPart[] {
  const isPercolated = request.query !== null && hasPercolate(request.query);
  if (request.highlight.length === 0 && !request.explain && !isPercolated) return NONE;
  const parts: FetchPart[] = [];
  if (request.highlight.length > 0)
    parts.push(highlightPart(request.highlight, ({ at }) => at.prepared.shardQuery.query, options.contextOf));
  if (isPercolated) parts.push(percolatedPart(request.highlight, options.contextOf));
  if (request.explain) {
    parts.push(({ at, hit }, json) => {
      json['_shard'] = `[${at.shard.index}][${at.shard.shard}]`;
      json['_node'] = options.nodeId;
      const { query, boost } = at.prepared.shardQuery;
      const explainer = new Explainer(at.prepared, hit.segment, hit.docId, options);
      json['_explanation'] = explanationJson(explainer.explainRescored(explainer.explain(query, boost), hit.rescored ?? []));
    });
  }
  return parts;
}
