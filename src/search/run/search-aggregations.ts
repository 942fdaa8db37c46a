// Aggregations of a search on one shard: binds the tree to the index and collects segment by segment while the query runs.

import {
  type AggTree,
  adoptSegment,
  type Bindings,
  bindAggregations,
  collectSegment,
  resultsOf,
  type SegmentPartial,
  type SegmentRunner,
  scopeOf,
} from '../../aggs/index.ts';
import type { ScriptedValues, SegmentScope } from '../../aggs/types.ts';
import { parseJsonBytes } from '../../common/json/json-parse.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import type { AggResult } from '../../plan/agg-plan.ts';
import type { AggProgram, PlanNode } from '../../plan/query-plan.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { Query } from '../../query/query.ts';
import { compileDocScript } from '../../scripting/doc-script.ts';
import { matchScope } from '../compute/plan-scope.ts';
import { compileScriptColumn, type ScriptColumn, ScriptedSegment } from '../compute/scripted-segment.ts';
import { runDocScript } from '../evaluate/script-doc.ts';
import { stringsIn } from '../evaluate/source-values.ts';
import type { IndexQuery } from '../index-query/index-query.ts';
import { rewriteBareQuery } from '../rewrite/rewrite.ts';
import { requireIdFielddata } from '../shard/limits.ts';
import type { RewriteContext } from '../shard/rewrite-context.ts';
import type { PreparedShard } from './prepared-shard.ts';
import type { SearchPart } from './shared-segments.ts';

const unused = (): never => {
  throw new Error('the segment was collected elsewhere');
};
const COLLECTED = { execute: unused, executeAll: unused };

/** Collects the results of each segment of a shard in `partials`. */
export class ShardAggregations {
  readonly partials: SegmentPartial[] = [];
  /** Time spent on binding the tree to the index. */
  readonly bindMs: number;
  readonly #tree: AggTree;
  readonly #bindings: Bindings;
  readonly #context: RewriteContext;
  readonly #shard: number;
  readonly #filters = new Map<Query, IndexQuery>();
  readonly #scripts = new Map<string, ScriptColumn>();

  /** @throws ApiError: a failure of the shard, for example an unsuitable field */
  constructor(
    tree: AggTree,
    context: RewriteContext,
    shard: number,
    maxBuckets: number,
    setting: (name: string, fallback: number) => number,
  ) {
    const started = performance.now();
    this.#tree = tree;
    this.#context = context;
    this.#shard = shard;
    this.#bindings = bindAggregations(tree, {
      indexName: context.index,
      mapping: context.mapping,
      nowMs: context.nowMs,
      maxBuckets,
      setting,
      storedScript: context.storedScript,
      docScript: (spec, name) => {
        const script = compileDocScript(spec, { stored: context.storedScript, context: name });
        return (segment, docId, input) => runDocScript(script, context, segment, docId, input);
      },
      fieldTexts: (type) => (segment, docId) => {
        const source = context.record(segment.seqNo(segment.rootOf(docId)))?.source;
        return source ? stringsIn(context.mapping, type.name, parseJsonBytes(source)) : [];
      },
      textTokens: (type, sourceFields) => {
        const { mapping, analysis, record } = context;
        const { analyzer } = type.spec;
        const names = sourceFields.length > 0 ? sourceFields : [type.name];
        return (segment, docId) => {
          const source = record(segment.seqNo(segment.rootOf(docId)))?.source;
          const json = source ? (parseJsonBytes(source) as JsonObject) : {};
          const strings = names.flatMap((name) => stringsIn(mapping, name, json));
          return strings.map((string) =>
            analyzer === null
              ? [Buffer.from(type.termBytes(string)).toString()]
              : analysis.analyze(analyzer, string).map(({ term }) => term),
          );
        };
      },
      requireIdFielddata: () => requireIdFielddata(context.limits),
      addScript: (values) => {
        const name = `\0script:${this.#scripts.size}`;
        this.#scripts.set(name, compileScriptColumn(values, context));
        return name;
      },
    });
    this.bindMs = performance.now() - started;
  }

  get bindings(): Bindings {
    return this.#bindings;
  }

  /** Whether segments may be collected in another thread: the columns of scripts are read again while results are merged. */
  get isShareable(): boolean {
    return this.#scripts.size === 0;
  }

  /** The results of the segment that was collected last, for `adopt` in another thread. */
  lastResults(): readonly AggResult[] {
    return resultsOf(this.#tree, this.partials[this.partials.length - 1]);
  }

  /** A segment as its results are reduced with it. */
  scope(prepared: PreparedShard, index: number): SegmentScope {
    return scopeOf(this.#runnerOf(prepared.planner.segments[index], prepared, index, COLLECTED));
  }

  /** Adds the results of a segment that another thread has collected. */
  adopt(prepared: PreparedShard, index: number, results: readonly AggResult[]): void {
    const runner = this.#runnerOf(prepared.planner.segments[index], prepared, index, COLLECTED);
    this.partials.push(adoptSegment(this.#tree, this.#bindings, runner, results));
  }

  /** Orders the results by segments and ranges: sums of fractions depend on their order. @param collected  the parts in the order of their results */
  arrange(collected: readonly SearchPart[]): void {
    const order = collected.map((part, i) => ({ part, partial: this.partials[i] }));
    order.sort(({ part: a }, { part: b }) => a.index - b.index || a.range - b.range);
    this.partials.splice(0, this.partials.length, ...order.map(({ partial }) => partial));
  }

  /**
   * Runs the query on a segment with the aggregations attached.
   * @param execute     runs the query of the search with these aggregations; may be called again
   * @param executeAll  runs them on all root documents that pass the filters of alias and slice
   */
  collect(prepared: PreparedShard, index: number, execute: (program: AggProgram) => void, executeAll: (program: AggProgram) => void): void {
    const own = prepared.planner.segments[index];
    if (this.#scripts.size === 0) return this.#collect(own, prepared, index, execute, executeAll);
    const context = { ...this.#context, nestedPath: null };
    const segment = new ScriptedSegment(own, this.#scripts, context, (values) => this.#domain(values, prepared, index));
    segment.scratch(() => this.#collect(segment, prepared, index, execute, executeAll));
  }

  /** Documents that scripts run on: the matches of the search, the documents of a nested path, or for `global` all that the search may see. */
  #domain({ nestedPath, isGlobal, among }: ScriptedValues, prepared: PreparedShard, index: number): Iterable<number> {
    if (among && nestedPath === null) {
      return among(prepared.planner.segments[index], prepared.matchingDocs(index, { op: 'matchAll' }, null));
    }
    if (isGlobal && nestedPath === null) return prepared.matchingDocs(index, prepared.filterPlan(index) ?? { op: 'matchAll' }, null);
    if (nestedPath === null) return prepared.matchingDocs(index, prepared.plan(index), null);
    return prepared.matchingDocs(index, { op: 'matchAll' }, prepared.planner.segments[index].nestedDocsPtr(nestedPath));
  }

  #collect(
    segment: SegmentReader,
    prepared: PreparedShard,
    index: number,
    execute: (program: AggProgram) => void,
    executeAll: (program: AggProgram) => void,
  ): void {
    this.partials.push(collectSegment(this.#tree, this.#bindings, this.#runnerOf(segment, prepared, index, { execute, executeAll })));
  }

  #runnerOf(
    segment: SegmentReader,
    prepared: PreparedShard,
    index: number,
    calls: Pick<SegmentRunner, 'execute' | 'executeAll'>,
  ): SegmentRunner {
    return {
      k: segment.kernels,
      segment,
      shard: this.#shard,
      handle: { prepared, index },
      scoped: (action) => (segment instanceof ScriptedSegment ? segment.scratch(action) : action()),
      planQuery: (query) => this.#planQuery(query as Query, prepared, index),
      planFilters: () => prepared.filterPlan(index),
      ...calls,
    };
  }

  #planQuery(parsed: Query, prepared: PreparedShard, index: number): PlanNode {
    const query = (this.#tree.resolved?.get(parsed) ?? parsed) as Query;
    let rewritten = this.#filters.get(query);
    if (!rewritten) this.#filters.set(query, (rewritten = rewriteBareQuery(query, { ...this.#context, nestedPath: null })));
    return prepared.planner.plan(rewritten, matchScope(index));
  }
}
