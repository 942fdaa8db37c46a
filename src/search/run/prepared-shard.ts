// A search prepared for one shard: the query rewritten for its index, and plans for its segments.
import type { PlanNode, SortKey } from '../../plan/query-plan.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { MatchRunner } from '../compute/match-runner.ts';
import { matchScope } from '../compute/plan-scope.ts';
import { bool, type IndexQuery } from '../index-query/index-query.ts';
import { Planner } from '../plan/planner.ts';
import type { ShardStatistics, Statistics } from '../shard/statistics.ts';
import { SegmentMatchRunner } from './match-runner.ts';
import type { ResolvedSort } from './resolved-sort.ts';

/** A search request resolved against the index of the shard. */
export interface ShardQuery {
  readonly query: IndexQuery;
  /** Those of an alias and a slice. `query` contains them; other parts of the search that look at all documents need them, too. */
  readonly filters: readonly IndexQuery[];
  readonly postFilter: IndexQuery | null;
  /** Empty sorts by score, best first. */
  readonly sort: readonly ResolvedSort[];
  /** Multiplies all scores (`indices_boost`). */
  readonly boost: number;
  readonly size: number;
  readonly trackScores: boolean;
  readonly trackTotalHitsUpTo: number;
  readonly minScore: number | null;
  readonly terminateAfter: number;
  readonly searchAfter: readonly unknown[] | null;
  readonly needsScores: boolean;
  /** The request has size 0: no hits are collected, whatever `size` is here. */
  readonly isEmptyPage: boolean;
  /** The index sort matches the sort: the first matches of each segment are its best. */
  readonly isPresorted: boolean;
}

/** The plans of a search for the segments of one shard, made when they are first needed. */
export class PreparedShard {
  readonly planner: Planner;
  readonly shardQuery: ShardQuery;
  readonly #plans: Array<PlanNode | undefined>;
  readonly #postFilters: Array<PlanNode | undefined>;
  readonly #filterPlans: Array<PlanNode | undefined>;
  readonly #keys: Array<SortKey[] | undefined>;
  readonly #segments: readonly SegmentReader[];
  readonly #runner: MatchRunner;
  readonly docBases: readonly number[];

  constructor(shardQuery: ShardQuery, local: ShardStatistics, weights: Statistics, maxClauses: number) {
    this.shardQuery = shardQuery;
    this.#runner = new SegmentMatchRunner(local.segments);
    this.planner = new Planner(local, weights, maxClauses, this.#runner);
    this.#segments = local.segments;
    this.#plans = local.segments.map(() => undefined);
    this.#postFilters = local.segments.map(() => undefined);
    this.#filterPlans = local.segments.map(() => undefined);
    this.#keys = local.segments.map(() => undefined);
    let base = 0;
    this.docBases = local.segments.map((segment) => {
      const own = base;
      base += segment.maxDoc;
      return own;
    });
  }

  plan(index: number): PlanNode {
    const { query, boost, needsScores } = this.shardQuery;
    return (this.#plans[index] ??= this.planner.plan(query, { ...matchScope(index), scored: needsScores, boost }));
  }

  /** All documents that the search may see: those that pass the filters of alias and slice; null if there are none. */
  filterPlan(index: number): PlanNode | null {
    const { filters } = this.shardQuery;
    return filters.length === 0 ? null : (this.#filterPlans[index] ??= this.planner.plan(bool({ filter: filters }), matchScope(index)));
  }

  postFilter(index: number): PlanNode | null {
    const { postFilter } = this.shardQuery;
    return postFilter ? (this.#postFilters[index] ??= this.planner.planAmong(postFilter, this.plan(index), matchScope(index))) : null;
  }

  /** Documents that match a plan: among those of a bitset, or among the roots. */
  matchingDocs(index: number, plan: PlanNode, scopePtr: number | null): Uint32Array {
    return this.#runner.matchesOf(index, plan, scopePtr).docs;
  }

  sortKeys(index: number): SortKey[] {
    const { sort } = this.shardQuery;
    const keys = this.#keys[index];
    if (keys) return keys;
    const matching = (): Iterable<number> => this.matchingDocs(index, this.plan(index), null);
    const made = sort.map((key) => key.keyFor(this.#segments[index], (filter) => this.planner.plan(filter, matchScope(index)), matching));
    if (!sort.some((key) => key.isComputed)) this.#keys[index] = made;
    return made;
  }
}

/** Restricts a query by the filters of aliases and slices. */
export function withFilters(query: IndexQuery, filters: readonly IndexQuery[]): IndexQuery {
  return filters.length === 0 ? query : bool({ must: [query], filter: filters });
}
