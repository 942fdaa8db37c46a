// Keys made of several sources (multi_terms, composite): one bucket aggregation per source, nested; the innermost buckets are the combinations.
import type { AggNode, AggResult } from '../../../plan/agg-plan.ts';
import type { Slice } from '../../types.ts';

/** Nests the nodes of the sources: each gets the next one as its only child, the last one gets `children`. */
export function planChain(makers: ReadonlyArray<(children: readonly AggNode[]) => AggNode>, children: readonly AggNode[]): AggNode {
  return makers.reduceRight<readonly AggNode[]>((below, make) => [make(below)], children)[0];
}

/** A slice whose buckets are the combinations, with the raw key of each source per combination. */
export interface FlatChain {
  readonly slice: Slice;
  readonly parts: ReadonlyArray<ReadonlyArray<number | bigint>>;
}

export function flattenChain(slice: Slice, depth: number): FlatChain {
  let result: AggResult = slice.result;
  let roots: Uint32Array = new Uint32Array(0);
  let parts: Array<Array<number | bigint>> = [];
  for (let level = 0; level < depth; level++) {
    if (result.op !== 'buckets')
      return {
        slice: {
          ...slice,
          result: { op: 'buckets', buckets: { parents: roots, keys: new Float64Array(0), docCounts: roots }, children: [] },
        },
        parts: [],
      };
    const { parents, keys } = result.buckets;
    const above = { roots, parts };
    roots = level === 0 ? parents : Uint32Array.from(parents, (parent) => above.roots[parent]);
    parts = Array.from(parents, (parent, i) => (level === 0 ? [keys[i]] : [...above.parts[parent], keys[i]]));
    if (level < depth - 1) result = result.children[0];
  }
  if (result.op !== 'buckets') throw new Error('a chain must end in buckets');
  const buckets = { parents: roots, keys: Float64Array.from(roots, (_, i) => i), docCounts: result.buckets.docCounts };
  return { slice: { ...slice, result: { op: 'buckets', buckets, children: result.children } }, parts };
}
