// Aggregations in `profile`: the time that each one took and what it collected on a shard. The whole tree runs in one loop over a segment, so a
// profiled shard runs each aggregation again together with its ancestors and descendants only. The difference to the run of its ancestors is its time.

import type { TermsParams } from '../../aggs/buckets/terms/terms.ts';
import type { AggSpec, AggTree, Bindings, SegmentPartial } from '../../aggs/index.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import type { AggResult } from '../../plan/agg-plan.ts';

/** Times of a tree on a shard, in milliseconds. */
export interface AggregationTimes {
  readonly bindMs: number;
  readonly planMs: number;
  readonly runMs: number;
  readonly readMs: number;
}

const NO_TIMES: AggregationTimes = { bindMs: 0, planMs: 0, runMs: 0, readMs: 0 };

const NAMES: Readonly<Record<string, string>> = {
  histogram: 'NumericHistogram',
  significant_terms: 'SignificantTerms',
  ip_range: 'BinaryRange',
};

interface Shard {
  readonly partials: readonly SegmentPartial[];
  readonly bindings: Bindings;
  /** Number of documents that matched the search. */
  readonly matched: number;
  /** Runs a part of the tree on the shard, or only the query if there is none; null if the part cannot run without the rest. */
  readonly measure: (tree: AggTree | null) => AggregationTimes | null;
  /** Time of reducing the results of all shards. */
  readonly reduceMs: number;
}

export function profileAggregations(tree: AggTree, shard: Shard): MutableJsonObject[] {
  return tree.children.map((spec) => entry(tree, spec, [], shard));
}

/** The time that an aggregation adds to a run of its ancestors. */
function timesOf(tree: AggTree, spec: AggSpec, above: readonly AggSpec[], shard: Shard): AggregationTimes {
  const chain = (specs: readonly AggSpec[], last: AggSpec): AggTree => {
    const top = specs.reduceRight((inner, outer): AggSpec => ({ ...outer, children: [inner], pipelines: [] }), last);
    return { ...tree, children: [top], pipelines: [] };
  };
  const parent = above.at(-1);
  const withIt = shard.measure(chain(above, { ...spec, pipelines: [] }));
  const without = shard.measure(parent ? chain(above.slice(0, -1), { ...parent, children: [], pipelines: [] }) : null);
  if (!withIt || !without) return NO_TIMES;
  const added = (part: keyof AggregationTimes): number => Math.max(0, withIt[part] - without[part]);
  return { bindMs: added('bindMs'), planMs: added('planMs'), runMs: added('runMs'), readMs: added('readMs') };
}

function entry(tree: AggTree, spec: AggSpec, above: readonly AggSpec[], shard: Shard): MutableJsonObject {
  const { partials } = shard;
  const parent = above.at(-1) ?? null;
  const results = partials.map(({ results }) => results.get(spec)).filter((result) => result !== undefined);
  const collected = parent === null ? shard.matched : documentsOf(parent, shard);
  const times = timesOf(tree, spec, above, shard);
  const nanos = (ms: number): number => Math.round(ms * 1e6);
  const reduceMs = parent === null ? shard.reduceMs / tree.children.length : 0;
  const breakdown: MutableJsonObject = {
    initialize: nanos(times.bindMs),
    initialize_count: 1,
    build_leaf_collector: nanos(times.planMs),
    build_leaf_collector_count: partials.length,
    collect: nanos(times.runMs),
    collect_count: collected,
    post_collection: nanos(times.readMs),
    post_collection_count: partials.length,
    build_aggregation: nanos(reduceMs),
    build_aggregation_count: 1,
    reduce: 0,
    reduce_count: 0,
  };
  const total = nanos(times.bindMs + times.planMs + times.runMs + times.readMs + reduceMs);
  const type = typeName(spec, shard.bindings);
  const out: MutableJsonObject = { type, description: spec.name, time_in_nanos: Math.max(1, total), breakdown };
  const debug = debugOf(spec, results, shard);
  if (Object.keys(debug).length > 0) out['debug'] = debug;
  if (spec.children.length > 0) out['children'] = spec.children.map((child) => entry(tree, child, [...above, spec], shard));
  return out;
}

function documentsOf(spec: AggSpec, { partials }: Shard): number {
  let documents = 0;
  for (const { results } of partials) {
    const result = results.get(spec);
    if (result?.op === 'buckets') for (const count of result.buckets.docCounts) documents += count;
  }
  return documents;
}

function debugOf(spec: AggSpec, results: readonly AggResult[], { partials, bindings }: Shard): MutableJsonObject {
  if (spec.typeName === 'cardinality') {
    const source = bindings.get(spec) as { kind?: string; field: string } | undefined;
    const isText = source?.kind === 'ordinals';
    const read = partials.filter(({ segment }) => source && segment.segment.column(source.field)).length;
    return {
      empty_collectors_used: partials.length - read,
      numeric_collectors_used: isText ? 0 : read,
      ordinals_collectors_used: isText ? read : 0,
      ordinals_collectors_overhead_too_high: 0,
      string_hashing_collectors_used: 0,
    };
  }
  const keys = new Set<number | bigint>();
  let isBuckets = false;
  for (const result of results) {
    if (result.op !== 'buckets') continue;
    isBuckets = true;
    // Ordinals differ between segments, so their buckets are counted per segment.
    result.buckets.keys.forEach((key) => {
      keys.add(key);
    });
  }
  if (!isBuckets) return {};
  const total = { total_buckets: keys.size };
  if (spec.typeName === 'terms') return { ...termsDebug(spec, partials, bindings), ...total };
  return spec.typeName === 'auto_date_histogram' ? { ...total, surviving_buckets: keys.size } : total;
}

/** How the terms were collected, by the names of servers that choose between several methods. */
function termsDebug(spec: AggSpec, partials: Shard['partials'], bindings: Bindings): MutableJsonObject {
  const { requested, filter } = spec.params as TermsParams;
  const source = (bindings.get(spec) as { source?: { kind?: string; field: string } } | undefined)?.source;
  const isDeferred = requested.isBreadthFirst && spec.children.length > 0;
  const deferred = isDeferred ? { deferred_aggregators: spec.children.map(({ name }) => name) } : {};
  if (source?.kind !== 'ordinals') return { ...deferred, result_strategy: source?.kind === 'f64' ? 'double_terms' : 'long_terms' };
  if (requested.byMap) return { ...deferred, result_strategy: 'terms' };
  const columns = partials.map(({ segment }) => segment.segment.column(source.field)).filter((column) => column !== null);
  const multiple = columns.filter((column) => column.multiValued).length;
  return {
    ...deferred,
    segments_with_multi_valued_ords: multiple,
    collection_strategy: spec.children.length > 0 && !isDeferred ? 'remap' : 'dense',
    segments_with_single_valued_ords: columns.length - multiple,
    result_strategy: 'terms',
    has_filter: filter !== null,
  };
}

function typeName(spec: AggSpec, bindings: Bindings): string {
  if (spec.typeName === 'terms') {
    const source = (bindings.get(spec) as { source?: { kind?: string } } | undefined)?.source;
    if (source?.kind !== 'ordinals') return 'NumericTermsAggregator';
    return (spec.params as TermsParams).requested.byMap ? 'MapStringTermsAggregator' : 'GlobalOrdinalsStringTermsAggregator';
  }
  if (spec.typeName === 'auto_date_histogram') return 'AutoDateHistogramAggregator.FromSingle';
  const known = Object.hasOwn(NAMES, spec.typeName) ? NAMES[spec.typeName] : null;
  return `${known ?? spec.typeName.replace(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase())}Aggregator`;
}
