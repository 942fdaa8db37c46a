// Aggregations in `profile`: what each one collected in a shard. The whole tree runs in one loop over a segment, so the times that are
// shown with an aggregation of the first level are those of the tree; counts are its own.
import type { AggSpec, AggTree, Bindings, SegmentPartial } from '../aggs/index.ts';
import type { Json } from '../mapping/mapping-snapshot.ts';
import type { AggResult } from '../plan/agg-plan.ts';

/** Milliseconds of a shard's tree. */
export interface AggregationTimes {
  readonly bindMs: number;
  readonly planMs: number;
  readonly runMs: number;
  readonly readMs: number;
  readonly reduceMs: number;
}

const NAMES: Readonly<Record<string, string>> = {
  histogram: 'NumericHistogram',
  significant_terms: 'SignificantTerms',
  ip_range: 'BinaryRange',
};

interface Shard {
  readonly partials: readonly SegmentPartial[];
  readonly bindings: Bindings;
  readonly times: AggregationTimes;
  /** Documents that the search found. */
  readonly matched: number;
}

export function profileAggregations(tree: AggTree, shard: Shard): Json[] {
  return tree.children.map((spec) => entry(spec, null, shard));
}

function entry(spec: AggSpec, parent: AggSpec | null, shard: Shard): Json {
  const { partials, times } = shard;
  const results = partials.map(({ results }) => results.get(spec)).filter((result) => result !== undefined);
  const collected = parent === null ? shard.matched : documentsOf(parent, shard);
  const nanos = (ms: number): number => (parent === null ? Math.max(1, Math.round(ms * 1e6)) : 0);
  const breakdown: Json = {
    initialize: nanos(times.bindMs),
    initialize_count: 1,
    build_leaf_collector: nanos(times.planMs),
    build_leaf_collector_count: partials.length,
    collect: nanos(times.runMs),
    collect_count: collected,
    post_collection: nanos(times.readMs),
    post_collection_count: partials.length,
    build_aggregation: nanos(times.reduceMs),
    build_aggregation_count: 1,
  };
  const total = times.bindMs + times.planMs + times.runMs + times.readMs + times.reduceMs;
  const out: Json = { type: typeName(spec, shard.bindings), description: spec.name, time_in_nanos: nanos(total), breakdown };
  const debug = debugOf(spec, results, shard);
  if (Object.keys(debug).length > 0) out['debug'] = debug;
  if (spec.children.length > 0) out['children'] = spec.children.map((child) => entry(child, spec, shard));
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

function debugOf(spec: AggSpec, results: readonly AggResult[], { partials, bindings }: Shard): Json {
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
    // Ordinals are a segment's own: their buckets are counted by segment.
    result.buckets.keys.forEach((key) => {
      keys.add(key);
    });
  }
  return isBuckets ? { total_buckets: keys.size } : {};
}

function typeName(spec: AggSpec, bindings: Bindings): string {
  if (spec.typeName === 'terms') {
    const source = (bindings.get(spec) as { source?: { kind?: string } } | undefined)?.source;
    return source?.kind === 'ordinals' ? 'GlobalOrdinalsStringTermsAggregator' : 'NumericTermsAggregator';
  }
  if (spec.typeName === 'auto_date_histogram') return 'AutoDateHistogramAggregator.FromSingle';
  const known = Object.hasOwn(NAMES, spec.typeName) ? NAMES[spec.typeName] : null;
  return `${known ?? spec.typeName.replace(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase())}Aggregator`;
}
