// variable_width_histogram: values grouped by distance into at most `buckets` buckets. Kernels return distinct values with their counts; then the
// two nearest neighbours are merged until at most `buckets` are left. Elasticsearch does the same with the clusters of its shards, so results may differ
// slightly where a shard holds more values than `shard_size`.

import { jsonDouble } from '../../../common/json/json-float.ts';
import type { MutableJsonObject } from '../../../common/json/json-value.ts';
import { present } from '../../../common/present.ts';
import { checkTurn } from '../../../common/turns/turn.ts';
import type { AggNode } from '../../../plan/agg-plan.ts';
import { formatOf } from '../../metrics/numeric.ts';
import { Params } from '../../params.ts';
import { runParentPipelines } from '../../pipelines/run.ts';
import { mergeBuckets, mergeChildren } from '../../reduce/merge.ts';
import { BucketsOut, type OutBucket } from '../../reduce/out.ts';
import { bindSource, columnOf, doubleOf, parseSource, type SourceParams, type ValuesSource } from '../../source.ts';
import type { AggSpec, AggType } from '../../types.ts';

const MERGES_PER_CHECK_MASK = 1023;

interface VariableWidthParams {
  readonly source: SourceParams;
  readonly buckets: number;
}

/** A cluster of neighbouring values. */
export interface Cluster {
  readonly min: number;
  readonly max: number;
  readonly docCount: number;
  /** Sum of value times count. */
  readonly sum: number;
  /** First and last index of its values in the list. */
  readonly first: number;
  readonly last: number;
}

const centroid = ({ sum, docCount }: Pick<Cluster, 'sum' | 'docCount'>): number => sum / docCount;

/**
 * Merges the neighbours with the nearest centroids, the first pair of several, until `most` clusters are left.
 * @param values  ascending, with their counts
 */
export function clusterValues(values: ReadonlyArray<{ readonly value: number; readonly count: number }>, most: number): Cluster[] {
  const clusters: Array<Cluster | null> = values.map(({ value, count }, i) => ({
    min: value,
    max: value,
    docCount: count,
    sum: value * count,
    first: i,
    last: i,
  }));
  const next = values.map((_, i) => (i + 1 < values.length ? i + 1 : -1));
  const before = values.map((_, i) => i - 1);
  const version = new Uint32Array(values.length);
  const heap = new PairHeap();
  const offer = (left: number): void => {
    const right = next[left];
    if (right >= 0)
      heap.push({
        left,
        version: version[left] + version[right],
        distance: centroid(present(clusters[right])) - centroid(present(clusters[left])),
      });
  };
  let steps = 0;
  for (let i = 0; i + 1 < values.length; i++) {
    if ((++steps & MERGES_PER_CHECK_MASK) === 0) checkTurn();
    offer(i);
  }
  for (let left = values.length; left > most; ) {
    if ((++steps & MERGES_PER_CHECK_MASK) === 0) checkTurn();
    const pair = present(heap.pop());
    const a = pair.left;
    const b = next[a];
    if (clusters[a] === null || b < 0 || version[a] + version[b] !== pair.version) continue;
    const [one, other] = [clusters[a], present(clusters[b])];
    clusters[a] = {
      min: one.min,
      max: other.max,
      docCount: one.docCount + other.docCount,
      sum: one.sum + other.sum,
      first: one.first,
      last: other.last,
    };
    clusters[b] = null;
    next[a] = next[b];
    if (next[a] >= 0) before[next[a]] = a;
    version[a] += version[b] + 1;
    offer(a);
    if (before[a] >= 0) offer(before[a]);
    left--;
  }
  return clusters.filter((cluster) => cluster !== null);
}

interface Pair {
  readonly left: number;
  /** Versions of both clusters: a pair is outdated if one of its clusters was merged since. */
  readonly version: number;
  readonly distance: number;
}

/** Heap of pairs, the nearest first. */
class PairHeap {
  readonly #pairs: Pair[] = [];

  push(pair: Pair): void {
    const pairs = this.#pairs;
    let at = pairs.push(pair) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isNearer(pair, pairs[parent])) break;
      pairs[at] = pairs[parent];
      at = parent;
    }
    pairs[at] = pair;
  }

  pop(): Pair | undefined {
    const pairs = this.#pairs;
    const top = pairs[0];
    const last = pairs.pop();
    if (last === undefined || pairs.length === 0) return top;
    let at = 0;
    for (let child = 1; child < pairs.length; child = 2 * at + 1) {
      if (child + 1 < pairs.length && isNearer(pairs[child + 1], pairs[child])) child++;
      if (!isNearer(pairs[child], last)) break;
      pairs[at] = pairs[child];
      at = child;
    }
    pairs[at] = last;
    return top;
  }
}

function isNearer(a: Pair, b: Pair): boolean {
  return a.distance < b.distance || (a.distance === b.distance && a.left < b.left);
}

export const variableWidthHistogramType: AggType = {
  isBucket: true,
  parse(name, typeName, body): VariableWidthParams {
    const p = new Params(typeName, body);
    const source = parseSource(p);
    const buckets = p.integer('buckets') ?? 10;
    const shardSize = p.integer('shard_size');
    const initialBuffer = p.integer('initial_buffer');
    p.done();
    if (buckets <= 0) throw p.refusalError('buckets', `[buckets] must be greater than 0 for [${name}]`);
    if (shardSize !== null && shardSize <= 1) throw p.refusalError('shard_size', `shard_size must be greater than [1] for [${name}]`);
    if (initialBuffer !== null && initialBuffer <= 0)
      throw p.refusalError('initial_buffer', `[initial_buffer] must be greater than 0 for [${name}]`);
    return { source, buckets };
  },
  bind: (spec, ctx): ValuesSource =>
    bindSource(spec.typeName, (spec.params as VariableWidthParams).source, ctx, ['numeric', 'date', 'boolean']),
  plan: (_spec, bound: ValuesSource, { segment }, children): AggNode => ({
    op: 'termsNumeric',
    source: columnOf(bound, segment),
    // A value counts as often as a document has it.
    perValue: true,
    children,
  }),
  merge(spec: AggSpec, slices, parents, ctx) {
    const { buckets: most } = spec.params as VariableWidthParams;
    const distinct = mergeBuckets(slices, (slice, columns, i) => doubleOf(slice.bound as ValuesSource, columns.keys[i]));
    const valueOf = distinct.keys as number[];
    const lists = distinct.lists(parents);
    const clusterOf = new Int32Array(distinct.count);
    let count = 0;
    const chosen = lists.map((ids) => {
      checkTurn();
      ids.sort((a, b) => valueOf[a] - valueOf[b]);
      const clusters = clusterValues(
        ids.map((id) => ({ value: valueOf[id], count: distinct.docCounts[id] })),
        most,
      );
      return clusters.map((cluster) => {
        for (let at = cluster.first; at <= cluster.last; at++) clusterOf[ids[at]] = count;
        return { cluster, number: count++ };
      });
    });
    const maps = distinct.maps.map((map) => map.map((id) => (id < 0 ? -1 : clusterOf[id])));
    const children = mergeChildren(spec, slices, maps, count, ctx);
    const format = formatOf(slices);
    return {
      at(parent) {
        const buckets = (parent < 0 ? [] : chosen[parent]).map(({ cluster, number }): OutBucket => {
          const key = centroid(cluster);
          const fields: MutableJsonObject = {};
          for (const [name, value] of [
            ['min', cluster.min],
            ['key', key],
            ['max', cluster.max],
          ] as const) {
            fields[name] = jsonDouble(value);
            const text = format?.keyAsString(value) ?? null;
            if (text !== null) fields[`${name}_as_string`] = text;
          }
          fields.doc_count = cluster.docCount;
          return { key, name: String(key), fields, docCount: cluster.docCount, aggs: children.at(number) };
        });
        ctx.addBuckets(buckets.length);
        return new BucketsOut(spec, 'variable_width_histogram', runParentPipelines(spec, buckets));
      },
    };
  },
};
