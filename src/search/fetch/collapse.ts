// Collapsing: only the best of the hits that share a value of a field is kept; inner hits show more hits of each group.
import type { JsonFloat } from '../../common/json/json-float.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { FieldType } from '../../mapping/core/field-type.ts';
import { makeBoolQuery, type Query } from '../../query/query.ts';
import { keyOf } from '../index-query/term.ts';
import type { CollapseRequest, SearchRequest } from '../request/search-request.ts';
import type { ShardHit } from '../run/shard-hits.ts';
import type { SearchShard } from '../shard/search-shard.ts';
import { columnValues } from './docvalue-fields.ts';
import { type FetchPart, type FetchShard, fetchShardOf } from './fetch-target.ts';

/**
 * Keeps the best hit of each group.
 * @throws ApiError illegal_state_exception: a document has several values
 */
export function collapseHits(hits: readonly ShardHit[], shards: readonly (FetchShard | null)[], collapse: CollapseRequest): ShardHit[] {
  return firstOfGroups(hits, (hit) => groupOf(hit, shards, collapse));
}

/** What a hit is collapsed by; null without a value. @throws ApiError illegal_state_exception: the document has several values */
export function groupOf(hit: ShardHit, shards: readonly (FetchShard | null)[], { field }: CollapseRequest): GroupKey {
  return hit.distant ? hit.distant.group : groupKey(fetchShardOf(shards, hit), hit, field);
}

/** Keeps the best hit of each group in one shard. */
export function collapseShardHits(hits: readonly ShardHit[], shard: FetchShard, collapse: CollapseRequest): ShardHit[] {
  return firstOfGroups(hits, (hit) => groupKey(shard, hit, collapse.field));
}

type GroupKey = string | number | bigint | null;

function firstOfGroups(hits: readonly ShardHit[], groupOf: (hit: ShardHit) => GroupKey): ShardHit[] {
  const seen = new Set<GroupKey>();
  return hits.filter((hit) => {
    const key = groupOf(hit);
    return !seen.has(key) && seen.add(key);
  });
}

function fieldOf({ mapping }: SearchShard, name: string): FieldType {
  const field = mapping.field(name);
  if (!field) throw illegalArgumentError(`no mapping found for \`${name}\` in order to collapse on`);
  return field;
}

/** @throws ApiError illegal_argument_exception: hits cannot be collapsed on the field */
export function checkCollapseField(shard: SearchShard, name: string): void {
  const field = fieldOf(shard, name);
  if (
    !field.isAggregatable ||
    field.runtime ||
    field.typeName === 'flattened' ||
    field.typeName === '_ignored' ||
    field.keyPrefix ||
    (field.spec.column !== 'ordinals' && field.family !== 'numeric')
  ) {
    throw illegalArgumentError(
      shard.dialect.validatesSearchesWhole
        ? `collapse is not supported for the field [${field.keyPrefix ? field.spec.name : name}] of the type [${field.typeName}]`
        : `unknown type for collapse field \`${name}\`, only keywords and numbers are accepted`,
    );
  }
}

function groupKey({ shard }: FetchShard, hit: ShardHit, name: string): GroupKey {
  const field = fieldOf(shard, name);
  const segment = shard.segments[hit.segment];
  const column = field.spec.name;
  if (!segment.column(column)) return null;
  const values = segment.values(column, hit.docId);
  if (values.length > 1)
    throw new ApiError('illegal_state_exception', 400, `failed to collapse ${hit.docId}, the collapse field must be single valued`);
  if (values.length === 0) return null;
  return field.spec.column === 'ordinals' ? keyOf(segment.termOf(column, Number(values[0]))) : values[0];
}

/** The part of a search's outcome that inner hits show. */
export type GroupSearch = (request: SearchRequest) => {
  readonly total: unknown;
  readonly maxScore: number | JsonFloat | null;
  readonly hits: readonly MutableJsonObject[];
};

/** Adds the value of the group to `fields`, and its inner hits. @param search  runs a request on the shards of the search */
export function collapsePart(request: SearchRequest, collapse: CollapseRequest, search: GroupSearch): FetchPart {
  return (target, hit) => {
    const type = fieldOf(target.at.shard, collapse.field);
    const values = columnValues(type, target.segment, target.hit.docId, null);
    if (values.length > 0) hit['fields'] = { ...(hit['fields'] as MutableJsonObject | undefined), [collapse.field]: values };
    if (collapse.innerHits.length === 0) return;
    const inner: MutableJsonObject = {};
    for (const { name, request: group } of collapse.innerHits) {
      const groupOf: Query =
        values.length > 0
          ? { kind: 'term', field: collapse.field, value: values[0], caseInsensitive: false, boost: 1, name: null }
          : makeBoolQuery({ mustNot: [{ kind: 'exists', field: collapse.field, boost: 1, name: null }] });
      const query = makeBoolQuery({
        must: request.query ? [request.query] : [],
        filter: request.postFilter ? [groupOf, request.postFilter] : [groupOf],
      });
      const outcome = search({ ...group, query, trackTotalHitsUpTo: Number.POSITIVE_INFINITY });
      setOwn(inner, name, { hits: { total: outcome.total, max_score: outcome.maxScore, hits: outcome.hits } });
    }
    hit['inner_hits'] = inner;
  };
}
