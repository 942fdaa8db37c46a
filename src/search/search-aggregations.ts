// Aggregations of a search on one shard: binds the tree to the index, collects segment by segment as the query runs.

import type { SegmentPartial } from '../aggs/index.ts';
import { type AggTree, type Bindings, bindAggregations, collectSegment } from '../aggs/index.ts';
import type { SegmentImageReader } from '../arena/segment-reader.ts';
import { ApiError } from '../errors/api-error.ts';
import type { AggProgram, PlanNode } from '../plan/query-plan.ts';
import type { Query } from '../query/query.ts';
import type { IndexQuery } from './index-query.ts';
import type { PreparedShard } from './query-phase.ts';
import { rewriteQuery } from './rewrite.ts';
import type { RewriteContext } from './rewrite-context.ts';

/** Collects what one shard's segments give; `partials` grows with each. */
export class ShardAggregations {
  readonly partials: SegmentPartial[] = [];
  readonly #tree: AggTree;
  readonly #bindings: Bindings;
  readonly #context: RewriteContext;
  readonly #shard: number;
  readonly #filters = new Map<Query, IndexQuery>();

  /** @throws ApiError a failure of the shard: wrong fields */
  constructor(
    tree: AggTree,
    context: RewriteContext,
    shard: number,
    maxBuckets: number,
    setting: (name: string, fallback: number) => number,
  ) {
    this.#tree = tree;
    this.#context = context;
    this.#shard = shard;
    this.#bindings = bindAggregations(tree, {
      indexName: context.index,
      mapping: context.mapping,
      nowMs: context.nowMs,
      maxBuckets,
      setting,
    });
  }

  get bindings(): Bindings {
    return this.#bindings;
  }

  get needsScores(): boolean {
    return this.#tree.needsScores;
  }

  /**
   * Runs the query over a segment with the aggregations laid out.
   * @param execute     the search's query with these aggregations; may be called again
   * @param executeAll  all root documents with these aggregations
   */
  collect(prepared: PreparedShard, index: number, execute: (program: AggProgram) => void, executeAll: (program: AggProgram) => void): void {
    const segment = prepared.planner.segments[index];
    const { kernels } = segment as SegmentImageReader;
    if (!kernels) throw new ApiError('illegal_state_exception', 500, 'aggregations need a segment in an arena');
    this.partials.push(
      collectSegment(this.#tree, this.#bindings, {
        k: kernels,
        segment,
        shard: this.#shard,
        handle: { prepared, index },
        planQuery: (query) => this.#planQuery(query as Query, prepared, index),
        execute,
        executeAll,
      }),
    );
  }

  #planQuery(parsed: Query, prepared: PreparedShard, index: number): PlanNode {
    const query = (this.#tree.resolved?.get(parsed) ?? parsed) as Query;
    let rewritten = this.#filters.get(query);
    if (!rewritten) this.#filters.set(query, (rewritten = rewriteQuery(query, { ...this.#context, nestedPath: null })));
    return prepared.planner.plan(rewritten, index, false);
  }
}
