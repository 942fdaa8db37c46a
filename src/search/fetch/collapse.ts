// Collapsing: of hits with the same value of a field only the best stays; inner hits show more of each group.
import type { MutableJsonObject } from '../../common/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgument } from '../../errors/catalog.ts';
import type { BoolQuery, Query } from '../../query/query.ts';
import { keyOf } from '../index-query/term.ts';
import { type CollapseRequest, parseSearchRequest, type SearchRequest } from '../request/search-request.ts';
import type { ShardHit } from '../run/query-phase.ts';
import { type SearchEnvironment, type SearchTarget, searchShards } from '../search-shards.ts';
import type { SearchShard } from '../shard/search-shard.ts';
import { columnValues } from './docvalue-fields.ts';
import type { FetchPart, FetchShard } from './fetch-phase.ts';

export interface Collapsed {
  readonly hits: ShardHit[];
  parts(request: SearchRequest, targets: readonly SearchTarget[], env: SearchEnvironment): FetchPart[];
}

/** @throws ApiError illegal_state_exception: a document with several values */
export function collapseHits(hits: readonly ShardHit[], shards: readonly (FetchShard | null)[], collapse: CollapseRequest): Collapsed {
  const seen = new Set<string | number | bigint | null>();
  const kept = hits.filter((hit) => {
    const key = groupKey(shards[hit.shard]!, hit, collapse.field);
    return !seen.has(key) && seen.add(key);
  });
  return { hits: kept, parts: (request, targets, env) => [groupPart(request, collapse, targets, env)] };
}

/** @throws ApiError illegal_argument_exception: no such field, or none with single values */
export function checkCollapseField(shard: SearchShard, name: string): void {
  const field = shard.mapping.field(name);
  if (!field) throw illegalArgument(`no mapping found for \`${name}\` in order to collapse on`);
  if (!field.isAggregatable || field.runtime || (field.spec.column !== 'ordinals' && field.family !== 'numeric')) {
    throw illegalArgument(`unknown type for collapse field \`${name}\`, only keywords and numbers are accepted`);
  }
}

function groupKey({ shard }: FetchShard, hit: ShardHit, name: string): string | number | bigint | null {
  const field = shard.mapping.field(name)!;
  const segment = shard.segments[hit.segment];
  const column = field.spec.name;
  if (!segment.column(column)) return null;
  const values = segment.values(column, hit.docId);
  if (values.length > 1)
    throw new ApiError('illegal_state_exception', 400, `failed to collapse ${hit.docId}, the collapse field must be single valued`);
  if (values.length === 0) return null;
  return field.spec.column === 'ordinals' ? keyOf(segment.termOf(column, Number(values[0]))) : values[0];
}

/** The group's value in `fields`, and its inner hits. */
function groupPart(request: SearchRequest, collapse: CollapseRequest, targets: readonly SearchTarget[], env: SearchEnvironment): FetchPart {
  return (target, hit) => {
    const type = target.at.shard.mapping.field(collapse.field)!;
    const values = columnValues(type, target.segment, target.hit.docId, null);
    if (values.length > 0) hit['fields'] = { ...(hit['fields'] as MutableJsonObject | undefined), [collapse.field]: values };
    if (collapse.innerHits.length === 0) return;
    const inner: MutableJsonObject = {};
    for (const body of collapse.innerHits) {
      const { name, ...rest } = body as MutableJsonObject;
      const groupOf: Query =
        values.length > 0
          ? { kind: 'term', field: collapse.field, value: values[0], caseInsensitive: false, boost: 1, name: null }
          : bool({ mustNot: [{ kind: 'exists', field: collapse.field, boost: 1, name: null }] });
      const parsed = parseSearchRequest({ size: 3, ...rest });
      const query = bool({
        must: request.query ? [request.query] : [],
        filter: request.postFilter ? [groupOf, request.postFilter] : [groupOf],
      });
      const outcome = searchShards(targets, { ...parsed, query, trackTotalHitsUpTo: Number.POSITIVE_INFINITY }, null, {
        ...env,
        afterHit: null,
      });
      inner[String(name ?? collapse.field)] = { hits: { total: outcome.total, max_score: outcome.maxScore, hits: outcome.hits } };
    }
    hit['inner_hits'] = inner;
  };
}

function bool(clauses: Partial<Pick<BoolQuery, 'must' | 'filter' | 'mustNot'>>): Query {
  return {
    kind: 'bool',
    must: [],
    filter: [],
    should: [],
    mustNot: [],
    minimumShouldMatch: null,
    adjustPureNegative: true,
    boost: 1,
    name: null,
    ...clauses,
  };
}
