// The distribution of a field's values in each bucket, from which quantiles are read: a digest of the server's kind, fed with the values in the
// order of the documents, or all values if digests would cost too much time or `exact` is set.
import { checkTurn } from '../../../common/turns/turn.ts';
import type { Dialect } from '../../../compat/dialect.ts';
import type { AggNode } from '../../../plan/agg-plan.ts';
import { columnIn, type ValuesSource } from '../../source.ts';
import type { DocGroup, SegmentScope, Slice } from '../../types.ts';
import { type Distribution, nearestRank, valueAt } from '../distribution.ts';
import { docGroups } from '../documents.ts';
import { eachValue, isHistogram } from '../pre-aggregated.ts';
import { distributions, ranked, valuesNode } from '../value-counts.ts';
import type { Digest, Quantiles } from './digest.ts';
import { HybridDigest } from './hybrid-digest.ts';
import { MergingDigest } from './merging-digest.ts';
import { TreeDigest } from './tree-digest.ts';

/** Segments with more values of the field are not digested: a value takes about 100 ns. */
const DIGESTED_VALUES = 200_000;

/** Compression of a digest unless the request names one. */
export const DEFAULT_COMPRESSION = 100;

const DOCS_PER_CHECK_MASK = 1023;

/** Parameters of aggregations that read quantiles. */
export interface SketchParams {
  readonly compression: number;
  /** The hint `high_accuracy`. */
  readonly isAccurate: boolean;
  /** No digest: an extension of this service. */
  readonly isExact: boolean;
}

/** Collects the values of one index. */
export interface BoundSketch extends ValuesSource {
  readonly kind: ValuesSource['kind'];
  readonly digest: Dialect['percentileDigest'] | 'none';
}

export function bindSketch(source: ValuesSource, params: SketchParams, dialect: Dialect): BoundSketch {
  return { ...source, digest: params.isExact ? 'none' : dialect.percentileDigest };
}

export function sketchNode(bound: BoundSketch, scope: SegmentScope): AggNode {
  if (isHistogram(bound)) return { op: 'docs', children: [] };
  const column = columnIn(bound, scope.segment);
  if (bound.digest === 'none' || (column?.valueCount ?? 0) > DIGESTED_VALUES) return valuesNode(bound, scope, true);
  return { op: 'docs', children: [] };
}

/** The distributions of merged buckets, computed on demand. */
export interface Sketches {
  at(parent: number): Quantiles;
  /** A distribution of other values, sketched in the same way. */
  of(values: readonly number[], weights: readonly number[]): Quantiles;
}

/** @param compresses  digests of shards are compressed before they are merged */
export function sketches(slices: readonly Slice[], parents: number, params: SketchParams, compresses: boolean): Sketches {
  const kind = slices.map((slice) => (slice.bound as BoundSketch).digest).find((digest) => digest !== 'none') ?? 'none';
  const isDigested = kind !== 'none' && slices.every(({ result }) => result.op === 'docs');
  if (!isDigested) {
    const of = distributions(slices, parents);
    const interpolates = kind === 'tree' || kind === 'hybrid';
    return {
      at: (parent) => new AllValues(of(parent), interpolates),
      of: (values, weights) => new AllValues(ranked(values, weights), interpolates),
    };
  }
  const groups = docGroups(slices, parents);
  const make = (): Digest => {
    if (kind === 'merging') return new MergingDigest(params.compression, true);
    if (kind === 'tree') return new TreeDigest(params.compression, false);
    return params.isAccurate ? new TreeDigest(params.compression) : new HybridDigest(params.compression);
  };
  return {
    at: (parent) => digestOf(parent < 0 ? [] : groups[parent], make, compresses),
    of(values, weights) {
      const digest = make();
      values.forEach((value, i) => {
        digest.add(value, weights[i]);
      });
      return digest;
    },
  };
}

/** A digest of each shard, merged in the order of the shards. */
function digestOf(groups: ReadonlyArray<DocGroup & { slice: Slice }>, make: () => Digest, compresses: boolean): Digest {
  const shards = new Map<number, Digest>();
  let sinceCheck = 0;
  for (const { slice, segment, docs } of groups) {
    const digest = shards.get(segment.shard) ?? make();
    shards.set(segment.shard, digest);
    for (const doc of docs) {
      if ((++sinceCheck & DOCS_PER_CHECK_MASK) === 0) checkTurn();
      eachValue(slice.bound as ValuesSource, segment.segment, doc, (value, count) => digest.add(value, count));
    }
  }
  const all = [...shards.values()];
  if (compresses) for (const digest of all) digest.compress();
  if (all.length === 1) return all[0];
  const merged = make();
  for (const digest of all) {
    merged.reserve(digest.size);
    digest.each((mean, weight) => {
      merged.add(mean, weight);
    });
  }
  if (compresses) merged.compress();
  return merged;
}

/** Quantiles of all values: interpolated between neighbours, or the nearest one. */
export class AllValues implements Quantiles {
  readonly #distribution: Distribution;
  readonly #interpolates: boolean;

  constructor(distribution: Distribution, interpolates: boolean) {
    this.#distribution = distribution;
    this.#interpolates = interpolates;
  }

  get size(): number {
    return this.#distribution.total;
  }

  quantile(q: number): number {
    const d = this.#distribution;
    if (d.total === 0) return Number.NaN;
    if (!this.#interpolates) return nearestRank(d, q);
    const index = q * (d.total - 1);
    const low = valueAt(d, Math.floor(index));
    return low + (index - Math.floor(index)) * (valueAt(d, Math.min(Math.floor(index) + 1, d.total - 1)) - low);
  }

  cdf(value: number): number {
    const d = this.#distribution;
    if (d.total === 0) return Number.NaN;
    const at = d.values.findLastIndex((v) => v <= value);
    return at < 0 ? 0 : d.ranks[at] / d.total;
  }

  each(visit: (mean: number, weight: number) => void): void {
    const { values, ranks } = this.#distribution;
    values.forEach((value, i) => {
      visit(value, ranks[i] - (i > 0 ? ranks[i - 1] : 0));
    });
  }
}
