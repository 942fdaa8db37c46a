// Hits of shards, and their order.
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import type { ApiError } from '../../errors/api-error.ts';
import type { IndexQuery } from '../index-query/index-query.ts';
import type { RescoreRequest } from '../request/request-parts.ts';
import { compareSortValues, type ResolvedSort, type SortValue } from './resolved-sort.ts';

export interface ShardHit {
  /** Position of the shard in the search. */
  readonly shard: number;
  /** Position of the segment in the shard. */
  readonly segment: number;
  readonly docId: number;
  /** NaN if not computed. */
  score: number;
  /** Parallel to the sort keys; empty if hits are sorted by score alone. */
  readonly sort: readonly SortValue[];
  /** The effect of each rescorer, in order; absent without rescorers. */
  readonly rescored?: readonly Rescored[];
  /** Of a hit that another node has found: the hit as it was fetched there, and what it is collapsed by. Absent for a hit of this node. */
  readonly distant?: DistantHit;
}

export interface DistantHit {
  /** The reason if it could not be fetched. */
  readonly fetched: MutableJsonObject | ApiError;
  readonly group: string | number | bigint | null;
}

/** The effect of one rescorer on a hit. */
export interface Rescored {
  readonly rescore: RescoreRequest;
  /** The second query; null for hits after the window, whose score is only multiplied by the weight of the first query. */
  readonly query: IndexQuery | null;
}

export interface ShardHits {
  readonly hits: ShardHit[];
  readonly total: number;
  readonly totalIsLowerBound: boolean;
  /** NaN if no score was computed. */
  readonly maxScore: number;
  readonly terminatedEarly: boolean;
  readonly timedOut: boolean;
}

/** The last hit of a scroll's previous page: only hits after it are collected. */
export interface AfterHit {
  readonly segment: number;
  readonly docId: number;
  readonly score: number;
  readonly sort: readonly SortValue[];
}

/** Orders hits by the sort, then by shard, segment and document. */
export function hitComparator(sort: readonly ResolvedSort[]): (a: ShardHit, b: ShardHit) => number {
  const byPosition = (a: ShardHit, b: ShardHit): number => a.shard - b.shard || a.segment - b.segment || a.docId - b.docId;
  if (sort.length === 0) return (a, b) => b.score - a.score || byPosition(a, b);
  return (a, b) => {
    for (let i = 0; i < sort.length; i++) {
      const order = compareSortValues(a.sort[i], b.sort[i], sort[i]);
      if (order !== 0) return order;
    }
    return byPosition(a, b);
  };
}

/** The first `size` hits of two ordered lists, in order. */
export function mergeHits(left: ShardHit[], right: ShardHit[], compare: (a: ShardHit, b: ShardHit) => number, size: number): ShardHit[] {
  if (left.length === 0) return right.length > size ? right.slice(0, size) : right;
  if (right.length === 0) return left;
  const merged: ShardHit[] = [];
  let l = 0;
  let r = 0;
  while (merged.length < size && (l < left.length || r < right.length)) {
    if (r >= right.length || (l < left.length && compare(left[l], right[r]) <= 0)) merged.push(left[l++]);
    else merged.push(right[r++]);
  }
  return merged;
}
